//! What the edge counts, for Prometheus.
//!
//! Labels have few values by construction (enums, close codes of the protocol): nothing that a
//! stranger sends becomes a label.

mod listener;

use std::fmt;
use std::sync::atomic::{AtomicI64, AtomicU64};

use prometheus_client::encoding::text::{encode, encode_registry};
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

pub use listener::{joined, serve};

use crate::delivery::Delivery;
use crate::driver::{DeliveryTimes, Loops};
use crate::environment::Sync;
use crate::source::KeyKind;
use crate::tls::Validity;

/// All counters of one edge. Counting never waits.
pub struct Metrics {
    registry: Registry,
    /// How long deliveries took: named apart, because relays and servers tell of the same.
    deliveries: Registry,
    /// How far connections have come: who wants to know asks.
    pub delivery: Delivery,
    /// What the streaming loops count.
    pub loops: Loops,
    /// Answers to data-sync messages and polls.
    pub syncs: Family<Synced, Counter>,
    /// Secrets that had to be looked up in the store of record.
    pub lookups: Family<LookedUp, Counter>,
    /// Environments served.
    pub environments: Gauge<i64, AtomicI64>,
    /// Environments that could not be brought up to date and are tried again.
    pub environments_failing: Gauge<i64, AtomicI64>,
    /// Since when the source cannot be read, in seconds since 1970; 0 while it can.
    pub stale_since: Gauge<f64, AtomicU64>,
    /// From when on the TLS certificate is good, in seconds since 1970; 0 without TLS.
    pub tls_start: Gauge<f64, AtomicU64>,
    /// When it ends, in seconds since 1970; 0 without TLS.
    pub tls_expiry: Gauge<f64, AtomicU64>,
    /// 1 while the files of the certificate cannot be used, and the one before is served on.
    pub tls_refused: Gauge<i64, AtomicI64>,
    /// Traffic taken in, by what it is.
    pub traffic_accepted: Family<What, Counter>,
    /// What clients sent that broke a rule and was passed over; [`Self::refuse`] counts.
    pub traffic_refused: Family<Refused, Counter>,
    /// Traffic lost to a full buffer or at shutdown.
    pub traffic_dropped: Family<What, Counter>,
    /// Batches that the sink did not take and that are sent again.
    pub traffic_retries: Counter,
}

/// Labels of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Synced {
    /// `client` or `server`.
    pub kind: KeyKind,
    /// `full` or `patch`.
    pub sync: Sync,
}

/// Label: what the store of record said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct LookedUp {
    /// What it said.
    pub result: LookupResult,
}

/// What the store of record said about a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LookupResult {
    /// It is valid.
    Known,
    /// There is none.
    Unknown,
    /// It could not be asked, or too many were waiting.
    Unavailable,
}

/// Label: a sort of traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct What {
    /// Which.
    pub what: Traffic,
}

/// A sort of traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Traffic {
    /// An end user, new or changed or not seen for a day.
    User,
    /// An evaluation.
    Evaluation,
    /// An exposure.
    Exposure,
    /// A metric event.
    Metric,
    /// A decision.
    Decision,
}

/// Label: why traffic was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Refused {
    /// The rule that it broke.
    pub reason: Reason,
}

/// The rule that refused traffic broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(
    non_camel_case_types,
    reason = "label values are written as they stand"
)]
pub enum Reason {
    /// The body of a request is too large or no JSON list.
    Body,
    /// An entry of a body is not in the protocol's shape.
    Entry,
    /// A message on a stream is not in the protocol's shape.
    Message,
    /// A message on a stream is of no type that we know.
    MessageType,
    /// A user without a key, or with one that is too long.
    UserKey,
    /// A user's name is too long; the user is taken without.
    UserName,
    /// A property is too long, one too many or no property; the user is taken without.
    Property,
    /// Too many new users with one SDK key in an hour.
    NewUsers,
    /// The flag is not in the environment.
    UnknownFlag,
    /// The variation is not one of the flag's.
    UnknownVariation,
    /// An event without a name, or with one that is too long.
    EventName,
    /// Too many different event names in the environment.
    EventNames,
}

