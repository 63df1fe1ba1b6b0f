//! What somebody who signed in may do with their own account, whatever their organizations say.

pub mod settings;

use std::net::IpAddr;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use burgee_domain::id::Id;
use burgee_domain::people::{MAX_PASSWORD, check_password};
use burgee_store::people::accounts::{Account, NewPassword};
use burgee_store::people::sessions::{Ending, Session};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api;
use crate::api::page::Page;
use crate::api::session::{self, Me};
use crate::app::{AppState, now};
use crate::auth::peer::Peer;
use crate::auth::session::cookie;
use crate::auth::totp::{self, SecondFactor};
use crate::auth::{SignedIn, password};
use crate::body::Body;
use crate::mail::Letter;
use crate::params::Path;
use crate::problem::Problem;

/// Changes of one's own account.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MeUpdate {
    /// The display name.
    pub name: String,
}

/// A change of the password.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PasswordChange {
    /// The password until now.
    pub current: String,
    /// The password from now on.
    pub new: String,
}

/// A session.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    /// Its id.
    pub id: String,
    /// Whether it is the one that asks.
    pub current: bool,
    /// When it began, ISO 8601.
    pub created_at: String,
    /// When it was last used, to about a minute, ISO 8601.
    pub used_at: String,
    /// From which address it was begun.
    pub address: String,
    /// By which browser.
    pub agent: String,
}

/// The password, for what is too dangerous for a session that somebody left open.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Confirmation {
    /// The password.
    pub password: String,
    /// A code of the second factor, or a recovery code.
    pub code: Option<String>,
}

/// A second factor to be set up.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewSecondFactor {
    /// The seed, to type into an authenticator app.
    pub seed: String,
    /// The same as an address, for a QR code.
    pub address: String,
}

/// A second factor that an app has.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecondFactorProof {
    /// The seed that was given.
    pub seed: String,
    /// What the app shows for it.
    pub code: String,
    /// The password.
    pub password: String,
    /// Where there is a second factor already: a code of that one, or a recovery code.
    pub current_code: Option<String>,
}

/// What signs in when the app is lost; each code once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryCodes {
    /// They are shown this once.
    pub codes: Vec<String>,
}

/// Change one's own name.
#[utoipa::path(patch, path = "/api/v1/me", tag = "people", request_body = MeUpdate,
    security(("session" = [])),
    responses((status = 200, body = Me), (status = 400, body = Problem)))]
pub async fn update(
    State(state): State<AppState>,
    signed_in: SignedIn,
    Body(change): Body<MeUpdate>,
) -> Result<Json<Me>, Problem> {
    signed_in.owns_account(&state).await?;
    let name = api::name("/name", &change.name)?;
    state
        .store
        .rename_account(&signed_in.account.id, &name, now())
        .await?;
    let account = state.store.account(&signed_in.account.id).await?;
    session::me(&state, account, signed_in.session.organization.as_ref()).await
}

/// Change one's own password. All other sessions end, and this one gets another cookie.
#[utoipa::path(post, path = "/api/v1/me/password", tag = "people", request_body = PasswordChange,
    security(("session" = [])),
    responses((status = 204, description = "Changed"), (status = 400, body = Problem),
        (status = 429, body = Problem)))]
pub async fn change_password(
    State(state): State<AppState>,
    Peer(address): Peer,
    signed_in: SignedIn,
    Body(change): Body<PasswordChange>,
) -> Result<(StatusCode, HeaderMap), Problem> {
    signed_in.owns_account(&state).await?;
    let account = &signed_in.account;
    let proof = Proof {
        password: ("/current", &change.current),
        code: None,
    };
    confirm(&state, address, account, proof).await?;
    new_password("/new", &change.new, &account.email)?;
    if change.new == change.current {
        let message = "the new password is the one until now";
        return Err(Problem::invalid("/new", "passwordSame", message));
    }
    let hash = password::hash(&change.new).await?;
    let password = NewPassword {
        hash: &hash,
        temporary: false,
    };
    let keep = Some(&signed_in.session.id);
    let text = state
        .store
        .set_password(&account.id, password, keep, None, now())
        .await?;
    let notice = Letter::password_changed(&account.email, &state.public_url);
    state.mail.send(notice);
    Ok((StatusCode::NO_CONTENT, renewed(&state, text)))
}

