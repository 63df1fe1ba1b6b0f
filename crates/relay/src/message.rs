//! What a relay and its upstream say to each other: our own messages, version `burgee-1`.
//!
//! A relay is told whole items and positions (design §4, §6), so that it goes on where it was after
//! a gap, and can itself be an upstream. Every message is one binary WebSocket message: JSON,
//! compressed by zstd. JSON because items are JSON everywhere else; a state of thousands of flags
//! shrinks to a tenth of it.

use std::collections::BTreeMap;
use std::io::Read;

use burgee_edge::delivery::NodeReport;
use burgee_edge::source::{self, KeyKind, Position, SdkKey};
use burgee_edge::trace::Trace;
use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use burgee_eval::time::Millis;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::traffic::Batch;

/// The version of these messages, as the query of the upgrade names it.
pub const VERSION: &str = "burgee-1";

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

/// From an upstream to a relay.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToRelay {
    /// These environments, by id, are the relay's; it lets go of all others.
    Scope(Vec<String>),
    /// All that is known of an environment.
    State(Whole),
    /// What came after a position.
    Delta(Since),
    /// All environments of the scope were sent, as they are now.
    Level,
    /// The answer to [`ToUpstream::Find`].
    Found {
        /// The question's number.
        question: u64,
        /// Whose key it is.
        answer: Answer<(String, Kind)>,
    },
    /// The answer to [`ToUpstream::FindRelay`].
    FoundRelay {
        /// The question's number.
        question: u64,
        /// What the key opens.
        answer: Answer<Opened>,
    },
    /// The answer to [`ToUpstream::Batch`].
    Taken {
        /// The batch's sender.
        sender: String,
        /// The batch's number.
        sequence: i64,
        /// What became of it; none where it could not be stored.
        taken: Option<Taken>,
        /// Why it will never be stored; none where it can be sent again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<String>,
    },
}

/// From a relay to its upstream.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToUpstream {
    /// The first message: who it is, and what it has.
    Hello {
        /// As in the agents that it tells of.
        agent: Agent,
        /// Where its environments stand, by id.
        positions: BTreeMap<String, (i64, u64)>,
    },
    /// Whose SDK key is this?
    Find {
        /// The question's number.
        question: u64,
        /// The key.
        secret: Secret,
    },
    /// What does this relay key open? Asked by a relay that feeds others.
    FindRelay {
        /// The question's number.
        question: u64,
        /// The key.
        secret: Secret,
    },
    /// Users, counts, exposures and events.
    Batch(Batch),
    /// SDK keys that were used just now.
    KeysUsed(Vec<Secret>),
    /// How a relay is, its own or of one that hangs on it.
    Status(Report),
    /// A relay that hung on it is gone, by its agent's id.
    Gone(String),
    /// How far versions came among a relay's connections, its own or one's that hangs on it; `node`
    /// is its agent's id.
    Delivery(NodeReport),
}

/// A key, which no log shows.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(secret)")
    }
}

/// An answer of the store of record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Answer<T> {
    /// This.
    Is(T),
    /// There is none: it said so.
    None,
    /// It could not be asked, or must not be told.
    Unavailable,
}

/// What a relay key opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Opened {
    /// The key's id.
    pub key: String,
    /// Ids of environments, sorted.
    pub environments: Vec<String>,
    /// The keys of the project and of the environment, by these ids, as far as they are known.
    #[serde(default)]
    pub names: BTreeMap<String, (String, String)>,
}

impl Opened {
    /// Whether this environment (by id) is among them.
    pub fn opens(&self, environment: &str) -> bool {
        let ids = &self.environments;
        ids.binary_search_by(|it| it.as_str().cmp(environment))
            .is_ok()
    }
}

/// A relay as it introduces itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Unique and kept: a UUID.
    pub id: String,
    /// For people; the host's name.
    pub name: String,
    /// Of its program; empty where it does not say.
    pub version: String,
    /// What kind of program that is.
    #[serde(default)]
    pub kind: AgentKind,
}

/// What a relay is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentKind {
    /// `burgee relay`.
    #[default]
    Burgee,
    /// An agent of FeatBit's.
    FeatBit,
}

