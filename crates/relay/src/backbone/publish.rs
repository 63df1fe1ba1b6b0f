//! The server's side of the stream: what the database has and the stream has not is published.
//!
//! Every server does that, and none leads. A change is published as the one that comes after the last
//! in the stream, which NATS checks: who was slower looks again, and mostly finds nothing left to do.
//! So a change is in the stream once, in the order of the log, whichever servers live.
//!
//! Where the stream was lost or emptied, its end is not where the database is, and it is filled again
//! by the same way. Whole states are written beside it ([`super::states`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::message::PublishMessage;
use burgee_edge::source::{self, Changes, Position, Source};
use bytes::Bytes;
use rand::RngExt;
use tokio::time::{Instant, sleep, sleep_until};

use super::states::Newest;
use super::streams::{ALL, Asked, Streams, changes};
use super::wire::{self, Head};
use super::writing::{Published, check};
use super::{Backbone, Counters, Fault};
use crate::message::{Since, pack};

/// How often it is looked whether whole states are due, and whether the stream is the same.
const LOOK: Duration = Duration::from_secs(5);
/// Within what time it is looked where a state is known to be due: not by all servers at one moment, as
/// one of them is enough.
const SOON: Duration = Duration::from_secs(1);
/// How often all that is known of the stream's end is thrown away and read again: somebody may have
/// emptied it.
const FRESH: Duration = Duration::from_secs(60);
/// After what time what went wrong is tried again.
const RETRY: Duration = Duration::from_secs(1);
/// After what time it is looked again whether NATS still is somebody else's. Longer than those take who
/// fill their own stream again after it was deleted.
const FOREIGN: Duration = Duration::from_secs(30);
/// How often one tries to be the next before it gives way.
const ATTEMPTS: u32 = 16;

/// Publishes what a source has.
pub struct Publisher {
    pub(super) streams: Streams,
    pub(super) source: Arc<dyn Source>,
    counters: Counters,
    /// Where the stream ends, by environment.
    pub(super) ends: BTreeMap<String, End>,
    /// The newest whole states as they were last seen, by environment.
    pub(super) pointers: BTreeMap<String, Newest>,
    /// The list of environments that is in the stream, and its message's number.
    listed: Option<(BTreeSet<String>, u64)>,
    /// When the stream was made, and on how many servers it is.
    stream: Option<(i128, usize)>,
}

/// Where the stream ends for an environment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct End {
    /// The last position that all of is there; none where nothing is.
    pub(super) position: Option<Position>,
    /// The last message's number; 0 where there is none.
    pub(super) sequence: u64,
    /// How many bytes of changes there were up to it.
    pub(super) written: u64,
}

/// What became of an attempt to publish.
enum Attempt {
    Done(End),
    Behind,
    /// There is nothing to publish.
    Nothing,
}

impl Publisher {
    /// A publisher of what `source` has: a source of its own, as it waits for changes of it.
    ///
    /// # Errors
    /// Where the file of credentials cannot be read. That NATS is away is none: it is waited for.
    pub async fn new(
        backbone: &Backbone,
        source: Arc<dyn Source>,
        counters: Counters,
    ) -> Result<Self, Fault> {
        let connection = backbone.connect("burgee server, publishing").await?;
        Ok(Self {
            streams: Streams::new(connection),
            source,
            counters,
            ends: BTreeMap::new(),
            pointers: BTreeMap::new(),
            listed: None,
            stream: None,
        })
    }

    /// Publishes what is new, for the installation with this id: the same on all servers of a database,
    /// and on no other's. Never ends.
    pub async fn run(mut self, installation: String) {
        loop {
            let Err(fault) = self.keep_level(&installation).await;
            self.counters.failed(&fault);
            let pause = match &fault {
                Fault::Foreign(_) => {
                    tracing::error!(%fault, installation, "changes are not published");
                    FOREIGN
                }
                _ => {
                    tracing::warn!(%fault, "changes are not published, trying again");
                    RETRY
                }
            };
            self.forget();
            self.stream = None;
            let share = rand::rng().random_range(0.5..=1.5);
            sleep(pause.mul_f64(share)).await;
        }
    }

