//! Adding loops up.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::report::{EnvironmentReport, SDKS, SdkReport, VersionReport};
use super::{PerLevel, Times};
use crate::environment::{Arrival, Environment};
use crate::source::KeyKind;

/// What one loop has of an environment.
pub(crate) struct LoopReport {
    /// Which; two of the same id are not the same where one was deleted.
    pub(crate) environment: Arc<Environment>,
    /// All connections.
    pub(crate) connections: u64,
    /// The newest steps, oldest first.
    pub(crate) steps: Vec<LoopStep>,
    /// By SDK.
    pub(crate) sdks: Vec<(KeyKind, Arc<str>, u64)>,
}

/// What one loop has of one state of an environment.
#[derive(Clone)]
pub(crate) struct LoopStep {
    /// The state's place among those of this process.
    pub(crate) generation: u32,
    /// Its version, and when it came.
    pub(crate) arrival: Arrival,
    /// Connections that are exactly there.
    pub(crate) at: PerLevel<u64>,
    /// How long it took.
    pub(crate) times: PerLevel<Times>,
}

/// Adds up what loops have of one environment.
pub(crate) fn merge<'a>(loops: impl Iterator<Item = &'a LoopReport>) -> EnvironmentReport {
    let mut steps = BTreeMap::<u32, LoopStep>::new();
    let mut sdks = HashMap::<(KeyKind, &str), u64>::new();
    let mut connections = 0;
    for of_loop in newest_alone(loops.collect()) {
        connections += of_loop.connections;
        for (kind, agent, count) in &of_loop.sdks {
            *sdks.entry((*kind, agent)).or_default() += count;
        }
        for step in &of_loop.steps {
            match steps.get_mut(&step.generation) {
                Some(there) => there.add(step),
                None => {
                    steps.insert(step.generation, step.clone());
                }
            }
        }
    }
    EnvironmentReport {
        connections,
        sdks: most_first(sdks),
        versions: newest_first(steps),
    }
}

/// Where an environment was made anew under its id, the connections of the old one are on their
/// way out, and its states are counted from 1 as the new one's are.
fn newest_alone(mut loops: Vec<&LoopReport>) -> Vec<&LoopReport> {
    let newest = |it: &&&LoopReport| it.steps.last().map(|step| step.arrival.at);
    let served = loops.iter().max_by_key(newest).map(|it| &it.environment);
    if let Some(served) = served.map(Arc::clone) {
        loops.retain(|it| Arc::ptr_eq(&it.environment, &served));
    }
    loops
}

impl LoopStep {
    fn add(&mut self, other: &Self) {
        self.at.written += other.at.written;
        self.at.received += other.at.received;
        self.times.written.merge(&other.times.written);
        self.times.received.merge(&other.times.received);
    }
}

/// Versions from the newest on, each with all who have it or a newer one. A version that is not
/// older than one that came after it was of a history that was lost: whoever has it has none of
/// these.
fn newest_first(steps: BTreeMap<u32, LoopStep>) -> Vec<VersionReport> {
    let (mut versions, mut sum) = (Vec::<VersionReport>::new(), PerLevel::<u64>::default());
    for step in steps.into_values().rev() {
        let version = step.arrival.version;
        if versions
            .last()
            .is_some_and(|newer| newer.version <= version)
        {
            break;
        }
        sum.written += step.at.written;
        sum.received += step.at.received;
        versions.push(VersionReport {
            version,
            committed_at: step.arrival.committed_at,
            travelled: step.arrival.travelled,
            written: sum.written,
            received: sum.received,
            written_after: step.times.written,
            received_after: step.times.received,
        });
    }
    versions
}

fn most_first(sdks: HashMap<(KeyKind, &str), u64>) -> Vec<SdkReport> {
    let sdk = |((kind, agent), connections): ((KeyKind, &str), u64)| SdkReport {
        kind: kind.as_str().to_owned(),
        agent: agent.to_owned(),
        connections,
    };
    let mut sdks: Vec<_> = sdks.into_iter().map(sdk).collect();
    sdks.sort_by(|a, b| {
        let by_count = b.connections.cmp(&a.connections);
        by_count.then_with(|| (&a.kind, &a.agent).cmp(&(&b.kind, &b.agent)))
    });
    sdks.truncate(SDKS);
    sdks
}
