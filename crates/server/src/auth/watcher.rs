//! Who listens for a long time: whoever asks, and how to look later whether they still may.

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::header;
use axum::http::request::Parts;
use burgee_domain::access::Rights;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use burgee_store::people::membership::Membership;
use burgee_store::{Store, StoreError, Token};

use super::{Caller, SignedIn, bearer};
use crate::app::AppState;
use crate::problem::Problem;

/// Whoever asks, and by what.
#[derive(Debug, Clone)]
pub struct Watcher {
    /// Who it is now.
    pub caller: Caller,
    /// What they are until it ends.
    pub standing: Standing,
}

/// By what somebody is here. To look at it is no use of it: a stream that is left open keeps no
/// session alive.
#[derive(Debug, Clone)]
pub enum Standing {
    /// A person in a session, in an organization.
    Session(Box<SignedIn>, Id<Organization>),
    /// An access token.
    Token(Id<Token>, Id<Organization>),
}

impl Standing {
    /// What streams are counted by.
    pub fn name(&self) -> &str {
        match self {
            Self::Session(signed_in, _) => signed_in.session.id.as_str(),
            Self::Token(id, _) => id.as_str(),
        }
    }

    /// In which organization.
    pub fn organization(&self) -> &Id<Organization> {
        match self {
            Self::Session(_, organization) | Self::Token(_, organization) => organization,
        }
    }

    /// What they may do at `now`. None: the session or token has ended, or they are no member any
    /// more.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn rights(&self, store: &Store, now: Millis) -> Result<Option<Rights>, StoreError> {
        match self {
            Self::Session(signed_in, organization) => {
                let SignedIn { account, session } = &**signed_in;
                if !store.session_stands(&session.id, now).await? {
                    return Ok(None);
                }
                match store.membership_in(&account.id, organization).await? {
                    // What the organization asks of a session may have changed.
                    Membership::Of(member) => {
                        let good = signed_in.is_good_in(&member, None).is_ok();
                        Ok(good.then_some(member.rights))
                    }
                    _ => Ok(None),
                }
            }
            Self::Token(id, organization) => {
                let token = store.token(organization, id).await?;
                let expired = token.expires_at.is_some_and(|at| at.0 <= now.0);
                match token.revoked_at.is_some() || expired {
                    true => Ok(None),
                    false => store.token_rights(&token).await,
                }
            }
        }
    }
}

impl FromRequestParts<AppState> for Watcher {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        if parts.headers.contains_key(header::AUTHORIZATION) {
            let caller = bearer::caller(parts, state).await?;
            let id = Id::new(caller.actor.id.as_str());
            let standing = Standing::Token(id, caller.organization.clone());
            return Ok(Self { caller, standing });
        }
        let found = <SignedIn as OptionalFromRequestParts<_>>::from_request_parts(parts, state);
        let Some(signed_in) = found.await? else {
            return Err(Problem::unauthorized(
                "sign in, or send Authorization: Bearer bgt_…",
            ));
        };
        let caller = signed_in.clone().caller(parts, state).await?;
        let organization = caller.organization.clone();
        let standing = Standing::Session(Box::new(signed_in), organization);
        Ok(Self { caller, standing })
    }
}
