//! Flags and segments as server SDKs read them: exactly the protocol's fields, on every item.
//!
//! The wire is stricter than the model. Archived and deleted items go out as neutral tombstones,
//! since one SDK does not look at `isArchived`; a condition that never matches here because it is
//! broken goes out as one that no SDK matches, since SDKs disagree on broken ones (some take the
//! *Not* forms for true, one kills its process over a segment list that is no list); and `op` is
//! null on segment conditions, where some SDKs would look at it first.

use std::ops::Range;

use burgee_eval::compile::Warning;
use burgee_eval::condition::{IN_SEGMENT, NOT_IN_SEGMENT};
use burgee_eval::flag::{Condition, Fallthrough, Flag, RolloutVariation, Rule, TargetUsers};
use burgee_eval::segment::{Segment, SegmentRule};
use burgee_eval::time::Millis;
use serde::Serialize;

/// The conditions of an item that never match, by their rule and their place in it: as compiling
/// the whole item found them, since what all its patterns may take is bounded together.
#[derive(Clone, Default)]
pub(super) struct Broken(Box<[(usize, usize)]>);

impl Broken {
    /// What an item's warnings say.
    pub(super) fn of(warnings: &[Warning]) -> Self {
        let broken = warnings.iter().filter(|w| w.code.is_broken_condition());
        Self(broken.filter_map(|w| condition_at(&w.pointer)).collect())
    }

    fn has(&self, rule: usize, condition: usize) -> bool {
        self.0.contains(&(rule, condition))
    }
}

/// The rule and the condition in it that a pointer names, as `/rules/0/conditions/1/value` does.
fn condition_at(pointer: &str) -> Option<(usize, usize)> {
    let (rule, rest) = pointer
        .strip_prefix("/rules/")?
        .split_once("/conditions/")?;
    let condition = rest.split('/').next()?;
    Some((rule.parse().ok()?, condition.parse().ok()?))
}

/// A flag's JSON, with the stamp given (its own, or a raised one).
pub(super) fn flag_json(flag: &Flag, broken: &Broken, updated_at: Millis) -> Vec<u8> {
    json(&WireFlag::new(flag, broken, updated_at))
}

/// A segment's JSON, with the stamp given.
pub(super) fn segment_json(segment: &Segment, broken: &Broken, updated_at: Millis) -> Vec<u8> {
    json(&WireSegment::new(segment, broken, updated_at))
}

/// Appends a value's JSON. Writing to memory cannot fail, and none of the types written here has a
/// map with keys that are not texts.
pub(super) fn append(out: &mut Vec<u8>, value: &impl Serialize) {
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok(), "{written:?}");
}

/// Appends a field: `name` with what stands before its value.
pub(super) fn append_field(out: &mut Vec<u8>, name: &str, value: &impl Serialize) {
    out.extend_from_slice(name.as_bytes());
    append(out, value);
}

/// Writes a piece and says where it lies.
pub(super) fn piece(bytes: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> Range<usize> {
    let start = bytes.len();
    write(bytes);
    start..bytes.len()
}

fn json(value: &impl Serialize) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    append(&mut out, value);
    out
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireFlag<'a> {
    id: &'a str,
    created_at: Millis,
    updated_at: Millis,
    env_id: &'a str,
    name: &'a str,
    description: &'a str,
    key: &'a str,
    variation_type: &'a str,
    variations: Vec<WireVariation<'a>>,
    target_users: &'a [TargetUsers],
    rules: Vec<WireRule<'a>>,
    is_enabled: bool,
    disabled_variation_id: &'a str,
    fallthrough: WireFallthrough<'a>,
    expt_include_all_targets: bool,
    tags: &'a [String],
    is_archived: bool,
}

impl<'a> WireFlag<'a> {
    fn new(flag: &'a Flag, broken: &Broken, updated_at: Millis) -> Self {
        // A tombstone: enabled, with nobody targeted and a default rule that covers nobody, so that
        // an SDK that evaluates it all the same finds nothing and gives the code's default.
        let dead = flag.is_archived;
        Self {
            id: &flag.id,
            created_at: flag.created_at,
            updated_at,
            env_id: &flag.env_id,
            name: &flag.name,
            description: &flag.description,
            key: &flag.key,
            variation_type: flag.variation_type.as_str(),
            variations: flag.variations.iter().map(WireVariation::new).collect(),
            target_users: if dead { &[] } else { &flag.target_users },
            rules: if dead {
                Vec::new()
            } else {
                let rules = flag.rules.iter().enumerate();
                rules
                    .map(|(number, rule)| WireRule::new(rule, |c| broken.has(number, c)))
                    .collect()
            },
            is_enabled: dead || flag.is_enabled,
            disabled_variation_id: &flag.disabled_variation_id,
            fallthrough: WireFallthrough::new(if dead { &NOBODY } else { &flag.fallthrough }),
            expt_include_all_targets: !dead && flag.expt_include_all_targets,
            tags: &flag.tags,
            is_archived: dead,
        }
    }
}

