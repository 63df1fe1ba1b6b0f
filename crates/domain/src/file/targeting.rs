//! A flag's targeting in an environment: what a file says, and what takes it there.

use std::collections::{BTreeMap, HashSet};

use burgee_eval::flag::{
    Fallthrough, Prerequisite, RolloutVariation, Rule, TargetUsers, Variation,
};

use super::labels::{SegmentNames, variation};
use super::shape::{DefaultFile, PrerequisiteFile, RuleFile, ServeFile, TargetFile, TargetingFile};
use super::{FileFault, condition};
use crate::change::unreleased;
use crate::check::rollout::everyone;
use crate::command::Command;
use crate::command::input::{ConditionInput, PartInput, RuleInput};
use crate::command::targeting::defaults::{SetDefaultRule, SetOffVariation};
use crate::command::targeting::prerequisites::SetPrerequisites;
use crate::command::targeting::rules::SetRules;
use crate::command::targeting::switch::{TurnOff, TurnOn};
use crate::command::targeting::targets::SetTargets;
use crate::command::targeting::tracking::SetTracking;
use crate::fault::shown;
use crate::key::{Key, fold};
use crate::model::{Flag, Targeting};

/// The name of a rule that was given none.
pub(super) fn name_of_place(index: usize) -> String {
    format!("Rule {}", index + 1)
}

/// Reads a targeting: as the flag shall have it. `present` is what it has there, if it was released.
pub(super) fn wanted(
    file: &TargetingFile,
    flag: &Flag,
    present: Option<&Targeting>,
    names: &SegmentNames,
    flags: &Variations,
    new_id: &mut dyn FnMut() -> String,
    at: &str,
) -> Result<Targeting, FileFault> {
    let usual = unreleased(flag);
    let variations = flag.variations.as_slice();
    let kept = present.map(|it| it.rules.as_slice()).unwrap_or_default();
    let mut rules = Vec::with_capacity(file.rules.len());
    for (index, it) in file.rules.iter().enumerate() {
        let place = format!("{at}/rules/{index}");
        let kept = kept.get(index);
        rules.push(rule(it, index, kept, variations, names, new_id, &place)?);
    }
    let off = file.off_variation.as_deref();
    let off = off.map(|it| variation(it, variations, &format!("{at}/offVariation")));
    Ok(Targeting {
        is_enabled: file.enabled,
        prerequisites: prerequisites(&file.prerequisites, present, flags, at)?,
        target_users: targets(&file.targets, variations, &format!("{at}/targets"))?,
        rules,
        fallthrough: match &file.fallthrough {
            Some(it) => default_rule(it, variations, &format!("{at}/default"))?,
            None => usual.fallthrough,
        },
        off_variation: off.transpose()?.map_or(usual.off_variation, str::to_owned),
        expt_include_all_targets: file.expt_include_all_targets,
        tracked: file.tracked,
        stamp: usual.stamp,
    })
}

/// Flags' keys and what they have, by folded key: those that are there, and those that the file
/// makes.
pub(super) type Variations = BTreeMap<String, (Key, Vec<Variation>)>;

/// What is there stays, whatever it names: of an archived flag it may be gone.
fn prerequisites(
    files: &[PrerequisiteFile],
    present: Option<&Targeting>,
    flags: &Variations,
    at: &str,
) -> Result<Vec<Prerequisite>, FileFault> {
    let present = present.map(|it| it.prerequisites.as_slice());
    let present = present.unwrap_or_default();
    let files = files.iter().enumerate();
    let all = files.map(|(index, file)| {
        let at = format!("{at}/prerequisites/{index}");
        let same = |it: &&Prerequisite| it.flag == file.flag && it.variation == file.serves;
        if let Some(kept) = present.iter().find(same) {
            return Ok(kept.clone());
        }
        let Some((key, variations)) = flags.get(&fold(&file.flag)) else {
            let message = format!("there is no flag with the key '{}'", shown(&file.flag));
            return Err(FileFault::new(at + "/flag", "flagNotFound", message));
        };
        Ok(Prerequisite {
            flag: key.to_string(),
            variation: variation(&file.serves, variations, &(at + "/serves"))?.to_owned(),
        })
    });
    all.collect()
}

