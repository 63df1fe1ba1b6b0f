//! The server's side of whole states: where a reader starts from, written whenever the changes after
//! the last one have become many, much, or old.
//!
//! What is written is named by the message on `burgee.state.<id>`, which every server may write, and
//! which is looked at *before* the state is read from the database: so a server that stood still in
//! between is refused, and does not name what others have long left behind.

use async_nats::jetstream::message::PublishMessage;
use burgee_edge::source::{Changes, Position, State};

use super::Fault;
use super::publish::{End, Publisher};
use super::streams::{Asked, changes, states};
use super::wire::{Object, Place, Pointer};
use super::writing::Published;
use crate::message::{Whole, pack, place, sent};
use crate::traffic::now;

/// So many changes after a whole state the next one is written.
const EVERY_CHANGES: i64 = 256;
/// Or after so long a time, in ms, where something changed.
const EVERY: i64 = 10 * 60 * 1000;
/// Or after so many bytes of changes, and no fewer than the state itself has: what a reader takes that
/// starts is in proportion to what it needs, and so is what is written for it.
const EVERY_BYTES: u64 = 8 << 20;

/// The newest whole state as a server saw it, with the number of the message that names it.
pub(super) type Newest = (Pointer, u64);

impl Publisher {
    /// Whether a whole state is due, as far as is known here.
    pub(super) fn is_any_due(&self) -> bool {
        self.ends.iter().any(|(id, end)| {
            let known = self.pointers.get(id);
            known.is_some_and(|(known, _)| is_due(known, end))
        })
    }

    /// Writes whole states of environments that moved on far enough, or long ago.
    pub(super) async fn write_due_states(&mut self) -> Result<(), Fault> {
        let due = |(id, end): (&String, &End)| {
            let known = self.pointers.get(id);
            let due = known.is_none_or(|(known, _)| is_due(known, end));
            due.then(|| id.clone())
        };
        let due: Vec<String> = self.ends.iter().filter_map(due).collect();
        for id in due {
            self.write_if_due(&id).await?;
        }
        Ok(())
    }

    async fn write_if_due(&mut self, id: &str) -> Result<(), Fault> {
        // Another server may have done it.
        let before = self.streams.pointer(id, Asked::Leader).await?;
        self.ends.remove(id);
        let end = self.end(id).await?;
        if end.position.is_none() {
            return Ok(());
        }
        if let Some((pointer, _)) = &before
            && !is_due(pointer, &end)
            && self.streams.has(id, &pointer.newest).await
        {
            self.pointers.extend(before.map(|it| (id.to_owned(), it)));
            return Ok(());
        }
        match self.source.state(id).await? {
            Some(state) => self.write_state(id, state, before, &end).await,
            None => Ok(()),
        }
    }

    /// Writes a whole state and names it as the newest after `before`, which was the newest before the
    /// state was read. The stream's messages after its `end` have all that came after it.
    pub(super) async fn write_state(
        &mut self,
        id: &str,
        state: State,
        before: Option<Newest>,
        end: &End,
    ) -> Result<(), Fault> {
        if let Some((before, _)) = &before
            && self.is_older(id, state.position, before).await?
        {
            return Ok(());
        }
        let newest = self.put(id, state, end).await?;
        let (previous, dropped, after) = match before {
            None => (None, None, 0),
            Some((before, after)) if before.newest.name == newest.name => {
                (before.previous, None, after)
            }
            Some((before, after)) => (Some(before.newest), before.previous, after),
        };
        let pointer = Pointer {
            newest,
            previous,
            at: now(),
        };
        let body = serde_json::to_vec(&pointer).map_err(crate::message::Unreadable::from)?;
        let message = PublishMessage::build().payload(body.into());
        let published = self.streams.publish(states(id), message, after).await?;
        let Published::At { sequence, .. } = published else {
            // Another server wrote one just now: its state is as good.
            self.pointers.remove(id);
            return Ok(());
        };
        if let Some(dropped) = dropped.filter(|it| it.name != pointer.newest.name) {
            self.streams.remove(id, &dropped).await;
        }
        // Not the last message before it, which tells where the stream ends.
        if let Some(kept) = &pointer.previous {
            let before = kept.start.saturating_sub(1);
            self.streams.forget(changes(id), before).await?;
        }
        self.pointers.insert(id.to_owned(), (pointer, sequence));
        Ok(())
    }

