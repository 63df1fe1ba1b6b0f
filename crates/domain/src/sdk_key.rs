//! SDK keys: the secrets that official SDKs are configured with.
//!
//! 44 characters: a random part and the environment's id, 22 characters each
//! (`docs/protocol.md`). The id inside is a habit of FeatBit's SDKs; it is never trusted: keys are
//! looked up whole.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

/// How long a key is, in characters.
pub const LENGTH: usize = 44;

/// A new key of an environment, from 16 random bytes.
pub fn make(environment: Uuid, random: [u8; 16]) -> String {
    encode(Uuid::from_bytes(random)) + &encode(environment)
}

/// 22 characters: base64url of the UUID's bytes in the .NET order (first three groups
/// little-endian), but with `/` as `_` and `+` as `-`, which is base64url.
fn encode(id: Uuid) -> String {
    URL_SAFE_NO_PAD.encode(id.to_bytes_le())
}

/// Whether a text can be an SDK key, also one made by FeatBit: what the streaming endpoint can
/// take out of a token.
pub fn is_well_formed(secret: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_+/=".contains(&byte);
    secret.len() == LENGTH && secret.bytes().all(allowed)
}
