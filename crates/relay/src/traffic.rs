//! A batch of traffic as relays send it: [`burgee_edge::sink::Batch`] with its texts written out.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use burgee_edge::session::user::KeptUser;
use burgee_edge::sink::{self, DecisionTexts, ExposureTexts, MetricTexts};
use serde::{Deserialize, Serialize};

use crate::message::{place, sent};

/// Now, in ms since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |it| i64::try_from(it.as_millis()).unwrap_or(i64::MAX))
}

mod checked;

pub(crate) use checked::Checked;

/// What is written in one transaction; (sender, sequence) counts it once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// Who sends: unique per process start.
    pub sender: String,
    /// Counts the sender's batches.
    pub sequence: i64,
    /// End users.
    pub users: Vec<User>,
    /// Evaluation counts.
    pub counts: Vec<Count>,
    /// Exposures.
    pub exposures: Vec<Exposure>,
    /// Metric events.
    pub metrics: Vec<Metric>,
    /// Decisions; relays of earlier versions send none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
}

/// A user that was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    environment: Arc<str>,
    key: String,
    name: String,
    properties: Vec<(String, String)>,
    /// A letter for each property that is more than a text, and those before it; relays of earlier
    /// versions send none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    types: String,
    at: i64,
}

/// Evaluations of one variation in one minute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Count {
    environment: Arc<str>,
    flag: Box<str>,
    flag_id: Box<str>,
    variation: Box<str>,
    minute: i64,
    count: u64,
}

/// A user got a variation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Exposure {
    environment: Arc<str>,
    flag: String,
    flag_id: String,
    variation: String,
    user: String,
    experiment: bool,
    first: i64,
    last: i64,
}

/// A metric event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metric {
    environment: Arc<str>,
    user: String,
    event: String,
    route: String,
    kind: String,
    app_type: String,
    value: f64,
    at: i64,
}

/// What a user was given of a flag.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    environment: Arc<str>,
    user: String,
    flag: String,
    flag_id: String,
    variation: String,
    surface: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reason: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    rule: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<(i64, u64)>,
    at: i64,
}

impl From<&sink::Batch> for Batch {
    fn from(batch: &sink::Batch) -> Self {
        Self {
            sender: batch.sender.clone(),
            sequence: batch.sequence,
            users: batch.users.iter().map(user).collect(),
            counts: batch.counts.iter().map(count).collect(),
            exposures: batch.exposures.iter().map(exposure).collect(),
            metrics: batch.metrics.iter().map(metric).collect(),
            decisions: batch.decisions.iter().map(decision).collect(),
        }
    }
}

impl Batch {
    /// The batch in pieces, each of one environment and of at most `limit` bytes of texts, with
    /// their environments. The same batch is cut the same way each time: a piece that is sent again
    /// has the sender and the sequence that it had.
    pub(crate) fn pieces(&self, limit: usize) -> Vec<(Arc<str>, Self)> {
        let mut pieces = Pieces {
            sender: &self.sender,
            sequence: self.sequence,
            limit,
            open: BTreeMap::new(),
            full: Vec::new(),
        };
        for it in &self.users {
            let properties = it.properties.iter();
            let texts: usize = properties
                .map(|(name, value)| name.len() + value.len())
                .sum();
            let piece = pieces.of(&it.environment, texts + it.key.len() + it.name.len());
            piece.users.push(it.clone());
        }
        for it in &self.counts {
            let texts = it.flag.len() + it.flag_id.len() + it.variation.len();
            pieces.of(&it.environment, texts).counts.push(it.clone());
        }
        for it in &self.exposures {
            let texts = it.flag.len() + it.flag_id.len() + it.variation.len() + it.user.len();
            pieces.of(&it.environment, texts).exposures.push(it.clone());
        }
        for it in &self.metrics {
            let texts = it.user.len() + it.event.len() + it.route.len();
            let piece = pieces.of(&it.environment, texts + it.kind.len() + it.app_type.len());
            piece.metrics.push(it.clone());
        }
        for it in &self.decisions {
            let texts: usize = it.texts().iter().map(|text| text.len()).sum();
            pieces.of(&it.environment, texts).decisions.push(it.clone());
        }
        pieces.done()
    }
}

/// What JSON adds to an item's texts: names of fields, numbers, the environment's id.
const AROUND: usize = 256;

/// A batch that is being cut.
struct Pieces<'a> {
    sender: &'a str,
    sequence: i64,
    limit: usize,
    /// Those that may grow, with their bytes, and how many of the environment were full before.
    open: BTreeMap<Arc<str>, (Batch, usize, usize)>,
    full: Vec<(Arc<str>, Batch)>,
}