static NOBODY: Fallthrough = Fallthrough {
    dispatch_key: None,
    included_in_expt: false,
    variations: Vec::new(),
};

#[derive(Serialize)]
struct WireVariation<'a> {
    id: &'a str,
    value: &'a str,
}

impl<'a> WireVariation<'a> {
    fn new(variation: &'a burgee_eval::flag::Variation) -> Self {
        Self {
            id: &variation.id,
            value: &variation.value,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireRule<'a> {
    id: &'a str,
    name: &'a str,
    dispatch_key: Option<&'a str>,
    included_in_expt: bool,
    conditions: Vec<WireCondition<'a>>,
    variations: &'a [RolloutVariation],
}

impl<'a> WireRule<'a> {
    fn new(rule: &'a Rule, is_broken: impl Fn(usize) -> bool) -> Self {
        Self {
            id: &rule.id,
            name: &rule.name,
            dispatch_key: dispatch_key(rule.dispatch_key.as_deref()),
            included_in_expt: rule.included_in_expt,
            conditions: conditions(&rule.conditions, is_broken),
            variations: &rule.variations,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireFallthrough<'a> {
    dispatch_key: Option<&'a str>,
    included_in_expt: bool,
    variations: &'a [RolloutVariation],
}

impl<'a> WireFallthrough<'a> {
    fn new(fallthrough: &'a Fallthrough) -> Self {
        Self {
            dispatch_key: dispatch_key(fallthrough.dispatch_key.as_deref()),
            included_in_expt: fallthrough.included_in_expt,
            variations: &fallthrough.variations,
        }
    }
}

/// A blank one means the user's key; some SDKs would look for a property of that name.
fn dispatch_key(name: Option<&str>) -> Option<&str> {
    name.filter(|name| !name.trim().is_empty())
}

#[derive(Serialize)]
struct WireCondition<'a> {
    property: &'a str,
    op: Option<&'a str>,
    value: Option<&'a str>,
}

impl<'a> WireCondition<'a> {
    /// What no SDK matches: membership in no segment.
    const NEVER: WireCondition<'static> = WireCondition {
        property: IN_SEGMENT,
        op: None,
        value: Some("[]"),
    };

    /// One that is not broken. `null` is no value to SDKs, whatever the operator.
    fn new(condition: &'a Condition) -> Self {
        let about_segments = [IN_SEGMENT, NOT_IN_SEGMENT].contains(&condition.property.as_str());
        let op = match about_segments {
            true => None,
            false => condition.op.as_deref(),
        };
        match &condition.value {
            Some(value) => Self {
                property: &condition.property,
                op,
                value: Some(value),
            },
            None => Self::NEVER,
        }
    }
}

fn conditions(
    conditions: &[Condition],
    is_broken: impl Fn(usize) -> bool,
) -> Vec<WireCondition<'_>> {
    let conditions = conditions.iter().enumerate();
    conditions
        .map(|(number, condition)| match is_broken(number) {
            true => WireCondition::NEVER,
            false => WireCondition::new(condition),
        })
        .collect()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireSegment<'a> {
    id: &'a str,
    created_at: Millis,
    updated_at: Millis,
    env_id: &'a str,
    name: &'a str,
    description: &'a str,
    included: &'a [String],
    excluded: &'a [String],
    rules: Vec<WireSegmentRule<'a>>,
    is_archived: bool,
}

impl<'a> WireSegment<'a> {
    fn new(segment: &'a Segment, broken: &Broken, updated_at: Millis) -> Self {
        let dead = segment.is_archived;
        let rules = if dead { &[] } else { segment.rules.as_slice() };
        let rules = rules.iter().enumerate();
        Self {
            id: &segment.id,
            created_at: segment.created_at,
            updated_at,
            env_id: &segment.env_id,
            name: &segment.name,
            description: &segment.description,
            included: if dead { &[] } else { &segment.included },
            excluded: if dead { &[] } else { &segment.excluded },
            rules: rules
                .map(|(number, rule)| WireSegmentRule::new(rule, |c| broken.has(number, c)))
                .collect(),
            is_archived: dead,
        }
    }
}

#[derive(Serialize)]
struct WireSegmentRule<'a> {
    id: &'a str,
    name: &'a str,
    conditions: Vec<WireCondition<'a>>,
}

impl<'a> WireSegmentRule<'a> {
    fn new(rule: &'a SegmentRule, is_broken: impl Fn(usize) -> bool) -> Self {
        Self {
            id: &rule.id,
            name: &rule.name,
            conditions: conditions(&rule.conditions, is_broken),
        }
    }
}
