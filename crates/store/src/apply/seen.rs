//! Reading the base of a request. What cannot be meant is refused: a misspelt scope would silently
//! check nothing.

use std::collections::BTreeMap;

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::outcome::Scope;
use burgee_domain::workspace::Workspace;

use super::{ApplyError, Work};
use crate::error::StoreError;
use crate::{Tx, environments, projects};

/// The versions that a request names, by scope. Scopes that were not loaded are left out, since
/// nothing in them is changed; but they must exist.
pub(super) async fn versions(
    tx: &mut Tx,
    workspace: &Workspace,
    names: &BTreeMap<Scope, String>,
    work: &Work<'_>,
) -> Result<BTreeMap<Scope, i64>, ApplyError> {
    let mut scopes = BTreeMap::new();
    for (name, version) in work.base {
        let same = |(_, other): &(&Scope, &String)| other.eq_ignore_ascii_case(name);
        if let Some((scope, _)) = names.iter().find(same) {
            let newest = newest(workspace, scope);
            if !(0..=newest).contains(version) {
                let message = format!("the version must be from 0 to {newest}, the newest one");
                return Err(refused(name, message));
            }
            scopes.insert(scope.clone(), *version);
        } else if !exists(tx, work.organization, name).await? {
            let message = "there is no such project, or project/environment".to_owned();
            return Err(refused(name, message));
        }
    }
    Ok(scopes)
}

fn refused(scope: &str, message: String) -> ApplyError {
    let scope = scope.to_owned();
    ApplyError::Base { scope, message }
}

fn newest(workspace: &Workspace, scope: &Scope) -> i64 {
    let mut projects = workspace.projects.values();
    let newest = match scope {
        Scope::Organization(_) => Some(workspace.organization.version),
        Scope::Project(id) => projects
            .find(|it| it.project.id == *id)
            .map(|it| it.project.version),
        Scope::Environment(id) => projects
            .flat_map(|it| it.environments.values())
            .find(|it| it.id == *id)
            .map(|it| it.position.version),
    };
    newest.unwrap_or_default()
}

async fn exists(
    tx: &mut Tx,
    organization: &Id<Organization>,
    name: &str,
) -> Result<bool, StoreError> {
    let name = name.to_ascii_lowercase();
    let (project, environment) = match name.split_once('/') {
        Some((project, environment)) => (project, Some(environment)),
        None => (name.as_str(), None),
    };
    let keys = [project.to_owned()];
    let found = projects::lock(tx, organization, Some(&keys), "").await?;
    let (Some(project), Some(environment)) = (found.first(), environment) else {
        return Ok(!found.is_empty());
    };
    let environments = environments::lock(tx, &[project.id.as_str()], "").await?;
    Ok(environments.iter().any(|it| it.key.folded() == environment))
}
