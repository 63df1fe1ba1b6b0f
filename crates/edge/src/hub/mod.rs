//! All environments and keys that the edge knows, kept up to date from a [`Source`].

use std::sync::Arc;

use crate::environment::{Environment, Update};
use crate::source::{KeyKind, Source, Unavailable};
use tokio_util::sync::CancellationToken;

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
    /// An environment was deleted: its connections are closed 4003.
    Gone(Arc<Environment>),
}

/// The registry. Cheap to share; everything in it may be called from any thread.
pub struct Hub {
    source: Arc<dyn Source>,
}

impl Hub {
    /// An empty registry over a source; [`Self::run`] fills it.
    pub fn new(source: Arc<dyn Source>) -> Arc<Self> {
        Arc::new(Self { source })
    }

    /// What is known of a secret now. Never waits.
    pub fn lookup(&self, _secret: &str) -> Lookup {
        Lookup::Ask
    }

    /// Asks the store of record about a secret that [`Self::lookup`] does not know. `None`: it said
    /// that there is no such key. Bounded: fails at once where too many wait already.
    ///
    /// A key can be revoked between this answer and its use: whoever goes on elsewhere with the
    /// answer (a driver loop) does a [`Self::lookup`] there.
    pub async fn ask(&self, secret: &str) -> Result<Option<Access>, Unavailable> {
        self.source.find_key(secret).await.map(|_| None)
    }

    /// Adds a listener for all further events. It is called on the feed's task and must not wait:
    /// it puts the event into a queue and wakes a loop.
    pub fn subscribe(&self, listener: impl Fn(Event) + Send + Sync + 'static) {
        let _ = Box::new(listener);
    }

    /// Keeps the registry up to date until `shutdown`.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        shutdown.cancelled().await;
    }

    /// Resolves once this edge serves the environment at `version` or later: so that whoever made a
    /// change can wait until it is out. Never resolves for an environment that does not come.
    pub async fn caught_up(&self, _environment: &str, _version: i64) {}

    /// Whether the source was read once since the start.
    pub fn is_ready(&self) -> bool {
        false
    }
}
