//! Sessions of people who signed in, by a cookie.

use std::net::IpAddr;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use burgee_domain::access::{OWN, Resource};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_store::Actor;
use burgee_store::people::accounts::Account;
use burgee_store::people::membership::{InOrganization, Membership};
use burgee_store::people::sessions::{LONGEST, Seen, Session};

use super::{Caller, cross_site};
use crate::app::{AppState, now};
use crate::problem::Problem;

/// The header in which a session names the organization that a request is about.
pub const ORGANIZATION: &str = "burgee-organization";

/// A person in their session. They may have to change a password first: only what that takes uses
/// this; everything else goes by [`Caller`].
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// Who it is.
    pub account: Account,
    /// In which session.
    pub session: Session,
}

impl SignedIn {
    /// The person in the organization that the request names, or in their only one.
    pub(super) async fn caller(self, parts: &Parts, state: &AppState) -> Result<Caller, Problem> {
        self.settled()?;
        let named = parts.headers.get(ORGANIZATION);
        let named = named.map(|value| value.to_str().unwrap_or_default());
        let account = &self.account.id;
        let found = match (&self.session.organization, named) {
            // Where no organization is named, it is the one whose provider opened the session.
            (Some(own), None) => state.store.membership_in(account, own).await?,
            (_, named) => state.store.membership(account, named).await?,
        };
        let member = match (found, named) {
            (Membership::Of(member), _) => member,
            (Membership::None, named) => return Err(not_a_member(named.unwrap_or_default())),
            (Membership::Unnamed, _) => {
                return Err(Problem::invalid(
                    "Burgee-Organization",
                    "organizationMissing",
                    "name the organization in the header Burgee-Organization",
                ));
            }
        };
        self.is_good_in(&member, named)?;
        Ok(Caller {
            organization: member.organization,
            actor: self.actor(),
            maker: Some(self.account.id.clone()),
            in_session: true,
            account: Some(self.account.id),
            rights: member.rights,
            until: None,
            networks: Vec::new(),
        })
    }

    /// Refuses a session that an organization does not take: of another's provider; without a second
    /// factor where it asks for one, which is its own provider's business where that opened the
    /// session; of a password where those are off, but for owners, who can then mend what is wrong
    /// with the provider.
    pub(super) fn is_good_in(
        &self,
        member: &InOrganization,
        named: Option<&str>,
    ) -> Result<(), Problem> {
        match &self.session.organization {
            Some(own) if *own == member.organization => return Ok(()),
            Some(_) => return Err(not_a_member(named.unwrap_or_default())),
            None => {}
        }
        let owns = || member.rights.allow(OWN, &Resource::organization());
        if member.passwords_off && !owns() {
            return Err(Problem::single_sign_on_needed());
        }
        match member.second_factor_required && !self.session.second_factor {
            true => Err(Problem::second_factor_needed()),
            false => Ok(()),
        }
    }

    /// Refuses a session that an organization's provider opened, where the account is a member of
    /// others too: what that provider says must open none of theirs.
    ///
    /// # Errors
    /// 403.
    pub async fn owns_account(&self, state: &AppState) -> Result<(), Problem> {
        let Some(organization) = &self.session.organization else {
            return Ok(());
        };
        let all = state.store.organizations_of(&self.account.id).await?;
        match all.iter().all(|it| it.id == *organization) {
            true => Ok(()),
            false => Err(Problem::forbidden(
                "this session is good in one organization; sign in with your password to change \
                 your account",
            )),
        }
    }

    /// Refuses whoever has a password that somebody else knows: they change it first.
    ///
    /// # Errors
    /// 403.
    pub fn settled(&self) -> Result<(), Problem> {
        match self.account.password_temporary {
            true => Err(Problem::password_must_change()),
            false => Ok(()),
        }
    }

    /// Who it is in the history.
    pub fn actor(&self) -> Actor {
        Actor::member(&self.account)
    }
}

fn not_a_member(key: &str) -> Problem {
    Problem::not_found(format!("organization `{key}` that you are a member of"))
}

