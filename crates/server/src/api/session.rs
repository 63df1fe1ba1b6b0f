//! Signing in and out.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::people::{Email, MAX_PASSWORD};
use burgee_store::people::accounts::Account;
use burgee_store::people::sessions::{Ending, Seen};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::{AppState, now};
use crate::auth::peer::Peer;
use crate::auth::totp::{SecondFactor, normalized};
use crate::auth::{SignedIn, password, session};
use crate::body::Body;
use crate::problem::Problem;

/// What somebody signs in with.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Credentials {
    /// The address of mail.
    pub email: String,
    /// The password.
    pub password: String,
    /// The code of the second factor, or a recovery code, where the account has one.
    pub code: Option<String>,
}

/// An organization that somebody is a member of.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationName {
    /// Its key, for the header `Burgee-Organization`.
    pub key: String,
    /// Its display name.
    pub name: String,
    /// How many change sets its history has. As the `Last-Event-ID` of `/events` it begins the
    /// stream with what happened after this answer.
    pub changes: i64,
}

/// Who is signed in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Me {
    /// The account's id.
    pub id: String,
    /// The address of mail.
    pub email: String,
    /// The display name.
    pub name: String,
    /// Whether the password must be changed before anything else.
    pub password_must_change: bool,
    /// Whether the account has a second factor.
    pub second_factor: bool,
    /// The organizations that they are a member of, by key.
    pub organizations: Vec<OrganizationName>,
}

/// Sign in. The answer sets the session's cookie. After failures the next attempts have to wait
/// (429), longer each time.
#[utoipa::path(post, path = "/api/v1/session", tag = "people", request_body = Credentials,
    security(()),
    responses((status = 200, body = Me), (status = 400, body = Problem),
        (status = 401, body = Problem, description = "Not these; or `codeNeeded`"),
        (status = 429, body = Problem)))]
pub async fn sign_in(
    State(state): State<AppState>,
    Peer(address): Peer,
    headers: HeaderMap,
    Body(credentials): Body<Credentials>,
) -> Result<impl IntoResponse, Problem> {
    let email = Email::new(&credentials.email)
        .map_err(|error| Problem::invalid("/email", "emailInvalid", error.to_string()))?;
    let folded = email.folded();
    let wait = state.throttle.wait(&folded, address, now());
    if wait > 0 {
        return Err(Problem::wait(wait));
    }
    // Counted before it is looked at: many at once are many attempts.
    state.throttle.failed(&folded, address, now());
    let account = match check(&state, &email, &credentials).await {
        Ok(Checked::Right(account)) => account,
        Ok(Checked::CodeNeeded) => {
            // Who signs in by two steps has not failed with the first.
            state.throttle.forgiven(&folded, address);
            return Err(Problem::code_needed());
        }
        Err(problem) => {
            if problem.is_bad_credentials() {
                note_failure(&state, email, session::seen(&headers, address));
            }
            return Err(problem);
        }
    };
    state.throttle.succeeded(&folded, address);
    let seen = session::seen(&headers, address);
    let shown = account.second_factor.is_some();
    let begun = state
        .store
        .begin_session(&account, &seen, shown, now())
        .await?;
    let (_, text) = begun.ok_or_else(Problem::bad_credentials)?;
    let cookie = session::cookie(&text, state.secure_cookies);
    Ok((
        [(header::SET_COOKIE, cookie)],
        me(&state, account, None).await?,
    ))
}

/// Writes a failure into the history, apart from the answer: how long that takes must not tell
/// whether there is such an account.
fn note_failure(state: &AppState, email: Email, seen: Seen) {
    let store = state.store.clone();
    tokio::spawn(async move {
        if let Err(error) = store.record_failed_sign_in(&email, &seen, now()).await {
            tracing::warn!(%error, "a failed attempt to sign in is not in the history");
        }
    });
}

/// The account of these credentials. Whether it is the address, the password or the code that is
/// wrong is not told, but that a code is needed once the password is right.
async fn check(
    state: &AppState,
    email: &Email,
    credentials: &Credentials,
) -> Result<Checked, Problem> {
    let account = state.store.account_by_email(email).await?;
    let hash = account.as_ref().and_then(|it| it.password.as_deref());
    if credentials.password.len() > MAX_PASSWORD {
        return Err(Problem::bad_credentials());
    }
    let right = password::verify(&credentials.password, hash).await?;
    let Some(account) = account.filter(|_| right) else {
        return Err(Problem::bad_credentials());
    };
    let Some(sealed) = &account.second_factor else {
        return Ok(Checked::Right(account));
    };
    let Some(code) = &credentials.code else {
        return Ok(Checked::CodeNeeded);
    };
    match code_is_right(state, &account, sealed, code).await? {
        true => Ok(Checked::Right(account)),
        false => Err(Problem::bad_credentials()),
    }
}

