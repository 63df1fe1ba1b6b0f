//! Keys: how people and programs name projects, environments, flags and segments.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The longest key. FeatBit's limit too, so that every key of theirs fits.
pub const MAX_KEY: usize = 128;

/// A key: 1 to [`MAX_KEY`] of `[a-zA-Z0-9._-]`, other than `.` and `..` (they vanish from URLs).
/// It never changes, and is unique without regard to case ([`Key::folded`]).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Key(String);

/// Why a text is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Nothing was given.
    #[error("a key must not be empty")]
    Empty,
    /// More than [`MAX_KEY`] characters.
    #[error("a key has at most {MAX_KEY} characters")]
    TooLong,
    /// A character that URLs, policies or SDKs would stumble over.
    #[error("a key consists of letters, digits, '.', '_' and '-', and is not '.' or '..'")]
    Character,
    /// The portal has a page at the address that it would have.
    #[error("the portal has a page of this name; choose another key")]
    Reserved,
}

/// What no new project may be called: pages of an organization, beside its projects.
const PAGES_OF_ORGANIZATION: [&str; 3] = ["audit", "changes", "settings"];

/// What no new environment may be called: pages of a flag, beside those of its environments.
const PAGES_OF_FLAG: [&str; 2] = ["compare", "history"];

impl Key {
    /// Reads a key.
    pub fn new(text: impl Into<String>) -> Result<Self, KeyError> {
        let text = text.into();
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        match text.as_str() {
            "" => Err(KeyError::Empty),
            "." | ".." => Err(KeyError::Character),
            _ if text.len() > MAX_KEY => Err(KeyError::TooLong),
            _ if !text.bytes().all(allowed) => Err(KeyError::Character),
            _ => Ok(Self(text)),
        }
    }

    /// This key, as that of a new project.
    ///
    /// # Errors
    /// [`KeyError::Reserved`].
    pub fn for_project(self) -> Result<Self, KeyError> {
        self.none_of(&PAGES_OF_ORGANIZATION)
    }

    /// This key, as that of a new environment.
    ///
    /// # Errors
    /// [`KeyError::Reserved`].
    pub fn for_environment(self) -> Result<Self, KeyError> {
        self.none_of(&PAGES_OF_FLAG)
    }

    fn none_of(self, pages: &[&str]) -> Result<Self, KeyError> {
        match pages.contains(&self.folded().as_str()) {
            true => Err(KeyError::Reserved),
            false => Ok(self),
        }
    }

    /// The text as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text by which uniqueness is judged.
    pub fn folded(&self) -> String {
        fold(&self.0)
    }
}

/// The text by which a key is looked up, whether it is one or not.
pub fn fold(key: &str) -> String {
    key.to_ascii_lowercase()
}

impl TryFrom<String> for Key {
    type Error = KeyError;
    fn try_from(text: String) -> Result<Self, KeyError> {
        Self::new(text)
    }
}

impl From<Key> for String {
    fn from(key: Key) -> Self {
        key.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
