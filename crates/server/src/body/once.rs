//! JSON objects whose names are data: each may stand once. Readers of JSON take the last of two, so
//! that the first would be without effect and nobody told.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// Reads an object, and refuses one that has a name twice.
///
/// # Errors
/// Those of the format, and a name that stands twice.
pub fn each_once<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, T>, D::Error> {
    deserializer.deserialize_map(EachOnce(PhantomData))
}

/// As [`each_once`], where there may be null.
///
/// # Errors
/// As there.
pub fn each_once_if<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<BTreeMap<String, T>>, D::Error> {
    Ok(Option::<Once<T>>::deserialize(deserializer)?.map(|once| once.0))
}

struct Once<T>(BTreeMap<String, T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Once<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        each_once(deserializer).map(Self)
    }
}

struct EachOnce<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for EachOnce<T> {
    type Value = BTreeMap<String, T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut read = BTreeMap::new();
        while let Some((name, value)) = fields.next_entry::<String, T>()? {
            if read.contains_key(&name) {
                let shown: String = name.chars().take(64).collect();
                return Err(A::Error::custom(format!("`{shown}` stands there twice")));
            }
            read.insert(name, value);
        }
        Ok(read)
    }
}
