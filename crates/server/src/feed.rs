//! The edge's source and sink inside the server: the store next door.
//!
//! Only translation happens here; what a change is, and in which order, the store decides.

use std::time::Duration;

use burgee_domain::model::{self, SdkKeyKind};
use burgee_domain::position;
use burgee_edge::source::{
    BoxFuture, Changes, Delta, Head, KeyKind, Position, SdkKey, Source, State, Unavailable,
};
use burgee_store::{Store, StoreError, edge};
use tokio::sync::{Mutex, watch};

/// After what time a lost connection for other nodes' notifications is made anew.
const RETRY: Duration = Duration::from_secs(1);

/// Feeds the edge from the store.
pub struct LocalSource {
    store: Store,
    /// Commits that this process knows of.
    commits: Mutex<watch::Receiver<u64>>,
}

impl LocalSource {
    /// A source over `store`.
    pub fn new(store: Store) -> Self {
        let commits = Mutex::new(store.changed());
        Self { store, commits }
    }
}

impl Source for LocalSource {
    fn environments(&self) -> BoxFuture<'_, Result<Vec<Head>, Unavailable>> {
        Box::pin(async {
            let heads = self.store.edge().heads().await.map_err(unavailable)?;
            Ok(heads.into_iter().map(head).collect())
        })
    }

    fn state<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<State>, Unavailable>> {
        Box::pin(async move {
            let found = self.store.edge().state(id).await.map_err(unavailable)?;
            Ok(found.map(state))
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
                .edge()
                .find_key(secret)
                .await
                .map_err(unavailable)?;
            Ok(found.map(|(environment, kind)| (environment.to_string(), key_kind(kind))))
        })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            // An error means that the store is gone, and with it everything that could change.
            if self.commits.lock().await.changed().await.is_err() {
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
            tokio::time::sleep(RETRY).await;
        }
    };
    tokio::join!(listening, store.look_for_commits());
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
        last_stamp: state.environment.last_stamp,
        flags: state.flags,
        segments: state.segments,
        keys: keys(state.keys),
    }
}

fn delta(delta: edge::Delta) -> Delta {
    Delta {
        position: place(delta.environment.position),
        last_stamp: delta.environment.last_stamp,
        flags: delta.flags,
        segments: delta.segments,
        keys: delta.keys.map(keys),
    }
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
