use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
    RSA_PSS_SHA256, RsaEncoding, RsaKeyPair, RsaPublicKeyComponents,
};
use serde_json::json;

use super::*;

const NOW: i64 = 1_800_000_000;
const ISSUER: &str = "https://id.example.com";

/// A provider's private keys, and how it publishes them.
struct Signer {
    ed: Ed25519KeyPair,
    ec: EcdsaKeyPair,
    rsa: RsaKeyPair,
    random: SystemRandom,
}

impl Signer {
    fn new() -> Self {
        let random = SystemRandom::new();
        let ed = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let kind = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let ec = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        let rsa = STANDARD
            .decode(include_str!("rsa.base64").replace('\n', ""))
            .unwrap();
        Self {
            ed: Ed25519KeyPair::from_pkcs8(ed.as_ref()).unwrap(),
            ec: EcdsaKeyPair::from_pkcs8(kind, ec.as_ref(), &random).unwrap(),
            rsa: RsaKeyPair::from_der(&rsa).unwrap(),
            random,
        }
    }

    fn keys(&self) -> Value {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let point = self.ec.public_key().as_ref();
        let rsa = RsaPublicKeyComponents::<Vec<u8>>::from(self.rsa.public());
        let (n, e) = (rsa.n, rsa.e);
        json!({"keys": [
            {"kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": text(self.ed.public_key().as_ref())},
            {"kty": "EC", "crv": "P-256", "kid": "ec", "alg": "ES256",
                "x": text(&point[1..33]), "y": text(&point[33..])},
            {"kty": "RSA", "kid": "rsa", "use": "sig", "n": text(&n), "e": text(&e)},
            {"kty": "RSA", "kid": "enc", "use": "enc", "n": text(&n), "e": text(&e)},
            {"kty": "RSA", "kid": "odd", "alg": "RSA-OAEP", "n": text(&n), "e": text(&e)},
            {"kty": "quantum", "kid": "new"},
        ]})
    }

