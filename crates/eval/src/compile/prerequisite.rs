//! Prerequisites made ready: each holds the flag that it asks.
//!
//! A flag's answer may take those of others, and theirs those of still others, so how many are
//! asked is bounded here as well as where flags are edited: what was written past those bounds, or
//! in a circle, is a prerequisite that nobody meets, and says so.

use std::sync::Arc;

use crate::flag::Prerequisite;
use crate::outcome::{Outcome, OutcomeIndex, Reason};
use crate::time::Millis;
use crate::user::User;
use crate::warning::{Code, Warning};

use super::rule::Compiler;
use super::{CompiledFlag, Plan};

/// How many flags may stand in a row, each needing the next.
pub const LONGEST_CHAIN: usize = 10;
/// How many other flags may be asked for one answer, one that is asked twice counted twice.
pub const MOST_ASKED: usize = 100;

/// A flag that another one needs, as its compiler finds it.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    Flag(Arc<CompiledFlag>),
    /// It comes, by what it needs itself, back to some flag twice.
    Circular,
    Missing,
}

/// A prerequisite, and what its flag serves to whom does not meet it.
#[derive(Debug)]
pub(crate) struct CompiledPrerequisite {
    /// The flag that is asked and the variation that it has to serve; none: nobody meets it.
    pub(crate) needed: Option<(Arc<CompiledFlag>, usize)>,
    pub(crate) otherwise: Option<OutcomeIndex>,
}

impl CompiledPrerequisite {
    /// What the flag that is needed serves the user.
    pub(crate) fn served(&self, user: &User<'_>) -> Option<Outcome> {
        let (flag, _) = self.needed.as_ref()?;
        flag.outcome_for(user)
    }

    /// Whether everybody meets it, or nobody; none where that depends on the user.
    pub(crate) fn is_met(&self) -> Option<bool> {
        match &self.needed {
            None => Some(false),
            Some((flag, wanted)) => flag.same_for_all().map(|it| it == Some(*wanted)),
        }
    }

    pub(crate) fn is_met_by(&self, served: Option<Outcome>) -> bool {
        let wanted = self.needed.as_ref().map(|(_, variation)| *variation);
        wanted.is_some() && served.map(|outcome| outcome.variation) == wanted
    }
}

/// What a flag takes of others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// How many stand in a row behind it.
    pub(crate) depth: usize,
    /// How many are asked for one answer.
    pub(crate) asked: usize,
    /// The latest stamp of a flag that it comes to, or of a segment with conditions that one of
    /// these names.
    pub(crate) stamp: Option<Millis>,
    /// Whether it comes back to a flag twice.
    pub(crate) circular: bool,
}

impl Reach {
    pub(crate) const NOWHERE: Self = Self {
        depth: 0,
        asked: 0,
        stamp: None,
        circular: false,
    };

    /// With what another flag comes to; none where that is too far.
    fn with(self, flag: &CompiledFlag) -> Option<Self> {
        let other = flag.reach;
        let reach = Self {
            depth: self.depth.max(other.depth + 1),
            asked: self.asked + other.asked + 1,
            ..self
        };
        (reach.depth <= LONGEST_CHAIN && reach.asked <= MOST_ASKED).then_some(reach)
    }
}

