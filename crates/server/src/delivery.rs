//! How far versions came, on all nodes: what this one tells the others, and what they told.
//!
//! Once a second the figures of the environments that moved are written to the database, one row for
//! each (`burgee_store::traffic`, `deliveries`). Of this node they are asked for when somebody wants to
//! know; of the others they are read there, at most a second old. What relays tell is written for them
//! ([`RelayFigures`]).

mod relays;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use burgee_edge::delivery::{Delivery, EnvironmentReport, NodeKind, Reporter, TOLD};
use burgee_store::dialect::Clock;
use burgee_store::traffic::{DeliveryNode, DeliveryTold, SILENT};
use burgee_store::{Store, StoreError};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

use crate::app::now;

pub use relays::RelayFigures;

/// How often others are told of what moved, at most.
const EVERY: Duration = Duration::from_secs(1);

/// How often a node says that it lives, where nothing moves.
const BEAT: Duration = Duration::from_millis(SILENT as u64 / 3);

/// How often it is looked for nodes that are gone.
const SWEEP: Duration = Duration::from_secs(60);

/// How long a node that ends tries to say so.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the database may take to answer: its network can fall silent.
const ANSWER: Duration = Duration::from_secs(20);

/// So many are known of this node.
const KNOWN: usize = 256;

/// This node among the others.
pub struct Deliveries {
    /// Its own connections.
    pub delivery: Delivery,
    /// What others know it by.
    pub node: DeliveryNode,
}

/// What a node has of an environment.
pub struct OfNode {
    /// Which node.
    pub node: DeliveryNode,
    /// Whether it is the one that answers.
    pub is_this: bool,
    /// Its figures.
    pub report: EnvironmentReport,
}

impl Deliveries {
    /// This process, of this name among them, which listens there.
    pub fn new(node: &str, delivery: Delivery, listening: SocketAddr) -> Self {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = Some(host.trim()).filter(|it| !it.is_empty());
        let node = DeliveryNode {
            node: node.to_owned(),
            kind: kind(NodeKind::Server).to_owned(),
            name: format!("{}:{}", host.unwrap_or("server"), listening.port()),
            parent: None,
        };
        Self { delivery, node }
    }

    /// What all nodes have of an environment (by id): this one first, the others by name. Those
    /// without connections there are left out, but for this one.
    pub async fn of(&self, store: &Store, environment: &str) -> Result<Vec<OfNode>, StoreError> {
        let clock = Clock::Shared(now());
        let told = store.traffic().deliveries(environment, clock).await?;
        let report = self.delivery.environment(environment, KNOWN).await;
        let others = told
            .into_iter()
            .filter(|(node, told)| node.node != self.node.node && told.connections > 0);
        let others = others.filter_map(|(node, told)| match serde_json::from_str(&told.report) {
            Ok(report) => Some(OfNode {
                node: relays::shown(node),
                is_this: false,
                report,
            }),
            Err(error) => {
                tracing::warn!(%error, node = node.name, "a node's figures are not readable here");
                None
            }
        });
        let this = OfNode {
            node: self.node.clone(),
            is_this: true,
            report,
        };
        Ok(std::iter::once(this).chain(others).collect())
    }

    /// Tells the others what moves here, until `stop`; then that it has ended.
    pub async fn tell(self: Arc<Self>, store: Store, stop: CancellationToken) {
        let mut telling = Telling {
            reporter: Reporter::new(self.delivery.clone(), TOLD),
            pending: BTreeMap::new(),
            told: None,
            failing: false,
        };
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut swept = Instant::now();
        while stop.run_until_cancelled(ticks.tick()).await.is_some() {
            let telling = timeout(ANSWER, telling.tell(&store, &self.node));
            if stop.run_until_cancelled(telling).await.is_none() {
                break;
            }
            if swept.elapsed() >= SWEEP {
                swept = Instant::now();
                let traffic = store.traffic();
                let sweeping = timeout(ANSWER, traffic.sweep_deliveries(Clock::Shared(now())));
                if let Some(Ok(Err(error))) = stop.run_until_cancelled(sweeping).await {
                    tracing::debug!(%error, "figures of nodes that are gone were not deleted");
                }
            }
        }
        let traffic = store.traffic();
        let ending = timeout(PATIENCE, traffic.end_deliveries(&self.node.node));
        if !matches!(ending.await, Ok(Ok(()))) {
            tracing::debug!("the others were not told that this node ends");
        }
    }
}

/// What is to be told.
struct Telling {
    reporter: Reporter,
    pending: BTreeMap<Arc<str>, EnvironmentReport>,
    /// When the others were told last.
    told: Option<Instant>,
    /// Said once, not each second.
    failing: bool,
}

impl Telling {
    async fn tell(&mut self, store: &Store, node: &DeliveryNode) {
        self.pending.extend(self.reporter.moved().await);
        let silent = self.told.map(|at| at.elapsed());
        if self.pending.is_empty() && silent.is_some_and(|silent| silent < BEAT) {
            return;
        }
        if silent.is_none_or(|silent| silent >= Duration::from_millis(SILENT as u64)) {
            // The others may have forgotten this node meanwhile.
            for (id, report) in self.reporter.all() {
                self.pending.entry(id).or_insert(report);
            }
        }
        let rows = self
            .pending
            .iter()
            .filter_map(|(id, report)| row(id, report));
        let told = [(node.clone(), rows.collect())];
        let (traffic, clock) = (store.traffic(), Clock::Shared(now()));
        match traffic.tell_deliveries(&told, clock).await {
            Ok(()) => {
                self.pending.clear();
                self.told = Some(Instant::now());
                self.failing = false;
            }
            Err(error) if !self.failing => {
                tracing::warn!(%error, "other nodes are not told how far versions came");
                self.failing = true;
            }
            Err(_) => {}
        }
    }
}

fn row(environment: &str, report: &EnvironmentReport) -> Option<DeliveryTold> {
    match serde_json::to_string(report) {
        Ok(text) => Some(DeliveryTold {
            environment: environment.to_owned(),
            connections: i64::try_from(report.connections).unwrap_or(i64::MAX),
            report: text,
        }),
        Err(error) => {
            tracing::error!(%error, "figures of connections cannot be written");
            None
        }
    }
}

fn kind(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Server => "server",
        NodeKind::Relay => "relay",
    }
}
