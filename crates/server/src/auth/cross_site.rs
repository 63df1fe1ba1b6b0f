//! Requests that another site makes a browser send.
//!
//! A session's cookie is `SameSite=Lax`, and what changes something is refused where the browser
//! says that another site asked (`Sec-Fetch-Site`, or `Origin` for older ones). A request without
//! either comes from no browser, and no other site can have made one send it. (The rule of Go's
//! `net/http.CrossOriginProtection`, after F. Valsorda's survey of 2025.)

use axum::http::request::Parts;
use axum::http::{HeaderMap, header};

use crate::problem::Problem;

/// Refuses a change that another site asks for.
pub(super) fn refuse(parts: &Parts) -> Result<(), Problem> {
    if parts.method.is_safe() || is_ours(&parts.headers) {
        return Ok(());
    }
    Err(Problem::forbidden("another site asks for this change"))
}

fn is_ours(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin" || site == "none";
    }
    let Some(origin) = text(header::ORIGIN.as_str()) else {
        return true;
    };
    let origin = origin.split_once("://").map_or("", |(_, host)| host);
    text(header::HOST.as_str()).is_some_and(|host| host == origin)
}

#[cfg(test)]
mod tests;
