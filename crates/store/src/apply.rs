//! Changing flags and segments: the one way in.
//!
//! Lock and load what the commands refer to, let the domain decide, write state, versions and log,
//! commit, tell. A dry run goes the same way and is rolled back. A request that is repeated under
//! its id gets its first answer, however the state has changed since.

use std::collections::BTreeMap;

use burgee_domain::Rejected;
use burgee_domain::change;
use burgee_domain::command::{self, Command, References};
use burgee_domain::conflict::{self, Logged};
use burgee_domain::diff::{self, DiffLine};
use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Organization, Project};
use burgee_domain::outcome::{Facet, Outcome, Scope, Step, TargetingEdit, Warning};
use burgee_domain::position::Position;
use burgee_domain::workspace::Workspace;
use burgee_eval::time::Millis;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::change_sets::{self, Actor, NewChangeSet};
use crate::error::StoreError;
use crate::log::{self, Version};
use crate::workspace;
use crate::{Store, Tx, environments, flags, organizations, projects, segments, targetings, text};

/// Commands to be applied, all or nothing.
#[derive(Clone, Debug)]
pub struct ChangeSetRequest {
    /// The client's id for it (a UUID), so that a repeated request does nothing twice; made where
    /// none is given.
    pub id: Option<String>,
    /// In which organization.
    pub organization: Id<Organization>,
    /// By whom.
    pub actor: Actor,
    /// Why.
    pub comment: String,
    /// The versions that it was made against, by scope: `project/environment`, `project`, or the
    /// empty text for the organization. Scopes without one are not checked.
    pub base: BTreeMap<String, i64>,
    /// What to do, in order.
    pub commands: Vec<Command>,
    /// Whether to only show what it would do.
    pub dry_run: bool,
    /// The moment of the change.
    pub now: Millis,
}

/// What a change set did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Applied {
    /// The change set's id.
    pub id: String,
    /// The new version of each scope that moved, named as in [`ChangeSetRequest::base`].
    pub versions: BTreeMap<String, i64>,
    /// The new position of each environment that moved, by id: version and digest.
    pub positions: BTreeMap<String, (i64, u64)>,
    /// What changed, in plain words and for programs.
    pub diff: Vec<DiffLine>,
    /// What the author should know.
    pub warnings: Vec<Warning>,
}

/// A facet that somebody else changed after the base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConflictFound {
    /// The scope, named as in [`ChangeSetRequest::base`].
    pub scope: String,
    /// The version that changed it.
    pub version: i64,
    /// `flag` or `segment`.
    pub kind: String,
    /// The flag's or segment's key.
    pub key: String,
    /// What both changed.
    pub facets: Vec<Facet>,
    /// Who changed it.
    pub by: Actor,
    /// When.
    pub at: Millis,
    /// Why.
    pub comment: String,
}

/// Why a change set was not applied. Nothing of it was.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// A command cannot be applied.
    #[error(transparent)]
    Rejected(#[from] Rejected),
    /// Others changed the same after the base.
    #[error("{} of its facets were changed by others", .0.len())]
    Conflict(Vec<ConflictFound>),
    /// The store could not.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for ApplyError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<serde_json::Error> for ApplyError {
    fn from(error: serde_json::Error) -> Self {
        Self::Store(error.into())
    }
}

impl Store {
    /// Applies a change set.
    ///
    /// # Errors
    /// [`ApplyError`]; among the store's, [`StoreError::Conflict`] of `id` where the id was used
    /// for another request.
    pub async fn apply(&self, request: &ChangeSetRequest) -> Result<Applied, ApplyError> {
        let commands = serde_json::to_value(&request.commands)?;
        let work = Work {
            id: request.id.as_deref(),
            organization: &request.organization,
            actor: &request.actor,
            comment: &change::comment(&request.comment)?,
            base: &request.base,
            commands: &commands,
            dry_run: request.dry_run,
            now: request.now,
        };
        let references = command::references(&request.commands);
        let decide = |workspace: &Workspace, new_id: &mut dyn FnMut() -> String| {
            change::apply(workspace, &request.commands, request.now, new_id)
        };
        self.change(work, &references, decide).await
    }

    /// The one way: whatever decides about the outcome.
    pub(crate) async fn change(
        &self,
        work: Work<'_>,
        references: &References,
        decide: impl FnOnce(&Workspace, &mut dyn FnMut() -> String) -> Result<Outcome, Rejected>,
    ) -> Result<Applied, ApplyError> {
        work.storable()?;
        let commands = work.commands.to_string();
        let base = json!(work.base);
        let digest = change_sets::request_digest(work.comment, &base, &commands);
        let made;
        let id = match work.id {
            Some(id) => id,
            None => {
                made = uuid::Uuid::now_v7().to_string();
                &made
            }
        };
        let mut tx = self.begin_write().await?;
        if let Some(first) = repeated(&mut tx, work.organization, id, digest).await? {
            return Ok(first);
        }
        let dialect = self.shared.dialect;
        let workspace = workspace::load(&mut tx, dialect, work.organization, references).await?;
        // Once more under the locks: the first of two may have been under way.
        if let Some(first) = repeated(&mut tx, work.organization, id, digest).await? {
            return Ok(first);
        }
        let outcome = decide(&workspace, &mut || uuid::Uuid::now_v7().to_string())?;
        check_base(&mut tx, &workspace, &work, &outcome).await?;
        let applied = applied(id, &workspace, &outcome);
        let change_set = NewChangeSet {
            organization: work.organization,
            id,
            actor: work.actor,
            comment: work.comment,
            base: &base,
            commands: &commands,
            request_digest: digest,
            result: &serde_json::to_value(&applied)?,
            at: work.now,
        };
        self.write(&mut tx, &workspace, &outcome, &change_set)
            .await?;
        if work.dry_run {
            tx.rollback().await?;
            return Ok(applied);
        }
        tx.commit().await?;
        self.shared.changed.tell();
        Ok(applied)
    }

