//! Access tokens: `Authorization: Bearer bgt_…`.

use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use burgee_store::{Actor, ActorKind, Grant};

use super::Caller;
use super::peer;
use crate::app::{AppState, now};
use crate::problem::Problem;

/// Whoever the token of a request acts for.
pub(super) async fn caller(parts: &Parts, state: &AppState) -> Result<Caller, Problem> {
    let Some(text) = text_of(&parts.headers) else {
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
    let networks = token.networks.iter().filter_map(|it| it.parse().ok());
    Ok(Caller {
        until: token.expires_at,
        networks: networks.collect(),
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

/// The token of a request; a scheme's case does not matter (RFC 9110).
pub fn text_of(headers: &HeaderMap) -> Option<&str> {
    let header = headers.get(header::AUTHORIZATION)?;
    let (scheme, token) = header.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| token.trim())
}