impl Pieces<'_> {
    /// The piece that takes an environment's item of so many bytes of texts.
    fn of(&mut self, environment: &Arc<str>, texts: usize) -> &mut Batch {
        let bytes = texts + AROUND;
        let (sender, sequence) = (self.sender, self.sequence);
        let new = |number: usize| Batch {
            sender: format!("{sender}/{environment}/{number}"),
            sequence,
            ..Batch::default()
        };
        let open = self.open.entry(Arc::clone(environment));
        let (piece, used, number) = open.or_insert_with(|| (new(0), 0, 0));
        if *used > 0 && *used + bytes > self.limit {
            *number += 1;
            *used = 0;
            let full = std::mem::replace(piece, new(*number));
            self.full.push((Arc::clone(environment), full));
        }
        *used += bytes;
        piece
    }

    fn done(self) -> Vec<(Arc<str>, Batch)> {
        let open = self.open.into_iter().map(|(id, (piece, ..))| (id, piece));
        self.full.into_iter().chain(open).collect()
    }
}

fn user(seen: &sink::UserSeen) -> User {
    let user = seen.user.user();
    let properties = user.properties.iter();
    User {
        environment: Arc::clone(&seen.environment),
        key: user.key.clone().into_owned(),
        name: user.name.clone().into_owned(),
        properties: properties
            .map(|(name, value)| (name.clone().into_owned(), value.clone().into_owned()))
            .collect(),
        types: user.types(),
        at: seen.at,
    }
}

fn count(count: &sink::Count) -> Count {
    Count {
        environment: Arc::clone(&count.environment),
        flag: count.flag.clone(),
        flag_id: count.flag_id.clone(),
        variation: count.variation.clone(),
        minute: count.minute,
        count: count.count,
    }
}

fn exposure(exposure: &sink::Exposure) -> Exposure {
    let texts = exposure.texts();
    Exposure {
        environment: Arc::clone(&exposure.environment),
        flag: texts.flag.to_owned(),
        flag_id: texts.flag_id.to_owned(),
        variation: texts.variation.to_owned(),
        user: texts.user.to_owned(),
        experiment: exposure.experiment,
        first: exposure.first,
        last: exposure.last,
    }
}

fn metric(event: &sink::MetricEvent) -> Metric {
    let texts = event.texts();
    Metric {
        environment: Arc::clone(&event.environment),
        user: texts.user.to_owned(),
        event: texts.event.to_owned(),
        route: texts.route.to_owned(),
        kind: texts.kind.to_owned(),
        app_type: texts.app_type.to_owned(),
        value: event.value,
        at: event.at,
    }
}

impl Decision {
    fn texts(&self) -> [&str; 7] {
        let Self {
            user,
            flag,
            flag_id,
            variation,
            surface,
            reason,
            rule,
            ..
        } = self;
        [user, flag, flag_id, variation, surface, reason, rule]
    }
}

fn decision(decision: &sink::Decision) -> Decision {
    let texts = decision.texts();
    Decision {
        environment: Arc::clone(&decision.environment),
        user: texts.user.to_owned(),
        flag: texts.flag.to_owned(),
        flag_id: texts.flag_id.to_owned(),
        variation: texts.variation.to_owned(),
        surface: texts.surface.to_owned(),
        reason: texts.reason.to_owned(),
        rule: texts.rule.to_owned(),
        position: decision.position.map(sent),
        at: decision.at,
    }
}

impl From<Decision> for sink::Decision {
    fn from(it: Decision) -> Self {
        let [user, flag, flag_id, variation, surface, reason, rule] = it.texts();
        let texts = DecisionTexts {
            user,
            flag,
            flag_id,
            variation,
            surface,
            reason,
            rule,
        };
        let environment = Arc::clone(&it.environment);
        Self::new(environment, texts, it.position.map(place), it.at)
    }
}

impl From<User> for sink::UserSeen {
    fn from(user: User) -> Self {
        let properties = user.properties.iter();
        let properties = properties.map(|(name, value)| (name.as_str(), value.as_str()));
        Self {
            environment: user.environment,
            user: KeptUser::from_parts(&user.key, &user.name, properties, &user.types),
            new_by: None,
            at: user.at,
        }
    }
}

impl From<Count> for sink::Count {
    fn from(count: Count) -> Self {
        Self {
            environment: count.environment,
            flag: count.flag,
            flag_id: count.flag_id,
            variation: count.variation,
            minute: count.minute,
            count: count.count,
        }
    }
}

impl From<Exposure> for sink::Exposure {
    fn from(it: Exposure) -> Self {
        let texts = ExposureTexts {
            flag: &it.flag,
            flag_id: &it.flag_id,
            variation: &it.variation,
            user: &it.user,
        };
        Self::new(it.environment, texts, it.experiment, (it.first, it.last))
    }
}

impl From<Metric> for sink::MetricEvent {
    fn from(it: Metric) -> Self {
        let texts = MetricTexts {
            user: &it.user,
            event: &it.event,
            route: &it.route,
            kind: &it.kind,
            app_type: &it.app_type,
        };
        Self::new(it.environment, texts, it.value, it.at)
    }
}
