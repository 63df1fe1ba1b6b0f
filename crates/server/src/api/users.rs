//! End users: who flags are evaluated for, as programs reported them.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_domain::access::Resource;
use burgee_domain::model::{Environment, Project};
use burgee_eval::user::Type;
use burgee_store::UserAct;
use burgee_store::traffic::{EndUser, UserSearch};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api;
use crate::api::evaluate::EvaluatedUser;
use crate::api::page::{Page, PageQuery};
use crate::app::{AppState, now};
use crate::audience::evaluated;
use crate::auth::Caller;
use crate::params::{Path, Query};
use crate::problem::Problem;

/// An end user, as it was last seen.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndUserView {
    /// What identifies it: `keyId` in SDKs.
    pub key: String,
    /// Its name, perhaps empty.
    pub name: String,
    /// Its properties.
    pub properties: BTreeMap<String, String>,
    /// The types of those that are more than texts: OFREP's may be.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<String, Type>,
    /// When it was first seen, ISO 8601.
    pub first_seen: String,
    /// When it was last seen, to a day, ISO 8601.
    pub last_seen: String,
    /// Since when its name and its properties are so, ISO 8601.
    pub properties_since: String,
}

impl From<EndUser> for EndUserView {
    fn from(user: EndUser) -> Self {
        let seen = EvaluatedUser::of(&evaluated(&user));
        Self {
            key: seen.key,
            name: seen.name,
            properties: seen.properties,
            types: seen.types,
            first_seen: user.first_seen.to_string(),
            last_seen: user.last_seen.to_string(),
            properties_since: user.changed.unwrap_or(user.first_seen).to_string(),
        }
    }
}

/// Which users.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UserQuery {
    /// Users whose key begins exactly so, then those whose name does, whatever the case of ASCII's
    /// letters. Found by an index, however many users there are.
    pub search: Option<String>,
    /// Users whose key or name contains this, whatever the case of ASCII's letters. A page looks
    /// through 200,000 keys and 200,000 names, so it may hold few users or none and still have a
    /// `next`. Not together with `search`.
    pub contains: Option<String>,
    /// `next` of the page before; absent for the first.
    pub cursor: Option<String>,
    /// How many items, 1 to 500; 50 where absent.
    pub limit: Option<i64>,
}

impl UserQuery {
    fn search(&self) -> Result<Option<UserSearch>, Problem> {
        for (name, text) in [("search", &self.search), ("contains", &self.contains)] {
            api::searched(name, text.as_deref())?;
        }
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        match (given(&self.search), given(&self.contains)) {
            (None, None) => Ok(None),
            (Some(prefix), None) => Ok(Some(UserSearch::Prefix(prefix))),
            (None, Some(text)) => Ok(Some(UserSearch::Contains(text))),
            (Some(_), Some(_)) => {
                let rule = "search and contains exclude each other";
                Err(Problem::invalid("contains", "together", rule))
            }
        }
    }
}

/// An environment in which the caller may do something to end users, or 403 or 404.
pub(crate) async fn place(
    state: &AppState,
    caller: &Caller,
    action: &str,
    project: &str,
    environment: &str,
) -> Result<(Project, Environment), Problem> {
    let (project, environment) = api::environment(state, caller, project, environment).await?;
    caller.may(action, &Resource::of(&project, &environment))?;
    Ok((project, environment))
}

/// List an environment's end users, by key.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/users",
    tag = "users",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"), UserQuery),
    responses((status = 200, body = Page<EndUserView>), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Query(query): Query<UserQuery>,
) -> Result<Json<Page<EndUserView>>, Problem> {
    let (_, environment) = place(&state, &caller, "user.read", &project, &environment).await?;
    let search = query.search()?;
    let page = PageQuery {
        cursor: query.cursor,
        limit: query.limit,
    }
    .try_into()?;
    let traffic = state.store.traffic();
    let found = traffic
        .end_users(environment.id.as_str(), search.as_ref(), &page)
        .await?;
    Ok(Json(Page {
        items: found.items.into_iter().map(EndUserView::from).collect(),
        next: found.next,
    }))
}

/// One end user.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/users/{key}",
    tag = "users",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"),
        ("key", description = "The user's key, percent-encoded")),
    responses((status = 200, body = EndUserView), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment, key)): Path<(String, String, String)>,
) -> Result<Json<EndUserView>, Problem> {
    let (_, environment) = place(&state, &caller, "user.read", &project, &environment).await?;
    let found = known(&state, &environment, &key).await?;
    Ok(Json(found.into()))
}

/// The user of that key in an environment, or 404.
pub(super) async fn known(
    state: &AppState,
    environment: &Environment,
    key: &str,
) -> Result<EndUser, Problem> {
    let missing = || Problem::not_found(format!("end user `{key}`"));
    // Nothing of that kind is stored, and PostgreSQL refuses the question.
    if key.contains('\0') {
        return Err(missing());
    }
    let traffic = state.store.traffic();
    let found = traffic.end_user(environment.id.as_str(), key).await?;
    found.ok_or_else(missing)
}

/// Delete an end user with what it was served and did, in this environment. Counts stay, since
/// they name nobody. A program that asks for it again brings it back. The history has that a user
/// is deleted (`deleteUser`), before it is, and not which.
#[utoipa::path(delete, path = "/api/v1/projects/{project}/environments/{environment}/users/{key}",
    tag = "users",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"),
        ("key", description = "The user's key, percent-encoded")),
    responses((status = 204, description = "Deleted"), (status = 404, body = Problem)))]
pub async fn delete(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment, key)): Path<(String, String, String)>,
) -> Result<StatusCode, Problem> {
    let found = place(&state, &caller, "user.write", &project, &environment).await?;
    let (project, environment) = found;
    known(&state, &environment, &key).await?;
    let (at, actor) = ((&project, &environment), &caller.actor);
    let recorded = state
        .store
        .record_user_act(at, UserAct::Delete, actor, now());
    recorded.await?;
    let traffic = state.store.traffic();
    traffic.forget_user(environment.id.as_str(), &key).await?;
    Ok(StatusCode::NO_CONTENT)
}
