//! When a state came, and how long it had been on its way.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use burgee_eval::time::Millis;

use crate::trace::Trace;

/// When a version of an environment came here.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Which.
    pub version: i64,
    /// When it was committed, in ms since 1970, by the clock of whoever committed it; 0 where that
    /// is not known.
    pub committed_at: i64,
    /// The trace that it belongs to.
    pub trace: Option<Trace>,
    /// How long it was on its way, in ms, by the two clocks; never negative.
    pub travelled: u64,
    /// When it came; what happens to it here is measured from then on.
    pub at: Instant,
}

impl Arrival {
    /// It came just now.
    pub(super) fn now(version: i64, committed_at: Millis, trace: Option<Trace>) -> Self {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        let travelled = match committed_at.0 {
            0 => 0,
            // Clocks differ: what is not before now was committed just now.
            at => u64::try_from(now.saturating_sub(at)).unwrap_or_default(),
        };
        Self {
            version,
            committed_at: committed_at.0,
            trace,
            travelled,
            at: Instant::now(),
        }
    }
}
