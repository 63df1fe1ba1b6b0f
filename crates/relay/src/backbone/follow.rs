//! The relay's side of the stream: one reader gives all that it follows, first the last message of
//! each environment, then what comes. After a lost connection it goes on where it was, so that
//! hundreds of relays that come back make one reader each and bring nothing.
//!
//! A message that begins where an environment is, is taken at once. What does not fit ([`followed`])
//! is brought ([`bring`]) beside the reading: a start, a gap, a history that is another one, a message
//! that cannot be read are that one case. What cannot be brought now is tried again, ever more rarely,
//! and keeps nothing from the others.
//!
//! [`followed`]: super::followed
//! [`bring`]: super::bring

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::{self, stream::Info};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use rand::RngExt;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep};

use super::bring::{Wanted, bring};
use super::followed::Followed;
use super::line::NatsLine;
use super::publish::read_list;
use super::streams::{ALL, Asked, Streams, changes};
use super::{Backbone, Fault, nats};
use crate::message::ToUpstream;
use crate::mirror::Mirror;
use crate::upstream::{Line, Status, Upstream};

/// How often it is looked whether NATS is there, and what is to be brought again.
const LOOK: Duration = Duration::from_secs(1);
/// How often a relay tells how it is.
const STATUS: Duration = Duration::from_secs(10);
/// How often it is asked whether the stream is the same one.
const SAME: Duration = Duration::from_secs(20);
/// The pause before all is begun again.
const RETRY: Duration = Duration::from_millis(500);
/// After what time it is believed that an environment is gone which is in no list.
const LEAVING: Duration = Duration::from_secs(10);
/// How long a relay that starts waits for environments that cannot be brought, after the last one
/// that could, before it goes on with the others.
const PATIENCE: Duration = Duration::from_secs(10);
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

