//! How many sockets there are, over all loops and the HTTP server, and whose they are.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::hub::KeyId;

/// Sockets that may say no more than that there are too many, at once: told in peace, so that the
/// peer reads it. Further ones are closed at once.
const REFUSED: usize = 64;

/// A client key may hold this many times what is still free. One that is alone gets 31 of 32; when
/// one took that, the next gets 31 of 32 of the rest, and so on: however many there are, whoever
/// comes with few connections finds room.
const TIMES_FREE: usize = 31;

/// Of all places, one in this many is not for client keys, which are public: server keys find room
/// however many client keys somebody has collected.
const FOR_SERVERS: usize = 64;

/// One count for all: the kernel spreads new sockets unevenly over the loops, and one that goes to
/// the HTTP server is open all the same. Descriptors that were used up would cost the databases
/// their files.
pub(super) struct Places {
    limit: usize,
    held: AtomicUsize,
    refused: AtomicUsize,
    /// What client keys hold. The lock is held for a look-up.
    of_keys: Mutex<HashMap<KeyId, usize>>,
}

impl Places {
    /// As many as this.
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            held: AtomicUsize::new(0),
            refused: AtomicUsize::new(0),
            of_keys: Mutex::default(),
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

    /// Whether there is no place.
    pub(super) fn are_taken(&self) -> bool {
        self.held.load(Relaxed) >= self.limit
    }

    /// Counts a socket that has a place as one of a client key's, if the key may have one more.
    pub(super) fn take_for(&self, key: KeyId) -> bool {
        let mut of_keys = self.of_keys();
        // Its own place is free to it.
        let free = (self.limit + 1).saturating_sub(self.held.load(Relaxed));
        let free = free.saturating_sub(self.limit / FOR_SERVERS);
        let held = of_keys.get(&key).copied().unwrap_or_default();
        let may = held < free.saturating_mul(TIMES_FREE);
        if may {
            of_keys.insert(key, held + 1);
        }
        may
    }

    /// Counts it no more; its place is given back apart.
    pub(super) fn free_for(&self, key: KeyId) {
        let mut of_keys = self.of_keys();
        if let Some(held) = of_keys.get_mut(&key) {
            *held -= 1;
            if *held == 0 {
                of_keys.remove(&key);
            }
        }
    }

    /// Takes a place for a socket that is refused.
    pub(super) fn take_to_refuse(&self) -> bool {
        take(&self.refused, REFUSED)
    }

    /// Gives one of those back.
    pub(super) fn free_refused(&self) {
        self.refused.fetch_sub(1, Relaxed);
    }

    fn of_keys(&self) -> MutexGuard<'_, HashMap<KeyId, usize>> {
        self.of_keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn take(count: &AtomicUsize, limit: usize) -> bool {
    count
        .fetch_update(Relaxed, Relaxed, |held| (held < limit).then_some(held + 1))
        .is_ok()
}

/// A place that was taken; given back when this is dropped.
pub(super) struct Place(Option<Arc<Places>>);

impl Place {
    /// One that somebody has taken.
    pub(super) fn taken(places: &Arc<Places>) -> Self {
        Self(Some(Arc::clone(places)))
    }

    /// Somebody else gives it back.
    pub(super) fn pass_on(mut self) {
        self.0 = None;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(places) = &self.0 {
            places.free();
        }
    }
}

#[cfg(test)]
mod tests;