/// The lists of users, in the order of the variations, as commands make them.
fn targets(
    files: &[TargetFile],
    variations: &[Variation],
    at: &str,
) -> Result<Vec<TargetUsers>, FileFault> {
    let mut lists: Vec<(&str, Vec<String>)> = Vec::new();
    let mut seen = HashSet::new();
    for (index, file) in files.iter().enumerate() {
        let id = variation(&file.serve, variations, &format!("{at}/{index}/serve"))?;
        let twice = file.keys.iter().find(|key| !seen.insert(key.as_str()));
        if let Some(key) = twice {
            let message = format!("the user '{}' is a target twice", shown(key));
            let at = format!("{at}/{index}/keys");
            return Err(FileFault::new(at, "targetTwice", message));
        }
        match lists.iter_mut().find(|(of, _)| *of == id) {
            Some((_, keys)) => keys.extend(file.keys.iter().cloned()),
            None => lists.push((id, file.keys.clone())),
        }
    }
    let place = |id: &str| variations.iter().position(|it| it.id == id);
    lists.retain(|(_, keys)| !keys.is_empty());
    lists.sort_by_key(|(id, _)| place(id));
    let lists = lists.into_iter().map(|(id, key_ids)| TargetUsers {
        key_ids,
        variation_id: id.to_owned(),
    });
    Ok(lists.collect())
}

fn rule(
    file: &RuleFile,
    index: usize,
    kept: Option<&Rule>,
    variations: &[Variation],
    names: &SegmentNames,
    new_id: &mut dyn FnMut() -> String,
    at: &str,
) -> Result<Rule, FileFault> {
    let name = file.name.clone().unwrap_or_else(|| name_of_place(index));
    // Who writes a file by hand gives no ids: the rule of the same place and name is meant.
    let kept = kept.filter(|it| it.name == name).map(|it| it.id.clone());
    let conditions = file.conditions.iter().enumerate();
    let conditions = conditions
        .map(|(index, it)| condition::from_file(it, names, &format!("{at}/if/{index}")))
        .collect::<Result<_, _>>()?;
    Ok(Rule {
        id: file.id.clone().or(kept).unwrap_or_else(new_id),
        name,
        dispatch_key: file.dispatch_key.clone(),
        included_in_expt: file.included_in_expt,
        conditions,
        variations: parts(&file.serve, variations, &format!("{at}/serve"))?,
    })
}

fn default_rule(
    file: &DefaultFile,
    variations: &[Variation],
    at: &str,
) -> Result<Fallthrough, FileFault> {
    Ok(Fallthrough {
        dispatch_key: file.dispatch_key.clone(),
        included_in_expt: file.included_in_expt,
        variations: parts(&file.serve, variations, &format!("{at}/serve"))?,
    })
}

fn parts(
    file: &ServeFile,
    variations: &[Variation],
    at: &str,
) -> Result<Vec<RolloutVariation>, FileFault> {
    match file {
        ServeFile::One(label) => Ok(everyone(variation(label, variations, at)?)),
        ServeFile::Parts(parts) => {
            let parts = parts.iter().enumerate();
            let parts = parts.map(|(index, part)| {
                let at = format!("{at}/{index}/variation");
                Ok(RolloutVariation {
                    id: variation(&part.variation, variations, &at)?.to_owned(),
                    rollout: part.rollout,
                    expt_rollout: part.expt_rollout.unwrap_or(1.0),
                })
            });
            parts.collect()
        }
    }
}

