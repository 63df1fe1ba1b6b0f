//! Health, for whoever starts and balances us.

use axum::extract::State;
use axum::http::StatusCode;

use super::{Api, Problem};

/// The process answers.
pub(super) async fn liveness() -> StatusCode {
    StatusCode::OK
}

/// Environments were loaded once. A source that goes away later changes nothing: what is here is
/// still served.
pub(super) async fn readiness(State(api): State<Api>) -> Result<StatusCode, Problem> {
    match api.hub.is_ready() {
        true => Ok(StatusCode::OK),
        false => Err(Problem::unavailable("environments are still being loaded")),
    }
}
