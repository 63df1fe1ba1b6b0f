//! Who asks: access tokens (`Authorization: Bearer bgt_…`).
//!
//! A handler that takes a [`Caller`] needs a valid token, one that takes a [`Writer`] needs one
//! that may change things.

use std::str::FromStr;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_store::{Actor, ActorKind};

use crate::app::{AppState, now};
use crate::problem::Problem;

/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Everything in its organization.
    Owner,
    /// Look at everything in its organization.
    Reader,
}

impl Policy {
    /// The name in the store and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Reader => "reader",
        }
    }

    /// Whether it allows any change.
    pub fn may_write(self) -> bool {
        self == Self::Owner
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "owner" => Ok(Self::Owner),
            "reader" => Ok(Self::Reader),
            _ => Err(format!("`{text}` is no policy: it is `owner` or `reader`")),
        }
    }
}

/// A caller with a valid token, in its organization.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Inside which everything is looked up.
    pub organization: Id<Organization>,
    /// Who it is in the history.
    pub actor: Actor,
    /// What it may do.
    pub policy: Policy,
}

/// A caller that may change things.
#[derive(Debug, Clone)]
pub struct Writer(pub Caller);

impl FromRequestParts<AppState> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let header = parts
            .headers
            .get(header::AUTHORIZATION)
            .and_then(|v| v.to_str().ok());
        let Some(text) = header.and_then(bearer) else {
            return Err(Problem::unauthorized("send Authorization: Bearer bgt_…"));
        };
        let token = state.store.find_token(text, now()).await?;
        let token = token.ok_or_else(|| {
            Problem::unauthorized("this token is not known, has expired or was revoked")
        })?;
        let policy = token.policy.parse().map_err(|error: String| {
            tracing::error!(token = %token.id, error, "a stored token has a policy of no meaning");
            Problem::internal()
        })?;
        let actor = Actor {
            kind: ActorKind::Token,
            id: token.id.to_string(),
            name: token.name,
        };
        Ok(Self {
            organization: token.organization,
            actor,
            policy,
        })
    }
}

/// The token of an `Authorization` header; a scheme's case does not matter (RFC 9110).
fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| token.trim())
}

impl FromRequestParts<AppState> for Writer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let caller = Caller::from_request_parts(parts, state).await?;
        match caller.policy.may_write() {
            true => Ok(Self(caller)),
            false => Err(Problem::forbidden("this token may only read")),
        }
    }
}
