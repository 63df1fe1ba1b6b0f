//! The relay's side of the stream: environments are brought to where it ends, and follow it.
//!
//! To be brought somewhere is one thing, whatever the reason (a start, a gap, a history that is
//! another one, a message that does not fit): from where the relay stands by the changes in between,
//! where the stream has them; else by the newest whole state and the changes after it. What cannot be
//! brought now is tried again, and keeps the others from nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream;
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::{self, BoxStream};
use rand::RngExt;
use tokio::time::{Instant, interval, sleep};

use super::line::NatsLine;
use super::publish::{end_of, read_list};
use super::streams::{ALL, Asked, From, Streams, changes};
use super::wire::{Gathering, Head, Said};
use super::{Backbone, Fault, nats};
use crate::message::{Since, ToUpstream, place, sent};
use crate::upstream::{Line, Status, Upstream};

/// How often it is looked whether NATS is there; what could not be brought is tried again then.
const LOOK: Duration = Duration::from_secs(1);
/// How often a relay tells how it is.
const STATUS: Duration = Duration::from_secs(10);
/// How often it is asked whether the stream is the same one.
const SAME: Duration = Duration::from_secs(20);
/// The pause before all is begun again.
const RETRY: Duration = Duration::from_millis(500);
/// After what time it is believed that an environment is gone which is in no list.
const LEAVING: Duration = Duration::from_secs(10);
/// Environments that are brought at once.
const AT_ONCE: usize = 8;
/// The token of [`ALL`].
const LIST: &str = "all";

/// Which NATS a relay follows, and what of it.
#[derive(Clone, Debug)]
pub struct Follow {
    /// Where.
    pub backbone: Backbone,
    /// Ids of the environments that it serves; all where none are named.
    pub scope: Option<Vec<String>>,
}

/// An environment that follows the stream.
#[derive(Default)]
struct Followed {
    /// Messages up to this one are behind it.
    sequence: u64,
    gathering: Gathering,
}

/// What a relay does while NATS is there.
struct Session<'a> {
    upstream: &'a Upstream,
    streams: Streams,
    scope: Option<&'a [String]>,
    followed: BTreeMap<String, Followed>,
    /// What could not be brought.
    late: BTreeSet<String>,
    /// The environments that were listed last, as far as they are the relay's,
    all: BTreeSet<String>,
    /// and the message that listed them; none yet where it is 0.
    listed: u64,
    /// When what is here and in no list is let go of.
    leaving: Option<Instant>,
}

type Messages = BoxStream<'static, Result<jetstream::Message, Fault>>;

impl Upstream {
    /// Follows NATS, and tells it how the relay is. Never ends.
    pub(crate) async fn follow_backbone(self: Arc<Self>, follow: Follow, status: Status) {
        let client = loop {
            match follow.backbone.connect("burgee relay").await {
                Ok(client) => break client,
                Err(fault) => tracing::error!(%fault, "NATS is not followed, trying again"),
            }
            sleep(RETRY * 10).await;
        };
        let streams = Streams::new(client);
        loop {
            let mut session = Session {
                upstream: &self,
                streams: streams.clone(),
                scope: follow.scope.as_deref(),
                followed: BTreeMap::new(),
                late: BTreeSet::new(),
                all: BTreeSet::new(),
                listed: 0,
                leaving: None,
            };
            let ended = tokio::select! {
                ended = session.run(&status) => ended,
                () = self.empty_spool() => Ok(()),
            };
            if self.link.send_replace(None).is_some() {
                tracing::info!("the backbone is away");
            }
            if let Err(fault) = ended {
                tracing::warn!(%fault, "NATS is not followed, trying again");
            }
            let share = rand::rng().random_range(0.5..=1.5);
            sleep(RETRY.mul_f64(share)).await;
        }
    }
}

