//! What the edge learns of users and evaluations, on its way to a [`Sink`].
//!
//! Taking something in is a few hashes and a push under a lock that nobody holds for longer than
//! that: the request path never waits for the sink. What waits is bounded; past the bound it is
//! dropped and counted, as is whatever breaks a rule of [`limits`].

mod buffer;
pub mod limits;
mod sender;
mod track;
mod users;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use burgee_eval::compile::CompiledFlag;
use burgee_eval::user::User;
use tokio::sync::Notify;

use crate::environment::Encoded;
use crate::hub::{Access, KeyId};
use crate::metrics::{Metrics, Reason, Refused, Traffic as Sort, What};
use crate::sink::{MetricEvent, UserSeen};
use buffer::{Buffer, CountKey, ExposureKey};
use limits::fits;
use users::{Print, Users, Verdict};

const MINUTE: i64 = 60_000;
/// How far back a client's own times are believed: an SDK that was offline flushes late.
const PAST: i64 = 7 * 86_400_000;
/// How far ahead.
const FUTURE: i64 = 5 * MINUTE;
/// This many entries are flushed at once, without waiting for the second to end.
const FLUSH_AT: usize = 5_000;
/// Event names remembered over all environments; past it counting them begins anew.
const NAMES_IN_ALL: usize = 1_000_000;

/// The buffer between the request path and the sink.
pub struct Traffic {
    sender: String,
    metrics: Arc<Metrics>,
    hasher: RandomState,
    state: Mutex<State>,
    /// There is enough for a batch.
    enough: Notify,
}

#[derive(Default)]
struct State {
    users: Users,
    buffer: Buffer,
    /// Hashes of event names by environment, and how many there are in all.
    names: HashMap<Arc<str>, HashSet<u64>>,
    names_in_all: usize,
}