/// The commands that take a flag's targeting to what is wanted; none where it is so.
pub(super) fn commands(
    (project, environment): (&str, &str),
    flag: &Flag,
    present: Option<&Targeting>,
    wanted: &Targeting,
) -> Vec<Command> {
    let usual = unreleased(flag);
    let now = present.unwrap_or(&usual);
    let (project, environment) = (project.to_owned(), environment.to_owned());
    let flag_key = flag.key.to_string();
    let mut commands: Vec<Command> = Vec::new();
    /// A command with its address.
    macro_rules! add {
        ($name:ident { $($field:ident: $value:expr),* $(,)? }) => {
            commands.push($name {
                project: project.clone(),
                environment: environment.clone(),
                flag: flag_key.clone(),
                $($field: $value,)*
            }.into())
        };
    }
    for variation in &flag.variations {
        let keys = keys_of(wanted, &variation.id);
        if keys_of(now, &variation.id) != keys {
            add!(SetTargets {
                variation: variation.id.clone(),
                keys: keys.to_vec()
            });
        }
    }
    if normal(&now.rules) != normal(&wanted.rules) {
        add!(SetRules {
            rules: wanted.rules.iter().map(rule_input).collect()
        });
    }
    if now.fallthrough != wanted.fallthrough {
        add!(SetDefaultRule {
            dispatch_key: wanted.fallthrough.dispatch_key.clone(),
            included_in_expt: Some(wanted.fallthrough.included_in_expt),
            variations: Some(parts_input(&wanted.fallthrough.variations)),
            variation: None,
        });
    }
    if now.prerequisites != wanted.prerequisites {
        add!(SetPrerequisites {
            prerequisites: wanted.prerequisites.clone()
        });
    }
    if now.off_variation != wanted.off_variation {
        add!(SetOffVariation {
            variation: wanted.off_variation.clone()
        });
    }
    let all = wanted.expt_include_all_targets;
    if (now.tracked, now.expt_include_all_targets) != (wanted.tracked, all) {
        add!(SetTracking {
            tracked: Some(wanted.tracked),
            expt_include_all_targets: Some(all),
        });
    }
    match (now.is_enabled, wanted.is_enabled) {
        (false, true) => add!(TurnOn {}),
        (true, false) => add!(TurnOff {}),
        // Released as it is by itself: it takes a command all the same.
        _ if present.is_none() && commands.is_empty() => add!(TurnOff {}),
        _ => {}
    }
    commands
}

/// Rules as they are compared.
fn normal(rules: &[Rule]) -> Vec<Rule> {
    let rules = rules.iter().map(|rule| Rule {
        conditions: condition::normal(&rule.conditions),
        ..rule.clone()
    });
    rules.collect()
}

fn keys_of<'t>(targeting: &'t Targeting, variation: &str) -> &'t [String] {
    let lists = &targeting.target_users;
    let list = lists.iter().find(|it| it.variation_id == variation);
    list.map(|it| it.key_ids.as_slice()).unwrap_or_default()
}

fn rule_input(rule: &Rule) -> RuleInput {
    RuleInput {
        id: Some(rule.id.clone()),
        name: Some(rule.name.clone()),
        dispatch_key: rule.dispatch_key.clone(),
        included_in_expt: Some(rule.included_in_expt),
        conditions: rule.conditions.iter().map(condition_input).collect(),
        variations: Some(parts_input(&rule.variations)),
        variation: None,
    }
}

pub(super) fn condition_input(condition: &burgee_eval::flag::Condition) -> ConditionInput {
    ConditionInput {
        property: condition.property.clone(),
        op: condition.op.clone(),
        value: condition.value.clone(),
    }
}

fn parts_input(parts: &[RolloutVariation]) -> Vec<PartInput> {
    let parts = parts.iter().map(|part| PartInput {
        id: part.id.clone(),
        rollout: part.rollout,
        expt_rollout: Some(part.expt_rollout),
    });
    parts.collect()
}
