//! OFREP 0.3: flags for programs with an OpenFeature provider and no SDK of a vendor's.
//!
//! One flag ([`single`]) or all ([`bulk`]) for a context, from the snapshot that streams are
//! answered from; and streams of events ([`events`]) that say when all are to be asked for again. Both kinds of SDK keys are taken; what a flag's rules are is told to neither, and
//! which of them took the user to server keys alone. Whatever is wrong with a request is said in
//! JSON in OFREP's own form, since some providers read nothing else.

mod asked;
mod bulk;
mod events;
mod hints;
mod plain;
mod refusal;
mod single;
mod tag;

pub(crate) use plain::{Answers, Question};

use axum::Router;
use axum::http::{HeaderName, Method, header};
use axum::response::Response;
use axum::routing::{any, get, post};
use tower_http::cors::{Any, CorsLayer};

use super::{Api, PREFLIGHT_AGE};
use refusal::Refusal;

/// Where all flags are asked for; what comes behind it and a slash is a flag's key.
const FLAGS: &str = "/ofrep/v1/evaluate/flags";

/// Where events come; behind it and a slash is the credential.
const EVENTS: &str = "/ofrep/v1/events";

/// The endpoints, with CORS.
pub(super) fn router() -> Router<Api> {
    // A key may have a slash in it, which some providers do not encode.
    let flag = format!("{FLAGS}/{{*key}}");
    let no_key = format!("{FLAGS}/");
    let events = format!("{EVENTS}/{{credential}}");
    // Without a body there is no stream either.
    let listen = get(events::listen).head(no_endpoint).fallback(no_endpoint);
    let single = || post(single::evaluate).fallback(no_method);
    Router::new()
        .route(FLAGS, post(bulk::evaluate).fallback(no_method))
        .route(&no_key, single())
        .route(&flag, single())
        .route(&events, listen)
        .route("/ofrep", any(no_endpoint))
        .route("/ofrep/", any(no_endpoint))
        .route("/ofrep/{*rest}", any(no_endpoint))
        .layer(cors())
}

async fn no_method() -> Response {
    Refusal::no_method().with_key(None)
}

async fn no_endpoint() -> Response {
    Refusal::no_endpoint().with_key(None)
}

/// Any origin. Providers in browsers read the tag of what they have, and when to come again. A
/// browser's own `EventSource` asks for nothing; those that are made of `fetch` send the headers
/// that it would.
fn cors() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([
            header::AUTHORIZATION,
            header::CACHE_CONTROL,
            header::CONTENT_TYPE,
            header::IF_NONE_MATCH,
            asked::X_API_KEY,
            header::USER_AGENT,
            HeaderName::from_static("last-event-id"),
            HeaderName::from_static("x-user-agent"),
        ])
        .expose_headers([header::ETAG, header::RETRY_AFTER])
        .max_age(PREFLIGHT_AGE)
}