    /// Forgets what is known of the stream, which is read again.
    fn forget(&mut self) {
        self.ends.clear();
        self.pointers.clear();
        self.listed = None;
    }

    async fn keep_level(&mut self, installation: &str) -> Result<std::convert::Infallible, Fault> {
        let made = self.streams.make(installation).await?;
        let created = made.created.unix_timestamp_nanos();
        self.stream = Some((created, made.config.num_replicas));
        let mut fresh = Instant::now() + FRESH;
        let mut look = Instant::now();
        let source = Arc::clone(&self.source);
        loop {
            let changed = source.changed();
            if Instant::now() >= look {
                if Instant::now() >= fresh {
                    self.forget();
                    fresh = Instant::now() + FRESH;
                }
                self.is_same(installation).await?;
                self.level().await?;
                self.write_due_states().await?;
                // Not all servers at one moment.
                look = Instant::now() + LOOK.mul_f64(rand::rng().random_range(0.5..=1.0));
            } else {
                self.level().await?;
            }
            self.counters.published();
            if self.is_any_due() {
                let share = rand::rng().random_range(0.0..=1.0);
                look = look.min(Instant::now() + SOON.mul_f64(share));
            }
            tokio::select! {
                () = changed => {}
                () = sleep_until(look) => {}
            }
        }
    }

    /// A stream that was deleted and made again has other numbers, and nothing in it; or is another
    /// installation's.
    async fn is_same(&self, installation: &str) -> Result<(), Fault> {
        let info = self.streams.info().await?;
        check(&info.config, installation)?;
        let created = info.created.unix_timestamp_nanos();
        match self.stream.is_some_and(|(known, _)| known == created) {
            true => Ok(()),
            false => Err(Fault::MadeAnew),
        }
    }

    /// On how many servers streams are.
    pub(super) fn replicas(&self) -> usize {
        self.stream.map_or(1, |(_, replicas)| replicas)
    }

    /// Publishes whatever the stream has not.
    async fn level(&mut self) -> Result<(), Fault> {
        let heads = self.list().await?;
        let there: BTreeSet<&str> = heads.iter().map(|it| it.environment.as_str()).collect();
        let gone = |id: &&String| !there.contains(id.as_str());
        let gone: Vec<String> = self.ends.keys().filter(gone).cloned().collect();
        for id in gone {
            // A server that was slow may have published it after it went.
            self.streams.forget_all(&id).await?;
            self.ends.remove(&id);
            self.pointers.remove(&id);
        }
        for head in &heads {
            let end = self.ends.get(&head.environment);
            if end.and_then(|end| end.position) != Some(head.position) {
                self.bring(&head.environment).await?;
            }
        }
        Ok(())
    }

    /// Publishes which environments there are, where that changed, and gives them. Those that went are
    /// forgotten. Before what changed in them: of what lies in the stream and was in no list, nobody
    /// would hear that it is gone.
    async fn list(&mut self) -> Result<Vec<source::Head>, Fault> {
        for _ in 0..ATTEMPTS {
            // In this order: what is in the list of somebody else is in the database by now.
            let (listed, after) = self.listed().await?;
            let heads = self.source.environments().await?;
            let ids = heads.iter().map(|head| head.environment.clone());
            let there: BTreeSet<String> = ids.collect();
            if listed == there && after > 0 {
                self.listed = Some((listed, after));
                return Ok(heads);
            }
            for id in listed.difference(&there) {
                self.streams.forget_all(id).await?;
                self.ends.remove(id);
                self.pointers.remove(id);
            }
            let body = serde_json::to_vec(&there).map_err(crate::message::Unreadable::from)?;
            let message = PublishMessage::build().payload(Bytes::from(body));
            let published = self.streams.publish(ALL.to_owned(), message, after).await?;
            // Else another server published one: it is read, and compared.
            if let Published::At { sequence, .. } = published {
                self.streams.forget(ALL.to_owned(), sequence).await?;
                self.listed = Some((there, sequence));
                return Ok(heads);
            }
        }
        Err(Fault::Crowded)
    }

