//! What relays tell of their connections, on its way to the database.
//!
//! A relay has no database; the server that hears of it writes for it, and lets what several tell in a
//! moment go in one after the other. In the tables a relay is named by who it belongs to and its own
//! id: ids are made by relays, and nobody may speak for somebody else's.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use burgee_edge::delivery::{EnvironmentReport, NodeKind, NodeReport};
use burgee_store::dialect::Clock;
use burgee_store::traffic::DeliveryNode;
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

/// To whom relays belong that came by NATS.
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
    environments: usize,
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

    /// Takes what a relay told, of an organization (by id) or, where none is named, by NATS.
    pub fn take(&self, organization: Option<&str>, report: NodeReport) {
        let whose = organization.unwrap_or(NATS);
        let named = |id: &str| format!("{whose}/{id}");
        let parent = report.parent.as_deref().map(named);
        let node = DeliveryNode {
            node: named(&report.node),
            kind: kind(NodeKind::Relay).to_owned(),
            name: report.name,
            // NATS is no node.
            parent: parent.or_else(|| organization.map(|_| self.node.clone())),
        };
        let mut waiting = self.waiting();
        let waiting = &mut *waiting;
        if waiting.environments >= WAITING {
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
        waiting.environments += told.environments.len() - before;
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
    for told in all {
        let rows = told.environments.iter();
        let rows: Vec<_> = rows.filter_map(|(id, report)| row(id, report)).collect();
        let clock = Clock::Shared(now());
        let traffic = store.traffic();
        traffic.tell_deliveries(&told.node, &rows, clock).await?;
    }
    Ok(())
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
