//! Why a user gets what they get, step by step: for people who ask, not for the hot path.
//!
//! It goes the way of [`evaluate`](crate::compile::CompiledFlag::evaluate) once more, over the flag
//! as its author wrote it rather than over the compiled plan, and keeps what it saw: which step
//! took the user, which conditions held and on what value, where in the rollout they fell. Only the
//! tests of single conditions are the compiled ones. So it is a second opinion, and a property test
//! holds that both always agree.
//!
//! What is said has a code and parameters beside the English words.

mod condition;
mod split;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::compile::{CompiledFlag, Plan};
use crate::flag::Variation;
use crate::outcome::{Outcome, Reason};
use crate::snapshot::Snapshot;
use crate::user::User;

pub use condition::{ConditionStep, Membership, SegmentStep};
pub use split::{ExperimentStep, PartStep, Split};

use split::Nothing;

/// What a flag gives a user, and how it came to that.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// What they get; none: nothing is served, programs give the default in their code.
    pub outcome: Option<Outcome>,
    /// Why, in short.
    pub reason: Why,
    /// Every step in order, also those that were not reached.
    pub steps: Vec<Step>,
}

/// A reason: a code with its parameters, and the same in English.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Why {
    /// `archived`, `off`, `targeted`, `rule` or `default`; `notReleased` and `unknownFlag` where
    /// there is nothing to evaluate.
    pub code: String,
    /// Of `rule`: `rule` (its id), `name` and `index` (from 0). Where it leads to nothing:
    /// `nothing`, which is `uncovered` (no part of the rollout covers the user) or
    /// `variationUnknown` (the flag has no such variation).
    pub params: BTreeMap<String, String>,
    /// In English.
    pub text: String,
}

/// What kind of step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum StepKind {
    /// Whether the flag is archived; only there where it is.
    Archived,
    /// Whether the flag is off.
    Off,
    /// Individual targets.
    Targets,
    /// A rule.
    Rule,
    /// The default rule.
    Default,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum StepResult {
    /// It decided.
    Taken,
    /// It does not concern the user; the next step was asked.
    Passed,
    /// An earlier one decided.
    NotReached,
}

/// One step of an evaluation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// What was asked.
    pub kind: StepKind,
    /// What came of it.
    pub result: StepResult,
    /// A rule's place, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// A rule's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// A rule's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The conditions of a rule that was reached, all of them, also those after one that does not
    /// hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ConditionStep>,
    /// How the rollout of the rule that took the user splits them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
}

impl Step {
    fn new(kind: StepKind, result: StepResult) -> Self {
        Self {
            kind,
            result,
            index: None,
            id: None,
            name: None,
            conditions: Vec::new(),
            split: None,
        }
    }
}

impl Snapshot {
    /// What the flag, which is one of this snapshot's, gives the user, and why.
    pub fn explain(&self, flag: &CompiledFlag, user: &User<'_>) -> Explanation {
        Walk {
            snapshot: self,
            flag,
            user,
            steps: Vec::new(),
            decided: None,
        }
        .explain()
    }
}

/// What was decided, and where.
struct Decided {
    outcome: Option<Outcome>,
    reason: Why,
}

struct Walk<'a> {
    snapshot: &'a Snapshot,
    flag: &'a CompiledFlag,
    user: &'a User<'a>,
    steps: Vec<Step>,
    decided: Option<Decided>,
}

