//! What a relay counts besides its edge.

use std::sync::Arc;

use burgee_edge::metrics::{Metrics, joined};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::upstream::Upstream;

/// The text of `/metrics`.
pub(super) fn text(
    edge: Arc<Metrics>,
    upstream: Option<Arc<Upstream>>,
) -> impl Fn() -> String + Clone + Send + Sync + 'static {
    move || match &upstream {
        Some(upstream) => joined(&edge.encode(), &own(upstream)),
        None => edge.encode(),
    }
}

fn own(upstream: &Upstream) -> String {
    let mut registry = Registry::with_prefix("burgee_relay");
    let (connected, spool): (Gauge, Gauge) = Default::default();
    connected.set(upstream.is_connected().into());
    spool.set(i64::try_from(upstream.waiting_bytes()).unwrap_or(i64::MAX));
    registry.register(
        "upstream_connected",
        "Whether the upstream is there: 1, or 0",
        connected,
    );
    registry.register(
        "spool_bytes",
        "Traffic that waits on the disk for the upstream",
        spool,
    );
    let lost: Counter = Counter::default();
    lost.inc_by(upstream.lost_batches());
    registry.register(
        "batches_lost",
        "Batches of traffic that the upstream refused for good, all or a part of them, or that were \
         damaged on the disk",
        lost,
    );
    let mut text = String::new();
    // Writing to a text does not fail.
    let _ok = encode(&mut text, &registry);
    text
}