    fn sign(&self, header: &Value, claims: &Value) -> String {
        let text = |it: &Value| URL_SAFE_NO_PAD.encode(it.to_string());
        let message = format!("{}.{}", text(header), text(claims));
        let rsa = |kind: &'static dyn RsaEncoding| {
            let mut signature = vec![0; self.rsa.public().modulus_len()];
            let signed = self
                .rsa
                .sign(kind, &self.random, message.as_bytes(), &mut signature);
            signed.unwrap();
            signature
        };
        let signature = match header["alg"].as_str().unwrap_or_default() {
            "EdDSA" => self.ed.sign(message.as_bytes()).as_ref().to_vec(),
            "ES256" => {
                let signed = self.ec.sign(&self.random, message.as_bytes());
                signed.unwrap().as_ref().to_vec()
            }
            "PS256" => rsa(&RSA_PSS_SHA256),
            _ => rsa(&RSA_PKCS1_SHA256),
        };
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

fn claims() -> Value {
    json!({"iss": ISSUER, "aud": "burgee", "sub": "1", "nonce": "n", "exp": NOW + 300,
        "iat": NOW, "email": "ann@example.com"})
}

fn with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

fn without(name: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().unwrap().remove(name);
    claims
}

fn verified(signer: &Signer, token: &str) -> Result<IdToken, TokenError> {
    let keys = Keys::parse(signer.keys().to_string().as_bytes()).unwrap();
    let expected = Expected {
        issuer: ISSUER,
        client: "burgee",
        nonce: "n",
    };
    read(token)?.verified(&keys, expected, Millis(NOW * 1_000))
}

/// What becomes of these claims, well signed.
fn of(claims: &Value) -> Result<IdToken, TokenError> {
    let signer = Signer::new();
    let token = signer.sign(&json!({"alg": "EdDSA", "kid": "ed"}), claims);
    verified(&signer, &token)
}

#[test]
fn a_good_token_is_believed_whichever_way_it_is_signed() {
    let signer = Signer::new();
    for (algorithm, key) in [
        ("EdDSA", "ed"),
        ("ES256", "ec"),
        ("RS256", "rsa"),
        ("PS256", "rsa"),
    ] {
        let token = signer.sign(&json!({"alg": algorithm, "kid": key}), &claims());
        let found = verified(&signer, &token).unwrap();
        assert_eq!(found.subject, "1", "{algorithm}");
        assert_eq!(found.claims["email"], "ann@example.com");
        let unnamed = signer.sign(&json!({"alg": algorithm}), &claims());
        assert!(
            verified(&signer, &unnamed).is_ok(),
            "{algorithm} by a key without a name"
        );
    }
}

#[test]
fn what_proves_nothing_is_not_believed() {
    let signer = Signer::new();
    let signed = |header: Value| verified(&signer, &signer.sign(&header, &claims()));
    for algorithm in ["none", "None", "HS256", "HS512", "RS1", ""] {
        let refused = signed(json!({"alg": algorithm, "kid": "rsa"}));
        assert_eq!(refused, Err(TokenError::Algorithm), "{algorithm}");
    }
    assert_eq!(
        signed(json!({"alg": 7, "kid": "rsa"})),
        Err(TokenError::Algorithm)
    );
    // A key is for its own algorithms, and for signing.
    for (algorithm, key) in [
        ("RS256", "ec"),
        ("EdDSA", "rsa"),
        ("ES256", "ed"),
        ("PS256", "ed"),
    ] {
        let refused = signed(json!({"alg": algorithm, "kid": key}));
        assert_eq!(refused, Err(TokenError::Signature), "{algorithm} by {key}");
    }
    for key in ["enc", "odd", "new", "another"] {
        let refused = signed(json!({"alg": "RS256", "kid": key}));
        assert_eq!(refused, Err(TokenError::UnknownKey), "{key}");
    }
    let refused = signed(json!({"alg": "EdDSA", "kid": "ed", "crit": ["b64"]}));
    assert_eq!(refused, Err(TokenError::Form));

    let other = Signer::new();
    let token = other.sign(&json!({"alg": "EdDSA", "kid": "ed"}), &claims());
    assert_eq!(verified(&signer, &token), Err(TokenError::Signature));
    let token = signer.sign(&json!({"alg": "EdDSA", "kid": "ed"}), &claims());
    let (message, signature) = token.rsplit_once('.').unwrap();
    let (header, _) = message.split_once('.').unwrap();
    let other = URL_SAFE_NO_PAD.encode(with("sub", json!("2")).to_string());
    let changed = format!("{header}.{other}.{signature}");
    assert_eq!(verified(&signer, &changed), Err(TokenError::Signature));
    let unsigned = verified(&signer, &format!("{message}."));
    assert_eq!(unsigned, Err(TokenError::Signature));
    for odd in ["", "a", "a.b", "a.b.c", "....", &format!("{token}.x")] {
        assert_eq!(verified(&signer, odd), Err(TokenError::Form), "{odd}");
    }
}

#[test]
fn another_providers_or_anothers_token_is_not_ours() {
    let refused = |claims: &Value, name| assert_eq!(of(claims), Err(TokenError::Claim(name)));
    refused(&with("iss", json!("https://id.example.com/")), "iss");
    refused(&with("iss", json!("https://evil.org")), "iss");
    for aud in [
        json!("other"),
        json!(["other"]),
        json!([]),
        json!({}),
        json!("burgee2"),
    ] {
        refused(&with("aud", aud), "aud");
    }
    refused(&with("aud", json!(["burgee", "other"])), "azp");
    refused(&with("azp", json!("other")), "azp");
    let mut shared = with("aud", json!(["burgee", "other"]));
    shared["azp"] = json!("burgee");
    assert!(of(&shared).is_ok());
    assert!(of(&with("aud", json!(["burgee"]))).is_ok());
    refused(&with("nonce", json!("another")), "nonce");
    for name in ["iss", "aud", "exp", "iat", "nonce", "sub"] {
        refused(&without(name), name);
        refused(&with(name, Value::Null), name);
    }
    refused(&with("sub", json!("")), "sub");
    refused(&with("sub", json!("x".repeat(256))), "sub");
}

#[test]
fn a_token_is_good_from_its_beginning_to_its_end_with_a_minute_for_clocks() {
    let at = |name: &str, seconds: i64| of(&with(name, json!(NOW + seconds))).is_ok();
    assert!(at("exp", -59) && !at("exp", -60));
    assert!(at("iat", 60) && !at("iat", 61));
    assert!(at("nbf", 60) && !at("nbf", 61));
    assert!(
        of(&with("exp", json!(1_800_000_300.5))).is_ok(),
        "parts of seconds"
    );
    for odd in [json!("1800000300"), json!(1e300), json!(true)] {
        assert_eq!(of(&with("exp", odd)), Err(TokenError::Claim("exp")));
    }
}
