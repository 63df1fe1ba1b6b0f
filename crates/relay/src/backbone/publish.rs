//! The server's side of the stream: what the database has and the stream has not is published.
//!
//! Every server does that, and none leads. A change is published as the one that comes after the last
//! in the stream, which NATS checks: who was slower looks again, and mostly finds nothing left to do.
//! So a change is in the stream once, in the order of the log, whichever servers live.
//!
//! Where the stream was lost or emptied, its end is not where the database is, and it is filled again
//! by the same way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_nats::Client;
use async_nats::jetstream::message::PublishMessage;
use burgee_edge::source::{Changes, Position, Source, State};
use bytes::Bytes;
use rand::RngExt;
use tokio::time::{Instant, sleep, sleep_until};

use super::streams::{ALL, Asked, Published, Streams, changes, states};
use super::wire::{self, Head, Object, Place, Pointer};
use super::{Backbone, Fault};
use crate::message::{Since, Whole, pack, sent};

/// So many changes after a whole state the next one is written.
const EVERY_CHANGES: i64 = 256;
/// Or after so long a time, where something changed.
const EVERY: i64 = 10 * 60 * 1000;
/// How often it is looked whether whole states are due, and whether the stream is the same.
const LOOK: Duration = Duration::from_secs(5);
/// How often all that is known of the stream's end is thrown away and read again: somebody may have
/// emptied it.
const FRESH: Duration = Duration::from_secs(60);
/// After what time what went wrong is tried again.
const RETRY: Duration = Duration::from_secs(1);
/// How often one tries to be the next before it gives way.
const ATTEMPTS: u32 = 16;

/// Publishes what a source has.
pub struct Publisher {
    streams: Streams,
    source: Arc<dyn Source>,
    /// Where the stream ends, by environment.
    ends: BTreeMap<String, End>,
    /// The newest whole states as they were last seen, by environment, with their messages' numbers.
    pointers: BTreeMap<String, (Pointer, u64)>,
    /// The list of environments that is in the stream, and its message's number.
    listed: Option<(BTreeSet<String>, u64)>,
    /// When the stream was made, and on how many servers it is.
    stream: Option<(i128, usize)>,
}

/// Where the stream ends for an environment.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    /// The last position that all of is there; none where nothing is.
    position: Option<Position>,
    /// The last message's number; 0 where there is none.
    sequence: u64,
}

/// What became of an attempt to publish.
enum Attempt {
    Done(End),
    Behind,
}

impl Publisher {
    /// A publisher of what `source` has: a source of its own, as it waits for changes of it.
    ///
    /// # Errors
    /// Where the file of credentials cannot be read. That NATS is away is none: it is waited for.
    pub async fn new(backbone: &Backbone, source: Arc<dyn Source>) -> Result<Self, Fault> {
        let client: Client = backbone.connect("burgee server, publishing").await?;
        Ok(Self {
            streams: Streams::new(client),
            source,
            ends: BTreeMap::new(),
            pointers: BTreeMap::new(),
            listed: None,
            stream: None,
        })
    }

    /// Publishes what is new. Never ends.
    pub async fn run(mut self) {
        loop {
            let fault = match self.keep_level().await {
                Ok(never) => never,
                Err(fault) => fault,
            };
            tracing::warn!(%fault, "changes are not published, trying again");
            self.forget();
            let share = rand::rng().random_range(0.5..=1.5);
            sleep(RETRY.mul_f64(share)).await;
        }
    }

    fn forget(&mut self) {
        self.ends.clear();
        self.pointers.clear();
        self.listed = None;
        self.stream = None;
    }

    async fn keep_level(&mut self) -> Result<Fault, Fault> {
        let made = self.streams.make().await?;
        self.stream = Some((
            made.created.unix_timestamp_nanos(),
            made.config.num_replicas,
        ));
        let mut fresh = Instant::now() + FRESH;
        let mut look = Instant::now();
        let source = Arc::clone(&self.source);
        loop {
            let changed = source.changed();
            if Instant::now() >= look {
                if Instant::now() >= fresh {
                    self.ends.clear();
                    self.pointers.clear();
                    self.listed = None;
                    fresh = Instant::now() + FRESH;
                }
                self.is_same().await?;
                self.level().await?;
                self.write_due_states().await?;
                // Not all servers at one moment.
                look = Instant::now() + LOOK.mul_f64(rand::rng().random_range(0.5..=1.0));
            } else {
                self.level().await?;
            }
            tokio::select! {
                () = changed => {}
                () = sleep_until(look) => {}
            }
        }
    }

