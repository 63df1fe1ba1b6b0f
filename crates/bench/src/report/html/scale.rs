//! From values to places along an axis, and the round values that are named there.

/// How values lie along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scale {
    /// Evenly, between two values.
    Linear(f64, f64),
    /// By their logarithm, between two positive values.
    Log(f64, f64),
}

/// Beyond this ratio of the greatest to the least, small values vanish on an even axis.
const WIDE: f64 = 40.0;

impl Scale {
    /// For values that start at zero; by logarithm where they span much and `may_be_log`.
    pub(super) fn of(values: impl Iterator<Item = f64>, may_be_log: bool) -> Self {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for value in values.filter(|value| value.is_finite()) {
            most = most.max(value);
            if value > 0.0 {
                least = least.min(value);
            }
        }
        if may_be_log && most > least * WIDE {
            return Self::Log(round_down(least), round_up(most));
        }
        if most <= 0.0 {
            return Self::Linear(0.0, 1.0);
        }
        let step = round_up(most / 4.0);
        Self::Linear(0.0, (most / step).ceil() * step)
    }

    /// Where a value lies, 0 to 1.
    pub(super) fn place(self, value: f64) -> f64 {
        let place = match self {
            Self::Linear(from, to) => (value - from) / (to - from),
            Self::Log(from, to) => (value.max(from) / from).ln() / (to / from).ln(),
        };
        place.clamp(0.0, 1.0)
    }

    /// The values to name.
    pub(super) fn ticks(self) -> Vec<f64> {
        match self {
            Self::Linear(from, to) => {
                let step = round_up((to - from) / 5.0);
                let count = ((to - from) / step + 1e-9).floor() as usize;
                (0..=count).map(|tick| from + step * tick as f64).collect()
            }
            Self::Log(from, to) => {
                // Over few powers of ten, these alone would name too little.
                let digits: &[f64] = if to / from > 500.0 {
                    &[1.0]
                } else {
                    &[1.0, 2.0, 5.0]
                };
                let powers = from.log10().floor() as i32..=to.log10().ceil() as i32;
                let ticks = powers
                    .flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)));
                ticks
                    .filter(|tick| (from * 0.999..=to * 1.001).contains(tick))
                    .collect()
            }
        }
    }

    /// The values to name along an axis of seconds: as clocks divide time.
    pub(super) fn seconds(self) -> Vec<f64> {
        const STEPS: [f64; 13] = [
            0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0,
        ];
        let (Self::Linear(from, to) | Self::Log(from, to)) = self;
        let fits = |step: &f64| (to - from) / step <= 6.0;
        let step = STEPS
            .into_iter()
            .find(fits)
            .unwrap_or_else(|| round_up((to - from) / 6.0));
        let count = ((to - from) / step + 1e-9).floor() as usize;
        (0..=count).map(|tick| from + step * tick as f64).collect()
    }
}

/// The next of 1, 2, 5, 10, 20, 50 … at or above a positive value.
pub(super) fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let digits = value / power;
    let rounded = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|round| digits <= round + 1e-9);
    rounded.unwrap_or(10.0) * power
}

/// The next of them at or below.
fn round_down(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let digits = value / power;
    let rounded = [5.0, 2.0].into_iter().find(|round| digits >= round - 1e-9);
    rounded.unwrap_or(1.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_axis_starts_at_zero_and_names_round_values() {
        let scale = Scale::of([3.0, 170.0].into_iter(), false);
        assert_eq!(scale, Scale::Linear(0.0, 200.0));
        assert_eq!(scale.ticks(), [0.0, 50.0, 100.0, 150.0, 200.0]);
        assert_eq!(scale.place(50.0), 0.25);
    }

    #[test]
    fn values_that_span_much_are_placed_by_their_logarithm() {
        let scale = Scale::of([0.03, 170.0].into_iter(), true);
        assert_eq!(scale, Scale::Log(0.02, 200.0));
        let ticks = scale.ticks();
        assert_eq!(ticks.len(), 4, "0.1 to 100: {ticks:?}");
        let ticks = Scale::Log(0.05, 5.0).ticks();
        assert_eq!(ticks.len(), 7, "0.05, 0.1, 0.2, 0.5, 1, 2, 5: {ticks:?}");
        assert!((scale.place(2.0) - 0.5).abs() < 1e-9);
        assert_eq!(scale.place(0.0), 0.0, "zero has no logarithm");
    }

    #[test]
    fn time_is_divided_as_clocks_do() {
        let named = |to: f64| Scale::Linear(0.0, to).seconds();
        assert_eq!(named(240.0), [0.0, 60.0, 120.0, 180.0, 240.0]);
        assert_eq!(named(12.4), [0.0, 5.0, 10.0]);
        assert_eq!(named(0.9), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8]);
        assert_eq!(named(36_000.0).last(), Some(&30_000.0));
    }

    #[test]
    fn nothing_still_gives_an_axis() {
        for values in [vec![], vec![0.0], vec![f64::NAN]] {
            let scale = Scale::of(values.into_iter(), true);
            assert_eq!(scale, Scale::Linear(0.0, 1.0));
            assert!(scale.ticks().len() > 1);
        }
    }
}
