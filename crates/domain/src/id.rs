//! Ids: opaque texts, UUIDs where we make them, kept as they are where they were imported.

use std::fmt;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

/// The id of a `T`. A text of its own type, so that a flag's id is never passed for a segment's.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id<T> {
    text: String,
    #[serde(skip)]
    of: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    /// An id from its text; what the text may be is decided at the border.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            of: PhantomData,
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        Self::new(self.text.clone())
    }
}

impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<T> Eq for Id<T> {}

impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text.cmp(&other.text)
    }
}

impl<T> std::hash::Hash for Id<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl<T> fmt::Display for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text)
    }
}