/// The cookie of a session whose text was changed; none where it ended meanwhile.
fn renewed(state: &AppState, text: Option<String>) -> HeaderMap {
    let cookie = text.map(|text| (header::SET_COOKIE, cookie(&text, state.secure_cookies)));
    cookie.into_iter().collect()
}

/// Checks a password that somebody chooses.
pub(super) fn new_password(pointer: &str, password: &str, email: &str) -> Result<(), Problem> {
    check_password(password, email).map_err(|it| Problem::invalid(pointer, it.code, it.message))
}

/// What somebody who is signed in shows once more, each with the field that it is in.
struct Proof<'a> {
    password: (&'static str, &'a str),
    /// Where a code is asked for of who has a second factor.
    code: Option<(&'static str, Option<&'a str>)>,
}

/// Checks what somebody shows who is signed in, as slowly as when signing in. Failures are forgotten
/// once all of it is right: who knows the password alone could otherwise guess codes for ever.
async fn confirm(
    state: &AppState,
    address: IpAddr,
    account: &Account,
    proof: Proof<'_>,
) -> Result<(), Problem> {
    let who = format!("confirm {}", account.id);
    let wait = state.throttle.wait(&who, address, now());
    if wait > 0 {
        return Err(Problem::wait(wait));
    }
    // Counted before it is looked at: many at once are many attempts.
    state.throttle.failed(&who, address, now());
    let (pointer, given) = proof.password;
    if given.len() > MAX_PASSWORD || !password::verify(given, account.password.as_deref()).await? {
        let message = "this is not the password";
        return Err(Problem::invalid(pointer, "passwordWrong", message));
    }
    match (proof.code, &account.second_factor) {
        (Some((pointer, code)), Some(sealed)) => {
            confirm_code(state, account, sealed, pointer, code).await?;
            state.throttle.succeeded(&who, address);
        }
        (None, Some(_)) => state.throttle.forgiven(&who, address),
        (_, None) => state.throttle.succeeded(&who, address),
    }
    Ok(())
}

/// Checks a code of the second factor that the account has by now: who takes it away has to have it.
async fn confirm_code(
    state: &AppState,
    account: &Account,
    sealed: &[u8],
    pointer: &str,
    code: Option<&str>,
) -> Result<(), Problem> {
    let right = match code {
        Some(code) => session::code_is_right(state, account, sealed, code).await?,
        None => false,
    };
    match right {
        true => Ok(()),
        false => {
            let message = "give a code of the second factor that there is, or a recovery code";
            Err(Problem::invalid(pointer, "codeWrong", message))
        }
    }
}

/// List one's own sessions, the last used first.
#[utoipa::path(get, path = "/api/v1/me/sessions", tag = "people", security(("session" = [])),
    responses((status = 200, body = Page<SessionView>)))]
pub async fn sessions(
    State(state): State<AppState>,
    signed_in: SignedIn,
) -> Result<Json<Page<SessionView>>, Problem> {
    signed_in.owns_account(&state).await?;
    let all = state.store.sessions(&signed_in.account.id, now()).await?;
    let view = |session: Session| SessionView {
        current: session.id == signed_in.session.id,
        id: session.id.to_string(),
        created_at: session.created_at.to_string(),
        used_at: session.used_at.to_string(),
        address: session.address,
        agent: session.agent,
    };
    Ok(Json(Page {
        items: all.into_iter().map(view).collect(),
        next: None,
    }))
}

/// End one of one's own sessions.
#[utoipa::path(delete, path = "/api/v1/me/sessions/{id}", tag = "people",
    params(("id", description = "The session's id")), security(("session" = [])),
    responses((status = 204, description = "Ended"), (status = 404, body = Problem)))]
