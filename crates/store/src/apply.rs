//! Changing flags and segments: the one way in.
//!
//! Lock and load what the commands refer to, let the domain decide, write state, versions and log,
//! commit, tell. A dry run goes the same way and is rolled back. A request that is repeated under
//! its id gets its first answer, however the state has changed since.

mod admission;
mod authority;
mod base;
mod import;
mod preview;
mod request;
pub(crate) mod step;
mod still_evaluated;
mod told;
mod trial;
pub(crate) mod waiting;

use std::collections::BTreeMap;

use burgee_domain::access::{self, Rights};
use burgee_domain::change::{self, WellFormed};
use burgee_domain::command::{self, Command, References};
use burgee_domain::diff;
use burgee_domain::id::Id;
use burgee_domain::limits::MAX_ID;
use burgee_domain::model::{Environment, Organization, Project};
use burgee_domain::outcome::{Outcome, Scope, Step, TargetingEdit};
use burgee_domain::position::Position;
use burgee_domain::workspace::Workspace;
use burgee_eval::time::Millis;
use opentelemetry::context::FutureExt;
use serde_json::json;

use crate::change_sets::{self, Actor, NewChangeSet};
use admission::Admitted;
pub use admission::Overridden;
use base::Base;
pub use import::{ImportRequest, Imported};
pub use preview::Preview;
pub use request::{
    Applied, ApplyError, ChangeSetRequest, ConflictFound, Denied, PermissionFound, StepApplied,
};
pub use step::ApplyRequest;

use crate::error::StoreError;
use crate::log::{self, Version};
use crate::workspace;
use crate::{
    Store, Tx, environments, flags, organizations, projects, segments, targetings, text, trace,
};

impl Store {
    /// Applies a change set.
    ///
    /// # Errors
    /// [`ApplyError`]; among the store's, [`StoreError::Reused`] where the id was used for another
    /// request.
    pub async fn apply(&self, request: &ChangeSetRequest) -> Result<Applied, ApplyError> {
        self.apply_with(request, None, false).await
    }

    /// Applies a change set that was worked out from something else that was asked for (in `asked`,
    /// as JSON). Sent again under its id it is known by what was asked for: what it is worked out
    /// to differs each time.
    ///
    /// # Errors
    /// As [`Store::apply`].
    pub async fn apply_planned(
        &self,
        request: &ChangeSetRequest,
        asked: &str,
    ) -> Result<Applied, ApplyError> {
        self.apply_with(request, Some(asked), false).await
    }

    /// Applies a change set to what is there now, whatever others changed of the same parts after
    /// its base; [`Applied::differences`] says what and who. A set that does not fit any more is
    /// refused as it would be by [`Store::apply`].
    ///
    /// # Errors
    /// As [`Store::apply`].
    pub async fn rebase(&self, request: &ChangeSetRequest) -> Result<Applied, ApplyError> {
        self.apply_with(request, None, true).await
    }

    /// The answer that was given already to what was asked for under this id.
    ///
    /// # Errors
    /// [`StoreError::Reused`] where it was another thing.
    pub async fn first_answer(
        &self,
        organization: &Id<Organization>,
        id: &str,
        comment: &str,
        override_reason: Option<&str>,
        asked: &str,
    ) -> Result<Option<Applied>, StoreError> {
        let mut tx = self.begin_read().await?;
        let digest = planned_digest(comment, override_reason, asked);
        let first = repeated(&mut tx, organization, id, digest).await?;
        tx.rollback().await?;
        Ok(first)
    }

