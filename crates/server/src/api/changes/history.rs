//! Reading the history.

use axum::Json;
use axum::extract::State;
use burgee_domain::access::Resource;
use burgee_store::page::PageRequest;
use burgee_store::{HistoryFilter, HistoryScope};

use super::filter::{FilterQuery, HistoryQuery, PlaceQuery, still_fits};
use super::view::ChangeView;
use crate::api;
use crate::api::page::{Page, PageQuery};
use crate::app::AppState;
use crate::auth::Caller;
use crate::params::{Path, Query};
use crate::problem::Problem;

/// One change set, of any project of the organization.
#[utoipa::path(get, path = "/api/v1/changes/{id}", tag = "changes",
    params(("id", description = "The change set's id, or its number in the organization's history")),
    responses((status = 200, body = ChangeView), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ChangeView>, Problem> {
    find(&state, &caller, &id).await.map(Json)
}

/// What the caller may see of a change set, by its id or its number.
pub(super) async fn find(
    state: &AppState,
    caller: &Caller,
    id: &str,
) -> Result<ChangeView, Problem> {
    let missing = || Problem::not_found(format!("change set `{id}`"));
    let typed = match (uuid::Uuid::parse_str(id), id.parse()) {
        (Ok(id), _) => id.to_string(),
        (Err(_), Ok(number)) => state
            .store
            .change_set_numbered(&caller.organization, number)
            .await
            .map_err(api::or_missing(missing))?,
        (Err(_), Err(_)) => return Err(missing()),
    };
    let found = state
        .store
        .change_set(&caller.organization, &typed)
        .await
        .map_err(api::or_missing(missing))?;
    let marks = state
        .store
        .marks(&caller.organization, &caller.rights)
        .await?;
    let seen = ChangeView::from(found).seen_by(caller, &marks);
    seen.ok_or_else(missing)
}

/// List all that was done in the organization, newest first: change sets, and the administration
/// of projects, environments, SDK keys and tokens.
#[utoipa::path(get, path = "/api/v1/changes", tag = "changes", params(PlaceQuery, HistoryQuery, PageQuery),
    responses((status = 200, body = Page<ChangeView>), (status = 400, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<FilterQuery>,
) -> Result<Json<Page<ChangeView>>, Problem> {
    let asked = query.split()?;
    history(&state, &caller, HistoryScope::Organization, asked).await
}

/// List the change sets that changed a project or one of its environments, newest first.
#[utoipa::path(get, path = "/api/v1/projects/{project}/changes", tag = "changes",
    params(("project", description = "The project's key"),
        ("environment" = Option<String>, Query,
            description = "The key of the environment that it is about"),
        HistoryQuery, PageQuery),
    responses((status = 200, body = Page<ChangeView>), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn list_of_project(
    State(state): State<AppState>,
    caller: Caller,
    Path(project): Path<String>,
    Query(mut query): Query<FilterQuery>,
) -> Result<Json<Page<ChangeView>>, Problem> {
    let scope = match query.take_environment() {
        Some(environment) => {
            let found = api::environment(&state, &caller, &project, &environment).await?;
            HistoryScope::Environment(found.1.id)
        }
        None => HistoryScope::Project(api::project(&state, &caller, &project).await?.id),
    };
    history(&state, &caller, scope, query.of_place()?).await
}

/// List the change sets that changed what an environment serves, newest first.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/changes",
    tag = "changes",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"), HistoryQuery, PageQuery),
    responses((status = 200, body = Page<ChangeView>), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn list_of_environment(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Query(query): Query<FilterQuery>,
) -> Result<Json<Page<ChangeView>>, Problem> {
    let (_, environment) = api::environment(&state, &caller, &project, &environment).await?;
    let scope = HistoryScope::Environment(environment.id);
    history(&state, &caller, scope, query.of_place()?).await
}

async fn history(
    state: &AppState,
    caller: &Caller,
    scope: HistoryScope,
    (filter, page): (HistoryFilter, PageRequest),
) -> Result<Json<Page<ChangeView>>, Problem> {
    let found = state
        .store
        .history(&caller.organization, &scope, &filter, &page)
        .await?;
    let sees_all = caller.rights.allow("audit.read", &Resource::organization());
    let marks = state
        .store
        .marks(&caller.organization, &caller.rights)
        .await?;
    let views = found.items.into_iter().map(ChangeView::from);
    let views = views.filter_map(|view| view.seen_by(caller, &marks));
    Ok(Json(Page {
        items: views
            .filter(|view| sees_all || still_fits(view, &filter))
            .collect(),
        next: found.next,
    }))
}
