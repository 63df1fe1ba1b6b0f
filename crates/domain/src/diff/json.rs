//! What a change set did, as JSON: of each item the parts that differ, before and after. For
//! programs, and for people who want to see more than the words say.
//!
//! It is bounded: a list of users holds those who came and went, not who stayed, and at most
//! [`NAMED_USERS`] of them; a part that is larger than [`LARGEST_PART`] is named without its values;
//! from [`LARGEST`] on whole items are left out, and counted.

use std::collections::HashSet;

use burgee_eval::flag::Rule;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Writer;
use crate::change::{of_flag, of_segment, of_targeting, unreleased};
use crate::model::{Flag, Segment, SegmentScope, Targeting};
use crate::outcome::{Facet, FlagEdit, Outcome, SegmentEdit, TargetingEdit};
use crate::workspace::Workspace;

/// How many users of a list are named.
pub(super) const NAMED_USERS: usize = 100;

/// The most bytes of JSON that a part has, both sides together: a rule of the usual size many times.
pub(super) const LARGEST_PART: usize = 16 * 1024;

/// The most bytes of JSON that the parts of all items have together: the answer is kept with the
/// change set, and lists show it.
pub(super) const LARGEST: usize = 256 * 1024;

/// What differs in one item of one scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ItemChange {
    /// Whose item: `project` (a flag's definition, a shared segment), `project/environment` (a
    /// flag's targeting, a segment of one environment), or the empty text for the organization.
    pub scope: String,
    /// `flag` or `segment`.
    pub kind: String,
    /// Its key.
    pub key: String,
    /// Its id.
    pub id: String,
    /// The parts that differ.
    pub parts: Vec<ChangedPart>,
}

/// A part that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangedPart {
    /// Which: a name (`onOff`), or an object of a name and an id (`{"rule": "…"}`).
    pub facet: Facet,
    /// As it was; null where it was not there, and where it was cut.
    #[cfg_attr(feature = "schema", schema(value_type = Option<serde_json::Value>))]
    pub before: Value,
    /// As it is; null where it is no longer there, and where it was cut.
    #[cfg_attr(feature = "schema", schema(value_type = Option<serde_json::Value>))]
    pub after: Value,
    /// Whether not all is shown: users beyond the first hundred, or both sides, because they are
    /// large.
    pub cut: bool,
}

/// The differences of all items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Segments, then flags, then their targeting by environment.
    pub items: Vec<ItemChange>,
    /// How many items were left out.
    pub left_out: usize,
}

/// The differences that an outcome makes to the workspace it came from.
pub fn changes(before: &Workspace, outcome: &Outcome) -> Changes {
    let names = Writer {
        before,
        outcome,
        lines: Vec::new(),
    };
    let segments = outcome.segments.iter().map(|edit| segment(&names, edit));
    let flags = outcome.flags.iter().map(|edit| flag(&names, edit));
    let targetings = outcome.targetings.iter();
    let targetings = targetings.filter_map(|edit| targeting(&names, edit));
    let mut changes = Changes::default();
    let mut room = LARGEST;
    for item in segments.chain(flags).chain(targetings) {
        if item.parts.is_empty() {
            continue;
        }
        let size = item.parts.iter().map(ChangedPart::size).sum();
        match room.checked_sub(size) {
            Some(left) => {
                room = left;
                changes.items.push(item);
            }
            None => changes.left_out += 1,
        }
    }
    changes
}

impl ChangedPart {
    fn new(facet: Facet, before: Value, after: Value) -> Self {
        let part = Self {
            facet,
            before,
            after,
            cut: false,
        };
        match part.size() {
            ..=LARGEST_PART => part,
            _ => Self {
                before: Value::Null,
                after: Value::Null,
                cut: true,
                ..part
            },
        }
    }

    /// The users who are on one side alone.
    fn users(facet: Facet, before: &[String], after: &[String]) -> Self {
        let (gone, new) = (side(before, after), side(after, before));
        let mut part = Self::new(facet, gone.0, new.0);
        part.cut |= gone.1 || new.1;
        part
    }

    /// Of bytes, about.
    fn size(&self) -> usize {
        let of = |value: &Value| value.to_string().len();
        64 + of(&self.before) + of(&self.after)
    }
}

/// One side of a list of users: how many, and who is not on the other; whether some are not named.
fn side(users: &[String], other: &[String]) -> (Value, bool) {
    let other: HashSet<&String> = other.iter().collect();
    let mut alone = users.iter().filter(|key| !other.contains(key));
    let named: Vec<&String> = alone.by_ref().take(NAMED_USERS).collect();
    let cut = alone.next().is_some();
    (json!({"count": users.len(), "keys": named}), cut)
}

fn flag(names: &Writer<'_>, edit: &FlagEdit) -> ItemChange {
    let (before, after) = (edit.before.as_ref(), &edit.after);
    let parts = of_flag(before, after).into_iter();
    ItemChange {
        scope: names.project_key(&edit.project),
        kind: "flag".into(),
        key: after.key.to_string(),
        id: after.id.to_string(),
        parts: parts
            .map(|facet| {
                let old = before.map_or(Value::Null, |it| definition(&facet, it, after));
                let new = definition(&facet, after, before.unwrap_or(after));
                match before {
                    Some(_) => ChangedPart::new(facet, old, new),
                    None => ChangedPart::new(facet, old, whole(after)),
                }
            })
            .collect(),
    }
}

