//! Who asks, and what they may do.
//!
//! A request is made by an access token (`Authorization: Bearer bgt_…`) or in the session of a
//! person who signed in (a cookie). Either way a handler takes a [`Caller`]: who it is in the
//! history, in which organization, with which [`Rights`]; it asks [`Caller::may`] before it does
//! anything. What concerns a person rather than an organization (their password, their sessions)
//! takes a [`SignedIn`].

pub mod bearer;
mod cross_site;
pub mod oidc;
pub mod password;
pub mod peer;
pub mod seal;
pub mod session;
pub mod throttle;
pub mod totp;
pub mod watcher;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::header;
use axum::http::request::Parts;
use burgee_domain::access::{Decision, Resource, Rights};
use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Organization, Project};
use burgee_eval::time::Millis;
use burgee_store::Actor;
use burgee_store::people::accounts::Account;
use ipnet::IpNet;

use crate::app::AppState;
use crate::problem::Problem;

pub use session::SignedIn;

/// Whoever asks, in one organization.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Inside which everything is looked up.
    pub organization: Id<Organization>,
    /// Who it is in the history.
    pub actor: Actor,
    /// The person: who signed in, or whose personal token it is.
    pub account: Option<Id<Account>>,
    /// The person whose rights bound whatever is made: they, or who made the service token. None
    /// for a token of the operator's.
    pub maker: Option<Id<Account>>,
    /// Whether it is the person in a session, not a program with a token.
    pub in_session: bool,
    /// What they may do.
    pub rights: Rights,
    /// When they can do it no longer: the token ends then.
    pub until: Option<Millis>,
    /// From where alone they can do it: the token's networks; from everywhere where there is none.
    pub networks: Vec<IpNet>,
}

impl Caller {
    /// Whether the action may be done to the resource.
    ///
    /// # Errors
    /// 403, which names both, and the statement that denies it.
    pub fn may(&self, action: &str, resource: &Resource) -> Result<(), Problem> {
        match self.rights.decide(action, resource) {
            Decision::Allowed(_) => Ok(()),
            denied => Err(Problem::not_allowed(action, resource, &denied)),
        }
    }

    /// Whether an environment of a project may be seen.
    pub fn sees(&self, project: &Project, environment: &Environment) -> bool {
        let resource = Resource::of(project, environment);
        self.rights.allow("environment.read", &resource)
    }
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        if parts.headers.contains_key(header::AUTHORIZATION) {
            return bearer::caller(parts, state).await;
        }
        let found = <SignedIn as OptionalFromRequestParts<_>>::from_request_parts(parts, state);
        match found.await? {
            Some(signed_in) => signed_in.caller(parts, state).await,
            None => Err(Problem::unauthorized(
                "sign in, or send Authorization: Bearer bgt_…",
            )),
        }
    }
}
