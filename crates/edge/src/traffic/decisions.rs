//! Decisions on their way to the sink: what users were given, of those whom the environment chooses.
//!
//! What an answer said is not read back from it: the compiled flags are asked again, once the answer
//! is there, and for chosen users alone. Where nothing is logged it costs one comparison. A decision
//! that was taken a moment ago (the same user, flag, variation and version, in the same way, in one
//! minute) is not taken again: programs that reconnect or poll would fill the log with one answer.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::Arc;

use burgee_eval::compile::CompiledFlag;
use burgee_eval::outcome::{Outcome, Reason};
use burgee_eval::user::User;

use super::limits::{self, fits};
use super::{Sort, Traffic};
use crate::environment::Encoded;
use crate::sink::{Decision, DecisionTexts, Surface};

const MINUTE: i64 = 60_000;

/// How many decisions are remembered; then all are forgotten, and may be taken again.
const REMEMBERED: usize = 100_000;

/// An answer to a user.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// The environment's id.
    pub environment: &'a Arc<str>,
    /// The state that it was given from.
    pub state: &'a Encoded,
    /// To whom.
    pub user: &'a User<'a>,
    /// How.
    pub surface: Surface,
    /// When, in ms since 1970.
    pub at: i64,
}

/// What was decided in a minute.
#[derive(Default)]
pub(super) struct Recent {
    minute: i64,
    known: HashSet<u64>,
}

impl Recent {
    /// Whether it did not come in this minute.
    fn is_new(&mut self, decision: u64, now: i64) -> bool {
        let minute = now.div_euclid(MINUTE);
        if self.minute != minute || self.known.len() >= REMEMBERED {
            self.minute = minute;
            self.known.clear();
        }
        self.known.insert(decision)
    }
}

impl Traffic {
    /// A user was given these flags of a state, by their places in its snapshot; those that serve the
    /// user nothing are passed over. Cheap where the environment logs no decisions of the user.
    pub fn decided(&self, given: &Given<'_>, flags: impl Iterator<Item = usize>) {
        if !is_logged(given.state, &given.user.key) {
            return;
        }
        let all = given.state.snapshot().flags();
        let decided = flags.filter_map(|place| {
            let flag = all.get(place)?;
            let outcome = flag.outcome(flag.evaluate(given.user)?)?;
            let (id, variation) = (&*flag.flag().id, outcome.variation);
            let version = given.state.position();
            let what = (given.environment, &*given.user.key, id, variation);
            let hash = self.hasher.hash_one((what, version, given.surface));
            Some((hash, flag, outcome))
        });
        let mut decided: Vec<_> = decided.collect();
        let mut state = self.state();
        decided.retain(|(hash, ..)| state.recent.is_new(*hash, given.at));
        drop(state);
        // Packed while nobody waits for the lock.
        let decisions = decided.iter();
        let decisions = decisions.filter_map(|(_, flag, outcome)| given.decision(flag, *outcome));
        self.take_decisions(decisions.collect());
    }

    /// An SDK says that it gave a user this; when, it says itself, and it comes `now`.
    pub(super) fn reported(
        &self,
        given: &Given<'_>,
        flag: &CompiledFlag,
        variation: &str,
        now: i64,
    ) {
        if !is_logged(given.state, &given.user.key) {
            return;
        }
        let (id, minute) = (&*flag.flag().id, given.at.div_euclid(MINUTE));
        let what = (given.environment, &*given.user.key, id, variation, minute);
        let hash = self.hasher.hash_one((what, given.surface));
        if !self.state().recent.is_new(hash, now) {
            return;
        }
        let texts = DecisionTexts {
            variation,
            ..given.texts(flag)
        };
        let environment = Arc::clone(given.environment);
        self.take_decisions(vec![Decision::new(environment, texts, None, given.at)]);
    }

    fn take_decisions(&self, decisions: Vec<Decision>) {
        if decisions.is_empty() {
            return;
        }
        let mut state = self.state();
        for decision in decisions {
            let room = state.queue.decision(decision);
            self.taken(&state, Sort::Decision, room);
        }
    }
}

/// Whether decisions about a user are kept at all.
fn is_logged(state: &Encoded, user: &str) -> bool {
    state.logs_decisions_of(user) && !user.trim().is_empty() && fits(user, limits::USER_KEY)
}

impl Given<'_> {
    /// `None` where the flag has no such variation.
    fn decision(&self, flag: &CompiledFlag, outcome: Outcome) -> Option<Decision> {
        let variation = flag.flag().variations.get(outcome.variation)?;
        let rule = match outcome.reason {
            Reason::Rule(place) => flag.flag().rules.get(place),
            _ => None,
        };
        let texts = DecisionTexts {
            variation: &variation.id,
            reason: code(outcome.reason),
            rule: rule.map_or("", |rule| &rule.id),
            ..self.texts(flag)
        };
        let environment = Arc::clone(self.environment);
        let position = Some(self.state.position());
        Some(Decision::new(environment, texts, position, self.at))
    }

    fn texts<'t>(&'t self, flag: &'t CompiledFlag) -> DecisionTexts<'t> {
        DecisionTexts {
            user: &self.user.key,
            flag: &flag.flag().key,
            flag_id: &flag.flag().id,
            surface: self.surface.as_str(),
            ..DecisionTexts::default()
        }
    }
}

/// The code that explanations have for it.
fn code(reason: Reason) -> &'static str {
    match reason {
        Reason::Disabled => "off",
        Reason::Prerequisite(_) => "prerequisite",
        Reason::Targeted => "targeted",
        Reason::Rule(_) => "rule",
        Reason::Default => "default",
    }
}