/// How a relay is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Which.
    pub agent: Agent,
    /// How many SDKs are connected to it.
    pub connections: u64,
    /// Where the environments stand that it serves, by id.
    pub environments: BTreeMap<String, (i64, u64)>,
    /// The id of the relay key that it came with; filled in by whom it hangs on.
    #[serde(default)]
    pub key: String,
    /// Where it was connected from; filled in by whom it hangs on.
    #[serde(default)]
    pub address: String,
    /// The agent id of the relay that it hangs on; none where that is a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
}

/// What became of a batch, as [`burgee_edge::sink::Taken`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Taken {
    /// Places of users who were known before.
    pub known_users: Vec<usize>,
    /// Events with too many names.
    pub event_names: u64,
}

/// All that is known of an environment: [`source::State`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Whole {
    /// The environment's id.
    pub environment: String,
    /// Version and digest.
    pub position: (i64, u64),
    /// When that version was committed; 0 where that is not known.
    #[serde(default)]
    pub committed_at: Millis,
    /// The trace that it belongs to, where who asked for it is traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// The highest stamp given out.
    pub last_stamp: Millis,
    /// Released flags, and archived ones.
    pub flags: Vec<Flag>,
    /// Segments in scope, and archived ones.
    pub segments: Vec<Segment>,
    /// The keys that are valid.
    pub keys: Vec<WireKey>,
}

/// What came after a position: [`source::Delta`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Since {
    /// The environment's id.
    pub environment: String,
    /// After this one.
    pub from: (i64, u64),
    /// Version and digest now.
    pub position: (i64, u64),
    /// When that version was committed; 0 where that is not known.
    #[serde(default)]
    pub committed_at: Millis,
    /// The trace that it belongs to, where who asked for it is traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// The highest stamp given out.
    pub last_stamp: Millis,
    /// The latest state of each changed flag.
    pub flags: Vec<Flag>,
    /// The latest state of each changed segment.
    pub segments: Vec<Segment>,
    /// All keys that are valid, where keys changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<WireKey>>,
}

/// A valid SDK key.
#[derive(Clone, Serialize, Deserialize)]
pub struct WireKey {
    /// What SDKs are configured with.
    pub secret: String,
    /// What it may do.
    pub kind: Kind,
}

impl std::fmt::Debug for WireKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WireKey").field("kind", &self.kind).finish()
    }
}

/// What a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// Values only.
    Client,
    /// Whole flags.
    Server,
}

impl From<KeyKind> for Kind {
    fn from(kind: KeyKind) -> Self {
        match kind {
            KeyKind::Client => Self::Client,
            KeyKind::Server => Self::Server,
        }
    }
}

impl From<Kind> for KeyKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Client => Self::Client,
            Kind::Server => Self::Server,
        }
    }
}

impl From<&SdkKey> for WireKey {
    fn from(key: &SdkKey) -> Self {
        Self {
            secret: key.secret.clone(),
            kind: key.kind.into(),
        }
    }
}

impl From<WireKey> for SdkKey {
    fn from(key: WireKey) -> Self {
        Self {
            secret: key.secret,
            kind: key.kind.into(),
        }
    }
}

/// A position as it is sent.
pub fn sent(position: Position) -> (i64, u64) {
    (position.version, position.digest)
}

/// A position as it was sent.
pub fn place((version, digest): (i64, u64)) -> Position {
    Position { version, digest }
}

impl From<source::State> for Whole {
    fn from(state: source::State) -> Self {
        Self {
            environment: state.environment,
            position: sent(state.position),
            committed_at: state.committed_at,
            trace: state.trace,
            last_stamp: state.last_stamp,
            flags: state.flags,
            segments: state.segments,
            keys: state.keys.iter().map(Into::into).collect(),
        }
    }
}

impl Since {
    /// What came after `from` in an environment.
    pub fn new(environment: &str, from: Position, delta: source::Delta) -> Self {
        let keys = delta.keys.as_ref();
        Self {
            environment: environment.to_owned(),
            from: sent(from),
            position: sent(delta.position),
            committed_at: delta.committed_at,
            trace: delta.trace,
            last_stamp: delta.last_stamp,
            keys: keys.map(|keys| keys.iter().map(Into::into).collect()),
            flags: delta.flags,
            segments: delta.segments,
        }
    }
}

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
pub(crate) fn unpack_known<T: DeserializeOwned>(
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

#[cfg(test)]
mod tests;
