//! From a file and what is there to what has to be done.
//!
//! Environments come first, by acts of administration. Everything of one flag is done together;
//! segments come before the flags that name them, and are archived after. What a file does not name
//! stays: another environment, a flag's targeting where the file has none. Pruning archives the
//! flags and segments of which the file says nothing, and deletes none.

use std::collections::{BTreeMap, BTreeSet};

use burgee_eval::compile::LONGEST_CHAIN;
use burgee_eval::flag::Variation;
use serde::Serialize;

use super::environments::{self, PlannedEnvironment};
use super::labels::{SegmentNames, free_id, variation};
use super::present::Present;
use super::segments::{self, Place};
use super::shape::{FlagFile, ProjectFile, SegmentFile};
use super::targeting::Variations;
use super::{FileFault, targeting};
use crate::command::Command;
use crate::command::flag::create::CreateFlag;
use crate::command::flag::life::{ArchiveFlag, RestoreFlag};
use crate::command::flag::metadata::{DescribeFlag, RenameFlag, SetFlagTags};
use crate::command::flag::variations::SetVariations;
use crate::command::input::VariationInput;
use crate::fault::shown;
use crate::key::{Key, fold};
use crate::limits::MAX_COMMANDS;
use crate::model::{Flag, Life, SegmentScope};
use crate::workspace::FlagState;

/// What has to be done, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The environments that the file describes; those too where nothing has to be done.
    pub environments: Vec<PlannedEnvironment>,
    /// Segments, then flags, then segments that are archived at the end; those too where nothing has
    /// to be done.
    pub groups: Vec<Group>,
}

/// What becomes of one flag or segment.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// `flag` or `segment`.
    pub kind: &'static str,
    /// The environment of a segment of one.
    pub environment: Option<String>,
    /// Its key.
    pub key: String,
    /// In a word.
    pub done: Done,
    /// What does it; none where it is so already.
    pub commands: Vec<Command>,
}

/// What becomes of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Done {
    /// It is new.
    Created,
    /// It differs.
    Updated,
    /// It was archived, and is served again.
    Restored,
    /// It is archived.
    Archived,
    /// It is so already.
    Unchanged,
}

impl Group {
    pub(super) fn segment(
        environment: Option<&str>,
        key: &str,
        done: Done,
        commands: Vec<Command>,
    ) -> Self {
        Self {
            kind: "segment",
            environment: environment.map(str::to_owned),
            key: key.to_owned(),
            done,
            commands,
        }
    }

    fn flag(key: &str, done: Done, commands: Vec<Command>) -> Self {
        Self {
            kind: "flag",
            environment: None,
            key: key.to_owned(),
            done,
            commands,
        }
    }
}

impl Plan {
    /// The commands as change sets, each within the limit: together where they fit, and never apart
    /// what belongs to one flag or segment.
    pub fn change_sets(&self) -> Vec<Vec<Command>> {
        let mut sets: Vec<Vec<Command>> = Vec::new();
        for group in &self.groups {
            match sets.last_mut() {
                Some(set) if set.len() + group.commands.len() <= MAX_COMMANDS => {
                    set.extend(group.commands.iter().cloned());
                }
                _ if group.commands.is_empty() => {}
                _ => sets.push(group.commands.clone()),
            }
        }
        sets
    }

    /// Whether everything is as the file says.
    pub fn is_empty(&self) -> bool {
        self.groups.iter().all(|it| it.commands.is_empty())
            && self.environments.iter().all(|it| it.act().is_none())
    }
}

/// Plans what takes a project to what a file says.
///
/// # Errors
/// The first thing in the file that cannot be meant.
pub fn plan(
    file: &ProjectFile,
    present: &Present,
    prune: bool,
    new_id: &mut dyn FnMut() -> String,
) -> Result<Plan, FileFault> {
    let environments = environments::plan(file, present, new_id)?;
    let present = environments::with_made(present, &environments);
    let mut planner = Planner {
        present: &present,
        file,
        plan: Plan {
            environments,
            ..Plan::default()
        },
        last: Vec::new(),
        own: BTreeMap::new(),
        shared: SegmentNames::default(),
        flags: variations_of(&present),
        new_id,
    };
    planner.segments(prune)?;
    planner.flags(prune)?;
    let Planner { mut plan, last, .. } = planner;
    plan.groups.extend(last);
    Ok(plan)
}

