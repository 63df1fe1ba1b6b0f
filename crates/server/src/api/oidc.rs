//! Signing in by an organization's provider: out to it, and back.
//!
//! Both addresses are opened by browsers, so what goes wrong is told by sending them to the portal's
//! page for signing in (`/sign-in?error=<code>`); programs, which do not ask for a page, get problem
//! details.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::Organization;
use burgee_store::people::sessions::Seen;
use burgee_store::people::sign_on::{SignOn, SignedOn, Subject};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::api;
use crate::app::{AppState, now};
use crate::auth::oidc::exchange::{Client, identity};
use crate::auth::oidc::id_token::IdToken;
use crate::auth::oidc::{Begun, OidcError, Provider, begun, return_address};
use crate::auth::peer::Peer;
use crate::auth::session;
use crate::params::{Path, Query};
use crate::problem::Problem;

/// What the browser's part of a sign-in is kept in.
const COOKIE: &str = "burgee-sign-in";

/// What an instance knows its clients' secrets as.
pub(super) fn purpose(organization: &Id<Organization>) -> String {
    format!("oidc/{organization}")
}

/// Where providers send browsers back to.
pub(super) fn redirect(state: &AppState) -> String {
    format!("{}/api/v1/session/oidc", state.public_url)
}

/// How to begin.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct BeginQuery {
    /// Where the browser goes in the end: a path of this server, `/` where none is given.
    pub return_to: Option<String>,
}

/// Sign in by an organization's provider: opened by a browser, which is sent there.
#[utoipa::path(get, path = "/api/v1/session/oidc/{organization}", tag = "people",
    params(("organization", description = "The organization's key"), BeginQuery), security(()),
    responses((status = 303, description = "On to the provider"), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 501, body = Problem),
        (status = 502, body = Problem, description = "The provider does not answer as it must")))]
pub async fn begin(
    State(state): State<AppState>,
    headers: HeaderMap,
    Path(organization): Path<String>,
    Query(query): Query<BeginQuery>,
) -> Result<Response, Problem> {
    let begun = begin_at(&state, &organization, query.return_to.as_deref()).await;
    let (address, kept) = match begun {
        Ok(begun) => begun,
        Err(problem) => return told(&state, &headers, problem),
    };
    let cookie = session::cookie_of(COOKIE, &kept, begun::LIVES / 1_000, state.secure_cookies);
    see_other(&address, &[cookie])
}

/// Where the browser goes, and what it keeps.
async fn begin_at(
    state: &AppState,
    key: &str,
    return_to: Option<&str>,
) -> Result<(String, String), Problem> {
    let return_to = return_to.unwrap_or("/");
    let Some(return_to) = return_address(return_to) else {
        let message = "give a path of this server, such as /flags";
        return Err(Problem::invalid("returnTo", "returnInvalid", message));
    };
    let missing = || Problem::not_found(format!("sign-in by a provider for `{key}`"));
    let typed = Key::new(key).map_err(|_| missing())?;
    let organization = state.store.organization(&typed).await;
    let organization = organization.map_err(api::or_missing(missing))?.id;
    let sign_on = state.store.sign_on(&organization).await?;
    let sign_on = sign_on.ok_or_else(missing)?;
    let provider = provider(state, &sign_on).await?;
    let begun = Begun::new(organization.as_str(), &sign_on.issuer, return_to, now());
    let scopes = &sign_on.rules.scopes;
    let address = begun.address(&provider, &sign_on.client_id, &redirect(state), scopes);
    let kept = begun.sealed(state.keyring()?).map_err(|error| {
        tracing::error!(%error, "a sign-in cannot be sealed");
        Problem::internal()
    })?;
    Ok((address.into(), kept))
}

/// What a provider sends a browser back with. Others may add more.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AnswerQuery {
    /// What is exchanged for the id token.
    pub code: Option<String>,
    /// Which sign-in it is the answer to.
    pub state: Option<String>,
    /// The provider, where it says so (RFC 9207).
    pub iss: Option<String>,
    /// Why there is no code.
    pub error: Option<String>,
}

