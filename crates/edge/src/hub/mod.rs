//! All environments and keys that the edge knows, kept up to date from a [`Source`].
//!
//! The feed ([`Hub::run`]) is the only writer; everybody else reads: which environment a secret
//! opens ([`Hub::lookup`]), what an environment serves ([`Environment::current`]), and what happens
//! next ([`Hub::subscribe`]).

mod asking;
mod feed;
mod keys;
mod refresh;
mod usage;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio_util::sync::CancellationToken;

use crate::credential::{Credential, Refused};
use crate::environment::{Encoded, Environment, Update};
use crate::metrics::{LookedUp, LookupResult, Metrics};
use crate::source::{KeyKind, Position, SdkKey, Source, Unavailable};

pub use asking::{Asking, REFUSED_FOR};

/// How long [`Hub::ask`] waits for the feed to bring a key that the store has.
const ARRIVAL: Duration = Duration::from_secs(5);

/// Names a valid SDK key in this process, in four bytes: what a connection remembers of it, so
/// that revoking the key finds the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub u32);

/// What a valid secret gives access to.
#[derive(Clone)]
pub struct Access {
    /// The environment that the key belongs to.
    pub environment: Arc<Environment>,
    /// What it may do.
    pub kind: KeyKind,
    /// Which key it is.
    pub key: KeyId,
}

/// What is known of a secret without asking anyone.
#[derive(Clone)]
pub enum Lookup {
    /// It is valid.
    Known(Access),
    /// It is not; the store of record said so within the last seconds. Close 4003 / answer 401.
    Unknown,
    /// Not known here: [`Hub::ask`].
    Ask,
}

/// What driver loops are told. Events of one environment come in order.
#[derive(Clone)]
pub enum Event {
    /// An environment moved on.
    Update(Arc<Update>),
    /// Keys were revoked: connections that came with one of them are closed 4003.
    Revoked {
        /// Where they belonged.
        environment: Arc<Environment>,
        /// Which.
        keys: Arc<[KeyId]>,
    },
    /// An environment is not served any more.
    Gone {
        /// Which.
        environment: Arc<Environment>,
        /// Whether it was deleted: its connections are closed 4003. Otherwise 1001: it may be
        /// served elsewhere, and whoever comes back is told.
        deleted: bool,
    },
}

type Listener = Arc<dyn Fn(Event) + Send + Sync>;

/// The registry. Cheap to share; everything in it may be called from any thread.
pub struct Hub {
    source: Arc<dyn Source>,
    metrics: Arc<Metrics>,
    environments: RwLock<HashMap<Arc<str>, Arc<Environment>>>,
    keys: keys::Keys,
    asking: Asking<(String, KeyKind)>,
    listeners: ArcSwap<Vec<Listener>>,
    /// Tells the feed that there is something to fetch.
    wake: Notify,
    /// Tells those who wait that the feed brought something.
    progressed: Notify,
    ready: AtomicBool,
    stopping: AtomicBool,
}

impl Hub {
    /// An empty registry over a source; [`Self::run`] fills it.
    pub fn new(source: Arc<dyn Source>, metrics: Arc<Metrics>) -> Arc<Self> {
        Arc::new(Self {
            source,
            metrics,
            environments: RwLock::default(),
            keys: keys::Keys::default(),
            asking: Asking::default(),
            listeners: ArcSwap::default(),
            wake: Notify::new(),
            progressed: Notify::new(),
            ready: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
        })
    }

    /// What is known of a secret now. Never waits.
    pub fn lookup(&self, secret: &str) -> Lookup {
        match self.keys.get(secret) {
            Some(access) => Lookup::Known(access),
            None if secret.len() > asking::LONGEST_SECRET => Lookup::Unknown,
            None if self.asking.is_refused(secret) => Lookup::Unknown,
            None => Lookup::Ask,
        }
    }

