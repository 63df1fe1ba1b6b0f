//! Where the edge's environments come from.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use burgee_eval::time::Millis;

use crate::trace::Trace;

/// A boxed future, so that sources and sinks can be trait objects.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A place in an environment's history: two histories that share version and digest are the same
/// up to there; otherwise the full state is needed. 0/0 is the empty environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Position {
    /// Counts the environment's change sets.
    pub version: i64,
    /// The first 8 bytes of the chain hash after that version's rows.
    pub digest: u64,
}

/// `<version>.<digest>`, the latter in 16 hexadecimal digits: how it is told to programs.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:016x}", self.version, self.digest)
    }
}

impl Position {
    /// Reads what was told, whatever follows it behind a further dot.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let (version, digest) = (parts.next()?, parts.next()?);
        let are_digits = |text: &str, radix| text.chars().all(|digit| digit.is_digit(radix));
        if digest.len() != 16 || !are_digits(version, 10) || !are_digits(digest, 16) {
            return None;
        }
        Some(Self {
            version: version.parse().ok()?,
            digest: u64::from_str_radix(digest, 16).ok()?,
        })
    }
}

/// What an SDK key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// Values only.
    Client,
    /// Whole flags.
    Server,
}

impl KeyKind {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

/// A key that is valid now.
#[derive(Clone, PartialEq, Eq)]
pub struct SdkKey {
    /// What SDKs are configured with; looked up whole, exactly as it is here.
    pub secret: String,
    /// What it may do.
    pub kind: KeyKind,
}

/// An environment and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The environment's id.
    pub environment: String,
    /// Its newest position.
    pub position: Position,
}

/// All that the edge knows of an environment.
#[derive(Clone)]
pub struct State {
    /// The environment's id.
    pub environment: String,
    /// Where it stands.
    pub position: Position,
    /// When that version was committed, by the clock of whoever committed it; 0 where that is not
    /// known. Delivery is measured from then on.
    pub committed_at: Millis,
    /// The trace that it belongs to, where who asked for it is traced.
    pub trace: Option<Trace>,
    /// The highest stamp given out (never below any item's).
    pub last_stamp: Millis,
    /// Released flags; archived and deleted ones with `is_archived` (their tombstones are made
    /// when they are encoded). One per key.
    pub flags: Vec<Flag>,
    /// Segments in scope; archived and deleted ones with `is_archived`. One per id.
    pub segments: Vec<Segment>,
    /// The keys that are valid now.
    pub keys: Vec<SdkKey>,
    /// Of how many of a million users decisions are logged.
    pub decision_sample: u32,
}

/// What came after a position.
#[derive(Clone)]
pub enum Changes {
    /// The history goes on from there.
    Since(Delta),
    /// The position is not in the history, or too much came after: take this instead.
    Reload(State),
    /// The environment is gone.
    Gone,
}

/// The latest state of all that changed after a position, with nothing in between.
#[derive(Clone)]
pub struct Delta {
    /// Where the environment stands now.
    pub position: Position,
    /// When that version was committed, as in [`State::committed_at`].
    pub committed_at: Millis,
    /// As in [`State::trace`].
    pub trace: Option<Trace>,
    /// The highest stamp given out.
    pub last_stamp: Millis,
    /// Latest state of each changed flag (whole objects, as in [`State::flags`]).
    pub flags: Vec<Flag>,
    /// Latest state of each changed segment.
    pub segments: Vec<Segment>,
    /// All keys that are valid now, where keys changed.
    pub keys: Option<Vec<SdkKey>>,
    /// As in [`State::decision_sample`], whether or not that changed.
    pub decision_sample: u32,
}

/// The source cannot be asked now (database down, upstream away). Nothing is known to be wrong.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the source of environments cannot be reached: {0}")]
pub struct Unavailable(pub String);

/// Feeds the edge. Implemented by the server over its store; by a relay over its upstream.
pub trait Source: Send + Sync + 'static {
    /// All environments and where they stand. Cheap: asked at every wake-up.
    fn environments(&self) -> BoxFuture<'_, Result<Vec<Head>, Unavailable>>;

    /// Everything about one; `None` where it does not exist.
    fn state<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<State>, Unavailable>>;

    /// What came after `from`.
    fn changes<'a>(
        &'a self,
        id: &'a str,
        from: Position,
    ) -> BoxFuture<'a, Result<Changes, Unavailable>>;

    /// The environment and kind of a key, from the store of record (design §5: 4003 is said only
    /// after this said `None`).
    fn find_key<'a>(
        &'a self,
        secret: &'a str,
    ) -> BoxFuture<'a, Result<Option<(String, KeyKind)>, Unavailable>>;

    /// Whether this is the store of record: an environment that it does not have any more was
    /// deleted. Of another source that is not known; clients come back, and are answered anew.
    fn is_record(&self) -> bool {
        true
    }

    /// Resolves when something may have changed (a commit here, a notification, a poll interval).
    /// May resolve for nothing; never misses a change for longer than its poll interval.
    fn changed(&self) -> BoxFuture<'_, ()>;
}
