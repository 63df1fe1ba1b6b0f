//! What providers publish about themselves: their description (OpenID Connect Discovery) and their
//! keys.
//!
//! Both are kept for an hour. A key that is not known is looked for once more at the provider, a
//! minute after the last time at the soonest: keys are rotated, and unknown ones are also what
//! somebody makes up. A provider that does not answer is not asked again for some seconds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use burgee_eval::time::Millis;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::RwLock;
use url::Url;

use super::OidcError;
use super::id_token::{self, Expected, IdToken, TokenError};
use super::keys::Keys;
use crate::app::now;
use crate::fetch::{Fetched, Fetcher};

/// How long what is published is kept, in ms.
const KEPT: i64 = 60 * 60 * 1_000;

/// How often unknown keys are looked for, in ms.
const LOOKED_FOR: i64 = 60 * 1_000;

/// How long a failure is kept, in ms: whoever tries again and again does not make us ask each time.
const FAILED: i64 = 5_000;

/// How many providers are kept: more than organizations that sign in within an hour.
const MOST: usize = 1_000;

/// A provider's description, as far as it is used.
#[derive(Clone, Debug, Deserialize)]
struct Description {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: Option<String>,
    jwks_uri: String,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    code_challenge_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

/// A provider.
#[derive(Debug)]
pub struct Provider {
    /// Its name, exactly as it is configured and as its tokens say.
    pub issuer: String,
    /// Where browsers are sent.
    pub authorization: Url,
    /// Where codes are exchanged.
    pub token: Url,
    /// Where it says more about a person.
    pub userinfo: Option<Url>,
    /// Whether the client's secret goes into a header (else into the form).
    pub secret_in_header: bool,
    /// Whether it says its name in the answer to a browser (RFC 9207), which must then be there.
    pub names_itself: bool,
    jwks: Url,
    keys: RwLock<Published>,
    read_at: Millis,
}

#[derive(Debug)]
struct Published {
    keys: Keys,
    looked_again_at: Option<Millis>,
}

/// What is known of one issuer.
#[derive(Clone, Default)]
struct Known {
    provider: Option<Arc<Provider>>,
    failed_at: Option<Millis>,
}

/// One at a time asks about one issuer.
type Slot = Arc<tokio::sync::Mutex<Known>>;

/// The providers that were asked of late.
pub struct Providers {
    fetcher: Fetcher,
    slots: Mutex<HashMap<String, Slot>>,
}

impl std::fmt::Debug for Providers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Providers").finish_non_exhaustive()
    }
}

impl Providers {
    /// None yet.
    pub fn new(fetcher: Fetcher) -> Self {
        Self {
            fetcher,
            slots: Mutex::default(),
        }
    }

    /// What asks them.
    pub fn fetcher(&self) -> &Fetcher {
        &self.fetcher
    }

    /// The provider of this name.
    ///
    /// # Errors
    /// It cannot be asked, or does not describe itself as it must.
    pub async fn get(&self, issuer: &str) -> Result<Arc<Provider>, OidcError> {
        let slot = self.slot(issuer);
        let mut known = slot.lock().await;
        let fresh = |it: &&Arc<Provider>| now().0 - it.read_at.0 < KEPT;
        if let Some(provider) = known.provider.as_ref().filter(fresh) {
            return Ok(Arc::clone(provider));
        }
        if known.failed_at.is_some_and(|at| now().0 - at.0 < FAILED) {
            return Err(OidcError::wrong(
                "the provider",
                "it did not answer just now",
            ));
        }
        match Provider::read(&self.fetcher, issuer).await {
            Ok(provider) => {
                let provider = Arc::new(provider);
                known.provider = Some(Arc::clone(&provider));
                known.failed_at = None;
                Ok(provider)
            }
            Err(error) => {
                known.failed_at = Some(now());
                Err(error)
            }
        }
    }