struct Planner<'a> {
    present: &'a Present,
    file: &'a ProjectFile,
    plan: Plan,
    /// What is done after the flags.
    last: Vec<Group>,
    /// By folded key of an environment: the segments that its rules can name.
    own: BTreeMap<String, SegmentNames>,
    /// The segments that all can name.
    shared: SegmentNames,
    /// What flags have of which others may need a part.
    flags: Variations,
    new_id: &'a mut dyn FnMut() -> String,
}

impl Planner<'_> {
    fn segments(&mut self, prune: bool) -> Result<(), FileFault> {
        let (file, present) = (self.file, self.present);
        let organization = SegmentScope::Organization;
        let mut shared = SegmentNames::default();
        shared.add_all("organization", present.segments_in(&organization));
        self.shared = shared;
        let project = SegmentScope::Project(present.project.project.id.clone());
        let names = self.shared.clone();
        self.shared =
            self.segments_in(&file.segments, None, &project, names, prune, "/segments")?;
        for (key, environment) in &file.environments {
            let Some(it) = present.environment(key) else {
                continue;
            };
            let scope = SegmentScope::Environment(it.project.clone(), it.id.clone());
            let at = format!("/environments/{}/segments", escaped(key));
            let names = self.shared.clone();
            let names =
                self.segments_in(&environment.segments, Some(key), &scope, names, prune, &at)?;
            self.own.insert(fold(key), names);
        }
        Ok(())
    }

    /// Plans the segments of a scope, and adds them to the names.
    fn segments_in(
        &mut self,
        files: &BTreeMap<String, SegmentFile>,
        environment: Option<&str>,
        scope: &SegmentScope,
        mut names: SegmentNames,
        prune: bool,
        at: &str,
    ) -> Result<SegmentNames, FileFault> {
        let label = environment.map_or("project", |_| "environment");
        let project = self.present.project.project.key.to_string();
        let place = Place {
            project: &project,
            environment,
            scope,
        };
        for (key, file) in files {
            let at = format!("{at}/{}", escaped(key));
            checked_key(key, &at)?;
            let planned = segments::plan(place, key, file, self.present, self.new_id, &at)?;
            names.add(label, key, planned.id.as_str());
            self.push(planned.group, &at)?;
            if let Some(command) = planned.archive {
                self.archive_last(environment, key, command);
            }
        }
        for found in self.present.segments_in(scope) {
            if files.keys().any(|key| fold(key) == found.key.folded()) {
                continue;
            }
            names.add(label, found.key.as_str(), found.id.as_str());
            if prune && found.life == Life::Live {
                let command = segments::archive(place, found.key.as_str());
                self.archive_last(environment, found.key.as_str(), command);
            }
        }
        Ok(names)
    }

    fn archive_last(&mut self, environment: Option<&str>, key: &str, command: Command) {
        let group = Group::segment(environment, key, Done::Archived, vec![command]);
        self.last.push(group);
    }

    fn push(&mut self, group: Group, at: &str) -> Result<(), FileFault> {
        let group = self.within_limit(group, at)?;
        self.plan.groups.push(group);
        Ok(())
    }

    fn within_limit(&self, group: Group, at: &str) -> Result<Group, FileFault> {
        if group.commands.len() > MAX_COMMANDS {
            let message = format!(
                "it takes {} commands, and a change set has {MAX_COMMANDS}",
                group.commands.len()
            );
            return Err(FileFault::new(at, "tooManyCommands", message));
        }
        Ok(group)
    }

    fn flags(&mut self, prune: bool) -> Result<(), FileFault> {
        let (file, present) = (self.file, self.present);
        let mut archives: Vec<Group> = Vec::new();
        let in_order = in_order_of_need(file.flags.iter().collect(), |(key, file)| {
            let targetings = file.environments.values();
            let needed = targetings.flat_map(|it| &it.prerequisites);
            (fold(key), needed.map(|it| fold(&it.flag)).collect())
        });
        for (key, wanted) in in_order {
            let at = format!("/flags/{}", escaped(key));
            checked_key(key, &at)?;
            let found = present.project.flags.get(&fold(key));
            let group = match found {
                Some(found) => self.change(key, wanted, found, &at)?,
                None => self.create(key, wanted, &at)?,
            };
            match group.done {
                Done::Archived => archives.push(self.within_limit(group, &at)?),
                _ => self.push(group, &at)?,
            }
        }
        let unnamed = present.project.flags.values();
        let unnamed = unnamed.filter(|it| it.flag.life == Life::Live && prune);
        for state in unnamed {
            let key = &state.flag.key;
            if !file.flags.keys().any(|it| fold(it) == key.folded()) {
                let archive = ArchiveFlag {
                    project: self.project(),
                    flag: key.to_string(),
                };
                let group = Group::flag(key.as_str(), Done::Archived, vec![archive.into()]);
                archives.push(group);
            }
        }
        // Whoever needs others goes before them, and all go when nobody else needs them any more.
        let mut archives = in_order_of_need(archives, |group| {
            let key = fold(&group.key);
            let state = present.project.flags.get(&key);
            let targetings = state.into_iter().flat_map(|it| it.targetings.values());
            let needed = targetings.flat_map(|it| &it.prerequisites);
            (key, needed.map(|it| fold(&it.flag)).collect())
        });
        archives.reverse();
        self.plan.groups.extend(archives);
        Ok(())
    }

    fn project(&self) -> String {
        self.present.project.project.key.to_string()
    }

    fn create(&mut self, key: &str, wanted: &FlagFile, at: &str) -> Result<Group, FileFault> {
        let flag = self.flag(key, wanted, None, at)?;
        let create = CreateFlag {
            project: self.project(),
            flag: key.to_owned(),
            id: Some(flag.id.to_string()),
            name: wanted.name.clone(),
            description: Some(wanted.description.clone()),
            value_type: wanted.kind,
            variations: flag.variations.iter().map(variation_input).collect(),
            tags: wanted.tags.clone(),
            on_variation: Some(flag.default_on.clone()),
            off_variation: Some(flag.default_off.clone()),
        };
        let mut commands = vec![create.into()];
        commands.extend(self.targetings(wanted, &flag, None, at)?);
        self.archive_if(wanted.archived, key, &mut commands);
        Ok(Group::flag(key, Done::Created, commands))
    }

    fn archive_if(&self, archived: bool, key: &str, commands: &mut Vec<Command>) {
        if archived {
            let archive = ArchiveFlag {
                project: self.project(),
                flag: key.to_owned(),
            };
            commands.push(archive.into());
        }
    }

    fn change(
        &mut self,
        key: &str,
        wanted: &FlagFile,
        found: &FlagState,
        at: &str,
    ) -> Result<Group, FileFault> {
        if wanted.kind != found.flag.kind {
            let message = format!(
                "the flag is of the type {}, which never changes",
                found.flag.kind.as_str()
            );
            return Err(FileFault::new(format!("{at}/type"), "typeChanged", message));
        }
        let flag = self.flag(key, wanted, Some(&found.flag), at)?;
        let mut commands = self.metadata(&flag, &found.flag);
        let (first, last) = self.variations(&flag, &found.flag);
        commands.extend(first);
        commands.extend(self.targetings(wanted, &flag, Some(found), at)?);
        commands.extend(last);
        let was_archived = found.flag.life == Life::Archived;
        let done = match (was_archived, wanted.archived, commands.is_empty()) {
            (true, false, _) => Done::Restored,
            (false, true, _) => Done::Archived,
            (_, _, true) => return Ok(Group::flag(key, Done::Unchanged, commands)),
            _ => Done::Updated,
        };
        if was_archived {
            let restore = RestoreFlag {
                project: self.project(),
                flag: key.to_owned(),
            };
            commands.insert(0, restore.into());
        }
        self.archive_if(wanted.archived, key, &mut commands);
        Ok(Group::flag(key, done, commands))
    }

    /// The flag as the file wants it.
    fn flag(
        &mut self,
        key: &str,
        wanted: &FlagFile,
        found: Option<&Flag>,
        at: &str,
    ) -> Result<Flag, FileFault> {
        let variations = self.wanted_variations(wanted, found);
        let named = |label: &Option<String>, usual: Option<&Variation>, field: &str| match label {
            Some(label) => {
                variation(label, &variations, &format!("{at}/{field}")).map(str::to_owned)
            }
            None => Ok(usual.map(|it| it.id.clone()).unwrap_or_default()),
        };
        let default_on = named(&wanted.on_variation, variations.first(), "onVariation")?;
        let default_off = named(&wanted.off_variation, variations.last(), "offVariation")?;
        let key = checked_key(key, at)?;
        let known = (key.clone(), variations.clone());
        self.flags.insert(key.folded(), known);
        let present = self.present;
        let is_taken = |id: &str| {
            let mut flags = present.project.flags.values();
            present.taken_flags.contains(id) || flags.any(|it| it.flag.id.as_str() == id)
        };
        let id = match found {
            Some(found) => found.id.clone(),
            None => free_id(wanted.id.as_ref(), is_taken, self.new_id),
        };
        Ok(Flag {
            id,
            name: wanted.name.clone().unwrap_or_else(|| key.to_string()),
            key,
            description: wanted.description.clone(),
            kind: wanted.kind,
            variations,
            tags: wanted.tags.clone(),
            default_on,
            default_off,
            life: Life::Live,
            created_at: found.map(|it| it.created_at).unwrap_or_default(),
        })
    }

    fn wanted_variations(&mut self, wanted: &FlagFile, found: Option<&Flag>) -> Vec<Variation> {
        let there = found.map(|it| it.variations.as_slice()).unwrap_or_default();
        let wanted = wanted.variations.iter().enumerate();
        let variations = wanted.map(|(index, it)| {
            let kept = there.get(index).map(|it| it.id.clone());
            Variation {
                id: it.id.clone().or(kept).unwrap_or_else(&mut *self.new_id),
                value: it.value.clone(),
                name: it.name.clone(),
            }
        });
        variations.collect()
    }

    fn metadata(&self, flag: &Flag, found: &Flag) -> Vec<Command> {
        let (project, key) = (self.project(), found.key.to_string());
        let mut commands: Vec<Command> = Vec::new();
        if flag.name != found.name {
            let name = flag.name.clone();
            let (project, flag) = (project.clone(), key.clone());
            commands.push(
                RenameFlag {
                    project,
                    flag,
                    name,
                }
                .into(),
            );
        }
        if flag.description != found.description {
            let command = DescribeFlag {
                project: project.clone(),
                flag: key.clone(),
                description: flag.description.clone(),
            };
            commands.push(command.into());
        }
        if flag.tags != found.tags {
            let tags = flag.tags.clone();
            let flag = key;
            commands.push(
                SetFlagTags {
                    project,
                    flag,
                    tags,
                }
                .into(),
            );
        }
        commands
    }

    /// What is done before and after the targetings. A variation that goes may be in use until they
    /// are changed; what an environment begins with is there before one is released.
    fn variations(&self, flag: &Flag, found: &Flag) -> (Option<Command>, Option<Command>) {
        let chosen = |new: &String, old: &String| (new != old).then(|| new.clone());
        let on_variation = chosen(&flag.default_on, &found.default_on);
        let off_variation = chosen(&flag.default_off, &found.default_off);
        let same_choice = on_variation.is_none() && off_variation.is_none();
        if flag.variations == found.variations && same_choice {
            return (None, None);
        }
        let set = |variations: &[Variation]| SetVariations {
            project: self.project(),
            flag: found.key.to_string(),
            variations: variations.iter().map(variation_input).collect(),
            on_variation: None,
            off_variation: None,
        };
        let is_wanted = |it: &&Variation| flag.variations.iter().any(|kept| kept.id == it.id);
        let going = found.variations.iter().filter(|it| !is_wanted(it));
        let mut both = flag.variations.clone();
        both.extend(going.cloned());
        let first = SetVariations {
            on_variation,
            off_variation,
            ..set(&both)
        };
        let last = (both.len() > flag.variations.len()).then(|| set(&flag.variations).into());
        (Some(first.into()), last)
    }

    fn targetings(
        &mut self,
        wanted: &FlagFile,
        flag: &Flag,
        found: Option<&FlagState>,
        at: &str,
    ) -> Result<Vec<Command>, FileFault> {
        let project = self.project();
        let mut commands = Vec::new();
        for (key, file) in &wanted.environments {
            let at = format!("{at}/environments/{}", escaped(key));
            let environment = self.present.environment(key);
            let environment = environment.ok_or_else(|| environment_not_found(key, at.clone()))?;
            let names = match self.own.get(&fold(key)) {
                Some(names) => names.clone(),
                None => self.names_of(key),
            };
            let present = found.and_then(|found| found.targetings.get(&environment.id));
            let wanted =
                targeting::wanted(file, flag, present, &names, &self.flags, self.new_id, &at)?;
            let place = (project.as_str(), key.as_str());
            commands.extend(targeting::commands(place, flag, present, &wanted));
        }
        Ok(commands)
    }

    /// The names of an environment that the file does not describe.
    fn names_of(&self, key: &str) -> SegmentNames {
        let mut names = self.shared.clone();
        if let Some(it) = self.present.environment(key) {
            let scope = SegmentScope::Environment(it.project.clone(), it.id.clone());
            names.add_all("environment", self.present.segments_in(&scope));
        }
        names
    }
}

