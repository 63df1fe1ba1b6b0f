//! Change sets: the one way to change a flag or a segment, and their history.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::admission::EnvironmentNeeds;
use burgee_domain::change;
use burgee_domain::command::{self, Command};
use burgee_domain::diff::DiffLine;
use burgee_domain::outcome::Warning;
use burgee_store::{Applied, ChangeSetRequest, HistoryScope, LoggedChangeSet, Overridden};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::page::{Page, PageQuery};
use crate::api::{self};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::{Body, once};
use crate::effects::{EnvironmentEffect, effects};
use crate::params::{Path, Query};
use crate::problem::Problem;

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
    /// What the author should know.
    pub warnings: Vec<Warning>,
    /// What it would do to known end users, in each environment that it changes and whose users the
    /// caller may see (`user.read`); absent where it was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<EnvironmentEffect>>,
    /// What the environments ask that it changes, where they ask something. A dry run is told what
    /// is missing; what is applied has it.
    pub needs: Vec<EnvironmentNeeds>,
    /// The approvals that were gone without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overridden: Option<OverriddenView>,
}

/// A change set in the history.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeView {
    /// Its id.
    pub id: String,
    /// Who applied it: a member's address, a token's name, `operator` (command line) or `system`.
    pub actor: String,
    /// What it is a name of: `token`, `operator`, `system` or `member`.
    pub actor_kind: &'static str,
    /// Why.
    pub comment: String,
    /// When it was asked for, ISO 8601.
    pub at: String,
    /// What was done; null in a list where it is large: the change set by its id has it.
    #[schema(value_type = Option<Vec<Object>>)]
    pub commands: Value,
    /// The versions that it moved, by scope.
    pub versions: BTreeMap<String, i64>,
    /// What changed, in plain words and for programs.
    pub diff: Vec<DiffLine>,
    /// The approvals that were gone without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overridden: Option<OverriddenView>,
}

impl From<LoggedChangeSet> for ChangeView {
    fn from(change: LoggedChangeSet) -> Self {
        let answered = Applied::deserialize(&change.result).ok();
        let Applied {
            versions,
            diff,
            overridden,
            ..
        } = answered.unwrap_or_default();
        Self {
            id: change.id,
            actor: change.actor.name,
            actor_kind: change.actor.kind.as_str(),
            comment: change.comment,
            at: change.at.to_string(),
            commands: change.commands,
            versions,
            diff,
            overridden: overridden.map(Into::into),
        }
    }
}

impl ChangeView {
    /// What somebody may see of it: all with `audit.read`, else what is about environments, flags'
    /// projects and segments that they may see. None: nothing.
    fn seen_by(mut self, caller: &Caller) -> Option<Self> {
        if caller.rights.allow("audit.read", &Resource::organization()) {
            return Some(self);
        }
        let sees = |about: &dyn Fn(&str) -> Option<String>| sees(caller, about);
        if let Some(overridden) = &mut self.overridden {
            overridden
                .environments
                .retain(|scope| sees_scope(caller, scope));
        }
        self.overridden = self.overridden.filter(|it| !it.environments.is_empty());
        self.diff
            .retain(|line| sees(&|name| line.params.get(name).cloned()));
        if let Value::Array(commands) = &mut self.commands {
            commands.retain(|command| sees(&|name| command.get(name)?.as_str().map(str::to_owned)));
        }
        self.versions.retain(|scope, _| sees_scope(caller, scope));
        let nothing = self.diff.is_empty() && self.versions.is_empty();
        (!nothing).then_some(self)
    }
}

/// Whether somebody sees a scope of a base.
fn sees_scope(caller: &Caller, scope: &str) -> bool {
    let (project, environment) = match scope.split_once('/') {
        Some((project, environment)) => (project, Some(environment)),
        None => (scope, None),
    };
    sees(caller, &|name| match name {
        "project" => Some(project.to_owned()).filter(|key| !key.is_empty()),
        "environment" => environment.map(str::to_owned),
        _ => None,
    })
}

