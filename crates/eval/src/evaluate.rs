//! One flag, one user, one answer.
//!
//! The order is that of every FeatBit SDK, with prerequisites where a flag that is off would end
//! it: archived, off, prerequisites, individual targets, rules, default rule. A rule that holds is
//! the end of it, even where its rollout leaves the user out: what comes after was not meant for
//! them.
//!
//! There is one walk. Whoever wants to know why listens to it ([`Trace`]); for whoever does not,
//! the compiler leaves nothing of the listening.

use crate::compile::{CompiledFlag, Plan};
use crate::outcome::{Outcome, OutcomeIndex};
use crate::user::User;

/// Hears what an evaluation comes by.
pub(crate) trait Trace {
    /// Whether all conditions of a rule are asked, also those behind one that does not hold.
    const THOROUGH: bool;

    /// A prerequisite was asked: what the flag that is needed serves, and whether that is it.
    fn prerequisite(&mut self, number: usize, served: Option<Outcome>, met: bool);
    /// The list of individual targets that has the user, if one does.
    fn targets(&mut self, list: Option<usize>);
    /// A condition was asked.
    fn condition(&mut self, rule: usize, holds: bool);
    /// The user's place in a rollout, where it needed one, and the part that covers them.
    fn rollout(&mut self, bucket: Option<f64>, part: Option<usize>);
    /// The draw for an experiment, which takes up to `share`.
    fn experiment(&mut self, bucket: f64, share: f64);
}

/// Nobody listens.
impl Trace for () {
    const THOROUGH: bool = false;

    fn prerequisite(&mut self, _: usize, _: Option<Outcome>, _: bool) {}
    fn targets(&mut self, _: Option<usize>) {}
    fn condition(&mut self, _: usize, _: bool) {}
    fn rollout(&mut self, _: Option<f64>, _: Option<usize>) {}
    fn experiment(&mut self, _: f64, _: f64) {}
}

impl CompiledFlag {
    /// What the user gets, as a position among [`CompiledFlag::outcomes`]. None where the flag is
    /// archived, where what took the user covers nobody like them, or where it names a variation
    /// that is not there: the program's own default applies. Allocates nothing.
    pub fn evaluate(&self, user: &User<'_>) -> Option<OutcomeIndex> {
        self.walk(user, &mut ())
    }

    /// The outcome at a position that [`CompiledFlag::evaluate`] gave.
    pub fn outcome(&self, index: OutcomeIndex) -> Option<Outcome> {
        self.outcomes().get(index.get()).copied()
    }

    /// What the user gets, with its reason.
    pub fn outcome_for(&self, user: &User<'_>) -> Option<Outcome> {
        self.outcome(self.evaluate(user)?)
    }

    pub(crate) fn walk<T: Trace>(&self, user: &User<'_>, trace: &mut T) -> Option<OutcomeIndex> {
        let targeting = match &self.plan {
            Plan::Fixed(outcome) => return *outcome,
            Plan::Targeting(targeting) => targeting,
        };
        for (number, prerequisite) in targeting.prerequisites.iter().enumerate() {
            let served = prerequisite.served(user);
            let met = prerequisite.is_met_by(served);
            trace.prerequisite(number, served, met);
            if !met {
                return prerequisite.otherwise;
            }
        }
        let lists = |number: usize| Some(self.flag.target_users.get(number)?.key_ids.as_slice());
        let list = targeting.targets.find(&user.key, lists);
        trace.targets(list);
        if let Some(list) = list {
            return targeting.targeted.get(list).copied().flatten();
        }
        let mut rules = targeting.rules.iter().enumerate();
        let rule = rules.find(|(number, rule)| {
            let mut all = true;
            for test in &rule.tests {
                let holds = test.holds(user);
                trace.condition(*number, holds);
                all &= holds;
                if !all && !T::THOROUGH {
                    break;
                }
            }
            all
        });
        let rollout = rule.map_or(&targeting.default, |(_, rule)| &rule.rollout);
        rollout.outcome(&self.flag.key, user, trace)
    }
}
