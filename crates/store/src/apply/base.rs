//! The versions that a change set was made against, and what others changed since.

use std::collections::BTreeMap;

use burgee_domain::conflict::{self, Logged};
use burgee_domain::outcome::{Outcome, Scope};
use burgee_domain::workspace::Workspace;

use super::{ApplyError, Work, seen};
use crate::{Tx, log};

/// Refuses an outcome that touches what others changed after the base.
pub(super) async fn check(
    tx: &mut Tx,
    workspace: &Workspace,
    work: &Work<'_>,
    outcome: &Outcome,
) -> Result<(), ApplyError> {
    let names = scope_names(workspace);
    let base = seen::versions(tx, workspace, &names, work).await?;
    let mut logged: Vec<Logged> = Vec::new();
    for step in &outcome.steps {
        if let Some(version) = base.get(&step.scope) {
            logged.extend(log::since(tx, &step.scope, *version).await?);
        }
    }
    let conflicts = conflict::find(outcome, &base, &logged);
    if conflicts.is_empty() {
        return Ok(());
    }
    let mut found = Vec::with_capacity(conflicts.len());
    for conflict in &conflicts {
        let name = names.get(&conflict.scope).cloned().unwrap_or_default();
        found.push(log::conflict(tx, name, conflict).await?);
    }
    Err(ApplyError::Conflict(found))
}

/// The scopes of a workspace by their names in requests and answers.
pub(super) fn scope_names(workspace: &Workspace) -> BTreeMap<Scope, String> {
    let mut names = BTreeMap::new();
    names.insert(
        Scope::Organization(workspace.organization.id.clone()),
        String::new(),
    );
    for state in workspace.projects.values() {
        let project = &state.project;
        names.insert(
            Scope::Project(project.id.clone()),
            project.key.as_str().to_owned(),
        );
        for environment in state.environments.values() {
            names.insert(
                Scope::Environment(environment.id.clone()),
                format!("{}/{}", project.key, environment.key),
            );
        }
    }
    names
}
