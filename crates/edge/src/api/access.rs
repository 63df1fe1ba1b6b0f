//! Who calls: the secret in `Authorization`, bare, as FeatBit's SDKs send it.

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use super::{Api, Problem};
use crate::hub::{Access, Lookup};
use crate::source::{KeyKind, Unavailable};

/// A caller with any key.
pub(super) struct Caller(pub(super) Access);

/// A caller with a client key.
pub(super) struct ClientCaller(pub(super) Access);

/// A caller with a server key.
pub(super) struct ServerCaller(pub(super) Access);

impl FromRequestParts<Api> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let secret = parts.headers.get(header::AUTHORIZATION);
        let secret = secret
            .and_then(|secret| secret.to_str().ok())
            .map(str::trim);
        let secret = secret
            .filter(|secret| !secret.is_empty())
            .ok_or_else(Problem::unauthorized)?;
        let access = find(api, secret)
            .await
            .map_err(|_| Problem::unavailable("the SDK key cannot be checked now"))?;
        access.map(Self).ok_or_else(Problem::unauthorized)
    }
}

/// What a secret opens, asked for where it is not known here; none where there is no such key.
pub(super) async fn find(api: &Api, secret: &str) -> Result<Option<Access>, Unavailable> {
    match api.hub.lookup(secret) {
        Lookup::Known(access) => Ok(Some(access)),
        Lookup::Unknown => Ok(None),
        Lookup::Ask => api.hub.ask(secret).await,
    }
}

impl FromRequestParts<Api> for ClientCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let Caller(access) = Caller::from_request_parts(parts, api).await?;
        match access.kind {
            KeyKind::Client => Ok(Self(access)),
            KeyKind::Server => Err(Problem::wrong_kind("client")),
        }
    }
}

impl FromRequestParts<Api> for ServerCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let Caller(access) = Caller::from_request_parts(parts, api).await?;
        match access.kind {
            KeyKind::Server => Ok(Self(access)),
            KeyKind::Client => Err(Problem::wrong_kind("server")),
        }
    }
}
