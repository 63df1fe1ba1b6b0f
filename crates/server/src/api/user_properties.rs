//! What a project knows of the properties of end users: what they mean, and preset values.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_domain::Rejected;
use burgee_domain::access::Resource;
use burgee_domain::model::Project;
use burgee_domain::user_property::{self, BUILT_IN, Preset, UserProperty};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::{self, page::Page};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::Path;
use crate::problem::Problem;

/// A property of end users.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserPropertyView {
    /// What programs send and rules ask for.
    pub name: String,
    /// Whether every user has it: the key (`keyId`) and the name. It cannot be changed.
    pub built_in: bool,
    /// What it is, for people.
    pub description: String,
    /// Values that are offered first, in this order.
    pub presets: Vec<Preset>,
    /// Whether editors of rules shall offer the presets alone. It is not checked in change sets.
    pub presets_only: bool,
}

impl UserPropertyView {
    fn new((name, property): (String, UserProperty)) -> Self {
        Self {
            name,
            built_in: false,
            description: property.description,
            presets: property.presets,
            presets_only: property.presets_only,
        }
    }

    /// One that every user has.
    fn built_in(name: &str) -> Self {
        let description = match name {
            "keyId" => "The user's key",
            _ => "The user's display name",
        };
        Self {
            name: name.to_owned(),
            built_in: true,
            description: description.to_owned(),
            presets: Vec::new(),
            presets_only: false,
        }
    }
}

fn refused(rejected: Rejected) -> Problem {
    Problem::invalid(rejected.pointer, rejected.code, rejected.message)
}

/// The project of this key, in which the caller may say which properties there are.
async fn writable(state: &AppState, caller: &Caller, key: &str) -> Result<Project, Problem> {
    caller.may("user.write", &Resource::project(key))?;
    api::project(state, caller, key).await
}

/// List the properties of end users that a project knows, the built-in ones first; all at once, 500
/// at most. Which ones users have is told by each environment (`…/properties`).
#[utoipa::path(get, path = "/api/v1/projects/{project}/user-properties", tag = "users",
    params(("project", description = "The project's key")),
    responses((status = 200, body = Page<UserPropertyView>), (status = 404, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path(project): Path<String>,
) -> Result<Json<Page<UserPropertyView>>, Problem> {
    let project = api::project(&state, &caller, &project).await?;
    let known = state.store.user_properties(&project.id).await?;
    let given = BUILT_IN.into_iter().map(UserPropertyView::built_in);
    let known = known.into_iter().map(UserPropertyView::new);
    Ok(Json(Page {
        items: given.chain(known).collect(),
        next: None,
    }))
}

/// One property that a project knows.
#[utoipa::path(get, path = "/api/v1/projects/{project}/user-properties/{name}", tag = "users",
    params(("project", description = "The project's key"),
        ("name", description = "The property's name")),
    responses((status = 200, body = UserPropertyView), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, name)): Path<(String, String)>,
) -> Result<Json<UserPropertyView>, Problem> {
    let project = api::project(&state, &caller, &project).await?;
    if BUILT_IN.contains(&name.as_str()) {
        return Ok(Json(UserPropertyView::built_in(&name)));
    }
    let missing = || Problem::not_found(format!("property `{name}` in `{}`", project.key));
    user_property::name(&name).map_err(|_| missing())?;
    let found = state.store.user_property(&project.id, &name).await;
    let property = found.map_err(api::or_missing(missing))?;
    Ok(Json(UserPropertyView::new((name, property))))
}

/// Say what a property is. What is not given is not known any more.
#[utoipa::path(put, path = "/api/v1/projects/{project}/user-properties/{name}", tag = "users",
    params(("project", description = "The project's key"),
        ("name", description = "The property's name, 1 to 256 characters; not a built-in one")),
    request_body = UserProperty,
    responses((status = 200, body = UserPropertyView), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn set(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, name)): Path<(String, String)>,
    Body(property): Body<UserProperty>,
) -> Result<Json<UserPropertyView>, Problem> {
    let project = writable(&state, &caller, &project).await?;
    let name = user_property::name(&name)
        .map_err(|why| Problem::invalid("name", why.code, why.message))?;
    let property = property.checked().map_err(refused)?;
    let (store, actor) = (&state.store, &caller.actor);
    store
        .set_user_property(&project.id, &name, &property, actor, now())
        .await?;
    Ok(Json(UserPropertyView::new((name, property))))
}

/// Forget what was said of a property. What users have of it stays.
#[utoipa::path(delete, path = "/api/v1/projects/{project}/user-properties/{name}", tag = "users",
    params(("project", description = "The project's key"),
        ("name", description = "The property's name")),
    responses((status = 204, description = "Forgotten"), (status = 404, body = Problem)))]
pub async fn delete(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, name)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let project = writable(&state, &caller, &project).await?;
    let missing = || Problem::not_found(format!("property `{name}` in `{}`", project.key));
    user_property::name(&name).map_err(|_| missing())?;
    let (store, actor) = (&state.store, &caller.actor);
    let deleted = store.delete_user_property(&project.id, &name, actor, now());
    deleted.await.map_err(api::or_missing(missing))?;
    Ok(StatusCode::NO_CONTENT)
}
