//! Why a user gets what they get, step by step: for people who ask, not for the hot path.
//!
//! It listens to the one evaluation there is ([`Trace`]) and tells what it heard with the flag's
//! own words: which step took the user, which conditions held and on what value, where in the
//! rollout they fell. What a step shows beside what was heard (the user's value, why they are in a
//! segment, what a needed flag's own reason is) decides nothing.
//!
//! What is said has a code and parameters beside the English words.

mod condition;
mod prerequisite;
mod split;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::compile::{CompiledFlag, Plan};
use crate::evaluate::Trace;
use crate::flag::RolloutVariation;
use crate::outcome::Outcome;
use crate::snapshot::Snapshot;
use crate::user::User;

pub use condition::{ConditionStep, Membership, SegmentStep};
pub use prerequisite::PrerequisiteStep;
pub use split::{ExperimentStep, PartStep, Split};

use prerequisite::Asked;
use split::{Fell, Nothing};

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

impl Explanation {
    /// Leaves out what flags serve that are needed and that whoever asked may not see: that they are
    /// needed, and whether they serve what they should, is the flag's own matter.
    pub fn hide(&mut self, hidden: impl Fn(&str) -> bool) {
        for step in &mut self.steps {
            let Some(shown) = &mut step.prerequisite else {
                continue;
            };
            if !hidden(&shown.flag) {
                // Why it serves that may be a flag of its own.
                if let Some(reason) = &mut shown.reason {
                    reason.hide(&hidden);
                }
                continue;
            }
            shown.name = String::new();
            shown.served = None;
            shown.reason = None;
            if step.result == StepResult::Taken {
                self.reason.hide(&hidden);
            }
        }
    }

    /// Does not say why the user is in segments, or is not, that whoever asked may not see: what the
    /// flag does with that is its own matter.
    pub fn hide_segments(&mut self, hidden: impl Fn(&str) -> bool) {
        let conditions = self.steps.iter_mut().flat_map(|step| &mut step.conditions);
        let segments = conditions.flat_map(|condition| &mut condition.segments);
        for segment in segments.filter(|it| hidden(&it.id)) {
            segment.why = Membership::Hidden;
            segment.rule = None;
        }
    }
}

impl Why {
    /// Does not say what the flag serves that was to serve something else, where it is hidden.
    fn hide(&mut self, hidden: impl Fn(&str) -> bool) {
        let flag = self
            .params
            .get("flag")
            .filter(|_| self.code == "prerequisite");
        if let Some(flag) = flag.filter(|flag| hidden(flag)) {
            self.text = format!("the prerequisite of flag {flag} is not met");
        }
    }
}

/// A reason: a code with its parameters, and the same in English.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Why {
    /// `archived`, `off`, `prerequisite`, `targeted`, `rule` or `default`; `notReleased` and
    /// `unknownFlag` where there is nothing to evaluate.
    pub code: String,
    /// Of `rule`: `rule` (its id), `name` and `index` (from 0). Of `prerequisite`: `flag` (the key
    /// of the one that is needed), `variation` (the id that it should serve) and `index`. Where it leads to nothing:
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
    /// A prerequisite: what another flag serves.
    Prerequisite,
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
    /// A rule's or a prerequisite's place, from 0.
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
    /// What was asked of another flag, of a prerequisite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prerequisite: Option<PrerequisiteStep>,
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
            prerequisite: None,
            split: None,
        }
    }
}

impl Snapshot {
    /// What the flag, which is one of this snapshot's, gives the user, and why.
    pub fn explain(&self, flag: &CompiledFlag, user: &User<'_>) -> Explanation {
        let mut heard = Heard::default();
        let outcome = flag.walk(user, &mut heard);
        Story {
            snapshot: self,
            flag,
            user,
            outcome: outcome.and_then(|index| flag.outcome(index)),
            heard,
        }
        .tell()
    }
}

