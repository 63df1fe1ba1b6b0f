//! A request: who asks, for which context, and what they have already.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, header};
use burgee_eval::context::{Context, Limits};
use burgee_eval::user::User;
use serde::Deserialize;
use serde_json::error::Category;

use super::super::access::find;
use super::super::body;
use super::super::{Api, USER_BODY, now};
use super::refusal::Refusal;
use crate::environment::Encoded;
use crate::hub::Access;
use crate::sink::Surface;
use crate::source::KeyKind;
use crate::traffic::{Given, limits};

/// The other header that a key may come in.
pub(super) const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// What a context may be: what a user of any other way may.
const LIMITS: Limits = Limits {
    key: limits::USER_KEY,
    name: limits::USER_NAME,
    attributes: limits::PROPERTIES,
    attribute: limits::PROPERTY,
};

/// A request by somebody with a key.
pub(super) struct Asked {
    pub(super) access: Access,
    pub(super) parts: Parts,
    /// Not looked at yet.
    pub(super) body: Bytes,
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    context: Option<Context<'a>>,
}

impl FromRequest<Api> for Asked {
    type Rejection = Refusal;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Refusal> {
        let (parts, body) = request.into_parts();
        let secret = secret_of(&parts.headers).ok_or_else(Refusal::unauthorized)?;
        let access = find(api, secret)
            .await
            .map_err(|_| Refusal::unavailable("the SDK key cannot be checked now"))?;
        let access = access.ok_or_else(Refusal::unauthorized)?;
        let media = parts.headers.get(header::CONTENT_TYPE);
        if !is_json(media.map(|media| media.to_str().unwrap_or_default())) {
            let details = "the body is JSON: Content-Type must be application/json";
            return Err(Refusal::unparsed(details));
        }
        let body = body::whole(&parts.headers, body, USER_BODY).await?;
        Ok(Self {
            access,
            parts,
            body,
        })
    }
}

impl Asked {
    /// The key's secret.
    pub(super) fn secret(&self) -> &str {
        secret_of(&self.parts.headers).unwrap_or_default()
    }

    /// The user that flags are evaluated for. Those of client keys are noted, as those of client
    /// SDKs are.
    pub(super) fn user(&self, api: &Api) -> Result<User<'_>, Refusal> {
        user(api, &self.access, &self.body, now())
    }
}

/// An answer to a user, for the log of decisions; `at` in ms since 1970.
pub(super) fn given<'a>(
    access: &'a Access,
    state: &'a Encoded,
    user: &'a User<'a>,
    at: i64,
) -> Given<'a> {
    Given {
        environment: access.environment.id(),
        state,
        user,
        surface: Surface::Ofrep,
        at,
    }
}

/// The user of a body, which is noted where the key is a client's. `now` in ms since 1970.
pub(super) fn user<'a>(
    api: &Api,
    access: &Access,
    body: &'a [u8],
    now: i64,
) -> Result<User<'a>, Refusal> {
    let user = read(body)?.user(&LIMITS)?;
    if access.kind == KeyKind::Client {
        let environment = access.environment.id();
        api.traffic.seen(environment, access.key, &user, now);
    }
    Ok(user)
}

/// The context of a body.
fn read(body: &[u8]) -> Result<Context<'_>, Refusal> {
    let text = std::str::from_utf8(body).map_err(|_| Refusal::unparsed("the body is not UTF-8"))?;
    if text.trim_start().starts_with('[') {
        return Err(Refusal::context("the body must be an object"));
    }
    let body: Body<'_> = serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Data => Refusal::context(format!(
            "context must be an object, and there once, in an object (line {}, column {})",
            error.line(),
            error.column()
        )),
        _ => Refusal::unparsed(format!("the body is no JSON: {error}")),
    })?;
    body.context
        .ok_or_else(|| Refusal::context("context is missing: it must be an object"))
}

/// The key's secret, from whichever header has it. One provider's own documentation writes it into
/// `Authorization` bare.
fn secret_of(headers: &HeaderMap) -> Option<&str> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok();
    secret(text(header::AUTHORIZATION), text(X_API_KEY))
}

/// The same of the two headers' values.
pub(super) fn secret<'a>(authorization: Option<&'a str>, key: Option<&'a str>) -> Option<&'a str> {
    let authorization = authorization.and_then(|value| {
        let value = value.trim();
        match value.split_once(' ') {
            Some((scheme, secret)) => scheme.eq_ignore_ascii_case("bearer").then_some(secret),
            None => Some(value).filter(|value| !value.eq_ignore_ascii_case("bearer")),
        }
    });
    let secret = authorization.or(key)?.trim();
    (!secret.is_empty()).then_some(secret)
}

/// Whether the body is said to be JSON; where nothing is said of it, it may be.
pub(super) fn is_json(media: Option<&str>) -> bool {
    let Some(media) = media else {
        return true;
    };
    let media = media.split(';').next().unwrap_or_default().trim();
    let is = |wanted: &str| media.eq_ignore_ascii_case(wanted);
    is("application/json") || media.len() > 5 && is_suffixed(media)
}

/// As `application/problem+json` is.
fn is_suffixed(media: &str) -> bool {
    let end = media.len().checked_sub("+json".len());
    let end = end.and_then(|start| media.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case("+json"))
}