/// Gives each value of a label its text.
macro_rules! label_values {
    ($($label:ident { $($value:ident => $text:literal),* $(,)? })*) => {$(
        impl EncodeLabelValue for $label {
            fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> Result<(), fmt::Error> {
                fmt::Write::write_str(encoder, match self {
                    $(Self::$value => $text,)*
                })
            }
        }
    )*};
}

label_values! {
    KeyKind { Client => "client", Server => "server" }
    Sync { Full => "full", Patch => "patch" }
    LookupResult { Known => "known", Unknown => "unknown", Unavailable => "unavailable" }
    Traffic {
        User => "user",
        Evaluation => "evaluation",
        Exposure => "exposure",
        Metric => "metric",
        Decision => "decision",
    }
    Reason {
        Body => "body",
        Entry => "entry",
        Message => "message",
        MessageType => "message_type",
        UserKey => "user_key",
        UserName => "user_name",
        Property => "property",
        NewUsers => "new_users",
        UnknownFlag => "unknown_flag",
        UnknownVariation => "unknown_variation",
        EventName => "event_name",
        EventNames => "event_names",
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("burgee_edge");
        let loops = Loops::default();
        registry.register_collector(Box::new(loops.clone()));
        let mut deliveries = Registry::with_prefix("burgee_delivery");
        deliveries.register_collector(Box::new(DeliveryTimes(loops.clone())));
        macro_rules! registered {
            ($name:literal, $help:literal) => {{
                let metric = Default::default();
                register(&mut registry, $name, $help, &metric);
                metric
            }};
        }
        Self {
            loops,
            syncs: registered!("syncs", "Answers to data-sync messages and polls"),
            lookups: registered!("key_lookups", "SDK keys looked up in the store of record"),
            environments: registered!("environments", "Environments served"),
            environments_failing: registered!(
                "environments_failing",
                "Environments that cannot be brought up to date now"
            ),
            stale_since: registered!(
                "stale_since_timestamp_seconds",
                "Since when the source of changes cannot be read; 0 while it can"
            ),
            tls_start: registered!(
                "tls_certificate_start_timestamp_seconds",
                "From when on the TLS certificate that is served is good; 0 without TLS"
            ),
            tls_expiry: registered!(
                "tls_certificate_expiry_timestamp_seconds",
                "When the TLS certificate that is served ends; 0 without TLS"
            ),
            tls_refused: registered!(
                "tls_files_refused",
                "Whether the certificate's files cannot be used and the one before is served on"
            ),
            traffic_accepted: registered!("traffic_accepted", "Traffic taken in"),
            traffic_refused: registered!(
                "traffic_refused",
                "What clients sent that broke a rule and was passed over"
            ),
            traffic_dropped: registered!("traffic_dropped", "Traffic lost under pressure"),
            traffic_retries: registered!("traffic_retries", "Batches sent again to the sink"),
            registry,
            deliveries,
            delivery: Delivery::default(),
        }
    }
}

fn register<M>(registry: &mut Registry, name: &str, help: &str, metric: &M)
where
    M: Clone + prometheus_client::registry::Metric,
{
    registry.register(name, help, metric.clone());
}

impl Metrics {
    /// A certificate is served that is good for so long.
    pub(crate) fn serves(&self, validity: Validity) {
        self.tls_start.set(validity.begins as f64);
        self.tls_expiry.set(validity.ends as f64);
    }

    /// Counts what clients sent and broke a rule. Nothing of what they sent is written anywhere.
    pub fn refuse(&self, reason: Reason, count: u64) {
        tracing::debug!(?reason, count, "passed over what a client sent");
        self.traffic_refused
            .get_or_create(&Refused { reason })
            .inc_by(count);
    }

    /// The text that Prometheus reads (OpenMetrics).
    pub fn encode(&self) -> String {
        let mut text = String::new();
        // Writing to memory cannot fail.
        let written = encode_registry(&mut text, &self.deliveries);
        debug_assert!(written.is_ok());
        let written = encode(&mut text, &self.registry);
        debug_assert!(written.is_ok());
        text
    }
}