/// A facet of a flag's definition. Of the metadata, what is not as in `other`.
fn definition(facet: &Facet, flag: &Flag, other: &Flag) -> Value {
    match facet {
        Facet::Variations => json!({
            "variations": flag.variations, "onVariation": flag.default_on,
            "offVariation": flag.default_off,
        }),
        Facet::Metadata => metadata(
            (&flag.name, &flag.description, &flag.tags),
            (&other.name, &other.description, &other.tags),
        ),
        _ => json!({"state": flag.life}),
    }
}

type Metadata<'a> = (&'a str, &'a str, &'a [String]);

fn metadata(of: Metadata<'_>, other: Metadata<'_>) -> Value {
    let mut fields = serde_json::Map::new();
    if of.0 != other.0 {
        fields.insert("name".into(), of.0.into());
    }
    if of.1 != other.1 {
        fields.insert("description".into(), of.1.into());
    }
    if of.2 != other.2 {
        fields.insert("tags".into(), json!(of.2));
    }
    Value::Object(fields)
}

/// A new flag.
fn whole(flag: &Flag) -> Value {
    json!({
        "state": flag.life, "name": flag.name, "description": flag.description,
        "type": flag.kind, "variations": flag.variations, "tags": flag.tags,
        "onVariation": flag.default_on, "offVariation": flag.default_off,
    })
}

fn targeting(names: &Writer<'_>, edit: &TargetingEdit) -> Option<ItemChange> {
    let flag = super::targeting::flag(names, &edit.flag)?;
    let (project, environment) = names.environment_keys(&edit.environment);
    let mut parts = Vec::new();
    let defaults = unreleased(&flag);
    if edit.before.is_none() {
        let released = json!({"state": "released"});
        parts.push(ChangedPart::new(Facet::Life, Value::Null, released));
    }
    let before = edit.before.as_ref().unwrap_or(&defaults);
    let facets = of_targeting(before, &edit.after).into_iter();
    parts.extend(facets.map(|facet| targeting_part(facet, before, &edit.after)));
    Some(ItemChange {
        scope: format!("{project}/{environment}"),
        kind: "flag".into(),
        key: flag.key.to_string(),
        id: flag.id.to_string(),
        parts,
    })
}

/// A facet in which two targetings differ.
fn targeting_part(facet: Facet, before: &Targeting, after: &Targeting) -> ChangedPart {
    if let Facet::Targets(id) = &facet {
        let (old, new) = (targets(before, id), targets(after, id));
        return ChangedPart::users(facet, &old, &new);
    }
    let (old, new) = (part(&facet, before), part(&facet, after));
    ChangedPart::new(facet, old, new)
}

/// The users whom a targeting gives a variation.
pub(crate) fn targets(targeting: &Targeting, variation: &str) -> Vec<String> {
    let lists = targeting.target_users.iter();
    let lists = lists.filter(|list| list.variation_id == variation);
    lists.flat_map(|list| list.key_ids.clone()).collect()
}

/// A facet of a targeting; null where it has no such thing.
fn part(facet: &Facet, of: &Targeting) -> Value {
    let order = |rules: &[Rule]| -> Vec<String> { rules.iter().map(|it| it.id.clone()).collect() };
    match facet {
        Facet::OnOff => json!(of.is_enabled),
        Facet::Rule(id) => json!(of.rules.iter().find(|rule| rule.id == *id)),
        Facet::RuleOrder => json!(order(&of.rules)),
        Facet::DefaultRule => json!(of.fallthrough),
        Facet::OffVariation => json!(of.off_variation),
        Facet::Prerequisites => json!(of.prerequisites),
        Facet::Tracking => json!({
            "tracked": of.tracked, "exptIncludeAllTargets": of.expt_include_all_targets,
        }),
        _ => Value::Null,
    }
}

fn segment(names: &Writer<'_>, edit: &SegmentEdit) -> ItemChange {
    let (before, after) = (edit.before.as_ref(), &edit.after);
    let scope = match &after.scope {
        SegmentScope::Organization => String::new(),
        SegmentScope::Project(id) => names.project_key(id),
        SegmentScope::Environment(_, id) => {
            let (project, environment) = names.environment_keys(id);
            format!("{project}/{environment}")
        }
    };
    let facets = of_segment(before, after).into_iter();
    ItemChange {
        scope,
        kind: "segment".into(),
        key: after.key.to_string(),
        id: after.id.to_string(),
        parts: match before {
            Some(before) => facets
                .map(|facet| segment_part(facet, before, after))
                .collect(),
            None => made(after),
        },
    }
}

fn segment_part(facet: Facet, before: &Segment, after: &Segment) -> ChangedPart {
    let of = |it: &Segment, other: &Segment| match facet {
        Facet::Metadata => metadata(
            (&it.name, &it.description, &it.tags),
            (&other.name, &other.description, &other.tags),
        ),
        Facet::SegmentRules => json!(it.rules),
        _ => json!({"state": it.life}),
    };
    match facet {
        Facet::Included => ChangedPart::users(facet, &before.included, &after.included),
        Facet::Excluded => ChangedPart::users(facet, &before.excluded, &after.excluded),
        _ => {
            let (old, new) = (of(before, after), of(after, before));
            ChangedPart::new(facet, old, new)
        }
    }
}

/// The parts of a new segment.
fn made(segment: &Segment) -> Vec<ChangedPart> {
    let whole = json!({
        "state": segment.life, "name": segment.name, "description": segment.description,
        "tags": segment.tags, "rules": segment.rules,
    });
    let mut parts = vec![ChangedPart::new(Facet::Life, Value::Null, whole)];
    let lists = [
        (Facet::Included, &segment.included),
        (Facet::Excluded, &segment.excluded),
    ];
    for (facet, users) in lists {
        if !users.is_empty() {
            parts.push(ChangedPart::users(facet, &[], users));
        }
    }
    parts
}
