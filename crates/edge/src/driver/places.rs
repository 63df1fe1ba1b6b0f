//! How many sockets there are, over all loops and the HTTP server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Sockets that may say no more than that there are too many, at once: told in peace, so that the
/// peer reads it. Further ones are closed at once.
const REFUSED: usize = 64;

/// One count for all: the kernel spreads new sockets unevenly over the loops, and one that goes to
/// the HTTP server is open all the same. Descriptors that were used up would cost the databases
/// their files.
pub(super) struct Places {
    limit: usize,
    held: AtomicUsize,
    refused: AtomicUsize,
}

impl Places {
    /// As many as this.
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            held: AtomicUsize::new(0),
            refused: AtomicUsize::new(0),
        })
    }

    /// Takes a place if there is one.
    pub(super) fn take(&self) -> bool {
        take(&self.held, self.limit)
    }

    /// Gives one back.
    pub(super) fn free(&self) {
        self.held.fetch_sub(1, Relaxed);
    }

    /// Takes a place for a socket that is refused.
    pub(super) fn take_to_refuse(&self) -> bool {
        take(&self.refused, REFUSED)
    }

    /// Gives one of those back.
    pub(super) fn free_refused(&self) {
        self.refused.fetch_sub(1, Relaxed);
    }
}

fn take(count: &AtomicUsize, limit: usize) -> bool {
    count
        .fetch_update(Relaxed, Relaxed, |held| (held < limit).then_some(held + 1))
        .is_ok()
}

/// A place that was taken; given back when this is dropped.
pub(super) struct Place(pub(super) Arc<Places>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.free();
    }
}
