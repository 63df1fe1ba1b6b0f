//! What is applied when: the steps of all requests by their moments.

use axum::Json;
use axum::extract::State;
use burgee_store::page::PageRequest;
use burgee_store::requests::ScheduleFilter;
use serde::Deserialize;
use utoipa::IntoParams;

use super::view::ScheduledView;
use super::{party, scope, unseen};
use crate::api::page::{Page, PageQuery};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::params::{Query, moment};
use crate::problem::Problem;

/// Which steps.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScheduleQuery {
    /// `next` of the page before; absent for the first.
    pub cursor: Option<String>,
    /// How many items, 1 to 500; 50 where absent.
    pub limit: Option<i64>,
    /// Due at this moment or later, ISO 8601.
    pub from: Option<String>,
    /// Due before this moment, ISO 8601.
    pub to: Option<String>,
    /// Only those of requests that change something in this project, by key.
    pub project: Option<String>,
    /// Only those of requests that change something in this environment of `project`, by key.
    pub environment: Option<String>,
}

/// List steps that have a moment, in the order of their moments: those that wait, those that were
/// applied, and those before which a request stopped or was withdrawn. Of requests of which you may
/// see all that they are about.
#[utoipa::path(get, path = "/api/v1/schedule", tag = "requests", params(ScheduleQuery),
    responses((status = 200, body = Page<ScheduledView>), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<ScheduleQuery>,
) -> Result<Json<Page<ScheduledView>>, Problem> {
    let (project, environment) = (query.project.as_deref(), query.environment.as_deref());
    let read = |name, text: Option<String>| text.map(|it| moment(name, &it)).transpose();
    let filter = ScheduleFilter {
        scope: scope(&state, &caller, project, environment).await?,
        from: read("from", query.from)?,
        to: read("to", query.to)?,
    };
    let (cursor, limit) = (query.cursor, query.limit);
    let page = PageRequest::try_from(PageQuery { cursor, limit })?;
    let viewer = party(&caller);
    let found = state
        .store
        .schedule(&caller.organization, &viewer, &filter, &page, now())
        .await?;
    let marks = state
        .store
        .marks(&caller.organization, &caller.rights)
        .await?;
    let items = found.items.into_iter();
    let sees = |it: &_| unseen(&caller.rights, &viewer, &marks, it).is_none();
    let items = items.filter(|it| sees(&it.listed.request));
    Ok(Json(Page {
        items: items.map(ScheduledView::from).collect(),
        next: found.next,
    }))
}
