//! Messages as bytes: compressed JSON, taken apart within limits.

use std::collections::BTreeMap;
use std::io::Read;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// How hard messages are compressed: zstd's default is as fast as the JSON is written.
const LEVEL: i32 = 3;

/// A message may have so many bytes before it is compressed: an environment with tens of thousands
/// of large flags.
pub const MAX_TEXT: u64 = 1 << 30;

/// A message may have so many bytes as it is sent.
pub const MAX_PACKED: usize = 256 << 20;

/// The same of what a relay says: a batch has half a megabyte as a rule.
pub const MAX_TEXT_UP: u64 = 32 << 20;

/// What a relay says may have so many bytes as it is sent.
pub const MAX_PACKED_UP: usize = 8 << 20;

/// Why bytes are no message.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// They are not compressed, or more than [`MAX_TEXT`].
    #[error("the message cannot be unpacked: {0}")]
    Packed(#[from] std::io::Error),
    /// The text is no message of this version.
    #[error("the message is not of this version: {0}")]
    Text(#[from] serde_json::Error),
    /// The thread that unpacked it panicked.
    #[error("the message was not unpacked: {0}")]
    Panicked(#[from] tokio::task::JoinError),
}

/// A message as it is sent.
///
/// # Errors
/// Where an item cannot be written as JSON, which none is known to do.
pub fn pack(message: &impl Serialize) -> Result<Vec<u8>, Unreadable> {
    let mut packed = zstd::Encoder::new(Vec::new(), LEVEL)?;
    serde_json::to_writer(&mut packed, message)?;
    Ok(packed.finish()?)
}

/// A message as it was sent, of a text of at most [`MAX_TEXT`] bytes.
///
/// # Errors
/// [`Unreadable`].
pub fn unpack<T: DeserializeOwned>(packed: &[u8]) -> Result<T, Unreadable> {
    unpack_within(packed, MAX_TEXT)
}

/// A message as it was sent, of a text of at most `limit` bytes: so much memory is used, and no
/// more, whatever the bytes are.
///
/// # Errors
/// [`Unreadable`].
pub fn unpack_within<T: DeserializeOwned>(packed: &[u8], limit: u64) -> Result<T, Unreadable> {
    let text = zstd::Decoder::with_buffer(packed)?.take(limit);
    Ok(serde_json::from_reader(std::io::BufReader::new(text))?)
}

/// The same of a peer that may be newer; none where it is a message of a kind that is not known here,
/// so that it can be passed over.
///
/// # Errors
/// [`Unreadable`].
pub(super) fn unpack_known<T: DeserializeOwned>(
    packed: &[u8],
    limit: u64,
) -> Result<Option<T>, Unreadable> {
    match unpack_within(packed, limit) {
        Ok(message) => Ok(Some(message)),
        Err(Unreadable::Text(error)) => {
            let (Kinded::Named(kind) | Kinded::Alone(kind)) = unpack_within(packed, limit)?;
            let unknown = format!("unknown variant `{kind}`");
            match error.to_string().starts_with(&unknown) {
                true => Ok(None),
                false => Err(error.into()),
            }
        }
        Err(damaged) => Err(damaged),
    }
}

/// The kind of a message, whatever is in it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Kinded {
    /// Of one with nothing in it.
    Alone(String),
    /// Of one with something in it.
    #[serde(deserialize_with = "only_key")]
    Named(String),
}

fn only_key<'de, D: serde::Deserializer<'de>>(text: D) -> Result<String, D::Error> {
    let fields = BTreeMap::<String, serde::de::IgnoredAny>::deserialize(text)?;
    let mut kinds = fields.into_keys();
    let missing = || serde::de::Error::custom("no message");
    kinds.next().ok_or_else(missing)
}

/// From so many bytes on a message is unpacked where it keeps nobody waiting.
const LARGE: usize = 64 * 1024;

/// [`unpack_known`], beside the others' work where it is large.
pub(crate) async fn unpack_beside<T: DeserializeOwned + Send + 'static>(
    packed: bytes::Bytes,
    limit: u64,
) -> Result<Option<T>, Unreadable> {
    if packed.len() < LARGE {
        return unpack_known(&packed, limit);
    }
    tokio::task::spawn_blocking(move || unpack_known(&packed, limit)).await?
}
