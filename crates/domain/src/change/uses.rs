//! Where variations and segments are used, in words: so that a refusal can say where.

use std::collections::BTreeSet;

use burgee_eval::flag::RolloutVariation;

use crate::check::condition::segment_ids;
use crate::id::Id;
use crate::model::{Life, Segment, Targeting};
use crate::workspace::{ProjectState, Workspace};

/// How a targeting uses a variation, e.g. `the rule 'Beta'`; empty where it does not.
pub(crate) fn variation_uses(targeting: &Targeting, variation: &str) -> Vec<String> {
    let mut uses = Vec::new();
    let serves = |parts: &[RolloutVariation]| parts.iter().any(|part| part.id == variation);
    let targets = &mut targeting.target_users.iter();
    if targets.any(|list| list.variation_id == variation && !list.key_ids.is_empty()) {
        uses.push("the individual targets".to_owned());
    }
    for rule in targeting
        .rules
        .iter()
        .filter(|rule| serves(&rule.variations))
    {
        uses.push(format!("the rule '{}'", rule.name));
    }
    if serves(&targeting.fallthrough.variations) {
        uses.push("the default rule".to_owned());
    }
    if targeting.off_variation == variation {
        uses.push("the off variation".to_owned());
    }
    uses
}

/// Where a segment is used, as `project/environment/flag`: what the store found, but for flags
/// that are loaded what the draft now says.
pub(crate) fn segment_uses(state: &Workspace, id: &Id<Segment>) -> Vec<String> {
    let mut uses: BTreeSet<String> = state
        .segment_uses
        .get(id)
        .into_iter()
        .flatten()
        .filter(|place| !is_loaded(state, place))
        .cloned()
        .collect();
    for project in state.projects.values() {
        uses.extend(uses_in(project, id));
    }
    uses.into_iter().collect()
}

fn is_loaded(state: &Workspace, place: &str) -> bool {
    let mut parts = place.split('/').map(str::to_ascii_lowercase);
    let (Some(project), Some(_), Some(flag)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let project = state.projects.get(&project);
    project.is_some_and(|project| project.flags.contains_key(&flag))
}

fn uses_in(project: &ProjectState, id: &Id<Segment>) -> Vec<String> {
    let mut uses = Vec::new();
    for state in project
        .flags
        .values()
        .filter(|state| state.flag.life != Life::Deleted)
    {
        for environment in project.environments.values() {
            let targeting = state.targetings.get(&environment.id);
            if targeting.is_some_and(|targeting| refers_to(targeting, id)) {
                uses.push(format!(
                    "{}/{}/{}",
                    project.project.key, environment.key, state.flag.key
                ));
            }
        }
    }
    uses
}

fn refers_to(targeting: &Targeting, id: &Id<Segment>) -> bool {
    let mut conditions = targeting.rules.iter().flat_map(|rule| &rule.conditions);
    conditions.any(|condition| {
        segment_ids(&condition.property, condition.value.as_deref())
            .iter()
            .any(|named| named == id.as_str())
    })
}
