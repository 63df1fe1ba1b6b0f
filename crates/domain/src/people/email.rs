//! E-mail addresses, by which people sign in.

use std::fmt;

/// The longest address, in bytes (RFC 5321 §4.5.3.1.3: a path of 256 with its brackets).
pub const MAX_EMAIL: usize = 254;

/// An address: trimmed, with one `@`, without blanks. Whether mail arrives there only mail can
/// tell, so no more is asked of it (RFC 5322 allows what no list of characters foresees).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email(String);

/// Why a text is no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmailError {
    /// Nothing, or no `@` with something on both sides.
    #[error("an e-mail address has the form name@host")]
    Form,
    /// More than [`MAX_EMAIL`] bytes.
    #[error("an e-mail address has at most {MAX_EMAIL} bytes")]
    TooLong,
}

impl Email {
    /// Reads an address.
    pub fn new(text: &str) -> Result<Self, EmailError> {
        let text = text.trim();
        if text.len() > MAX_EMAIL {
            return Err(EmailError::TooLong);
        }
        let odd = |character: char| character.is_whitespace() || character.is_control();
        let (name, host) = text.rsplit_once('@').ok_or(EmailError::Form)?;
        let whole = !name.is_empty() && !host.is_empty() && !name.contains('@');
        match whole && !text.contains(odd) {
            true => Ok(Self(text.to_owned())),
            false => Err(EmailError::Form),
        }
    }

    /// As it was given, trimmed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text by which accounts are found: nobody means two people by `Ann@x.org` and
    /// `ann@x.org`.
    pub fn folded(&self) -> String {
        self.0.to_lowercase()
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
