//! Whether an id token is the provider's word, to us, now (OpenID Connect Core §3.1.3.7). A function
//! of data: keys and the time are given.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use burgee_eval::time::Millis;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::keys::{Algorithm, Keys};

/// How far the provider's clock may be off, in seconds.
const LEEWAY: i64 = 60;

/// The longest name of a subject, in bytes (OpenID Connect Core §2).
const LONGEST_SUBJECT: usize = 255;

/// Why a token is not good.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It has not the form of a signed token.
    #[error("it is no signed token")]
    Form,
    /// It is signed in a way that proves nothing, or that is not known.
    #[error("it is signed by an algorithm that is not taken")]
    Algorithm,
    /// It is signed by a key that the provider does not publish.
    #[error("its key is not one of the provider's")]
    UnknownKey,
    /// The signature is not the key's.
    #[error("its signature is wrong")]
    Signature,
    /// A claim is missing, or not what it must be.
    #[error("its claim `{0}` is missing or wrong")]
    Claim(&'static str),
}

/// What a token must say.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// Whose word it is.
    pub issuer: &'a str,
    /// To whom.
    pub client: &'a str,
    /// In which sign-in.
    pub nonce: &'a str,
}

/// What a good token says.
#[derive(Clone, Debug, PartialEq)]
pub struct IdToken {
    /// The provider's name for the person.
    pub subject: String,
    /// All claims.
    pub claims: Map<String, Value>,
}

#[derive(Deserialize)]
struct Header {
    alg: Value,
    kid: Option<String>,
    crit: Option<Value>,
}

/// A token that is read but not believed.
#[derive(Debug)]
pub struct Unverified<'t> {
    algorithm: Algorithm,
    /// The id of the key, where the token names one.
    pub key: Option<String>,
    message: &'t [u8],
    signature: Vec<u8>,
    claims: &'t str,
}

/// Reads a token's header.
///
/// # Errors
/// It is no signed token, or by no algorithm that is taken.
pub fn read(token: &str) -> Result<Unverified<'_>, TokenError> {
    let (message, signature) = token.rsplit_once('.').ok_or(TokenError::Form)?;
    let (header, claims) = message.split_once('.').ok_or(TokenError::Form)?;
    let header = URL_SAFE_NO_PAD
        .decode(header)
        .map_err(|_| TokenError::Form)?;
    let header: Header = serde_json::from_slice(&header).map_err(|_| TokenError::Form)?;
    // What must be understood is nothing that is.
    if header.crit.is_some() {
        return Err(TokenError::Form);
    }
    let algorithm = serde_json::from_value(header.alg).map_err(|_| TokenError::Algorithm)?;
    let signature = URL_SAFE_NO_PAD
        .decode(signature)
        .map_err(|_| TokenError::Form)?;
    Ok(Unverified {
        algorithm,
        key: header.kid,
        message: message.as_bytes(),
        signature,
        claims,
    })
}

impl Unverified<'_> {
    /// Believes the token, where it is signed by one of the keys and says what it must.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn verified(
        &self,
        keys: &Keys,
        expected: Expected<'_>,
        now: Millis,
    ) -> Result<IdToken, TokenError> {
        let id = self.key.as_deref();
        if !keys.knows(id) {
            return Err(TokenError::UnknownKey);
        }
        if !keys.verify(id, self.algorithm, self.message, &self.signature) {
            // A token that names no key may be by one that is not known yet.
            return Err(id.map_or(TokenError::UnknownKey, |_| TokenError::Signature));
        }
        let claims = URL_SAFE_NO_PAD
            .decode(self.claims)
            .map_err(|_| TokenError::Form)?;
        let claims: Map<String, Value> =
            serde_json::from_slice(&claims).map_err(|_| TokenError::Form)?;
        let subject = check(&claims, expected, now.0.div_euclid(1_000))?;
        Ok(IdToken { subject, claims })
    }
}

/// Checks the claims at a moment in seconds; the subject.
fn check(
    claims: &Map<String, Value>,
    expected: Expected<'_>,
    now: i64,
) -> Result<String, TokenError> {
    let text = |name: &'static str| claims.get(name).and_then(Value::as_str);
    let must = |holds: bool, name: &'static str| match holds {
        true => Ok(()),
        false => Err(TokenError::Claim(name)),
    };
    must(text("iss") == Some(expected.issuer), "iss")?;
    let several = match claims.get("aud") {
        Some(Value::String(one)) => {
            must(one == expected.client, "aud")?;
            false
        }
        Some(Value::Array(all)) => {
            must(all.iter().any(|it| it == expected.client), "aud")?;
            all.len() > 1
        }
        _ => return Err(TokenError::Claim("aud")),
    };
    // A token for several says which of them asked for it.
    match claims.get("azp") {
        Some(azp) => must(azp == expected.client, "azp")?,
        None => must(!several, "azp")?,
    }
    let seconds = |name: &'static str| {
        let number = claims.get(name).and_then(Value::as_f64);
        // Seconds of any year that has four digits are whole numbers to a double.
        number.filter(|it| it.abs() < 1e12).map(|it| it as i64)
    };
    let end = seconds("exp").ok_or(TokenError::Claim("exp"))?;
    must(now < end + LEEWAY, "exp")?;
    let begin = seconds("iat").ok_or(TokenError::Claim("iat"))?;
    must(begin <= now + LEEWAY, "iat")?;
    if claims.contains_key("nbf") {
        let begin = seconds("nbf").ok_or(TokenError::Claim("nbf"))?;
        must(begin <= now + LEEWAY, "nbf")?;
    }
    must(text("nonce") == Some(expected.nonce), "nonce")?;
    let subject = text("sub").unwrap_or_default();
    let fits = !subject.is_empty() && subject.len() <= LONGEST_SUBJECT && !subject.contains('\0');
    must(fits, "sub")?;
    Ok(subject.to_owned())
}

#[cfg(test)]
mod tests;
