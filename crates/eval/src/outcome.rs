//! What a flag can answer: few enough to be counted when it is compiled, so that whoever sends
//! answers can encode each one once.

/// Why a user got a variation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The flag is off.
    Disabled,
    /// The prerequisite at this position is not met.
    Prerequisite(usize),
    /// The user is an individual target.
    Targeted,
    /// The rule at this position took the user.
    Rule(usize),
    /// The default rule.
    Default,
}

/// One of the answers that a flag can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The position among the flag's variations.
    pub variation: usize,
    /// Why.
    pub reason: Reason,
    /// Whether the answer is part of an experiment.
    pub send_to_experiment: bool,
}

/// The position of an outcome among [`CompiledFlag::outcomes`](crate::compile::CompiledFlag::outcomes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutcomeIndex(u32);

impl OutcomeIndex {
    /// The position.
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

/// Counts outcomes up while a flag is compiled.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    list: Vec<Outcome>,
    /// Where those of the current reason begin: only among them can there be an equal one.
    group: usize,
}

impl Outcomes {
    /// From here on another reason.
    pub(crate) fn next_reason(&mut self) {
        self.group = self.list.len();
    }

    /// The outcome's position, the same for equal ones; none if there are too many to be counted.
    pub(crate) fn add(&mut self, outcome: Outcome) -> Option<OutcomeIndex> {
        let known = self.list[self.group..]
            .iter()
            .position(|other| *other == outcome);
        let position = known.map_or(self.list.len(), |known| self.group + known);
        let index = OutcomeIndex(u32::try_from(position).ok()?);
        if known.is_none() {
            self.list.push(outcome);
        }
        Some(index)
    }

    pub(crate) fn finish(self) -> Box<[Outcome]> {
        self.list.into()
    }
}
