//! Policies: what members, groups and tokens may do.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_domain::access::{self, ACTIONS, Kind, Resource, Statement, StatementInput};
use burgee_store::people::policies::{PolicyText, StoredPolicy};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api;
use crate::api::page::Page;
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::Path;
use crate::problem::Problem;

/// A policy.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyView {
    /// Its key.
    pub key: String,
    /// Its display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// Whether every organization has it; it cannot be changed.
    pub builtin: bool,
    /// What it says; the order does not matter, and what denies wins.
    pub statements: Vec<StatementInput>,
}

impl From<StoredPolicy> for PolicyView {
    fn from(stored: StoredPolicy) -> Self {
        let statements = stored.policy.statements.iter();
        Self {
            key: stored.policy.key.clone(),
            name: stored.name,
            description: stored.description,
            builtin: stored.builtin,
            statements: statements.map(StatementInput::from).collect(),
        }
    }
}

/// A new policy.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewPolicy {
    /// Unique in the organization, without regard to case; never changes.
    pub key: String,
    /// The display name.
    pub name: String,
    /// A text for people.
    #[serde(default)]
    pub description: String,
    /// What it says.
    pub statements: Vec<StatementInput>,
}

/// What a policy becomes.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyUpdate {
    /// The display name.
    pub name: String,
    /// A text for people.
    #[serde(default)]
    pub description: String,
    /// What it says.
    pub statements: Vec<StatementInput>,
}

/// Something that can be allowed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionView {
    /// By which statements name it.
    pub name: &'static str,
    /// What it lets somebody do, in words.
    pub may: &'static str,
}

/// List the actions that statements can name.
#[utoipa::path(get, path = "/api/v1/actions", tag = "people",
    responses((status = 200, body = Page<ActionView>)))]
pub async fn actions(caller: Caller) -> Result<Json<Page<ActionView>>, Problem> {
    caller.may("policy.read", &Resource::new(Kind::Policy, "*"))?;
    let view = |action: &access::Action| ActionView {
        name: action.name,
        may: action.may,
    };
    Ok(Json(Page {
        items: ACTIONS.iter().map(view).collect(),
        next: None,
    }))
}

/// List the policies: the built-in ones, then the organization's own by key.
#[utoipa::path(get, path = "/api/v1/policies", tag = "people",
    responses((status = 200, body = Page<PolicyView>)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
) -> Result<Json<Page<PolicyView>>, Problem> {
    let all = state.store.policies(&caller.organization).await?;
    let readable = |it: &StoredPolicy| {
        let resource = Resource::new(Kind::Policy, it.policy.key.as_str());
        caller.rights.allow("policy.read", &resource)
    };
    Ok(Json(Page {
        items: all.into_iter().filter(readable).map(Into::into).collect(),
        next: None,
    }))
}

/// One policy.
#[utoipa::path(get, path = "/api/v1/policies/{policy}", tag = "people",
    params(("policy", description = "The policy's key")),
    responses((status = 200, body = PolicyView), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path(key): Path<String>,
) -> Result<Json<PolicyView>, Problem> {
    caller.may("policy.read", &Resource::new(Kind::Policy, key.as_str()))?;
    let found = state.store.policy(&caller.organization, &key).await;
    Ok(Json(
        found.map_err(api::or_missing(|| missing(&key)))?.into(),
    ))
}

/// Make a policy.
#[utoipa::path(post, path = "/api/v1/policies", tag = "people", request_body = NewPolicy,
    responses((status = 201, body = PolicyView), (status = 400, body = Problem),
        (status = 409, body = Problem)))]
pub async fn create(
    State(state): State<AppState>,
    caller: Caller,
    Body(new): Body<NewPolicy>,
) -> Result<(StatusCode, Json<PolicyView>), Problem> {
    let key = api::new_key("/key", new.key)?;
    let text = text(new.name, new.description, &new.statements)?;
    let made = state
        .store
        .create_policy(&caller.organization, &key, &text, &caller.actor, now())
        .await?;
    Ok((StatusCode::CREATED, Json(made.into())))
}

/// Change a policy. Whoever has it has what it says now at once.
#[utoipa::path(put, path = "/api/v1/policies/{policy}", tag = "people",
    params(("policy", description = "The policy's key")), request_body = PolicyUpdate,
    responses((status = 200, body = PolicyView), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn update(
    State(state): State<AppState>,
    caller: Caller,
    Path(key): Path<String>,
    Body(new): Body<PolicyUpdate>,
) -> Result<Json<PolicyView>, Problem> {
    let text = text(new.name, new.description, &new.statements)?;
    let changed = state
        .store
        .update_policy(&caller.organization, &key, &text, &caller.actor, now())
        .await;
    Ok(Json(
        changed.map_err(api::or_missing(|| missing(&key)))?.into(),
    ))
}

/// Delete a policy that nobody has.
#[utoipa::path(delete, path = "/api/v1/policies/{policy}", tag = "people",
    params(("policy", description = "The policy's key")),
    responses((status = 204, description = "Deleted"), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
pub async fn delete(
    State(state): State<AppState>,
    caller: Caller,
    Path(key): Path<String>,
) -> Result<StatusCode, Problem> {
    let deleted = state
        .store
        .delete_policy(&caller.organization, &key, &caller.actor, now())
        .await;
    deleted.map_err(api::or_missing(|| missing(&key)))?;
    Ok(StatusCode::NO_CONTENT)
}

fn missing(key: &str) -> Problem {
    Problem::not_found(format!("policy `{key}`"))
}

fn text(
    name: String,
    description: String,
    inputs: &[StatementInput],
) -> Result<PolicyText, Problem> {
    Ok(PolicyText {
        name: api::name("/name", &name)?,
        description: api::description("/description", &description)?,
        statements: statements(inputs)?,
    })
}

/// Reads statements.
pub(super) fn statements(inputs: &[StatementInput]) -> Result<Vec<Statement>, Problem> {
    access::statements(inputs).map_err(|(pointer, code, message)| {
        Problem::invalid(format!("/statements{pointer}"), code, message)
    })
}
