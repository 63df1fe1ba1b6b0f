//! How an organization's members sign in.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_domain::access::Resource;
use burgee_domain::people::sign_on::{ClaimNames, GroupMapping, SignOnRules};
use burgee_store::people::sign_on::SignOn;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::{self, oidc};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::problem::Problem;

/// The longest client id and secret, in bytes.
const LONGEST: usize = 1_000;

/// Which claims say what.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Claims {
    /// The address of mail; `email` where none is given.
    pub email: String,
    /// Whether the provider made sure of the address (true, 1, or these as texts);
    /// `email_verified` where none is given. Entra ID has `xms_edov`.
    pub email_verified: String,
    /// The display name; `name` where none is given.
    pub name: String,
    /// The groups: a list of texts, or one text. Without one, the provider says nothing of groups.
    pub groups: Option<String>,
}

impl Default for Claims {
    fn default() -> Self {
        Self {
            email: "email".to_owned(),
            email_verified: "email_verified".to_owned(),
            name: "name".to_owned(),
            groups: None,
        }
    }
}

/// A group that comes with a value of the groups claim.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MappedGroup {
    /// What the claim says.
    pub value: String,
    /// The key of the group that it gives.
    pub group: String,
}

/// What who joins by themselves has.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Newcomers {
    /// Keys of policies.
    pub policies: Vec<String>,
    /// Keys of groups.
    pub groups: Vec<String>,
}

/// Whether members sign in by password too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Passwords {
    /// They may.
    #[default]
    Allowed,
    /// Owners alone may: so somebody can get in when the provider fails.
    Off,
}

/// How members sign in by a provider.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewSignIn {
    /// The provider's address, exactly as its description and its tokens say it.
    pub issuer: String,
    /// What the provider knows this server by.
    pub client_id: String,
    /// What proves it. Where none is given, the one before stays if issuer and client are the same;
    /// else the client is public.
    pub client_secret: Option<String>,
    /// What is asked for besides `openid`; `email` and `profile` where none are given.
    pub scopes: Option<Vec<String>>,
    /// Which claims say what.
    #[serde(default)]
    pub claims: Claims,
    /// Which groups come with which values of the groups claim. Those named here follow the
    /// provider at each sign-in; all others are given here alone.
    #[serde(default)]
    pub groups: Vec<MappedGroup>,
    /// Domains whose addresses may join by themselves.
    #[serde(default)]
    pub domains: Vec<String>,
    /// What who joins by themselves has.
    #[serde(default)]
    pub newcomers: Newcomers,
    /// Whether members sign in by password too.
    #[serde(default)]
    pub passwords: Passwords,
}

/// How members sign in by a provider, as it is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignInView {
    /// The provider's address.
    pub issuer: String,
    /// What the provider knows this server by.
    pub client_id: String,
    /// Whether there is a secret; it is never shown.
    pub has_client_secret: bool,
    /// What is asked for besides `openid`.
    pub scopes: Vec<String>,
    /// Which claims say what.
    pub claims: Claims,
    /// Which groups come with which values of the groups claim.
    pub groups: Vec<MappedGroup>,
    /// Domains whose addresses may join by themselves.
    pub domains: Vec<String>,
    /// What who joins by themselves has.
    pub newcomers: Newcomers,
    /// Whether members sign in by password too.
    pub passwords: Passwords,
    /// Where the provider has to let browsers come back to.
    pub redirect_uri: String,
}

impl SignInView {
    fn new(state: &AppState, sign_on: SignOn) -> Self {
        let rules = sign_on.rules;
        let mapped = |it: GroupMapping| MappedGroup {
            value: it.value,
            group: it.group,
        };
        Self {
            issuer: sign_on.issuer,
            client_id: sign_on.client_id,
            has_client_secret: sign_on.client_secret.is_some(),
            scopes: rules.scopes,
            claims: Claims {
                email: rules.claims.email,
                email_verified: rules.claims.email_verified,
                name: rules.claims.name,
                groups: rules.claims.groups,
            },
            groups: rules.groups.into_iter().map(mapped).collect(),
            domains: rules.domains,
            newcomers: Newcomers {
                policies: rules.newcomer_policies,
                groups: rules.newcomer_groups,
            },
            passwords: match sign_on.passwords_off {
                true => Passwords::Off,
                false => Passwords::Allowed,
            },
            redirect_uri: oidc::redirect(state),
        }
    }
}

/// How members sign in by a provider.
#[utoipa::path(get, path = "/api/v1/organization/sign-in", tag = "people",
    responses((status = 200, body = SignInView), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
) -> Result<Json<SignInView>, Problem> {
    caller.may("organization.read", &Resource::organization())?;
    let sign_on = state.store.sign_on(&caller.organization).await?;
    let sign_on = sign_on.ok_or_else(|| Problem::not_found("sign-in by a provider"))?;
    Ok(Json(SignInView::new(&state, sign_on)))
}

