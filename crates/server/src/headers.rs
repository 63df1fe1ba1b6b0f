//! What every answer of the API says besides: nobody keeps it, and browsers take it for what it says
//! that it is. Tokens, links and keys of servers are in some of them, shown once.

use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, ETAG, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

/// Adds the headers, where a handler has not said otherwise.
pub async fn private(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    // Who is to ask with an `ETag` has to keep what it is of.
    let kept = match headers.contains_key(ETAG) {
        true => "private, no-cache",
        false => "no-store",
    };
    or_insert(headers, CACHE_CONTROL, kept);
    or_insert(headers, X_CONTENT_TYPE_OPTIONS, "nosniff");
    response
}

fn or_insert(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    let value = HeaderValue::from_static(value);
    headers.entry(name).or_insert(value);
}
