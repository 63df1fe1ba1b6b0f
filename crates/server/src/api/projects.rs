//! Projects: sets of flags with their environments.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_domain::access::Resource;
use burgee_domain::model::Project;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::api::{
    self,
    page::{Page, PageQuery},
};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::{Path, Query};
use crate::problem::Problem;

/// A project.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectView {
    /// Its id.
    pub id: String,
    /// Its key: unique in the organization, never changes.
    pub key: String,
    /// Its display name.
    pub name: String,
    /// Counts changes of flag definitions and shared segments; a `base` of change sets.
    pub version: i64,
    /// After how many days without evaluation, or with one value, its flags are stale; null: as the
    /// organization says.
    pub stale_days: Option<i64>,
    /// The number of days that counts, the project's or the organization's.
    pub effective_stale_days: i64,
    /// When it was made, ISO 8601.
    pub created_at: String,
}

impl From<Project> for ProjectView {
    fn from(project: Project) -> Self {
        Self {
            id: project.id.to_string(),
            key: project.key.into(),
            name: project.name,
            version: project.version,
            stale_days: project.stale_days.own,
            effective_stale_days: project.stale_days.days(),
            created_at: project.created_at.to_string(),
        }
    }
}

/// A new project.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewProject {
    /// 1 to 128 of `[a-zA-Z0-9._-]`; never changes.
    pub key: String,
    /// The key, where absent.
    pub name: Option<String>,
}

/// What can be edited of a project; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectEdit {
    /// The new display name.
    pub name: Option<String>,
    /// After how many days without evaluation, or with one value, its flags are stale; null: as the
    /// organization says.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 3_650)]
    pub stale_days: Option<Option<i64>>,
}

/// Tells what is null from what is absent.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<i64>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// List the projects.
#[utoipa::path(get, path = "/api/v1/projects", tag = "projects",
    params(PageQuery), responses((status = 200, body = Page<ProjectView>), (status = 401, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<ProjectView>>, Problem> {
    let page = query.try_into()?;
    let mut projects = state.store.projects(&caller.organization, &page).await?;
    projects.items.retain(|project| {
        let resource = Resource::project(project.key.as_str());
        caller.rights.allow("project.read", &resource)
    });
    Ok(Json(Page::from_store(projects)))
}

/// Make a project. It has no environments yet.
#[utoipa::path(post, path = "/api/v1/projects", tag = "projects", request_body = NewProject,
    responses((status = 201, body = ProjectView), (status = 400, body = Problem),
        (status = 409, body = Problem)))]
pub async fn create(
    State(state): State<AppState>,
    caller: Caller,
    Body(new): Body<NewProject>,
) -> Result<(StatusCode, Json<ProjectView>), Problem> {
    let key = api::new_key("/key", new.key)?;
    let key = key.for_project().map_err(api::key_refused("/key"))?;
    caller.may("project.create", &Resource::project(key.as_str()))?;
    let name = api::name("/name", new.name.as_deref().unwrap_or(key.as_str()))?;
    let new = burgee_store::NewProject {
        organization: caller.organization.clone(),
        key,
        name,
    };
    let made = state.store.create_project(&new, &caller.actor, now());
    let project = made.await?;
    Ok((StatusCode::CREATED, Json(project.into())))
}

/// One project.
#[utoipa::path(get, path = "/api/v1/projects/{project}", tag = "projects",
    params(("project", description = "The project's key")),
    responses((status = 200, body = ProjectView), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path(key): Path<String>,
) -> Result<Json<ProjectView>, Problem> {
    Ok(Json(api::project(&state, &caller, &key).await?.into()))
}

/// Change what is set of a project.
#[utoipa::path(patch, path = "/api/v1/projects/{project}", tag = "projects",
    params(("project", description = "The project's key")), request_body = ProjectEdit,
    responses((status = 200, body = ProjectView), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn update(
    State(state): State<AppState>,
    caller: Caller,
    Path(key): Path<String>,
    Body(edit): Body<ProjectEdit>,
) -> Result<Json<ProjectView>, Problem> {
    caller.may("project.update", &Resource::project(key.as_str()))?;
    let project = api::project(&state, &caller, &key).await?;
    let name = edit.name.map(|it| api::name("/name", &it)).transpose()?;
    let edit = burgee_store::ProjectEdit {
        name,
        stale_days: edit.stale_days,
    };
    let (store, actor) = (&state.store, &caller.actor);
    let changed = store.update_project(&project.id, &edit, actor, now());
    Ok(Json(changed.await?.into()))
}

/// Delete a project with its environments: their keys are revoked, their connections closed.
#[utoipa::path(delete, path = "/api/v1/projects/{project}", tag = "projects",
    params(("project", description = "The project's key")),
    responses((status = 204, description = "Deleted"), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
pub async fn delete(
    State(state): State<AppState>,
    caller: Caller,
    Path(key): Path<String>,
) -> Result<StatusCode, Problem> {
    caller.may("project.delete", &Resource::project(key.as_str()))?;
    let project = api::project(&state, &caller, &key).await?;
    let environments = state.store.environments(&project.id).await?;
    for environment in &environments {
        caller.may("environment.delete", &Resource::of(&project, environment))?;
    }
    state
        .store
        .delete_project(&project.id, &caller.actor, now())
        .await?;
    state.gone(environments.iter()).await;
    Ok(StatusCode::NO_CONTENT)
}
