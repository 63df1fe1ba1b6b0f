//! The edge's source and sink inside a relay: an upstream that is reached over the network.
//!
//! What it told is mirrored here, and kept on the disk; questions and traffic go to it. While it is
//! away the edge goes on with what is mirrored, traffic waits on the disk, and what only the store
//! of record can say is "cannot be asked now".

mod connect;
mod keep;
mod link;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use burgee_edge::sink::{self, Sink};
use burgee_edge::source::{
    BoxFuture, Changes, Head, KeyKind, Position, Source, State, Unavailable,
};
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

pub(crate) use connect::limits;
pub use connect::{Address, BadAddress, tls};

use crate::disk::Disk;
use crate::message::{
    Agent, AgentKind, Answer, Opened, Report, Secret, Taken, ToRelay, ToUpstream, Whole,
};
use crate::mirror::Mirror;
use crate::spool::Spool;
use crate::traffic::Batch;

/// How long the upstream may take to store a batch before it is sent elsewhere: to the disk.
const STORING: Duration = Duration::from_secs(20);

/// The first pause after a connection was lost; each further one doubles it.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// The longest pause. Each is drawn between half of it and the whole, so that a hundred relays do
/// not come back at one moment.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// How the relay is now: what it tells its upstream.
pub(crate) type Status = Arc<dyn Fn() -> Report + Send + Sync>;

/// The way to an upstream that is there: a connection to a server or relay, or NATS.
pub(crate) trait Line: Send + Sync {
    /// Sends a message unless too many wait; says whether. What is only told can be told again.
    fn tell(&self, message: ToUpstream) -> bool;

    /// Sends a question, by its number; none where there is no answer.
    fn ask(&self, question: u64, message: ToUpstream) -> BoxFuture<'_, Option<ToRelay>>;

    /// Sends a batch; none where it is in nobody's keeping.
    fn store(&self, batch: Batch) -> BoxFuture<'_, Option<Stored>>;

    /// Lets go of all who wait: nobody answers any more.
    fn end(&self);
}

/// What became of a batch that was sent up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// It is stored, or in the keeping of whoever stores it.
    Taken(Taken),
    /// So is what was not lost of it: some environment's part is never stored. Whoever knows why says so.
    Partly,
    /// It is never stored, for this reason.
    Refused(String),
}

/// What a relay has of its upstream.
pub struct Upstream {
    agent: Agent,
    mirror: Mutex<Mirror>,
    /// Environments that are not on the disk as they are here.
    dirty: Mutex<BTreeSet<String>>,
    to_keep: Notify,
    /// Held while they are written.
    keeping: Mutex<()>,
    disk: Disk,
    spool: Spool,
    /// Whether anything is known: the upstream told all, or it did not and some was on the disk.
    pub(crate) known: watch::Sender<bool>,
    /// Counts what was told.
    pub(crate) told: watch::Sender<u64>,
    /// The connection, while there is one.
    pub(crate) link: watch::Sender<Option<Arc<dyn Line>>>,
    questions: AtomicU64,
    /// Counts batches that are lost.
    lost: AtomicU64,
}

impl Upstream {
    /// Opens the relay's folder. `spool` is how many bytes of traffic may wait on the disk.
    pub(crate) fn open(folder: &Path, name: String, spool: u64) -> anyhow::Result<Arc<Self>> {
        let disk = Disk::open(folder)?;
        let agent = Agent {
            id: disk.agent()?,
            name,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: AgentKind::Burgee,
        };
        let mirror: Mirror = disk.environments.load()?.into_iter().collect();
        Ok(Arc::new(Self {
            agent,
            spool: Spool::open(disk.spool(), spool)?,
            disk,
            mirror: Mutex::new(mirror),
            dirty: Mutex::default(),
            to_keep: Notify::new(),
            keeping: Mutex::default(),
            known: watch::Sender::new(false),
            told: watch::Sender::new(0),
            link: watch::Sender::new(None),
            questions: AtomicU64::new(0),
            lost: AtomicU64::new(0),
        }))
    }

    /// Who this relay is.
    pub(crate) fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Whether there is a connection.
    pub fn is_connected(&self) -> bool {
        self.link.borrow().is_some()
    }

