//! A user as a held connection keeps it: one allocation, no more than its texts and their lengths.

use std::borrow::Cow;

use burgee_eval::user::User;

use crate::texts::Texts;

/// Key, name, then names and values of properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptUser(Texts);

impl KeptUser {
    /// Packs a user.
    pub fn new(user: &User<'_>) -> Self {
        let properties = user
            .properties
            .iter()
            .map(|(name, value)| (&**name, &**value));
        Self::from_parts(&user.key, &user.name, properties)
    }

    /// Packs a user's parts.
    pub fn from_parts<'t>(
        key: &'t str,
        name: &'t str,
        properties: impl Iterator<Item = (&'t str, &'t str)> + Clone,
    ) -> Self {
        let properties = properties.flat_map(|(name, value)| [name, value]);
        Self(Texts::new([key, name].into_iter().chain(properties)))
    }

    /// Unpacks it; the texts stay where they are.
    pub fn user(&self) -> User<'_> {
        let mut texts = self.0.iter().map(Cow::Borrowed);
        let key = texts.next().unwrap_or_default();
        let name = texts.next().unwrap_or_default();
        let properties = std::iter::from_fn(|| texts.next().zip(texts.next())).collect();
        User {
            key,
            name,
            properties,
            kinds: Vec::new(),
        }
    }

    /// Bytes on the heap.
    pub fn heap_size(&self) -> usize {
        self.0.heap_size()
    }
}