/// Whether somebody sees what these names say it is about.
fn sees(caller: &Caller, about: &dyn Fn(&str) -> Option<String>) -> bool {
    let (action, resource) = match (about("project"), about("environment"), about("segment")) {
        (Some(project), Some(environment), _) => (
            "environment.read",
            Resource::environment(project, environment),
        ),
        (Some(project), None, _) => ("project.read", Resource::project(project)),
        (None, _, Some(segment)) => ("segment.read", Resource::new(Kind::Segment, segment)),
        (None, _, None) => return false,
    };
    let within = match (about("project"), about("flag"), about("segment")) {
        (Some(_), Some(flag), _) => Some(("flag.read", Kind::Flag, flag)),
        (Some(_), None, Some(segment)) => Some(("segment.read", Kind::Segment, segment)),
        _ => None,
    };
    let place = caller.rights.allow(action, &resource);
    place
        && within.is_none_or(|(action, kind, key)| {
            caller.rights.allow(action, &resource.with(kind, key))
        })
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
    let applied = state.store.apply(&request).await?;
    if !dry_run {
        let moved = applied.positions.iter();
        let moved = moved.map(|(environment, (version, _))| (environment.as_str(), *version));
        state.served(moved).await;
    }
    let effects = match new.effects {
        true => Some(effects(state, caller, &applied.preview).await?),
        false => None,
    };
    let Applied {
        id,
        versions,
        diff,
        warnings,
        needs,
        overridden,
        ..
    } = applied;
    Ok(Json(ChangeResult {
        id,
        dry_run,
        versions,
        diff,
        warnings,
        effects,
        needs,
        overridden: overridden.map(Into::into),
    }))
}

fn reason(over: Override) -> Result<String, Problem> {
    change::override_reason(&over.reason)
        .map_err(|it| Problem::invalid(it.pointer, it.code, it.message))
}

fn comment(text: &str) -> Result<String, Problem> {
    change::comment(text).map_err(|it| Problem::invalid(it.pointer, it.code, it.message))
}

fn change_id(id: Option<String>) -> Result<Option<String>, Problem> {
    let parse = |id: String| match uuid::Uuid::parse_str(&id) {
        Ok(id) => Ok(id.to_string()),
        Err(_) => Err(Problem::invalid("/id", "uuid", "must be a UUID")),
    };
    id.map(parse).transpose()
}

/// One change set, of any project of the organization.
#[utoipa::path(get, path = "/api/v1/changes/{id}", tag = "changes",
    params(("id", description = "The change set's id, or its number in the organization's history")),
    responses((status = 200, body = ChangeView), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ChangeView>, Problem> {
    let missing = || Problem::not_found(format!("change set `{id}`"));
    let typed = match (uuid::Uuid::parse_str(&id), id.parse()) {
        (Ok(id), _) => id.to_string(),
        (Err(_), Ok(number)) => state
            .store
            .change_set_numbered(&caller.organization, number)
            .await
            .map_err(api::or_missing(missing))?,
        (Err(_), Err(_)) => return Err(missing()),
    };
    let found = state
        .store
        .change_set(&caller.organization, &typed)
        .await
        .map_err(api::or_missing(missing))?;
    let seen = ChangeView::from(found).seen_by(&caller);
    seen.map(Json).ok_or_else(missing)
}

/// List all that was done in the organization, newest first: change sets, and the administration
/// of projects, environments, SDK keys and tokens.
#[utoipa::path(get, path = "/api/v1/changes", tag = "changes", params(PageQuery),
    responses((status = 200, body = Page<ChangeView>), (status = 400, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<ChangeView>>, Problem> {
    history(&state, &caller, HistoryScope::Organization, query).await
}

/// List the change sets that changed a project or one of its environments, newest first.
#[utoipa::path(get, path = "/api/v1/projects/{project}/changes", tag = "changes",
    params(("project", description = "The project's key"), PageQuery),
    responses((status = 200, body = Page<ChangeView>), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn list_of_project(
    State(state): State<AppState>,
    caller: Caller,
    Path(project): Path<String>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<ChangeView>>, Problem> {
    let project = api::project(&state, &caller, &project).await?;
    history(&state, &caller, HistoryScope::Project(project.id), query).await
}

/// List the change sets that changed what an environment serves, newest first.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/changes",
    tag = "changes",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"), PageQuery),
    responses((status = 200, body = Page<ChangeView>), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn list_of_environment(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<ChangeView>>, Problem> {
    let (_, environment) = api::environment(&state, &caller, &project, &environment).await?;
    history(
        &state,
        &caller,
        HistoryScope::Environment(environment.id),
        query,
    )
    .await
}

async fn history(
    state: &AppState,
    caller: &Caller,
    scope: HistoryScope,
    query: PageQuery,
) -> Result<Json<Page<ChangeView>>, Problem> {
    let page = query.try_into()?;
    let found = state
        .store
        .history(&caller.organization, &scope, &page)
        .await?;
    let views = found.items.into_iter().map(ChangeView::from);
    Ok(Json(Page {
        items: views.filter_map(|view| view.seen_by(caller)).collect(),
        next: found.next,
    }))
}
