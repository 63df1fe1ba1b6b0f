//! What happens, as a stream of events.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::app::AppState;
use crate::auth::watcher::Watcher;
use crate::events::{self, MOST_OF_ONE, Refused, Start};
use crate::problem::Problem;

/// The header by which a reader says where it was.
const LAST: HeaderName = HeaderName::from_static("last-event-id");

/// Hear what happens in the organization, as server-sent events, each with a name and JSON:
/// `hello` (`Beginning`: the stream begins), `change` (`ChangeEvent`), `evaluation` and `user`
/// (`Seen`: the first ever seen in an environment), `sdk` (`Seen`: the first that came with an SDK
/// key, to who may `sdkKey.read`), `inbox` (`Inbox`: how many requests wait for the caller, at the
/// beginning and where that changes), `delivery` (`DeliveryMoved`: the connections of an environment
/// moved), `permissions` (what the caller may do has
/// changed), `reset` (`Beginning`: more was missed than is told again, ask for everything anew).
/// The caller is told what they may see. The stream ends with the session or the token, and where
/// the reader is too slow; `Last-Event-ID` goes on where it ended.
#[utoipa::path(get, path = "/api/v1/events", tag = "events",
    params(("Last-Event-ID" = Option<i64>, Header,
        description = "The `id` of the last event: what happened since is told first")),
    responses(
        (status = 200, content_type = "text/event-stream", body = String,
            description = "Events, until either side ends the connection"),
        (status = 400, body = Problem),
        (status = 429, body = Problem, description = "The session or token has 8 streams, or the \
            organization 500")))]
pub async fn get(
    State(state): State<AppState>,
    headers: HeaderMap,
    watcher: Watcher,
) -> Result<Response, Problem> {
    let start = start(&headers)?;
    let body = events::listen(&state.events, watcher, start).await;
    let body = body.map_err(|refused| match refused {
        Refused::Full => Problem::too_many_streams(MOST_OF_ONE),
        Refused::Store(error) => error.into(),
    })?;
    let stream = HeaderValue::from_static("text/event-stream");
    let fresh = HeaderValue::from_static("no-store");
    // Nginx gathers answers unless it is told not to.
    let at_once = (
        HeaderName::from_static("x-accel-buffering"),
        HeaderValue::from_static("no"),
    );
    let headers = [
        (header::CONTENT_TYPE, stream),
        (header::CACHE_CONTROL, fresh),
        at_once,
    ];
    Ok((headers, Body::new(body)).into_response())
}

fn start(headers: &HeaderMap) -> Result<Start, Problem> {
    let Some(given) = headers.get(LAST) else {
        return Ok(Start::Now);
    };
    let number = given.to_str().ok().and_then(|text| text.parse().ok());
    match number {
        Some(number @ 0..) => Ok(Start::After(number)),
        _ => Err(Problem::invalid(
            "Last-Event-ID",
            "parameter",
            "must be the id of an event",
        )),
    }
}
