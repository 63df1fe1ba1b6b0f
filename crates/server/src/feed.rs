//! The edge's source and sink inside the server: the store next door.
//!
//! Only translation happens here; what a change is, and in which order, the store decides.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use burgee_domain::model::{self, SdkKeyKind};
use burgee_domain::position;
use burgee_edge::source::{
    BoxFuture, Changes, Delta, Head, KeyKind, Position, SdkKey, Source, State, Unavailable,
};
use burgee_edge::trace::Trace;
use burgee_relay::kept::Kept;
use burgee_store::{Store, StoreError, edge};
use rand::RngExt;
use tokio::sync::{Mutex, watch};

use crate::late::LateStore;

/// After what time a lost connection for other nodes' notifications is made anew, about: not by all
/// nodes at one moment.
const RETRY: Duration = Duration::from_secs(1);

/// Feeds the edge from the store; until that is open, from what was kept on the disk.
pub struct LocalSource {
    store: LateStore,
    /// Commits that this process knows of, once the store is open.
    commits: Mutex<Option<watch::Receiver<u64>>>,
    kept: Option<Kept>,
    /// Whether the edge was told what was kept; from then on it hears that nobody can be asked.
    told: AtomicBool,
    /// Whether it was made to ask again, so that it knows that what it has may be old.
    doubted: AtomicBool,
}

impl LocalSource {
    /// A source over `store`, and what was kept.
    pub fn new(store: LateStore, kept: Option<Kept>) -> Self {
        Self {
            commits: Mutex::new(store.get().map(|store| store.changed())),
            store,
            kept,
            told: AtomicBool::new(false),
            doubted: AtomicBool::new(false),
        }
    }

    /// What was kept, for as long as the store is not open.
    fn kept(&self) -> Option<&Kept> {
        self.kept.as_ref().filter(|_| self.store.get().is_none())
    }
}

impl Source for LocalSource {
    fn environments(&self) -> BoxFuture<'_, Result<Vec<Head>, Unavailable>> {
        Box::pin(async {
            if let Some(kept) = self.kept()
                && !self.told.swap(true, Relaxed)
            {
                return Ok(kept.environments());
            }
            let heads = self.store.there()?.edge().heads().await;
            let heads = heads.map_err(unavailable)?;
            Ok(heads.into_iter().map(head).collect())
        })
    }

    fn state<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<State>, Unavailable>> {
        Box::pin(async move {
            if let Some(kept) = self.kept() {
                return Ok(kept.state(id));
            }
            let found = self.store.there()?.edge().state(id).await;
            Ok(found.map_err(unavailable)?.map(state))
        })
    }

    fn changes<'a>(
        &'a self,
        id: &'a str,
        from: Position,
    ) -> BoxFuture<'a, Result<Changes, Unavailable>> {
        Box::pin(async move {
            let from = position::Position {
                version: from.version,
                digest: from.digest,
            };
            let changes = self
                .store
                .there()?
                .edge()
                .changes(id, from)
                .await
                .map_err(unavailable)?;
            Ok(match changes {
                edge::Changes::Since(changed) => Changes::Since(delta(changed)),
                edge::Changes::Reload(all) => Changes::Reload(state(all)),
                edge::Changes::Gone => Changes::Gone,
            })
        })
    }

    fn find_key<'a>(
        &'a self,
        secret: &'a str,
    ) -> BoxFuture<'a, Result<Option<(String, KeyKind)>, Unavailable>> {
        Box::pin(async move {
            let found = self
                .store
                .there()?
                .edge()
                .find_key(secret)
                .await
                .map_err(unavailable)?;
            Ok(found.map(|(environment, kind)| (environment.to_string(), key_kind(kind))))
        })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let kept = self.kept().is_some() && self.told.load(Relaxed);
            if kept && !self.doubted.swap(true, Relaxed) {
                return;
            }
            let mut commits = self.commits.lock().await;
            let Some(commits) = &mut *commits else {
                *commits = Some(self.store.opened().await.changed());
                // It may all be new.
                return;
            };
            // An error means that the store is gone, and with it everything that could change.
            if commits.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}

/// Hears of other processes' commits: looks for them, and on a shared database listens to other
/// nodes, again where the connection is lost. Never ends.
pub async fn listen(store: Store) {
    let listening = async {
        loop {
            if let Err(error) = store.listen().await {
                tracing::warn!(%error, "not listening to other nodes: looking only, trying again");
            }
            let share = rand::rng().random_range(0.5..=1.5);
            tokio::time::sleep(RETRY.mul_f64(share)).await;
        }
    };
    tokio::join!(listening, store.look_for_commits(), store.look_for_scopes());
}

/// For the edge every fault of the store is one: it goes on with what it has.
pub(crate) fn unavailable(error: StoreError) -> Unavailable {
    Unavailable(error.to_string())
}

fn head(head: edge::Head) -> Head {
    Head {
        environment: head.environment.to_string(),
        position: place(head.position),
    }
}

fn place(position: position::Position) -> Position {
    Position {
        version: position.version,
        digest: position.digest,
    }
}

pub(crate) fn state(state: edge::State) -> State {
    State {
        environment: state.environment.id.to_string(),
        position: place(state.environment.position),
        committed_at: state.at,
        trace: traced(state.trace),
        last_stamp: state.environment.last_stamp,
        flags: state.flags,
        segments: state.segments,
        keys: keys(state.keys),
        decision_sample: state.environment.decisions.millionths(),
    }
}

fn delta(delta: edge::Delta) -> Delta {
    Delta {
        position: place(delta.environment.position),
        committed_at: delta.at,
        trace: traced(delta.trace),
        last_stamp: delta.environment.last_stamp,
        flags: delta.flags,
        segments: delta.segments,
        keys: delta.keys.map(keys),
        decision_sample: delta.environment.decisions.millionths(),
    }
}

/// What is no trace is none: a version is served whatever was written beside it.
fn traced(trace: Option<String>) -> Option<Trace> {
    trace.and_then(|text| text.parse().ok())
}

fn keys(keys: Vec<model::SdkKey>) -> Vec<SdkKey> {
    let key = |key: model::SdkKey| SdkKey {
        secret: key.secret,
        kind: key_kind(key.kind),
    };
    keys.into_iter().map(key).collect()
}

fn key_kind(kind: SdkKeyKind) -> KeyKind {
    match kind {
        SdkKeyKind::Client => KeyKind::Client,
        SdkKeyKind::Server => KeyKind::Server,
    }
}
