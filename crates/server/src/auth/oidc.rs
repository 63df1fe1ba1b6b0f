//! Single sign-on by OpenID Connect: authorization code with PKCE, state and nonce.
//!
//! [`Begun`] is what a browser is sent to the provider with, and what it keeps meanwhile: sealed
//! with the instance key in a cookie, so that any node can go on, nothing fills up here, and the
//! answer counts in this browser alone. [`Providers`] knows what providers publish; [`id_token`]
//! decides whether what one says is its own word, to us, now.

pub mod begun;
pub mod exchange;
pub mod id_token;
pub mod keys;
pub mod provider;

pub use begun::{Begun, return_address};
pub use provider::{Provider, Providers};

use crate::fetch::FetchError;
use id_token::TokenError;

/// Why a sign-in by a provider went nowhere.
#[derive(Debug, thiserror::Error)]
pub enum OidcError {
    /// The provider cannot be asked.
    #[error("{what}: {source}")]
    Unreachable {
        /// What was asked for.
        what: &'static str,
        /// Why there is no answer.
        source: FetchError,
    },
    /// The provider answered what it must not.
    #[error("{what}: {why}")]
    Wrong {
        /// What was asked for.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// The provider takes the code, or the client, for wrong.
    #[error("the provider refuses the code: {0}")]
    Refused(String),
    /// The id token is not good.
    #[error("the id token is not good: {0}")]
    Token(#[from] TokenError),
}

impl OidcError {
    fn wrong(what: &'static str, why: impl ToString) -> Self {
        let why = why.to_string();
        Self::Wrong { what, why }
    }
}