    fn slot(&self, issuer: &str) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= MOST && !slots.contains_key(issuer) {
            slots.clear();
        }
        Arc::clone(slots.entry(issuer.to_owned()).or_default())
    }
}

impl Provider {
    async fn read(fetcher: &Fetcher, issuer: &str) -> Result<Self, OidcError> {
        const WHAT: &str = "the provider's description";
        let place = format!(
            "{}/.well-known/openid-configuration",
            issuer.trim_end_matches('/')
        );
        let found: Description = document(fetcher, WHAT, &place).await?;
        // §4.3: else one provider could speak for another.
        if found.issuer != issuer {
            let why = format!("it calls itself `{}`", found.issuer);
            return Err(OidcError::wrong(WHAT, why));
        }
        let address = |text: &str| {
            let checked = fetcher.address(text);
            checked.map_err(|error| OidcError::wrong(WHAT, error))
        };
        let methods = found.code_challenge_methods_supported.unwrap_or_default();
        if !methods.is_empty() && !methods.iter().any(|it| it == "S256") {
            return Err(OidcError::wrong(WHAT, "it takes no S256 challenges (PKCE)"));
        }
        let jwks = address(&found.jwks_uri)?;
        let keys = keys(fetcher, &jwks).await?;
        let in_header = "client_secret_basic";
        let ways = found.token_endpoint_auth_methods_supported;
        Ok(Self {
            issuer: issuer.to_owned(),
            authorization: address(&found.authorization_endpoint)?,
            token: address(&found.token_endpoint)?,
            userinfo: found
                .userinfo_endpoint
                .as_deref()
                .map(address)
                .transpose()?,
            secret_in_header: ways.is_none_or(|ways| ways.iter().any(|it| it == in_header)),
            names_itself: found.authorization_response_iss_parameter_supported,
            jwks,
            keys: RwLock::new(Published {
                keys,
                looked_again_at: None,
            }),
            read_at: now(),
        })
    }

    /// Believes an id token, or says why not.
    ///
    /// # Errors
    /// It is not good, or its key cannot be looked for.
    pub async fn verify(
        &self,
        fetcher: &Fetcher,
        token: &str,
        expected: Expected<'_>,
    ) -> Result<IdToken, OidcError> {
        let read = id_token::read(token)?;
        let first = read.verified(&self.keys.read().await.keys, expected, now());
        match first {
            Err(TokenError::UnknownKey) => {}
            done => return Ok(done?),
        }
        let mut published = self.keys.write().await;
        let may_look = |at: Millis| now().0 - at.0 >= LOOKED_FOR;
        if published.looked_again_at.is_none_or(may_look) {
            published.looked_again_at = Some(now());
            published.keys = keys(fetcher, &self.jwks).await?;
        }
        Ok(read.verified(&published.keys, expected, now())?)
    }
}

async fn keys(fetcher: &Fetcher, place: &Url) -> Result<Keys, OidcError> {
    const WHAT: &str = "the provider's keys";
    let answer = ok(WHAT, fetcher.get(place, None).await)?;
    Keys::parse(&answer.body).map_err(|error| OidcError::wrong(WHAT, error))
}

async fn document<T: DeserializeOwned>(
    fetcher: &Fetcher,
    what: &'static str,
    place: &str,
) -> Result<T, OidcError> {
    let place = fetcher.address(place);
    let place = place.map_err(|error| OidcError::wrong(what, error))?;
    let answer = ok(what, fetcher.get(&place, None).await)?;
    serde_json::from_slice(&answer.body).map_err(|error| OidcError::wrong(what, error))
}

/// An answer with status 200.
pub(super) fn ok(
    what: &'static str,
    answer: Result<Fetched, crate::fetch::FetchError>,
) -> Result<Fetched, OidcError> {
    let answer = answer.map_err(|source| OidcError::Unreachable { what, source })?;
    match answer.status.as_u16() {
        200 => Ok(answer),
        other => Err(OidcError::wrong(what, format!("the answer was {other}"))),
    }
}