    async fn write(
        &self,
        tx: &mut Tx,
        workspace: &Workspace,
        outcome: &Outcome,
        change_set: &NewChangeSet<'_>,
    ) -> Result<(), StoreError> {
        flags::write(tx, &outcome.flags).await?;
        for (project, edits) in by_project(workspace, &outcome.targetings)? {
            targetings::write(tx, project, &edits).await?;
        }
        segments::write_all(tx, change_set.organization, &outcome.segments).await?;
        change_sets::insert(tx, change_set).await?;
        for step in &outcome.steps {
            let version = Version::of(step);
            log::write(tx, &change_set.reference(), &version, change_set.at).await?;
            self.advance(tx, workspace, step).await?;
        }
        Ok(())
    }

    /// Moves a scope to its next version.
    async fn advance(
        &self,
        tx: &mut Tx,
        workspace: &Workspace,
        step: &Step,
    ) -> Result<(), StoreError> {
        let version = step.position.version;
        let moved = match &step.scope {
            Scope::Organization(id) => organizations::advance(tx, id, version).await?,
            Scope::Project(id) => projects::advance(tx, id, version).await?,
            Scope::Environment(id) => {
                let mut to = environment(workspace, id)?.clone();
                to.position = step.position;
                to.chain = step.chain;
                to.last_stamp = step.last_stamp;
                self.shared.dialect.notify(tx, id.as_str()).await?;
                environments::advance(tx, &to).await?
            }
        };
        match moved {
            1 => Ok(()),
            _ => Err(StoreError::corrupt("a scope moved while it was locked")),
        }
    }
}

/// A change, apart from what decides about it.
pub(crate) struct Work<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) organization: &'a Id<Organization>,
    pub(crate) actor: &'a Actor,
    pub(crate) comment: &'a str,
    pub(crate) base: &'a BTreeMap<String, i64>,
    pub(crate) commands: &'a Value,
    pub(crate) dry_run: bool,
    pub(crate) now: Millis,
}

impl Work<'_> {
    fn storable(&self) -> Result<(), StoreError> {
        text::storable("id", self.id.unwrap_or_default())?;
        text::storable("comment", self.comment)?;
        for scope in self.base.keys() {
            text::storable("base", scope)?;
        }
        text::storable_json("commands", self.commands)
    }
}

async fn repeated(
    tx: &mut Tx,
    organization: &Id<Organization>,
    id: &str,
    digest: [u8; 32],
) -> Result<Option<Applied>, StoreError> {
    match change_sets::find_result(tx, organization, id).await? {
        Some((of, result)) if of == digest => Ok(Some(serde_json::from_value(result)?)),
        Some(_) => Err(StoreError::conflict(
            "id",
            "this id was used for another change set",
        )),
        None => Ok(None),
    }
}

/// Refuses an outcome that touches what others changed after the base.
async fn check_base(
    tx: &mut Tx,
    workspace: &Workspace,
    work: &Work<'_>,
    outcome: &Outcome,
) -> Result<(), ApplyError> {
    let names = scope_names(workspace);
    let mut base = BTreeMap::new();
    let mut logged: Vec<Logged> = Vec::new();
    for step in &outcome.steps {
        let asked = names.get(&step.scope).and_then(|name| {
            let given = |(scope, _): &(&String, &i64)| scope.eq_ignore_ascii_case(name);
            work.base.iter().find(given)
        });
        if let Some((_, version)) = asked {
            base.insert(step.scope.clone(), *version);
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
fn scope_names(workspace: &Workspace) -> BTreeMap<Scope, String> {
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

fn applied(id: &str, workspace: &Workspace, outcome: &Outcome) -> Applied {
    let names = scope_names(workspace);
    let mut applied = Applied {
        id: id.to_owned(),
        versions: BTreeMap::new(),
        positions: BTreeMap::new(),
        diff: diff::lines(workspace, outcome),
        warnings: outcome.warnings.clone(),
    };
    for step in &outcome.steps {
        let Position { version, digest } = step.position;
        if let Some(name) = names.get(&step.scope) {
            applied.versions.insert(name.clone(), version);
        }
        if let Scope::Environment(id) = &step.scope {
            applied
                .positions
                .insert(id.as_str().to_owned(), (version, digest));
        }
    }
    applied
}

fn environment<'a>(
    workspace: &'a Workspace,
    id: &Id<Environment>,
) -> Result<&'a Environment, StoreError> {
    let mut environments = workspace
        .projects
        .values()
        .flat_map(|state| state.environments.values());
    environments
        .find(|environment| environment.id == *id)
        .ok_or_else(|| StoreError::corrupt("an outcome moves an environment that was not loaded"))
}

/// Targetings by the project of their environment.
fn by_project<'a>(
    workspace: &'a Workspace,
    edits: &'a [TargetingEdit],
) -> Result<BTreeMap<&'a Id<Project>, Vec<&'a TargetingEdit>>, StoreError> {
    let mut projects: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for edit in edits {
        let project = &environment(workspace, &edit.environment)?.project;
        projects.entry(project).or_default().push(edit);
    }
    Ok(projects)
}
