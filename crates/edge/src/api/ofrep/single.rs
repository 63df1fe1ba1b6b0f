//! One flag: for providers that ask anew at each evaluation.

use std::borrow::Cow;

use axum::extract::State;
use axum::http::{Uri, header};
use axum::response::Response;
use burgee_eval::user::User;

use super::super::{Api, JSON, now};
use super::FLAGS;
use super::asked::{Asked, given};
use super::refusal::Refusal;
use crate::environment::Encoded;
use crate::http::query::percent_decoded;
use crate::source::KeyKind;

pub(super) async fn evaluate(
    State(api): State<Api>,
    uri: Uri,
    asked: Result<Asked, Refusal>,
) -> Response {
    let keys = Keys::of(uri.path());
    match asked.and_then(|asked| answer(&api, &keys, &asked)) {
        Ok(json) => {
            let mut response = Response::new(json.into());
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, JSON);
            response
        }
        Err(refusal) => refusal.with_key(Some(&keys.meant)),
    }
}

fn answer(api: &Api, keys: &Keys<'_>, asked: &Asked) -> Result<Vec<u8>, Refusal> {
    let user = asked.user(api)?;
    let state = asked.access.environment.current();
    let mut json = Vec::with_capacity(256);
    let found = write(&state, &user, asked.access.kind, keys, &mut json);
    let given = given(&asked.access, &state, &user, now());
    api.traffic.decided(&given, found.into_iter());
    match found.is_some() {
        true => Ok(json),
        false => Err(Refusal::no_flag(&keys.meant)),
    }
}

/// Appends what a flag gives a user, and gives its place; none, and nothing appended, where there
/// is no such flag.
pub(super) fn write(
    state: &Encoded,
    user: &User<'_>,
    kind: KeyKind,
    keys: &Keys<'_>,
    json: &mut Vec<u8>,
) -> Option<usize> {
    let mut keys = [&*keys.meant, keys.written].into_iter();
    keys.find_map(|key| state.ofrep_flag(key, user, kind, json))
}

/// What a flag's key may be. Some providers encode it and some do not, so where the decoded one is
/// none, the written one may be.
pub(super) struct Keys<'a> {
    meant: Cow<'a, str>,
    written: &'a str,
}

impl<'a> Keys<'a> {
    pub(super) fn of(path: &'a str) -> Self {
        let behind = path.strip_prefix(FLAGS).unwrap_or_default();
        let written = behind.strip_prefix('/').unwrap_or(behind);
        let meant = match percent_decoded(written) {
            Cow::Borrowed(_) => Cow::Borrowed(written),
            Cow::Owned(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Cow::Owned(text),
                Err(_) => Cow::Borrowed(written),
            },
        };
        Self { meant, written }
    }
}
