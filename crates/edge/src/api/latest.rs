//! `latest-all`: what a data-sync answers, for SDKs that poll.
//!
//! Nothing new is a `patch` with empty lists, as on a stream. There is no ETag: one SDK sends
//! `If-None-Match` without its other headers, and so without its key.

use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::access::{ClientCaller, ServerCaller};
use super::body::Whole;
use super::{Api, Problem, USER_BODY, now};
use crate::environment::Sync;
use crate::message::parse_user;
use crate::metrics::{Reason, Synced};
use crate::sink::Surface;
use crate::source::KeyKind;
use crate::traffic::Given;

/// The query of both.
#[derive(Deserialize)]
pub(super) struct Asked {
    /// The newest stamp that the SDK has, in ms since 1970; 0 asks for everything.
    #[serde(default)]
    timestamp: i64,
}

type AskedQuery = Result<Query<Asked>, QueryRejection>;

pub(super) async fn server(
    State(api): State<Api>,
    ServerCaller(access): ServerCaller,
    asked: AskedQuery,
) -> Result<Response, Problem> {
    let timestamp = timestamp(asked)?;
    let (json, sync) = access.environment.current().server_poll(timestamp, now());
    count(&api, KeyKind::Server, sync);
    Ok(answer(json))
}

pub(super) async fn client(
    State(api): State<Api>,
    ClientCaller(access): ClientCaller,
    asked: AskedQuery,
    Whole(body): Whole<USER_BODY>,
) -> Result<Response, Problem> {
    let timestamp = timestamp(asked)?;
    let user = std::str::from_utf8(&body)
        .ok()
        .and_then(|user| parse_user(user, &mut |reason, count| api.metrics.refuse(reason, count)))
        .ok_or_else(|| {
            api.metrics.refuse(Reason::UserKey, 1);
            Problem::invalid_user("/keyId")
        })?;
    let now = now();
    api.traffic
        .seen(access.environment.id(), access.key, &user, now);
    let (mut json, state) = (Vec::new(), access.environment.current());
    let sync = state.client_sync(&user, timestamp, now, &mut json);
    let given = Given {
        environment: access.environment.id(),
        state: &state,
        user: &user,
        surface: Surface::Poll,
        at: now,
    };
    api.traffic.decided(&given, state.synced(sync, timestamp));
    count(&api, KeyKind::Client, sync);
    Ok(answer(json.into()))
}

fn timestamp(asked: AskedQuery) -> Result<i64, Problem> {
    let refused = |rejection: QueryRejection| {
        Problem::bad_request("invalid timestamp", rejection.body_text(), "timestamp")
    };
    asked.map(|Query(asked)| asked.timestamp).map_err(refused)
}

fn answer(json: Bytes) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], json).into_response()
}

fn count(api: &Api, kind: KeyKind, sync: Sync) {
    api.metrics
        .syncs
        .get_or_create(&Synced { kind, sync })
        .inc();
}
