//! Flags and segments as an environment serves them: the shape on the wire and in the log.
//!
//! Archived and deleted ones keep everything and are marked; how they are shown to SDKs (neutral
//! tombstones) is the edge's matter.

use burgee_eval::{flag as wire, segment as wire_segment};

use crate::model::{Environment, Flag, Life, Segment, Targeting};
use burgee_eval::time::Millis;

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
