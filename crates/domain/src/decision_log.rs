//! Of which users an environment's decisions are logged.
//!
//! Users are chosen, rather than decisions: of a person all decisions are kept, or none. Which ones,
//! the edge says (by a hash of their keys); here is only how many.

/// A share of an environment's users, in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample(u32);

/// A number is no share of users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a share of users is 0 (no decisions are logged), or from 0.000001 to 1 (of all users)")]
pub struct NoSample;

const ALL: u32 = 1_000_000;

impl Sample {
    /// Nobody: no decisions are logged.
    pub const NONE: Self = Self(0);

    /// Reads a share, as a number from 0 to 1; what is finer than a millionth is rounded.
    pub fn new(share: f64) -> Result<Self, NoSample> {
        let millionths = (share * f64::from(ALL)).round();
        match (0.0..=f64::from(ALL)).contains(&millionths) && (share == 0.0 || millionths >= 1.0) {
            true => Ok(Self(millionths as u32)),
            false => Err(NoSample),
        }
    }

    /// As it is stored.
    pub fn of_millionths(millionths: i64) -> Result<Self, NoSample> {
        let number = u32::try_from(millionths).map_err(|_| NoSample)?;
        (number <= ALL).then_some(Self(number)).ok_or(NoSample)
    }

    /// How many of a million users.
    pub fn millionths(self) -> u32 {
        self.0
    }

    /// The same as a number from 0 to 1.
    pub fn share(self) -> f64 {
        f64::from(self.0) / f64::from(ALL)
    }
}

#[cfg(test)]
mod tests {
    use super::{NoSample, Sample};

    #[test]
    fn a_share_is_a_number_from_nothing_to_all() {
        for (share, millionths) in [(0.0, 0), (-0.0, 0), (0.000_001, 1), (0.05, 50_000)] {
            let sample = Sample::new(share).unwrap();
            assert_eq!(sample.millionths(), millionths, "{share}");
            assert_eq!(Sample::new(sample.share()), Ok(sample), "{share}");
            assert_eq!(Sample::of_millionths(i64::from(millionths)), Ok(sample));
        }
        assert_eq!(Sample::new(1.0).map(Sample::millionths), Ok(1_000_000));
        let wrong = [
            -0.1,
            -0.000_000_1,
            0.000_000_1,
            1.1,
            f64::NAN,
            f64::INFINITY,
        ];
        for share in wrong {
            assert_eq!(Sample::new(share), Err(NoSample), "{share}");
        }
        assert_eq!(Sample::of_millionths(-1), Err(NoSample));
        assert_eq!(Sample::of_millionths(1_000_001), Err(NoSample));
    }
}
