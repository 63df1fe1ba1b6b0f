//! Where a peer stands in an environment's history, and the chain that proves it.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::outcome::{Item, LogEntry};

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

impl Position {
    /// The position after `version`'s rows, whose chain hash is `chain`.
    pub fn new(version: i64, chain: &[u8; 32]) -> Self {
        let [a, b, c, d, e, f, g, h, ..] = *chain;
        Self {
            version,
            digest: u64::from_be_bytes([a, b, c, d, e, f, g, h]),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:016x}", self.version, self.digest)
    }
}

/// One row of a log as the chain sees it. Rows of other kinds than flags and segments (SDK keys,
/// settings) are chained by the same rule.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// What kind of thing it is about, e.g. `flag`.
    pub kind: &'a str,
    /// The thing's id.
    pub id: &'a str,
    /// The digest of the thing afterwards ([`image_digest`]): a body that is redacted or pruned
    /// leaves its digest, and the chain still verifies.
    pub image: [u8; 32],
    /// Which parts of it changed, as JSON.
    pub facets: &'a str,
}

/// What stands for an image in the chain: SHA-256 of its JSON.
pub fn image_digest(image: &str) -> [u8; 32] {
    Sha256::digest(image.as_bytes()).into()
}

/// The chain hash after further rows: SHA-256 over the hash before and each row's fields, every
/// field led by its length in 8 bytes (big-endian), so that no two lists of rows read the same.
pub fn chain_rows<'a>(previous: [u8; 32], rows: impl IntoIterator<Item = Row<'a>>) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(previous);
    for row in rows {
        let fields = [row.kind.as_bytes(), row.id.as_bytes(), &row.image];
        for field in fields.into_iter().chain([row.facets.as_bytes()]) {
            hash.update((field.len() as u64).to_be_bytes());
            hash.update(field);
        }
    }
    hash.finalize().into()
}

/// The chain hash after a version's entries.
pub fn chain(previous: [u8; 32], entries: &[LogEntry]) -> [u8; 32] {
    let facets: Vec<String> = entries.iter().map(facets_json).collect();
    let rows = entries.iter().zip(&facets).map(|(entry, facets)| {
        let (kind, id) = match &entry.item {
            Item::Flag(id, _) => ("flag", id.as_str()),
            Item::Segment(id, _) => ("segment", id.as_str()),
        };
        Row {
            kind,
            id,
            image: image_digest(&entry.image),
            facets,
        }
    });
    chain_rows(previous, rows)
}

/// An entry's facets as the JSON that is chained, and that the log keeps.
pub fn facets_json(entry: &LogEntry) -> String {
    serde_json::json!(entry.facets).to_string()
}
