//! One flag, one user, one answer.
//!
//! The order is that of every FeatBit SDK: archived, off, individual targets, rules, default rule.
//! A rule that holds is the end of it, even where its rollout leaves the user out: what comes after
//! was not meant for them.

use crate::compile::{CompiledFlag, Plan};
use crate::outcome::{Outcome, OutcomeIndex};
use crate::user::User;

impl CompiledFlag {
    /// What the user gets, as a position among [`CompiledFlag::outcomes`]. None where the flag is
    /// archived, where what took the user covers nobody like them, or where it names a variation
    /// that is not there: the program's own default applies. Allocates nothing.
    pub fn evaluate(&self, user: &User<'_>) -> Option<OutcomeIndex> {
        let (targets, targeted, rules, default) = match &self.plan {
            Plan::Fixed(outcome) => return *outcome,
            Plan::Targeting {
                targets,
                targeted,
                rules,
                default,
            } => (targets, targeted, rules, default),
        };
        let lists = |number: usize| Some(self.flag.target_users.get(number)?.key_ids.as_slice());
        if let Some(list) = targets.find(&user.key, lists) {
            return targeted.get(list).copied().flatten();
        }
        let mut rules = rules.iter();
        let rule = rules.find(|rule| rule.tests.iter().all(|test| test.holds(user)));
        let rollout = rule.map_or(default, |rule| &rule.rollout);
        rollout.outcome(&self.flag.key, user)
    }

    /// The outcome at a position that [`CompiledFlag::evaluate`] gave.
    pub fn outcome(&self, index: OutcomeIndex) -> Option<Outcome> {
        self.outcomes().get(index.get()).copied()
    }
}
