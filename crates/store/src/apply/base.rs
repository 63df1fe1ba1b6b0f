//! The versions that a change set was made against, and what others changed since.
//!
//! A base is never silently without effect: a scope that is not there, a version that it has not
//! had, or one scope by two names is refused. Scopes that the set does not touch may be named,
//! because people send what they saw; nothing in them can collide.

mod others;

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::Rejected;
use burgee_domain::conflict::{self, Conflict};
use burgee_domain::limits::MAX_BASE;
use burgee_domain::outcome::{Outcome, Scope};
use burgee_domain::workspace::Workspace;

use super::{ApplyError, ConflictFound, Work};
use crate::error::StoreError;
use crate::{Tx, log, text};

/// Checks what needs no database.
pub(super) fn check_shape(base: &BTreeMap<String, i64>) -> Result<(), ApplyError> {
    if base.len() > MAX_BASE {
        let message = format!("a base names at most {MAX_BASE} scopes");
        let field = "base";
        return Err(StoreError::Invalid {
            field,
            code: "listTooLong".into(),
            message,
        }
        .into());
    }
    let mut seen = BTreeSet::new();
    for scope in base.keys() {
        if text::storable("base", scope).is_err() {
            return Err(missing(scope));
        }
        if !seen.insert(scope.to_ascii_lowercase()) {
            let message = "the same scope is named twice: case makes no difference".to_owned();
            return Err(refused(scope, message));
        }
    }
    Ok(())
}

/// The base of a change set, read.
pub(super) struct Base {
    /// All scopes that are loaded, by their names in requests and answers.
    names: BTreeMap<Scope, String>,
    /// Of those, the ones with a base.
    versions: BTreeMap<Scope, i64>,
}

impl Base {
    /// Reads and checks the base of a request.
    pub(super) async fn read(
        tx: &mut Tx,
        workspace: &Workspace,
        work: &Work<'_>,
    ) -> Result<Self, ApplyError> {
        let names = scope_names(workspace);
        let scopes = names.iter();
        let by_name: BTreeMap<String, &Scope> = scopes
            .map(|(scope, name)| (name.to_ascii_lowercase(), scope))
            .collect();
        let (mut versions, mut others) = (BTreeMap::new(), Vec::new());
        for (name, version) in work.base {
            match by_name.get(&name.to_ascii_lowercase()) {
                Some(scope) => {
                    within(name, *version, newest(workspace, scope))?;
                    versions.insert((*scope).clone(), *version);
                }
                None => others.push((name.as_str(), *version)),
            }
        }
        let named = others.iter().map(|(name, _)| *name);
        let newest = others::newest(tx, work.organization, work.rights, named).await?;
        for (name, version) in others {
            let newest = newest.get(&name.to_ascii_lowercase());
            within(name, version, *newest.ok_or_else(|| missing(name))?)?;
        }
        Ok(Self { names, versions })
    }

    /// The versions of an earlier look, which need no check; scopes that are not there any more are
    /// left out.
    pub(super) fn known(workspace: &Workspace, versions: &[(Scope, i64)]) -> Self {
        let names = scope_names(workspace);
        let versions = versions
            .iter()
            .filter(|(scope, _)| names.contains_key(scope));
        Self {
            versions: versions.cloned().collect(),
            names,
        }
    }

    /// What an outcome touches and others changed after the base.
    pub(super) async fn collisions(
        &self,
        tx: &mut Tx,
        outcome: &Outcome,
    ) -> Result<Vec<ConflictFound>, StoreError> {
        let mut logged = Vec::new();
        for step in &outcome.steps {
            if let Some(version) = self.versions.get(&step.scope) {
                let ids: Vec<&str> = step.entries.iter().map(|it| it.item.id()).collect();
                logged.extend(log::since_of(tx, &step.scope, *version, &ids).await?);
            }
        }
        let conflicts = conflict::find(outcome, &self.versions, &logged);
        self.found(tx, &conflicts).await
    }

    /// Why commands are refused: a conflict, where that comes from what others changed after the
    /// base.
    pub(super) async fn explain(
        &self,
        tx: &mut Tx,
        workspace: &Workspace,
        work: &Work<'_>,
        rejected: Rejected,
    ) -> Result<ApplyError, StoreError> {
        let Some(command) = work.commands.get(rejected.command) else {
            return Ok(rejected.into());
        };
        let base = &self.versions;
        let mut logged = Vec::new();
        for (scope, version) in base {
            logged.extend(log::since(tx, scope, *version).await?);
        }
        let conflicts = conflict::behind(workspace, command, &rejected, base, &logged);
        match conflicts.is_empty() {
            true => Ok(rejected.into()),
            false => Ok(ApplyError::Conflict(self.found(tx, &conflicts).await?)),
        }
    }

    async fn found(
        &self,
        tx: &mut Tx,
        conflicts: &[Conflict],
    ) -> Result<Vec<ConflictFound>, StoreError> {
        let mut found = Vec::with_capacity(conflicts.len());
        for conflict in conflicts {
            let name = self.names.get(&conflict.scope).cloned().unwrap_or_default();
            found.push(log::conflict(tx, name, conflict).await?);
        }
        Ok(found)
    }
}

fn within(scope: &str, version: i64, newest: i64) -> Result<(), ApplyError> {
    if (0..=newest).contains(&version) {
        return Ok(());
    }
    let message = format!("the version must be from 0 to {newest}, the newest one");
    Err(refused(scope, message))
}

fn missing(scope: &str) -> ApplyError {
    let message = "there is no such project, or project/environment".to_owned();
    refused(scope, message)
}

fn refused(scope: &str, message: String) -> ApplyError {
    let scope = scope.to_owned();
    ApplyError::Base { scope, message }
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

/// The newest version of a scope that is loaded.
pub(super) fn newest(workspace: &Workspace, scope: &Scope) -> i64 {
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
