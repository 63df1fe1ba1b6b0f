//! Promoting: a flag's targeting in one environment as it is in another.

use std::collections::{BTreeMap, BTreeSet};

use burgee_eval::flag::Rule;
use serde::{Deserialize, Serialize};

use crate::change::unreleased;
use crate::check::condition::{is_on_segments, segment_ids};
use crate::check::segments;
use crate::id::Id;
use crate::model::{Flag, Segment, Targeting};

/// A part of a targeting that is promoted or compared by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TargetingFacet {
    /// On or off.
    OnOff,
    /// Individual targets.
    Targets,
    /// The rules, in their order.
    Rules,
    /// The default rule.
    DefaultRule,
    /// What is served while off.
    OffVariation,
    /// What other flags have to serve first.
    Prerequisites,
    /// Experiment and tracking settings.
    Tracking,
}

impl TargetingFacet {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 7] = [
        Self::OnOff,
        Self::Targets,
        Self::Rules,
        Self::DefaultRule,
        Self::OffVariation,
        Self::Prerequisites,
        Self::Tracking,
    ];
}

/// What becomes of rules about segments that only the source environment has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum SegmentsOf {
    /// The flag is refused.
    #[default]
    Fail,
    /// The rule is left out.
    Skip,
    /// The segment of the same key in the other environment stands for it; without one, the flag
    /// is refused.
    Map,
}

/// What is promoted, and how.
#[derive(Clone, Debug)]
pub struct Promotion<'a> {
    /// The parts.
    pub facets: &'a BTreeSet<TargetingFacet>,
    /// What becomes of rules about environment-only segments.
    pub segments: SegmentsOf,
    /// The segments of the source environment alone, by id, with the one of the same key in the
    /// other environment.
    pub local: &'a BTreeMap<Id<Segment>, Option<Id<Segment>>>,
}

/// A rule that cannot be promoted as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The rule's name.
    pub rule: String,
    /// The segment that is in the source environment alone.
    pub segment: Id<Segment>,
}

/// The targeting that a flag shall have in the other environment, where it is `now`; and the rules
/// that are left out of it.
///
/// # Errors
/// The rules about environment-only segments that stop it.
pub fn promote(
    flag: &Flag,
    source: &Targeting,
    now: Option<&Targeting>,
    promotion: &Promotion<'_>,
) -> Result<(Targeting, Vec<Left>), Vec<Left>> {
    let mut wanted = now.cloned().unwrap_or_else(|| unreleased(flag));
    let mut left = Vec::new();
    for facet in promotion.facets {
        match facet {
            TargetingFacet::OnOff => wanted.is_enabled = source.is_enabled,
            TargetingFacet::Targets => wanted.target_users = source.target_users.clone(),
            TargetingFacet::Rules => {
                let (rules, without) = promoted_rules(&source.rules, promotion)?;
                (wanted.rules, left) = (rules, without);
            }
            TargetingFacet::DefaultRule => wanted.fallthrough = source.fallthrough.clone(),
            TargetingFacet::OffVariation => wanted.off_variation = source.off_variation.clone(),
            TargetingFacet::Prerequisites => wanted.prerequisites = source.prerequisites.clone(),
            TargetingFacet::Tracking => {
                wanted.tracked = source.tracked;
                wanted.expt_include_all_targets = source.expt_include_all_targets;
            }
        }
    }
    Ok((wanted, left))
}

fn promoted_rules(
    rules: &[Rule],
    promotion: &Promotion<'_>,
) -> Result<(Vec<Rule>, Vec<Left>), Vec<Left>> {
    let (mut promoted, mut left) = (Vec::with_capacity(rules.len()), Vec::new());
    for rule in rules {
        match stopped(rule, promotion) {
            Some(segment) => left.push(Left {
                rule: rule.name.clone(),
                segment,
            }),
            None => promoted.push(mapped(rule, promotion)),
        }
    }
    match promotion.segments {
        SegmentsOf::Skip => Ok((promoted, left)),
        _ if left.is_empty() => Ok((promoted, left)),
        _ => Err(left),
    }
}

/// The segment for which a rule cannot be promoted.
fn stopped(rule: &Rule, promotion: &Promotion<'_>) -> Option<Id<Segment>> {
    let mut named = segments::ids(rule).map(Id::new);
    named.find(|id| match promotion.local.get(id) {
        None => false,
        Some(other) => promotion.segments != SegmentsOf::Map || other.is_none(),
    })
}

/// The rule with the other environment's segments.
fn mapped(rule: &Rule, promotion: &Promotion<'_>) -> Rule {
    let mut rule = rule.clone();
    for condition in &mut rule.conditions {
        if !is_on_segments(&condition.property) {
            continue;
        }
        let ids = segment_ids(&condition.property, condition.value.as_deref());
        let ids = ids.into_iter().map(|id| {
            let other = promotion.local.get(&Id::new(id.as_str()));
            other.and_then(Option::as_ref).map_or(id, Id::to_string)
        });
        let ids: Vec<String> = ids.collect();
        condition.value = serde_json::to_string(&ids).ok();
    }
    rule
}
