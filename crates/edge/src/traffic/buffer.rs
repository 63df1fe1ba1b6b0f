//! What waits to be written: bounded, and aggregated where the store would aggregate anyway.

use std::collections::HashMap;
use std::sync::Arc;

use crate::metrics::Traffic as What;
use crate::sink::{Batch, Count, Exposure, MetricEvent, UserSeen};

/// Bytes that may wait, roughly (and as many again may be on their way to the sink).
pub(super) const MOST_BYTES: usize = 16 * 1024 * 1024;

/// What an entry costs besides its texts: the structs, their vectors and maps.
const OVERHEAD: usize = 160;

#[derive(Default)]
pub(super) struct Buffer {
    users: Vec<UserSeen>,
    counts: HashMap<CountKey, u64>,
    exposures: HashMap<ExposureKey, Seen>,
    metrics: Vec<MetricEvent>,
    bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CountKey {
    pub(super) environment: Arc<str>,
    pub(super) flag: Box<str>,
    pub(super) flag_id: Box<str>,
    pub(super) variation: Box<str>,
    pub(super) minute: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ExposureKey {
    pub(super) environment: Arc<str>,
    pub(super) flag: Box<str>,
    pub(super) flag_id: Box<str>,
    pub(super) variation: Box<str>,
    pub(super) user: Box<str>,
}

#[derive(Clone, Copy)]
struct Seen {
    experiment: bool,
    first: i64,
    last: i64,
}

impl Buffer {
    /// Each of these says whether there was room.
    pub(super) fn user(&mut self, user: UserSeen) -> bool {
        let properties = user.properties.iter();
        let texts: usize = properties
            .map(|(name, value)| name.len() + value.len() + 48)
            .sum();
        self.grow(user.environment.len() + user.key.len() + user.name.len() + texts) && {
            self.users.push(user);
            true
        }
    }

    pub(super) fn count(&mut self, key: CountKey) -> bool {
        if let Some(count) = self.counts.get_mut(&key) {
            *count += 1;
            return true;
        }
        self.grow(key.flag.len() + key.flag_id.len() + key.variation.len())
            && self.counts.insert(key, 1).is_none()
    }

    pub(super) fn exposure(&mut self, key: ExposureKey, experiment: bool, at: i64) -> bool {
        if let Some(seen) = self.exposures.get_mut(&key) {
            seen.experiment |= experiment;
            seen.first = seen.first.min(at);
            seen.last = seen.last.max(at);
            return true;
        }
        let seen = Seen {
            experiment,
            first: at,
            last: at,
        };
        self.grow(key.flag.len() + key.flag_id.len() + key.variation.len() + key.user.len())
            && self.exposures.insert(key, seen).is_none()
    }

    pub(super) fn metric(&mut self, event: MetricEvent) -> bool {
        let texts = [&event.environment, &event.user, &event.event, &event.route];
        let texts: usize = texts.iter().map(|text| text.len()).sum();
        self.grow(texts + event.kind.len() + event.app_type.len()) && {
            self.metrics.push(event);
            true
        }
    }

    fn grow(&mut self, texts: usize) -> bool {
        let bytes = self.bytes + texts + OVERHEAD;
        let room = bytes <= MOST_BYTES;
        if room {
            self.bytes = bytes;
        }
        room
    }

    /// How many entries wait.
    pub(super) fn len(&self) -> usize {
        self.users.len() + self.counts.len() + self.exposures.len() + self.metrics.len()
    }

    /// As a batch.
    pub(super) fn into_batch(self, sender: &str, sequence: i64) -> Batch {
        let counts = self.counts.into_iter().map(|(key, count)| Count {
            environment: key.environment.as_ref().into(),
            flag: key.flag.into(),
            flag_id: key.flag_id.into(),
            variation: key.variation.into(),
            minute: key.minute,
            count,
        });
        let exposures = self.exposures.into_iter().map(|(key, seen)| Exposure {
            environment: key.environment.as_ref().into(),
            flag: key.flag.into(),
            flag_id: key.flag_id.into(),
            variation: key.variation.into(),
            user: key.user.into(),
            experiment: seen.experiment,
            first: seen.first,
            last: seen.last,
        });
        Batch {
            sender: sender.into(),
            sequence,
            users: self.users,
            counts: counts.collect(),
            exposures: exposures.collect(),
            metrics: self.metrics,
        }
    }
}

/// What a batch holds, for counting what was lost with it.
pub(super) fn contents(batch: &Batch) -> [(What, u64); 4] {
    [
        (What::User, batch.users.len() as u64),
        (
            What::Evaluation,
            batch.counts.iter().map(|count| count.count).sum(),
        ),
        (What::Exposure, batch.exposures.len() as u64),
        (What::Metric, batch.metrics.len() as u64),
    ]
}
