//! What a relay knows of its environments: each as its upstream last told it.
//!
//! Each item is kept with the version that brought it, so that whoever stands at a position that
//! this relay was told of since its start gets what came after, and everybody else gets all.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use burgee_edge::source::{Changes, Delta, Head, Position, SdkKey, State};
use burgee_edge::trace::Trace;
use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use burgee_eval::time::Millis;

use crate::message::{Since, Whole, place, sent};

/// How many positions of an environment are known: who stands at an earlier one gets all.
const KNOWN: usize = 256;

/// All environments of a relay.
#[derive(Default)]
pub(crate) struct Mirror {
    environments: BTreeMap<String, Mirrored>,
}

/// A delta does not fit: it begins elsewhere.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a change of the environment {0} begins at another position than the one that is here")]
pub(crate) struct Misfit(String);

struct Mirrored {
    position: Position,
    committed_at: Millis,
    trace: Option<Trace>,
    last_stamp: Millis,
    keys: Vec<SdkKey>,
    decision_sample: u32,
    /// The version that brought the keys.
    keys_since: i64,
    /// By key, with the version that brought each.
    flags: BTreeMap<String, (Flag, i64)>,
    /// By id, likewise.
    segments: BTreeMap<String, (Segment, i64)>,
    /// Positions that it stood at since all of it was told, oldest first.
    known: VecDeque<Position>,
}

impl Mirror {
    /// Where the environments stand.
    pub(crate) fn heads(&self) -> Vec<Head> {
        let heads = self.environments.iter();
        heads
            .map(|(id, it)| Head {
                environment: id.clone(),
                position: it.position,
            })
            .collect()
    }

    /// The same, as a relay tells it.
    pub(crate) fn positions(&self) -> BTreeMap<String, (i64, u64)> {
        let all = self.environments.iter();
        all.map(|(id, it)| (id.clone(), sent(it.position)))
            .collect()
    }

    /// Where an environment stands; nowhere where it is not here.
    pub(crate) fn position(&self, id: &str) -> Option<Position> {
        self.environments.get(id).map(|it| it.position)
    }

    /// All of an environment.
    pub(crate) fn state(&self, id: &str) -> Option<State> {
        let found = self.environments.get(id)?;
        Some(found.state(id))
    }

    /// What came after a position.
    pub(crate) fn changes(&self, id: &str, from: Position) -> Changes {
        match self.environments.get(id) {
            None => Changes::Gone,
            Some(found) if found.known.contains(&from) => Changes::Since(found.since(from)),
            Some(found) => Changes::Reload(found.state(id)),
        }
    }

    /// Lets go of all environments but these; gives those that went.
    pub(crate) fn keep(&mut self, scope: &BTreeSet<String>) -> Vec<String> {
        let gone = self.environments.keys();
        let gone: Vec<String> = gone.filter(|id| !scope.contains(*id)).cloned().collect();
        self.environments.retain(|id, _| scope.contains(id));
        gone
    }

    /// Takes an environment as it was told, in the place of what was known of it.
    pub(crate) fn put(&mut self, whole: Whole) {
        let position = place(whole.position);
        let version = position.version;
        let flags = whole.flags.into_iter();
        let segments = whole.segments.into_iter();
        let mirrored = Mirrored {
            position,
            committed_at: whole.committed_at,
            trace: whole.trace,
            last_stamp: whole.last_stamp,
            keys: whole.keys.into_iter().map(Into::into).collect(),
            decision_sample: whole.decision_sample,
            keys_since: version,
            flags: flags.map(|it| (it.key.clone(), (it, version))).collect(),
            segments: segments.map(|it| (it.id.clone(), (it, version))).collect(),
            known: VecDeque::from([position]),
        };
        self.environments.insert(whole.environment, mirrored);
    }

    /// Takes all that another one has, in the place of what was known of it.
    pub(crate) fn adopt(&mut self, mut other: Self) {
        self.environments.append(&mut other.environments);
    }

    /// Takes what came after the position that is here.
    pub(crate) fn advance(&mut self, since: Since) -> Result<(), Misfit> {
        let found = self.environments.get_mut(&since.environment);
        let Some(found) = found.filter(|it| it.position == place(since.from)) else {
            return Err(Misfit(since.environment));
        };
        let position = place(since.position);
        let version = position.version;
        for flag in since.flags {
            found.flags.insert(flag.key.clone(), (flag, version));
        }
        for segment in since.segments {
            let id = segment.id.clone();
            found.segments.insert(id, (segment, version));
        }
        if let Some(keys) = since.keys {
            found.keys = keys.into_iter().map(Into::into).collect();
            found.keys_since = version;
        }
        found.committed_at = since.committed_at;
        found.trace = since.trace;
        found.last_stamp = since.last_stamp;
        found.decision_sample = since.decision_sample;
        if found.position != position {
            found.known.push_back(position);
        }
        found.position = position;
        if found.known.len() > KNOWN {
            found.known.pop_front();
        }
        Ok(())
    }
}

impl FromIterator<Whole> for Mirror {
    fn from_iter<I: IntoIterator<Item = Whole>>(environments: I) -> Self {
        let mut mirror = Self::default();
        environments.into_iter().for_each(|it| mirror.put(it));
        mirror
    }
}

impl Mirrored {
    fn state(&self, id: &str) -> State {
        State {
            environment: id.to_owned(),
            position: self.position,
            committed_at: self.committed_at,
            trace: self.trace,
            last_stamp: self.last_stamp,
            flags: self.flags.values().map(|(it, _)| it.clone()).collect(),
            segments: self.segments.values().map(|(it, _)| it.clone()).collect(),
            keys: self.keys.clone(),
            decision_sample: self.decision_sample,
        }
    }

    fn since(&self, from: Position) -> Delta {
        let flags = self.flags.values();
        let flags = flags.filter(|(_, version)| *version > from.version);
        let segments = self.segments.values();
        let segments = segments.filter(|(_, version)| *version > from.version);
        Delta {
            position: self.position,
            committed_at: self.committed_at,
            trace: self.trace,
            last_stamp: self.last_stamp,
            flags: flags.map(|(it, _)| it.clone()).collect(),
            segments: segments.map(|(it, _)| it.clone()).collect(),
            keys: (self.keys_since > from.version).then(|| self.keys.clone()),
            decision_sample: self.decision_sample,
        }
    }
}