/// What was heard of an evaluation.
#[derive(Default)]
struct Heard {
    /// By prerequisite that was asked: what its flag serves, and whether that is it.
    prerequisites: Vec<(Option<Outcome>, bool)>,
    /// The list that has the user.
    list: Option<usize>,
    /// By rule that was asked, whether each of its conditions holds.
    conditions: Vec<Vec<bool>>,
    /// Where in a rollout the user fell.
    fell: Option<Fell>,
}

impl Trace for Heard {
    const THOROUGH: bool = true;

    fn prerequisite(&mut self, _: usize, served: Option<Outcome>, met: bool) {
        self.prerequisites.push((served, met));
    }

    fn targets(&mut self, list: Option<usize>) {
        self.list = list;
    }

    fn condition(&mut self, rule: usize, holds: bool) {
        if self.conditions.len() <= rule {
            self.conditions.resize_with(rule + 1, Vec::new);
        }
        self.conditions[rule].push(holds);
    }

    fn rollout(&mut self, bucket: Option<f64>, part: Option<usize>) {
        self.fell = Some(Fell {
            bucket,
            part,
            draw: None,
        });
    }

    fn experiment(&mut self, bucket: f64, share: f64) {
        if let Some(fell) = &mut self.fell {
            fell.draw = Some((bucket, share));
        }
    }
}

/// The step that decided.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Decided {
    Archived,
    Off,
    Prerequisite(usize),
    Targets,
    Rule(usize),
    Default,
}

/// What there is to tell.
struct Story<'a> {
    snapshot: &'a Snapshot,
    flag: &'a CompiledFlag,
    user: &'a User<'a>,
    outcome: Option<Outcome>,
    heard: Heard,
}