/// What credentials are good for.
enum Checked {
    /// They are this account's.
    Right(Account),
    /// The password is; the code is to follow.
    CodeNeeded,
}

/// Whether a code is the second factor's now, or a recovery code; either is used up.
pub(super) async fn code_is_right(
    state: &AppState,
    account: &Account,
    sealed: &[u8],
    code: &str,
) -> Result<bool, Problem> {
    let seed = state.keyring()?.open(&purpose(account), sealed);
    let Some(seed) = seed else {
        tracing::error!(account = %account.id, "a second factor was sealed with another instance key");
        return Err(Problem::internal());
    };
    let factor = SecondFactor::new(&seed, &account.email);
    let step = factor.and_then(|factor| factor.step(code, now()));
    match step {
        Some(step) => Ok(state.store.use_step(&account.id, step).await?),
        None => Ok(state
            .store
            .use_recovery_code(&account.id, &normalized(code), now())
            .await?),
    }
}

/// What an account's seed is sealed for.
pub(super) fn purpose(account: &Account) -> String {
    format!("totp/{}", account.id)
}

/// Whose password is to be chosen anew.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForgottenPassword {
    /// The address of mail.
    pub email: String,
}

/// Ask for a link to choose a new password, by mail. The answer is the same, and as fast, whether or
/// not there is such an account. After some requests the next have to wait (429).
#[utoipa::path(post, path = "/api/v1/session/reset", tag = "people",
    request_body = ForgottenPassword, security(()),
    responses((status = 204, description = "A link is sent, if there is such an account"),
        (status = 400, body = Problem), (status = 429, body = Problem),
        (status = 501, body = Problem, description = "`mailMissing`: the server sends no mail")))]
pub async fn reset(
    State(state): State<AppState>,
    Peer(address): Peer,
    Body(forgotten): Body<ForgottenPassword>,
) -> Result<StatusCode, Problem> {
    let email = Email::new(&forgotten.email)
        .map_err(|error| Problem::invalid("/email", "emailInvalid", error.to_string()))?;
    if !state.mail.sends() {
        return Err(Problem::no_mail());
    }
    let wait = state.resets.wait(&email.folded(), address, now());
    if wait > 0 {
        return Err(Problem::wait(wait));
    }
    state.resets.failed(&email.folded(), address, now());
    // Whether there is such an account is looked for where the mail is sent.
    match state.mail.reset(email) {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Problem::unavailable()),
    }
}

/// Who is signed in.
#[utoipa::path(get, path = "/api/v1/session", tag = "people", security(("session" = [])),
    responses((status = 200, body = Me)))]
pub async fn get(State(state): State<AppState>, signed_in: SignedIn) -> Result<Json<Me>, Problem> {
    let organization = signed_in.session.organization.as_ref();
    me(&state, signed_in.account, organization).await
}

/// Sign out.
#[utoipa::path(delete, path = "/api/v1/session", tag = "people", security(("session" = [])),
    responses((status = 204, description = "Signed out")))]
pub async fn sign_out(
    State(state): State<AppState>,
    signed_in: SignedIn,
) -> Result<(StatusCode, [(header::HeaderName, HeaderValue); 1]), Problem> {
    let (account, session) = (&signed_in.account.id, &signed_in.session.id);
    state
        .store
        .end_session(account, session, Ending::SignOut, now())
        .await?;
    let cookie = session::no_cookie(state.secure_cookies);
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]))
}

/// Who it is, in all their organizations or in the one that their session is good in.
pub(super) async fn me(
    state: &AppState,
    account: Account,
    only: Option<&Id<Organization>>,
) -> Result<Json<Me>, Problem> {
    let mut organizations = state.store.organizations_of(&account.id).await?;
    organizations.retain(|it| only.is_none_or(|only| it.id == *only));
    let mut named = Vec::with_capacity(organizations.len());
    for organization in organizations {
        named.push(OrganizationName {
            changes: state.store.history_length(&organization.id).await?,
            key: organization.key.into(),
            name: organization.name,
        });
    }
    Ok(Json(Me {
        id: account.id.to_string(),
        email: account.email,
        name: account.name,
        password_must_change: account.password_temporary,
        second_factor: account.second_factor.is_some(),
        organizations: named,
    }))
}
