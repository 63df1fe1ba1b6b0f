//! A user as a held connection keeps it: one allocation, no more than its texts and their lengths.

use std::borrow::Cow;

use burgee_eval::user::{Kind, Type, User};

use crate::texts::Texts;

/// Key, name, then names and values of properties; last their types, if they are not all texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptUser(Texts);

impl KeptUser {
    /// Packs a user.
    pub fn new(user: &User<'_>) -> Self {
        let properties = user.typed().map(|(name, value, _)| (name, value));
        Self::from_parts(&user.key, &user.name, properties, &user.types())
    }

    /// Packs a user's parts; `types` are the letters of the properties' types ([`Type::write`]).
    pub fn from_parts<'t>(
        key: &'t str,
        name: &'t str,
        properties: impl Iterator<Item = (&'t str, &'t str)> + Clone,
        types: &'t str,
    ) -> Self {
        let properties = properties.flat_map(|(name, value)| [name, value]);
        let types = Some(types).filter(|it| !it.is_empty());
        let all = [key, name].into_iter().chain(properties).chain(types);
        Self(Texts::new(all))
    }

    /// Unpacks it; the texts stay where they are.
    pub fn user(&self) -> User<'_> {
        let mut texts = self.0.iter();
        let mut user = User {
            key: Cow::Borrowed(texts.next().unwrap_or_default()),
            name: Cow::Borrowed(texts.next().unwrap_or_default()),
            ..User::default()
        };
        while let Some(name) = texts.next() {
            match texts.next() {
                Some(value) => user.properties.push((name.into(), value.into())),
                None => user.kinds = kinds(&self.0, name),
            }
        }
        user
    }

    /// Bytes on the heap.
    pub fn heap_size(&self) -> usize {
        self.0.heap_size()
    }
}

/// What properties of these types are besides their texts.
fn kinds<'t>(texts: &'t Texts, types: &str) -> Vec<Kind<'t>> {
    let values = texts.iter().skip(3).step_by(2);
    let typed = Type::read(types).zip(values);
    let kind = |(of, text): (Option<Type>, &'t str)| of.map_or(Kind::Text, |it| it.of(text));
    typed.map(kind).collect()
}

#[cfg(test)]
mod tests {
    use burgee_eval::context::{Context, Limits};

    use super::*;

    const LIMITS: Limits = Limits {
        key: 9,
        name: 9,
        attributes: 9,
        attribute: 99,
    };

    #[test]
    fn a_user_is_unpacked_as_it_was_packed() {
        for context in [
            r#"{"targetingKey": "ana"}"#,
            r#"{"targetingKey": "ana", "name": "Ana", "country": "de"}"#,
            r#"{"targetingKey": "ana", "age": 42.0, "country": "de"}"#,
            r#"{"targetingKey": "ana", "plan": "a", "roles": ["b", 1e2, null], "of": {"big": -0}}"#,
        ] {
            let read: Context<'_> = serde_json::from_str(context).unwrap();
            let user = read.user(&LIMITS).unwrap();
            assert_eq!(KeptUser::new(&user).user(), user, "{context}");
        }
    }
}
