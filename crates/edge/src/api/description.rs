//! What can be asked here, described for programs (OpenAPI 3.1).
//!
//! It is written by hand, and held to by tests: what is here is OpenFeature's and FeatBit's, so it
//! changes with them and not with our types. A server's own API is described apart, since it has
//! other keys, other errors, and a client that is generated from it.

use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;

use super::JSON;

/// The description, as it is published.
const PUBLISHED: &str = include_str!("../../openapi.json");

/// It may be another one after an upgrade.
const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");

pub(super) async fn publish() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, JSON),
        (header::CACHE_CONTROL, NO_CACHE),
    ];
    (headers, PUBLISHED)
}
