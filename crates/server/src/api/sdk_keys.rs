//! SDK keys: what programs connect with.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_domain::access::Resource;
use burgee_domain::id::Id;
use burgee_domain::model::{SdkKey, SdkKeyKind};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::{self, page::Page};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::Path;
use crate::problem::Problem;

/// What an SDK key may do.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyKind {
    /// Browsers and phones: values only. Public by nature.
    Client,
    /// Back ends: whole flags with their rules. A secret.
    Server,
}

/// An SDK key.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SdkKeyView {
    /// Its id.
    pub id: String,
    /// What it may do.
    pub kind: KeyKind,
    /// Its display name.
    pub name: String,
    /// What SDKs are configured with.
    pub secret: String,
    /// When it was made, ISO 8601.
    pub created_at: String,
    /// When it was revoked, ISO 8601; absent while it is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
}

impl From<SdkKey> for SdkKeyView {
    fn from(key: SdkKey) -> Self {
        Self {
            id: key.id.to_string(),
            kind: match key.kind {
                SdkKeyKind::Client => KeyKind::Client,
                SdkKeyKind::Server => KeyKind::Server,
            },
            name: key.name,
            secret: key.secret,
            created_at: key.created_at.to_string(),
            revoked_at: key.revoked_at.map(|at| at.to_string()),
        }
    }
}

/// A new SDK key.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewSdkKey {
    /// What it may do.
    pub kind: KeyKind,
    /// Its display name.
    pub name: String,
}

/// List an environment's SDK keys, revoked ones too. Who may not `sdkKey.reveal` sees no secret
/// of a server key.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/sdk-keys",
    tag = "sdk keys",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    responses((status = 200, body = Page<SdkKeyView>), (status = 404, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
) -> Result<Json<Page<SdkKeyView>>, Problem> {
    let place = Resource::environment(project.as_str(), environment.as_str());
    caller.may("sdkKey.read", &place)?;
    let reveal = caller.rights.allow("sdkKey.reveal", &place);
    let (_, environment) = api::environment(&state, &caller, &project, &environment).await?;
    let keys = state.store.sdk_keys(&environment.id).await?;
    let shown = |key: SdkKey| {
        let secret = match key.kind {
            SdkKeyKind::Server if !reveal => String::new(),
            _ => key.secret.clone(),
        };
        SdkKeyView {
            secret,
            ..key.into()
        }
    };
    Ok(Json(Page {
        items: keys.into_iter().map(shown).collect(),
        next: None,
    }))
}

/// Make an SDK key. It works at once.
#[utoipa::path(post, path = "/api/v1/projects/{project}/environments/{environment}/sdk-keys",
    tag = "sdk keys",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    request_body = NewSdkKey,
    responses((status = 201, body = SdkKeyView), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn create(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Body(new): Body<NewSdkKey>,
) -> Result<(StatusCode, Json<SdkKeyView>), Problem> {
    let place = Resource::environment(project.as_str(), environment.as_str());
    caller.may("sdkKey.write", &place)?;
    let (_, environment) = api::environment(&state, &caller, &project, &environment).await?;
    let name = api::name("/name", &new.name)?;
    let kind = match new.kind {
        KeyKind::Client => SdkKeyKind::Client,
        KeyKind::Server => SdkKeyKind::Server,
    };
    let (id, actor) = (&environment.id, &caller.actor);
    let made = state
        .store
        .create_sdk_key(id, kind, &name, actor, now())
        .await?;
    let after = state
        .store
        .environment(&environment.project, &environment.key)
        .await?;
    state.served_as(&after).await;
    Ok((StatusCode::CREATED, Json(made.into())))
}

/// Revoke an SDK key. Its connections are closed at once, and for good.
#[utoipa::path(delete,
    path = "/api/v1/projects/{project}/environments/{environment}/sdk-keys/{id}",
    tag = "sdk keys",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"),
        ("id", description = "The SDK key's id")),
    responses((status = 204, description = "Revoked"), (status = 404, body = Problem)))]
pub async fn revoke(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment, id)): Path<(String, String, String)>,
) -> Result<StatusCode, Problem> {
    let place = Resource::environment(project.as_str(), environment.as_str());
    caller.may("sdkKey.write", &place)?;
    let (_, environment) = api::environment(&state, &caller, &project, &environment).await?;
    let missing = || Problem::not_found(format!("SDK key `{id}`"));
    // Not every text can be asked for in every database.
    let known = uuid::Uuid::parse_str(&id).map_err(|_| missing())?;
    let revoked = state
        .store
        .revoke_sdk_key(
            &environment.id,
            &Id::new(known.to_string()),
            &caller.actor,
            now(),
        )
        .await;
    revoked.map_err(api::or_missing(missing))?;
    let after = state
        .store
        .environment(&environment.project, &environment.key)
        .await?;
    state.served_as(&after).await;
    Ok(StatusCode::NO_CONTENT)
}