impl Story<'_> {
    fn tell(self) -> Explanation {
        let decided = self.decided();
        let flag = &self.flag.flag;
        let mut steps = Vec::new();
        let say = |at: Decided, kind: StepKind| {
            let result = match at.cmp(&decided) {
                Ordering::Less => StepResult::Passed,
                Ordering::Equal => StepResult::Taken,
                Ordering::Greater => StepResult::NotReached,
            };
            self.step(at, Step::new(kind, result))
        };
        if flag.is_archived {
            steps.push(say(Decided::Archived, StepKind::Archived));
        }
        steps.push(say(Decided::Off, StepKind::Off));
        for number in 0..flag.prerequisites.len() {
            steps.push(say(Decided::Prerequisite(number), StepKind::Prerequisite));
        }
        steps.push(say(Decided::Targets, StepKind::Targets));
        for number in 0..flag.rules.len() {
            steps.push(say(Decided::Rule(number), StepKind::Rule));
        }
        steps.push(say(Decided::Default, StepKind::Default));
        Explanation {
            outcome: self.outcome,
            reason: self.reason(decided, &steps),
            steps,
        }
    }

    fn decided(&self) -> Decided {
        let (flag, heard) = (&self.flag.flag, &self.heard);
        let unmet = heard.prerequisites.iter().position(|(_, met)| !met);
        let holding = |number: usize| match heard.conditions.get(number) {
            Some(asked) => asked.iter().all(|holds| *holds),
            None => true,
        };
        match unmet {
            _ if flag.is_archived => Decided::Archived,
            _ if !flag.is_enabled => Decided::Off,
            Some(number) => Decided::Prerequisite(number),
            None if heard.list.is_some() => Decided::Targets,
            None => (0..flag.rules.len())
                .find(|number| holding(*number))
                .map_or(Decided::Default, Decided::Rule),
        }
    }

    /// A step with what it has to show.
    fn step(&self, at: Decided, mut step: Step) -> Step {
        match at {
            Decided::Prerequisite(number) => {
                let written = &self.flag.flag.prerequisites[number];
                let at = format!("/prerequisites/{number}/");
                let mut warnings = self.flag.warnings().iter();
                let asked = Asked {
                    heard: self.heard.prerequisites.get(number),
                    broken: warnings.find(|it| it.pointer.starts_with(&at)),
                };
                step.index = Some(number);
                let (snapshot, user) = (self.snapshot, self.user);
                let shown = PrerequisiteStep::new(written, &asked, snapshot, user);
                step.prerequisite = Some(shown);
            }
            Decided::Rule(number) => self.rule(number, &mut step),
            Decided::Default if step.result == StepResult::Taken => {
                let rule = &self.flag.flag.fallthrough;
                step.split = self.split(rule.dispatch_key.as_deref(), &rule.variations);
            }
            _ => {}
        }
        step
    }

    fn rule(&self, number: usize, step: &mut Step) {
        let rule = &self.flag.flag.rules[number];
        step.index = Some(number);
        step.id = Some(rule.id.clone());
        step.name = Some(rule.name.clone());
        if step.result == StepResult::NotReached {
            return;
        }
        let Plan::Targeting(targeting) = &self.flag.plan else {
            return;
        };
        let heard = self.heard.conditions.get(number).into_iter().flatten();
        let tests = targeting.rules[number].tests.iter().zip(heard);
        step.conditions = rule
            .conditions
            .iter()
            .zip(tests)
            .map(|(written, (test, holds))| {
                ConditionStep::new(written, test, *holds, self.snapshot, self.user)
            })
            .collect();
        if step.result == StepResult::Taken {
            step.split = self.split(rule.dispatch_key.as_deref(), &rule.variations);
        }
    }

    fn split(&self, by: Option<&str>, parts: &[RolloutVariation]) -> Option<Split> {
        let fell = self.heard.fell.as_ref()?;
        Some(Split::new(by, parts, fell, self.user))
    }

    /// Why, by the step that decided.
    fn reason(&self, decided: Decided, steps: &[Step]) -> Why {
        let nothing = self.nothing();
        let params = |more: &[(&str, &str)]| {
            let more = more.iter().map(|(name, value)| (*name, *value));
            let nothing = nothing.map(|nothing| ("nothing", nothing.code()));
            let all = more.chain(nothing);
            all.map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect()
        };
        let taken = steps.iter().find(|it| it.result == StepResult::Taken);
        let split = taken.and_then(|step| step.split.as_ref());
        let (code, params, text) = match decided {
            Decided::Archived => {
                let text = "the flag is archived: programs get the default in their code";
                return Why::new("archived", BTreeMap::new(), text.to_owned());
            }
            Decided::Off => ("off", params(&[]), "the flag is off".to_owned()),
            Decided::Prerequisite(number) => {
                let needed = taken.and_then(|step| step.prerequisite.as_ref());
                let index = number.to_string();
                let params = needed.map(|needed| {
                    params(&[
                        ("flag", &needed.flag),
                        ("variation", &needed.variation),
                        ("index", &index),
                    ])
                });
                let text = needed.map_or_else(String::new, PrerequisiteStep::say);
                ("prerequisite", params.unwrap_or_default(), text)
            }
            Decided::Targets => {
                let text = "the user is an individual target".to_owned();
                ("targeted", params(&[]), text)
            }
            Decided::Rule(number) => {
                let rule = &self.flag.flag.rules[number];
                let named = match rule.name.as_str() {
                    "" => String::new(),
                    name => format!(" ({name})"),
                };
                let index = number.to_string();
                let params = params(&[("rule", &rule.id), ("name", &rule.name), ("index", &index)]);
                let text = format!("rule {}{named} takes the user", number + 1);
                ("rule", params, text)
            }
            Decided::Default => {
                let text = "no target and no rule takes the user: the default rule".to_owned();
                ("default", params(&[]), text)
            }
        };
        let text = split.map_or_else(|| text.clone(), |split| split.say(text.clone()));
        Why::new(code, params, say(&text, nothing))
    }

    /// Why nothing is served, where nothing is.
    fn nothing(&self) -> Option<Nothing> {
        let covered = self.heard.fell.as_ref().is_none_or(|it| it.part.is_some());
        match (self.outcome, covered) {
            (Some(_), _) => None,
            (None, false) => Some(Nothing::Uncovered),
            (None, true) => Some(Nothing::VariationUnknown),
        }
    }
}

impl Why {
    fn new(code: &str, params: BTreeMap<String, String>, text: String) -> Self {
        Self {
            code: code.to_owned(),
            params,
            text,
        }
    }
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