    /// Resolves while there is none.
    pub(crate) async fn disconnected(&self) {
        let mut link = self.link.subscribe();
        drop(link.wait_for(Option::is_none).await);
    }

    /// Resolves while traffic waits on the disk.
    pub(crate) async fn spooled(&self) {
        self.spool.holding().await;
    }

    /// How many bytes of traffic wait on the disk.
    pub fn waiting_bytes(&self) -> u64 {
        self.spool.bytes()
    }

    /// How many batches are lost, or parts of how many: the upstream refused them for good, or they were
    /// damaged on the disk.
    pub(crate) fn lost_batches(&self) -> u64 {
        self.lost.load(Ordering::Relaxed) + self.spool.lost()
    }

    /// Makes do with what is on the disk where the upstream has not told more within `grace`. Never
    /// ends.
    pub(crate) async fn make_do(self: Arc<Self>, grace: Duration) {
        if !self.mirror().heads().is_empty() {
            let _too_late = timeout(grace, self.known()).await;
            self.known.send_replace(true);
        }
        std::future::pending().await
    }

    /// Resolves once something is known of the environments.
    pub(crate) async fn known(&self) {
        let mut known = self.known.subscribe();
        // An error means that this is gone, and whoever waits with it.
        drop(known.wait_for(|known| *known).await);
    }

    /// What another relay's key opens, as the store of record says.
    pub(crate) async fn relay_scope(&self, secret: &str) -> Result<Option<Opened>, Unavailable> {
        let asked = self.ask(|question| ToUpstream::FindRelay {
            question,
            secret: Secret(secret.to_owned()),
        });
        match asked.await? {
            ToRelay::FoundRelay { answer, .. } => found(answer),
            _ => Err(away()),
        }
    }

    /// Tells the upstream something, where it is there; says whether.
    pub(crate) fn tell(&self, message: ToUpstream) -> bool {
        let link = self.link.borrow().clone();
        link.is_some_and(|link| link.tell(message))
    }

    /// Asks the upstream, and waits for the answer.
    async fn ask(&self, question: impl FnOnce(u64) -> ToUpstream) -> Result<ToRelay, Unavailable> {
        let link = self.link.borrow().clone().ok_or_else(away)?;
        let number = self.questions.fetch_add(1, Ordering::Relaxed);
        link.ask(number, question(number)).await.ok_or_else(away)
    }

    /// Sends a batch, and waits until it is stored, or refused for good.
    async fn send(&self, batch: &Batch) -> Result<sink::Taken, Unavailable> {
        let link = self.link.borrow().clone().ok_or_else(away)?;
        let stored = tokio::time::timeout(STORING, link.store(batch.clone()));
        match stored.await.ok().flatten().ok_or_else(away)? {
            Stored::Taken(taken) => Ok(sink::Taken {
                known_users: taken.known_users,
                event_names: taken.event_names,
            }),
            Stored::Partly => {
                self.lost.fetch_add(1, Ordering::Relaxed);
                Ok(sink::Taken::default())
            }
            // Who sends it again and again sends nothing else.
            Stored::Refused(reason) => {
                tracing::error!(reason, "the upstream never stores a batch: it is lost");
                self.lost.fetch_add(1, Ordering::Relaxed);
                Ok(sink::Taken::default())
            }
        }
    }

    /// Is done with the connection: what waits for an answer of the upstream waits no longer.
    pub(crate) fn let_go(&self) {
        if let Some(link) = self.link.send_replace(None) {
            link.end();
        }
    }

    /// Takes what the upstream told of environments.
    pub(crate) fn learn(&self, whole: Whole) {
        let id = whole.environment.clone();
        self.mirror().put(whole);
        self.learned(id);
    }

    /// Takes environments in the place of what was known of them, each in one step.
    pub(crate) fn adopt(&self, environments: Mirror) {
        let heads = environments.heads();
        self.mirror().adopt(environments);
        heads
            .into_iter()
            .for_each(|it| self.learned(it.environment));
    }

    pub(crate) fn learned(&self, id: String) {
        lock(&self.dirty).insert(id);
        self.to_keep.notify_one();
        self.told.send_modify(|count| *count += 1);
    }

