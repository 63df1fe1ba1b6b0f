//! What the requests of one HTTP/2 connection may cost: as much as those of as many connections.
//!
//! Each request that is being answered has a permit, as a connection with HTTP/1.1 has. One is kept
//! between requests, so that a connection that has asked can ask again; who listens for events gives
//! it up, since that may go on for days. A connection that was given no turn yet has none, and is one
//! of so many newcomers. And each answer has to be taken in time, or the connection
//! ends: a peer can leave any of them lying without a byte left lying in the socket.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::super::places::Place;
use super::stream::PROGRESS;

/// The turns of a connection's requests.
#[derive(Clone)]
pub(super) struct Turns(Arc<Shared>);

struct Shared {
    permits: Arc<Semaphore>,
    /// How long a peer may take for [`PROGRESS`].
    stall: Duration,
    counted: Mutex<Counted>,
}

struct Counted {
    /// Until a request was given a turn.
    newcomer: Option<OwnedSemaphorePermit>,
    /// For the next request.
    kept: Option<OwnedSemaphorePermit>,
    /// Whether a request has come, given a turn or not.
    asked: bool,
    /// How many have begun.
    begun: u64,
    /// Those that have not ended, and until when each peer has to take something, if there is
    /// something for it.
    open: BTreeMap<u64, Option<Instant>>,
    /// How many of them listen.
    listening: usize,
    /// When the last one ended, or the connection began.
    quiet_since: Instant,
}

impl Turns {
    /// For a connection; `permits` are those of all, `newcomer` counts it until it has one.
    pub(super) fn new(
        permits: Arc<Semaphore>,
        newcomer: OwnedSemaphorePermit,
        stall: Duration,
    ) -> Self {
        Self(Arc::new(Shared {
            permits,
            stall,
            counted: Mutex::new(Counted {
                newcomer: Some(newcomer),
                kept: None,
                asked: false,
                begun: 0,
                open: BTreeMap::new(),
                listening: 0,
                quiet_since: Instant::now(),
            }),
        }))
    }

    /// A request's turn; none where there are too many of all connections.
    pub(super) fn begin(&self) -> Option<Turn> {
        let mut counted = self.0.counted();
        counted.asked = true;
        let permit = match counted.kept.take() {
            Some(permit) => permit,
            None => Arc::clone(&self.0.permits).try_acquire_owned().ok()?,
        };
        counted.newcomer = None;
        counted.begun += 1;
        let number = counted.begun;
        counted.open.insert(number, None);
        Some(Turn {
            shared: Arc::clone(&self.0),
            number,
            taken: 0,
            permit: Some(permit),
            place: None,
        })
    }

    /// Whether a request has come.
    pub(super) fn were_asked_for(&self) -> bool {
        self.0.counted().asked
    }

    /// Since when there has been no request; none where there is one.
    pub(super) fn quiet_since(&self) -> Option<Instant> {
        let counted = self.0.counted();
        counted.open.is_empty().then_some(counted.quiet_since)
    }

    /// Whether an answer was not taken in time.
    pub(super) fn are_overdue(&self) -> bool {
        let now = Instant::now();
        let counted = self.0.counted();
        counted.open.values().flatten().any(|until| *until < now)
    }
}

impl Shared {
    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request's turn, from its begin until its answer is with hyper to the last piece, or dropped.
pub(super) struct Turn {
    shared: Arc<Shared>,
    number: u64,
    /// Bytes that were given since the deadline was set.
    taken: usize,
    /// None for who listens.
    permit: Option<OwnedSemaphorePermit>,
    /// Of who listens: counts this end of the pair.
    place: Option<Place>,
}

impl Turn {
    /// It listens from now on, and is counted by this place.
    pub(super) fn listens(&mut self, place: Place) {
        self.permit = None;
        self.place = Some(place);
        let mut counted = self.shared.counted();
        counted.listening += 1;
        counted.kept = None;
    }

    /// Whether it listens.
    pub(super) fn is_listening(&self) -> bool {
        self.place.is_some()
    }

    /// There is something for the peer, which takes so much now.
    pub(super) fn gives(&mut self, len: usize) {
        self.taken += len;
        let mut counted = self.shared.counted();
        if let Some(until) = counted.open.get_mut(&self.number)
            && (until.is_none() || self.taken >= PROGRESS)
        {
            *until = Some(Instant::now() + self.shared.stall);
            self.taken = 0;
        }
    }

    /// The peer has taken all that there is so far.
    pub(super) fn has_given_all(&mut self) {
        self.taken = 0;
        if let Some(until) = self.shared.counted().open.get_mut(&self.number) {
            *until = None;
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut counted = self.shared.counted();
        counted.open.remove(&self.number);
        if counted.open.is_empty() {
            counted.quiet_since = Instant::now();
        }
        if self.place.is_some() {
            counted.listening -= 1;
        } else if counted.listening == 0 && counted.kept.is_none() {
            counted.kept = self.permit.take();
        }
    }
}
