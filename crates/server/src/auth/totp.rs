//! Codes of the second factor: TOTP (RFC 6238) as authenticator apps know it, SHA-1, six digits,
//! thirty seconds; and recovery codes.

use burgee_eval::time::Millis;
use rand::RngExt;
use totp_rs::{Builder, Secret, Totp};

/// A seed's bytes: what RFC 4226 §4 recommends.
pub const SEED: usize = 20;

/// How many recovery codes there are.
pub const RECOVERY_CODES: usize = 10;

/// The second factor of one seed.
pub struct SecondFactor {
    totp: Totp,
    seed: String,
}

impl SecondFactor {
    /// The one of a seed; the address of mail is what an app shows. None: it is no seed.
    pub fn new(seed: &[u8], email: &str) -> Option<Self> {
        // A colon would end the issuer in the address that apps read.
        let account = email.replace(':', "_");
        let totp = Builder::new()
            .with_secret(seed)
            .with_issuer(Some("Burgee"))
            .with_account_name(account)
            .build();
        totp.ok().map(|totp| Self {
            totp,
            seed: Secret::from(seed).to_base32(),
        })
    }

    /// The second factor of a seed as people type it.
    pub fn of_typed(seed: &str, email: &str) -> Option<(Self, Vec<u8>)> {
        let secret = Secret::try_from_base32(seed).ok()?;
        let seed: &[u8] = secret.as_ref();
        if seed.len() != SEED {
            return None;
        }
        Some((Self::new(seed, email)?, seed.to_vec()))
    }

    /// What an app reads from a QR code.
    pub fn address(&self) -> String {
        self.totp.to_url().unwrap_or_default()
    }

    /// The seed as people type it.
    pub fn typed(&self) -> &str {
        &self.seed
    }

    /// What an app shows at this moment.
    pub fn code(&self, now: Millis) -> String {
        let seconds = u64::try_from(now.0 / 1_000).unwrap_or_default();
        self.totp.generate(seconds).to_string()
    }

    /// The time step that a code is for, at most one off from now. It must be taken once only.
    pub fn step(&self, code: &str, now: Millis) -> Option<i64> {
        let code: String = code.chars().filter(|it| !it.is_whitespace()).collect();
        let seconds = u64::try_from(now.0 / 1_000).ok()?;
        let step = self.totp.check(&code, seconds)?;
        i64::try_from(step).ok()
    }
}

/// A fresh seed.
pub fn new_seed() -> [u8; SEED] {
    rand::random()
}

/// Fresh recovery codes, as `k3x9-7mqa-hd2e-zz08`: 80 random bits each, so that their hashes tell
/// nobody, without letters that look alike.
pub fn recovery_codes() -> Vec<String> {
    const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";
    let mut random = rand::rng();
    let mut four = || -> String {
        let letter = |_| char::from(LETTERS[random.random_range(0..LETTERS.len())]);
        (0..4).map(letter).collect()
    };
    (0..RECOVERY_CODES)
        .map(|_| format!("{}-{}-{}-{}", four(), four(), four(), four()))
        .collect()
}

/// A recovery code as it is compared: people type it with blanks and capitals.
pub fn normalized(code: &str) -> String {
    code.trim().to_lowercase()
}
