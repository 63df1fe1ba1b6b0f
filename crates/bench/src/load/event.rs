//! What the generator notices.

use std::fmt;
use std::time::Duration;

use super::shape::Shape;

/// A moment: microseconds since the engine began. A span, too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Micros(pub u64);

impl Micros {
    /// From this moment until a later one; zero where it is earlier.
    pub fn until(self, later: Self) -> u64 {
        later.0.saturating_sub(self.0)
    }

    /// The moment a span later.
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(Self::from(span).0))
    }

    /// In seconds.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl From<Duration> for Micros {
    fn from(span: Duration) -> Self {
        Self(u64::try_from(span.as_micros()).unwrap_or(u64::MAX))
    }
}

impl From<Micros> for Duration {
    fn from(span: Micros) -> Self {
        Self::from_micros(span.0)
    }
}

/// A connection's name; never given to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    pub(super) slot: u32,
    pub(super) generation: u32,
}

/// Something that happened to a connection.
#[derive(Debug, Clone)]
pub struct Event {
    /// Which connection.
    pub key: Key,
    /// When it was noticed.
    pub at: Micros,
    /// What.
    pub what: What,
}

/// What happened. Spans are microseconds.
#[derive(Debug, Clone)]
pub enum What {
    /// It is connected and upgraded; its `data-sync` is on its way.
    Upgraded {
        /// Since the connect was to be.
        took: u64,
    },
    /// A `data-sync` was answered in full.
    Synced {
        /// Since it was sent, or was to be.
        took: u64,
        /// Since the connect was to be; `None` where this was a further `data-sync`.
        whole: Option<u64>,
        /// What was answered.
        shape: Shape,
    },
    /// The server sent a patch, or a whole state, by itself.
    Pushed(Shape),
    /// A ping was answered.
    Ponged {
        /// Since the ping was to be.
        took: u64,
    },
    /// It was closed as we wished, and the server said goodbye.
    Closed,
    /// A message's newest version is older than one that came before it on this connection.
    WentBack,
    /// An answer is not of the shape that every answer must have; the connection goes on.
    Misshapen,
    /// The connection is over, and should not be.
    Failed(Failure),
}

/// Why a connection ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// This process, or the machine, may open no more files.
    NoFileLeft,
    /// No socket could be had here, or it could not be connected.
    Connect(std::io::ErrorKind),
    /// The upgrade was refused with this status.
    Refused(u16),
    /// What came is no WebSocket.
    Protocol(&'static str),
    /// The server closed it with this code.
    ClosedWith(u16),
    /// The server closed it without a word.
    Ended,
    /// It broke.
    Broken(std::io::ErrorKind),
    /// Nothing came in time.
    NoAnswer(Awaited),
}

/// Why a request could not be sent on a connection of its own.
pub(super) fn not_connected(error: &std::io::Error) -> &'static str {
    match Failure::connect(error) {
        Failure::NoFileLeft => NO_FILE_LEFT,
        _ => "not connected",
    }
}

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Awaited {
    /// The answer to the upgrade, or the connect before it.
    Upgrade,
    /// The answer to a `data-sync`.
    Sync,
    /// The answer to a ping.
    Pong,
    /// The server's part in closing.
    Goodbye,
}

/// What is said where this process or machine is the limit, not the server.
const NO_FILE_LEFT: &str = "not connected: the limit of open files is reached here";

impl Failure {
    /// Why a socket could not be had or connected.
    pub fn connect(error: &std::io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::EMFILE | libc::ENFILE) => Self::NoFileLeft,
            _ => Self::Connect(error.kind()),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFileLeft => f.write_str(NO_FILE_LEFT),
            Self::Connect(kind) => write!(f, "not connected: {kind}"),
            Self::Refused(status) => write!(f, "upgrade refused with {status}"),
            Self::Protocol(what) => write!(f, "not understood: {what}"),
            Self::ClosedWith(code) => write!(f, "closed by the server with {code}"),
            Self::Ended => f.write_str("ended by the server without a word"),
            Self::Broken(kind) => write!(f, "broken: {kind}"),
            Self::NoAnswer(Awaited::Upgrade) => f.write_str("no answer to the upgrade"),
            Self::NoAnswer(Awaited::Sync) => f.write_str("no answer to data-sync"),
            Self::NoAnswer(Awaited::Pong) => f.write_str("no answer to a ping"),
            Self::NoAnswer(Awaited::Goodbye) => f.write_str("no answer to closing"),
        }
    }
}

#[cfg(test)]
mod tests;
