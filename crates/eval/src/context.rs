//! A context as OpenFeature has it, read as a user.
//!
//! `targetingKey` is the user's key and `name` the name; every other attribute becomes a property.
//! A number, a boolean and a text are that; a list is a list; of an object each part is a property
//! by its path (`address.city`), and the object itself is none; `null` is no value. What a context
//! may be is bounded, and one that is beyond is refused whole: left out in part, it would be
//! another context, and nobody would be told.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::json;
use crate::user::{Item, Kind, User};

/// Objects within objects: deeper ones are no attributes that somebody would write a path to.
const DEPTH: usize = 8;

/// So much of a path is said in an error, in characters.
const SHOWN: usize = 64;

/// What a context may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of the targeting key.
    pub key: usize,
    /// Bytes of the name.
    pub name: usize,
    /// Attributes, each part of an object being one.
    pub attributes: usize,
    /// Bytes of an attribute, path and text together.
    pub attribute: usize,
}

/// A context that was read, but for its attributes' values.
#[derive(Debug, Default)]
pub struct Context<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

/// Why a context is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no `targetingKey`, or it is blank.
    NoKey,
    /// An attribute breaks a rule.
    Attribute {
        /// Which, by its path.
        path: String,
        /// The rule, in words.
        rule: String,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKey => f.write_str("context.targetingKey is missing or blank"),
            Self::Attribute { path, rule } => write!(f, "context.{path}: {rule}"),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Context<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Attributes;
        impl<'de> Visitor<'de> for Attributes {
            type Value = Context<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with the context's attributes")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Context<'de>, M::Error> {
                let mut all = Vec::with_capacity(8);
                while let Some(Name(name)) = map.next_key()? {
                    all.push((name, map.next_value()?));
                }
                Ok(Context(all))
            }
        }
        deserializer.deserialize_map(Attributes)
    }
}

/// An attribute's name, where it stands if it can stay there.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Context<'a> {
    /// The user that it describes. Of two attributes of one name the first counts.
    ///
    /// # Errors
    /// It has no targeting key, or an attribute is over its limit.
    pub fn user(self, limits: &Limits) -> Result<User<'a>, Refused> {
        let mut reading = Reading {
            user: User {
                properties: Vec::with_capacity(self.0.len()),
                ..User::default()
            },
            limits,
        };
        let (mut key, mut name) = (None, None);
        for (attribute, value) in self.0 {
            match &*attribute {
                "targetingKey" => key = key.or(Some(value)),
                "name" => name = name.or(Some(value)),
                _ => reading.add(attribute, value, 1)?,
            }
        }
        let mut user = reading.user;
        user.key = targeting_key(key, limits.key)?;
        user.name = json::text(name);
        match user.name.len() > limits.name {
            true => Err(longer("name", limits.name)),
            false => Ok(user),
        }
    }
}

/// A context's attributes as they become a user's properties.
struct Reading<'a, 'l> {
    user: User<'a>,
    limits: &'l Limits,
}

impl<'a> Reading<'a, '_> {
    fn add(
        &mut self,
        path: Cow<'a, str>,
        value: &'a RawValue,
        depth: usize,
    ) -> Result<(), Refused> {
        let json = value.get();
        let (text, kind) = match json.as_bytes().first() {
            Some(b'n') => return Ok(()),
            Some(b'{') => return self.add_parts(&path, json, depth),
            Some(b'[') => {
                let items = items(json).map_err(|why| unread(&path, &why))?;
                (Cow::Borrowed(json), Kind::List(items))
            }
            Some(b'-' | b'0'..=b'9') => (shortest(json), Kind::Number),
            _ => (json::text(Some(value)), Kind::Text),
        };
        if path.len() + text.len() > self.limits.attribute {
            let most = self.limits.attribute;
            let rule = format!("an attribute has at most {most} bytes, path and value together");
            return Err(refused(&path, rule));
        }
        if self.user.properties.len() == self.limits.attributes {
            let most = self.limits.attributes;
            let rule = format!("it is one too many, a context has at most {most} attributes");
            return Err(refused(&path, rule));
        }
        self.user.push(path, text, kind);
        Ok(())
    }

    fn add_parts(&mut self, path: &str, json: &'a str, depth: usize) -> Result<(), Refused> {
        if depth == DEPTH {
            let rule = format!("objects lie in each other at most {DEPTH} deep");
            return Err(refused(path, rule));
        }
        let parts: Context<'a> = serde_json::from_str(json).map_err(|why| unread(path, &why))?;
        for (name, value) in parts.0 {
            self.add(Cow::Owned(format!("{path}.{name}")), value, depth + 1)?;
        }
        Ok(())
    }
}

fn targeting_key<'a>(value: Option<&'a RawValue>, most: usize) -> Result<Cow<'a, str>, Refused> {
    let is_text = |json: &RawValue| json.get().starts_with('"') || json.get() == "null";
    if value.is_some_and(|json| !is_text(json)) {
        return Err(refused("targetingKey", "it must be a string".to_owned()));
    }
    let key = json::text(value);
    match key.len() {
        _ if key.trim().is_empty() => Err(Refused::NoKey),
        length if length > most => Err(longer("targetingKey", most)),
        _ => Ok(key),
    }
}

/// The items of a list: what is itself a list or an object is its JSON text, `null` is none.
pub(crate) fn items(json: &str) -> serde_json::Result<Box<[Item<'_>]>> {
    let items: Vec<&RawValue> = serde_json::from_str(json)?;
    let there = items.into_iter().filter(|item| item.get() != "null");
    let read = there.map(|item| {
        let json = item.get();
        let is_number = json.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        Item {
            text: match is_number {
                true => shortest(json),
                false => json::text(Some(item)),
            },
            is_number,
        }
    });
    Ok(read.collect())
}

/// The shortest way to write a JSON number, in digits and without an exponent: so that `42`, `42.0`
/// and `4.2e1` are one text, whichever of them a program's JSON has. A whole number stays as it is,
/// also where 64-bit floating point could not hold it.
pub fn shortest(number: &str) -> Cow<'_, str> {
    let digits = number.strip_prefix('-').unwrap_or(number);
    let is_whole = number != "-0" && digits.bytes().all(|byte| byte.is_ascii_digit());
    match number.parse::<f64>() {
        Ok(value) if !is_whole => Cow::Owned((value + 0.0).to_string()),
        _ => Cow::Borrowed(number),
    }
}

fn longer(path: &str, most: usize) -> Refused {
    refused(path, format!("it has at most {most} bytes"))
}

fn unread(path: &str, why: &serde_json::Error) -> Refused {
    refused(path, format!("it cannot be read: {why}"))
}

fn refused(path: &str, rule: String) -> Refused {
    let path = path.chars().take(SHOWN).collect();
    Refused::Attribute { path, rule }
}
