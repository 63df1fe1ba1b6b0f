//! What a change set needs: for each command its permission, on what it names and wherever it
//! changes what is served.

use std::collections::BTreeSet;

use super::decide::Rights;
use super::resource::{Kind, Resource};
use crate::command::{Command, Target};
use crate::id::Id;
use crate::key::fold;
use crate::model::{Environment, Segment, SegmentScope};
use crate::outcome::{Item, LogEntry, Outcome, Scope};
use crate::workspace::Workspace;

/// A permission that a command needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The command's index.
    pub command: usize,
    /// E.g. `flag.turnOn`.
    pub action: &'static str,
    /// On what; once with the tags that it had, once with those that it will have, where they
    /// differ.
    pub resource: Resource,
}

impl Need {
    /// Whether somebody may look at what it is about: then telling them what a change would do to
    /// it tells them nothing new.
    pub fn may_be_seen(&self, rights: &Rights) -> bool {
        let path = &self.resource.path;
        let key_of = |kind: Kind| {
            let found = path.iter().find(|part| part.kind == kind);
            found.map(|part| part.key.as_str())
        };
        let project = key_of(Kind::Project);
        let environment = path.iter().position(|it| it.kind == Kind::Environment);
        let above = environment.is_none_or(|place| {
            let place = Resource {
                path: path.iter().take(place + 1).cloned().collect(),
                tags: Vec::new(),
            };
            rights.allow("environment.read", &place)
        });
        let above = above
            && project.is_none_or(|key| rights.allow("project.read", &Resource::project(key)));
        let item = match (project, key_of(Kind::Flag)) {
            (Some(project), Some(flag)) => {
                let flag = Resource::project(project).with(Kind::Flag, flag);
                rights.allow("flag.read", &flag.tagged(&self.resource.tags))
            }
            _ => rights.allow("segment.read", &self.resource),
        };
        above && item
    }
}

/// Changes nobody's answer, though SDKs are sent it: needs the flag or segment only.
const METADATA: [&str; 6] = [
    "flag.rename",
    "flag.describe",
    "flag.setTags",
    "segment.rename",
    "segment.describe",
    "segment.setTags",
];

/// Whether a permission is for what changes nobody's answer: names, descriptions and tags.
pub(crate) fn is_metadata(action: &str) -> bool {
    METADATA.contains(&action)
}

/// What the commands name: who may not touch that is told nothing about it. What is made has the tags
/// that it is made with, whatever there is of that name. Flags whose answers are used from then on
/// have to be seen: what a flag that needs them serves says what they serve.
pub fn named(workspace: &Workspace, commands: &[Command]) -> Vec<Need> {
    let outcome = Outcome::default();
    let find = Find {
        workspace,
        outcome: &outcome,
    };
    let of = |(index, command): (usize, &Command)| {
        let target = command.target();
        let resources = match command.new_tags() {
            Some(tags) => vec![find.path(&target).tagged(tags)],
            None => find.named(&target),
        };
        let action = command.permission();
        let asked = find.asked(command).into_iter();
        let asked = asked.map(|resource| ("flag.read", resource));
        let resources = resources.into_iter().map(move |it| (action, it));
        resources.chain(asked).map(move |(action, resource)| Need {
            command: index,
            action,
            resource,
        })
    };
    let needs = commands.iter().enumerate().flat_map(of);
    needs.collect()
}

/// What the commands need, given what they did. A command without effect needs what it names.
pub fn needs(workspace: &Workspace, commands: &[Command], outcome: &Outcome) -> Vec<Need> {
    let find = Find { workspace, outcome };
    let mut found = Vec::new();
    for (index, command) in commands.iter().enumerate() {
        let action = command.permission();
        let mut resources = find.named(&command.target());
        if !is_metadata(action) {
            resources.extend(find.served(index, &command.target()));
        }
        let mut seen = BTreeSet::new();
        resources.retain(|resource| seen.insert(resource.to_string()));
        found.extend(resources.into_iter().map(|resource| Need {
            command: index,
            action,
            resource,
        }));
    }
    found
}

struct Find<'a> {
    workspace: &'a Workspace,
    outcome: &'a Outcome,
}

