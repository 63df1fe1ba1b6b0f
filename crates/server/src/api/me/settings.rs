//! What a member has set for themselves: how the portal looks and what it shows first.
//!
//! Kept for each organization, since it names that organization's projects. Keys in it are not
//! looked up: what is named may come and go.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use burgee_domain::key::Key;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api;
use crate::app::AppState;
use crate::auth::session::Person;
use crate::body::{Body, once};
use crate::problem::Problem;

/// The most projects that environments are pinned in, and the most saved views.
const MAX_PROJECTS: usize = 200;
const MAX_VIEWS: usize = 100;

/// The most environments that are pinned in a project: columns of a screen.
const MAX_PINNED: usize = 20;

/// The longest filter of a view, in characters: what an address bar takes.
const MAX_FILTER: usize = 2_000;

/// What a member has set for themselves. A field that is null is not set.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct MemberSettings {
    /// The language; the browser's where it is not set.
    pub language: Option<Language>,
    /// Light or dark; the system's where it is not set.
    pub theme: Option<Theme>,
    /// How close rows stand.
    pub density: Option<Density>,
    /// Whether single letters are shortcuts; they are where it is not set.
    pub letter_shortcuts: Option<bool>,
    /// The key of the project that is shown first.
    pub project: Option<String>,
    /// Keys of the environments that are shown first, by the project's key; at most 20 each, of at
    /// most 200 projects.
    #[serde(deserialize_with = "once::each_once")]
    pub pinned_environments: BTreeMap<String, Vec<String>>,
    /// Filters to come back to; at most 100.
    pub saved_views: Vec<SavedView>,
}

/// A filter to come back to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SavedView {
    /// What it is called, 1 to 256 characters.
    pub name: String,
    /// The project's key.
    pub project: String,
    /// The filter, as it stands in the address after `?`; at most 2,000 characters.
    pub filter: String,
}

/// The languages of the portal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    En,
    /// Chinese.
    Zh,
    /// Japanese.
    Ja,
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
    /// What the system has.
    System,
}

/// How close rows stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Density {
    /// More rows on a screen.
    Compact,
    /// More room in a row.
    Comfortable,
}

/// What one has set for oneself in the organization.
#[utoipa::path(get, path = "/api/v1/me/settings", tag = "people", security(("session" = [])),
    responses((status = 200, body = MemberSettings), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    person: Person,
) -> Result<Json<MemberSettings>, Problem> {
    let (organization, account) = (&person.organization, &person.account);
    let settings = state.store.member_settings(organization, account).await?;
    let settings = settings.and_then(|text| serde_json::from_str(&text).ok());
    Ok(Json(settings.unwrap_or_default()))
}

/// Set all of it anew: what is left out is not set any more.
#[utoipa::path(put, path = "/api/v1/me/settings", tag = "people", request_body = MemberSettings,
    security(("session" = [])),
    responses((status = 200, body = MemberSettings), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn put(
    State(state): State<AppState>,
    person: Person,
    Body(settings): Body<MemberSettings>,
) -> Result<Json<MemberSettings>, Problem> {
    check(&settings)?;
    let text = serde_json::to_string(&settings).map_err(|_| Problem::internal())?;
    let (organization, account) = (&person.organization, &person.account);
    state
        .store
        .set_member_settings(organization, account, &text)
        .await?;
    Ok(Json(settings))
}

fn check(settings: &MemberSettings) -> Result<(), Problem> {
    if let Some(project) = &settings.project {
        key("/project", project)?;
    }
    most(
        "/pinnedEnvironments",
        settings.pinned_environments.len(),
        MAX_PROJECTS,
    )?;
    for (project, environments) in &settings.pinned_environments {
        let at = format!(
            "/pinnedEnvironments/{}",
            project.replace('~', "~0").replace('/', "~1")
        );
        key(&at, project)?;
        most(&at, environments.len(), MAX_PINNED)?;
        for (index, environment) in environments.iter().enumerate() {
            key(&format!("{at}/{index}"), environment)?;
        }
    }
    most("/savedViews", settings.saved_views.len(), MAX_VIEWS)?;
    for (index, view) in settings.saved_views.iter().enumerate() {
        let at = |field: &str| format!("/savedViews/{index}/{field}");
        api::name(&at("name"), &view.name)?;
        key(&at("project"), &view.project)?;
        let count = view.filter.chars().count();
        if count > MAX_FILTER || view.filter.contains('\0') {
            let rule = format!("has {count} characters; the limit is {MAX_FILTER}, without U+0000");
            return Err(Problem::invalid(at("filter"), "textTooLong", rule));
        }
    }
    Ok(())
}

fn key(pointer: &str, text: &str) -> Result<(), Problem> {
    let checked = Key::new(text).map(drop);
    checked.map_err(|error| Problem::invalid(pointer, "keyInvalid", error.to_string()))
}

fn most(pointer: &str, count: usize, most: usize) -> Result<(), Problem> {
    match count > most {
        true => {
            let rule = format!("there are {count}; the limit is {most}");
            Err(Problem::invalid(pointer, "listTooLong", rule))
        }
        false => Ok(()),
    }
}