    /// What the key with this secret opens event streams with, from `now` on, in ms since 1970. It
    /// is made once in its time.
    pub fn credential(&self, secret: &str, now: i64) -> Box<str> {
        self.keys.credential(secret, now)
    }

    /// Asks the store of record about a secret that [`Self::lookup`] does not know. `None`: it said
    /// that there is no such key. Bounded: fails at once where too many wait already. A key that
    /// the store has is awaited from the feed, which alone says what is valid here.
    ///
    /// A key can be revoked between this answer and its use: whoever goes on elsewhere with the
    /// answer (a driver loop) does a [`Self::lookup`] there.
    pub async fn ask(&self, secret: &str) -> Result<Option<Access>, Unavailable> {
        match self.lookup(secret) {
            Lookup::Known(access) => return Ok(Some(access)),
            Lookup::Unknown => return Ok(None),
            Lookup::Ask => {}
        }
        // Asked only by the one who asks for all that wait.
        let question = async { self.source.find_key(secret).await };
        let answer = match self.asking.ask(secret, question).await {
            // The key may have been made, and told, while the answer was on its way.
            Ok(None) => Ok(self.keys.get(secret)),
            Ok(Some(_)) => self.arrival(secret).await.map(Some),
            Err(unavailable) => Err(unavailable),
        };
        let result = match &answer {
            Ok(Some(_)) => LookupResult::Known,
            Ok(None) => LookupResult::Unknown,
            Err(_) => LookupResult::Unavailable,
        };
        self.metrics
            .lookups
            .get_or_create(&LookedUp { result })
            .inc();
        answer
    }

    /// What the credential of an event stream opens now, in ms since 1970. Never waits. Nobody is
    /// asked about a key that is not known here: the store knows secrets, not names, and whoever
    /// asks for flags by the key is given a new credential.
    ///
    /// # Errors
    /// Where it opens nothing.
    pub fn opened(&self, credential: &Credential, now: i64) -> Result<Access, Refused> {
        self.keys.opened(credential, now)
    }

    async fn arrival(&self, secret: &str) -> Result<Access, Unavailable> {
        self.wake.notify_one();
        let arrived = self.until(|| self.keys.get(secret));
        let late = |_| Unavailable("the key's environment is not here yet".into());
        tokio::time::timeout(ARRIVAL, arrived).await.map_err(late)
    }

    /// There are connections of these keys.
    pub(crate) fn in_use(&self, keys: &HashSet<KeyId>) {
        self.keys.used(keys);
    }

    /// The environment of this id.
    pub fn environment(&self, id: &str) -> Option<Arc<Environment>> {
        let environments = self
            .environments
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        environments.get(id).cloned()
    }

    /// The keys of an environment that are valid now, in the order of their secrets; none where it
    /// is not served.
    pub fn keys_of(&self, environment: &str) -> Vec<SdkKey> {
        self.keys.of(environment)
    }

    /// Adds a listener for all further events. It is called on the feed's task and must not wait:
    /// it puts the event into a queue and wakes a loop.
    pub fn subscribe(&self, listener: impl Fn(Event) + Send + Sync + 'static) {
        let listener: Listener = Arc::new(listener);
        self.listeners.rcu(|listeners| {
            let mut listeners = Vec::clone(listeners);
            listeners.push(Arc::clone(&listener));
            listeners
        });
    }

