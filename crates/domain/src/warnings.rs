//! What authors should know of a flag or a segment as it is, whenever they look at it.
//!
//! It follows from what is kept, and from segments that others edit, so it is worked out on the
//! way and never stored: what the evaluator cannot do with it, and where SDKs take it otherwise.
//! Archived items have none, since they are not served.

mod unreached;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use burgee_eval::compile;
use burgee_eval::flag::{Condition, TargetUsers};
use burgee_eval::segment as wire;
use burgee_eval::snapshot::Snapshot;
use burgee_eval::time::Millis;
use serde::Serialize;

use crate::check::differences;
use crate::id::Id;
use crate::model::{Environment, Flag, Life, Segment, Targeting};
use crate::served;
use crate::workspace::FlagState;

/// Something in a flag or a segment that does not do everywhere what its author may think.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ItemWarning {
    /// A stable code, e.g. `operatorUnknownToSdks`.
    pub code: String,
    /// Where, as an RFC 6901 pointer into the flag's targeting or the segment, e.g.
    /// `/rules/0/conditions/1/op`.
    pub pointer: String,
    /// What it is, in plain words.
    pub message: String,
}

/// What authors should know of a flag in one environment, on or off. Of `segments` those are looked
/// at that its rules name ([`crate::workspace::FlagState::segment_ids`]); of them only where they
/// can be used and whether they are live. `needed` are the flags that it needs, and those that they
/// need, by folded key.
pub fn of_flag(
    flag: &Flag,
    targeting: &Targeting,
    environment: &Environment,
    segments: &BTreeMap<Id<Segment>, Segment>,
    needed: &BTreeMap<String, FlagState>,
) -> Vec<ItemWarning> {
    if flag.life != Life::Live {
        return Vec::new();
    }
    let usable = segments.values().filter(|it| {
        let reaches = it.scope.reaches(&environment.project, &environment.id);
        reaches && it.life != Life::Deleted
    });
    let usable = usable.map(|it| served::segment(it, Millis(0), environment));
    let light = without_keys(targeting);
    let served = served::flag(flag, &light, environment);
    let key = served.key.clone();
    let others = needed.values().filter_map(|it| {
        let targeting = it.targetings.get(&environment.id)?;
        Some(served::flag(&it.flag, targeting, environment))
    });
    let flags = others.filter(|it| it.key != key).chain([served.clone()]);
    let snapshot = Snapshot::build(flags.collect(), usable.collect());
    let compiled = snapshot.flag(&key);
    let compiled = compiled.map(|it| it.warnings()).unwrap_or_default();
    let rules = targeting.rules.iter().map(|it| it.conditions.as_slice());
    let mut warnings = all(compiled, rules);
    warnings.extend(unreached::of(&targeting.rules));
    warnings
}

/// What authors should know of a segment. Its members are not looked at.
pub fn of_segment(segment: &Segment) -> Vec<ItemWarning> {
    if segment.life != Life::Live {
        return Vec::new();
    }
    let compiled = compile::segment(Arc::new(wire::Segment {
        id: segment.id.as_str().to_owned(),
        created_at: segment.created_at,
        updated_at: Millis(0),
        env_id: String::new(),
        name: String::new(),
        description: String::new(),
        included: Vec::new(),
        excluded: Vec::new(),
        rules: segment.rules.clone(),
        is_archived: false,
    }));
    let rules = segment.rules.iter().map(|it| it.conditions.as_slice());
    all(compiled.warnings(), rules)
}

/// The same with nobody in its lists of targets, which may have very many keys and raise nothing.
/// Where other flags are needed they do: SDKs can be told of so many.
fn without_keys(targeting: &Targeting) -> Targeting {
    if !targeting.prerequisites.is_empty() {
        return targeting.clone();
    }
    let lists = targeting.target_users.iter().map(|list| TargetUsers {
        variation_id: list.variation_id.clone(),
        key_ids: Vec::new(),
    });
    Targeting {
        prerequisites: targeting.prerequisites.clone(),
        target_users: lists.collect(),
        rules: targeting.rules.clone(),
        fallthrough: targeting.fallthrough.clone(),
        off_variation: targeting.off_variation.clone(),
        ..*targeting
    }
}

/// The evaluator's warnings, then those about SDKs.
fn all<'c>(
    compiled: &[compile::Warning],
    rules: impl Iterator<Item = &'c [Condition]>,
) -> Vec<ItemWarning> {
    let broken = compiled.iter().filter(|it| it.code.is_broken_condition());
    let broken = broken.filter_map(|it| it.pointer.rsplit_once('/'));
    let broken: HashSet<&str> = broken.map(|(condition, _)| condition).collect();
    let mut warnings: Vec<ItemWarning> = compiled.iter().map(evaluators).collect();
    for (number, conditions) in rules.enumerate() {
        let at = format!("/rules/{number}/conditions");
        if conditions.is_empty() {
            warnings.push(ItemWarning {
                code: differences::EVERYBODY.into(),
                message: differences::EVERYBODY_WORDS.into(),
                pointer: at,
            });
            continue;
        }
        for (number, condition) in conditions.iter().enumerate() {
            let at = format!("{at}/{number}");
            // What holds nowhere does not differ.
            if !broken.contains(at.as_str()) {
                warnings.extend(differences::of(condition).map(|it| ItemWarning {
                    code: it.code.into(),
                    pointer: format!("{at}{}", it.pointer),
                    message: it.message,
                }));
            }
        }
    }
    warnings
}

/// A warning of the evaluator's, whose pointers are into the flag as it is served.
fn evaluators(warning: &compile::Warning) -> ItemWarning {
    let pointer = warning.pointer.as_str();
    let (first, rest) = match pointer.get(1..).and_then(|it| it.find('/')) {
        Some(end) => pointer.split_at(end + 1),
        None => (pointer, ""),
    };
    let first = match first {
        "/targetUsers" => "/targets",
        "/fallthrough" => "/defaultRule",
        "/disabledVariationId" => "/offVariation",
        same => same,
    };
    ItemWarning {
        code: warning.code.as_str().into(),
        pointer: format!("{first}{rest}"),
        message: warning.message.clone(),
    }
}
