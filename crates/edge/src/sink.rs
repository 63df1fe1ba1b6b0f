//! Where what the edge learns goes: end users, counts, exposures, metric events, decisions.
//!
//! Tens of thousands of these may wait at once (a herd of new users, a database that is away), so
//! each is kept as compactly as a held connection's user: texts packed, environments shared.

use std::sync::Arc;

use crate::hub::KeyId;
use crate::session::user::KeptUser;
use crate::source::{BoxFuture, Position, Unavailable};
use crate::texts::Texts;

/// A user that was seen, new or changed or not seen for a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserSeen {
    /// Where.
    pub environment: Arc<str>,
    /// Key, name and properties.
    pub user: KeptUser,
    /// The SDK key (of this process) that it counts as a new user of, where it does.
    pub new_by: Option<KeyId>,
    /// When, in ms since 1970.
    pub at: i64,
}

/// Evaluations of one variation in one minute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// Where.
    pub environment: Arc<str>,
    /// The flag's key.
    pub flag: Box<str>,
    /// The flag's id: when a key is used again, it is another flag's.
    pub flag_id: Box<str>,
    /// The variation's id.
    pub variation: Box<str>,
    /// The minute: ms since 1970, a multiple of 60,000.
    pub minute: i64,
    /// How many.
    pub count: u64,
}

/// A user got a variation of a flag that is tracked or in an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exposure {
    /// Where.
    pub environment: Arc<str>,
    pub(crate) texts: Texts,
    /// Whether it counts for an experiment.
    pub experiment: bool,
    /// First time in this batch, ms since 1970.
    pub first: i64,
    /// Last time in this batch, ms since 1970.
    pub last: i64,
}

/// An exposure's texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExposureTexts<'a> {
    /// The flag's key.
    pub flag: &'a str,
    /// The flag's id: when a key is used again, it is another flag's.
    pub flag_id: &'a str,
    /// The variation's id.
    pub variation: &'a str,
    /// The user's key.
    pub user: &'a str,
}

impl ExposureTexts<'_> {
    pub(crate) fn pack(&self) -> Texts {
        Texts::new([self.flag, self.flag_id, self.variation, self.user].into_iter())
    }
}

impl Exposure {
    /// Packs an exposure; `times` are the first and the last, in ms since 1970.
    pub fn new(
        environment: Arc<str>,
        texts: ExposureTexts<'_>,
        experiment: bool,
        (first, last): (i64, i64),
    ) -> Self {
        Self {
            environment,
            texts: texts.pack(),
            experiment,
            first,
            last,
        }
    }

    /// Who got what.
    pub fn texts(&self) -> ExposureTexts<'_> {
        let [flag, flag_id, variation, user] = self.texts.first();
        ExposureTexts {
            flag,
            flag_id,
            variation,
            user,
        }
    }
}

/// A metric event, kept whole.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricEvent {
    /// Where.
    pub environment: Arc<str>,
    texts: Texts,
    /// Its number; 1 where none was given.
    pub value: f64,
    /// When, ms since 1970, as the client says.
    pub at: i64,
}

/// A metric event's texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricTexts<'a> {
    /// The user's key.
    pub user: &'a str,
    /// The event's name.
    pub event: &'a str,
    /// `route` as sent, e.g. `index/metric`.
    pub route: &'a str,
    /// `type` as sent, e.g. `CustomEvent`.
    pub kind: &'a str,
    /// `appType` as sent.
    pub app_type: &'a str,
}

impl MetricEvent {
    /// Packs an event; `at` in ms since 1970.
    pub fn new(environment: Arc<str>, texts: MetricTexts<'_>, value: f64, at: i64) -> Self {
        let MetricTexts {
            user,
            event,
            route,
            kind,
            app_type,
        } = texts;
        Self {
            environment,
            texts: Texts::new([user, event, route, kind, app_type].into_iter()),
            value,
            at,
        }
    }

    /// Who did what.
    pub fn texts(&self) -> MetricTexts<'_> {
        let [user, event, route, kind, app_type] = self.texts.first();
        MetricTexts {
            user,
            event,
            route,
            kind,
            app_type,
        }
    }

    pub(crate) fn heap_size(&self) -> usize {
        self.texts.heap_size()
    }
}

/// How a user was given a variation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    /// A client SDK's stream.
    Stream,
    /// A client SDK that polls.
    Poll,
    /// OFREP, one flag or all.
    Ofrep,
    /// `featureflag/evaluate`.
    Evaluate,
    /// By an SDK, which says so.
    Track,
}

impl Surface {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Poll => "poll",
            Self::Ofrep => "ofrep",
            Self::Evaluate => "evaluate",
            Self::Track => "track",
        }
    }
}

/// What a user was given of a flag, where the environment logs decisions of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Where.
    pub environment: Arc<str>,
    texts: Texts,
    /// Where the environment stood; none where an SDK says only what it gave.
    pub position: Option<Position>,
    /// When, ms since 1970.
    pub at: i64,
}

/// A decision's texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecisionTexts<'a> {
    /// The user's key.
    pub user: &'a str,
    /// The flag's key.
    pub flag: &'a str,
    /// The flag's id: when a key is used again, it is another flag's.
    pub flag_id: &'a str,
    /// The variation's id.
    pub variation: &'a str,
    /// How it was given: [`Surface::as_str`].
    pub surface: &'a str,
    /// Why, as explanations have it; empty where an SDK says only what it gave.
    pub reason: &'a str,
    /// The rule's id; empty where it was none.
    pub rule: &'a str,
}

impl Decision {
    /// Packs a decision; `at` in ms since 1970.
    pub fn new(
        environment: Arc<str>,
        texts: DecisionTexts<'_>,
        position: Option<Position>,
        at: i64,
    ) -> Self {
        let DecisionTexts {
            user,
            flag,
            flag_id,
            variation,
            surface,
            reason,
            rule,
        } = texts;
        let texts = [user, flag, flag_id, variation, surface, reason, rule];
        Self {
            environment,
            texts: Texts::new(texts.into_iter()),
            position,
            at,
        }
    }

    /// Who was given what, and why.
    pub fn texts(&self) -> DecisionTexts<'_> {
        let [user, flag, flag_id, variation, surface, reason, rule] = self.texts.first();
        DecisionTexts {
            user,
            flag,
            flag_id,
            variation,
            surface,
            reason,
            rule,
        }
    }

    pub(crate) fn heap_size(&self) -> usize {
        self.texts.heap_size()
    }
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
    /// Decisions.
    pub decisions: Vec<Decision>,
}

/// What became of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Places in [`Batch::users`] of those that were there before: this process took them for new
    /// because it did not know them yet.
    pub known_users: Vec<usize>,
    /// Metric events that were refused: their environment has as many event names as it may.
    pub event_names: u64,
}

/// Takes batches. Implemented by the server over its store; by a relay over its upstream.
pub trait Sink: Send + Sync + 'static {
    /// Stores a batch whole, or nothing of it, apart from what the sink's own limits refuse.
    fn write<'a>(&'a self, batch: &'a Batch) -> BoxFuture<'a, Result<Taken, Unavailable>>;

    /// SDK keys with these secrets were used just now. Losing that does little harm.
    fn keys_used<'a>(&'a self, secrets: &'a [Box<str>]) -> BoxFuture<'a, Result<(), Unavailable>>;
}
