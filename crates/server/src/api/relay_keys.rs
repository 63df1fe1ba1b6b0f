//! Keys of relays: what a relay is fed by, and which environments it serves.

mod scope;

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::id::Id;
use burgee_store::dialect::Clock;
use burgee_store::people::accounts::Account;
use burgee_store::{NewRelayKey, RelayKey, RelayKeyEdit, Rotation};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::page::{Page, PageQuery};
use crate::api::{self, sdk_keys};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::{Path, Query};
use crate::problem::Problem;

pub(super) use scope::Places;
pub use scope::{ScopeInput, ScopeView};

/// A key of relays.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelayKeyView {
    /// Its id.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// The first characters of its secret, by which people recognise it.
    pub prefix: String,
    /// Which environments its relays serve.
    pub scope: ScopeView,
    /// When it was made, ISO 8601.
    pub created_at: String,
    /// The name of the member who made it, themselves or by a token; absent where they are none any
    /// more, and where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// When its secret was last replaced, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotated_at: Option<String>,
    /// Until when the secret before that one works, ISO 8601; absent where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_ends_at: Option<String>,
    /// When it was revoked, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
    /// What relays are configured with (`--key`); shown when it is made or replaced, and never
    /// again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

impl RelayKeyView {
    fn new(key: RelayKey, seen: &Seen<'_>, secret: Option<String>) -> Self {
        let maker = key.created_by.and_then(|it| seen.names.get(&it).cloned());
        Self {
            created_by: maker,
            id: key.id.to_string(),
            name: key.name,
            description: key.description,
            prefix: key.prefix,
            scope: seen.places.view(&key.scope),
            created_at: key.created_at.to_string(),
            rotated_at: key.rotated_at.map(|at| at.to_string()),
            previous_ends_at: key.previous_ends_at.map(|at| at.to_string()),
            revoked_at: key.revoked_at.map(|at| at.to_string()),
            secret,
        }
    }
}

/// What it takes to show keys to a caller.
struct Seen<'a> {
    places: Places<'a>,
    /// Of members, by account.
    names: HashMap<Id<Account>, String>,
}

impl<'a> Seen<'a> {
    async fn by(state: &AppState, caller: &'a Caller) -> Result<Self, Problem> {
        Ok(Self {
            places: Places::seen(state, caller).await?,
            names: state.store.member_names(&caller.organization).await?,
        })
    }
}

/// A new key for relays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewRelayKeyBody {
    /// Its display name.
    pub name: String,
    /// A text for people.
    #[serde(default)]
    pub description: String,
    /// Which environments its relays serve.
    pub scope: ScopeInput,
}

/// What can be edited of a relay's key; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RelayKeyUpdate {
    /// The new display name.
    pub name: Option<String>,
    /// The new text for people.
    pub description: Option<String>,
    /// Which environments its relays serve from now on.
    pub scope: Option<ScopeInput>,
}

/// List the keys of relays, oldest first, revoked ones too.
#[utoipa::path(get, path = "/api/v1/relay-keys", tag = "relays", params(PageQuery),
    responses((status = 200, body = Page<RelayKeyView>), (status = 400, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Query(page): Query<PageQuery>,
) -> Result<Json<Page<RelayKeyView>>, Problem> {
    let page = page.try_into()?;
    let found = state.store.relay_keys(&caller.organization, &page).await?;
    let seen = Seen::by(&state, &caller).await?;
    let keys = found.items.into_iter();
    let keys = keys.filter(|key| caller.rights.allow("relayKey.read", &resource(&key.id)));
    Ok(Json(Page {
        items: keys
            .map(|key| RelayKeyView::new(key, &seen, None))
            .collect(),
        next: found.next,
    }))
}

/// One key of relays.
#[utoipa::path(get, path = "/api/v1/relay-keys/{id}", tag = "relays",
    params(("id", description = "The relay key's id")),
    responses((status = 200, body = RelayKeyView), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<RelayKeyView>, Problem> {
    let key = find(&state, &caller, &id, "relayKey.read").await?;
    let seen = Seen::by(&state, &caller).await?;
    Ok(Json(RelayKeyView::new(key, &seen, None)))
}

/// Make a key for relays. Its secret is shown this once. Whoever has it learns whole flags and the
/// SDK keys of its scope, so it takes `sdkKey.reveal` there.
#[utoipa::path(post, path = "/api/v1/relay-keys", tag = "relays", request_body = NewRelayKeyBody,
    responses((status = 201, body = RelayKeyView), (status = 400, body = Problem),
        (status = 409, body = Problem)))]