impl Walk<'_> {
    fn explain(mut self) -> Explanation {
        self.archived();
        self.off();
        self.targets();
        for index in 0..self.flag.flag.rules.len() {
            self.rule(index);
        }
        let Decided { outcome, reason } = self.default_rule();
        Explanation {
            outcome,
            reason,
            steps: self.steps,
        }
    }

    /// Notes a step: that it was not reached, that it took the user, or that it let them pass.
    fn note(&mut self, mut step: Step, taken: Option<Decided>) {
        step.result = match (&self.decided, &taken) {
            (Some(_), _) => StepResult::NotReached,
            (None, Some(_)) => StepResult::Taken,
            (None, None) => StepResult::Passed,
        };
        self.steps.push(step);
        if self.decided.is_none() {
            self.decided = taken;
        }
    }

    fn archived(&mut self) {
        if self.flag.flag.is_archived {
            let text = "the flag is archived: programs get the default in their code";
            let decided = Decided {
                outcome: None,
                reason: why("archived", [], text.to_owned()),
            };
            let step = Step::new(StepKind::Archived, StepResult::Taken);
            self.note(step, Some(decided));
        }
    }

    fn off(&mut self) {
        let taken = (!self.flag.flag.is_enabled)
            .then(|| self.fixed(&self.flag.flag.disabled_variation_id, Reason::Disabled));
        let taken = taken.map(|(outcome, nothing)| Decided {
            outcome,
            reason: why("off", params(nothing), say("the flag is off", nothing)),
        });
        self.note(Step::new(StepKind::Off, StepResult::Passed), taken);
    }

    fn targets(&mut self) {
        let lists = &self.flag.flag.target_users;
        let list = lists
            .iter()
            .find(|list| list.key_ids.iter().any(|key| *key == self.user.key));
        let taken = list.filter(|_| self.decided.is_none()).map(|list| {
            let (mut outcome, nothing) = self.fixed(&list.variation_id, Reason::Targeted);
            if let Some(outcome) = &mut outcome {
                outcome.send_to_experiment = self.flag.flag.expt_include_all_targets;
            }
            let text = say("the user is an individual target", nothing);
            Decided {
                outcome,
                reason: why("targeted", params(nothing), text),
            }
        });
        self.note(Step::new(StepKind::Targets, StepResult::Passed), taken);
    }

    fn rule(&mut self, index: usize) {
        let rule = &self.flag.flag.rules[index];
        let mut step = Step::new(StepKind::Rule, StepResult::Passed);
        step.index = Some(index);
        step.id = Some(rule.id.clone());
        step.name = Some(rule.name.clone());
        let compiled = match &self.flag.plan {
            Plan::Targeting { rules, .. } if self.decided.is_none() => rules.get(index),
            _ => None,
        };
        let Some(compiled) = compiled else {
            return self.note(step, None);
        };
        let conditions = rule.conditions.iter().zip(&compiled.tests);
        let segments = self.snapshot;
        step.conditions = conditions
            .map(|(written, test)| ConditionStep::new(written, test, segments, self.user))
            .collect();
        if !step.conditions.iter().all(|condition| condition.holds) {
            return self.note(step, None);
        }
        let rollout = split::Rollout {
            dispatch_key: rule.dispatch_key.as_deref(),
            included: rule.included_in_expt,
            parts: &rule.variations,
            reason: Reason::Rule(index),
        };
        let (split, outcome, nothing) = rollout.explain(&self.flag.flag, self.user);
        let named = match rule.name.as_str() {
            "" => String::new(),
            name => format!(" ({name})"),
        };
        let text = format!("rule {}{named} takes the user", index + 1);
        let mut params = params(nothing);
        params.insert("rule".to_owned(), rule.id.clone());
        params.insert("name".to_owned(), rule.name.clone());
        params.insert("index".to_owned(), index.to_string());
        let text = say(&split.say(text), nothing);
        let reason = why("rule", params, text);
        step.split = Some(split);
        self.note(step, Some(Decided { outcome, reason }));
    }

    /// The last step, which takes whom no other did.
    fn default_rule(&mut self) -> Decided {
        let mut step = Step::new(StepKind::Default, StepResult::NotReached);
        if let Some(decided) = self.decided.take() {
            self.steps.push(step);
            return decided;
        }
        let rule = &self.flag.flag.fallthrough;
        let rollout = split::Rollout {
            dispatch_key: rule.dispatch_key.as_deref(),
            included: rule.included_in_expt,
            parts: &rule.variations,
            reason: Reason::Default,
        };
        let (split, outcome, nothing) = rollout.explain(&self.flag.flag, self.user);
        let text = split.say("no target and no rule takes the user: the default rule".to_owned());
        let reason = why("default", params(nothing), say(&text, nothing));
        step.split = Some(split);
        step.result = StepResult::Taken;
        self.steps.push(step);
        Decided { outcome, reason }
    }

    /// What everybody gets by a variation's id.
    fn fixed(&self, id: &str, reason: Reason) -> (Option<Outcome>, Option<Nothing>) {
        let variations = &self.flag.flag.variations;
        match position(variations, id) {
            Some(variation) => {
                let outcome = Outcome {
                    variation,
                    reason,
                    send_to_experiment: false,
                };
                (Some(outcome), None)
            }
            None => (None, Some(Nothing::VariationUnknown)),
        }
    }
}

/// Of two variations with one id the first counts.
fn position(variations: &[Variation], id: &str) -> Option<usize> {
    variations.iter().position(|variation| variation.id == id)
}

fn why(code: &str, params: impl IntoIterator<Item = (String, String)>, text: String) -> Why {
    Why {
        code: code.to_owned(),
        params: params.into_iter().collect(),
        text,
    }
}

fn params(nothing: Option<Nothing>) -> BTreeMap<String, String> {
    let code = nothing.map(|nothing| ("nothing".to_owned(), nothing.code().to_owned()));
    code.into_iter().collect()
}

/// A sentence that says, where it does, that it leads to nothing.
fn say(text: &str, nothing: Option<Nothing>) -> String {
    match nothing {
        None => text.to_owned(),
        Some(nothing) => format!(
            "{text}; {}, so programs get the default in their code",
            nothing.text()
        ),
    }
}
