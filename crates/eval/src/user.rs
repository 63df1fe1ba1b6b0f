//! Who a flag is evaluated for.
//!
//! A property is a text: FeatBit's SDKs send nothing else, nothing else is stored of users, and
//! rollouts hash it. What a typed context ([`crate::context`]) says of a property besides lies
//! beside the texts, not in their place: for a user without types nothing is different.

use std::borrow::Cow;

/// An end user, borrowing its texts from wherever they lie (a message, a compact record).
///
/// `keyId` and `name` are built in; any other property is looked up here by its exact name, the
/// first of that name counts. A missing property is the empty text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User<'a> {
    /// Identifies the user; never blank in a valid user.
    pub key: Cow<'a, str>,
    /// A display name, perhaps empty.
    pub name: Cow<'a, str>,
    /// (name, value), in the order given.
    pub properties: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// What properties are besides their texts, in the order of the properties, as far as the last
    /// one that is more; empty where all are texts.
    pub kinds: Vec<Kind<'a>>,
}

/// What a property is besides its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Kind<'a> {
    /// Nothing.
    #[default]
    Text,
    /// A number; its text is the shortest way to write it ([`crate::context::shortest`]).
    Number,
    /// A list; its text is its JSON.
    List(Box<[Item<'a>]>),
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// Its text, as that of a property.
    pub text: Cow<'a, str>,
    /// Whether it is a number.
    pub is_number: bool,
}

/// A property as operators see it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen<'u> {
    /// A text; the empty one where there is no such property.
    Text(&'u str),
    /// A number's text.
    Number(&'u str),
    /// A list's items.
    List(&'u [Item<'u>]),
}

impl<'a> User<'a> {
    /// The text of a property, if the user has it.
    pub fn property(&self, name: &str) -> Option<&str> {
        match name {
            "keyId" => Some(&self.key),
            "name" => Some(&self.name),
            _ => self.custom(name),
        }
    }

    /// Adds a property behind the others.
    pub fn push(&mut self, name: Cow<'a, str>, text: Cow<'a, str>, kind: Kind<'a>) {
        if kind != Kind::Text {
            self.kinds.resize(self.properties.len(), Kind::Text);
            self.kinds.push(kind);
        }
        self.properties.push((name, text));
    }

    /// The text of a property that is not built in.
    pub(crate) fn custom(&self, name: &str) -> Option<&str> {
        let mut properties = self.properties.iter();
        let (_, value) = properties.find(|(other, _)| other == name)?;
        Some(value)
    }

    /// A property that is not built in.
    pub(crate) fn seen(&self, name: &str) -> Seen<'_> {
        let mut properties = self.properties.iter().enumerate();
        let Some((place, (_, text))) = properties.find(|(_, (other, _))| other == name) else {
            return Seen::Text("");
        };
        match self.kinds.get(place) {
            None | Some(Kind::Text) => Seen::Text(text),
            Some(Kind::Number) => Seen::Number(text),
            Some(Kind::List(items)) => Seen::List(items),
        }
    }
}