pub async fn create(
    State(state): State<AppState>,
    caller: Caller,
    Body(new): Body<NewRelayKeyBody>,
) -> Result<(StatusCode, Json<RelayKeyView>), Problem> {
    caller.may("relayKey.create", &Resource::new(Kind::RelayKey, "*"))?;
    let seen = Seen::by(&state, &caller).await?;
    let new = NewRelayKey {
        organization: caller.organization.clone(),
        name: api::name("/name", &new.name)?,
        description: api::description("/description", &new.description)?,
        scope: seen.places.read(&new.scope)?,
    };
    let made = state.store.create_relay_key(&new, &caller.actor, now());
    let (key, secret) = made.await?;
    let view = RelayKeyView::new(key, &seen, Some(secret));
    Ok((StatusCode::CREATED, Json(view)))
}

/// Change a key's name, description and scope. What its relays are fed with changes at once, on
/// every server.
#[utoipa::path(patch, path = "/api/v1/relay-keys/{id}", tag = "relays",
    params(("id", description = "The relay key's id")), request_body = RelayKeyUpdate,
    responses((status = 200, body = RelayKeyView), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn update(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    Body(edit): Body<RelayKeyUpdate>,
) -> Result<Json<RelayKeyView>, Problem> {
    let key = find(&state, &caller, &id, "relayKey.update").await?;
    let seen = Seen::by(&state, &caller).await?;
    let name = edit.name.map(|it| api::name("/name", &it));
    let description = edit.description;
    let description = description.map(|it| api::description("/description", &it));
    let edit = RelayKeyEdit {
        name: name.transpose()?,
        description: description.transpose()?,
        scope: edit.scope.map(|it| seen.places.read(&it)).transpose()?,
    };
    let (organization, actor) = (&caller.organization, &caller.actor);
    let changed = state
        .store
        .update_relay_key(organization, &key.id, &edit, actor, now())
        .await;
    let changed = changed.map_err(api::or_missing(|| missing(&id)))?;
    Ok(Json(RelayKeyView::new(changed, &seen, None)))
}

/// Replace a key's secret, which is shown this once; the one before works on until the grace ends.
/// Where another one is still in its grace, that one ends at once. It takes `sdkKey.reveal` on all
/// of the key's scope.
#[utoipa::path(post, path = "/api/v1/relay-keys/{id}/rotate", tag = "relays",
    params(("id", description = "The relay key's id")), request_body = sdk_keys::Rotation,
    responses((status = 200, body = RelayKeyView), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn rotate(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    Body(rotation): Body<sdk_keys::Rotation>,
) -> Result<Json<RelayKeyView>, Problem> {
    let key = find(&state, &caller, &id, "relayKey.rotate").await?;
    let rotation = Rotation {
        grace: rotation.read()?,
        clock: Clock::Shared(now()),
    };
    let (organization, actor) = (&caller.organization, &caller.actor);
    let rotated = state
        .store
        .rotate_relay_key(organization, &key.id, rotation, actor, now())
        .await;
    let (key, secret) = rotated.map_err(api::or_missing(|| missing(&id)))?;
    let seen = Seen::by(&state, &caller).await?;
    Ok(Json(RelayKeyView::new(key, &seen, Some(secret))))
}

/// Revoke a key. No relay is fed by it any more, on any server.
#[utoipa::path(delete, path = "/api/v1/relay-keys/{id}", tag = "relays",
    params(("id", description = "The relay key's id")),
    responses((status = 204, description = "Revoked"), (status = 404, body = Problem)))]
pub async fn revoke(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let key = find(&state, &caller, &id, "relayKey.revoke").await?;
    let (organization, actor) = (&caller.organization, &caller.actor);
    let revoked = state
        .store
        .revoke_relay_key(organization, &key.id, actor, now())
        .await;
    revoked.map_err(api::or_missing(|| missing(&id)))?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) fn resource(id: &Id<RelayKey>) -> Resource {
    Resource::new(Kind::RelayKey, id.as_str())
}

/// Not every text can be asked for in every database.
pub(super) fn key_id(id: &str) -> Option<Id<RelayKey>> {
    let known = uuid::Uuid::parse_str(id).ok()?;
    Some(Id::new(known.to_string()))
}

fn missing(id: &str) -> Problem {
    Problem::not_found(format!("relay key `{id}`"))
}

/// The key of this id, to which the caller may do this; 403 where they may not, whether or not it is
/// there.
async fn find(
    state: &AppState,
    caller: &Caller,
    id: &str,
    action: &str,
) -> Result<RelayKey, Problem> {
    caller.may(action, &Resource::new(Kind::RelayKey, id))?;
    let key = key_id(id).ok_or_else(|| missing(id))?;
    let found = state.store.relay_key(&caller.organization, &key).await;
    found.map_err(api::or_missing(|| missing(id)))
}
