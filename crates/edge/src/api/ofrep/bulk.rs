//! All flags: for providers that keep them, and ask again when something changed.

use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::Response;
use burgee_eval::user::User;

use super::super::{Api, JSON, now};
use super::EVENTS;
use super::asked::{Asked, given};
use super::hints;
use super::refusal::Refusal;
use super::tag::Tag;
use crate::environment::Encoded;
use crate::source::KeyKind;

pub(super) async fn evaluate(State(api): State<Api>, asked: Asked) -> Result<Response, Refusal> {
    let state = hints::current(&api, &asked).await?;
    let credential = api.hub.credential(asked.secret(), now());
    let tag = Tag::of(&state, &asked.access, &asked.body, &credential);
    if tag.is_named_in(&asked.parts.headers) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().insert(header::ETAG, tag.value());
        return Ok(response);
    }
    let user = asked.user(&api)?;
    let mut json = Vec::new();
    write(&state, &user, asked.access.kind, &credential, &mut json);
    let all = 0..state.snapshot().flags().len();
    let given = given(&asked.access, &state, &user, now());
    api.traffic.decided(&given, all);
    let mut response = Response::new(Body::from(json));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, JSON);
    headers.insert(header::ETAG, tag.value());
    Ok(response)
}

/// Appends what all flags give a user, and where events come to whoever has this credential.
pub(super) fn write(
    state: &Encoded,
    user: &User<'_>,
    kind: KeyKind,
    credential: &str,
    json: &mut Vec<u8>,
) {
    json.extend_from_slice(br#"{"flags":"#);
    state.ofrep_flags(user, kind, json);
    json.extend_from_slice(br#","eventStreams":[{"type":"sse","endpoint":{"requestUri":""#);
    for part in [EVENTS, "/", credential] {
        json.extend_from_slice(part.as_bytes());
    }
    json.extend_from_slice(br#""}}]"#);
    if kind == KeyKind::Server {
        json.extend_from_slice(br#","metadata":{"version":"#);
        let version = state.position().version;
        json.extend_from_slice(itoa::Buffer::new().format(version).as_bytes());
        json.push(b'}');
    }
    json.push(b'}');
}