/// Set how members sign in by a provider. It takes `organization.own` too: whoever chooses the
/// provider decides who is an owner.
#[utoipa::path(put, path = "/api/v1/organization/sign-in", tag = "people",
    request_body = NewSignIn,
    responses((status = 200, body = SignInView), (status = 400, body = Problem),
        (status = 501, body = Problem, description = "The server has no instance key")))]
pub async fn set(
    State(state): State<AppState>,
    caller: Caller,
    Body(new): Body<NewSignIn>,
) -> Result<Json<SignInView>, Problem> {
    let issuer = state.providers.fetcher().address(&new.issuer);
    let issuer =
        issuer.map_err(|error| Problem::invalid("/issuer", "issuerInvalid", error.to_string()))?;
    if issuer.query().is_some() {
        let message = "an issuer has no query";
        return Err(Problem::invalid("/issuer", "issuerInvalid", message));
    }
    text("/clientId", &new.client_id)?;
    let secret = secret(&state, &caller, &new).await?;
    let sign_on = SignOn {
        client_secret: secret,
        passwords_off: new.passwords == Passwords::Off,
        issuer: new.issuer.clone(),
        client_id: new.client_id.clone(),
        rules: rules(new)?,
    };
    let (organization, actor) = (&caller.organization, &caller.actor);
    let set = state
        .store
        .set_sign_on(organization, &sign_on, actor, now());
    set.await?;
    Ok(Json(SignInView::new(&state, sign_on)))
}

/// End single sign-on. The sessions that the provider opened end.
#[utoipa::path(delete, path = "/api/v1/organization/sign-in", tag = "people",
    responses((status = 204, description = "Ended"), (status = 404, body = Problem)))]
pub async fn remove(State(state): State<AppState>, caller: Caller) -> Result<StatusCode, Problem> {
    let (organization, actor) = (&caller.organization, &caller.actor);
    state
        .store
        .remove_sign_on(organization, actor, now())
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The client's secret, sealed.
async fn secret(
    state: &AppState,
    caller: &Caller,
    new: &NewSignIn,
) -> Result<Option<Vec<u8>>, Problem> {
    // Also where there is no secret: what a browser keeps is sealed with it.
    let keyring = state.keyring()?;
    let Some(secret) = &new.client_secret else {
        let before = state.store.sign_on(&caller.organization).await?;
        // Another provider is not told the secret of the one before.
        let same = |it: &SignOn| it.issuer == new.issuer && it.client_id == new.client_id;
        return Ok(before.filter(same).and_then(|it| it.client_secret));
    };
    text("/clientSecret", secret)?;
    let sealed = keyring.seal(&oidc::purpose(&caller.organization), secret.as_bytes());
    let sealed = sealed.map_err(|error| {
        tracing::error!(%error, "a client's secret cannot be sealed");
        Problem::internal()
    })?;
    Ok(Some(sealed))
}

fn rules(new: NewSignIn) -> Result<SignOnRules, Problem> {
    api::few("/newcomers/policies", new.newcomers.policies.len())?;
    api::few("/newcomers/groups", new.newcomers.groups.len())?;
    let folded = |keys: Vec<String>| keys.iter().map(|it| it.to_ascii_lowercase()).collect();
    let mapping = |it: MappedGroup| GroupMapping {
        value: it.value,
        group: it.group.to_ascii_lowercase(),
    };
    let default = || vec!["email".to_owned(), "profile".to_owned()];
    let rules = SignOnRules {
        scopes: new.scopes.unwrap_or_else(default),
        claims: ClaimNames {
            email: new.claims.email,
            email_verified: new.claims.email_verified,
            name: new.claims.name,
            groups: new.claims.groups,
        },
        groups: new.groups.into_iter().map(mapping).collect(),
        domains: new
            .domains
            .iter()
            .map(|it| it.trim().to_lowercase())
            .collect(),
        newcomer_policies: folded(new.newcomers.policies),
        newcomer_groups: folded(new.newcomers.groups),
    };
    let checked = rules.check();
    checked.map_err(|it| Problem::invalid(it.pointer, it.code, it.message))?;
    Ok(rules)
}

fn text(pointer: &str, text: &str) -> Result<(), Problem> {
    match !text.is_empty() && text.len() <= LONGEST && !text.contains(char::is_control) {
        true => Ok(()),
        false => {
            let message = format!("give 1 to {LONGEST} bytes without control characters");
            Err(Problem::invalid(pointer, "textInvalid", message))
        }
    }
}