/// Come back from a provider: opened by the browser that was sent there. The answer sets the
/// session's cookie.
#[utoipa::path(get, path = "/api/v1/session/oidc", tag = "people", params(AnswerQuery),
    security(()),
    responses((status = 303, description = "Signed in; on to where the browser wanted to"),
        (status = 400, body = Problem),
        (status = 401, body = Problem, description = "`signInExpired`, `signInRefused` or \
            `idTokenInvalid`"),
        (status = 403, body = Problem, description = "`notAMember`, `emailNotVerified` or \
            `linkedToAnother`"),
        (status = 501, body = Problem),
        (status = 502, body = Problem, description = "The provider does not answer as it must")))]
pub async fn finish(
    State(state): State<AppState>,
    Peer(address): Peer,
    headers: HeaderMap,
    Query(answer): Query<AnswerQuery>,
) -> Result<Response, Problem> {
    let seen = session::seen(&headers, address);
    let kept = session::text_of(&headers, COOKIE, state.secure_cookies).unwrap_or_default();
    let (begun, text) = match signed_on(&state, kept, &answer, &seen).await {
        Ok(done) => done,
        Err(problem) => return told(&state, &headers, problem),
    };
    let secure = state.secure_cookies;
    let cookies = [
        session::cookie(&text, secure),
        session::cookie_of(COOKIE, "", 0, secure),
    ];
    see_other(
        &format!("{}{}", state.public_url, begun.return_to),
        &cookies,
    )
}

/// What an answer leads to: the sign-in that it ends, and the text of the session that it opens.
async fn signed_on(
    state: &AppState,
    kept: &str,
    answer: &AnswerQuery,
    seen: &Seen,
) -> Result<(Begun, String), Problem> {
    let begun = begun_by(state, kept, answer)?;
    let (organization, subject) = subject(state, &begun, answer).await?;
    let signed_on = state.store.sign_on_as(&organization, &subject, seen, now());
    let signed_on = signed_on
        .await
        .map_err(api::or_missing(Problem::sign_in_expired))?;
    Ok((begun, session_of(signed_on)?))
}

/// The sign-in that an answer is to: begun in this browser, not long ago.
fn begun_by(state: &AppState, kept: &str, answer: &AnswerQuery) -> Result<Begun, Problem> {
    let with = answer.state.as_deref().unwrap_or_default();
    let begun = Begun::of_answer(state.keyring()?, kept, with, now());
    begun.ok_or_else(Problem::sign_in_expired)
}

/// Who the provider says has signed in.
async fn subject(
    state: &AppState,
    begun: &Begun,
    answer: &AnswerQuery,
) -> Result<(Id<Organization>, Subject), Problem> {
    let organization = Id::new(begun.organization.clone());
    let sign_on = state.store.sign_on(&organization).await?;
    let sign_on = sign_on.filter(|it| it.issuer == begun.issuer);
    let sign_on = sign_on.ok_or_else(Problem::sign_in_expired)?;
    let provider = provider(state, &sign_on).await?;
    let names = answer.iss.as_deref();
    // Another provider's answer (RFC 9207): its code is not taken to this one.
    if names.is_some_and(|it| it != provider.issuer) || names.is_none() && provider.names_itself {
        return Err(Problem::sign_in_refused("the answer is another provider's"));
    }
    let Some(code) = &answer.code else {
        let why = answer.error.as_deref().unwrap_or("there is no code");
        let why: String = why.chars().take(100).collect();
        return Err(Problem::sign_in_refused(&why));
    };
    let token = claims(state, &organization, &sign_on, &provider, begun, code).await?;
    let claimed = sign_on.rules.read(&token.claims);
    let subject = Subject {
        issuer: sign_on.issuer,
        subject: token.subject,
        claimed,
    };
    Ok((organization, subject))
}