    /// A stream that was deleted and made again has other numbers, and nothing in it.
    async fn is_same(&self) -> Result<(), Fault> {
        let created = self.streams.info().await?.created.unix_timestamp_nanos();
        match self.stream.is_some_and(|(known, _)| known == created) {
            true => Ok(()),
            false => Err(Fault::MadeAnew),
        }
    }

    /// Publishes whatever the stream has not.
    async fn level(&mut self) -> Result<(), Fault> {
        // In this order: what is in the list of somebody else is in the database by now.
        self.read_list().await?;
        let heads = self.source.environments().await?;
        for head in &heads {
            let end = self.ends.get(&head.environment);
            if end.and_then(|end| end.position) != Some(head.position) {
                self.bring(&head.environment).await?;
            }
        }
        let there: BTreeSet<String> = heads.into_iter().map(|head| head.environment).collect();
        let gone: Vec<String> = self.ends.keys().cloned().collect();
        for id in gone.iter().filter(|id| !there.contains(*id)) {
            self.ends.remove(id);
            self.pointers.remove(id);
        }
        self.list(there).await
    }

    /// Brings the stream to where the database is with an environment.
    async fn bring(&mut self, id: &str) -> Result<(), Fault> {
        for attempt in 0..ATTEMPTS {
            let end = self.end(id).await?;
            let changes = match end.position {
                None => self.source.state(id).await?.map(Changes::Reload),
                Some(from) => Some(self.source.changes(id, from).await?),
            };
            let done = match (changes, end.position) {
                (None | Some(Changes::Gone), _) => return Ok(()),
                (Some(Changes::Since(delta)), Some(from)) if delta.position == from => {
                    return Ok(());
                }
                (Some(Changes::Since(delta)), Some(from)) => {
                    let since = Since::new(id, from, delta);
                    self.publish(id, since, end, attempt).await?
                }
                (Some(Changes::Reload(state)), _) => self.publish_anew(id, state, end).await?,
                (Some(Changes::Since(_)), None) => return Ok(()),
            };
            match done {
                Attempt::Done(end) => {
                    self.ends.insert(id.to_owned(), end);
                    return Ok(());
                }
                // Another server was faster: what it published is what this one has, or before it.
                Attempt::Behind => drop(self.ends.remove(id)),
            }
        }
        Err(Fault::Crowded)
    }

    /// Where the stream ends for an environment; asked of the stream where it is not known.
    async fn end(&mut self, id: &str) -> Result<End, Fault> {
        if let Some(end) = self.ends.get(id) {
            return Ok(*end);
        }
        let end = match self.streams.last(&changes(id), Asked::Leader).await? {
            None => End::default(),
            Some(last) => End {
                position: end_of(&Head::read(&last.headers)?),
                sequence: last.sequence,
            },
        };
        self.ends.insert(id.to_owned(), end);
        Ok(end)
    }

    /// Publishes a change, in as many parts as it needs.
    async fn publish(
        &self,
        id: &str,
        mut since: Since,
        end: End,
        attempt: u32,
    ) -> Result<Attempt, Fault> {
        // All servers write the same, so that NATS knows it for the same.
        since.flags.sort_by(|a, b| a.key.cmp(&b.key));
        since.segments.sort_by(|a, b| a.id.cmp(&b.id));
        let (from, to) = (since.from, since.position);
        let packed = tokio::task::spawn_blocking(move || pack(&since)).await??;
        let (from, to) = (crate::message::place(from), crate::message::place(to));
        let mut after = end.sequence;
        let mut twice = false;
        for (head, body) in wire::parts(from, to, packed) {
            let message = head.message(id, attempt).payload(body);
            match self.streams.publish(changes(id), message, after).await? {
                Published::Behind => return Ok(Attempt::Behind),
                Published::At { sequence, again } => {
                    (after, twice) = (sequence, twice || again);
                }
            }
        }
        // What was there already may not be the end any more.
        Ok(match twice {
            true => Attempt::Behind,
            false => Attempt::Done(End {
                position: Some(to),
                sequence: after,
            }),
        })
    }

    /// Publishes that an environment is to be taken anew: nothing leads to where it is.
    async fn publish_anew(&mut self, id: &str, state: State, end: End) -> Result<Attempt, Fault> {
        let to = state.position;
        self.write_state(id, state, end.sequence + 1).await?;
        let message = wire::anew(to).message(id, rand::rng().random());
        match self
            .streams
            .publish(changes(id), message, end.sequence)
            .await?
        {
            Published::Behind => Ok(Attempt::Behind),
            Published::At { sequence, .. } => Ok(Attempt::Done(End {
                position: Some(to),
                sequence,
            })),
        }
    }

