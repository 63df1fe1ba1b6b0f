//! A provider's public keys (RFC 7517), and whether a signature is by one of them.
//!
//! What can be verified here is signatures of public keys alone. That `none` and HMAC (by which a
//! public key would be taken for a shared secret) are refused is no rule that could be forgotten:
//! there is no such [`Algorithm`].

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use serde::Deserialize;

/// How a token is signed (RFC 7518 §3.1, RFC 8037 §3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[allow(missing_docs, reason = "these are their names")]
pub enum Algorithm {
    RS256,
    RS384,
    RS512,
    PS256,
    PS384,
    PS512,
    ES256,
    ES384,
    EdDSA,
}

/// What can be done with a key's numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    id: Option<String>,
    algorithm: Option<Algorithm>,
    material: Material,
}

/// A provider's keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys(Vec<Key>);

#[derive(Deserialize)]
struct Document {
    keys: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    #[serde(rename = "use")]
    usage: Option<String>,
    kid: Option<String>,
    alg: Option<serde_json::Value>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl Keys {
    /// Reads what a provider publishes. Keys that are of no use here (for encryption, of kinds that
    /// are not known) are left out: RFC 7517 §5 asks for that.
    ///
    /// # Errors
    /// It is no set of keys.
    pub fn parse(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        let document: Document = serde_json::from_slice(bytes)?;
        let keys = document.keys.into_iter().filter_map(|key| {
            let key: Jwk = serde_json::from_value(key).ok()?;
            read(key)
        });
        Ok(Self(keys.collect()))
    }

    /// Whether there is a key of this id.
    pub fn knows(&self, id: Option<&str>) -> bool {
        id.is_none() || self.0.iter().any(|key| key.id.as_deref() == id)
    }

    /// Whether the signature of a message is by one of the keys: the one of this id, where the
    /// token names one.
    pub fn verify(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
        message: &[u8],
        signature: &[u8],
    ) -> bool {
        let named = |key: &&Key| id.is_none() || key.id.as_deref() == id;
        let fits = |key: &&Key| key.algorithm.is_none_or(|it| it == algorithm);
        let mut keys = self.0.iter().filter(named).filter(fits);
        keys.any(|key| key.material.verifies(algorithm, message, signature))
    }
}

fn read(key: Jwk) -> Option<Key> {
    if key.usage.is_some_and(|usage| usage != "sig") {
        return None;
    }
    // A key of an algorithm that is not known here is of no use; one that names none takes those
    // of its kind.
    let algorithm = key.alg.map(serde_json::from_value).transpose().ok()?;
    let bytes = |text: Option<String>| URL_SAFE_NO_PAD.decode(text?).ok();
    let material = match (key.kty.as_str(), key.crv.as_deref()) {
        ("RSA", None) => Material::Rsa {
            n: bytes(key.n)?,
            e: bytes(key.e)?,
        },
        ("EC", Some("P-256")) => Material::P256(point(bytes(key.x)?, bytes(key.y)?, 32)?),
        ("EC", Some("P-384")) => Material::P384(point(bytes(key.x)?, bytes(key.y)?, 48)?),
        ("OKP", Some("Ed25519")) => Material::Ed25519(bytes(key.x)?),
        _ => return None,
    };
    Some(Key {
        id: key.kid,
        algorithm,
        material,
    })
}

/// A point of a curve, uncompressed (SEC 1 §2.3.3).
fn point(x: Vec<u8>, y: Vec<u8>, length: usize) -> Option<Vec<u8>> {
    (x.len() == length && y.len() == length).then(|| [vec![4], x, y].concat())
}

impl Material {
    fn verifies(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
        let by = |kind: &'static dyn VerificationAlgorithm, key: &Vec<u8>| {
            UnparsedPublicKey::new(kind, key)
                .verify(message, signature)
                .is_ok()
        };
        match (self, algorithm) {
            (Self::P256(key), Algorithm::ES256) => by(&ECDSA_P256_SHA256_FIXED, key),
            (Self::P384(key), Algorithm::ES384) => by(&ECDSA_P384_SHA384_FIXED, key),
            (Self::Ed25519(key), Algorithm::EdDSA) => by(&ED25519, key),
            (Self::Rsa { n, e }, _) => rsa(algorithm).is_some_and(|kind| {
                let key = RsaPublicKeyComponents { n, e };
                key.verify(kind, message, signature).is_ok()
            }),
            _ => false,
        }
    }
}

/// What verifies an algorithm's signature by an RSA key; of keys of 2,048 to 8,192 bits.
fn rsa(algorithm: Algorithm) -> Option<&'static RsaParameters> {
    Some(match algorithm {
        Algorithm::RS256 => &RSA_PKCS1_2048_8192_SHA256,
        Algorithm::RS384 => &RSA_PKCS1_2048_8192_SHA384,
        Algorithm::RS512 => &RSA_PKCS1_2048_8192_SHA512,
        Algorithm::PS256 => &RSA_PSS_2048_8192_SHA256,
        Algorithm::PS384 => &RSA_PSS_2048_8192_SHA384,
        Algorithm::PS512 => &RSA_PSS_2048_8192_SHA512,
        Algorithm::ES256 | Algorithm::ES384 | Algorithm::EdDSA => return None,
    })
}
