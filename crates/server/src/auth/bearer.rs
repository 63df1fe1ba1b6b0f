//! Access tokens: `Authorization: Bearer bgt_…`.

use axum::http::header;
use axum::http::request::Parts;
use burgee_store::{Actor, ActorKind, Grant};

use super::Caller;
use super::peer;
use crate::app::{AppState, now};
use crate::problem::Problem;

/// Whoever the token of a request acts for.
pub(super) async fn caller(parts: &Parts, state: &AppState) -> Result<Caller, Problem> {
    let header = parts.headers.get(header::AUTHORIZATION);
    let header = header.and_then(|value| value.to_str().ok());
    let Some(text) = header.and_then(token) else {
        return Err(Problem::unauthorized("send Authorization: Bearer bgt_…"));
    };
    let unknown = || Problem::unauthorized("this token is not known, has expired or was revoked");
    let found = state.store.find_token(text, now()).await?;
    let token = found.ok_or_else(unknown)?;
    if !token.allows_network(peer::address(parts, state)) {
        return Err(Problem::unauthorized(
            "this token may not be used from this address",
        ));
    }
    let rights = state.store.token_rights(&token).await?;
    // As the person's own sessions.
    if token.grant == Grant::Personal && state.store.lacks_second_factor(&token).await? {
        return Err(Problem::second_factor_needed());
    }
    let actor = Actor {
        kind: ActorKind::Token,
        id: token.id.to_string(),
        name: token.name,
    };
    Ok(Caller {
        organization: token.organization,
        actor,
        maker: token.account.clone(),
        in_session: false,
        account: (token.grant == Grant::Personal)
            .then_some(token.account)
            .flatten(),
        rights: rights.ok_or_else(unknown)?,
    })
}

/// The token of an `Authorization` header; a scheme's case does not matter (RFC 9110).
fn token(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| token.trim())
}
