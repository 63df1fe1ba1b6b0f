//! From a code to what the provider says of a person.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value};
use url::form_urlencoded;

use super::id_token::{Expected, IdToken};
use super::provider::ok;
use super::{Begun, OidcError, Provider};
use crate::fetch::Fetcher;

/// Who asks: what the provider knows us by.
pub struct Client<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its secret; none for a public one.
    pub secret: Option<&'a str>,
    /// Where the browser came back to.
    pub redirect: &'a str,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
    access_token: Option<String>,
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
}

/// Exchanges the code of a sign-in for what the provider says: the token's claims, and where one
/// that is wanted is not among them, those that it gives only when asked (§5.3).
///
/// # Errors
/// The provider refuses it, cannot be asked, or says what is not good.
pub async fn identity(
    fetcher: &Fetcher,
    provider: &Provider,
    client: &Client<'_>,
    begun: &Begun,
    code: &str,
    wanted: &[&str],
) -> Result<IdToken, OidcError> {
    let tokens = exchange(fetcher, provider, client, begun, code).await?;
    let expected = Expected {
        issuer: &provider.issuer,
        client: client.id,
        nonce: &begun.nonce,
    };
    let mut token = provider.verify(fetcher, &tokens.id_token, expected).await?;
    let has_all = wanted.iter().all(|name| token.claims.contains_key(*name));
    if !has_all && let (Some(place), Some(access)) = (&provider.userinfo, &tokens.access_token) {
        const WHAT: &str = "the provider's userinfo";
        let answer = ok(WHAT, fetcher.get(place, Some(access)).await)?;
        // What is signed or sealed is not asked for, and not read.
        let more = serde_json::from_slice::<Map<String, Value>>(&answer.body);
        let more = more.map_err(|error| OidcError::wrong(WHAT, error))?;
        if more.get("sub").and_then(Value::as_str) != Some(token.subject.as_str()) {
            return Err(OidcError::wrong(WHAT, "it is about somebody else"));
        }
        for (name, value) in more {
            token.claims.entry(name).or_insert(value);
        }
    }
    Ok(token)
}

async fn exchange(
    fetcher: &Fetcher,
    provider: &Provider,
    client: &Client<'_>,
    begun: &Begun,
    code: &str,
) -> Result<Tokens, OidcError> {
    const WHAT: &str = "the provider's token";
    let (header, form) = form(provider, client, begun, code);
    let sent = fetcher.post_form(&provider.token, header.as_deref(), form);
    let answer = sent.await;
    let answer = answer.map_err(|source| OidcError::Unreachable { what: WHAT, source })?;
    if (400..500).contains(&answer.status.as_u16()) {
        let refusal = serde_json::from_slice::<Refusal>(&answer.body);
        let why = refusal.map_or(answer.status.to_string(), |it| it.error);
        return Err(OidcError::Refused(why.chars().take(100).collect()));
    }
    let answer = ok(WHAT, Ok(answer))?;
    serde_json::from_slice(&answer.body).map_err(|_| OidcError::wrong(WHAT, "there is no id token"))
}

/// What is sent for the code: a header, where the client's secret goes into one, and a form.
fn form(
    provider: &Provider,
    client: &Client<'_>,
    begun: &Begun,
    code: &str,
) -> (Option<String>, String) {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("grant_type", "authorization_code")
        .append_pair("code", code)
        .append_pair("redirect_uri", client.redirect)
        .append_pair("code_verifier", &begun.verifier);
    let header = match client.secret {
        Some(secret) if provider.secret_in_header => Some(basic(client.id, secret)),
        secret => {
            form.append_pair("client_id", client.id);
            if let Some(secret) = secret {
                form.append_pair("client_secret", secret);
            }
            None
        }
    };
    (header, form.finish())
}

/// RFC 6749 §2.3.1: both are encoded as in a form first.
fn basic(id: &str, secret: &str) -> String {
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = format!("{}:{}", encoded(id), encoded(secret));
    format!("Basic {}", STANDARD.encode(pair))
}
