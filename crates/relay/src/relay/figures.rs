//! How far versions came among this relay's connections: told upstream, once a second what moved.
//!
//! What is told can get lost on the way up, and whoever kept it too: so all is told again when there
//! is another connection, and every half a minute.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use burgee_edge::delivery::{Delivery, EnvironmentReport, NodeKind, NodeReport, Reporter, TOLD};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::message::ToUpstream;
use crate::upstream::{Line, Upstream};

/// How often it is told what moved, at most.
const EVERY: Duration = Duration::from_secs(1);

/// How often the relay says that it lives, where nothing moves.
const BEAT: Duration = Duration::from_secs(10);

/// How often all is told again.
const AGAIN: Duration = Duration::from_secs(30);

/// So many environments are told of in one message.
const AT_ONCE: usize = 200;

/// What is to be told.
struct Telling {
    upstream: Arc<Upstream>,
    link: watch::Receiver<Option<Arc<dyn Line>>>,
    reporter: Reporter,
    pending: BTreeMap<Arc<str>, EnvironmentReport>,
    /// Environments that were told of with connections.
    known: BTreeSet<Arc<str>>,
    /// When something was told last, and when all.
    told: Option<Instant>,
    told_all: Option<Instant>,
}

/// Tells the upstream until `stop`, and then that there are no connections any more.
pub(super) async fn tell(upstream: Arc<Upstream>, delivery: Delivery, stop: CancellationToken) {
    let mut telling = Telling {
        link: upstream.link.subscribe(),
        upstream,
        reporter: Reporter::new(delivery, TOLD),
        pending: BTreeMap::new(),
        known: BTreeSet::new(),
        told: None,
        told_all: None,
    };
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        telling.look().await;
    }
    telling.end();
}

impl Telling {
    async fn look(&mut self) {
        self.pending.extend(self.reporter.moved().await);
        let renewed = self.link.has_changed().unwrap_or_default();
        if self.link.borrow_and_update().is_none() {
            self.told_all = None;
            return;
        }
        let all = self.told_all.filter(|_| !renewed);
        if all.is_none_or(|at| at.elapsed() >= AGAIN) {
            self.add_all();
        }
        let silent = self.told.is_none_or(|at| at.elapsed() >= BEAT);
        if silent || !self.pending.is_empty() {
            self.send();
        }
    }

    /// All that is known, and of the first time also where nobody is: this relay may have been here
    /// before.
    fn add_all(&mut self) {
        for (id, report) in self.reporter.all() {
            self.pending.entry(id).or_insert(report);
        }
        if self.told.is_none() {
            for head in self.upstream.mirror().heads() {
                self.pending.entry(head.environment.into()).or_default();
            }
        }
        self.told_all = Some(Instant::now());
    }

    /// Sends what is to be told; what does not go waits for the next second.
    fn send(&mut self) {
        loop {
            let some = self.pending.iter().take(AT_ONCE);
            let some: Vec<_> = some.map(|(id, it)| (id.to_string(), it.clone())).collect();
            if !self.upstream.tell(self.report(some.clone())) {
                return;
            }
            self.told = Some(Instant::now());
            for (id, report) in some {
                self.pending.remove(&*id);
                match report.connections {
                    0 => self.known.remove(&*id),
                    _ => self.known.insert(id.into()),
                };
            }
            if self.pending.is_empty() {
                return;
            }
        }
    }

    fn end(&mut self) {
        let known = std::mem::take(&mut self.known);
        let none = |id| (id, EnvironmentReport::default());
        self.pending = known.into_iter().map(none).collect();
        if self.link.borrow().is_some() {
            self.send();
        }
    }

    fn report(&self, environments: Vec<(String, EnvironmentReport)>) -> ToUpstream {
        let agent = self.upstream.agent();
        ToUpstream::Delivery(NodeReport {
            node: agent.id.clone(),
            kind: NodeKind::Relay,
            name: agent.name.clone(),
            parent: None,
            environments,
        })
    }
}
