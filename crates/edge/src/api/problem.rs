//! Errors as RFC 9457 problem details.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::body::Unread;
use crate::traffic::limits;

/// Seconds after which to try again what cannot be answered now.
pub(super) const RETRY_AFTER: HeaderValue = HeaderValue::from_static("2");

/// Why a request is not answered.
#[derive(Debug, Serialize)]
pub struct Problem {
    title: &'static str,
    status: u16,
    detail: String,
    /// The field at fault: an RFC 6901 pointer into the body, or a query parameter's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'static str>,
}

impl Problem {
    fn new(status: StatusCode, title: &'static str, detail: impl Into<String>) -> Self {
        Self {
            title,
            status: status.as_u16(),
            detail: detail.into(),
            pointer: None,
        }
    }

    /// The request is malformed, at this field.
    pub(super) fn bad_request(
        title: &'static str,
        detail: impl Into<String>,
        pointer: &'static str,
    ) -> Self {
        Self {
            pointer: Some(pointer),
            ..Self::new(StatusCode::BAD_REQUEST, title, detail)
        }
    }

    /// There is no user to answer for.
    pub(super) fn invalid_user(pointer: &'static str) -> Self {
        let detail = format!(
            "a user has a keyId that is not blank and has at most {} bytes",
            limits::USER_KEY
        );
        Self::bad_request("invalid end user", detail, pointer)
    }

    /// There is no such SDK key.
    pub(super) fn unauthorized() -> Self {
        let detail =
            "the Authorization header is to hold the secret of an SDK key, and nothing else";
        Self::new(StatusCode::UNAUTHORIZED, "unknown SDK key", detail)
    }

    /// The key is good, but not for this.
    pub(super) fn wrong_kind(needed: &'static str) -> Self {
        let detail = format!("this endpoint needs a {needed} key");
        Self::new(StatusCode::FORBIDDEN, "SDK key of another kind", detail)
    }

    /// It cannot be said now.
    pub(super) fn unavailable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "not available now", detail)
    }

    /// The body of a track request could not be read. Always 400, too long ones as well: on most
    /// other 4xx some SDKs send no more events for as long as they live.
    pub(super) fn untracked(why: &Unread) -> Self {
        Self::bad_request("unreadable body", why.to_string(), "")
    }
}

impl From<Unread> for Problem {
    fn from(why: Unread) -> Self {
        match why {
            Unread::TooLong(_) => Self::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "body too large",
                why.to_string(),
            ),
            Unread::Broken(_) => Self::bad_request("unreadable body", why.to_string(), ""),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST);
        let mut response = (status, Json(self)).into_response();
        let headers = response.headers_mut();
        let problem = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, problem);
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        response
    }
}
