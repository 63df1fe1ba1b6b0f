//! The HTTP endpoints that SDKs call, besides streaming: polling, evaluating, tracking, health.
//!
//! They answer from the same encoded state as streaming does. Browsers call them from anywhere, so
//! CORS lets any origin in; what protects them is the SDK key.

mod access;
mod body;
mod description;
mod evaluate;
mod health;
mod latest;
pub(crate) mod ofrep;
mod problem;
mod track;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::routing::{get, post};
use tower_http::cors::{Any, CorsLayer};

use crate::hub::Hub;
use crate::metrics::Metrics;
use crate::traffic::Traffic;

pub use problem::Problem;

/// Bytes of a request with a user: 100 properties of 1 KiB, escaped, and a filter.
const USER_BODY: usize = 512 * 1024;
/// What answers are.
const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// How long browsers remember that they may call: as long as they are willing to.
const PREFLIGHT_AGE: Duration = Duration::from_secs(86_400);

/// What the endpoints work with.
#[derive(Clone)]
pub struct Api {
    /// Environments and keys.
    pub hub: Arc<Hub>,
    /// Where users and events go.
    pub traffic: Arc<Traffic>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
}

/// All endpoints, with CORS.
pub fn router(api: Api) -> Router {
    Router::new()
        .route("/api/public/sdk/server/latest-all", get(latest::server))
        .route("/api/public/sdk/client/latest-all", post(latest::client))
        .route("/api/public/featureflag/evaluate", post(evaluate::evaluate))
        .route("/api/public/insight/track", post(track::track))
        .route("/api/public/openapi.json", get(description::publish))
        .merge(health_routes())
        .layer(cors())
        .merge(ofrep::router())
        .with_state(api)
}

/// What is answered beside the metrics: health alone.
pub fn health(api: Api) -> Router {
    health_routes().with_state(api)
}

fn health_routes() -> Router<Api> {
    Router::new()
        .route("/health/liveness", get(health::liveness))
        .route("/health/readiness", get(health::readiness))
}

/// Any origin, and the headers that SDKs in browsers send. Nothing is exposed: no answer carries
/// a header that they read.
fn cors() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::USER_AGENT,
            HeaderName::from_static("x-user-agent"),
        ])
        .max_age(PREFLIGHT_AGE)
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
