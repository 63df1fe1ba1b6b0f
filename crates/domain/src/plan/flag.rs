//! A flag: its definition, and its targeting wherever that is asked for.

use burgee_eval::flag::Variation;

use super::Steps;
use super::targeting::{TargetingPlan, targeting};
use crate::command::Command;
use crate::command::flag::create::CreateFlag;
use crate::command::flag::life::{ArchiveFlag, DeleteFlag, RestoreFlag};
use crate::command::flag::metadata::{DescribeFlag, RenameFlag, SetFlagTags};
use crate::command::flag::variations::{SetVariations, UpdateVariation};
use crate::command::input::VariationInput;
use crate::key::Key;
use crate::model::{Flag, Life};

/// What a flag is, and what it shall be; none: it is not there, or was deleted.
#[derive(Clone, Debug)]
pub struct FlagPlan<'a> {
    /// The project's key.
    pub project: &'a str,
    /// The definition as it is.
    pub now: Option<&'a Flag>,
    /// The definition as it shall be.
    pub then: Option<&'a Flag>,
    /// The environments that are to be changed.
    pub targetings: Vec<TargetingPlan<'a>>,
}

/// The commands that lead a flag from one state to another.
pub fn flag(plan: &FlagPlan<'_>) -> Steps {
    let gone = |flag: &&Flag| flag.life != Life::Deleted;
    let (now, then) = (plan.now.filter(gone), plan.then.filter(gone));
    match (now, then) {
        (None, None) => Steps::default(),
        (Some(now), None) => remove(plan.project, now),
        (None, Some(then)) => {
            let live = Flag {
                life: Life::Live,
                ..then.clone()
            };
            let mut steps = Steps::default();
            steps.push(create(plan.project, then, Some(then.id.to_string())));
            steps.extend(edit(plan, &live, then));
            steps
        }
        (Some(now), Some(then)) => edit(plan, now, then),
    }
}

fn remove(project: &str, flag: &Flag) -> Steps {
    let mut steps = Steps::default();
    if flag.life == Life::Live {
        steps.push(archive(project, flag));
    }
    steps.push(DeleteFlag {
        project: project.to_owned(),
        flag: flag.key.to_string(),
    });
    steps
}

fn archive(project: &str, flag: &Flag) -> Command {
    ArchiveFlag {
        project: project.to_owned(),
        flag: flag.key.to_string(),
    }
    .into()
}

fn create(project: &str, flag: &Flag, id: Option<String>) -> Command {
    CreateFlag {
        project: project.to_owned(),
        flag: flag.key.to_string(),
        id,
        name: Some(flag.name.clone()),
        description: Some(flag.description.clone()),
        value_type: flag.kind,
        variations: flag.variations.iter().map(variation).collect(),
        tags: flag.tags.clone(),
        on_variation: Some(flag.default_on.clone()),
        off_variation: Some(flag.default_off.clone()),
    }
    .into()
}

/// Variations that come are there before the targeting serves them, and those that go are served
/// by nobody any more when they go.
fn edit(plan: &FlagPlan<'_>, now: &Flag, then: &Flag) -> Steps {
    let mut inside = Steps::default();
    let between = union(now, then);
    definition(plan.project, now, &between, &mut inside);
    for plan_of in &plan.targetings {
        inside.extend(targeting(plan.project, &between, plan_of));
    }
    definition(plan.project, &between, then, &mut inside);
    let mut steps = Steps::default();
    let edits = inside.commands.iter().any(needs_live_flag);
    let restored = now.life == Life::Archived && (edits || then.life == Life::Live);
    if restored {
        steps.push(RestoreFlag {
            project: plan.project.to_owned(),
            flag: now.key.to_string(),
        });
    }
    steps.extend(inside);
    if then.life == Life::Archived && (restored || now.life == Life::Live) {
        steps.push(archive(plan.project, now));
    }
    steps
}

fn needs_live_flag(command: &Command) -> bool {
    !matches!(
        command,
        Command::RenameFlag(_) | Command::DescribeFlag(_) | Command::SetFlagTags(_)
    )
}

/// The flag as it shall be, with the variations that it still has.
fn union(now: &Flag, then: &Flag) -> Flag {
    let mut between = then.clone();
    let kept = |it: &&Variation| !then.variations.iter().any(|other| other.id == it.id);
    let old = now.variations.iter().filter(kept).cloned();
    between.variations.extend(old);
    between
}

fn definition(project: &str, now: &Flag, then: &Flag, steps: &mut Steps) {
    let (project, flag) = (project.to_owned(), now.key.to_string());
    if now.name != then.name {
        steps.push(RenameFlag {
            project: project.clone(),
            flag: flag.clone(),
            name: then.name.clone(),
        });
    }
    if now.description != then.description {
        steps.push(DescribeFlag {
            project: project.clone(),
            flag: flag.clone(),
            description: then.description.clone(),
        });
    }
    if now.tags != then.tags {
        steps.push(SetFlagTags {
            project: project.clone(),
            flag: flag.clone(),
            tags: then.tags.clone(),
        });
    }
    variations(&project, now, then, steps);
}

fn variations(project: &str, now: &Flag, then: &Flag, steps: &mut Steps) {
    let defaults = |flag: &Flag| (flag.default_on.clone(), flag.default_off.clone());
    let ids = |flag: &Flag| -> Vec<String> {
        let variations = flag.variations.iter();
        variations.map(|it| it.id.clone()).collect()
    };
    if now.variations == then.variations && defaults(now) == defaults(then) {
        return;
    }
    if ids(now) != ids(then) || defaults(now) != defaults(then) {
        steps.push(SetVariations {
            project: project.to_owned(),
            flag: now.key.to_string(),
            variations: then.variations.iter().map(variation).collect(),
            on_variation: Some(then.default_on.clone()),
            off_variation: Some(then.default_off.clone()),
        });
        return;
    }
    let both = now.variations.iter().zip(&then.variations);
    for (old, new) in both.filter(|(old, new)| old != new) {
        let name = new.name.clone().unwrap_or_default();
        steps.push(UpdateVariation {
            project: project.to_owned(),
            flag: now.key.to_string(),
            variation: new.id.clone(),
            value: (old.value != new.value).then(|| new.value.clone()),
            name: (old.name != new.name).then_some(name),
        });
    }
}

fn variation(variation: &Variation) -> VariationInput {
    VariationInput {
        id: Some(variation.id.clone()),
        value: variation.value.clone(),
        name: variation.name.clone(),
    }
}

/// The commands that make another flag like this one, under another key and name, with its
/// targeting in some environments. It keeps the variations' ids.
pub fn clone_flag(
    project: &str,
    of: &Flag,
    key: &Key,
    name: Option<&str>,
    targetings: &[TargetingPlan<'_>],
) -> Steps {
    let flag = Flag {
        key: key.clone(),
        name: name.map_or_else(|| of.name.clone(), str::to_owned),
        life: Life::Live,
        ..of.clone()
    };
    let mut steps = Steps::default();
    steps.push(create(project, &flag, None));
    for plan in targetings.iter().filter(|plan| plan.then.is_some()) {
        steps.extend(targeting(project, &flag, plan));
    }
    steps
}