    /// The list that is in the stream, with its message's number: 0 where there is none.
    async fn listed(&mut self) -> Result<(BTreeSet<String>, u64), Fault> {
        if let Some(known) = self.listed.take() {
            return Ok(known);
        }
        Ok(match self.streams.last(ALL, Asked::Leader).await? {
            None => (BTreeSet::new(), 0),
            Some(last) => (read_list(&last.payload)?, last.sequence),
        })
    }

    /// Brings the stream to where the database is with an environment.
    async fn bring(&mut self, id: &str) -> Result<(), Fault> {
        for attempt in 0..ATTEMPTS {
            let end = self.end(id).await?;
            match self.go_on(id, end, attempt).await? {
                Attempt::Done(end) => {
                    self.ends.insert(id.to_owned(), end);
                    return Ok(());
                }
                Attempt::Nothing => return Ok(()),
                // Another server was faster: what it published is what this one has, or before it.
                Attempt::Behind => drop(self.ends.remove(id)),
            }
        }
        Err(Fault::Crowded)
    }

    /// Where the stream ends for an environment; asked of the stream where it is not known.
    pub(super) async fn end(&mut self, id: &str) -> Result<End, Fault> {
        if let Some(end) = self.ends.get(id) {
            return Ok(*end);
        }
        let end = match self.streams.last(&changes(id), Asked::Leader).await? {
            None => End::default(),
            Some(last) => {
                let head = Head::read(&last.headers);
                let unreadable = |fault: &Fault| {
                    tracing::warn!(environment = id, %fault, "an environment is published anew");
                };
                let head = head.inspect_err(unreadable).ok();
                End {
                    position: head.as_ref().and_then(end_of),
                    sequence: last.sequence,
                    written: head.map_or(0, |it| it.written),
                }
            }
        };
        self.ends.insert(id.to_owned(), end);
        Ok(end)
    }

    /// Publishes what comes after the stream's end.
    async fn go_on(&mut self, id: &str, end: End, attempt: u32) -> Result<Attempt, Fault> {
        let Some(from) = end.position else {
            return self.publish_anew(id, end).await;
        };
        match self.source.changes(id, from).await? {
            Changes::Gone => Ok(Attempt::Nothing),
            Changes::Since(delta) if delta.position == from => Ok(Attempt::Nothing),
            Changes::Since(delta) => {
                let since = Since::new(id, from, delta);
                self.publish(id, since, end, attempt).await
            }
            // Read again, as the state has to come after what it takes the place of.
            Changes::Reload(_) => self.publish_anew(id, end).await,
        }
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
        let (mut after, mut written, mut twice) = (end.sequence, end.written, false);
        for (head, body) in wire::parts(from, to, end.written, packed) {
            written = head.written;
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
                written,
            }),
        })
    }

    /// Publishes that an environment is to be taken anew: nothing leads to where it is.
    async fn publish_anew(&mut self, id: &str, end: End) -> Result<Attempt, Fault> {
        let before = self.streams.pointer(id, Asked::Leader).await?;
        let Some(state) = self.source.state(id).await? else {
            return Ok(Attempt::Nothing);
        };
        let to = state.position;
        self.write_state(id, state, before, &end).await?;
        let head = wire::anew(to, end.written);
        let message = head.message(id, rand::rng().random());
        let sent = self.streams.publish(changes(id), message, end.sequence);
        Ok(match sent.await? {
            Published::Behind => Attempt::Behind,
            Published::At { sequence, .. } => Attempt::Done(End {
                position: Some(to),
                sequence,
                written: end.written,
            }),
        })
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
