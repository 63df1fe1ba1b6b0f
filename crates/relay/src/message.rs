//! What a relay and its upstream say to each other: our own messages, version `burgee-1`.
//!
//! A relay is told whole items and positions (design §4, §6), so that it goes on where it was after
//! a gap, and can itself be an upstream. Every message is one binary WebSocket message: JSON,
//! compressed by zstd. JSON because items are JSON everywhere else; a state of thousands of flags
//! shrinks to a tenth of it.

mod forms;
mod packed;

use std::collections::BTreeMap;

use burgee_edge::delivery::NodeReport;
use serde::{Deserialize, Serialize};

use crate::traffic::Batch;

pub use forms::{Kind, Since, Whole, WireKey, place, sent};
pub(crate) use packed::unpack_beside;
pub use packed::{
    MAX_PACKED, MAX_PACKED_UP, MAX_TEXT, MAX_TEXT_UP, Unreadable, pack, unpack, unpack_within,
};

/// The version of these messages, as the query of the upgrade names it.
pub const VERSION: &str = "burgee-1";

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

#[cfg(test)]
mod tests;
