//! Change sets: the one way to change a flag or a segment, and their history.

pub mod delivery;
pub mod filter;
pub mod history;
pub mod view;

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use burgee_domain::admission::EnvironmentNeeds;
use burgee_domain::change;
use burgee_domain::command::{self, Command};
use burgee_domain::diff::{DiffLine, ItemChange};
use burgee_domain::outcome::Warning;
use burgee_store::{Applied, ChangeSetRequest, Overridden, PermissionFound};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::api;
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::{Body, once};
use crate::effects::{EnvironmentEffect, effects};
use crate::params::Path;
use crate::problem::{Collision, Problem};

/// A change set: commands that are applied together or not at all.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewChangeSet {
    /// A UUID of the caller's making: a request that is sent again changes nothing again.
    pub id: Option<String>,
    /// Why; kept in the history.
    #[serde(default)]
    pub comment: String,
    /// The versions that the author saw: `project`, `project/environment`, or the empty text for
    /// the organization. Refused (412) only where a part that this set touches was changed since.
    #[serde(default, deserialize_with = "once::each_once")]
    pub base: BTreeMap<String, i64>,
    /// Apply it to what is there now, though others changed parts that it touches after `base`:
    /// `differences` says which. What does not fit any more is refused (412) all the same.
    #[serde(default)]
    pub rebase: bool,
    /// Say what would happen, and change nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// With `dryRun`: also say how many known end users would get something else, flag by flag.
    #[serde(default)]
    pub effects: bool,
    /// Apply it, in an emergency, though approvals are missing. Takes `change.override` wherever
    /// they are; the history shows it.
    #[serde(rename = "override")]
    pub over: Option<Override>,
    /// What to do, in order; each has a `kind`. See `docs/api.md` for all of them.
    #[schema(value_type = Vec<Command>)]
    pub commands: Vec<Value>,
}

/// Why approvals are gone without.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Override {
    /// For those who will ask; 1 to 2,000 characters.
    pub reason: String,
}

/// Approvals that were gone without.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OverriddenView {
    /// Why.
    pub reason: String,
    /// Where: `project/environment`.
    pub environments: Vec<String>,
}

impl From<Overridden> for OverriddenView {
    fn from(overridden: Overridden) -> Self {
        Self {
            reason: overridden.reason,
            environments: overridden.environments,
        }
    }
}

/// What a change set did, or would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeResult {
    /// The change set's id.
    pub id: String,
    /// Whether nothing was changed because only an answer was asked for.
    pub dry_run: bool,
    /// The versions that moved, by scope; empty where everything was so already.
    pub versions: BTreeMap<String, i64>,
    /// What changed, in plain words and for programs.
    pub diff: Vec<DiffLine>,
    /// What changed, as JSON: of each item the parts that differ, before and after.
    pub changes: Vec<ItemChange>,
    /// How many items `changes` leaves out, because it is large.
    pub changes_left_out: usize,
    /// What the author should know.
    pub warnings: Vec<Warning>,
    /// What it would do to known end users, in each environment that it changes and whose users the
    /// caller may see (`user.read`); absent where it was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<EnvironmentEffect>>,
    /// What the environments ask that it changes, where they ask something. A dry run is told what
    /// is missing; what is applied has it.
    pub needs: Vec<EnvironmentNeeds>,
    /// With `rebase`: what others changed after `base` of the parts that it touches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Collision>,
    /// The approvals that were gone without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overridden: Option<OverriddenView>,
    /// Of a dry run: the permissions that it takes, what is lacking first; else empty.
    pub permissions: Vec<PermissionView>,
}

/// A permission that a change set takes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionView {
    /// The index of the first command that takes it.
    pub command: usize,
    /// E.g. `flag.turnOn`.
    pub action: String,
    /// On what, e.g. `project/web:env/prod:flag/checkout`.
    pub resource: String,
    /// Whether the caller has it.
    pub allowed: bool,
    /// The key of the policy that says so, or denies it; null where no statement mentions it.
    pub policy: Option<String>,
    /// The statement's index in the policy.
    pub statement: Option<usize>,
}