    /// Writes a whole state and names it as the newest. The stream's messages from `start` on have
    /// all that came after it.
    async fn write_state(&mut self, id: &str, state: State, start: u64) -> Result<(), Fault> {
        let position = state.position;
        let name = Place(position).to_string();
        let packed = tokio::task::spawn_blocking(move || pack(&sorted(state))).await??;
        let replicas = self.stream.map_or(1, |(_, replicas)| replicas);
        self.streams.put(id, &name, packed, replicas).await?;
        let before = self.streams.pointer(id, Asked::Leader).await?;
        let newest = Object {
            name,
            position: sent(position),
            start,
        };
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
        if let Some(kept) = pointer.previous.as_ref().filter(|it| it.start > 1) {
            self.streams.forget(changes(id), kept.start - 1).await?;
        }
        self.pointers.insert(id.to_owned(), (pointer, sequence));
        Ok(())
    }

    /// Writes whole states of environments that moved on far enough, or long ago.
    async fn write_due_states(&mut self) -> Result<(), Fault> {
        let ends: Vec<(String, Position)> = self
            .ends
            .iter()
            .filter_map(|(id, end)| Some((id.clone(), end.position?)))
            .collect();
        for (id, at) in ends {
            let known = self.pointers.get(&id).map(|(pointer, _)| pointer.clone());
            if known.is_some_and(|known| !is_due(&known, at)) {
                continue;
            }
            // Another server may have done it.
            let found = self.streams.pointer(&id, Asked::Leader).await?;
            if let Some((pointer, sequence)) = found
                && self.streams.has(&id, &pointer.newest).await
                && !is_due(&pointer, at)
            {
                self.pointers.insert(id, (pointer, sequence));
                continue;
            }
            self.ends.remove(&id);
            let end = self.end(&id).await?;
            if let Some(state) = self.source.state(&id).await? {
                self.write_state(&id, state, end.sequence + 1).await?;
            }
        }
        Ok(())
    }

    async fn read_list(&mut self) -> Result<(), Fault> {
        if self.listed.is_none() {
            self.listed = Some(match self.streams.last(ALL, Asked::Leader).await? {
                None => (BTreeSet::new(), 0),
                Some(last) => (read_list(&last.payload)?, last.sequence),
            });
        }
        Ok(())
    }

    /// Publishes which environments there are, where that changed. Those that went are forgotten.
    async fn list(&mut self, there: BTreeSet<String>) -> Result<(), Fault> {
        let Some((listed, after)) = self.listed.take() else {
            return Ok(());
        };
        if listed == there && after > 0 {
            self.listed = Some((listed, after));
            return Ok(());
        }
        for id in listed.difference(&there) {
            self.streams.forget_all(id).await?;
        }
        let body = serde_json::to_vec(&there).map_err(crate::message::Unreadable::from)?;
        let message = PublishMessage::build().payload(Bytes::from(body));
        let published = self.streams.publish(ALL.to_owned(), message, after).await?;
        let Published::At { sequence, .. } = published else {
            // Another server did; what it says is compared next time.
            return Ok(());
        };
        self.streams.forget(ALL.to_owned(), sequence).await?;
        self.listed = Some((there, sequence));
        Ok(())
    }
}

/// The position that a subject's last message says all of is there.
pub(super) fn end_of(head: &Head) -> Option<Position> {
    match head.is_last() {
        true => Some(head.to),
        // Whoever published it did not come to its end: what was before it is whole.
        false => head.from,
    }
}

pub(super) fn read_list(body: &[u8]) -> Result<BTreeSet<String>, Fault> {
    let listed = serde_json::from_slice(body);
    Ok(listed.map_err(crate::message::Unreadable::from)?)
}

fn is_due(pointer: &Pointer, at: Position) -> bool {
    let moved = at.version - pointer.newest.position.0;
    let changed = sent(at) != pointer.newest.position;
    changed && (!(0..EVERY_CHANGES).contains(&moved) || now() - pointer.at >= EVERY)
}

/// A state in an order of its own, the same on all servers.
pub(super) fn sorted(state: State) -> Whole {
    let mut whole = Whole::from(state);
    whole.flags.sort_by(|a, b| a.key.cmp(&b.key));
    whole.segments.sort_by(|a, b| a.id.cmp(&b.id));
    whole.keys.sort_by(|a, b| a.secret.cmp(&b.secret));
    whole
}

/// Milliseconds since 1970, to tell how old a state is.
fn now() -> i64 {
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
