//! What is served, as it goes over the wire: whole environments, what came after a position, SDK
//! keys.

use burgee_edge::source::{self, KeyKind, Position, SdkKey};
use burgee_edge::trace::Trace;
use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use burgee_eval::time::Millis;
use serde::{Deserialize, Serialize};

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
    /// Of how many of a million users decisions are logged.
    #[serde(default)]
    pub decision_sample: u32,
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
    /// Of how many of a million users decisions are logged, whether or not that changed.
    #[serde(default)]
    pub decision_sample: u32,
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
            decision_sample: state.decision_sample,
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
            decision_sample: delta.decision_sample,
        }
    }
}
