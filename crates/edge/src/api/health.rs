//! Health, for whoever starts and balances us.
//!
//! It is answered where SDKs are, for proxies, which are to know whether that is reached; and beside the
//! metrics, where nobody is turned away when more SDKs come than can be answered.

use axum::extract::State;
use axum::http::StatusCode;

use super::{Api, Problem};

/// The process answers, and so do its streaming loops.
pub(super) async fn liveness(State(api): State<Api>) -> Result<StatusCode, Problem> {
    match api.metrics.loops.stand_still() {
        false => Ok(StatusCode::OK),
        true => Err(Problem::unavailable("a streaming loop stands still")),
    }
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
