//! The immutable, encoded state of an environment at one position.

use burgee_eval::bucket::bucket;
use burgee_eval::snapshot::{Affected, Cause, Snapshot};
use burgee_eval::user::User;
use bytes::Bytes;

use super::arrival::Arrival;
use super::client::ClientState;
use super::server::{self, ServerState, WireItem};
use crate::frame::deflate::Coding;
use crate::source::{Delta, Position, State};

/// How far an SDK's timestamp may lie ahead of our clock and still be believed: as far as a
/// connection token's time may.
pub const CLOCK_TOLERANCE: i64 = 30_000;

/// A sample of everybody, in millionths.
const ALL: u32 = 1_000_000;

/// What kind of answer a data-sync got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sync {
    /// Everything; replaces what the SDK has.
    Full,
    /// What changed; perhaps nothing.
    Patch,
}

/// Everything a server SDK is answered with, ready for the socket.
#[derive(Clone, Debug)]
pub struct ServerAnswer {
    /// Complete unmasked WebSocket text frames, one message each, to be sent in one write. Shared
    /// by all who get the same answer; never empty.
    pub frames: Bytes,
    /// Full or patch.
    pub sync: Sync,
}

/// The state of an environment at one position, compiled and encoded.
pub struct Encoded {
    generation: u32,
    position: Position,
    arrival: Arrival,
    last_stamp: i64,
    /// What SDKs have up to this stamp may be of a history that was replaced.
    other_history: i64,
    /// Counts the histories that were replaced in this process.
    replacements: u32,
    /// Of how many of a million users decisions are logged.
    decision_sample: u32,
    snapshot: Snapshot,
    client: ClientState,
    server: ServerState,
}

/// What a timestamp that an SDK sent asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Everything.
    All,
    /// Everything, newer than this timestamp: the SDK has what this environment has not (a database
    /// was restored, a clock went back), and would pass over a state that is not newer than its own.
    AllAbove(i64),
    /// What came after.
    Since(i64),
}

impl Encoded {
    /// Compiles and encodes the first state of an environment.
    pub(crate) fn first(state: State) -> Self {
        Self::build(state, 1, (0, 0), ServerState::new)
    }

    /// Compiles and encodes a state that does not follow from this one but takes its place.
    pub(crate) fn replaced(&self, state: State) -> Self {
        let generation = self.generation.wrapping_add(1);
        // Not only those that are ahead of the new state have lost edits: the new history's stamps
        // may pass theirs before they come back.
        let other_history = self.last_stamp().max(self.other_history);
        let replacements = self.replacements.wrapping_add(1);
        Self::build(state, generation, (other_history, replacements), |it| {
            self.server.replaced(it)
        })
    }

    fn build(
        state: State,
        generation: u32,
        (other_history, replacements): (i64, u32),
        server: impl FnOnce(&Snapshot) -> ServerState,
    ) -> Self {
        let arrival = Arrival::now(state.position.version, state.committed_at, state.trace);
        let snapshot = Snapshot::build(state.flags, state.segments);
        Self {
            generation,
            position: state.position,
            arrival,
            last_stamp: state.last_stamp.0,
            decision_sample: state.decision_sample,
            other_history,
            replacements,
            client: ClientState::new(&snapshot, None),
            server: server(&snapshot),
            snapshot,
        }
    }

    /// The next state; compiles and encodes only what the delta touches.
    pub(crate) fn apply(&self, delta: Delta) -> (Self, Affected) {
        let arrival = Arrival::now(delta.position.version, delta.committed_at, delta.trace);
        let (snapshot, affected) = self.snapshot.apply(delta.flags, delta.segments);
        let edited = affected
            .flags
            .iter()
            .filter(|flag| flag.cause != Cause::Segment);
        let flags = edited.filter_map(|flag| snapshot.flags().get(flag.index));
        let segments = affected
            .segments
            .iter()
            .filter_map(|&i| snapshot.segments().get(i));
        let next = Self {
            generation: self.generation.wrapping_add(1),
            position: delta.position,
            arrival,
            last_stamp: delta.last_stamp.0,
            decision_sample: delta.decision_sample,
            other_history: self.other_history,
            replacements: self.replacements,
            client: ClientState::new(&snapshot, Some((&self.snapshot, &self.client))),
            server: self.server.with(flags, segments),
            snapshot,
        };
        (next, affected)
    }

    /// Counts the states of this environment in this process, from 1, without gaps: what a
    /// connection remembers as the state it was answered from. Unlike the position's version it
    /// never goes back (a restored database may).
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Where this state stands in the environment's history.
    pub fn position(&self) -> Position {
        self.position
    }

    /// When it came here.
    pub fn arrival(&self) -> Arrival {
        self.arrival
    }

    /// The highest stamp given out, in ms since 1970.
    pub fn last_stamp(&self) -> i64 {
        self.last_stamp.max(self.server.newest())
    }

    /// The compiled flags and segments, tombstones too.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// How many flags and segments there are, tombstones too.
    pub fn items(&self) -> usize {
        self.snapshot.flags().len() + self.snapshot.segments().len()
    }

