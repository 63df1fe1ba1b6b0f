//! What a server counts of its backbone.

use std::sync::atomic::AtomicU64;
use std::time::{SystemTime, UNIX_EPOCH};

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::Fault;

/// Whether NATS has what the database has. Cheap to clone; all clones are the same counters.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Since when nothing can be published, in seconds since 1970; 0 while all is.
    stale_since: Gauge<f64, AtomicU64>,
    /// 1 while NATS is another installation's.
    foreign: Gauge,
}

impl Counters {
    /// All that the database has is published.
    pub(super) fn published(&self) {
        self.stale_since.set(0.0);
        self.foreign.set(0);
    }

    /// Nothing can be published now.
    pub(super) fn failed(&self, fault: &Fault) {
        self.foreign.set(matches!(fault, Fault::Foreign(_)).into());
        if self.stale_since.get() == 0.0 {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            self.stale_since.set(now.unwrap_or_default().as_secs_f64());
        }
    }

    /// The text that Prometheus reads (OpenMetrics).
    pub fn encode(&self) -> String {
        let mut registry = Registry::with_prefix("burgee_backbone");
        registry.register(
            "stale_since_timestamp_seconds",
            "Since when changes are not published to NATS; 0 while they are, and without a backbone",
            self.stale_since.clone(),
        );
        registry.register(
            "foreign",
            "Whether NATS belongs to another installation, so that nothing is published: 1, or 0",
            self.foreign.clone(),
        );
        let mut text = String::new();
        // Writing to a text does not fail.
        let _ok = encode(&mut text, &registry);
        text
    }
}