async fn claims(
    state: &AppState,
    organization: &Id<Organization>,
    sign_on: &SignOn,
    provider: &Provider,
    begun: &Begun,
    code: &str,
) -> Result<IdToken, Problem> {
    let secret = match &sign_on.client_secret {
        Some(sealed) => Some(opened(state, organization, sealed)?),
        None => None,
    };
    let redirect = redirect(state);
    let client = Client {
        id: &sign_on.client_id,
        secret: secret.as_deref(),
        redirect: &redirect,
    };
    let names = &sign_on.rules.claims;
    let mut wanted = vec![names.email.as_str(), names.email_verified.as_str()];
    wanted.extend(names.groups.as_deref());
    let fetcher = state.providers.fetcher();
    let token = identity(fetcher, provider, &client, begun, code, &wanted).await;
    token.map_err(|error| of_provider(&sign_on.issuer, &error))
}

fn opened(
    state: &AppState,
    organization: &Id<Organization>,
    sealed: &[u8],
) -> Result<String, Problem> {
    let opened = state.keyring()?.open(&purpose(organization), sealed);
    let opened = opened.and_then(|secret| String::from_utf8(secret).ok());
    opened.ok_or_else(|| {
        tracing::error!(%organization, "a client's secret was sealed with another instance key");
        Problem::internal()
    })
}

async fn provider(state: &AppState, sign_on: &SignOn) -> Result<std::sync::Arc<Provider>, Problem> {
    let found = state.providers.get(&sign_on.issuer).await;
    found.map_err(|error| of_provider(&sign_on.issuer, &error))
}

/// What is told of a provider's fault; the log has all of it.
fn of_provider(issuer: &str, error: &OidcError) -> Problem {
    tracing::warn!(issuer, %error, "a sign-in by a provider failed");
    match error {
        OidcError::Unreachable { .. } | OidcError::Wrong { .. } => Problem::provider_failed(),
        OidcError::Refused(why) => Problem::sign_in_refused(why),
        OidcError::Token(why) => Problem::id_token_invalid(&why.to_string()),
    }
}

fn session_of(signed_on: SignedOn) -> Result<String, Problem> {
    let (code, detail) = match signed_on {
        SignedOn::Session(text) => return Ok(text),
        SignedOn::NotAMember => (
            "notAMember",
            "you are not a member of this organization; somebody has to invite you",
        ),
        SignedOn::EmailNotVerified => (
            "emailNotVerified",
            "the provider does not say that it has made sure of your address",
        ),
        SignedOn::LinkedToAnother => (
            "linkedToAnother",
            "the account of this address belongs to somebody else at the provider; remove the \
             member to let the address be used again",
        ),
    };
    Err(Problem::not_signed_on(code, detail))
}

/// Tells a browser by a page, and a program by problem details. The sign-in is over.
fn told(state: &AppState, headers: &HeaderMap, mut problem: Problem) -> Result<Response, Problem> {
    let accepts = headers.get(header::ACCEPT);
    let accepts = accepts.and_then(|it| it.to_str().ok()).unwrap_or_default();
    if !accepts.contains("text/html") {
        return Err(problem);
    }
    if let Some(error) = problem.errors.pop() {
        problem.code = error.code;
    }
    let address = format!("{}/sign-in?error={}", state.public_url, problem.code);
    let over = session::cookie_of(COOKIE, "", 0, state.secure_cookies);
    see_other(&address, &[over])
}

fn see_other(address: &str, cookies: &[HeaderValue]) -> Result<Response, Problem> {
    let address = HeaderValue::from_str(address).map_err(|_| Problem::internal())?;
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response();
    let headers = response.headers_mut();
    // The address of a provider holds what belongs to one browser.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    for cookie in cookies {
        headers.append(header::SET_COOKIE, cookie.clone());
    }
    Ok(response)
}
