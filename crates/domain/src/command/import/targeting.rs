//! FeatBit's targeting of a flag as ours, its variations under the ids that they have here.

use std::collections::{HashMap, HashSet};

use burgee_eval::flag::{Fallthrough, Flag, RolloutVariation, Rule, TargetUsers};

use super::wire::rule_ids;
use crate::model::Targeting;

/// The targeting in the file; `ids` are the variations' ids here where they are others, `old` is
/// what is replaced.
pub(super) fn targeting(
    source: &Flag,
    ids: &HashMap<String, String>,
    old: Option<&Targeting>,
) -> Targeting {
    let id = |id: &String| ids.get(id).unwrap_or(id).clone();
    let parts = |parts: &[RolloutVariation]| -> Vec<RolloutVariation> {
        let parts = parts.iter().map(|part| RolloutVariation {
            id: id(&part.id),
            ..part.clone()
        });
        parts.collect()
    };
    let rules = source
        .rules
        .iter()
        .zip(rule_ids(source.rules.iter().map(|it| it.id.as_str())));
    Targeting {
        is_enabled: source.is_enabled,
        target_users: targets(&source.target_users, id),
        rules: rules
            .map(|(rule, id)| Rule {
                id,
                variations: parts(&rule.variations),
                ..rule.clone()
            })
            .collect(),
        fallthrough: Fallthrough {
            variations: parts(&source.fallthrough.variations),
            ..source.fallthrough.clone()
        },
        // FeatBit has none; those that were set here stay.
        prerequisites: old.map(|old| old.prerequisites.clone()).unwrap_or_default(),
        off_variation: id(&source.disabled_variation_id),
        expt_include_all_targets: source.expt_include_all_targets,
        // FeatBit has no such setting; one that was made here stays.
        tracked: old.map_or(source.tracked, |old| old.tracked),
        stamp: old.map(|old| old.stamp).unwrap_or_default(),
    }
}

/// One list per variation, each user once: in the first list that has it, which is the one that
/// counts in FeatBit.
fn targets(lists: &[TargetUsers], id: impl Fn(&String) -> String) -> Vec<TargetUsers> {
    let mut seen = HashSet::new();
    let mut kept: Vec<TargetUsers> = Vec::new();
    for list in lists {
        let variation_id = id(&list.variation_id);
        let keys = list
            .key_ids
            .iter()
            .filter(|key| seen.insert(key.as_str()))
            .cloned();
        let keys: Vec<String> = keys.collect();
        match kept.iter_mut().find(|it| it.variation_id == variation_id) {
            Some(same) => same.key_ids.extend(keys),
            None => kept.push(TargetUsers {
                key_ids: keys,
                variation_id,
            }),
        }
    }
    kept.retain(|list| !list.key_ids.is_empty());
    kept
}
