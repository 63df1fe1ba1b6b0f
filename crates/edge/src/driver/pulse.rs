//! Whether a loop goes on. One that ends takes the process with it; one that stands still has to be
//! noticed by whoever asks after the process's health, which is answered elsewhere.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rustix::time::{ClockId, clock_gettime};

/// A loop that has not ticked for so many seconds stands still: a turn takes milliseconds.
const STILL: u64 = 30;

/// When a loop's clock ticked last, in seconds of a clock that only rises; 0 before the first time.
#[derive(Debug, Default)]
pub struct Pulse(AtomicU64);

impl Pulse {
    /// The loop's clock ticks.
    pub(super) fn beat(&self) {
        self.0.store(now(), Relaxed);
    }

    /// Whether the loop stands still, having run before.
    pub(super) fn is_still(&self) -> bool {
        let last = self.0.load(Relaxed);
        last != 0 && now().saturating_sub(last) > STILL
    }
}

fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    // A machine that has run for less than a second has run.
    u64::try_from(now.tv_sec).unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::{Pulse, STILL, now};
    use crate::driver::{Counters, Loops};

    /// Beat so many seconds ago. The machine has run for longer than that.
    fn ago(seconds: u64) -> Pulse {
        Pulse(AtomicU64::new(now() - seconds))
    }

    #[test]
    fn a_loop_stands_still_when_its_clock_has_not_ticked_for_long() {
        assert!(!Pulse::default().is_still(), "it did not begin");
        assert!(!ago(STILL / 2).is_still());
        let still = ago(2 * STILL);
        assert!(still.is_still());
        still.beat();
        assert!(!still.is_still());
    }

    #[test]
    fn one_of_several_is_enough() {
        let loops = Loops::default();
        let (one, other) = (Arc::<Counters>::default(), Arc::<Counters>::default());
        loops.add(Arc::clone(&one));
        loops.add(Arc::clone(&other));
        one.pulse.beat();
        other.pulse.beat();
        assert!(!loops.stand_still());
        other.pulse.0.store(now() - 2 * STILL, Relaxed);
        assert!(loops.stand_still());
    }
}
