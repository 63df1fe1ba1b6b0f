//! Rules, and what they are made of, as commands have them.

use burgee_eval::flag::{Condition, RolloutVariation, Rule};
use burgee_eval::segment::SegmentRule;

use crate::command::input::{ConditionInput, PartInput, RuleInput, SegmentRuleInput};
use crate::command::targeting::rules::{AddRule, RemoveRule, SetRules, UpdateRule};

use super::Steps;
use super::targeting::Place;

/// From so many commands on all rules are set at once.
const FEW: usize = 10;

/// Leads a flag's rules from one list to another.
pub(super) fn steps(place: &Place<'_>, now: &[Rule], then: &[Rule], steps: &mut Steps) {
    if now == then {
        return;
    }
    let one_by_one = one_by_one(place, now, then);
    match one_by_one.filter(|them| them.commands.len() < FEW) {
        Some(them) => steps.extend(them),
        None => steps.push(SetRules {
            project: place.project.to_owned(),
            environment: place.environment.to_owned(),
            flag: place.flag.to_owned(),
            rules: then.iter().map(rule).collect(),
        }),
    }
}

/// Rules that come, go and change; none where others change places.
fn one_by_one(place: &Place<'_>, now: &[Rule], then: &[Rule]) -> Option<Steps> {
    let has = |rules: &[Rule], id: &str| rules.iter().any(|rule| rule.id == id);
    let order = |rules: &'_ [Rule], other: &[Rule]| -> Vec<String> {
        let ids = rules.iter().map(|rule| &rule.id);
        ids.filter(|id| has(other, id)).cloned().collect()
    };
    if order(now, then) != order(then, now) {
        return None;
    }
    let (project, environment, flag) = place.keys();
    let mut steps = Steps::default();
    for gone in now.iter().filter(|rule| !has(then, &rule.id)) {
        steps.push(RemoveRule {
            project: project.clone(),
            environment: environment.clone(),
            flag: flag.clone(),
            rule: gone.id.clone(),
        });
    }
    // From the last on: what a new rule stands before is there already.
    for (index, wanted) in then.iter().enumerate().rev() {
        match now.iter().find(|rule| rule.id == wanted.id) {
            Some(same) if same == wanted => {}
            Some(_) => steps.push(UpdateRule {
                project: project.clone(),
                environment: environment.clone(),
                flag: flag.clone(),
                rule: rule(wanted),
            }),
            None => steps.push(AddRule {
                project: project.clone(),
                environment: environment.clone(),
                flag: flag.clone(),
                rule: rule(wanted),
                before: then.get(index + 1).map(|next| next.id.clone()),
            }),
        }
    }
    Some(steps)
}

/// A rule as a command has it.
pub(super) fn rule(rule: &Rule) -> RuleInput {
    RuleInput {
        id: Some(rule.id.clone()),
        name: Some(rule.name.clone()),
        dispatch_key: rule.dispatch_key.clone(),
        included_in_expt: Some(rule.included_in_expt),
        conditions: conditions(&rule.conditions),
        variations: Some(parts(&rule.variations)),
        variation: None,
    }
}

/// A segment's rule as a command has it.
pub(super) fn segment_rule(rule: &SegmentRule) -> SegmentRuleInput {
    SegmentRuleInput {
        id: Some(rule.id.clone()),
        name: Some(rule.name.clone()),
        conditions: conditions(&rule.conditions),
    }
}

/// A rollout as a command has it.
pub(super) fn parts(parts: &[RolloutVariation]) -> Vec<PartInput> {
    let parts = parts.iter().map(|part| PartInput {
        id: part.id.clone(),
        rollout: part.rollout,
        expt_rollout: Some(part.expt_rollout),
    });
    parts.collect()
}

fn conditions(conditions: &[Condition]) -> Vec<ConditionInput> {
    let conditions = conditions.iter().map(|condition| ConditionInput {
        property: condition.property.clone(),
        op: condition.op.clone(),
        value: condition.value.clone(),
    });
    conditions.collect()
}