impl FromRequestParts<AppState> for SignedIn {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let found = <Self as OptionalFromRequestParts<_>>::from_request_parts(parts, state);
        found.await?.ok_or_else(|| Problem::unauthorized("sign in"))
    }
}

impl OptionalFromRequestParts<AppState> for SignedIn {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &AppState,
    ) -> Result<Option<Self>, Problem> {
        let Some(text) = text_of(&parts.headers, COOKIE, state.secure_cookies) else {
            return Ok(None);
        };
        cross_site::refuse(parts)?;
        let Some(alive) = state.store.find_session(text, now()).await? else {
            return Ok(None);
        };
        if let (Some(text), Some(renewed)) = (alive.new_text, parts.extensions.get::<Renewed>()) {
            renewed.set(cookie(&text, state.secure_cookies));
        }
        Ok(Some(Self {
            account: alive.account,
            session: alive.session,
        }))
    }
}

/// A person in an organization of theirs, for what is their own there: not for programs.
#[derive(Debug, Clone)]
pub struct Person {
    /// Where.
    pub organization: Id<Organization>,
    /// Who.
    pub account: Id<Account>,
}

impl FromRequestParts<AppState> for Person {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let signed_in = <SignedIn as FromRequestParts<_>>::from_request_parts(parts, state).await?;
        let account = signed_in.account.id.clone();
        let caller = signed_in.caller(parts, state).await?;
        Ok(Self {
            organization: caller.organization,
            account,
        })
    }
}

/// Where an extractor leaves a session's new cookie for the response.
#[derive(Clone, Debug, Default)]
pub struct Renewed(std::sync::Arc<std::sync::Mutex<Option<HeaderValue>>>);

impl Renewed {
    fn set(&self, cookie: HeaderValue) {
        *self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(cookie);
    }

    /// The cookie, if there is one.
    pub fn take(&self) -> Option<HeaderValue> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .take()
    }
}

/// Sends a session's new cookie with whatever the answer is.
pub async fn renew(
    mut request: axum::extract::Request,
    next: axum::middleware::Next,
) -> axum::response::Response {
    let renewed = Renewed::default();
    request.extensions_mut().insert(renewed.clone());
    let mut response = next.run(request).await;
    if let Some(cookie) = renewed.take()
        && !response.headers().contains_key(header::SET_COOKIE)
    {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// From where and by what a request is sent.
pub fn seen(headers: &HeaderMap, address: IpAddr) -> Seen {
    let agent = headers.get(header::USER_AGENT);
    let agent = agent.and_then(|value| value.to_str().ok()).unwrap_or("");
    Seen {
        address: address.to_string(),
        agent: agent.to_owned(),
    }
}

/// The cookie of sessions.
pub const COOKIE: &str = "burgee";

/// The cookie of a session. `secure`: people reach the server by HTTPS.
pub fn cookie(text: &str, secure: bool) -> HeaderValue {
    cookie_of(COOKIE, text, LONGEST / 1_000, secure)
}

/// What makes a browser forget the cookie.
pub fn no_cookie(secure: bool) -> HeaderValue {
    cookie_of(COOKIE, "", 0, secure)
}

/// A cookie for so many seconds.
pub fn cookie_of(name: &str, text: &str, seconds: i64, secure: bool) -> HeaderValue {
    let also = if secure { "; Secure" } else { "" };
    let name = prefixed(name, secure);
    let line = format!("{name}={text}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{also}");
    HeaderValue::try_from(line).unwrap_or(HeaderValue::from_static(""))
}

/// The text of a request's cookie.
pub fn text_of<'h>(headers: &'h HeaderMap, name: &str, secure: bool) -> Option<&'h str> {
    let name = prefixed(name, secure);
    let cookies = headers.get_all(header::COOKIE).iter();
    let pairs = cookies
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    let mut ours = pairs.filter(|(it, _)| *it == name);
    ours.next().map(|(_, text)| text)
}

/// A cookie's name. With the prefix browsers take it only by HTTPS and for no other host.
fn prefixed(name: &str, secure: bool) -> String {
    let prefix = if secure { "__Host-" } else { "" };
    format!("{prefix}{name}")
}
