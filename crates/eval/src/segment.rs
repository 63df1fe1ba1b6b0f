//! A reusable set of users, in the shape of the wire, the store and FeatBit's files.

use serde::{Deserialize, Serialize};

use crate::flag::{Condition, null_is_default};
use crate::time::Millis;

/// A rule of a segment: a user for whom all conditions hold is a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SegmentRule {
    /// Unique in the segment.
    #[serde(default, deserialize_with = "null_is_default")]
    pub id: String,
    /// Shown to people.
    #[serde(default, deserialize_with = "null_is_default")]
    pub name: String,
    /// All must hold. A segment condition inside a segment never holds.
    #[serde(default, deserialize_with = "null_is_default")]
    pub conditions: Vec<Condition>,
}

/// A segment as one environment sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Segment {
    /// What conditions refer to.
    pub id: String,
    /// When the segment was made.
    #[serde(default)]
    pub created_at: Millis,
    /// The stamp in this environment.
    #[serde(default)]
    pub updated_at: Millis,
    /// The environment's id.
    #[serde(default, deserialize_with = "null_is_default")]
    pub env_id: String,
    /// The display name.
    #[serde(default, deserialize_with = "null_is_default")]
    pub name: String,
    /// A text for people.
    #[serde(default, deserialize_with = "null_is_default")]
    pub description: String,
    /// Keys of users who are members, unless they are excluded.
    #[serde(default, deserialize_with = "null_is_default")]
    pub included: Vec<String>,
    /// Keys of users who are not, whatever else says so.
    #[serde(default, deserialize_with = "null_is_default")]
    pub excluded: Vec<String>,
    /// Any rule that holds makes a member.
    #[serde(default, deserialize_with = "null_is_default")]
    pub rules: Vec<SegmentRule>,
    /// An archived segment matches nobody.
    #[serde(default, deserialize_with = "null_is_default")]
    pub is_archived: bool,
}