/// What a relay knows of NATS, from one connection to the next.
struct Following {
    upstream: Arc<Upstream>,
    streams: Streams,
    scope: Option<Vec<String>>,
    /// When the stream was made.
    created: Option<i128>,
    /// Its messages up to this one were read.
    read: u64,
    environments: BTreeMap<String, Followed>,
    /// Those that are being brought, and what is to take their places.
    bringing: JoinSet<(Wanted, Result<Option<Mirror>, Fault>)>,
    /// The environments that were listed last, as far as they are the relay's,
    all: BTreeSet<String>,
    /// and the message that listed them; none yet where it is 0.
    listed: u64,
    /// When what is here and in no list is let go of.
    leaving: Option<Instant>,
    /// Until when all wait for those that cannot be brought.
    patience: Option<Instant>,
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
        let mut following = Following::new(Arc::clone(&self), streams, follow.scope);
        loop {
            let ended = tokio::select! {
                ended = following.session(&status) => ended,
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

impl Following {
    fn new(upstream: Arc<Upstream>, streams: Streams, scope: Option<Vec<String>>) -> Self {
        Self {
            upstream,
            streams,
            scope,
            created: None,
            read: 0,
            environments: BTreeMap::new(),
            bringing: JoinSet::new(),
            all: BTreeSet::new(),
            listed: 0,
            leaving: None,
            patience: None,
        }
    }

    /// Follows for as long as the connection is there.
    async fn session(&mut self, status: &Status) -> Result<(), Fault> {
        let info = self.streams.info().await?;
        let connects = self.connects();
        let mut messages = self.begin(&info).await?;
        let mut status_due = interval(STATUS);
        let mut look = interval(LOOK);
        let mut same = Instant::now() + SAME;
        loop {
            tokio::select! {
                message = messages.next() => self.take(&message.ok_or(Fault::Away)??)?,
                Some(brought) = self.bringing.join_next() => self.brought(brought?),
                _ = look.tick() => {
                    let client = self.streams.context.client();
                    let there = client.connection_state() == State::Connected;
                    // Readers do not outlive every server, and would be missed only after a while.
                    if !there || self.connects() != connects {
                        return Err(Fault::Away);
                    }
                    if Instant::now() >= same {
                        if !self.is_same(&self.streams.info().await?) {
                            return Err(Fault::MadeAnew);
                        }
                        same = Instant::now() + SAME;
                    }
                    self.leave().await?;
                }
                _ = status_due.tick() => {
                    if let Some(line) = &*self.upstream.link.borrow() {
                        line.tell(ToUpstream::Status(status()));
                    }
                }
            }
            self.bring_due();
            self.level();
        }
    }

    /// How often there was a connection, from the first on.
    fn connects(&self) -> u64 {
        let statistics = self.streams.context.client().statistics();
        statistics.connects.load(Ordering::Relaxed)
    }

    /// Whether the stream is the one that was read, and has what was read of it.
    fn is_same(&self, info: &Info) -> bool {
        let created = info.created.unix_timestamp_nanos();
        self.created == Some(created) && info.state.last_sequence >= self.read
    }

    /// Gives what was not read yet.
    async fn begin(&mut self, info: &Info) -> Result<Messages, Fault> {
        self.bringing = JoinSet::new();
        if !self.is_same(info) {
            self.created = Some(info.created.unix_timestamp_nanos());
            (self.read, self.listed) = (0, 0);
            self.environments.clear();
        }
        self.environments.values_mut().for_each(Followed::stop);
        if self.scope.is_some() {
            self.upstream.narrow(self.within(self.here()));
        }
        let subjects: Vec<(String, u64)> = match &self.scope {
            None => vec![(changes("*"), self.read)],
            Some(scope) => {
                let read = |id: &String| self.environments.get(id).map_or(0, Followed::read);
                let own = scope.iter().map(|id| (changes(id), read(id)));
                own.chain([(ALL.to_owned(), self.listed)]).collect()
            }
        };
        let mut all: Vec<Messages> = Vec::new();
        for (subject, after) in subjects {
            let messages = self.streams.read(&subject, after).await?;
            all.push(messages.map(|it| it.map_err(nats)).boxed());
        }
        Ok(stream::select_all(all).boxed())
    }

    fn within(&self, mut ids: BTreeSet<String>) -> BTreeSet<String> {
        if let Some(scope) = &self.scope {
            ids.retain(|id| scope.contains(id));
        }
        ids
    }

    fn here(&self) -> BTreeSet<String> {
        let heads = self.upstream.mirror().heads().into_iter();
        heads.map(|head| head.environment).collect()
    }

    /// Takes a message of the stream.
    fn take(&mut self, message: &jetstream::Message) -> Result<(), Fault> {
        let sequence = message.info().map_err(Fault::Nats)?.stream_sequence;
        let id = message.subject.as_str();
        let id = id.rsplit('.').next().unwrap_or(id);
        if id == LIST {
            match read_list(&message.payload) {
                Ok(all) if sequence > self.listed => self.list(all, sequence),
                Ok(_) => {}
                Err(fault) => tracing::warn!(%fault, "the list of environments cannot be read"),
            }
        } else {
            let followed = self.environments.entry(id.to_owned()).or_default();
            let headers = message.headers.as_ref();
            followed.take(&self.upstream, (id, sequence), headers, &message.payload);
        }
        self.read = self.read.max(sequence);
        Ok(())
    }

    /// Takes a newer list of all environments: what was in the one before is gone.
    fn list(&mut self, all: BTreeSet<String>, sequence: u64) {
        self.listed = sequence;
        self.patience
            .get_or_insert_with(|| Instant::now() + PATIENCE);
        let all = self.within(all);
        let before = std::mem::replace(&mut self.all, all);
        let gone = before.difference(&self.all).cloned().collect();
        self.let_go(&gone);
        if self.strangers(&self.all).next().is_some() {
            self.leaving.get_or_insert_with(|| Instant::now() + LEAVING);
        }
    }

    /// What is here, or was read of, and is not in a list.
    fn strangers<'a>(&'a self, listed: &'a BTreeSet<String>) -> impl Iterator<Item = String> + 'a {
        let read = self.environments.keys().cloned();
        let known = self.here().into_iter().chain(read);
        known.filter(|id| !listed.contains(id))
    }

    fn let_go(&mut self, gone: &BTreeSet<String>) {
        let mut here = self.here();
        here.retain(|id| !gone.contains(id));
        self.upstream.narrow(here);
        self.environments.retain(|id, _| !gone.contains(id));
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
            let gone = self.strangers(&all).collect();
            self.let_go(&gone);
        }
        Ok(())
    }

    /// Begins to bring what is due, as far as it is listed: what is not was deleted while it was
    /// published.
    fn bring_due(&mut self) {
        let listed = self.environments.iter_mut();
        let mut listed = listed.filter(|(id, _)| self.all.contains(*id));
        while self.bringing.len() < AT_ONCE
            && let Some(wanted) = listed.find_map(|(id, it)| it.begin(id))
        {
            let (upstream, streams) = (Arc::clone(&self.upstream), self.streams.clone());
            self.bringing.spawn(async move {
                let brought = bring(&upstream, &streams, &wanted).await;
                (wanted, brought)
            });
        }
    }

    fn brought(&mut self, (wanted, brought): (Wanted, Result<Option<Mirror>, Fault>)) {
        let Some(followed) = self.environments.get_mut(&wanted.id) else {
            // It was let go of meanwhile.
            return;
        };
        match brought {
            Ok(anew) => {
                if let Some(anew) = anew {
                    self.upstream.adopt(anew);
                }
                followed.brought(wanted.sequence);
                let progress = Instant::now();
                self.patience = self.patience.map(|until| match until > progress {
                    true => progress + PATIENCE,
                    false => until,
                });
            }
            Err(fault) => {
                let environment = &wanted.id;
                tracing::info!(environment, %fault, "an environment has to wait");
                followed.failed();
            }
        }
    }

    /// Once all is here that is listed, or as much as can be, whoever waits may go on.
    fn level(&mut self) {
        if self.listed == 0 || self.upstream.is_connected() {
            return;
        }
        let is_late = self.patience.is_some_and(|until| Instant::now() >= until);
        let is_level = |id: &String| self.environments.get(id).is_some_and(Followed::is_level);
        if !is_late && !self.all.iter().all(is_level) {
            return;
        }
        // From now on nobody waits: the link is only away while NATS is.
        self.patience = Some(Instant::now());
        self.upstream.known.send_replace(true);
        self.upstream.told.send_modify(|count| *count += 1);
        let line = NatsLine::new(self.streams.clone(), self.scope.clone());
        let line = Arc::new(line) as Arc<dyn Line>;
        self.upstream.link.send_replace(Some(line));
        tracing::info!("the backbone is followed");
    }
}