    /// Appends the JSON text of the answer to a client SDK's data-sync (one message). `timestamp`
    /// is what the SDK sent (0: everything), `now` is in ms since 1970.
    pub fn client_sync(
        &self,
        user: &User<'_>,
        timestamp: i64,
        now: i64,
        out: &mut Vec<u8>,
    ) -> Sync {
        if let Asked::Since(timestamp) = self.asked(timestamp, now) {
            let newer = self.client.newer(timestamp);
            if self.client.patch(&self.snapshot, user, newer, out) {
                return Sync::Patch;
            }
        }
        // Client SDKs take a full answer whatever its timestamps, so nothing is raised for those
        // that are ahead: a later push of the raised flag would be below it, and lost.
        self.client.full(&self.snapshot, user, out);
        Sync::Full
    }

    /// The places of the flags that [`Self::client_sync`] answered with, by what it gave back.
    pub fn synced(&self, sync: Sync, timestamp: i64) -> impl Iterator<Item = usize> {
        self.client.newer(match sync {
            Sync::Full => i64::MIN,
            Sync::Patch => timestamp,
        })
    }

    /// Whether decisions about a user are logged: chosen by a hash of the key, the same on all nodes
    /// and in all environments, and another one than any rollout's.
    pub fn logs_decisions_of(&self, user: &str) -> bool {
        match self.decision_sample {
            0 => false,
            ALL.. => true,
            some => bucket(&["decisions of ", user]) * f64::from(ALL) < f64::from(some),
        }
    }

    /// About the most bytes that [`Self::client_sync`] appends.
    pub fn client_size(&self) -> usize {
        self.client.size()
    }

    /// The answer to a server SDK's data-sync over a connection with this coding; the other
    /// arguments as in [`Self::client_sync`].
    pub fn server_sync(&self, timestamp: i64, now: i64, coding: Coding) -> ServerAnswer {
        let message = match self.asked(timestamp, now) {
            Asked::Since(timestamp) => {
                return self
                    .server
                    .since(timestamp, coding)
                    .unwrap_or_else(server::nothing_new);
            }
            Asked::All => self.server.full().frame(coding),
            Asked::AllAbove(timestamp) => self.server.full_above(timestamp).frame(coding),
        };
        ServerAnswer {
            frames: message,
            sync: Sync::Full,
        }
    }

    /// The JSON of the one message that a server SDK gets which polls; arguments as in
    /// [`Self::client_sync`].
    pub fn server_poll(&self, timestamp: i64, now: i64) -> (Bytes, Sync) {
        match self.asked(timestamp, now) {
            Asked::Since(timestamp) => self.server.poll_since(timestamp),
            Asked::All => (self.server.full().json(), Sync::Full),
            Asked::AllAbove(timestamp) => (self.server.full_above(timestamp).json(), Sync::Full),
        }
    }

    /// Items as server SDKs get them that came after `stamp` (0: all, tombstones too), in the order
    /// of their stamps: for those who tell SDKs in their turn.
    pub fn items_after(&self, stamp: i64) -> impl Iterator<Item = WireItem<'_>> + Clone {
        self.server.wire_items_after(stamp)
    }

    /// After which stamp everything is to be told to whoever has what came up to `timestamp`: 0
    /// where that is not of this history.
    pub fn known_up_to(&self, timestamp: i64, now: i64) -> i64 {
        match self.asked(timestamp, now) {
            Asked::Since(timestamp) if !self.server.reshaped_since(timestamp) => timestamp,
            _ => 0,
        }
    }

    /// After which stamp everything is to be told to whoever has `before`; 0 where the history was
    /// replaced since.
    pub fn known_from(&self, before: &Self) -> i64 {
        match self.replacements == before.replacements {
            true => before.last_stamp(),
            false => 0,
        }
    }

    /// Whether `before` and what came after it are all of this: not where the history was replaced,
    /// where flags are others because of those that they need, nor where an item has the key of one with another id, which lies beside it for those who go
    /// by ids.
    pub fn extends(&self, before: &Self) -> bool {
        let same = |(key, id): (&str, &str)| {
            let had = before.snapshot.flag(key);
            had.is_none_or(|had| had.flag().id == id)
        };
        self.replacements == before.replacements
            && !self.server.reshaped_since(before.last_stamp())
            && self.server.flags_after(before.last_stamp()).all(same)
    }

    fn asked(&self, timestamp: i64, now: i64) -> Asked {
        if timestamp <= 0 {
            Asked::All
        } else if timestamp <= self.other_history.min(now.saturating_add(CLOCK_TOLERANCE)) {
            match timestamp < self.server.newest() {
                true => Asked::All,
                false => Asked::AllAbove(timestamp),
            }
        } else if timestamp <= self.last_stamp() {
            self.asked_within(timestamp)
        } else if timestamp <= now.saturating_add(CLOCK_TOLERANCE) {
            Asked::AllAbove(timestamp)
        } else {
            // No environment's stamps get there: it was made up, and is not worth following.
            Asked::All
        }
    }

    /// A timestamp of an SDK is a stamp that it was given, here or by a node before this one. One
    /// that nothing here was ever given is of a history that was lost (a database restored from a
    /// copy while no node that had seen more was running): what the SDK has may have been lost too.
    fn asked_within(&self, timestamp: i64) -> Asked {
        if timestamp == self.last_stamp() || self.server.knows(timestamp) {
            Asked::Since(timestamp)
        } else if timestamp < self.server.newest() {
            Asked::All
        } else {
            Asked::AllAbove(timestamp)
        }
    }

    pub(super) fn client(&self) -> &ClientState {
        &self.client
    }

    pub(super) fn server(&self) -> &ServerState {
        &self.server
    }
}
