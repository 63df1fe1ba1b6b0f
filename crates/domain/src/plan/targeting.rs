//! A flag's targeting in one environment.

use std::collections::BTreeSet;

use burgee_eval::flag::Variation;

use super::users::{self, Change};
use super::{Steps, rules};
use crate::change::unreleased;
use crate::command::Command;
use crate::command::targeting::defaults::{SetDefaultRule, SetOffVariation};
use crate::command::targeting::prerequisites::SetPrerequisites;
use crate::command::targeting::switch::{TurnOff, TurnOn};
use crate::command::targeting::targets::{AddTargets, RemoveTargets, SetTargets};
use crate::command::targeting::tracking::SetTracking;
use crate::diff::targets_of;
use crate::model::{Flag, Targeting};

/// What a flag's targeting is in an environment, and what it shall be; none: not released.
#[derive(Clone, Copy, Debug)]
pub struct TargetingPlan<'a> {
    /// The environment's key.
    pub environment: &'a str,
    /// As it is.
    pub now: Option<&'a Targeting>,
    /// As it shall be.
    pub then: Option<&'a Targeting>,
}

/// Which targeting commands are about.
pub(super) struct Place<'a> {
    pub(super) project: &'a str,
    pub(super) environment: &'a str,
    pub(super) flag: &'a str,
}

impl Place<'_> {
    /// Project, environment and flag.
    pub(super) fn keys(&self) -> (String, String, String) {
        (
            self.project.to_owned(),
            self.environment.to_owned(),
            self.flag.to_owned(),
        )
    }
}

/// The variations that a targeting serves and a flag does not have, by id.
pub fn missing_variations(targeting: &Targeting, variations: &[Variation]) -> Vec<String> {
    let parts = targeting.rules.iter().flat_map(|rule| &rule.variations);
    let parts = parts.chain(&targeting.fallthrough.variations);
    let lists = targeting.target_users.iter().map(|list| &list.variation_id);
    let served: BTreeSet<&String> = parts
        .map(|part| &part.id)
        .chain(lists)
        .chain([&targeting.off_variation])
        .collect();
    let missing = served.into_iter();
    missing
        .filter(|id| !variations.iter().any(|it| it.id == **id))
        .cloned()
        .collect()
}

/// The commands that lead a live flag's targeting from one state to another. A flag that was
/// released once stays so: where it shall not be it is turned off and left as if it were new, and
/// the author is told.
pub fn targeting(project: &str, flag: &Flag, plan: &TargetingPlan<'_>) -> Steps {
    let mut steps = Steps::default();
    let fresh = unreleased(flag);
    if plan.then.is_none() && plan.now.is_none() {
        return steps;
    }
    if plan.then.is_none() {
        let message = format!(
            "'{}' was not released in {} then, which cannot be undone: it is turned off there",
            flag.key, plan.environment
        );
        steps.warn("staysReleased", message);
    }
    let place = Place {
        project,
        environment: plan.environment,
        flag: flag.key.as_str(),
    };
    let (now, then) = (plan.now.unwrap_or(&fresh), plan.then.unwrap_or(&fresh));
    differences(&place, flag, now, then, &mut steps);
    if plan.now.is_none() && steps.commands.is_empty() {
        // It releases the flag.
        steps.push(switch(&place, false));
    }
    steps
}

fn differences(
    place: &Place<'_>,
    flag: &Flag,
    now: &Targeting,
    then: &Targeting,
    steps: &mut Steps,
) {
    rules::steps(place, &now.rules, &then.rules, steps);
    targets(place, flag, now, then, steps);
    let (project, environment, key) = place.keys();
    if now.fallthrough != then.fallthrough {
        steps.push(SetDefaultRule {
            project: project.clone(),
            environment: environment.clone(),
            flag: key.clone(),
            dispatch_key: then.fallthrough.dispatch_key.clone(),
            included_in_expt: Some(then.fallthrough.included_in_expt),
            variations: Some(rules::parts(&then.fallthrough.variations)),
            variation: None,
        });
    }
    if now.off_variation != then.off_variation {
        steps.push(SetOffVariation {
            project: project.clone(),
            environment: environment.clone(),
            flag: key.clone(),
            variation: then.off_variation.clone(),
        });
    }
    if now.prerequisites != then.prerequisites {
        steps.push(SetPrerequisites {
            project: project.clone(),
            environment: environment.clone(),
            flag: key.clone(),
            prerequisites: then.prerequisites.clone(),
        });
    }
    let tracking = |it: &Targeting| (it.tracked, it.expt_include_all_targets);
    if tracking(now) != tracking(then) {
        let differs = |old: bool, new: bool| (old != new).then_some(new);
        steps.push(SetTracking {
            project,
            environment,
            flag: key,
            tracked: differs(now.tracked, then.tracked),
            expt_include_all_targets: differs(
                now.expt_include_all_targets,
                then.expt_include_all_targets,
            ),
        });
    }
    if now.is_enabled != then.is_enabled {
        steps.push(switch(place, then.is_enabled));
    }
}

fn switch(place: &Place<'_>, on: bool) -> Command {
    let (project, environment, flag) = place.keys();
    match on {
        true => TurnOn {
            project,
            environment,
            flag,
        }
        .into(),
        false => TurnOff {
            project,
            environment,
            flag,
        }
        .into(),
    }
}

/// Who goes first: a user is in one list at most, and the lists have a limit together.
fn targets(place: &Place<'_>, flag: &Flag, now: &Targeting, then: &Targeting, steps: &mut Steps) {
    let mut others: Vec<Command> = Vec::new();
    for variation in flag.variations.iter().map(|it| &it.id) {
        let (project, environment, flag) = place.keys();
        let (old, new) = (targets_of(now, variation), targets_of(then, variation));
        match users::change(&old, &new) {
            Change::None => {}
            Change::Set => others.push(
                SetTargets {
                    project,
                    environment,
                    flag,
                    variation: variation.clone(),
                    keys: new,
                }
                .into(),
            ),
            Change::Edit { removed, added } => {
                if !removed.is_empty() {
                    steps.push(RemoveTargets {
                        project: project.clone(),
                        environment: environment.clone(),
                        flag: flag.clone(),
                        variation: variation.clone(),
                        keys: removed,
                    });
                }
                if !added.is_empty() {
                    others.push(
                        AddTargets {
                            project,
                            environment,
                            flag,
                            variation: variation.clone(),
                            keys: added,
                        }
                        .into(),
                    );
                }
            }
        }
    }
    steps.commands.extend(others);
}
