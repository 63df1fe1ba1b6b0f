//! What a change set did: what the store writes, and what a dry run shows.

use std::collections::BTreeMap;

use burgee_eval::time::Millis;
use serde::{Deserialize, Serialize};

use crate::id::Id;
use crate::key::Key;
use crate::model::{Environment, Flag, Organization, Project, Segment, Targeting};
use crate::position::Position;

/// The part of an item that two writers would collide in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Facet {
    /// A flag × environment: on or off.
    OnOff,
    /// A flag × environment: the targets of one variation.
    Targets(String),
    /// A flag × environment: one rule.
    Rule(String),
    /// A flag × environment: the order of the rules.
    RuleOrder,
    /// A flag × environment: the default rule.
    DefaultRule,
    /// A flag × environment: the off variation.
    OffVariation,
    /// A flag × environment: what other flags have to serve first.
    Prerequisites,
    /// A flag × environment: experiment and tracking settings.
    Tracking,
    /// A flag: its variations.
    Variations,
    /// A flag or a segment: name, description, tags.
    Metadata,
    /// A flag or a segment: made, archived, restored, deleted.
    Life,
    /// A segment: the included users.
    Included,
    /// A segment: the excluded users.
    Excluded,
    /// A segment: the rules.
    SegmentRules,
}

/// Whose version a change moves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Scope {
    /// Shared segments.
    Organization(Id<Organization>),
    /// Flag definitions and shared segments.
    Project(Id<Project>),
    /// What an environment serves.
    Environment(Id<Environment>),
}

/// What was changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Item {
    /// A flag, by id and key.
    Flag(Id<Flag>, Key),
    /// A segment, by id and key.
    Segment(Id<Segment>, Key),
}

impl Item {
    /// The id, of whichever kind.
    pub fn id(&self) -> &str {
        match self {
            Self::Flag(id, _) => id.as_str(),
            Self::Segment(id, _) => id.as_str(),
        }
    }

    /// The key, of whichever kind.
    pub fn key(&self) -> &Key {
        match self {
            Self::Flag(_, key) | Self::Segment(_, key) => key,
        }
    }
}

/// One row of the log: an item in a scope at the scope's new version.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    /// What was changed.
    pub item: Item,
    /// Which parts of it.
    pub facets: Vec<Facet>,
    /// Indices into the change set's commands.
    pub commands: Vec<usize>,
    /// The item afterwards as JSON: in an environment the served shape with what SDKs are not told
    /// ([`crate::served::LoggedFlag`], [`crate::served::LoggedSegment`]; stamp included, archived
    /// and deleted ones with `isArchived` true and everything else kept), in a project or
    /// organization the definition.
    pub image: String,
}

/// A scope that moves to its next version.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Which.
    pub scope: Scope,
    /// The new version.
    pub position: Position,
    /// The chain hash at `position`; zeros for scopes without a chain (organization, project).
    pub chain: [u8; 32],
    /// The highest stamp afterwards (environments).
    pub last_stamp: Millis,
    /// In order: segments first, then flags turned off, then flags turned on.
    pub entries: Vec<LogEntry>,
}

/// A flag whose definition is new or changed.
#[derive(Clone, Debug, PartialEq)]
pub struct FlagEdit {
    /// Where it belongs.
    pub project: Id<Project>,
    /// As it was; `None` for a new one.
    pub before: Option<Flag>,
    /// As it is; `life` says whether it was archived or deleted.
    pub after: Flag,
}

/// A targeting that is new or changed (also when only its stamp is).
#[derive(Clone, Debug, PartialEq)]
pub struct TargetingEdit {
    /// Of which flag.
    pub flag: Id<Flag>,
    /// Where.
    pub environment: Id<Environment>,
    /// As it was; `None` where the flag was not released.
    pub before: Option<Targeting>,
    /// As it is.
    pub after: Targeting,
}

/// A segment that is new or changed, and its stamps in the environments that serve it.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentEdit {
    /// As it was; `None` for a new one.
    pub before: Option<Segment>,
    /// As it is.
    pub after: Segment,
    /// The new stamp for each environment in its scope.
    pub stamps: Vec<(Id<Environment>, Millis)>,
}

/// Something the author should know, that does not stop the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    /// A stable code, e.g. `operatorUnknownToSdks`.
    pub code: String,
    /// The index of the command that it is about.
    pub command: Option<usize>,
    /// What the message is made of, by name; empty where it is made of nothing.
    #[serde(default)]
    pub params: BTreeMap<String, String>,
    /// In plain words.
    pub message: String,
}

/// All that a change set did. Empty lists: it changed nothing, and no version moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Definitions to write.
    pub flags: Vec<FlagEdit>,
    /// Targetings to write.
    pub targetings: Vec<TargetingEdit>,
    /// Segments to write.
    pub segments: Vec<SegmentEdit>,
    /// Versions that move, with their log rows. Environments in id order.
    pub steps: Vec<Step>,
    /// What the author should know.
    pub warnings: Vec<Warning>,
}