impl From<PermissionFound> for PermissionView {
    fn from(need: PermissionFound) -> Self {
        Self {
            command: need.command,
            action: need.action,
            resource: need.resource,
            allowed: need.allowed,
            policy: need.policy,
            statement: need.statement,
        }
    }
}

impl ChangeResult {
    /// What the store answered.
    pub fn new(applied: Applied, dry_run: bool) -> Self {
        Self {
            id: applied.id,
            dry_run,
            versions: applied.versions,
            diff: applied.diff,
            changes: applied.changes,
            changes_left_out: applied.changes_left_out,
            warnings: applied.warnings,
            effects: None,
            needs: applied.needs,
            differences: applied.differences.into_iter().map(Into::into).collect(),
            overridden: applied.overridden.map(Into::into),
            permissions: applied
                .permissions
                .into_iter()
                .map(PermissionView::from)
                .collect(),
        }
    }
}

/// Apply a change set, in any projects of the organization.
#[utoipa::path(post, path = "/api/v1/changes", tag = "changes", request_body = NewChangeSet,
    responses((status = 200, body = ChangeResult), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem), (status = 503, body = Problem)))]
pub async fn apply(
    State(state): State<AppState>,
    caller: Caller,
    Body(new): Body<NewChangeSet>,
) -> Result<Json<ChangeResult>, Problem> {
    run(&state, &caller, None, new).await
}

/// Apply a change set that is limited to one project.
#[utoipa::path(post, path = "/api/v1/projects/{project}/changes", tag = "changes",
    params(("project", description = "The project's key; commands need not name it")),
    request_body = NewChangeSet,
    responses((status = 200, body = ChangeResult), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem), (status = 503, body = Problem)))]
pub async fn apply_to_project(
    State(state): State<AppState>,
    caller: Caller,
    Path(project): Path<String>,
    Body(new): Body<NewChangeSet>,
) -> Result<Json<ChangeResult>, Problem> {
    let project = api::project(&state, &caller, &project).await?;
    run(&state, &caller, Some(project.key.as_str()), new).await
}

async fn run(
    state: &AppState,
    caller: &Caller,
    project: Option<&str>,
    new: NewChangeSet,
) -> Result<Json<ChangeResult>, Problem> {
    let dry_run = new.dry_run;
    if new.effects && !dry_run {
        let rule = "effects are told of a dry run: set dryRun too";
        return Err(Problem::invalid("/effects", "together", rule));
    }
    let request = ChangeSetRequest {
        id: change_id(new.id)?,
        organization: caller.organization.clone(),
        actor: caller.actor.clone(),
        comment: comment(&new.comment)?,
        base: new.base,
        commands: command::parse(new.commands, project)?,
        override_reason: new.over.map(reason).transpose()?,
        dry_run,
        rights: caller.rights.clone(),
        now: now(),
    };
    let applied = match new.rebase {
        true => state.store.rebase(&request).await?,
        false => state.store.apply(&request).await?,
    };
    let effects = match new.effects {
        true => Some(effects(state, caller, &applied.preview).await?),
        false => None,
    };
    let mut answer = result(state, applied, dry_run).await;
    answer.effects = effects;
    Ok(answer)
}

/// The answer to who applied something, which is served by then.
pub(super) async fn result(
    state: &AppState,
    applied: Applied,
    dry_run: bool,
) -> Json<ChangeResult> {
    if !dry_run {
        let moved = applied.positions.iter();
        let moved = moved.map(|(environment, (version, _))| (environment.as_str(), *version));
        state.served(moved).await;
    }
    Json(ChangeResult::new(applied, dry_run))
}

pub(super) fn reason(over: Override) -> Result<String, Problem> {
    change::override_reason(&over.reason)
        .map_err(|it| Problem::invalid(it.pointer, it.code, it.message))
}

pub(super) fn comment(text: &str) -> Result<String, Problem> {
    change::comment(text).map_err(|it| Problem::invalid(it.pointer, it.code, it.message))
}

pub(super) fn change_id(id: Option<String>) -> Result<Option<String>, Problem> {
    let parse = |id: String| match uuid::Uuid::parse_str(&id) {
        Ok(id) => Ok(id.to_string()),
        Err(_) => Err(Problem::invalid("/id", "uuid", "must be a UUID")),
    };
    id.map(parse).transpose()
}
