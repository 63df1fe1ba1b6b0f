//! From an entry of a track request to what is kept of it.

use std::sync::Arc;

use burgee_eval::compile::CompiledFlag;
use burgee_eval::user::User;

use super::buffer::{Counted, ExposureKey};
use super::limits::{self, fits};
use super::track::{Entry, Evaluation, Metric};
use super::{Given, Sort, Traffic};
use crate::environment::Encoded;
use crate::metrics::Reason;
use crate::sink::{ExposureTexts, MetricEvent, MetricTexts, Surface};

const MINUTE: i64 = 60_000;
/// How far back a client's own times are believed: an SDK that was offline flushes late.
const PAST: i64 = 7 * 86_400_000;
/// How far ahead.
const FUTURE: i64 = 5 * MINUTE;

/// Takes in what one user did.
pub(super) struct Record<'a> {
    pub(super) traffic: &'a Traffic,
    pub(super) environment: &'a Arc<str>,
    pub(super) encoded: &'a Encoded,
    pub(super) user: &'a User<'a>,
    pub(super) now: i64,
}

impl Record<'_> {
    /// Takes in an entry; what breaks a rule is counted and passed over.
    pub(super) fn entry(&self, entry: &Entry<'_>) {
        let refused = |reason| self.traffic.refuse(reason);
        for evaluation in &entry.evaluations {
            let evaluation = evaluation.as_ref().ok_or(Reason::Entry);
            evaluation
                .and_then(|evaluation| self.evaluation(evaluation))
                .unwrap_or_else(refused);
        }
        for metric in &entry.metrics {
            let metric = metric.as_ref().ok_or(Reason::Entry);
            metric
                .and_then(|metric| self.metric(metric))
                .unwrap_or_else(refused);
        }
    }

    fn evaluation(&self, evaluation: &Evaluation<'_>) -> Result<(), Reason> {
        let flag = self
            .encoded
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
        let said = evaluation.experiment;
        let experiment = said.unwrap_or_else(|| in_experiment(flag, self.user, id));
        // Packed before the lock is taken, and only where it is needed.
        let exposed = (experiment || flag.flag().tracked).then(|| ExposureKey {
            environment: Arc::clone(self.environment),
            texts: self.exposed(flag, id).pack(),
        });
        // Minutes are those of our clock: the SDK's may be wrong, and it flushes within seconds.
        let counted = Counted {
            environment: self.environment,
            flag: &flag.flag().key,
            flag_id: &flag.flag().id,
            variation: id,
            minute: self.now - self.now.rem_euclid(MINUTE),
        };
        let at = self.believed(evaluation.at);
        let mut state = self.traffic.state();
        let room = state.queue.count(&counted);
        self.traffic.taken(&state, Sort::Evaluation, room);
        if let Some(key) = exposed {
            let room = state.queue.exposure(key, experiment, at);
            self.traffic.taken(&state, Sort::Exposure, room);
        }
        drop(state);
        let given = self.given(at);
        self.traffic.reported(&given, flag, id, self.now);
        Ok(())
    }

    fn metric(&self, metric: &Metric<'_>) -> Result<(), Reason> {
        if metric.event.trim().is_empty() || !fits(&metric.event, limits::EVENT_TEXT) {
            return Err(Reason::EventName);
        }
        let others = [&metric.route, &metric.kind, &metric.app_type];
        if !others.iter().all(|text| fits(text, limits::EVENT_TEXT)) {
            return Err(Reason::Entry);
        }
        let texts = MetricTexts {
            user: &self.user.key,
            event: &metric.event,
            route: &metric.route,
            kind: &metric.kind,
            app_type: &metric.app_type,
        };
        let (environment, at) = (Arc::clone(self.environment), self.believed(metric.at));
        let event = MetricEvent::new(environment, texts, metric.value, at);
        let mut state = self.traffic.state();
        let room = state.queue.metric(event);
        self.traffic.taken(&state, Sort::Metric, room);
        Ok(())
    }

    fn exposed<'t>(&'t self, flag: &'t CompiledFlag, variation: &'t str) -> ExposureTexts<'t> {
        ExposureTexts {
            flag: &flag.flag().key,
            flag_id: &flag.flag().id,
            variation,
            user: &self.user.key,
        }
    }

    fn given(&self, at: i64) -> Given<'_> {
        Given {
            environment: self.environment,
            state: self.encoded,
            user: self.user,
            surface: Surface::Track,
            at,
        }
    }

    /// A client's time, or ours where it cannot be meant.
    fn believed(&self, at: Option<i64>) -> i64 {
        let near = self.now - PAST..=self.now + FUTURE;
        at.filter(|at| near.contains(at)).unwrap_or(self.now)
    }
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
