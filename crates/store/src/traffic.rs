//! Traffic: what the edge learns of end users, evaluations, exposures and metric events.
//!
//! It lies apart from the truth (on SQLite in a file of its own, with its own writer; on
//! PostgreSQL in tables of its own, over its own connections), so that a toggle never waits behind
//! a batch. A batch is written whole in one transaction together with its sender and sequence: one
//! that is sent again is not counted again. A row that the database refuses is left out and
//! counted; it does not take its batch with it.
//!
//! What is written borrows its texts from whoever hands it in: a batch is in memory once.

mod activity;
mod counts;
mod decisions;
mod delivery;
mod first;
mod names;
mod read;
mod roll_up;
mod statements;
mod storable;
mod users;
mod write;

pub use activity::{FlagActivity, VariationActivity};
pub use counts::{CountQuery, Grain};
pub use decisions::{DECISION_DAYS, DECISIONS, DecisionQuery, LoggedDecision};
pub use delivery::{DeliveryNode, DeliveryTold, SILENT};
pub use read::{CountAt, EndUser};
pub use roll_up::RolledUp;
pub use users::{Known, Sample, UserPage, UserSearch};
pub use write::Written;

pub(crate) use activity::Noted;
pub(crate) use decisions::Untrimmed;

use std::borrow::Cow;

use burgee_domain::position::Position;
use burgee_eval::time::Millis;

use crate::Store;

/// How many different event names an environment may have.
pub const EVENT_NAMES: usize = 10_000;

/// A user that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserSeen<'a> {
    /// The environment's id.
    pub environment: Cow<'a, str>,
    /// The user's key.
    pub key: Cow<'a, str>,
    /// The display name, perhaps empty.
    pub name: Cow<'a, str>,
    /// (name, value), in the order given.
    pub properties: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// What they are besides their texts, a letter for each ([`burgee_eval::user::Type::write`]).
    pub types: Cow<'a, str>,
    /// When.
    pub at: Millis,
}

/// Evaluations of one variation in one minute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count<'a> {
    /// The environment's id.
    pub environment: Cow<'a, str>,
    /// The flag's key.
    pub flag: Cow<'a, str>,
    /// The flag's id: when a key is used again, it is another flag's.
    pub flag_id: Cow<'a, str>,
    /// The variation's id.
    pub variation: Cow<'a, str>,
    /// When; any moment of the minute.
    pub minute: Millis,
    /// How many; a minute holds 2^40 of them.
    pub count: u64,
}

/// A user got a variation of a flag that is tracked or in an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exposure<'a> {
    /// The environment's id.
    pub environment: Cow<'a, str>,
    /// The flag's key.
    pub flag: Cow<'a, str>,
    /// The flag's id: when a key is used again, it is another flag's.
    pub flag_id: Cow<'a, str>,
    /// The variation's id.
    pub variation: Cow<'a, str>,
    /// The user's key.
    pub user: Cow<'a, str>,
    /// Whether it counts for an experiment.
    pub experiment: bool,
    /// The first time.
    pub first: Millis,
    /// The last time.
    pub last: Millis,
}

/// A metric event.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricEvent<'a> {
    /// The environment's id.
    pub environment: Cow<'a, str>,
    /// The user's key.
    pub user: Cow<'a, str>,
    /// The event's name.
    pub event: Cow<'a, str>,
    /// Its number; 1 where none was given.
    pub value: f64,
    /// `route` as sent.
    pub route: Cow<'a, str>,
    /// `type` as sent.
    pub kind: Cow<'a, str>,
    /// `appType` as sent.
    pub app_type: Cow<'a, str>,
    /// When, as the client says.
    pub at: Millis,
}

/// What a user was given of a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision<'a> {
    /// The environment's id.
    pub environment: Cow<'a, str>,
    /// The user's key.
    pub user: Cow<'a, str>,
    /// The flag's key.
    pub flag: Cow<'a, str>,
    /// The flag's id: when a key is used again, it is another flag's.
    pub flag_id: Cow<'a, str>,
    /// The variation's id.
    pub variation: Cow<'a, str>,
    /// How it was given, e.g. `stream`.
    pub surface: Cow<'a, str>,
    /// Why, e.g. `rule`; none where an SDK says only what.
    pub reason: Option<Cow<'a, str>>,
    /// The rule's id, where it was one.
    pub rule: Option<Cow<'a, str>>,
    /// Where the environment stood; none where an SDK says only what.
    pub position: Option<Position>,
    /// When.
    pub at: Millis,
}

/// What is written in one transaction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch<'a> {
    /// Who sends: unique per process start.
    pub sender: Cow<'a, str>,
    /// Counts the sender's batches.
    pub sequence: i64,
    /// When it is written. A batch is known as repeated for 92 days; whatever its sender sends after
    /// it is to come within two days of it, or after it.
    pub at: Millis,
    /// End users.
    pub users: Vec<UserSeen<'a>>,
    /// Evaluation counts.
    pub counts: Vec<Count<'a>>,
    /// Exposures.
    pub exposures: Vec<Exposure<'a>>,
    /// Metric events.
    pub metrics: Vec<MetricEvent<'a>>,
    /// Decisions.
    pub decisions: Vec<Decision<'a>>,
}

/// The traffic's tables; made by [`Store::traffic`].
#[derive(Clone, Copy, Debug)]
pub struct Traffic<'a> {
    store: &'a Store,
}

impl Store {
    /// The traffic's tables.
    pub fn traffic(&self) -> Traffic<'_> {
        Traffic { store: self }
    }
}
