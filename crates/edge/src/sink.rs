//! Where what the edge learns goes: end users, counts, exposures, metric events.

use crate::source::{BoxFuture, Unavailable};

/// A user that was seen, new or changed or not seen for a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserSeen {
    /// Where.
    pub environment: String,
    /// The user's key.
    pub key: String,
    /// The display name, perhaps empty.
    pub name: String,
    /// (name, value), in the order given.
    pub properties: Vec<(String, String)>,
    /// When, in ms since 1970.
    pub at: i64,
}

/// Evaluations of one variation in one minute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// Where.
    pub environment: String,
    /// The flag's key.
    pub flag: String,
    /// The flag's id: when a key is used again, it is another flag's.
    pub flag_id: String,
    /// The variation's id.
    pub variation: String,
    /// The minute: ms since 1970, a multiple of 60,000.
    pub minute: i64,
    /// How many.
    pub count: u64,
}

/// A user got a variation of a flag that is tracked or in an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exposure {
    /// Where.
    pub environment: String,
    /// The flag's key.
    pub flag: String,
    /// The flag's id: when a key is used again, it is another flag's.
    pub flag_id: String,
    /// The variation's id.
    pub variation: String,
    /// The user's key.
    pub user: String,
    /// Whether it counts for an experiment.
    pub experiment: bool,
    /// First time in this batch, ms since 1970.
    pub first: i64,
    /// Last time in this batch, ms since 1970.
    pub last: i64,
}

/// A metric event, kept whole.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricEvent {
    /// Where.
    pub environment: String,
    /// The user's key.
    pub user: String,
    /// The event's name.
    pub event: String,
    /// Its number; 1 where none was given.
    pub value: f64,
    /// `route` as sent, e.g. `index/metric`.
    pub route: String,
    /// `type` as sent, e.g. `CustomEvent`.
    pub kind: String,
    /// `appType` as sent.
    pub app_type: String,
    /// When, ms since 1970, as the client says.
    pub at: i64,
}

/// What is written in one transaction. (sender, sequence) is stored with it: a batch that is sent
/// again is not counted again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Who sends: unique per process start.
    pub sender: String,
    /// Counts the sender's batches.
    pub sequence: i64,
    /// End users.
    pub users: Vec<UserSeen>,
    /// Evaluation counts, one entry per (environment, flag, variation, minute).
    pub counts: Vec<Count>,
    /// Exposures, one entry per (environment, flag, variation, user).
    pub exposures: Vec<Exposure>,
    /// Metric events.
    pub metrics: Vec<MetricEvent>,
}

/// Takes batches. Implemented by the server over its store; by a relay over its upstream.
pub trait Sink: Send + Sync + 'static {
    /// Stores a batch whole, or nothing of it.
    fn write<'a>(&'a self, batch: &'a Batch) -> BoxFuture<'a, Result<(), Unavailable>>;
}