    /// Keeps the registry up to date until `shutdown`. To be run once.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        let feed = feed::Feed::new(self);
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = feed.run() => {}
        }
    }

    /// Resolves once this edge serves the environment at `version` or later: so that whoever made a
    /// change can wait until it is out. Never resolves for an environment that does not come.
    pub async fn caught_up(&self, environment: &str, version: i64) {
        self.until(|| {
            let environment = self.environment(environment)?;
            (environment.current().position().version >= version).then_some(())
        })
        .await;
    }

    /// What an environment is once it is as `wanted`. Never resolves where it does not become so.
    pub async fn becomes(
        &self,
        environment: &Environment,
        wanted: impl Fn(&Encoded) -> bool,
    ) -> Arc<Encoded> {
        self.until(|| Some(environment.current()).filter(|state| wanted(state)))
            .await
    }

    /// Resolves once this edge does not serve the environment, and none of its keys is good here:
    /// so that whoever deleted it can wait until it is gone.
    pub async fn gone(&self, environment: &str) {
        self.until(|| self.environment(environment).is_none().then_some(()))
            .await;
    }

    /// Resolves when the feed has brought something, whatever it is.
    pub fn progress(&self) -> Notified<'_> {
        self.progressed.notified()
    }

    /// Where all environments stand that are served, by id.
    pub fn positions(&self) -> BTreeMap<String, Position> {
        let environments = self
            .environments
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let all = environments.iter();
        all.map(|(id, it)| (id.to_string(), it.current().position()))
            .collect()
    }

    /// Whether everything was loaded once since the start (or tried and found wanting).
    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    /// The process is about to end: who asks whether it is ready is told that it is not.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
    }

    /// Whether it is.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// Resolves once [`Self::is_ready`] holds.
    pub async fn ready(&self) {
        self.until(|| self.is_ready().then_some(())).await;
    }

    /// Waits until the feed has brought what `look` looks for.
    async fn until<T>(&self, look: impl Fn() -> Option<T>) -> T {
        loop {
            let mut progressed = std::pin::pin!(self.progressed.notified());
            progressed.as_mut().enable();
            if let Some(found) = look() {
                return found;
            }
            progressed.await;
        }
    }

    fn insert(&self, environment: Arc<Environment>) {
        let mut environments = self
            .environments
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        environments.insert(Arc::clone(environment.id()), environment);
        self.metrics.environments.set(environments.len() as i64);
    }

    /// Lets go of an environment that is no more.
    fn remove(&self, id: &str) {
        let Some(environment) = self.environment(id) else {
            return;
        };
        {
            let mut all = self
                .environments
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            self.keys.set(&environment, &[]);
            all.remove(id);
            self.metrics.environments.set(all.len() as i64);
        }
        let deleted = self.source.is_record();
        self.publish(Event::Gone {
            environment,
            deleted,
        });
        self.progressed.notify_waiters();
    }

    /// Lets go of all environments but those that are still there.
    fn retain(&self, there: impl Fn(&str) -> bool) {
        let gone: Vec<Arc<str>> = {
            let all = self
                .environments
                .read()
                .unwrap_or_else(PoisonError::into_inner);
            all.keys().filter(|id| !there(id)).cloned().collect()
        };
        for id in gone {
            self.remove(&id);
        }
    }

    /// Makes these the environment's keys and tells of those that were revoked.
    fn set_keys(&self, environment: &Arc<Environment>, keys: &[SdkKey]) {
        let revoked = self.keys.set(environment, keys);
        self.tell_of_keys(environment, keys, revoked);
    }

    /// The same where the environment is still served; false where it is not, because it went while
    /// its news was on the way: its keys must not come back.
    fn renew_keys(&self, environment: &Arc<Environment>, keys: &[SdkKey]) -> bool {
        let all = self
            .environments
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let held = all.get(environment.id());
        if !held.is_some_and(|held| Arc::ptr_eq(held, environment)) {
            return false;
        }
        let revoked = self.keys.set(environment, keys);
        drop(all);
        self.tell_of_keys(environment, keys, revoked);
        true
    }

    fn tell_of_keys(&self, environment: &Arc<Environment>, keys: &[SdkKey], revoked: Vec<KeyId>) {
        self.asking
            .forget(keys.iter().map(|key| key.secret.as_str()));
        if !revoked.is_empty() {
            let environment = Arc::clone(environment);
            self.publish(Event::Revoked {
                environment,
                keys: revoked.into(),
            });
        }
    }

    fn publish(&self, event: Event) {
        for listener in self.listeners.load().iter() {
            listener(event.clone());
        }
    }
}
