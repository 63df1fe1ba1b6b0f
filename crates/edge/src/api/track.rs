//! `insight/track`: users, evaluations and metric events.

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;

use super::access::Caller;
use super::{Api, Problem, now};
use crate::metrics::Reason;

/// Answers 200 exactly, with no body: one SDK takes any other 2xx for a failure and sends the
/// same batch again.
pub(super) async fn track(
    State(api): State<Api>,
    Caller(access): Caller,
    body: Result<Bytes, BytesRejection>,
) -> Result<StatusCode, Problem> {
    let body = body.map_err(|rejection| {
        api.traffic.refuse(Reason::Body);
        Problem::unreadable(&rejection)
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
