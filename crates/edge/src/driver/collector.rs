//! The loops' counters, as Prometheus reads them.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use prometheus_client::registry::Unit;

use super::{Counters, latency};
use crate::delivery::Level;

/// The counters of all loops that run, and of what is beside them, added up when they are read.
#[derive(Clone, Debug, Default)]
pub struct Loops(Arc<Mutex<Vec<Arc<Counters>>>>);

impl Loops {
    /// Adds a loop's counters.
    pub(super) fn add(&self, counters: Arc<Counters>) {
        let mut loops = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        loops.push(counters);
    }

    /// Whether one of them does not go on: its connections are served by nobody.
    pub(crate) fn stand_still(&self) -> bool {
        let loops = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        loops.iter().any(|counters| counters.pulse.is_still())
    }
}

type Read = fn(&Counters) -> &AtomicU64;

/// One metric: name, help, and its values, each with the value of its label.
struct Line {
    name: &'static str,
    help: &'static str,
    kind: MetricType,
    /// The label's name; there is one value without a label where it is empty.
    label: &'static str,
    values: &'static [(&'static str, Read)],
}

const fn counter(name: &'static str, help: &'static str, values: &'static [(&str, Read)]) -> Line {
    labelled(name, help, "", values)
}

const fn gauge(name: &'static str, help: &'static str, values: &'static [(&str, Read)]) -> Line {
    let kind = MetricType::Gauge;
    Line {
        kind,
        ..counter(name, help, values)
    }
}

const fn labelled(
    name: &'static str,
    help: &'static str,
    label: &'static str,
    values: &'static [(&str, Read)],
) -> Line {
    let kind = MetricType::Counter;
    Line {
        name,
        help,
        kind,
        label,
        values,
    }
}

const LINES: &[Line] = &[
    gauge(
        "sockets",
        "Sockets held, in whatever phase",
        &[("", |c| &c.sockets)],
    ),
    Line {
        kind: MetricType::Gauge,
        ..labelled(
            "connections",
            "Open streaming connections",
            "kind",
            &[
                ("client", |c| &c.connections.client),
                ("server", |c| &c.connections.server),
            ],
        )
    },
    gauge(
        "event_streams",
        "Open streaming connections that are event streams of OFREP's",
        &[("", |c| &c.listeners)],
    ),
    gauge(
        "connections_waiting",
        "Connections that wait for their turn with a large state",
        &[("", |c| &c.waiting)],
    ),
    counter("accepted", "Sockets accepted", &[("", |c| &c.accepted)]),
    counter(
        "accept_errors",
        "Failures to accept, for want of descriptors or memory",
        &[("", |c| &c.accept_errors)],
    ),
    labelled(
        "refused",
        "Sockets refused for a while, by what there was too much of",
        "reason",
        &[
            ("sockets", |c| &c.refused.sockets),
            ("key", |c| &c.refused.key),
            ("handshake", |c| &c.refused.handshake),
            ("descriptors", |c| &c.refused.descriptors),
            ("overload", |c| &c.refused.overload),
        ],
    ),
    labelled(
        "tls_handshakes",
        "TLS handshakes that came to an end",
        "result",
        &[("done", |c| &c.tls.done), ("failed", |c| &c.tls.failed)],
    ),
    counter(
        "http_connections",
        "Sockets handed to the HTTP server",
        &[("", |c| &c.handed_over)],
    ),
    counter(
        "http_refused",
        "Sockets refused because the HTTP server had too many, and requests over HTTP/2",
        &[("", |c| &c.http_refused)],
    ),
    counter(
        "received_bytes",
        "Bytes read by the streaming loops",
        &[("", |c| &c.bytes_in)],
    ),
    counter(
        "sent_bytes",
        "Bytes written by the streaming loops",
        &[("", |c| &c.bytes_out)],
    ),
    labelled(
        "pushes",
        "Pushes to connections",
        "kind",
        &[
            ("client", |c| &c.pushes.client),
            ("server", |c| &c.pushes.server),
        ],
    ),
    counter(
        "pushes_skipped",
        "Pushes that slow readers were spared; they get the newest state later",
        &[("", |c| &c.pushes_skipped)],
    ),
    labelled(
        "dropped",
        "Connections dropped without a close frame",
        "reason",
        &[
            ("slow", |c| &c.dropped_slow),
            ("silent", |c| &c.dropped_silent),
        ],
    ),
    labelled(
        "closes",
        "Streaming connections closed by the server",
        "code",
        &[
            ("1001", |c| &c.closed_1001),
            ("1002", |c| &c.closed_1002),
            ("1003", |c| &c.closed_1003),
            ("1007", |c| &c.closed_1007),
            ("1009", |c| &c.closed_1009),
            ("1011", |c| &c.closed_1011),
            ("4003", |c| &c.closed_4003),
        ],
    ),
    counter(
        "closed_by_peer",
        "Connections that their peers ended",
        &[("", |c| &c.closed_by_peer)],
    ),
    labelled(
        "closed_before_sync",
        "Connections that ended before their first data-sync was answered",
        "reason",
        &[
            ("busy", |c| &c.unsynced.busy),
            ("peer", |c| &c.unsynced.peer),
            ("silent", |c| &c.unsynced.silent),
            ("slow", |c| &c.unsynced.slow),
            ("refused", |c| &c.unsynced.refused),
            ("unavailable", |c| &c.unsynced.unavailable),
            ("protocol", |c| &c.unsynced.protocol),
            ("shutdown", |c| &c.unsynced.shutdown),
        ],
    ),
];

impl Collector for Loops {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let loops = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for line in LINES {
            let mut metric = encoder.encode_descriptor(line.name, line.help, None, line.kind)?;
            for (value, read) in line.values {
                let sum = loops
                    .iter()
                    .map(|counters| read(counters).load(Relaxed))
                    .sum();
                if line.label.is_empty() {
                    encode(line.kind, sum, metric)?;
                    break;
                }
                encode(
                    line.kind,
                    sum,
                    metric.encode_family(&[(line.label, *value)])?,
                )?;
            }
        }
        Ok(())
    }
}

/// How long deliveries took, over all loops.
#[derive(Debug)]
pub struct DeliveryTimes(pub Loops);

impl Collector for DeliveryTimes {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let loops = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (level, name, help) in [
            (
                Level::Written,
                "written",
                "From a commit until the version was written to a connection that was there",
            ),
            (
                Level::Received,
                "received",
                "From a commit until a connection was known to have received the version, which \
                 shows at its next message",
            ),
        ] {
            let unit = Unit::Seconds;
            let kind = MetricType::Histogram;
            let mut metric = encoder.encode_descriptor(name, help, Some(&unit), kind)?;
            let times = loops.iter().map(|counters| counters.delivered.of(level));
            let (seconds, how_many, counts) = latency::sum(times);
            metric.encode_histogram::<NoLabelSet>(seconds, how_many, &counts, None)?;
        }
        Ok(())
    }
}

fn encode(kind: MetricType, value: u64, encoder: MetricEncoder<'_>) -> fmt::Result {
    match kind {
        MetricType::Gauge => ConstGauge::new(value as i64).encode(encoder),
        _ => ConstCounter::new(value).encode(encoder),
    }
}
