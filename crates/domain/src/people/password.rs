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

/// Rows of keyboards and what else is counted up; letters as they are folded.
const ROWS: &[&str] = &[
    "1234567890",
    "01234567890",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "qsdfghjklm",
    "wxcvbn",
    "1q2w3e4r5t6y7u8i9o0p",
    "qazwsxedcrfvtgbyhnujmik",
    "abcdefghijklmnopqrstuvwxyz",
];

/// So many letters of a row are no accident.
const SHORTEST_RUN: usize = 3;

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
    let told = folded == email.to_lowercase() || (name.len() >= 4 && folded.starts_with(&name));
    let folded_text = folded.as_str();
    let easy = repeats(folded_text) || follows_rows(folded_text);
    if told || easy || COMMON.contains(&folded.as_str()) {
        let message = "this password is among the first that somebody would try";
        return Err(fault("passwordGuessable", message.to_owned()));
    }
    Ok(())
}

/// Whether it is one text over and over, that would be too short by itself.
fn repeats(password: &str) -> bool {
    let letters: Vec<char> = password.chars().collect();
    let mut lengths = 1..MIN_PASSWORD.min(letters.len() / 2 + 1);
    lengths.any(|length| {
        let (all, before) = (letters.iter().skip(length), letters.iter());
        all.zip(before).all(|(one, other)| one == other)
    })
}

/// Whether it is made of what lies side by side, three at a time or more, there or back.
fn follows_rows(password: &str) -> bool {
    let letters: Vec<char> = password.chars().collect();
    let mut rest = letters.as_slice();
    while !rest.is_empty() {
        let rows = ROWS.iter().flat_map(|row| {
            let row: Vec<char> = row.chars().collect();
            let back = row.iter().rev().copied().collect();
            [row, back]
        });
        let longest = rows.map(|row| run(rest, &row)).max().unwrap_or_default();
        if longest < SHORTEST_RUN {
            return false;
        }
        rest = &rest[longest..];
    }
    true
}

/// How many letters of a text stand one after the other in a row, from the text's first on.
fn run(text: &[char], row: &[char]) -> usize {
    let from = |start: usize| {
        let pairs = text.iter().zip(&row[start..]);
        pairs.take_while(|(one, other)| one == other).count()
    };
    (0..row.len()).map(from).max().unwrap_or_default()
}