impl Compiler<'_> {
    /// What the flag needs of others. The stamps of those count as its own to client SDKs.
    pub(super) fn prerequisites(&mut self) -> Box<[CompiledPrerequisite]> {
        let all = self.flag.prerequisites.iter().enumerate();
        all.map(|(number, prerequisite)| {
            let needed = self.needed(prerequisite);
            let otherwise = self.unmet(number);
            let needed = needed.map_err(|warning| {
                self.ledger
                    .warn(&format!("/prerequisites/{number}"), warning);
            });
            CompiledPrerequisite {
                needed: needed.ok(),
                otherwise,
            }
        })
        .collect()
    }

    fn needed(&mut self, of: &Prerequisite) -> Result<(Arc<CompiledFlag>, usize), Warning> {
        let nobody = |code, at: &str, what: &str| {
            let message = format!("flag {:?} {what}: nobody meets this prerequisite", of.flag);
            Warning::new(code, at, message)
        };
        let flag = match (self.needed)(&of.flag) {
            Found::Flag(flag) => flag,
            Found::Circular => {
                self.reach.circular = true;
                let what = "needs, by others, a flag that needs it";
                return Err(nobody(Code::CircularPrerequisite, "/flag", what));
            }
            Found::Missing => {
                return Err(nobody(
                    Code::UnknownPrerequisite,
                    "/flag",
                    "is not there (or not released here)",
                ));
            }
        };
        let stamps = [
            self.reach.stamp,
            flag.reach.stamp,
            flag.segments.stamp,
            Some(flag.flag.updated_at),
        ];
        self.reach.stamp = stamps.into_iter().flatten().max();
        self.stamp = self.stamp.max(flag.timestamp);
        if flag.flag.is_archived {
            return Err(nobody(Code::UnknownPrerequisite, "/flag", "is archived"));
        }
        let mut variations = flag.flag.variations.iter();
        let Some(variation) = variations.position(|it| it.id == of.variation) else {
            let what = format!("has no variation {:?}", of.variation);
            return Err(nobody(Code::UnknownVariation, "/variation", &what));
        };
        let Some(reach) = self.reach.with(&flag) else {
            let what = format!(
                "makes more than {LONGEST_CHAIN} flags stand in a row, or more than {MOST_ASKED} \
                 be asked"
            );
            return Err(nobody(Code::DeepPrerequisite, "/flag", &what));
        };
        self.reach = reach;
        Ok((flag, variation))
    }

    /// What those get who do not meet the prerequisite.
    fn unmet(&mut self, number: usize) -> Option<OutcomeIndex> {
        let variation = self.variation_of(&self.flag.disabled_variation_id)?;
        self.outcomes.next_reason();
        self.outcomes.add(Outcome {
            variation,
            reason: Reason::Prerequisite(number),
            send_to_experiment: false,
        })
    }
}

impl CompiledFlag {
    /// The keys of the flags that it needs, whether or not they are there.
    pub fn needs(&self) -> impl ExactSizeIterator<Item = &str> {
        self.flag.prerequisites.iter().map(|it| it.flag.as_str())
    }

    /// The latest stamp of a flag that it needs, or that one of those needs, and of the segments
    /// with conditions that these name; none where it needs none that is there. What SDKs that
    /// evaluate by themselves are sent of it differs with those.
    pub fn stamp_of_needs(&self) -> Option<Millis> {
        self.reach.stamp
    }

    /// Whether it comes, by what it needs, to a flag twice.
    pub(crate) fn is_circular(&self) -> bool {
        self.reach.circular
    }

    /// What it serves to everybody, if it is the same: a variation, or nothing.
    pub(crate) fn same_for_all(&self) -> Option<Option<usize>> {
        let variation = |index: Option<OutcomeIndex>| {
            let outcome = index.and_then(|index| self.outcome(index));
            outcome.map(|outcome| outcome.variation)
        };
        let targeting = match &self.plan {
            Plan::Fixed(outcome) => return Some(variation(*outcome)),
            Plan::Targeting(targeting) => targeting,
        };
        for prerequisite in &targeting.prerequisites {
            match prerequisite.is_met() {
                None => return None,
                Some(false) => return Some(variation(prerequisite.otherwise)),
                Some(true) => {}
            }
        }
        let mut lists = self.flag.target_users.iter();
        let anybody = lists.any(|list| !list.key_ids.is_empty()) || !targeting.rules.is_empty();
        match targeting.default.same_for_all() {
            Some(outcome) if !anybody => Some(variation(Some(outcome))),
            _ => None,
        }
    }
}
