//! Which environments a change set must ask.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::rules::{Approvals, CommentRule, EnvironmentRules};
use crate::access::{Marks, Resource, is_metadata};
use crate::command::Command;
use crate::id::Id;
use crate::model::Environment;
use crate::outcome::{Facet, LogEntry, Outcome, Scope};
use crate::workspace::Workspace;

/// An environment in which a change set changes what is served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// Which environment.
    pub environment: Id<Environment>,
    /// The key of its project.
    pub project: String,
    /// Its key.
    pub key: String,
    /// The permissions of the commands that do it; an empty text for what no command is known of.
    pub by: BTreeSet<String>,
}

/// What an environment asks of a change set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Which environment.
    pub environment: Id<Environment>,
    /// The key of its project.
    pub project: String,
    /// Its key.
    pub key: String,
    /// The environment, as permissions name it.
    pub resource: Resource,
    /// Whether a comment.
    pub comment: bool,
    /// Which approvals; none where none are needed, or all that is done here is exempt.
    pub approvals: Option<Approvals>,
}

/// The environments in which an outcome changes what is served, in the order of the outcome's
/// steps.
pub fn places(workspace: &Workspace, commands: &[Command], outcome: &Outcome) -> Vec<Place> {
    let steps = outcome.steps.iter().filter_map(|step| match &step.scope {
        Scope::Environment(id) => Some((id, &step.entries)),
        Scope::Project(_) | Scope::Organization(_) => None,
    });
    let places = steps.filter_map(|(id, entries)| {
        let serving: Vec<&LogEntry> = entries.iter().filter(|it| changes_serving(it)).collect();
        if serving.is_empty() {
            return None;
        }
        let (project, key) = keys(workspace, id)?;
        Some(Place {
            environment: id.clone(),
            project,
            key,
            by: serving
                .into_iter()
                .flat_map(|it| by(it, commands))
                .collect(),
        })
    });
    places.collect()
}

/// What these places ask, in their order; those that ask nothing are not there. Environments
/// without an entry in `rules` have none.
pub fn asks(
    places: &[Place],
    rules: &BTreeMap<Id<Environment>, EnvironmentRules>,
    marks: &Marks,
) -> Vec<Ask> {
    let asked = places.iter().filter_map(|place| {
        let rules = rules.get(&place.environment)?;
        let approvals = &rules.approvals;
        let exempt = place.by.iter().all(|action| approvals.exempts(action));
        Some(Ask {
            environment: place.environment.clone(),
            project: place.project.clone(),
            key: place.key.clone(),
            resource: marks.environment(&place.project, &place.key),
            comment: rules.comment == CommentRule::Required,
            approvals: (approvals.required > 0 && !exempt).then(|| approvals.clone()),
        })
    });
    asked
        .filter(|ask| ask.comment || ask.approvals.is_some())
        .collect()
}

/// Whether anybody's answer may change; names, descriptions and tags change nobody's.
fn changes_serving(entry: &LogEntry) -> bool {
    entry.facets.iter().any(|facet| *facet != Facet::Metadata)
}

/// The permissions of the commands that changed what is served of an item: beside turning a flag off,
/// its new name asks nobody. An empty text where no such command is known of.
fn by(entry: &LogEntry, commands: &[Command]) -> Vec<String> {
    let found = entry.commands.iter().map(|index| commands.get(*index));
    let permissions = found.map(|it| it.map_or("", Command::permission));
    let serving = permissions.filter(|it| !is_metadata(it));
    let mut found: Vec<String> = serving.map(str::to_owned).collect();
    if found.is_empty() {
        found.push(String::new());
    }
    found
}

fn keys(workspace: &Workspace, id: &Id<Environment>) -> Option<(String, String)> {
    workspace.projects.values().find_map(|state| {
        let mut environments = state.environments.values();
        let found = environments.find(|environment| environment.id == *id)?;
        Some((state.project.key.to_string(), found.key.to_string()))
    })
}
