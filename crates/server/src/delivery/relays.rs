//! What relays tell of their connections, on its way to the database.
//!
//! A relay has no database; the server that hears of it writes for it, and lets what several tell in a
//! moment go in at once. In the tables a relay is named by the key of who told of it and its own id: ids
//! are made by relays, and nobody may speak for somebody else's.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use burgee_edge::delivery::{EnvironmentReport, NodeKind, NodeReport};
use burgee_store::dialect::Clock;
use burgee_store::traffic::{DeliveryNode, DeliveryTold};
use burgee_store::{Store, StoreError};
use tokio::sync::Notify;
use tokio::time::sleep;

use super::{kind, row};
use crate::app::now;
use crate::late::LateStore;

/// The pause between two writes. Short beside the second between two reports of a relay, which by NATS
/// come to different servers: the older one is not to be written last.
const PAUSE: Duration = Duration::from_millis(200);

/// So many environments of all relays may wait; what comes beyond is told again anyway.
const WAITING: usize = 100_000;

/// So many of those that one key told of, which leaves the others theirs.
const WAITING_OF_A_KEY: usize = WAITING / 10;

/// In a key's place where relays came by NATS, which knows of none.
const NATS: &str = "nats";

/// Keeps what relays tell.
pub struct RelayFigures {
    /// The server that relays without a parent hang on.
    node: String,
    waiting: Mutex<Waiting>,
    some: Notify,
}

#[derive(Default)]
struct Waiting {
    relays: HashMap<String, Told>,
    /// How many environments, by who told of them.
    environments: HashMap<String, usize>,
}

impl Waiting {
    /// Whether there is no place for more of what is told by one.
    fn is_full(&self, by: &str) -> bool {
        let all: usize = self.environments.values().sum();
        let own = self.environments.get(by).copied().unwrap_or_default();
        all >= WAITING || (own >= WAITING_OF_A_KEY && by != NATS)
    }
}

/// What is to be written of a relay.
struct Told {
    node: DeliveryNode,
    environments: BTreeMap<String, EnvironmentReport>,
}

impl RelayFigures {
    /// Nothing waits. `node` names this server.
    pub fn new(node: String) -> Self {
        Self {
            node,
            waiting: Mutex::default(),
            some: Notify::new(),
        }
    }

    /// Takes what a relay told with a key (by its id) or, where none is named, by NATS.
    pub fn take(&self, key: Option<&str>, report: NodeReport) {
        let by = key.unwrap_or(NATS);
        let named = |id: &str| format!("{by}/{id}");
        let parent = report.parent.as_deref().map(named);
        let node = DeliveryNode {
            node: named(&report.node),
            kind: kind(NodeKind::Relay).to_owned(),
            name: report.name,
            // NATS is no node.
            parent: parent.or_else(|| key.map(|_| self.node.clone())),
        };
        let mut waiting = self.waiting();
        let waiting = &mut *waiting;
        if waiting.is_full(by) {
            return;
        }
        let told = waiting.relays.entry(node.node.clone());
        let told = told.or_insert_with(|| Told {
            node: node.clone(),
            environments: BTreeMap::new(),
        });
        told.node = node;
        let before = told.environments.len();
        told.environments.extend(report.environments);
        let more = told.environments.len() - before;
        *waiting.environments.entry(by.to_owned()).or_default() += more;
        self.some.notify_one();
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what comes. Never ends.
    pub async fn run(&self, store: LateStore) {
        let mut failing = false;
        loop {
            self.some.notified().await;
            if let Some(store) = store.get() {
                let waiting = std::mem::take(&mut *self.waiting());
                let written = write(&store, waiting.relays.into_values()).await;
                if let Err(error) = &written
                    && !failing
                {
                    tracing::warn!(%error, "what relays tell of their connections is not written");
                }
                failing = written.is_err();
            }
            sleep(PAUSE).await;
        }
    }
}

async fn write(store: &Store, all: impl Iterator<Item = Told>) -> Result<(), StoreError> {
    let all = all.map(|told| {
        let rows = told.environments.iter();
        let rows = rows.filter_map(|(id, report)| row(id, report)).collect();
        (told.node, rows)
    });
    let all: Vec<(DeliveryNode, Vec<DeliveryTold>)> = all.collect();
    let clock = Clock::Shared(now());
    store.traffic().tell_deliveries(&all, clock).await
}

/// A node as people are shown it: a relay by the id that it has in the list of relays.
pub(super) fn shown(node: DeliveryNode) -> DeliveryNode {
    DeliveryNode {
        node: own(node.node),
        parent: node.parent.map(own),
        ..node
    }
}

/// An id without whose it is.
fn own(id: String) -> String {
    match id.split_once('/') {
        Some((_, own)) => own.to_owned(),
        None => id,
    }
}
