//! Health, for whoever starts and balances us.

use axum::extract::State;
use axum::http::StatusCode;

use super::{Api, Problem};

/// The process answers.
pub(super) async fn liveness() -> StatusCode {
    StatusCode::OK
}

/// Environments were loaded once. A source that goes away later is told of, and changes nothing:
/// what is here is still served.
pub(super) async fn readiness(State(api): State<Api>) -> Result<&'static str, Problem> {
    if api.hub.is_stopping() {
        return Err(Problem::unavailable("the server is being stopped"));
    }
    match (api.hub.is_ready(), api.metrics.stale_since.get() > 0.0) {
        (true, false) => Ok("ready"),
        (true, true) => Ok("degraded: serving what was known when the source was there last"),
        (false, _) => Err(Problem::unavailable("environments are still being loaded")),
    }
}
