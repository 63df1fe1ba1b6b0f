//! The versions of an environment: who made each, when, why, and what it changed.

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::outcome::Facet;
use burgee_store::{ListedVersion, VersionItem};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api;
use crate::api::changes::view::sees_flag;
use crate::api::page::{Page, PageQuery};
use crate::app::AppState;
use crate::auth::Caller;
use crate::params::{Path, Query};
use crate::problem::Problem;

/// A version of an environment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionView {
    /// The version.
    pub version: i64,
    /// The id of the change set that made it.
    pub change: String,
    /// Who made it: a member's address, a token's name, `operator` or `system`.
    pub actor: String,
    /// What `actor` is a name of: `token`, `operator`, `system` or `member`.
    pub actor_kind: &'static str,
    /// Why.
    pub comment: String,
    /// When it was asked for, ISO 8601.
    pub at: String,
    /// What it changed of what the caller may see, the first twenty.
    pub items: Vec<VersionItemView>,
    /// How many items it changed.
    pub item_count: i64,
}

/// An item that a version changed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionItemView {
    /// `flag`, `segment`, `sdkKey` or `setting`.
    pub kind: String,
    /// Its key.
    pub key: String,
    /// The parts that it changed; empty for SDK keys and settings.
    pub facets: Vec<Facet>,
}

/// List an environment's versions, newest first.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/versions",
    tag = "history",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"), PageQuery),
    responses((status = 200, body = Page<VersionView>), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<VersionView>>, Problem> {
    let (project, environment) = api::environment(&state, &caller, &project, &environment).await?;
    let page = query.try_into()?;
    let found = state
        .store
        .versions(&caller.organization, environment.id.as_str(), &page)
        .await?;
    let marks = state.store.marks(&caller.organization, &caller.rights);
    let marks = marks.await?;
    let of_project = Resource::project(project.key.as_str());
    let here = Resource::of(&project, &environment);
    let sees = |item: &VersionItem| match item.kind.as_str() {
        "flag" => {
            let flag = of_project.clone().with(Kind::Flag, &*item.key);
            sees_flag(&caller.rights, &marks.item(flag), here.clone(), &item.key)
        }
        "segment" => {
            let segment = here.clone().with(Kind::Segment, &*item.key);
            caller.rights.allow("segment.read", &marks.item(segment))
        }
        _ => true,
    };
    let items = found.items.into_iter();
    Ok(Json(Page {
        items: items.map(|listed| view(listed, &sees)).collect(),
        next: found.next,
    }))
}

fn view(listed: ListedVersion, sees: &dyn Fn(&VersionItem) -> bool) -> VersionView {
    let items = listed.items.into_iter().filter(|item| sees(item));
    VersionView {
        version: listed.version,
        change: listed.change_set,
        actor: listed.actor.name,
        actor_kind: listed.actor.kind.as_str(),
        comment: listed.comment,
        at: listed.at.to_string(),
        items: items
            .map(|item| VersionItemView {
                kind: item.kind,
                key: item.key,
                facets: item.facets,
            })
            .collect(),
        item_count: listed.item_count,
    }
}