pub async fn end_session(
    State(state): State<AppState>,
    signed_in: SignedIn,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    signed_in.owns_account(&state).await?;
    let missing = || Problem::not_found(format!("session `{id}` of yours"));
    let known = uuid::Uuid::parse_str(&id).map_err(|_| missing())?;
    let id = Id::new(known.to_string());
    let account = &signed_in.account.id;
    let ended = state
        .store
        .end_session(account, &id, Ending::FromElsewhere, now());
    ended.await.map_err(api::or_missing(missing))?;
    Ok(StatusCode::NO_CONTENT)
}

/// Begin to set up a second factor. Nothing changes until an app has shown a code for it.
#[utoipa::path(post, path = "/api/v1/me/second-factor/seed", tag = "people",
    security(("session" = [])),
    responses((status = 200, body = NewSecondFactor),
        (status = 501, body = Problem, description = "The server has no instance key")))]
pub async fn new_second_factor(
    State(state): State<AppState>,
    signed_in: SignedIn,
) -> Result<Json<NewSecondFactor>, Problem> {
    signed_in.owns_account(&state).await?;
    state.keyring()?;
    let factor = SecondFactor::new(&totp::new_seed(), &signed_in.account.email);
    let factor = factor.ok_or_else(Problem::internal)?;
    Ok(Json(NewSecondFactor {
        seed: factor.typed().to_owned(),
        address: factor.address(),
    }))
}

/// Set up a second factor, in place of one before. Its recovery codes are shown this once. All
/// other sessions end, and this one gets another cookie.
#[utoipa::path(put, path = "/api/v1/me/second-factor", tag = "people",
    request_body = SecondFactorProof, security(("session" = [])),
    responses((status = 200, body = RecoveryCodes), (status = 400, body = Problem),
        (status = 429, body = Problem)))]
pub async fn set_second_factor(
    State(state): State<AppState>,
    Peer(address): Peer,
    signed_in: SignedIn,
    Body(proof): Body<SecondFactorProof>,
) -> Result<(HeaderMap, Json<RecoveryCodes>), Problem> {
    signed_in.owns_account(&state).await?;
    let account = &signed_in.account;
    signed_in.settled()?;
    let shown = Proof {
        password: ("/password", &proof.password),
        code: Some(("/currentCode", proof.current_code.as_deref())),
    };
    confirm(&state, address, account, shown).await?;
    let Some((factor, seed)) = SecondFactor::of_typed(&proof.seed, &account.email) else {
        let message = "this is no seed that was given";
        return Err(Problem::invalid("/seed", "seedInvalid", message));
    };
    let Some(step) = factor.step(&proof.code, now()) else {
        let message = "this is not the code that an app shows for this seed now";
        return Err(Problem::invalid("/code", "codeWrong", message));
    };
    let sealed = state.keyring()?.seal(&session::purpose(account), &seed);
    let sealed = sealed.map_err(|error| {
        tracing::error!(%error, "a second factor cannot be sealed");
        Problem::internal()
    })?;
    let codes = totp::recovery_codes();
    let session = &signed_in.session.id;
    let text = state
        .store
        .set_second_factor(&account.id, session, &sealed, step, &codes, now())
        .await?;
    let notice = Letter::second_factor_set(&account.email, &state.public_url);
    state.mail.send(notice);
    Ok((renewed(&state, text), Json(RecoveryCodes { codes })))
}

/// Take one's own second factor away.
#[utoipa::path(delete, path = "/api/v1/me/second-factor", tag = "people",
    request_body = Confirmation, security(("session" = [])),
    responses((status = 204, description = "Taken away"), (status = 400, body = Problem),
        (status = 429, body = Problem)))]
pub async fn remove_second_factor(
    State(state): State<AppState>,
    Peer(address): Peer,
    signed_in: SignedIn,
    Body(confirmation): Body<Confirmation>,
) -> Result<StatusCode, Problem> {
    signed_in.owns_account(&state).await?;
    let account = &signed_in.account;
    let proof = Proof {
        password: ("/password", &confirmation.password),
        code: Some(("/code", confirmation.code.as_deref())),
    };
    confirm(&state, address, account, proof).await?;
    state
        .store
        .remove_second_factor(&account.id, None, now())
        .await?;
    let notice = Letter::second_factor_removed(&account.email, &state.public_url);
    state.mail.send(notice);
    Ok(StatusCode::NO_CONTENT)
}
