//! Who a flag is evaluated for.
//!
//! A property is a text: FeatBit's SDKs send nothing else, nothing else is stored of users, and
//! rollouts hash it. What a typed context ([`crate::context`]) says of a property besides lies
//! beside the texts, not in their place: for a user without types nothing is different.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::context;

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

/// What a property is where it is more than a text. What is kept of users has that beside the
/// texts, from which the rest can be told ([`User::types`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = PropertyType))]
#[serde(rename_all = "camelCase")]
pub enum Type {
    /// A number.
    Number,
    /// A list.
    List,
}

impl Type {
    const ALL: [(char, Self); 2] = [('n', Self::Number), ('l', Self::List)];
    /// Of a property that is a text alone.
    const TEXT: char = 't';

    /// Those that these letters mean, in order; any other letter is a text's.
    pub fn read(letters: &str) -> impl Iterator<Item = Option<Self>> {
        letters.chars().map(|letter| {
            let found = Self::ALL.iter().find(|it| it.0 == letter);
            found.map(|it| it.1)
        })
    }

    /// The letters of these, as [`Self::read`] reads them: none where all are texts.
    pub fn write(types: impl Iterator<Item = Option<Self>>) -> String {
        let letter = |of: Option<Self>| {
            let found = Self::ALL.iter().find(|it| Some(it.1) == of);
            found.map_or(Self::TEXT, |it| it.0)
        };
        let mut letters: String = types.map(letter).collect();
        letters.truncate(letters.trim_end_matches(Self::TEXT).len());
        letters
    }

    /// What a property of this type and text is; a text, where the text is none of that type.
    pub fn of(self, text: &str) -> Kind<'_> {
        match self {
            Self::Number if text.parse::<f64>().is_ok() => Kind::Number,
            Self::Number => Kind::Text,
            Self::List => context::items(text).map_or(Kind::Text, Kind::List),
        }
    }
}

impl Kind<'_> {
    /// The type, if it is more than a text.
    pub fn type_of(&self) -> Option<Type> {
        match self {
            Self::Text => None,
            Self::Number => Some(Type::Number),
            Self::List(_) => Some(Type::List),
        }
    }
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

    /// Each property with its type.
    pub fn typed(&self) -> impl Iterator<Item = (&str, &str, Option<Type>)> + Clone {
        let properties = self.properties.iter().enumerate();
        properties.map(|(place, (name, text))| {
            let kind = self.kinds.get(place);
            (&**name, &**text, kind.and_then(Kind::type_of))
        })
    }

    /// The types of the properties, a letter for each; empty where all are texts.
    pub fn types(&self) -> String {
        Type::write(self.kinds.iter().map(Kind::type_of))
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
