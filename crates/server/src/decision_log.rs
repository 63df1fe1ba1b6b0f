//! Where decisions go besides the database: whoever keeps them elsewhere, for longer, takes them from
//! here.
//!
//! What is given on is what this server stored, relays' decisions among it, once each: not what the
//! database had already by another server, nor what it did not take yet. What a server stored and
//! did not hear of, since it died or its database fell silent, is given on by none where it is sent
//! again to another one. Nobody waits for an outlet; what it has no
//! room for is dropped and counted.

mod file;
mod line;

use std::fmt;
use std::sync::Arc;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

pub use burgee_edge::sink::Decision;
pub use file::{DecisionFile, FileConfig};
pub use line::Line;

/// Something that takes decisions.
pub trait Outlet: Send + Sync + fmt::Debug {
    /// Takes them, or counts that it does not; never waits.
    fn take(&self, decisions: &[Decision]);

    /// Writes what it has, within seconds, and takes no more. Waits for that.
    fn close(&self);
}

/// All that take decisions, and what is counted of them.
#[derive(Clone, Debug, Default)]
pub struct Outlets {
    /// Each of them.
    pub all: Vec<Arc<dyn Outlet>>,
    /// What they count.
    pub counters: Counters,
}

impl Outlets {
    /// Gives decisions to each.
    pub(crate) fn take(&self, decisions: &[Decision]) {
        if decisions.is_empty() {
            return;
        }
        for outlet in &self.all {
            outlet.take(decisions);
        }
    }

    /// Closes each.
    pub(crate) async fn close(&self) {
        let all = self.all.clone();
        let closing = move || all.iter().for_each(|it| it.close());
        // It can fail by a panic alone, which is in the log.
        let _closed = tokio::task::spawn_blocking(closing).await;
    }
}

/// Label: which outlet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct To {
    to: &'static str,
}

/// How many decisions went out, and how many did not.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    written: Family<To, Counter>,
    dropped: Family<To, Counter>,
}

impl Counters {
    /// So many were written to an outlet of this name.
    pub fn written(&self, to: &'static str, count: usize) {
        self.written.get_or_create(&To { to }).inc_by(count as u64);
    }

    /// So many were dropped.
    pub fn dropped(&self, to: &'static str, count: usize) {
        self.dropped.get_or_create(&To { to }).inc_by(count as u64);
    }

    /// The text that Prometheus reads (OpenMetrics).
    pub(crate) fn encode(&self) -> String {
        let mut registry = Registry::with_prefix("burgee_decision_log");
        let (written, dropped) = (self.written.clone(), self.dropped.clone());
        registry.register("written", "Decisions given on, by where to", written);
        registry.register("dropped", "Decisions that could not be given on", dropped);
        let mut text = String::new();
        // Writing to memory cannot fail.
        let encoded = encode(&mut text, &registry);
        debug_assert!(encoded.is_ok());
        text
    }
}
