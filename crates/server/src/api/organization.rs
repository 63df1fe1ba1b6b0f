//! The organization: what is set of it.

use axum::Json;
use axum::extract::State;
use burgee_domain::access::Resource;
use burgee_store::{OrganizationEdit, OrganizationSettings};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api;
use crate::app::{AppState, now};
use crate::auth::{Caller, SignedIn};
use crate::body::Body;
use crate::problem::Problem;

/// The organization.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationView {
    /// Its key; never changes.
    pub key: String,
    /// Its display name.
    pub name: String,
    /// Whether its members must have a second factor: a session without one does nothing here but
    /// set one up.
    pub second_factor_required: bool,
    /// After how many days without evaluation, or with one value, flags are stale, where their
    /// project says nothing.
    pub stale_days: i64,
}

impl From<OrganizationSettings> for OrganizationView {
    fn from(settings: OrganizationSettings) -> Self {
        Self {
            key: settings.key.into(),
            name: settings.name,
            second_factor_required: settings.second_factor_required,
            stale_days: settings.stale_days,
        }
    }
}

/// What can be edited of the organization; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrganizationUpdate {
    /// The new display name.
    pub name: Option<String>,
    /// Whether its members must have a second factor. Only somebody asks for it who signed in with
    /// theirs.
    pub second_factor_required: Option<bool>,
    /// After how many days without evaluation, or with one value, flags are stale, where their
    /// project says nothing.
    #[schema(minimum = 1, maximum = 3_650)]
    pub stale_days: Option<i64>,
}

/// The organization's settings.
#[utoipa::path(get, path = "/api/v1/organization", tag = "organization",
    responses((status = 200, body = OrganizationView)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
) -> Result<Json<OrganizationView>, Problem> {
    caller.may("organization.read", &Resource::organization())?;
    let settings = state.store.organization_settings(&caller.organization);
    Ok(Json(settings.await?.into()))
}

/// Change the organization's settings.
#[utoipa::path(patch, path = "/api/v1/organization", tag = "organization",
    request_body = OrganizationUpdate,
    responses((status = 200, body = OrganizationView), (status = 400, body = Problem)))]
pub async fn update(
    State(state): State<AppState>,
    caller: Caller,
    signed_in: Option<SignedIn>,
    Body(update): Body<OrganizationUpdate>,
) -> Result<Json<OrganizationView>, Problem> {
    if update.second_factor_required == Some(true) {
        with_second_factor(&caller, signed_in.as_ref())?;
    }
    let name = update.name.map(|it| api::name("/name", &it)).transpose()?;
    let edit = OrganizationEdit {
        name,
        second_factor_required: update.second_factor_required,
        stale_days: update.stale_days,
    };
    let (organization, actor) = (&caller.organization, &caller.actor);
    let changed = state
        .store
        .update_organization(organization, &edit, actor, now())
        .await?;
    Ok(Json(changed.into()))
}

/// Refuses who could not meet what they ask of others: there is always somebody who can take it
/// back.
fn with_second_factor(caller: &Caller, signed_in: Option<&SignedIn>) -> Result<(), Problem> {
    let has = |it: &SignedIn| it.session.second_factor && it.account.second_factor.is_some();
    match caller.in_session && signed_in.is_some_and(has) {
        true => Ok(()),
        false => Err(Problem::forbidden(
            "only somebody who signed in with a second factor of their own asks others for one",
        )),
    }
}
