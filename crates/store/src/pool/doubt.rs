//! That connections may be dead because others are.
//!
//! A database that restarts, or whose place another takes, ends all connections at once. Each of them
//! would fail whoever is given it next, which is one "unavailable" for each long after the database is
//! well again. The one connection that waits for notifications hears of it at that moment.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// When a connection to a database was last found broken: all that lay idle at that moment have to
/// answer before they are given out.
#[derive(Clone, Default)]
pub(crate) struct Doubt(Arc<Mutex<Option<Instant>>>);

impl Doubt {
    /// A connection is broken.
    pub(crate) fn raise(&self) {
        *self.last() = Some(Instant::now());
    }

    /// Whether it was ever raised.
    #[cfg(test)]
    pub(super) fn is_raised(&self) -> bool {
        self.last().is_some()
    }

    /// Whether it was raised since a connection lies idle, which it has for so long.
    pub(super) fn is_about(&self, idle_for: Duration) -> bool {
        self.last().is_some_and(|it| it.elapsed() <= idle_for)
    }

    fn last(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