    /// Whether the newest state is of a higher version than this one, in this history: what this server
    /// reads from stands behind, as a copy of a database does, and not the stream.
    async fn is_older(&self, id: &str, here: Position, before: &Pointer) -> Result<bool, Fault> {
        let newest = place(before.newest.position);
        if newest.version <= here.version {
            return Ok(false);
        }
        let found = self.source.changes(id, newest).await?;
        Ok(matches!(found, Changes::Since(_)))
    }

    /// Puts a whole state into the environment's object store.
    async fn put(&self, id: &str, state: State, end: &End) -> Result<Object, Fault> {
        let position = state.position;
        let name = Place(position).to_string();
        let packed = tokio::task::spawn_blocking(move || pack(&sorted(state))).await??;
        let size = packed.len() as u64;
        self.streams.put(id, &name, packed, self.replicas()).await?;
        Ok(Object {
            name,
            position: sent(position),
            start: end.sequence + 1,
            written: end.written,
            size,
        })
    }
}

fn is_due(pointer: &Pointer, end: &End) -> bool {
    let newest = &pointer.newest;
    let Some(at) = end.position.filter(|at| sent(*at) != newest.position) else {
        return false;
    };
    let moved = at.version - newest.position.0;
    !(0..EVERY_CHANGES).contains(&moved) || now() - pointer.at >= EVERY || is_heavy(newest, end)
}

/// Whether much was written after a state; also where it was begun to be counted anew.
fn is_heavy(newest: &Object, end: &End) -> bool {
    let since = end.written.checked_sub(newest.written);
    since.is_none_or(|bytes| bytes >= EVERY_BYTES.max(newest.size))
}

/// A state in an order of its own, the same on all servers.
pub(super) fn sorted(state: State) -> Whole {
    let mut whole = Whole::from(state);
    whole.flags.sort_by(|a, b| a.key.cmp(&b.key));
    whole.segments.sort_by(|a, b| a.id.cmp(&b.id));
    whole.keys.sort_by(|a, b| a.secret.cmp(&b.secret));
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer(size: u64) -> Pointer {
        let newest = Object {
            name: "7-0".into(),
            position: (7, 0),
            start: 3,
            written: 100,
            size,
        };
        Pointer {
            newest,
            previous: None,
            at: now(),
        }
    }

    fn end(version: i64, written: u64) -> End {
        let digest = u64::from(version != 7);
        End {
            position: Some(Position { version, digest }),
            sequence: 9,
            written,
        }
    }

    #[test]
    fn a_state_is_due_by_changes_by_bytes_and_by_time() {
        let small = pointer(1_000);
        assert!(!is_due(&small, &end(7, 100)));
        assert!(!is_due(&small, &end(8, 100 + EVERY_BYTES - 1)));
        assert!(is_due(&small, &end(8, 100 + EVERY_BYTES)));
        assert!(is_due(&small, &end(7 + EVERY_CHANGES, 200)));
        // A large state is not written again for less than it has itself.
        let large = pointer(3 * EVERY_BYTES);
        assert!(!is_due(&large, &end(8, 100 + 2 * EVERY_BYTES)));
        assert!(is_due(&large, &end(8, 100 + 3 * EVERY_BYTES)));
        // Of another history; counted anew; long ago.
        assert!(is_due(&small, &end(6, 100)));
        assert!(is_due(&small, &end(8, 99)));
        let old = Pointer {
            at: now() - EVERY,
            ..small
        };
        assert!(is_due(&old, &end(8, 101)));
        assert!(!is_due(&old, &end(7, 100)));
    }
}
