//! How many requests wait for somebody.

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Resource, Rights};
use burgee_store::requests::{Viewer, Waiting};
use serde::Serialize;
use utoipa::ToSchema;

use super::{party, unseen};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::problem::Problem;

/// How many requests wait for you. In `GET /api/v1/events` it is `inbox`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Inbox {
    /// Open requests where your review is one that is missing: those that a list has with `forMe`.
    pub review: i64,
    /// Your own requests that you can go on with: those that were declined, that stopped, and that
    /// are approved, where you may apply them and they wait for no moment.
    pub mine: i64,
}

impl Inbox {
    /// What waits for somebody who may do this.
    pub(crate) fn of(waiting: &Waiting, viewer: &Viewer, rights: &Rights) -> Self {
        let (party, marks) = (&viewer.party, &waiting.marks);
        let may_apply = |place: Resource| rights.allow("change.apply", &place);
        Self {
            review: waiting.reviews(viewer, |it| unseen(rights, party, marks, it).is_none()),
            mine: waiting.own(viewer, |it| it.resources(marks).into_iter().all(may_apply)),
        }
    }
}

/// How many requests wait for you: for your review, and as yours to go on with. The stream of
/// events tells where that changes.
#[utoipa::path(get, path = "/api/v1/inbox", tag = "requests",
    responses((status = 200, body = Inbox)))]
pub async fn get(State(state): State<AppState>, caller: Caller) -> Result<Json<Inbox>, Problem> {
    let (store, organization) = (&state.store, &caller.organization);
    let waiting = store.waiting(organization, now()).await?;
    let viewer = store.viewer(organization, &party(&caller), now()).await?;
    Ok(Json(Inbox::of(&waiting, &viewer, &caller.rights)))
}
