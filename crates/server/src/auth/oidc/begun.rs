//! A sign-in that is under way: what the browser takes to the provider, and what it keeps.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use burgee_eval::time::Millis;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;

use super::Provider;
use crate::auth::seal::Keyring;

/// How long somebody may take at the provider, in ms.
pub const LIVES: i64 = 10 * 60 * 1_000;

/// The longest address to come back to, in bytes: it stands in a cookie.
pub const LONGEST_RETURN: usize = 1_000;

/// What it is sealed for.
const PURPOSE: &str = "oidc/begun";

/// A sign-in under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// The id of the organization.
    pub organization: String,
    /// Its provider.
    pub issuer: String,
    /// What comes back with the answer.
    pub state: String,
    /// What comes back in the token.
    pub nonce: String,
    /// What proves that whoever exchanges the code asked for it (RFC 7636).
    pub verifier: String,
    /// Where the browser goes in the end, a path of ours.
    pub return_to: String,
    /// Until when.
    pub expires_at: i64,
}

impl Begun {
    /// Begins one.
    pub fn new(organization: &str, issuer: &str, return_to: &str, now: Millis) -> Self {
        let random = || URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>());
        Self {
            organization: organization.to_owned(),
            issuer: issuer.to_owned(),
            state: random(),
            nonce: random(),
            verifier: random(),
            return_to: return_to.to_owned(),
            expires_at: now.0 + LIVES,
        }
    }

    /// Where the browser goes to.
    pub fn address(
        &self,
        provider: &Provider,
        client: &str,
        redirect: &str,
        scopes: &[String],
    ) -> Url {
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&self.verifier));
        let others = scopes
            .iter()
            .map(String::as_str)
            .filter(|it| *it != "openid");
        let scope: Vec<&str> = std::iter::once("openid").chain(others).collect();
        let mut url = provider.authorization.clone();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", client)
            .append_pair("redirect_uri", redirect)
            .append_pair("scope", &scope.join(" "))
            .append_pair("state", &self.state)
            .append_pair("nonce", &self.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        url
    }

    /// As the browser keeps it.
    ///
    /// # Errors
    /// It cannot be sealed.
    pub fn sealed(&self, keyring: &Keyring) -> anyhow::Result<String> {
        let sealed = keyring.seal(PURPOSE, &serde_json::to_vec(self)?)?;
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// The sign-in that a browser keeps, where an answer with this state is its own, in time.
    pub fn of_answer(keyring: &Keyring, kept: &str, state: &str, now: Millis) -> Option<Self> {
        let sealed = URL_SAFE_NO_PAD.decode(kept).ok()?;
        let begun = keyring.open(PURPOSE, &sealed)?;
        let begun: Self = serde_json::from_slice(&begun).ok()?;
        (begun.state == state && now.0 < begun.expires_at).then_some(begun)
    }
}

/// A path of ours to come back to. None: it leads elsewhere, or is none.
pub fn return_address(text: &str) -> Option<&str> {
    let ours = text.starts_with('/') && !text.starts_with("//") && text.len() <= LONGEST_RETURN;
    // Browsers read `\` as `/`, and leave blanks and control characters out.
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    (ours && plain).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_comes_back_to_a_path_of_ours_alone() {
        for ours in ["/", "/flags?tag=a#x", "/a/b/../c"] {
            assert_eq!(return_address(ours), Some(ours));
        }
        for other in [
            "",
            "flags",
            "//evil.org",
            "/\\evil.org",
            "https://evil.org",
            "/\t/evil.org",
            "/a b",
            "/\u{e9}",
            "\\/evil.org",
        ] {
            assert_eq!(return_address(other), None, "{other:?}");
        }
        assert_eq!(
            return_address(&format!("/{}", "a".repeat(LONGEST_RETURN))),
            None
        );
    }

    #[test]
    fn an_answer_counts_in_time_with_its_state_and_where_it_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = |name: &str| Keyring::load(&folder.path().join(name)).unwrap();
        let (ours, others) = (keyring("a"), keyring("b"));
        let begun = Begun::new("o", "https://id.example.com", "/", Millis(0));
        let kept = begun.sealed(&ours).unwrap();
        let of = |keyring, kept: &str, state: &str, now| {
            Begun::of_answer(keyring, kept, state, Millis(now))
        };
        assert_eq!(
            of(&ours, &kept, &begun.state, LIVES - 1).as_ref(),
            Some(&begun)
        );
        assert_eq!(of(&ours, &kept, &begun.state, LIVES), None, "late");
        assert_eq!(of(&ours, &kept, "another", 0), None);
        assert_eq!(
            of(&others, &kept, &begun.state, 0),
            None,
            "another server's"
        );
        assert_eq!(of(&ours, &kept[..40], &begun.state, 0), None);
        let again = Begun::new("o", "https://id.example.com", "/", Millis(0));
        assert!(begun.state != again.state && begun.nonce != again.nonce);
        assert!(begun.verifier != begun.state && begun.verifier.len() == 43);
    }
}
