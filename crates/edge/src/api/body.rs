//! A request's body, whole and not too long.

use std::fmt;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::Problem;

/// A body of at most `MOST` bytes. One that is announced as longer is not begun to be read.
pub(super) struct Whole<const MOST: usize>(pub(super) Bytes);

/// Why there is no body.
#[derive(Debug)]
pub(super) enum Unread {
    /// It is longer than this.
    TooLong(usize),
    /// It broke off.
    Broken(String),
}

impl<S: Sync, const MOST: usize> FromRequest<S> for Whole<MOST> {
    type Rejection = Unread;

    async fn from_request(request: Request, _: &S) -> Result<Self, Unread> {
        let (parts, body) = request.into_parts();
        whole(&parts.headers, body, MOST).await.map(Self)
    }
}

/// The same of at most `most` bytes.
pub(super) async fn whole(headers: &HeaderMap, body: Body, most: usize) -> Result<Bytes, Unread> {
    let announced = headers.get(header::CONTENT_LENGTH);
    let announced: Option<u64> = announced.and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length| length > most as u64) {
        return Err(Unread::TooLong(most));
    }
    let body = Limited::new(body, most).collect().await;
    body.map(|body| body.to_bytes())
        .map_err(|error| match error.is::<LengthLimitError>() {
            true => Unread::TooLong(most),
            false => Unread::Broken(error.to_string()),
        })
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong(most) => write!(f, "a body has at most {} KiB", most / 1024),
            Self::Broken(why) => f.write_str(why),
        }
    }
}

impl IntoResponse for Unread {
    fn into_response(self) -> Response {
        Problem::from(self).into_response()
    }
}
