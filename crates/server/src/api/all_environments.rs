//! The environments of all projects in one answer, for choosing among them.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use burgee_domain::access::Resource;
use burgee_store::page::{MAX_LIMIT, PageRequest};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::page::Page;
use crate::app::AppState;
use crate::auth::Caller;
use crate::problem::Problem;

/// An environment, and whose it is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentOfProject {
    /// The key of its project.
    pub project: String,
    /// The display name of its project.
    pub project_name: String,
    /// Its id; the `envId` that SDKs see.
    pub id: String,
    /// Its key.
    pub key: String,
    /// Its display name.
    pub name: String,
    /// Its colour: `#rrggbb`.
    pub colour: String,
    /// Whether it is protected.
    pub protected: bool,
}

/// List the environments of all projects that the caller may see, by project, those of a project in
/// their order, in one answer.
#[utoipa::path(get, path = "/api/v1/environments", tag = "environments",
    responses((status = 200, body = Page<EnvironmentOfProject>)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
) -> Result<Json<Page<EnvironmentOfProject>>, Problem> {
    // An organization has no more projects than a page holds.
    let page = PageRequest {
        cursor: None,
        limit: Some(MAX_LIMIT),
    };
    let projects = state.store.projects(&caller.organization, &page).await?;
    let all = state
        .store
        .environments_of_all_projects(&caller.organization)
        .await?;
    let mut by_project = HashMap::<_, Vec<_>>::new();
    for environment in all {
        let of_project = by_project.entry(environment.project.clone());
        of_project.or_default().push(environment);
    }
    let mut items = Vec::new();
    for project in projects.items {
        let named = Resource::project(project.key.as_str());
        if !caller.rights.allow("project.read", &named) {
            continue;
        }
        let environments = by_project.remove(&project.id).unwrap_or_default();
        let seen = environments
            .into_iter()
            .filter(|it| caller.sees(&project, it));
        items.extend(seen.map(|it| EnvironmentOfProject {
            project: project.key.to_string(),
            project_name: project.name.clone(),
            id: it.id.to_string(),
            key: it.key.to_string(),
            name: it.name,
            colour: it.colour.to_string(),
            protected: it.protected,
        }));
    }
    Ok(Json(Page { items, next: None }))
}
