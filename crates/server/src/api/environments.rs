//! Environments: places where flags are served.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_domain::access::Resource;
use burgee_domain::colour::{Colour, NoColour};
use burgee_domain::decision_log::{NoSample, Sample};
use burgee_domain::model::Environment;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::{self, page::Page};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::Path;
use crate::problem::Problem;

/// An environment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentView {
    /// Its id; the `envId` that SDKs see.
    pub id: String,
    /// Its key: unique in the project, never changes.
    pub key: String,
    /// Its display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// Its colour, by which people know it: `#rrggbb`.
    pub colour: String,
    /// Whether it is protected: a mark that people see and that policies can name
    /// (`env/*@protected`). It is not deleted while it has it.
    pub protected: bool,
    /// Of which users it is logged what they are given.
    pub decision_log: DecisionLog,
    /// Counts the change sets that changed what is served here; a `base` of change sets.
    pub version: i64,
    /// `<version>.<digest>`: names this very history.
    pub position: String,
    /// When it was made, ISO 8601.
    pub created_at: String,
}

/// Of which users it is logged what they are given.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecisionLog {
    /// Of which share of them: 0 (nobody) to 1 (all), to a millionth. They are chosen by their keys:
    /// of a person all is logged, or nothing.
    pub sample: f64,
}

impl From<Environment> for EnvironmentView {
    fn from(environment: Environment) -> Self {
        Self {
            id: environment.id.to_string(),
            key: environment.key.into(),
            name: environment.name,
            description: environment.description,
            colour: environment.colour.to_string(),
            protected: environment.protected,
            decision_log: DecisionLog {
                sample: environment.decisions.share(),
            },
            version: environment.position.version,
            position: environment.position.to_string(),
            created_at: environment.created_at.to_string(),
        }
    }
}

/// A new environment. It gets one client and one server key.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewEnvironment {
    /// 1 to 128 of `[a-zA-Z0-9._-]`; never changes.
    pub key: String,
    /// The key, where absent.
    pub name: Option<String>,
    /// A text for people.
    #[serde(default)]
    pub description: String,
}

/// What can be edited of an environment; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EnvironmentEdit {
    /// The new display name.
    pub name: Option<String>,
    /// The new text for people.
    pub description: Option<String>,
    /// Its new colour: `#rrggbb`.
    pub colour: Option<String>,
    /// Whether it is protected. Taking that away needs `environment.unprotect`.
    pub protected: Option<bool>,
    /// Of which users it is logged from now on what they are given.
    pub decision_log: Option<DecisionLog>,
}

impl EnvironmentEdit {
    fn read(self) -> Result<burgee_store::EnvironmentEdit, Problem> {
        let colour = self.colour.map(|it| {
            let invalid =
                |error: NoColour| Problem::invalid("/colour", "colourInvalid", error.to_string());
            Colour::new(&it).map_err(invalid)
        });
        let decisions = self.decision_log.map(|it| {
            let invalid = |error: NoSample| {
                Problem::invalid("/decisionLog/sample", "range", error.to_string())
            };
            Sample::new(it.sample).map_err(invalid)
        });
        let description = self.description;
        let description = description.map(|it| api::description("/description", &it));
        Ok(burgee_store::EnvironmentEdit {
            name: self.name.map(|it| api::name("/name", &it)).transpose()?,
            description: description.transpose()?,
            colour: colour.transpose()?,
            protected: self.protected,
            decisions: decisions.transpose()?,
        })
    }
}

/// Where an environment stands among those of its project.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EnvironmentMove {
    /// The key of the environment in front of which it stands from now on; the end, where absent.
    pub before: Option<String>,
}

