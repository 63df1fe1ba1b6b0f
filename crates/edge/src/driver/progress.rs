//! How far the connections of an environment have come, counted as they move: how many are exactly
//! at which state, and how long it took them.
//!
//! A connection that moves leaves one count and enters another, whatever their distance. The newest
//! states are kept apart; whoever is further behind is among the older ones.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::agents::{AgentId, Agents};
use crate::delivery::{Level, LoopReport, LoopStep, PerLevel, Times};
use crate::environment::{Arrival, Encoded, Environment};
use crate::source::KeyKind;

/// So many of the newest states are kept apart.
const APART: usize = 256;

/// The connections of one environment on one loop.
pub(super) struct Progress {
    /// The generation of the first of `steps`.
    first: u32,
    /// The newest states that were heard of, without gaps.
    steps: VecDeque<Step>,
    /// Connections that are at an older one.
    older: PerLevel<u32>,
    /// Connections that have come nowhere yet.
    none: PerLevel<u32>,
    sdks: HashMap<(KeyKind, AgentId), u32>,
    connections: u32,
    /// Whether anything moved since this was asked.
    moved: bool,
}

/// One state.
#[derive(Default)]
struct Step {
    /// None: a newer one came first.
    arrival: Option<Arrival>,
    /// Connections that are there.
    at: PerLevel<u32>,
    times: PerLevel<Times>,
}

/// What a connection is counted as, besides where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sort {
    pub(super) kind: KeyKind,
    pub(super) agent: AgentId,
}

impl Progress {
    /// Nobody, where this is what is served.
    pub(super) fn new(current: &Encoded) -> Self {
        let mut progress = Self {
            first: current.generation(),
            steps: VecDeque::new(),
            older: PerLevel::default(),
            none: PerLevel::default(),
            sdks: HashMap::new(),
            connections: 0,
            moved: true,
        };
        progress.hear(current);
        progress
    }

    /// There is this state.
    pub(super) fn hear(&mut self, state: &Encoded) {
        while self.end() <= state.generation() {
            self.steps.push_back(Step::default());
            if self.steps.len() > APART {
                self.forget_one();
            }
        }
        if let Some(step) = self.step(state.generation()) {
            step.arrival.get_or_insert_with(|| state.arrival());
        }
        self.moved = true;
    }

    /// The same, where it was mostly heard of before.
    pub(super) fn hear_again(&mut self, state: &Encoded) {
        if self.end() <= state.generation() {
            self.hear(state);
        }
    }

    /// The generation after the last.
    fn end(&self) -> u32 {
        self.first + self.steps.len() as u32
    }

    fn forget_one(&mut self) {
        if let Some(step) = self.steps.pop_front() {
            self.older.written += step.at.written;
            self.older.received += step.at.received;
            self.first += 1;
        }
    }

    fn step(&mut self, generation: u32) -> Option<&mut Step> {
        let place = generation.checked_sub(self.first)?;
        self.steps.get_mut(place as usize)
    }

    /// The count that a connection at this generation is in.
    fn count(&mut self, level: Level, generation: u32) -> &mut u32 {
        if generation == 0 {
            return self.none.of_mut(level);
        }
        match generation.checked_sub(self.first) {
            Some(place) if (place as usize) < self.steps.len() => {
                self.steps[place as usize].at.of_mut(level)
            }
            _ => self.older.of_mut(level),
        }
    }

    /// Counts a connection, which has come nowhere yet.
    pub(super) fn join(&mut self, sort: Sort) {
        self.connections += 1;
        *self.count(Level::Written, 0) += 1;
        *self.count(Level::Received, 0) += 1;
        *self.sdks.entry((sort.kind, sort.agent)).or_default() += 1;
        self.moved = true;
    }

    /// Counts it no more; it was at these generations.
    pub(super) fn leave(&mut self, sort: Sort, written: u32, received: u32) {
        self.connections -= 1;
        *self.count(Level::Written, written) -= 1;
        *self.count(Level::Received, received) -= 1;
        if let Some(count) = self.sdks.get_mut(&(sort.kind, sort.agent)) {
            *count -= 1;
            if *count == 0 {
                self.sdks.remove(&(sort.kind, sort.agent));
            }
        }
        self.moved = true;
    }

    /// A connection came from one generation to a newer one, now. `took` is told how long it had been
    /// committed, for each state that the connection was there to wait for: not where it has come
    /// from nowhere.
    pub(super) fn advance(
        &mut self,
        level: Level,
        (from, to): (u32, u32),
        now: Instant,
        mut took: impl FnMut(Duration),
    ) {
        *self.count(level, from) -= 1;
        *self.count(level, to) += 1;
        self.moved = true;
        if from == 0 {
            return;
        }
        for generation in self.first.max(from + 1)..=to {
            if let Some(step) = self.step(generation)
                && let Some(arrival) = step.arrival
            {
                let here = now.saturating_duration_since(arrival.at);
                step.times.of_mut(level).add(here);
                took(here + Duration::from_millis(arrival.travelled));
            }
        }
    }

    /// The version of a generation; none where it is older than those that are kept.
    pub(super) fn version(&self, generation: u32) -> Option<i64> {
        let place = generation.checked_sub(self.first)?;
        let step = self.steps.get(place as usize)?;
        step.arrival.map(|arrival| arrival.version)
    }

    /// The first generation that has a version, or a newer one; the newest where no version is
    /// named. None where the version has not come yet.
    pub(super) fn generation(&self, version: Option<i64>) -> Option<u32> {
        let newest = self.end().checked_sub(1)?;
        let Some(version) = version else {
            return Some(newest);
        };
        // From the newest on: a history that was lost may have had higher versions.
        let mut first = None;
        for (place, step) in self.steps.iter().enumerate().rev() {
            match step.arrival {
                Some(arrival) if arrival.version < version => break,
                Some(_) => first = Some(self.first + place as u32),
                None => {}
            }
        }
        first
    }

    /// Whether anything moved since this was asked.
    pub(super) fn take_moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }

    /// What there is, with so many of the newest states.
    pub(super) fn report(
        &self,
        environment: &Arc<Environment>,
        versions: usize,
        agents: &Agents,
    ) -> LoopReport {
        debug_assert!(self.adds_up());
        let steps = self.steps.iter().zip(self.first..);
        let known = steps.filter_map(|(step, generation)| {
            Some(LoopStep {
                generation,
                arrival: step.arrival?,
                at: PerLevel {
                    written: u64::from(step.at.written),
                    received: u64::from(step.at.received),
                },
                times: step.times.clone(),
            })
        });
        let mut newest: Vec<_> = known.collect();
        newest.drain(..newest.len().saturating_sub(versions));
        let sdks = self.sdks.iter();
        LoopReport {
            environment: Arc::clone(environment),
            connections: u64::from(self.connections),
            steps: newest,
            sdks: sdks
                .map(|(&(kind, agent), &count)| (kind, agents.text(agent), u64::from(count)))
                .collect(),
        }
    }

    /// Whether every connection is in one count of each level.
    fn adds_up(&self) -> bool {
        [Level::Written, Level::Received].into_iter().all(|level| {
            let at = self.steps.iter().map(|step| *step.at.of(level));
            let apart = self.older.of(level) + self.none.of(level);
            at.sum::<u32>() + apart == self.connections
        }) && self.sdks.values().sum::<u32>() == self.connections
    }
}

#[cfg(test)]
mod tests;
