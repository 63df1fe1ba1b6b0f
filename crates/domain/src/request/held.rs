//! What a revision's diff was true of: digests of the facets that it touches, as they were.
//!
//! Versions would do for finding that something happened; digests also know when it was taken back,
//! so that a request is not held up by what is no difference any more.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::id::Id;
use crate::model::{Environment, Flag, Segment, Targeting};
use crate::outcome::{Facet, Item, Outcome, Scope};
use crate::position::image_digest;
use crate::workspace::{FlagState, Workspace};

/// A flag or a segment in a scope, with the facets that were touched there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Held {
    /// Where.
    pub scope: Scope,
    /// What.
    pub item: Item,
    /// Each facet with the digest of what it was.
    pub facets: BTreeMap<String, String>,
}

/// Parts of an item that are not as they were held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Where.
    pub scope: Scope,
    /// What.
    pub item: Item,
    /// Which parts.
    pub facets: Vec<Facet>,
}

/// What an outcome touches, as it is before.
pub fn hold(before: &Workspace, outcome: &Outcome) -> Vec<Held> {
    let steps = outcome.steps.iter();
    let touched = steps.flat_map(|step| step.entries.iter().map(|entry| (&step.scope, entry)));
    touched
        .map(|(scope, entry)| Held {
            scope: scope.clone(),
            item: entry.item.clone(),
            facets: entry
                .facets
                .iter()
                .map(|facet| (name(facet), digest(before, scope, &entry.item, facet)))
                .collect(),
        })
        .collect()
}

/// What is not as it was held: what has another value, and what the outcome touches now and did not
/// touch then. Scopes that are gone are passed over: nobody is served there.
pub fn moved(held: &[Held], now: &Workspace, outcome: &Outcome) -> Vec<Moved> {
    let mut moved: BTreeMap<(&Scope, &Item), Vec<Facet>> = BTreeMap::new();
    for old in held.iter().filter(|it| is_there(now, &it.scope)) {
        let facets = old.facets.iter().filter_map(|(text, digest_then)| {
            let facet: Facet = serde_json::from_str(text).ok()?;
            let same = digest(now, &old.scope, &old.item, &facet) == *digest_then;
            (!same).then_some(facet)
        });
        let facets: Vec<Facet> = facets.collect();
        if !facets.is_empty() {
            moved.insert((&old.scope, &old.item), facets);
        }
    }
    for step in &outcome.steps {
        for entry in &step.entries {
            let then = held
                .iter()
                .find(|it| it.scope == step.scope && it.item == entry.item);
            let known =
                |facet: &&Facet| then.is_some_and(|it| it.facets.contains_key(&name(facet)));
            let new: Vec<Facet> = entry
                .facets
                .iter()
                .filter(|it| !known(it))
                .cloned()
                .collect();
            if !new.is_empty() {
                let facets = moved.entry((&step.scope, &entry.item)).or_default();
                facets.extend(new);
            }
        }
    }
    let moved = moved.into_iter();
    moved
        .map(|((scope, item), facets)| Moved {
            scope: scope.clone(),
            item: item.clone(),
            facets,
        })
        .collect()
}

fn name(facet: &Facet) -> String {
    json!(facet).to_string()
}

fn is_there(workspace: &Workspace, scope: &Scope) -> bool {
    let mut projects = workspace.projects.values();
    match scope {
        Scope::Organization(id) => workspace.organization.id == *id,
        Scope::Project(id) => projects.any(|it| it.project.id == *id),
        Scope::Environment(id) => projects
            .flat_map(|it| it.environments.values())
            .any(|it| it.id == *id),
    }
}

/// Half of a SHA-256: nobody gains from two values of one digest but who may write both.
fn digest(workspace: &Workspace, scope: &Scope, item: &Item, facet: &Facet) -> String {
    let value = value(workspace, scope, item, facet).to_string();
    let bytes = image_digest(&value);
    let half = bytes.iter().take(16);
    half.map(|byte| format!("{byte:02x}")).collect()
}

/// What a facet is; null where the item is not there.
fn value(workspace: &Workspace, scope: &Scope, item: &Item, facet: &Facet) -> Value {
    match item {
        Item::Flag(id, _) => flag_of(workspace, id).map(|state| match scope {
            Scope::Environment(environment) => targeting(state, environment, facet),
            Scope::Project(_) | Scope::Organization(_) => definition(&state.flag, facet),
        }),
        Item::Segment(id, _) => {
            let state = workspace.segments.get(id);
            state.map(|state| segment(&state.segment, facet))
        }
    }
    .unwrap_or_default()
}

fn flag_of<'w>(workspace: &'w Workspace, id: &Id<Flag>) -> Option<&'w FlagState> {
    let projects = workspace.projects.values();
    let mut flags = projects.flat_map(|it| it.flags.values());
    flags.find(|state| state.flag.id == *id)
}

fn definition(flag: &Flag, facet: &Facet) -> Value {
    match facet {
        Facet::Life => json!(flag.life),
        Facet::Variations => json!([flag.variations, flag.default_on, flag.default_off]),
        Facet::Metadata => json!([flag.name, flag.description, flag.tags]),
        _ => Value::Null,
    }
}

fn targeting(state: &FlagState, environment: &Id<Environment>, facet: &Facet) -> Value {
    let targeting = state.targetings.get(environment);
    match (facet, targeting) {
        (Facet::Life, _) => json!([state.flag.life, targeting.is_some()]),
        (Facet::Variations | Facet::Metadata, _) => definition(&state.flag, facet),
        (_, None) => Value::Null,
        (_, Some(targeting)) => part(targeting, facet),
    }
}

fn part(targeting: &Targeting, facet: &Facet) -> Value {
    let rules = &targeting.rules;
    match facet {
        Facet::OnOff => json!(targeting.is_enabled),
        Facet::Targets(variation) => {
            let mut lists = targeting.target_users.iter();
            json!(lists.find(|it| it.variation_id == *variation))
        }
        Facet::Rule(id) => json!(rules.iter().find(|rule| rule.id == *id)),
        Facet::RuleOrder => json!(rules.iter().map(|rule| &rule.id).collect::<Vec<_>>()),
        Facet::DefaultRule => json!(targeting.fallthrough),
        Facet::OffVariation => json!(targeting.off_variation),
        Facet::Prerequisites => json!(targeting.prerequisites),
        Facet::Tracking => json!([targeting.tracked, targeting.expt_include_all_targets]),
        _ => Value::Null,
    }
}

fn segment(segment: &Segment, facet: &Facet) -> Value {
    match facet {
        Facet::Life => json!(segment.life),
        Facet::Metadata => json!([segment.name, segment.description, segment.tags]),
        Facet::Included => json!(segment.included),
        Facet::Excluded => json!(segment.excluded),
        Facet::SegmentRules => json!(segment.rules),
        _ => Value::Null,
    }
}
