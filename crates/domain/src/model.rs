//! The things that are managed, as plain data. Shapes of targeting are those of `burgee-eval`.

use burgee_eval::flag::{Fallthrough, Prerequisite, Rule, TargetUsers, Variation, VariationType};
use burgee_eval::segment::SegmentRule;
use burgee_eval::time::Millis;
use serde::{Deserialize, Serialize};

use crate::colour::Colour;
use crate::decision_log::Sample;
use crate::id::Id;
use crate::key::Key;
use crate::position::Position;
use crate::staleness::StaleDays;

/// The top of everything; every object is looked up inside one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Organization {
    /// Unique.
    pub id: Id<Organization>,
    /// Unique without regard to case.
    pub key: Key,
    /// The display name.
    pub name: String,
    /// Counts changes of what belongs to the organization itself (its shared segments).
    pub version: i64,
}

/// A set of flags with their environments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Unique.
    pub id: Id<Project>,
    /// Whose it is.
    pub organization: Id<Organization>,
    /// Unique in the organization, without regard to case.
    pub key: Key,
    /// The display name.
    pub name: String,
    /// Counts changes of flag definitions (variations, metadata, archive) and shared segments.
    pub version: i64,
    /// When its flags are stale.
    pub stale_days: StaleDays,
    /// When it was made.
    pub created_at: Millis,
}

/// A place where flags are served: each has its own targeting, keys and history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Unique; the part of an SDK key that FeatBit's SDKs carry it in.
    pub id: Id<Environment>,
    /// Whose it is.
    pub project: Id<Project>,
    /// Unique in the project, without regard to case.
    pub key: Key,
    /// The display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// A mark that people see and that policies can name; it cannot be deleted while it has it.
    pub protected: bool,
    /// The colour by which people know it.
    pub colour: Colour,
    /// Of which users its decisions are logged.
    pub decisions: Sample,
    /// Its place among the project's environments.
    pub sort: i64,
    /// Where its history stands.
    pub position: Position,
    /// The whole chain hash, 32 bytes, whose first 8 are the position's digest.
    pub chain: [u8; 32],
    /// The highest stamp given out here; stamps only rise.
    pub last_stamp: Millis,
    /// When it was made.
    pub created_at: Millis,
}

/// What an SDK key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SdkKeyKind {
    /// Browsers and phones: values only. Public by nature.
    Client,
    /// Back ends: whole flags with their rules. A secret.
    Server,
}

/// A key that SDKs connect with.
#[derive(Clone, PartialEq, Eq)]
pub struct SdkKey {
    /// Unique; what the API names it by.
    pub id: Id<SdkKey>,
    /// Where it belongs.
    pub environment: Id<Environment>,
    /// What it may do.
    pub kind: SdkKeyKind,
    /// The display name.
    pub name: String,
    /// The 44 characters that SDKs are configured with (or an adopted FeatBit secret).
    pub secret: String,
    /// When it was made.
    pub created_at: Millis,
    /// When it was used for the first time, to about a second.
    pub first_used_at: Option<Millis>,
    /// When it was last used, to about a minute.
    pub last_used_at: Option<Millis>,
    /// When it ends by itself, where it was rotated.
    pub ends_at: Option<Millis>,
    /// The key that it was rotated to.
    pub successor: Option<Id<SdkKey>>,
    /// When it was revoked or ended, if it was.
    pub revoked_at: Option<Millis>,
}

impl std::fmt::Debug for SdkKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SdkKey")
            .field("id", &self.id)
            .field("environment", &self.environment)
            .field("kind", &self.kind)
            .field("secret", &"…")
            .finish_non_exhaustive()
    }
}

/// Where a flag or a segment is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Life {
    /// In use.
    #[default]
    Live,
    /// Serves nothing; can be restored.
    Archived,
    /// Gone; only its tombstone is left, until its key is used again.
    Deleted,
}

/// A flag as its project knows it, the same in all environments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Flag {
    /// Unique; kept from the first import.
    pub id: Id<Flag>,
    /// Unique in the project, without regard to case.
    pub key: Key,
    /// The display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// Never changes.
    #[serde(rename = "type")]
    pub kind: VariationType,
    /// At least one.
    pub variations: Vec<Variation>,
    /// For filters and policies.
    pub tags: Vec<String>,
    /// What a new environment's default rule serves.
    pub default_on: String,
    /// What a new environment serves while the flag is off.
    pub default_off: String,
    /// Where it is in its life.
    pub life: Life,
    /// When it was made.
    pub created_at: Millis,
}

/// A flag's targeting in one environment. It exists where the flag was released: edited once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Targeting {
    /// On or off.
    pub is_enabled: bool,
    /// What other flags have to serve first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prerequisites: Vec<Prerequisite>,
    /// Individual targets, one list per variation.
    pub target_users: Vec<TargetUsers>,
    /// Tried in order.
    pub rules: Vec<Rule>,
    /// The default rule.
    pub fallthrough: Fallthrough,
    /// What is served while off.
    pub off_variation: String,
    /// Whether all users, targets too, are part of an experiment.
    pub expt_include_all_targets: bool,
    /// Whether exposures are kept.
    pub tracked: bool,
    /// The stamp of its last change in this environment (also by a change of the flag itself).
    pub stamp: Millis,
}

/// Where a segment can be used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SegmentScope {
    /// Everywhere in the organization.
    Organization,
    /// In all environments of a project.
    Project(Id<Project>),
    /// In one environment.
    Environment(Id<Project>, Id<Environment>),
}

impl SegmentScope {
    /// Whether its segments can be used in an environment of a project.
    pub fn reaches(&self, project: &Id<Project>, environment: &Id<Environment>) -> bool {
        match self {
            Self::Organization => true,
            Self::Project(id) => id == project,
            Self::Environment(_, id) => id == environment,
        }
    }

    /// The id of the scope itself, in an organization.
    pub fn id<'s>(&'s self, organization: &'s Id<Organization>) -> &'s str {
        match self {
            Self::Organization => organization.as_str(),
            Self::Project(id) => id.as_str(),
            Self::Environment(_, id) => id.as_str(),
        }
    }
}

/// A reusable set of users.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Segment {
    /// Unique; what conditions refer to; kept from the first import.
    pub id: Id<Segment>,
    /// Where it can be used.
    pub scope: SegmentScope,
    /// Unique in its scope, without regard to case.
    pub key: Key,
    /// The display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// For filters and policies.
    pub tags: Vec<String>,
    /// Members by key.
    pub included: Vec<String>,
    /// Not members, whatever else says so.
    pub excluded: Vec<String>,
    /// Any rule that holds makes a member.
    pub rules: Vec<SegmentRule>,
    /// Where it is in its life.
    pub life: Life,
    /// When it was made.
    pub created_at: Millis,
}