    async fn apply_with(
        &self,
        request: &ChangeSetRequest,
        planned_from: Option<&str>,
        rebase: bool,
    ) -> Result<Applied, ApplyError> {
        // Before anything is loaded or locked: nobody waits for what is refused anyway.
        let checked = change::well_formed(&request.commands)?;
        let texts = Texts::of(request)?;
        let work = Work {
            rebase,
            planned_from,
            ..texts.work(request)
        };
        let references = command::references(&request.commands);
        let decide = |workspace: &Workspace, new_id: NewId<'_>| {
            commands_of(workspace, checked, &work, new_id)
        };
        self.change(&work, &references, decide).await
    }

    /// The one way: whatever decides about the outcome.
    async fn change(
        &self,
        work: &Work<'_>,
        references: &References,
        decide: impl FnOnce(&Workspace, NewId<'_>) -> Result<Decision, ApplyError>,
    ) -> Result<Applied, ApplyError> {
        let span = trace::span("apply a change set");
        let changing = self.change_in_one(work, references, decide);
        let applied = changing.with_context(span.clone()).await;
        trace::end(&span, &applied);
        applied
    }

    async fn change_in_one(
        &self,
        work: &Work<'_>,
        references: &References,
        decide: impl FnOnce(&Workspace, NewId<'_>) -> Result<Decision, ApplyError>,
    ) -> Result<Applied, ApplyError> {
        work.check()?;
        let digest = work.digest();
        let id = work.id.map_or_else(new_id, str::to_owned);
        let mut tx = self.begin_write().await?;
        if let Some(first) = repeated(&mut tx, work.organization, &id, digest).await? {
            return Ok(first);
        }
        let dialect = self.shared.dialect;
        let workspace = workspace::load(&mut tx, dialect, work.organization, references).await?;
        work.may_touch(&workspace)?;
        // Once more under the locks: the first of two may have been under way.
        if let Some(first) = repeated(&mut tx, work.organization, &id, digest).await? {
            return Ok(first);
        }
        let base = Base::read(&mut tx, &workspace, work).await?;
        let mut decision = match decide(&workspace, &mut new_id) {
            Err(ApplyError::Rejected(rejected)) => {
                return Err(base.explain(&mut tx, &workspace, work, rejected).await?);
            }
            decided => decided?,
        };
        let differences = base.collisions(&mut tx, &decision.outcome).await?;
        if !(differences.is_empty() || work.rebase) {
            return Err(ApplyError::Conflict(differences));
        }
        let asks = admission::asks(&mut tx, &workspace, work, &decision.outcome).await?;
        let admitted = admission::admit(work, &asks, &[])?;
        let mut applied = applied(&id, &workspace, &decision.outcome, admitted);
        applied.differences = differences;
        if work.dry_run {
            applied.permissions = std::mem::take(&mut decision.permissions);
            applied.preview = preview::previews(&workspace, &decision.outcome);
        }
        if decision.outcome.steps.is_empty() && work.id.is_none() {
            return Ok(applied);
        }
        if !self
            .write_set(&mut tx, &workspace, work, &decision, &applied)
            .await?
        {
            // Two of one id that lock nothing in common: the other was faster.
            let first = repeated(&mut tx, work.organization, &id, digest).await?;
            return first.ok_or_else(|| StoreError::Reused.into());
        }
        self.end(tx, work.dry_run).await?;
        let (outcome, rights) = (&decision.outcome, work.rights);
        let evaluated = self.still_evaluated(&workspace, outcome, rights, work.now);
        applied.warnings.extend(evaluated.await);
        Ok(applied)
    }

    /// Writes what was decided; false where the change set's id was used meanwhile.
    async fn write_set(
        &self,
        tx: &mut Tx,
        workspace: &Workspace,
        work: &Work<'_>,
        decision: &Decision,
        applied: &Applied,
    ) -> Result<bool, ApplyError> {
        let change_set = NewChangeSet {
            organization: work.organization,
            id: &applied.id,
            actor: work.actor,
            comment: work.comment,
            base: &json!(work.base),
            commands: &decision.commands,
            request_digest: work.digest(),
            result: &serde_json::to_value(applied)?,
            at: work.now,
        };
        let outcome = &decision.outcome;
        Ok(self.write(tx, workspace, outcome, &change_set).await?)
    }

    /// Writes an outcome; false where the change set's id was used meanwhile.
    async fn write(
        &self,
        tx: &mut Tx,
        workspace: &Workspace,
        outcome: &Outcome,
        change_set: &NewChangeSet<'_>,
    ) -> Result<bool, StoreError> {
        flags::write(tx, &outcome.flags).await?;
        for (project, edits) in by_project(workspace, &outcome.targetings)? {
            targetings::write(tx, project, &edits).await?;
        }
        segments::write_all(tx, change_set.organization, &outcome.segments).await?;
        if !change_sets::insert(tx, change_set).await? {
            return Ok(false);
        }
        for step in &outcome.steps {
            let version = Version::of(step);
            log::write(tx, &change_set.reference(), &version, change_set.at).await?;
            self.advance(tx, workspace, step).await?;
        }
        Ok(true)
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

/// Makes a fresh id at each call.
type NewId<'a> = &'a mut dyn FnMut() -> String;

fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// A change, apart from what decides about it.
struct Work<'a> {
    id: Option<&'a str>,
    organization: &'a Id<Organization>,
    actor: &'a Actor,
    comment: &'a str,
    base: &'a BTreeMap<String, i64>,
    /// Whether it is applied also where others changed the same after the base.
    rebase: bool,
    /// The commands that a refusal may be of; none for an import.
    commands: &'a [Command],
    /// None: the operator's, who may do everything.
    rights: Option<&'a Rights>,
    /// Why approvals are gone without.
    override_reason: Option<&'a str>,
    /// What was asked for, as JSON: a request under the same id must ask for the same.
    asked: &'a str,
    /// What `asked` was worked out from, where it was: then that must be the same.
    planned_from: Option<&'a str>,
    dry_run: bool,
    now: Millis,
}

/// What a request says in texts, checked.
struct Texts {
    comment: String,
    override_reason: Option<String>,
    /// Its commands, as JSON.
    commands: String,
}

impl Texts {
    fn of(request: &ChangeSetRequest) -> Result<Self, ApplyError> {
        let commands = serde_json::to_value(&request.commands)?;
        let reason = request.override_reason.as_deref();
        Ok(Self {
            override_reason: reason.map(change::override_reason).transpose()?,
            comment: change::comment(&request.comment)?,
            commands: commands.to_string(),
        })
    }

    fn work<'a>(&'a self, request: &'a ChangeSetRequest) -> Work<'a> {
        Work {
            id: request.id.as_deref(),
            organization: &request.organization,
            actor: &request.actor,
            comment: &self.comment,
            base: &request.base,
            rebase: false,
            commands: &request.commands,
            rights: Some(&request.rights),
            override_reason: self.override_reason.as_deref(),
            asked: &self.commands,
            planned_from: None,
            dry_run: request.dry_run,
            now: request.now,
        }
    }
}

/// What was decided under the locks.
struct Decision {
    outcome: Outcome,
    /// The commands that did it, as JSON.
    commands: String,
    /// What they take, and whether their author has it; for a dry run.
    permissions: Vec<PermissionFound>,
}

/// What commands come to, if their author may do it.
fn commands_of(
    workspace: &Workspace,
    commands: WellFormed<'_>,
    work: &Work<'_>,
    new_id: NewId<'_>,
) -> Result<Decision, ApplyError> {
    let outcome = change::apply(workspace, commands, work.now, new_id);
    let outcome = outcome.map_err(|rejected| match work.rights {
        Some(rights) => told::refusal(rejected, rights, workspace, work.commands),
        None => rejected,
    })?;
    let permissions = match work.rights {
        Some(rights) => {
            let needs = access::needs(workspace, work.commands, &outcome);
            authority::check(needs, rights, work.dry_run)?
        }
        None => Vec::new(),
    };
    Ok(Decision {
        outcome,
        commands: work.asked.to_owned(),
        permissions,
    })
}

impl Work<'_> {
    /// Refuses who may not touch what the commands name, before anything is told about it.
    fn may_touch(&self, workspace: &Workspace) -> Result<(), ApplyError> {
        let Some(rights) = self.rights else {
            return Ok(());
        };
        let needs = access::named(workspace, self.commands);
        authority::check(needs, rights, self.dry_run).map(drop)
    }

    /// By which a repeated request is told from another one under the same id.
    fn digest(&self) -> [u8; 32] {
        if let Some(asked) = self.planned_from {
            return planned_digest(self.comment, self.override_reason, asked);
        }
        match self.override_reason {
            None => change_sets::request_digest(self.comment, &json!(self.base), self.asked),
            Some(reason) => {
                let base = json!([self.base, reason]);
                change_sets::request_digest(self.comment, &base, self.asked)
            }
        }
    }

    fn check(&self) -> Result<(), ApplyError> {
        if let Some(id) = self.id {
            text::storable("id", id)?;
            if id.is_empty() || id.len() > MAX_ID {
                let message = format!("an id has 1 to {MAX_ID} bytes");
                let field = "id";
                return Err(StoreError::Invalid {
                    field,
                    code: "idLength".into(),
                    message,
                }
                .into());
            }
        }
        text::storable("comment", self.comment)?;
        base::check_shape(self.base)
    }
}

/// As [`Work::digest`], of what is worked out from what was asked for.
fn planned_digest(comment: &str, override_reason: Option<&str>, asked: &str) -> [u8; 32] {
    change_sets::request_digest(comment, &json!(["planned", override_reason]), asked)
}

async fn repeated(
    tx: &mut Tx,
    organization: &Id<Organization>,
    id: &str,
    digest: [u8; 32],
) -> Result<Option<Applied>, StoreError> {
    match change_sets::find_result(tx, organization, id).await? {
        Some((of, result)) if of == digest => Ok(Some(serde_json::from_value(result)?)),
        Some(_) => Err(StoreError::Reused),
        None => Ok(None),
    }
}

fn applied(id: &str, workspace: &Workspace, outcome: &Outcome, admitted: Admitted) -> Applied {
    let names = base::scope_names(workspace);
    let overridden = admitted.overridden.iter().flat_map(Overridden::lines);
    let changes = diff::changes(workspace, outcome);
    let mut applied = Applied {
        id: id.to_owned(),
        diff: overridden.chain(diff::lines(workspace, outcome)).collect(),
        changes: changes.items,
        changes_left_out: changes.left_out,
        warnings: outcome.warnings.clone(),
        needs: admitted.needs,
        ..Applied::default()
    };
    applied.overridden = admitted.overridden;
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
