//! Which parts of an item differ between two of its states.

use std::collections::{BTreeMap, BTreeSet};

use burgee_eval::flag::Rule;

use crate::model::{Flag, Segment, Targeting};
use crate::outcome::Facet;

/// What differs in a flag's definition. A new flag is its life alone.
pub(crate) fn of_flag(before: Option<&Flag>, after: &Flag) -> Vec<Facet> {
    let Some(before) = before else {
        return vec![Facet::Life];
    };
    let mut facets = Vec::new();
    let defaults = |flag: &Flag| (flag.default_on.clone(), flag.default_off.clone());
    if before.variations != after.variations || defaults(before) != defaults(after) {
        facets.push(Facet::Variations);
    }
    let metadata = |flag: &Flag| {
        (
            flag.name.clone(),
            flag.description.clone(),
            flag.tags.clone(),
        )
    };
    if metadata(before) != metadata(after) {
        facets.push(Facet::Metadata);
    }
    if before.life != after.life {
        facets.push(Facet::Life);
    }
    facets
}

/// What differs in a targeting, stamps apart.
pub(crate) fn of_targeting(before: &Targeting, after: &Targeting) -> Vec<Facet> {
    let mut facets = Vec::new();
    if before.is_enabled != after.is_enabled {
        facets.push(Facet::OnOff);
    }
    facets.extend(targets(before, after));
    facets.extend(rules(&before.rules, &after.rules));
    if before.fallthrough != after.fallthrough {
        facets.push(Facet::DefaultRule);
    }
    if before.off_variation != after.off_variation {
        facets.push(Facet::OffVariation);
    }
    if before.prerequisites != after.prerequisites {
        facets.push(Facet::Prerequisites);
    }
    let tracking = |it: &Targeting| (it.tracked, it.expt_include_all_targets);
    if tracking(before) != tracking(after) {
        facets.push(Facet::Tracking);
    }
    facets
}

/// What differs in a segment. A new segment is its life alone.
pub(crate) fn of_segment(before: Option<&Segment>, after: &Segment) -> Vec<Facet> {
    let Some(before) = before else {
        return vec![Facet::Life];
    };
    let mut facets = Vec::new();
    let metadata = |it: &Segment| (it.name.clone(), it.description.clone(), it.tags.clone());
    if metadata(before) != metadata(after) {
        facets.push(Facet::Metadata);
    }
    if before.life != after.life {
        facets.push(Facet::Life);
    }
    if before.included != after.included {
        facets.push(Facet::Included);
    }
    if before.excluded != after.excluded {
        facets.push(Facet::Excluded);
    }
    if before.rules != after.rules {
        facets.push(Facet::SegmentRules);
    }
    facets
}

fn targets(before: &Targeting, after: &Targeting) -> Vec<Facet> {
    let lists = |targeting: &Targeting| -> BTreeMap<String, Vec<String>> {
        let lists = targeting.target_users.iter();
        lists
            .map(|list| (list.variation_id.clone(), list.key_ids.clone()))
            .collect()
    };
    if before.target_users == after.target_users {
        return Vec::new();
    }
    let (before, after) = (lists(before), lists(after));
    let variations: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    variations
        .into_iter()
        .filter(|id| before.get(*id) != after.get(*id))
        .map(|id| Facet::Targets(id.clone()))
        .collect()
}

/// Added, removed and changed rules, and the order where rules that stayed changed places. Adding
/// a rule is no change of the order, so that two people may add one each.
fn rules(before: &[Rule], after: &[Rule]) -> Vec<Facet> {
    let by_id = |rules: &'_ [Rule]| -> BTreeSet<String> {
        rules.iter().map(|rule| rule.id.clone()).collect()
    };
    let (old, new) = (by_id(before), by_id(after));
    let find = |rules: &[Rule], id: &String| rules.iter().find(|rule| rule.id == *id).cloned();
    let mut facets: Vec<Facet> = old
        .union(&new)
        .filter(|id| find(before, id) != find(after, id))
        .map(|id| Facet::Rule(id.clone()))
        .collect();
    let order = |rules: &[Rule]| -> Vec<String> {
        let ids = rules.iter().map(|rule| rule.id.clone());
        ids.filter(|id| old.contains(id) && new.contains(id))
            .collect()
    };
    if order(before) != order(after) {
        facets.push(Facet::RuleOrder);
    }
    facets
}
