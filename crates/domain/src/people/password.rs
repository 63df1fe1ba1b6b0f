//! What a password must be (NIST SP 800-63B §5.1.1.2: long enough, not guessable from what is known
//! of the person; no rules about kinds of characters, no expiry).

use crate::fault::{Fault, Rejected};

/// The shortest, in characters.
pub const MIN_PASSWORD: usize = 10;

/// The longest, in bytes: hashing longer ones would be work for nothing.
pub const MAX_PASSWORD: usize = 1_024;

/// What everybody tries first, of those that are long enough, and ours.
const COMMON: &[&str] = &[
    "1234567890",
    "12345678910",
    "0987654321",
    "qwertyuiop",
    "password12",
    "password123",
    "password1234",
    "passw0rd123",
    "iloveyou123",
    "administrator",
    "changemenow",
    "burgeeburgee",
];

/// Checks a new password of whoever signs in by `email`.
///
/// # Errors
/// With an empty pointer; the index of the command means nothing.
pub fn check_password(password: &str, email: &str) -> Result<(), Rejected> {
    let fault = |code: &'static str, message: String| Fault::new("", code, message).of_command(0);
    let length = password.chars().count();
    if length < MIN_PASSWORD {
        let message = format!("a password has at least {MIN_PASSWORD} characters");
        return Err(fault("passwordTooShort", message));
    }
    if password.len() > MAX_PASSWORD {
        let message = format!("a password has at most {MAX_PASSWORD} bytes");
        return Err(fault("passwordTooLong", message));
    }
    let folded = password.to_lowercase();
    let name = email.split('@').next().unwrap_or_default().to_lowercase();
    let one_character = folded.chars().all(|it| folded.starts_with(it));
    let told = folded == email.to_lowercase() || (name.len() >= 4 && folded.starts_with(&name));
    if one_character || told || COMMON.contains(&folded.as_str()) {
        let message = "this password is among the first that somebody would try";
        return Err(fault("passwordGuessable", message.to_owned()));
    }
    Ok(())
}
