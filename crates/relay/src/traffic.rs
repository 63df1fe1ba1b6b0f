//! A batch of traffic as relays send it: [`burgee_edge::sink::Batch`] with its texts written out.

use std::sync::Arc;

use burgee_edge::session::user::KeptUser;
use burgee_edge::sink::{self, ExposureTexts, MetricTexts};
use serde::{Deserialize, Serialize};

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
}

/// A user that was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    environment: Arc<str>,
    key: String,
    name: String,
    properties: Vec<(String, String)>,
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

impl From<&sink::Batch> for Batch {
    fn from(batch: &sink::Batch) -> Self {
        Self {
            sender: batch.sender.clone(),
            sequence: batch.sequence,
            users: batch.users.iter().map(user).collect(),
            counts: batch.counts.iter().map(count).collect(),
            exposures: batch.exposures.iter().map(exposure).collect(),
            metrics: batch.metrics.iter().map(metric).collect(),
        }
    }
}

impl Batch {
    /// The batch for a sink, with what is of environments that `within` says. What is of others is
    /// left out: a relay speaks for those of its key alone.
    pub fn within(self, within: impl Fn(&str) -> bool) -> (sink::Batch, Vec<usize>) {
        let mut places = Vec::with_capacity(self.users.len());
        let mut users = Vec::with_capacity(self.users.len());
        for (place, user) in self.users.into_iter().enumerate() {
            if within(&user.environment) {
                places.push(place);
                users.push(user.into());
            }
        }
        let batch = sink::Batch {
            sender: self.sender,
            sequence: self.sequence,
            users,
            counts: kept(self.counts, |it| within(&it.environment)),
            exposures: kept(self.exposures, |it| within(&it.environment)),
            metrics: kept(self.metrics, |it| within(&it.environment)),
        };
        (batch, places)
    }
}

fn kept<T, U: From<T>>(items: Vec<T>, keep: impl Fn(&T) -> bool) -> Vec<U> {
    items.into_iter().filter(keep).map(U::from).collect()
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

impl From<User> for sink::UserSeen {
    fn from(user: User) -> Self {
        let properties = user.properties.iter();
        let properties = properties.map(|(name, value)| (name.as_str(), value.as_str()));
        Self {
            environment: user.environment,
            user: KeptUser::from_parts(&user.key, &user.name, properties),
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