impl Find<'_> {
    /// What the command names.
    fn named(&self, target: &Target<'_>) -> Vec<Resource> {
        self.tagged(self.path(target), target)
    }

    /// The flags whose answers the command uses, and which its target does not use yet.
    fn asked(&self, command: &Command) -> Vec<Resource> {
        let Target::Targeting {
            project,
            environment,
            flag,
        } = command.target()
        else {
            return Vec::new();
        };
        let state = self.workspace.projects.get(&fold(project));
        let now = state.and_then(|it| {
            let environment = it.environments.get(&fold(environment))?;
            it.flags.get(&fold(flag))?.targetings.get(&environment.id)
        });
        let known = |key: &str| {
            let mut needed = now.into_iter().flat_map(|it| &it.prerequisites);
            needed.any(|it| it.flag.eq_ignore_ascii_case(key))
        };
        let new = command.asks().into_iter().filter(|key| !known(key));
        let found = new.flat_map(|flag| self.named(&Target::Flag { project, flag }));
        found.collect()
    }

    fn path(&self, target: &Target<'_>) -> Resource {
        match *target {
            Target::Flag { project, flag } => Resource::project(project).with(Kind::Flag, flag),
            Target::Targeting {
                project,
                environment,
                flag,
            } => self
                .environment(project, environment)
                .with(Kind::Flag, flag),
            Target::Segment {
                project: Some(project),
                environment: Some(environment),
                segment,
            } => self
                .environment(project, environment)
                .with(Kind::Segment, segment),
            Target::Segment {
                project: Some(project),
                segment,
                ..
            } => Resource::project(project).with(Kind::Segment, segment),
            Target::Segment { segment, .. } => Resource::new(Kind::Segment, segment),
        }
    }

    /// The item in every environment where the command changes what is served.
    fn served(&self, command: usize, target: &Target<'_>) -> Vec<Resource> {
        let mut found = Vec::new();
        for step in &self.outcome.steps {
            let Scope::Environment(environment) = &step.scope else {
                continue;
            };
            let Some(place) = self.place(environment) else {
                continue;
            };
            let by_command = |entry: &&LogEntry| entry.commands.contains(&command);
            for entry in step.entries.iter().filter(by_command) {
                let (kind, key) = match &entry.item {
                    Item::Flag(_, key) => (Kind::Flag, key),
                    Item::Segment(_, key) => (Kind::Segment, key),
                };
                let path = place.clone().with(kind, key.as_str());
                found.extend(self.tagged(path, target));
            }
        }
        found
    }

    fn place(&self, id: &Id<Environment>) -> Option<Resource> {
        self.workspace.projects.values().find_map(|state| {
            let mut environments = state.environments.values();
            let found = environments.find(|environment| environment.id == *id)?;
            Some(Resource::of(&state.project, found))
        })
    }

    /// The environment of these keys; as it is, where it is.
    fn environment(&self, project: &str, environment: &str) -> Resource {
        let state = self.workspace.projects.get(&project.to_ascii_lowercase());
        let found = state.and_then(|it| it.environments.get(&environment.to_ascii_lowercase()));
        Resource::environment(project, environment, found.map(|it| it.protected))
    }

    /// The resource with the item's tags, as they were and as they will be.
    fn tagged(&self, path: Resource, target: &Target<'_>) -> Vec<Resource> {
        let (before, after) = match *target {
            Target::Flag { project, flag } | Target::Targeting { project, flag, .. } => {
                self.flag_tags(project, flag)
            }
            Target::Segment { .. } => self.segment_tags(target),
        };
        match (before, after) {
            (None, None) => vec![path],
            (Some(tags), None) | (None, Some(tags)) => vec![path.tagged(tags)],
            (Some(before), Some(after)) if before == after => vec![path.tagged(after)],
            (Some(before), Some(after)) => vec![path.clone().tagged(before), path.tagged(after)],
        }
    }

    fn flag_tags(&self, project: &str, flag: &str) -> (Option<&[String]>, Option<&[String]>) {
        let state = self.workspace.projects.get(&project.to_ascii_lowercase());
        let before = state.and_then(|it| it.flags.get(&flag.to_ascii_lowercase()));
        let edited = self.outcome.flags.iter().find(|edit| {
            edit.after.key.as_str().eq_ignore_ascii_case(flag)
                && state.is_some_and(|state| state.project.id == edit.project)
        });
        (
            before.map(|it| it.flag.tags.as_slice()),
            edited.map(|edit| edit.after.tags.as_slice()),
        )
    }

    fn segment_tags(&self, target: &Target<'_>) -> (Option<&[String]>, Option<&[String]>) {
        let Some((scope, key)) = self.segment_place(target) else {
            return (None, None);
        };
        let here = |it: &Segment| it.scope == scope && it.key.as_str().eq_ignore_ascii_case(key);
        let mut before = self.workspace.segments.values();
        let mut edited = self.outcome.segments.iter();
        (
            before
                .find(|state| here(&state.segment))
                .map(|state| state.segment.tags.as_slice()),
            edited
                .find(|edit| here(&edit.after))
                .map(|edit| edit.after.tags.as_slice()),
        )
    }

    /// The scope and key that a segment command names, where they are.
    fn segment_place<'t>(&self, target: &Target<'t>) -> Option<(SegmentScope, &'t str)> {
        let Target::Segment {
            project,
            environment,
            segment,
        } = *target
        else {
            return None;
        };
        let Some(project) = project else {
            return Some((SegmentScope::Organization, segment));
        };
        let project = self.workspace.projects.get(&project.to_ascii_lowercase())?;
        let id = project.project.id.clone();
        let Some(environment) = environment else {
            return Some((SegmentScope::Project(id), segment));
        };
        let environment = project
            .environments
            .get(&environment.to_ascii_lowercase())?;
        let scope = SegmentScope::Environment(id, environment.id.clone());
        Some((scope, segment))
    }
}
