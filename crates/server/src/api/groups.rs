//! Groups: policies for several members at once.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::key::Key;
use burgee_store::people::groups::Group;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api;
use crate::api::page::Page;
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::Path;
use crate::problem::Problem;

/// A group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupView {
    /// Its key.
    pub key: String,
    /// Its display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// Keys of the policies that its members have.
    pub policies: Vec<String>,
}

impl From<Group> for GroupView {
    fn from(group: Group) -> Self {
        Self {
            key: group.key.as_str().to_owned(),
            name: group.name,
            description: group.description,
            policies: group.policies,
        }
    }
}

/// A new group.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewGroup {
    /// Unique in the organization, without regard to case; never changes.
    pub key: String,
    /// The display name.
    pub name: String,
    /// A text for people.
    #[serde(default)]
    pub description: String,
    /// Keys of the policies that its members have.
    #[serde(default)]
    pub policies: Vec<String>,
}

/// What a group becomes.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GroupUpdate {
    /// The display name.
    pub name: String,
    /// A text for people.
    #[serde(default)]
    pub description: String,
    /// Keys of the policies that its members have.
    pub policies: Vec<String>,
}

/// List the groups, by key.
#[utoipa::path(get, path = "/api/v1/groups", tag = "people",
    responses((status = 200, body = Page<GroupView>)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
) -> Result<Json<Page<GroupView>>, Problem> {
    let all = state.store.groups(&caller.organization).await?;
    let readable = |group: &Group| caller.rights.allow("group.read", &resource(&group.key));
    Ok(Json(Page {
        items: all.into_iter().filter(readable).map(Into::into).collect(),
        next: None,
    }))
}

/// One group.
#[utoipa::path(get, path = "/api/v1/groups/{group}", tag = "people",
    params(("group", description = "The group's key")),
    responses((status = 200, body = GroupView), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path(key): Path<String>,
) -> Result<Json<GroupView>, Problem> {
    let key = known(key)?;
    caller.may("group.read", &resource(&key))?;
    let found = state.store.group(&caller.organization, key.as_str()).await;
    let found = found.map_err(api::or_missing(|| missing(key.as_str())))?;
    Ok(Json(found.into()))
}

/// Make a group.
#[utoipa::path(post, path = "/api/v1/groups", tag = "people", request_body = NewGroup,
    responses((status = 201, body = GroupView), (status = 400, body = Problem),
        (status = 409, body = Problem)))]
pub async fn create(
    State(state): State<AppState>,
    caller: Caller,
    Body(new): Body<NewGroup>,
) -> Result<(StatusCode, Json<GroupView>), Problem> {
    let group = Group {
        key: api::new_key("/key", new.key)?,
        name: api::name("/name", &new.name)?,
        description: api::description("/description", &new.description)?,
        policies: new.policies,
    };
    api::few("/policies", group.policies.len())?;
    let made = state
        .store
        .create_group(&caller.organization, &group, &caller.actor, now())
        .await?;
    Ok((StatusCode::CREATED, Json(made.into())))
}

/// Change a group. Its members have what it gives now at once.
#[utoipa::path(put, path = "/api/v1/groups/{group}", tag = "people",
    params(("group", description = "The group's key")), request_body = GroupUpdate,
    responses((status = 200, body = GroupView), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn update(
    State(state): State<AppState>,
    caller: Caller,
    Path(key): Path<String>,
    Body(new): Body<GroupUpdate>,
) -> Result<Json<GroupView>, Problem> {
    let key = known(key)?;
    api::few("/policies", new.policies.len())?;
    let group = Group {
        name: api::name("/name", &new.name)?,
        description: api::description("/description", &new.description)?,
        policies: new.policies,
        key,
    };
    let changed = state
        .store
        .update_group(&caller.organization, &group, &caller.actor, now())
        .await;
    let changed = changed.map_err(api::or_missing(|| missing(group.key.as_str())))?;
    Ok(Json(changed.into()))
}

/// Delete a group. Its members lose what it gave.
#[utoipa::path(delete, path = "/api/v1/groups/{group}", tag = "people",
    params(("group", description = "The group's key")),
    responses((status = 204, description = "Deleted"), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
pub async fn delete(
    State(state): State<AppState>,
    caller: Caller,
    Path(key): Path<String>,
) -> Result<StatusCode, Problem> {
    let key = known(key)?;
    let deleted = state
        .store
        .delete_group(&caller.organization, &key, &caller.actor, now())
        .await;
    deleted.map_err(api::or_missing(|| missing(key.as_str())))?;
    Ok(StatusCode::NO_CONTENT)
}

fn known(key: String) -> Result<Key, Problem> {
    Key::new(key.as_str()).map_err(|_| missing(&key))
}

fn missing(key: &str) -> Problem {
    Problem::not_found(format!("group `{key}`"))
}

fn resource(key: &Key) -> Resource {
    Resource::new(Kind::Group, key.as_str())
}
