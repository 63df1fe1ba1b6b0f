//! Lengths of time, as Prometheus counts them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// What is no longer than this is in the first count, in µs; each further one goes twice as far.
const FIRST: u64 = 250;

/// Up to a bit more than two minutes; what takes longer is only in the sum and the whole count.
const COUNTS: usize = 20;

/// How often something took how long.
#[derive(Debug, Default)]
pub struct Latency {
    counts: [AtomicU64; COUNTS],
    longer: AtomicU64,
    micros: AtomicU64,
}

impl Latency {
    /// Counts one.
    pub(super) fn add(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Relaxed);
        let doublings = micros.div_ceil(FIRST).max(1).next_power_of_two().ilog2();
        let count = self.counts.get(doublings as usize).unwrap_or(&self.longer);
        count.fetch_add(1, Relaxed);
    }
}

/// Several added up: the sum in seconds, how many, and (at most so many seconds, how many) for each
/// count and what is longer.
pub(super) fn sum<'a>(
    all: impl Iterator<Item = &'a Latency> + Clone,
) -> (f64, u64, Vec<(f64, u64)>) {
    let total = |of: &dyn Fn(&Latency) -> u64| all.clone().map(of).sum::<u64>();
    let most = |count: usize| (FIRST << count) as f64 / 1e6;
    let counts = (0..COUNTS).map(|at| (most(at), total(&|it| it.counts[at].load(Relaxed))));
    let longer = (f64::INFINITY, total(&|it| it.longer.load(Relaxed)));
    let counts: Vec<_> = counts.chain([longer]).collect();
    let micros = total(&|it| it.micros.load(Relaxed));
    let how_many = counts.iter().map(|it| it.1).sum();
    (micros as f64 / 1e6, how_many, counts)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Latency, sum};

    #[test]
    fn each_length_is_in_the_count_that_reaches_so_far() {
        let latency = Latency::default();
        for micros in [0, 250, 251, 500, 501, 1_000_000, 1_000_000_000] {
            latency.add(Duration::from_micros(micros));
        }
        let (seconds, how_many, counts) = sum([&latency].into_iter());
        assert_eq!((seconds, how_many), (1_001.001_502, 7));
        let there: Vec<_> = counts.into_iter().filter(|it| it.1 > 0).collect();
        let longer = (f64::INFINITY, 1);
        assert_eq!(
            there,
            [(250e-6, 2), (500e-6, 2), (1e-3, 1), (1.024, 1), longer]
        );
    }
}
