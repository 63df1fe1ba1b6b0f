//! `insight/track`: users, evaluations and metric events.

use axum::extract::State;
use axum::http::StatusCode;

use super::access::Caller;
use super::body::{Unread, Whole};
use super::{Api, Problem, now};
use crate::metrics::Reason;
use crate::traffic::limits;

/// Answers 200 exactly, with no body: one SDK takes any other 2xx for a failure and sends the
/// same batch again.
pub(super) async fn track(
    State(api): State<Api>,
    Caller(access): Caller,
    body: Result<Whole<{ limits::TRACK_BODY }>, Unread>,
) -> Result<StatusCode, Problem> {
    let Whole(body) = body.map_err(|why| {
        api.traffic.refuse(Reason::Body);
        Problem::untracked(&why)
    })?;
    match api.traffic.track(&access, &body, now()) {
        Ok(()) => Ok(StatusCode::OK),
        Err(error) => Err(Problem::bad_request(
            "not a JSON list",
            error.to_string(),
            "",
        )),
    }
}
