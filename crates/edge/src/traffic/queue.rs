//! What waits to be written, in pieces that are written one after the other.
//!
//! A piece is as large as a batch should be: a transaction that is short, and a few hundred KiB
//! of memory on its way (in one piece, the users that a herd brings were three times in memory at
//! once, and the allocator kept what they took). All pieces together are bounded.

use std::collections::VecDeque;

use super::buffer::{Buffer, Counted, ExposureKey, Seen};
use crate::sink::{Decision, MetricEvent, UserSeen};

/// Bytes that may wait, roughly (and a piece may be on its way to the sink).
pub(super) const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of decisions among them: one user may be given thousands of flags, and that is to crowd out
/// nothing else.
pub(super) const MOST_DECISION_BYTES: usize = MOST_BYTES / 2;
/// A piece is complete with so many entries or bytes.
const PIECE: usize = 1_000;
const PIECE_BYTES: usize = 512 * 1024;

/// What an entry costs besides its texts: its struct, places in vectors and maps, the allocator.
const OVERHEAD: usize = 96;

#[derive(Default)]
pub(super) struct Queue {
    complete: VecDeque<Buffer>,
    current: Buffer,
    bytes: usize,
    decision_bytes: usize,
}

impl Queue {
    /// Whether there is room for a user; then it has to be put in.
    pub(super) fn room_for_user(&mut self, user: &UserSeen) -> bool {
        self.grow(user.user.heap_size())
    }

    pub(super) fn user(&mut self, user: UserSeen) {
        self.current.user(user);
        self.complete();
    }

    /// Counts an evaluation, and says whether there was room.
    pub(super) fn count(&mut self, counted: &Counted<'_>) -> bool {
        if self.current.count_again(counted) {
            return true;
        }
        let texts = [counted.flag, counted.flag_id, counted.variation];
        self.grow(texts.map(str::len).iter().sum()) && {
            self.current.count_first(counted);
            self.complete();
            true
        }
    }

    /// Notes an exposure, and says whether there was room.
    pub(super) fn exposure(&mut self, key: ExposureKey, experiment: bool, at: i64) -> bool {
        if let Some(seen) = self.current.exposure(&key) {
            seen.experiment |= experiment;
            seen.first = seen.first.min(at);
            seen.last = seen.last.max(at);
            return true;
        }
        self.grow(key.texts.heap_size()) && {
            let seen = Seen {
                experiment,
                first: at,
                last: at,
            };
            self.current.expose_first(key, seen);
            self.complete();
            true
        }
    }

    /// Takes a metric event, and says whether there was room.
    pub(super) fn metric(&mut self, event: MetricEvent) -> bool {
        self.grow(event.heap_size()) && {
            self.current.metric(event);
            self.complete();
            true
        }
    }

    /// Takes a decision, and says whether there was room.
    pub(super) fn decision(&mut self, decision: Decision) -> bool {
        let more = decision.heap_size() + OVERHEAD;
        let room = self.decision_bytes + more <= MOST_DECISION_BYTES;
        room && self.grow(decision.heap_size()) && {
            self.decision_bytes += more;
            self.current.decision_bytes += more;
            self.current.decision(decision);
            self.complete();
            true
        }
    }

    /// Whether there is a complete piece.
    pub(super) fn has_complete(&self) -> bool {
        !self.complete.is_empty()
    }

    /// The oldest complete piece.
    pub(super) fn take_complete(&mut self) -> Option<Buffer> {
        let piece = self.complete.pop_front()?;
        self.shrink(&piece);
        Some(piece)
    }

    /// The oldest piece, complete or not; `None` where nothing waits.
    pub(super) fn take(&mut self) -> Option<Buffer> {
        self.take_complete().or_else(|| {
            let piece = std::mem::take(&mut self.current);
            self.shrink(&piece);
            (piece.len() > 0).then_some(piece)
        })
    }

    /// How many entries wait.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        let complete: usize = self.complete.iter().map(Buffer::len).sum();
        complete + self.current.len()
    }

    fn grow(&mut self, texts: usize) -> bool {
        let more = texts + OVERHEAD;
        let room = self.bytes + more <= MOST_BYTES;
        if room {
            self.bytes += more;
            self.current.bytes += more;
        }
        room
    }

    fn shrink(&mut self, piece: &Buffer) {
        self.bytes -= piece.bytes;
        self.decision_bytes -= piece.decision_bytes;
    }

    fn complete(&mut self) {
        if self.current.len() >= PIECE || self.current.bytes >= PIECE_BYTES {
            let piece = std::mem::take(&mut self.current);
            self.complete.push_back(piece);
        }
    }
}
