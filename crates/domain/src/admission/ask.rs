//! Which environments a change set must ask.

use std::collections::BTreeMap;

use super::rules::{Approvals, CommentRule, EnvironmentRules};
use crate::access::Resource;
use crate::command::Command;
use crate::id::Id;
use crate::model::Environment;
use crate::outcome::{Facet, LogEntry, Outcome, Scope};
use crate::workspace::Workspace;

/// What an environment asks of a change set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Which environment.
    pub environment: Id<Environment>,
    /// The key of its project.
    pub project: String,
    /// Its key.
    pub key: String,
    /// Whether a comment.
    pub comment: bool,
    /// Which approvals; none where none are needed, or all that is done here is exempt.
    pub approvals: Option<Approvals>,
}

impl Ask {
    /// The environment, as permissions name it.
    pub fn resource(&self) -> Resource {
        Resource::environment(self.project.as_str(), self.key.as_str())
    }
}

/// What the environments ask in which an outcome changes what is served, in the order of the
/// outcome's steps; those that ask nothing are not there. Environments without an entry in `rules`
/// have none.
pub fn asks(
    workspace: &Workspace,
    commands: &[Command],
    outcome: &Outcome,
    rules: &BTreeMap<Id<Environment>, EnvironmentRules>,
) -> Vec<Ask> {
    let steps = outcome.steps.iter().filter_map(|step| match &step.scope {
        Scope::Environment(id) => Some((id, &step.entries)),
        Scope::Project(_) | Scope::Organization(_) => None,
    });
    let asked = steps.filter_map(|(id, entries)| {
        let serving: Vec<&LogEntry> = entries.iter().filter(|it| changes_serving(it)).collect();
        let rules = rules.get(id).filter(|_| !serving.is_empty())?;
        let approvals = &rules.approvals;
        let exempt = serving.iter().all(|it| is_exempt(it, commands, approvals));
        let (project, key) = keys(workspace, id)?;
        Some(Ask {
            environment: id.clone(),
            project,
            key,
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

/// Whether all commands that changed the item are exempt. What no command is known of is not.
fn is_exempt(entry: &LogEntry, commands: &[Command], approvals: &Approvals) -> bool {
    let mut by = entry.commands.iter().map(|index| commands.get(*index));
    !entry.commands.is_empty()
        && by.all(|it| it.is_some_and(|command| approvals.exempts(command.permission())))
}

fn keys(workspace: &Workspace, id: &Id<Environment>) -> Option<(String, String)> {
    workspace.projects.values().find_map(|state| {
        let mut environments = state.environments.values();
        let found = environments.find(|environment| environment.id == *id)?;
        Some((state.project.key.to_string(), found.key.to_string()))
    })
}
