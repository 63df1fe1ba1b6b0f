//! Reading FeatBit's files: each item by itself, so that a bad one hurts only itself.

use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What the files hold.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Flags, in the file's order.
    pub flags: Vec<Entry<Flag>>,
    /// Segments, in the file's order.
    pub segments: Vec<Entry<Segment>>,
}

/// An item, or why it is none.
pub type Entry<T> = Result<T, Unreadable>;

/// An item of a file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Its key, name or id, or its place in the file.
    pub name: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A file that is no list of items.
#[derive(Debug, thiserror::Error)]
#[error("the {file} file must hold a JSON array of objects: {source}")]
pub struct ReadError {
    /// `flags` or `segments`.
    pub file: &'static str,
    /// What is wrong with it.
    pub source: serde_json::Error,
}

/// Reads the two files: JSON arrays of the objects that FeatBit serves to server SDKs.
///
/// # Errors
/// Where a file is no JSON array.
pub fn read(flags: &str, segments: &str) -> Result<Input, ReadError> {
    Ok(Input {
        flags: items("flags", flags)?,
        segments: items("segments", segments)?,
    })
}

/// As [`read`], for lists that were read already.
pub fn read_values(flags: Vec<Value>, segments: Vec<Value>) -> Input {
    Input {
        flags: flags.into_iter().enumerate().map(item).collect(),
        segments: segments.into_iter().enumerate().map(item).collect(),
    }
}

fn items<T: DeserializeOwned>(file: &'static str, text: &str) -> Result<Vec<Entry<T>>, ReadError> {
    let items: Vec<Value> =
        serde_json::from_str(text).map_err(|source| ReadError { file, source })?;
    Ok(items.into_iter().enumerate().map(item).collect())
}

fn item<T: DeserializeOwned>((index, value): (usize, Value)) -> Entry<T> {
    let text = |field: &str| {
        value
            .get(field)
            .and_then(Value::as_str)
            .filter(|it| !it.is_empty())
    };
    let name = text("key").or(text("name")).or(text("id"));
    let name = name.map_or_else(|| format!("#{}", index + 1), ToOwned::to_owned);
    serde_path_to_error::deserialize(value).map_err(|error| Unreadable {
        name,
        reason: format!("{}: {}", error.path(), error.inner()),
    })
}
