//! What a node tells of its connections.

use serde::{Deserialize, Serialize};

use super::Times;

/// What sort of node it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeKind {
    /// It has the database.
    Server,
    /// It is fed by another one.
    Relay,
}

/// What one node tells of the environments whose figures moved. A node that stands between passes
/// on what it is told, so each says of itself who it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeReport {
    /// Names it: a server's running process, with another one after each start; a relay by the id
    /// that it keeps.
    pub node: String,
    /// What it is.
    pub kind: NodeKind,
    /// What people know it by.
    pub name: String,
    /// The `node` that it is fed by, where it is fed by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Its figures by environment (id). An environment without connections is told once more, with
    /// none.
    pub environments: Vec<(String, EnvironmentReport)>,
}

/// Where the connections of an environment are, on one node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentReport {
    /// All of them, those included that were not answered yet.
    pub connections: u64,
    /// By SDK, the most first; at most 50.
    pub sdks: Vec<SdkReport>,
    /// The newest versions that the node has, newest first. Not all: a node that was away for a
    /// while knows only the last of those that it missed.
    pub versions: Vec<VersionReport>,
}

/// Connections of one SDK.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SdkReport {
    /// `client` or `server`: what its key may do.
    pub kind: String,
    /// What it says that it is, a name or `name/version`; empty where it says nothing.
    pub agent: String,
    /// How many.
    pub connections: u64,
}

/// How far a version came on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionReport {
    /// Which.
    pub version: i64,
    /// When it was committed, in ms since 1970, by the clock of whoever committed it; 0 where that
    /// is not known.
    pub committed_at: i64,
    /// How long after that it reached this node, in ms, by both clocks; never negative.
    pub travelled: u64,
    /// Connections that have had it, or a newer one, written.
    pub written: u64,
    /// Connections that have received it, or a newer one.
    pub received: u64,
    /// How long after it reached the node it was written, to connections that had had an older one
    /// written before.
    pub written_after: Times,
    /// The same for received.
    pub received_after: Times,
}

/// So many of the newest versions of an environment are told of.
pub const TOLD: usize = 32;

/// As many sorts of SDKs are told of.
pub(super) const SDKS: usize = 50;

/// What an SDK says that it is has so many characters at most, where another node tells of it.
const AGENT: usize = 64;

impl EnvironmentReport {
    /// What of it can be: as it is where a node of ours tells it, cut where somebody else does.
    #[must_use]
    pub fn credible(mut self) -> Self {
        self.connections = self.connections.min(u64::from(u32::MAX));
        self.sdks
            .retain(|it| ["client", "server"].contains(&&*it.kind));
        self.sdks.truncate(SDKS);
        for sdk in &mut self.sdks {
            let text = sdk.agent.chars().filter(|it| !it.is_control());
            sdk.agent = text.take(AGENT).collect();
            sdk.connections = sdk.connections.min(self.connections);
        }
        self.versions.truncate(TOLD);
        for version in &mut self.versions {
            version.written = version.written.min(self.connections);
            version.received = version.received.min(version.written);
            version.written_after.cut();
            version.received_after.cut();
        }
        self
    }

    /// How far a version came here: the figures of the oldest one that is not older than it. None
    /// where the node has none that new.
    pub fn at(&self, version: i64) -> Option<&VersionReport> {
        let mut not_older = self.versions.iter().rev();
        not_older.find(|it| it.version >= version)
    }
}