/// The body of a track request is no JSON list: what the parser says.
#[derive(Debug, thiserror::Error)]
#[error("the body is not a JSON list: {0}")]
pub struct NotAList(#[from] serde_json::Error);

impl Traffic {
    /// An empty buffer. `sender` names this process start in batches (unique, e.g. a UUID).
    pub fn new(sender: String, metrics: Arc<Metrics>) -> Arc<Self> {
        let (hasher, state, enough) = (RandomState::new(), Mutex::default(), Notify::new());
        Arc::new(Self {
            sender,
            metrics,
            hasher,
            state,
            enough,
        })
    }

    /// A user was there, with this SDK key. `now` in ms since 1970. Cheap where nothing is new.
    pub fn seen(&self, environment: &Arc<str>, key: KeyId, user: &User<'_>, now: i64) {
        if user.key.trim().is_empty() || !fits(&user.key, limits::USER_KEY) {
            return self.refuse(Reason::UserKey);
        }
        let print = Print::new(&self.hasher, environment, user);
        let mut state = self.state();
        match state.users.judge(print, key, now) {
            Verdict::Known => return,
            Verdict::TooMany => return self.refuse(Reason::NewUsers),
            Verdict::Write => {}
        }
        let room = state.buffer.user(self.keep(environment, user, now));
        if room {
            state.users.written(print, now);
        }
        self.taken(&state, Sort::User, room);
    }

    /// Takes in the body of a track request. Entries that are wrong are counted and passed over.
    pub fn track(&self, access: &Access, body: &[u8], now: i64) -> Result<(), NotAList> {
        let entries = track::parse(body).map_err(|error| {
            self.refuse(Reason::Body);
            NotAList(error)
        })?;
        let encoded = access.environment.current();
        for entry in entries {
            let Some(entry) = entry else {
                self.refuse(Reason::Entry);
                continue;
            };
            match &entry.user {
                Some(user) if fits(&user.key, limits::USER_KEY) => {
                    self.seen(access.environment.id(), access.key, user, now);
                    self.record(access.environment.id(), &encoded, user, &entry, now);
                }
                _ => self.refuse(Reason::UserKey),
            }
        }
        Ok(())
    }

    fn record(
        &self,
        environment: &Arc<str>,
        encoded: &Encoded,
        user: &User<'_>,
        entry: &track::Entry<'_>,
        now: i64,
    ) {
        let outcomes = entry.evaluations.iter().map(|evaluation| {
            let evaluation = evaluation.as_ref().ok_or(Reason::Entry)?;
            self.evaluated(environment, encoded, user, evaluation, now)
        });
        let outcomes = outcomes.chain(entry.metrics.iter().map(|metric| {
            self.measured(
                environment,
                user,
                metric.as_ref().ok_or(Reason::Entry)?,
                now,
            )
        }));
        outcomes
            .filter_map(Result::err)
            .for_each(|reason| self.refuse(reason));
    }

    fn evaluated(
        &self,
        environment: &Arc<str>,
        encoded: &Encoded,
        user: &User<'_>,
        evaluation: &track::Evaluation<'_>,
        now: i64,
    ) -> Result<(), Reason> {
        let flag = encoded
            .snapshot()
            .flag(&evaluation.flag)
            .ok_or(Reason::UnknownFlag)?;
        let id = evaluation
            .variation
            .as_deref()
            .ok_or(Reason::UnknownVariation)?;
        let variations = &flag.flag().variations;
        if !variations.iter().any(|variation| variation.id == id) {
            return Err(Reason::UnknownVariation);
        }
        let experiment = evaluation
            .experiment
            .unwrap_or_else(|| in_experiment(flag, user, id));
        let mut state = self.state();
        // Minutes are those of our clock: the SDK's may be wrong, and it flushes within seconds.
        let room = state.buffer.count(CountKey {
            environment: Arc::clone(environment),
            flag: evaluation.flag.as_ref().into(),
            variation: id.into(),
            minute: now - now.rem_euclid(MINUTE),
        });
        self.taken(&state, Sort::Evaluation, room);
        if experiment || flag.flag().tracked {
            let key = ExposureKey {
                environment: Arc::clone(environment),
                flag: evaluation.flag.as_ref().into(),
                variation: id.into(),
                user: user.key.as_ref().into(),
            };
            let room = state
                .buffer
                .exposure(key, experiment, believed(evaluation.at, now));
            self.taken(&state, Sort::Exposure, room);
        }
        Ok(())
    }

    fn measured(
        &self,
        environment: &Arc<str>,
        user: &User<'_>,
        metric: &track::Metric<'_>,
        now: i64,
    ) -> Result<(), Reason> {
        if metric.event.trim().is_empty() || !fits(&metric.event, limits::EVENT_TEXT) {
            return Err(Reason::EventName);
        }
        let others = [&metric.route, &metric.kind, &metric.app_type];
        if !others.iter().all(|text| fits(text, limits::EVENT_TEXT)) {
            return Err(Reason::Entry);
        }
        let mut state = self.state();
        if !state.admit_name(environment, self.hasher.hash_one(&metric.event)) {
            return Err(Reason::EventNames);
        }
        let room = state.buffer.metric(MetricEvent {
            environment: environment.as_ref().into(),
            user: user.key.as_ref().into(),
            event: metric.event.as_ref().into(),
            value: metric.value,
            route: metric.route.as_ref().into(),
            kind: metric.kind.as_ref().into(),
            app_type: metric.app_type.as_ref().into(),
            at: believed(metric.at, now),
        });
        self.taken(&state, Sort::Metric, room);
        Ok(())
    }

    /// What is kept of a user: parts beyond their limits are left out.
    fn keep(&self, environment: &Arc<str>, user: &User<'_>, now: i64) -> UserSeen {
        let name = if fits(&user.name, limits::USER_NAME) {
            user.name.as_ref()
        } else {
            self.refuse(Reason::UserName);
            ""
        };
        let properties = user.properties.iter();
        let kept = properties.filter(|(name, value)| property_fits(name, value));
        let kept = kept.take(limits::PROPERTIES);
        let properties: Vec<_> = kept
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        for _ in properties.len()..user.properties.len() {
            self.refuse(Reason::Property);
        }
        UserSeen {
            environment: environment.as_ref().into(),
            key: user.key.as_ref().into(),
            name: name.into(),
            properties,
            at: now,
        }
    }

    fn taken(&self, state: &State, what: Sort, room: bool) {
        let family = match room {
            true => &self.metrics.traffic_accepted,
            false => &self.metrics.traffic_dropped,
        };
        family.get_or_create(&What { what }).inc();
        if state.buffer.len() == FLUSH_AT {
            self.enough.notify_one();
        }
    }

    /// Counts something that broke a rule.
    pub(crate) fn refuse(&self, reason: Reason) {
        self.metrics
            .traffic_refused
            .get_or_create(&Refused { reason })
            .inc();
    }

    /// The state is whole between any two statements, so a panic elsewhere does not spoil it.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn admit_name(&mut self, environment: &Arc<str>, name: u64) -> bool {
        if self.names_in_all >= NAMES_IN_ALL {
            self.names.clear();
            self.names_in_all = 0;
        }
        let names = self.names.entry(Arc::clone(environment)).or_default();
        if names.contains(&name) {
            return true;
        }
        let room = names.len() < limits::EVENT_NAMES;
        if room {
            names.insert(name);
            self.names_in_all += 1;
        }
        room
    }
}

fn property_fits(name: &str, value: &str) -> bool {
    fits(name, limits::PROPERTY) && fits(value, limits::PROPERTY - name.len())
}

/// Whether the answer is part of an experiment, where the SDK did not say: by what we would answer
/// now. If that is another variation the SDK's answer is out of date, and is left out.
fn in_experiment(flag: &CompiledFlag, user: &User<'_>, variation: &str) -> bool {
    let outcome = flag.evaluate(user).and_then(|index| flag.outcome(index));
    outcome.is_some_and(|outcome| {
        let variations = &flag.flag().variations;
        let served = variations.get(outcome.variation);
        outcome.send_to_experiment && served.is_some_and(|served| served.id == variation)
    })
}

/// A client's time, or ours where it cannot be meant.
fn believed(at: Option<i64>, now: i64) -> i64 {
    at.filter(|at| (now - PAST..=now + FUTURE).contains(at))
        .unwrap_or(now)
}

#[cfg(test)]
mod tests;