impl Session<'_> {
    async fn run(&mut self, status: &Status) -> Result<(), Fault> {
        let connects = self.connects();
        let created = self.streams.info().await?.created;
        let mut messages = self.begin().await?;
        let mut status_due = interval(STATUS);
        let mut look = interval(LOOK);
        let mut same = Instant::now() + SAME;
        loop {
            tokio::select! {
                message = messages.next() => {
                    let message = message.ok_or(Fault::Away)??;
                    self.take(&message).await?;
                    self.level();
                }
                _ = look.tick() => {
                    let client = self.streams.context.client();
                    let there = client.connection_state() == State::Connected;
                    // Readers do not outlive every server, and would be missed only after a while.
                    if !there || self.connects() != connects {
                        return Err(Fault::Away);
                    }
                    if Instant::now() >= same {
                        if self.streams.info().await?.created != created {
                            return Err(Fault::MadeAnew);
                        }
                        same = Instant::now() + SAME;
                    }
                    self.leave().await?;
                    let late = std::mem::take(&mut self.late);
                    self.bring_all(late).await;
                    self.level();
                }
                _ = status_due.tick() => {
                    if let Some(line) = &*self.upstream.link.borrow() {
                        line.tell(ToUpstream::Status(status()));
                    }
                }
            }
        }
    }

    /// How often there was a connection, from the first on.
    fn connects(&self) -> u64 {
        let statistics = self.streams.context.client().statistics();
        statistics.connects.load(Ordering::Relaxed)
    }

    /// Brings all that is there, and gives what comes after.
    async fn begin(&mut self) -> Result<Messages, Fault> {
        if let Some(last) = self.streams.last(ALL, Asked::Anyone).await? {
            self.listed = last.sequence;
            self.all = self.within(read_list(&last.payload)?);
            self.leaving = Some(Instant::now() + LEAVING);
            self.bring_all(self.all.clone()).await;
        }
        if let Some(scope) = self.scope {
            let mut here = self.here();
            here.retain(|id| scope.contains(id));
            self.upstream.narrow(here);
        }
        self.level();
        let after = |id: &String| self.followed.get(id).map_or(1, |it| it.sequence + 1);
        let subjects: Vec<(String, u64)> = match self.scope {
            // What is to come is of environments that are there, or comes after the list.
            None => {
                let starts = self.followed.keys().map(after);
                vec![(changes("*"), starts.fold(self.listed + 1, u64::min))]
            }
            Some(scope) => scope
                .iter()
                .map(|id| (changes(id), after(id)))
                .chain([(ALL.to_owned(), self.listed + 1)])
                .collect(),
        };
        let mut all: Vec<Messages> = Vec::new();
        for (subject, first) in subjects {
            let messages = self.streams.read(&subject, first).await?;
            all.push(messages.map(|it| it.map_err(nats)).boxed());
        }
        Ok(stream::select_all(all).boxed())
    }

    fn within(&self, mut ids: BTreeSet<String>) -> BTreeSet<String> {
        if let Some(scope) = self.scope {
            ids.retain(|id| scope.contains(id));
        }
        ids
    }

    fn here(&self) -> BTreeSet<String> {
        let heads = self.upstream.mirror().heads().into_iter();
        heads.map(|head| head.environment).collect()
    }

    /// Takes a newer list of all environments: what was in the one before is gone, what is new is
    /// brought.
    async fn list(&mut self, all: BTreeSet<String>) {
        let all = self.within(all);
        let before = std::mem::replace(&mut self.all, all);
        let gone: BTreeSet<String> = before.difference(&self.all).cloned().collect();
        self.let_go(&gone);
        let mut new = self.all.clone();
        new.retain(|id| !self.followed.contains_key(id));
        self.bring_all(new).await;
    }

    fn let_go(&mut self, gone: &BTreeSet<String>) {
        let mut here = self.here();
        here.retain(|id| !gone.contains(id));
        self.upstream.narrow(here);
        self.followed.retain(|id, _| !gone.contains(id));
        self.late.retain(|id| !gone.contains(id));
    }

    /// Lets go of what was here before and is in no list. Not at once: a replica that lags gives an
    /// old list, and an environment that goes takes its connections with it for good.
    async fn leave(&mut self) -> Result<(), Fault> {
        if self.leaving.is_none_or(|due| Instant::now() < due) {
            return Ok(());
        }
        self.leaving = None;
        let Some(last) = self.streams.last(ALL, Asked::Anyone).await? else {
            return Ok(());
        };
        if last.sequence >= self.listed {
            let all = read_list(&last.payload)?;
            let gone = self.here().difference(&all).cloned().collect();
            self.let_go(&gone);
        }
        Ok(())
    }

    async fn bring_all(&mut self, ids: BTreeSet<String>) {
        let ids: Vec<String> = ids.into_iter().collect();
        for some in ids.chunks(AT_ONCE) {
            let bringing = some
                .iter()
                .map(|id| bring(self.upstream, &self.streams, id));
            let brought = join_all(bringing).await;
            for (id, brought) in some.iter().zip(brought) {
                self.brought(id, brought);
            }
        }
    }

    fn brought(&mut self, id: &str, brought: Result<u64, Fault>) {
        match brought {
            Ok(sequence) => {
                let gathering = Gathering::default();
                let followed = Followed {
                    sequence,
                    gathering,
                };
                self.followed.insert(id.to_owned(), followed);
            }
            Err(fault) => {
                tracing::info!(environment = id, %fault, "an environment has to wait");
                self.followed.remove(id);
                self.late.insert(id.to_owned());
            }
        }
    }

    /// Once all is here that is listed, whoever waits may go on.
    fn level(&self) {
        if self.listed == 0 || !self.late.is_empty() || self.upstream.is_connected() {
            return;
        }
        self.upstream.known.send_replace(true);
        self.upstream.told.send_modify(|count| *count += 1);
        let line = NatsLine {
            streams: self.streams.clone(),
            scope: self.scope.map(<[String]>::to_vec),
        };
        self.upstream
            .link
            .send_replace(Some(Arc::new(line) as Arc<dyn Line>));
        tracing::info!("the backbone is followed");
    }

    /// Takes a message of the stream.
    async fn take(&mut self, message: &jetstream::Message) -> Result<(), Fault> {
        let sequence = message.info().map_err(Fault::Nats)?.stream_sequence;
        let id = message.subject.as_str();
        let id = id.rsplit('.').next().unwrap_or(id);
        if id == LIST {
            if sequence > self.listed {
                self.listed = sequence;
                self.list(read_list(&message.payload)?).await;
            }
            return Ok(());
        }
        let Some(followed) = self.followed.get_mut(id) else {
            // New; or it could not be brought, and will be.
            self.bring_all(BTreeSet::from([id.to_owned()])).await;
            return Ok(());
        };
        if sequence <= followed.sequence {
            return Ok(());
        }
        followed.sequence = sequence;
        let headers = message.headers.as_ref();
        let head = Head::read(headers.ok_or(Fault::Headers("all"))?)?;
        let fits = match followed.gathering.take(head, &message.payload)? {
            Said::Part => true,
            Said::Anew | Said::Lost => false,
            Said::Since(since) => advance(self.upstream, *since),
        };
        if !fits {
            self.bring_all(BTreeSet::from([id.to_owned()])).await;
        }
        Ok(())
    }
}

