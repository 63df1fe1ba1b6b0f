//! What opens an event stream: an address that is the credential.
//!
//! A browser's `EventSource` sends no headers, so its address has to say who asks. Addresses are
//! logged on their way and server keys are secret, so it is not the SDK key. It is the key's name
//! (a hash), a window of twelve hours, and a signature of both by the key's secret: whoever has the
//! key can make one, every node that serves the environment can check it, and nobody has to be told
//! of anything. It ends with the key, or when its time is over.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// What a credential is made for changes this often, in ms: whoever asks within a window gets the
/// same, and its stream goes on undisturbed.
const WINDOW: i64 = 12 * 60 * 60 * 1000;

/// It is good in the window it was made for and in so many after it: for 36 hours in all.
const FURTHER: i64 = 2;

/// Clocks differ: another node may be in the next window already.
const EARLY: i64 = 1;

const NAME: usize = 16;
const SIGNATURE: usize = 16;
const LENGTH: usize = NAME + size_of::<u32>() + SIGNATURE;

/// Names an SDK key to everybody, and tells nobody what its secret is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyName([u8; NAME]);

impl KeyName {
    /// The name of the key with this secret.
    pub fn of(secret: &str) -> Self {
        let hash = Sha256::new()
            .chain_update(b"burgee: the name of an SDK key\0")
            .chain_update(secret)
            .finalize();
        Self(std::array::from_fn(|at| hash[at]))
    }
}

/// Why a credential opens nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no such key, or it did not sign this.
    Unknown,
    /// Its time is over.
    Expired,
}

/// A credential as it came. It is worth nothing before it is [checked](Self::check).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credential {
    key: KeyName,
    window: u32,
    signature: [u8; SIGNATURE],
}

impl Credential {
    /// What a key's owner opens a stream with from `now` on, in ms since 1970.
    pub fn issue(secret: &str, now: i64) -> Self {
        let key = KeyName::of(secret);
        let window = u32::try_from(window(now)).unwrap_or_default();
        let hash = signing(secret, key, window).finalize().into_bytes();
        let signature = std::array::from_fn(|at| hash[at]);
        Self {
            key,
            window,
            signature,
        }
    }

    /// As it stands in an address.
    pub fn text(&self) -> String {
        let window = self.window.to_be_bytes();
        let parts = [&self.key.0[..], &window, &self.signature];
        URL_SAFE_NO_PAD.encode(parts.concat())
    }

    /// Reads it out of an address; none where that cannot be one.
    pub fn read(text: &str) -> Option<Self> {
        let mut bytes = [0; LENGTH];
        let length = URL_SAFE_NO_PAD.decode_slice(text, &mut bytes).ok()?;
        let (key, rest) = bytes.split_first_chunk()?;
        let (window, signature) = rest.split_first_chunk()?;
        (length == LENGTH).then_some(Self {
            key: KeyName(*key),
            window: u32::from_be_bytes(*window),
            signature: signature.try_into().ok()?,
        })
    }

    /// Whose it says that it is.
    pub fn key(&self) -> KeyName {
        self.key
    }

    /// Whether the key with this secret made it, and it is good `now`, in ms since 1970.
    ///
    /// # Errors
    /// Where it opens nothing.
    pub fn check(&self, secret: &str, now: i64) -> Result<(), Refused> {
        // In a time that does not depend on where they differ.
        signing(secret, self.key, self.window)
            .verify_truncated_left(&self.signature)
            .map_err(|_| Refused::Unknown)?;
        let age = window(now) - i64::from(self.window);
        match (-EARLY..=FURTHER).contains(&age) {
            true => Ok(()),
            false => Err(Refused::Expired),
        }
    }
}

/// The window that a moment is in, in ms since 1970.
pub(crate) fn window(now: i64) -> i64 {
    now.div_euclid(WINDOW)
}

/// The signature of a credential, before it is cut.
fn signing(secret: &str, key: KeyName, window: u32) -> Hmac<Sha256> {
    // A block of SHA-256. Secrets may be longer.
    let mut block = [0; 64];
    block[..32].copy_from_slice(&Sha256::digest(secret));
    let mut mac = Hmac::<Sha256>::new(&block.into());
    mac.update(b"burgee: an event stream\0");
    mac.update(&key.0);
    mac.update(&window.to_be_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use super::{Credential, KeyName, Refused, WINDOW};

    const NOW: i64 = 1_795_000_000_000;

    #[test]
    fn it_is_the_same_for_a_window_and_good_for_three() {
        let start = NOW.div_euclid(WINDOW) * WINDOW;
        let made = Credential::issue("secret", start);
        assert_eq!(Credential::issue("secret", start + WINDOW - 1), made);
        assert_ne!(Credential::issue("secret", start + WINDOW), made);
        for (now, good) in [
            (start - WINDOW - 1, Err(Refused::Expired)),
            (start - WINDOW, Ok(())),
            (start, Ok(())),
            (start + 3 * WINDOW - 1, Ok(())),
            (start + 3 * WINDOW, Err(Refused::Expired)),
        ] {
            assert_eq!(made.check("secret", now), good, "{}", now - start);
        }
    }

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let made = Credential::issue("secret", NOW);
        let text = made.text();
        assert_eq!(Credential::read(&text), Some(made));
        assert_eq!(made.key(), KeyName::of("secret"));
        let longer = format!("{text}AAAA");
        for bad in ["", "x", &text[1..], &text[4..], &longer, "é"] {
            assert_eq!(Credential::read(bad), None, "{bad}");
        }
    }

    #[test]
    fn another_key_another_window_and_every_changed_letter_are_refused() {
        let made = Credential::issue("secret", NOW);
        assert_eq!(made.check("other", NOW), Err(Refused::Unknown));
        let text = made.text();
        for at in 0..text.len() {
            let mut forged = text.clone().into_bytes();
            forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).unwrap();
            let read = Credential::read(&forged).unwrap();
            assert_eq!(read.check("secret", NOW), Err(Refused::Unknown), "{at}");
        }
    }
}
