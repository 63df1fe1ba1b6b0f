//! Streams of events, which say that there is something newer to ask for.
//!
//! Here is decided whether there is a stream; the driver's loops hold it
//! ([`crate::driver::Listener`]).

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;

use super::super::{Api, now};
use super::refusal::Refusal;
use crate::credential::{Credential, Refused};
use crate::driver::Listener;
use crate::source::Position;

/// Some proxies gather what they pass on, unless they are told not to.
const UNGATHERED: HeaderName = HeaderName::from_static("x-accel-buffering");

pub(super) async fn listen(
    State(api): State<Api>,
    credential: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    if !api.hub.is_ready() {
        return Err(Refusal::unavailable(
            "this node has not loaded its environments yet",
        ));
    }
    let unknown = || Refusal::no_stream("there is no such event stream");
    let credential = credential.ok().and_then(|text| Credential::read(&text));
    let credential = credential.ok_or_else(unknown)?;
    if let Err(why) = api.hub.opened(&credential, now()) {
        return Err(match why {
            Refused::Unknown => unknown(),
            Refused::Expired => Refusal::no_stream("the event stream's address has expired"),
        });
    }
    let text = |name: &str| headers.get(name)?.to_str().ok();
    let agent = text("x-user-agent").or_else(|| text("user-agent"));
    let listener = Listener {
        credential,
        has: text("last-event-id").and_then(Position::read),
        agent: agent.unwrap_or_default().into(),
    };
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(listener);
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        (UNGATHERED, "no"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}