/// List a project's environments.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments", tag = "environments",
    params(("project", description = "The project's key")),
    responses((status = 200, body = Page<EnvironmentView>), (status = 404, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path(key): Path<String>,
) -> Result<Json<Page<EnvironmentView>>, Problem> {
    let project = api::project(&state, &caller, &key).await?;
    let environments = state.store.environments(&project.id).await?;
    let items = environments
        .into_iter()
        .filter(|environment| caller.sees(&project, environment))
        .map(EnvironmentView::from)
        .collect();
    Ok(Json(Page { items, next: None }))
}

/// Make an environment.
#[utoipa::path(post, path = "/api/v1/projects/{project}/environments", tag = "environments",
    params(("project", description = "The project's key")), request_body = NewEnvironment,
    responses((status = 201, body = EnvironmentView), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn create(
    State(state): State<AppState>,
    caller: Caller,
    Path(project): Path<String>,
    Body(new): Body<NewEnvironment>,
) -> Result<(StatusCode, Json<EnvironmentView>), Problem> {
    let key = api::new_key("/key", new.key)?;
    let key = key.for_environment().map_err(api::key_refused("/key"))?;
    // It is not protected when it is made.
    let place = Resource::environment(project.as_str(), key.as_str(), Some(false));
    caller.may("environment.create", &place)?;
    let project = api::project(&state, &caller, &project).await?;
    let name = api::name("/name", new.name.as_deref().unwrap_or(key.as_str()))?;
    let description = api::description("/description", &new.description)?;
    let new = burgee_store::NewEnvironment {
        project: project.id,
        key,
        name,
        description,
    };
    let made = state
        .store
        .create_environment(&new, &caller.actor, now())
        .await?;
    state.served_as(&made).await;
    Ok((StatusCode::CREATED, Json(made.into())))
}

/// One environment.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}",
    tag = "environments",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    responses((status = 200, body = EnvironmentView), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, key)): Path<(String, String)>,
) -> Result<Json<EnvironmentView>, Problem> {
    Ok(Json(
        api::environment(&state, &caller, &project, &key)
            .await?
            .1
            .into(),
    ))
}

/// Change an environment's name, description, colour and protection, and of which users it is logged
/// what they are given.
#[utoipa::path(patch, path = "/api/v1/projects/{project}/environments/{environment}",
    tag = "environments",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    request_body = EnvironmentEdit,
    responses((status = 200, body = EnvironmentView), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn update(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, key)): Path<(String, String)>,
    Body(edit): Body<EnvironmentEdit>,
) -> Result<Json<EnvironmentView>, Problem> {
    let may = &["environment.update"];
    let found = api::environment_for(&state, &caller, &project, &key, may).await;
    let (project, environment) = found?;
    if edit.protected == Some(false) {
        let place = Resource::of(&project, &environment);
        caller.may("environment.unprotect", &place)?;
    }
    let (edit, actor) = (edit.read()?, &caller.actor);
    let updated = state
        .store
        .update_environment(&environment.id, &edit, actor, now())
        .await?;
    if edit.decisions.is_some() {
        state.served_as(&updated).await;
    }
    Ok(Json(updated.into()))
}

/// Move an environment in front of another one of its project, or to the end.
#[utoipa::path(post, path = "/api/v1/projects/{project}/environments/{environment}/move",
    tag = "environments",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    request_body = EnvironmentMove,
    responses((status = 200, body = EnvironmentView), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn reorder(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, key)): Path<(String, String)>,
    Body(to): Body<EnvironmentMove>,
) -> Result<Json<EnvironmentView>, Problem> {
    let may = &["environment.update"];
    let found = api::environment_for(&state, &caller, &project, &key, may).await;
    let (_, environment) = found?;
    let before = to.before.map(|it| api::new_key("/before", it));
    let before = before.transpose()?;
    let moved = state
        .store
        .move_environment(&environment.id, before.as_ref(), &caller.actor, now())
        .await?;
    Ok(Json(moved.into()))
}

/// Delete an environment: its keys are revoked, its connections closed. Its history stays. One that
/// is protected is not deleted (409 `protected`).
#[utoipa::path(delete, path = "/api/v1/projects/{project}/environments/{environment}",
    tag = "environments",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    responses((status = 204, description = "Deleted"), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
pub async fn delete(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, key)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let may = &["environment.delete"];
    let found = api::environment_for(&state, &caller, &project, &key, may).await;
    let (_, environment) = found?;
    state
        .store
        .delete_environment(&environment.id, &caller.actor, now())
        .await?;
    state.gone(std::iter::once(&environment)).await;
    Ok(StatusCode::NO_CONTENT)
}
