//! SDK keys: what programs connect with.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_domain::access::Resource;
use burgee_domain::id::Id;
use burgee_domain::model::{Environment, SdkKey, SdkKeyKind};
use burgee_store::dialect::Clock;
use burgee_store::sdk_keys::MAX_GRACE;
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
    /// When it was used for the first time, ISO 8601; absent where it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_used_at: Option<String>,
    /// When it was last used, to about a minute, ISO 8601; absent where it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
    /// When it ends by itself, ISO 8601, where it was rotated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<String>,
    /// The id of the key that it was rotated to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub successor: Option<String>,
    /// When it was revoked or ended, ISO 8601; absent while it is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
}

impl From<SdkKeyKind> for KeyKind {
    fn from(kind: SdkKeyKind) -> Self {
        match kind {
            SdkKeyKind::Client => Self::Client,
            SdkKeyKind::Server => Self::Server,
        }
    }
}

impl From<SdkKey> for SdkKeyView {
    fn from(key: SdkKey) -> Self {
        Self {
            id: key.id.to_string(),
            kind: key.kind.into(),
            name: key.name,
            secret: key.secret,
            created_at: key.created_at.to_string(),
            first_used_at: key.first_used_at.map(|at| at.to_string()),
            last_used_at: key.last_used_at.map(|at| at.to_string()),
            ends_at: key.ends_at.map(|at| at.to_string()),
            successor: key.successor.map(|id| id.to_string()),
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

/// A key's new name.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SdkKeyEdit {
    /// Its new display name.
    pub name: String,
}

/// How a key is replaced.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rotation {
    /// For how many seconds the old key works on, up to 90 days; 0 ends it at once.
    pub grace_seconds: i64,
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
    let (project, environment) = (project.as_str(), environment.as_str());
    let may = &["sdkKey.read"];
    let found = api::environment_for(&state, &caller, project, environment, may).await;
    let (project, environment) = found?;
    let place = Resource::of(&project, &environment);
    let reveal = caller.rights.allow("sdkKey.reveal", &place);
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
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn create(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Body(new): Body<NewSdkKey>,
) -> Result<(StatusCode, Json<SdkKeyView>), Problem> {
    let environment = writable(&state, &caller, &project, &environment).await?;
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
    serve(&state, &environment).await?;
    Ok((StatusCode::CREATED, Json(made.into())))
}

/// Rename an SDK key.
#[utoipa::path(patch,
    path = "/api/v1/projects/{project}/environments/{environment}/sdk-keys/{id}",
    tag = "sdk keys",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"),
        ("id", description = "The SDK key's id")),
    request_body = SdkKeyEdit,
    responses((status = 204, description = "Renamed"), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn rename(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment, id)): Path<(String, String, String)>,
    Body(edit): Body<SdkKeyEdit>,
) -> Result<StatusCode, Problem> {
    let environment = writable(&state, &caller, &project, &environment).await?;
    let (name, key) = (api::name("/name", &edit.name)?, key_id(&id)?);
    let renamed = state
        .store
        .rename_sdk_key(&environment.id, &key, &name, &caller.actor, now())
        .await;
    renamed.map_err(api::or_missing(|| missing(&id)))?;
    Ok(StatusCode::NO_CONTENT)
}

/// Replace an SDK key: make one of the same kind and name, in whose favour the old one ends after
/// the grace. Its connections are closed then, and for good (4003). The answer is the new key.
#[utoipa::path(post,
    path = "/api/v1/projects/{project}/environments/{environment}/sdk-keys/{id}/rotate",
    tag = "sdk keys",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"),
        ("id", description = "The SDK key's id")),
    request_body = Rotation,
    responses((status = 201, body = SdkKeyView), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn rotate(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment, id)): Path<(String, String, String)>,
    Body(rotation): Body<Rotation>,
) -> Result<(StatusCode, Json<SdkKeyView>), Problem> {
    let environment = writable(&state, &caller, &project, &environment).await?;
    let (key, grace) = (key_id(&id)?, rotation.read()?);
    let clock = Clock::Shared(now());
    let made = state
        .store
        .rotate_sdk_key(&environment.id, &key, grace, &caller.actor, clock)
        .await;
    let made = made.map_err(api::or_missing(|| missing(&id)))?;
    serve(&state, &environment).await?;
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
    let environment = writable(&state, &caller, &project, &environment).await?;
    let key = key_id(&id)?;
    let revoked = state
        .store
        .revoke_sdk_key(&environment.id, &key, &caller.actor, now())
        .await;
    revoked.map_err(api::or_missing(|| missing(&id)))?;
    serve(&state, &environment).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl Rotation {
    /// The grace in ms.
    pub(super) fn read(&self) -> Result<i64, Problem> {
        match self.grace_seconds {
            0..=MAX_GRACE_SECONDS => Ok(self.grace_seconds * 1_000),
            _ => {
                let rule = format!("the grace is 0 to {MAX_GRACE_SECONDS} seconds");
                Err(Problem::invalid("/graceSeconds", "outOfRange", rule))
            }
        }
    }
}

/// The longest grace, in seconds.
const MAX_GRACE_SECONDS: i64 = MAX_GRACE / 1_000;

fn missing(id: &str) -> Problem {
    Problem::not_found(format!("SDK key `{id}`"))
}

/// Not every text can be asked for in every database.
fn key_id(id: &str) -> Result<Id<SdkKey>, Problem> {
    let known = uuid::Uuid::parse_str(id).map_err(|_| missing(id))?;
    Ok(Id::new(known.to_string()))
}

/// The environment of these keys, whose SDK keys the caller may make and take away.
async fn writable(
    state: &AppState,
    caller: &Caller,
    project: &str,
    environment: &str,
) -> Result<Environment, Problem> {
    let may = &["sdkKey.write"];
    let found = api::environment_for(state, caller, project, environment, may).await;
    Ok(found?.1)
}

/// Waits until this server serves the environment as it is by now.
async fn serve(state: &AppState, environment: &Environment) -> Result<(), Problem> {
    let after = state
        .store
        .environment(&environment.project, &environment.key)
        .await?;
    state.served_as(&after).await;
    Ok(())
}