    /// Lets go of environments that are not the relay's any more.
    pub(crate) fn narrow(&self, scope: BTreeSet<String>) {
        for id in self.mirror().keep(&scope) {
            self.learned(id);
        }
    }

    /// Sends what waits on the disk, in its order, for as long as the connection is there.
    pub(crate) async fn empty_spool(&self) {
        let mut link = self.link.subscribe();
        // An error means that this is gone. What is waited for is locked for as long as it is held.
        drop(link.wait_for(Option::is_some).await);
        let mut pause = FIRST_PAUSE;
        loop {
            match tokio::task::block_in_place(|| self.spool.first()) {
                Ok(None) => {
                    self.spool.holding().await;
                    continue;
                }
                Ok(Some(batch)) if self.send(&batch).await.is_ok() => {
                    tokio::task::block_in_place(|| self.spool.pop());
                    pause = FIRST_PAUSE;
                    continue;
                }
                // The upstream is there, and cannot store it now.
                Ok(Some(_)) => {}
                Err(error) => tracing::warn!(%error, "traffic on the disk has to wait"),
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    pub(crate) fn mirror(&self) -> MutexGuard<'_, Mirror> {
        lock(&self.mirror)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn found<T>(answer: Answer<T>) -> Result<Option<T>, Unavailable> {
    match answer {
        Answer::Is(found) => Ok(Some(found)),
        Answer::None => Ok(None),
        Answer::Unavailable => Err(Unavailable("the upstream cannot say".into())),
    }
}

fn away() -> Unavailable {
    Unavailable("the upstream is away".into())
}

impl Source for Upstream {
    fn environments(&self) -> BoxFuture<'_, Result<Vec<Head>, Unavailable>> {
        Box::pin(async {
            // Until then nothing is known, and an empty list would be a lie.
            self.known().await;
            Ok(self.mirror().heads())
        })
    }

    fn state<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<State>, Unavailable>> {
        Box::pin(async move { Ok(self.mirror().state(id)) })
    }

    fn changes<'a>(
        &'a self,
        id: &'a str,
        from: Position,
    ) -> BoxFuture<'a, Result<Changes, Unavailable>> {
        Box::pin(async move { Ok(self.mirror().changes(id, from)) })
    }

    fn find_key<'a>(
        &'a self,
        secret: &'a str,
    ) -> BoxFuture<'a, Result<Option<(String, KeyKind)>, Unavailable>> {
        Box::pin(async move {
            let asked = self.ask(|question| ToUpstream::Find {
                question,
                secret: Secret(secret.to_owned()),
            });
            let answer = match asked.await? {
                ToRelay::Found { answer, .. } => found(answer)?,
                _ => return Err(away()),
            };
            Ok(answer.map(|(environment, kind)| (environment, kind.into())))
        })
    }

    fn is_record(&self) -> bool {
        false
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        let mut told = self.told.subscribe();
        Box::pin(async move {
            if told.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}

impl Sink for Upstream {
    fn write<'a>(
        &'a self,
        batch: &'a sink::Batch,
    ) -> BoxFuture<'a, Result<sink::Taken, Unavailable>> {
        Box::pin(async move {
            let batch = Batch::from(batch);
            // What waits goes first: whoever counts on an order finds it.
            if self.spool.is_empty()
                && let Ok(taken) = self.send(&batch).await
            {
                return Ok(taken);
            }
            let spooled = tokio::task::block_in_place(|| self.spool.push(&batch));
            spooled.map_err(|error| Unavailable(error.to_string()))?;
            Ok(sink::Taken::default())
        })
    }

    fn keys_used<'a>(&'a self, secrets: &'a [Box<str>]) -> BoxFuture<'a, Result<(), Unavailable>> {
        Box::pin(async {
            let secrets = secrets.iter().map(|it| Secret(it.to_string()));
            // What nobody hears is to be told again.
            match self.tell(ToUpstream::KeysUsed(secrets.collect())) {
                true => Ok(()),
                false => Err(away()),
            }
        })
    }
}

#[cfg(test)]
mod tests;
