//! Errors as OFREP has them.
//!
//! Each has a status, one of OpenFeature's codes and words, in a JSON object: one provider takes an
//! empty body for an answer that it cannot parse, whatever the status.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use burgee_eval::context::Refused;
use serde::Serialize;

use super::super::JSON;
use super::super::body::Unread;
use super::super::problem::RETRY_AFTER;

/// Why a request is not answered.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    code: Code,
    details: String,
}

/// OpenFeature's words for what went wrong.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Code {
    ParseError,
    TargetingKeyMissing,
    InvalidContext,
    FlagNotFound,
    General,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    error_code: Code,
    error_details: &'a str,
}

impl Refusal {
    fn new(status: StatusCode, code: Code, details: impl Into<String>) -> Self {
        Self {
            status,
            code,
            details: details.into(),
        }
    }

    /// The body is not what it should be at all.
    pub(super) fn unparsed(details: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, Code::ParseError, details)
    }

    /// The context is none, or breaks a rule.
    pub(super) fn context(details: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, Code::InvalidContext, details)
    }

    /// There is no flag of this key. OpenFeature's own suite looks for these words.
    pub(super) fn no_flag(key: &str) -> Self {
        let details = format!("flag {key} not found in this environment");
        Self::new(StatusCode::NOT_FOUND, Code::FlagNotFound, details)
    }

    /// There is no such SDK key.
    pub(super) fn unauthorized() -> Self {
        let details =
            "an SDK key's secret is needed, as `Authorization: Bearer …` or in `X-API-Key`";
        Self::new(StatusCode::UNAUTHORIZED, Code::General, details)
    }

    /// Nothing is streamed by this address.
    pub(super) fn no_stream(why: &str) -> Self {
        let details = format!("{why}: POST /ofrep/v1/evaluate/flags says where events come now");
        Self::new(StatusCode::UNAUTHORIZED, Code::General, details)
    }

    /// It cannot be said now.
    pub(super) fn unavailable(details: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, Code::General, details)
    }

    /// Evaluating is asked for by `POST`.
    pub(super) fn no_method() -> Self {
        let details = "flags are evaluated by POST, with a context in the body";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, Code::General, details)
    }

    /// OFREP has nothing here.
    pub(super) fn no_endpoint() -> Self {
        let details = "OFREP has POST /ofrep/v1/evaluate/flags, the same with a slash and a flag's key, and \
             GET of the event streams that the first one names";
        Self::new(StatusCode::NOT_FOUND, Code::General, details)
    }

    /// The answer; `key` is the flag that was asked for, where it was one.
    pub(super) fn with_key(&self, key: Option<&str>) -> Response {
        let body = Body {
            key,
            error_code: self.code,
            error_details: &self.details,
        };
        // Writing texts to memory cannot fail.
        let json = serde_json::to_vec(&body).unwrap_or_default();
        let mut response = (self.status, json).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, JSON);
        match self.status {
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, RETRY_AFTER);
            }
            // RFC 9110, 15.5.2.
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            StatusCode::METHOD_NOT_ALLOWED => {
                headers.insert(header::ALLOW, HeaderValue::from_static("POST"));
            }
            _ => {}
        }
        response
    }
}

impl From<Unread> for Refusal {
    fn from(why: Unread) -> Self {
        match why {
            Unread::TooLong(_) => Self::context(why.to_string()),
            Unread::Broken(_) => Self::unparsed(why.to_string()),
        }
    }
}

impl From<Refused> for Refusal {
    fn from(why: Refused) -> Self {
        let code = match why {
            Refused::NoKey => Code::TargetingKeyMissing,
            Refused::Attribute { .. } => Code::InvalidContext,
        };
        Self::new(StatusCode::BAD_REQUEST, code, why.to_string())
    }
}

/// Where no flag was asked for.
impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        self.with_key(None)
    }
}
