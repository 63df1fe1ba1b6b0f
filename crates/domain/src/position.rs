//! Where a peer stands in an environment's history.

use std::fmt;

/// A place in an environment's log: the version, and the first 8 bytes of the chain hash after
/// that version's rows. Two histories that share both are the same up to there; a peer whose
/// digest is not in the log at its version gets the full state (design: restores, failovers and
/// copied files are noticed without anyone saying so).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Counts the environment's change sets; 0 is the empty environment.
    pub version: i64,
    /// The first 8 bytes of the chain hash, big-endian; 0 at version 0.
    pub digest: u64,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:016x}", self.version, self.digest)
    }
}
