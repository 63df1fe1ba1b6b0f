//! Keys for relays: what a relay names itself by to what feeds it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// What every such key begins with, so that people and secret scanners know one.
pub const PREFIX: &str = "rp-";

/// How many of its first characters are kept for people to recognise it by.
pub const SHOWN: usize = 11;

/// The longest text that is looked up: more than any that is made here has.
const MAX_LENGTH: usize = 128;

/// A new key from 32 random bytes: [`PREFIX`] and 43 characters of base64url.
pub fn make(random: [u8; 32]) -> String {
    format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random))
}

/// Whether a text can be such a key; what cannot needs no look into the database.
pub fn is_well_formed(secret: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    secret.starts_with(PREFIX) && secret.len() <= MAX_LENGTH && secret.bytes().all(allowed)
}
