//! What becomes one batch, aggregated where the store would aggregate anyway.

use std::collections::HashMap;
use std::sync::Arc;

use crate::metrics::Traffic as What;
use crate::sink::{Batch, Count, Decision, Exposure, MetricEvent, UserSeen};
use crate::texts::Texts;

#[derive(Default)]
pub(super) struct Buffer {
    users: Vec<UserSeen>,
    /// By environment and flag, so that finding a count copies no text.
    counts: HashMap<Arc<str>, HashMap<Box<str>, Vec<Tally>>>,
    different_counts: usize,
    exposures: HashMap<ExposureKey, Seen>,
    metrics: Vec<MetricEvent>,
    decisions: Vec<Decision>,
    /// What its decisions take of [`Self::bytes`].
    pub(super) decision_bytes: usize,
    /// What it takes, roughly, as the [`Queue`](super::queue::Queue) counted it.
    pub(super) bytes: usize,
}

struct Tally {
    flag_id: Box<str>,
    variation: Box<str>,
    minute: i64,
    count: u64,
}

/// What an evaluation is counted as.
pub(super) struct Counted<'a> {
    pub(super) environment: &'a Arc<str>,
    pub(super) flag: &'a str,
    pub(super) flag_id: &'a str,
    pub(super) variation: &'a str,
    pub(super) minute: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ExposureKey {
    pub(super) environment: Arc<str>,
    pub(super) texts: Texts,
}

#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) experiment: bool,
    pub(super) first: i64,
    pub(super) last: i64,
}

impl Buffer {
    pub(super) fn user(&mut self, user: UserSeen) {
        self.users.push(user);
    }

    pub(super) fn metric(&mut self, event: MetricEvent) {
        self.metrics.push(event);
    }

    pub(super) fn decision(&mut self, decision: Decision) {
        self.decisions.push(decision);
    }

    /// Counts one more where something is counted already; says whether it is.
    pub(super) fn count_again(&mut self, counted: &Counted<'_>) -> bool {
        let flags = self.counts.get_mut(&**counted.environment);
        let tallies = flags.and_then(|flags| flags.get_mut(counted.flag));
        let tally = tallies.and_then(|tallies| {
            let mut tallies = tallies.iter_mut();
            tallies.find(|tally| {
                tally.minute == counted.minute
                    && *tally.variation == *counted.variation
                    && *tally.flag_id == *counted.flag_id
            })
        });
        tally.map(|tally| tally.count += 1).is_some()
    }

    /// Begins to count something.
    pub(super) fn count_first(&mut self, counted: &Counted<'_>) {
        let environment = Arc::clone(counted.environment);
        let flags = self.counts.entry(environment).or_default();
        flags.entry(counted.flag.into()).or_default().push(Tally {
            flag_id: counted.flag_id.into(),
            variation: counted.variation.into(),
            minute: counted.minute,
            count: 1,
        });
        self.different_counts += 1;
    }

    /// The times of an exposure, if there is one already.
    pub(super) fn exposure(&mut self, key: &ExposureKey) -> Option<&mut Seen> {
        self.exposures.get_mut(key)
    }

    pub(super) fn expose_first(&mut self, key: ExposureKey, seen: Seen) {
        self.exposures.insert(key, seen);
    }

    /// How many entries wait.
    pub(super) fn len(&self) -> usize {
        let events = self.exposures.len() + self.metrics.len() + self.decisions.len();
        self.users.len() + self.different_counts + events
    }

    /// As a batch.
    pub(super) fn into_batch(self, sender: &str, sequence: i64) -> Batch {
        let exposures = self.exposures.into_iter().map(|(key, seen)| Exposure {
            environment: key.environment,
            texts: key.texts,
            experiment: seen.experiment,
            first: seen.first,
            last: seen.last,
        });
        Batch {
            sender: sender.into(),
            sequence,
            users: self.users,
            counts: counts(self.counts),
            exposures: exposures.collect(),
            metrics: self.metrics,
            decisions: self.decisions,
        }
    }
}

fn counts(by_environment: HashMap<Arc<str>, HashMap<Box<str>, Vec<Tally>>>) -> Vec<Count> {
    let mut counts = Vec::new();
    for (environment, flags) in by_environment {
        for (flag, tallies) in flags {
            counts.extend(tallies.into_iter().map(|tally| Count {
                environment: Arc::clone(&environment),
                flag: flag.clone(),
                flag_id: tally.flag_id,
                variation: tally.variation,
                minute: tally.minute,
                count: tally.count,
            }));
        }
    }
    counts
}

/// What a batch holds, for counting what was lost with it.
pub(super) fn contents(batch: &Batch) -> [(What, u64); 5] {
    [
        (What::User, batch.users.len() as u64),
        (
            What::Evaluation,
            batch.counts.iter().map(|count| count.count).sum(),
        ),
        (What::Exposure, batch.exposures.len() as u64),
        (What::Metric, batch.metrics.len() as u64),
        (What::Decision, batch.decisions.len() as u64),
    ]
}