fn variations_of(present: &Present) -> Variations {
    let flags = present.project.flags.iter();
    let flags = flags.map(|(folded, it)| {
        let variations = it.flag.variations.clone();
        (folded.clone(), (it.flag.key.clone(), variations))
    });
    flags.collect()
}

/// Flags after those that they need; those that need each other in a circle, which the change set
/// refuses, at the end. `needs`: a flag's folded key, and those of the flags that it needs.
fn in_order_of_need<T>(flags: Vec<T>, needs: impl Fn(&T) -> (String, BTreeSet<String>)) -> Vec<T> {
    let mut waiting: BTreeSet<String> = flags.iter().map(|it| needs(it).0).collect();
    let mut ordered = Vec::with_capacity(flags.len());
    let mut open = flags;
    // More cannot stand in a row.
    for _ in 0..=LONGEST_CHAIN {
        let is_free = |it: &T| needs(it).1.is_disjoint(&waiting);
        let (free, rest): (Vec<T>, Vec<T>) = open.into_iter().partition(is_free);
        for it in &free {
            waiting.remove(&needs(it).0);
        }
        ordered.extend(free);
        open = rest;
    }
    ordered.extend(open);
    ordered
}

fn environment_not_found(key: &str, at: String) -> FileFault {
    let message = format!(
        "neither the project nor the file's `environments` has '{}'",
        shown(key)
    );
    FileFault::new(at, "environmentNotFound", message)
}

fn variation_input(variation: &Variation) -> VariationInput {
    VariationInput {
        id: Some(variation.id.clone()),
        value: variation.value.clone(),
        name: variation.name.clone(),
    }
}

pub(super) fn checked_key(key: &str, at: &str) -> Result<Key, FileFault> {
    Key::new(key).map_err(|error| FileFault::new(at, "keyInvalid", error.to_string()))
}

/// A key as a part of a JSON pointer.
pub(super) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
