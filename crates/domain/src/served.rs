//! Flags and segments as an environment serves them: the shape on the wire and in the log.
//!
//! Archived and deleted ones keep everything and are marked; how they are shown to SDKs (neutral
//! tombstones) is the edge's matter.

use burgee_eval::{flag as wire, segment as wire_segment};

use crate::id::Id;
use crate::key::Key;
use crate::model::{Environment, Flag, Life, Segment, SegmentScope, Targeting};
use burgee_eval::time::Millis;
use serde::{Deserialize, Serialize};

/// A flag as an environment's log keeps it: as it is served, and what SDKs are not told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedFlag {
    /// As it is served.
    #[serde(flatten)]
    pub served: wire::Flag,
    /// Whether it was deleted, not just archived.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_deleted: bool,
}

impl LoggedFlag {
    /// A flag with its targeting, as the log keeps it.
    pub fn new(of: &Flag, targeting: &Targeting, environment: &Environment) -> Self {
        Self {
            served: flag(of, targeting, environment),
            is_deleted: of.life == Life::Deleted,
        }
    }

    /// Where it was in its life.
    pub fn life(&self) -> Life {
        life(self.served.is_archived, self.is_deleted)
    }

    /// Its targeting.
    pub fn targeting(self) -> Targeting {
        let served = self.served;
        Targeting {
            is_enabled: served.is_enabled,
            prerequisites: served.prerequisites,
            target_users: served.target_users,
            rules: served.rules,
            fallthrough: served.fallthrough,
            off_variation: served.disabled_variation_id,
            expt_include_all_targets: served.expt_include_all_targets,
            tracked: served.tracked,
            stamp: served.updated_at,
        }
    }
}

/// A segment as an environment's log keeps it: as it is served, and what SDKs are not told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedSegment {
    /// As it is served.
    #[serde(flatten)]
    pub served: wire_segment::Segment,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether it was deleted, not just archived.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_deleted: bool,
}

impl LoggedSegment {
    /// A segment with its stamp, as the log keeps it.
    pub fn new(of: &Segment, stamp: Millis, environment: &Environment) -> Self {
        Self {
            served: segment(of, stamp, environment),
            tags: of.tags.clone(),
            is_deleted: of.life == Life::Deleted,
        }
    }

    /// Where it was in its life.
    pub fn life(&self) -> Life {
        life(self.served.is_archived, self.is_deleted)
    }

    /// The segment, of this key and scope.
    pub fn segment(self, key: Key, scope: SegmentScope) -> Segment {
        let life = self.life();
        let served = self.served;
        Segment {
            id: Id::new(served.id),
            scope,
            key,
            name: served.name,
            description: served.description,
            tags: self.tags,
            included: served.included,
            excluded: served.excluded,
            rules: served.rules,
            life,
            created_at: served.created_at,
        }
    }
}

fn life(is_archived: bool, is_deleted: bool) -> Life {
    match (is_archived, is_deleted) {
        (_, true) => Life::Deleted,
        (true, false) => Life::Archived,
        (false, false) => Life::Live,
    }
}

/// A flag with its targeting in one environment.
pub fn flag(flag: &Flag, targeting: &Targeting, environment: &Environment) -> wire::Flag {
    wire::Flag {
        id: flag.id.as_str().to_owned(),
        created_at: flag.created_at,
        updated_at: targeting.stamp,
        env_id: environment.id.as_str().to_owned(),
        name: flag.name.clone(),
        description: flag.description.clone(),
        key: flag.key.as_str().to_owned(),
        variation_type: flag.kind,
        variations: flag.variations.clone(),
        prerequisites: targeting.prerequisites.clone(),
        target_users: targeting.target_users.clone(),
        rules: targeting.rules.clone(),
        is_enabled: targeting.is_enabled,
        disabled_variation_id: targeting.off_variation.clone(),
        fallthrough: targeting.fallthrough.clone(),
        expt_include_all_targets: targeting.expt_include_all_targets,
        tags: flag.tags.clone(),
        is_archived: flag.life != Life::Live,
        tracked: targeting.tracked,
    }
}

/// A segment in one environment of its scope, with its stamp there.
pub fn segment(
    segment: &Segment,
    stamp: Millis,
    environment: &Environment,
) -> wire_segment::Segment {
    wire_segment::Segment {
        id: segment.id.as_str().to_owned(),
        created_at: segment.created_at,
        updated_at: stamp,
        env_id: environment.id.as_str().to_owned(),
        name: segment.name.clone(),
        description: segment.description.clone(),
        included: segment.included.clone(),
        excluded: segment.excluded.clone(),
        rules: segment.rules.clone(),
        is_archived: segment.life != Life::Live,
    }
}