/// Takes a change where it begins at the place where the environment is.
fn advance(upstream: &Upstream, since: Since) -> bool {
    let id = since.environment.clone();
    let here = upstream.mirror().position(&id).map(sent);
    if here == Some(since.position) {
        return true;
    }
    let fits = upstream.mirror().advance(since).is_ok();
    if fits {
        upstream.learned(id);
    }
    fits
}

/// Brings an environment to where the stream ends. Gives the number of the last message that is
/// behind it then.
async fn bring(upstream: &Upstream, streams: &Streams, id: &str) -> Result<u64, Fault> {
    let missing = || Fault::Broken(format!("any state of {id}"));
    let last = streams.last(&changes(id), Asked::Anyone).await?;
    let last = last.ok_or_else(missing)?;
    let head = Head::read(&last.headers)?;
    let to = end_of(&head).ok_or_else(missing)?;
    // Of a change that is not whole yet the end is to come: it brings the environment here again.
    let behind = last.sequence;
    let here = upstream.mirror().position(id);
    if here == Some(to) {
        return Ok(behind);
    }
    let (pointer, _) = streams
        .pointer(id, Asked::Anyone)
        .await?
        .ok_or_else(missing)?;
    let known = [Some(&pointer.newest), pointer.previous.as_ref()];
    let from = here.and_then(|here| {
        let mut known = known.into_iter().flatten();
        let found = known.find(|it| it.position.0 <= here.version)?;
        Some((sent(here), found.start))
    });
    if let Some((at, first)) = from {
        let chain = streams.chain(id, (first, last.sequence), From::Change(at));
        let chain = chain.await?;
        if chain.last().is_some_and(|it| place(it.position) == to) {
            follow(upstream, chain);
            return Ok(behind);
        }
    }
    let whole = streams.state(id, &pointer.newest).await?;
    let (at, first) = (whole.position, pointer.newest.start);
    let chain = streams.chain(id, (first, last.sequence), From::State(at));
    let chain = chain.await?;
    let end = chain.last().map_or(at, |it| it.position);
    // A state may be newer than the end of the stream: it was read from the database after it.
    if place(end) != to && at.0 <= to.version {
        return Err(Fault::Broken(format!("{id} at {}", to.version)));
    }
    upstream.learn(whole);
    follow(upstream, chain);
    Ok(behind)
}

fn follow(upstream: &Upstream, chain: Vec<Since>) {
    for since in chain {
        advance(upstream, since);
    }
}
