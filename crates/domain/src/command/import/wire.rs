//! What both kinds of imported items have in common.

use std::collections::HashSet;

use burgee_eval::time::Millis;
use serde::Serialize;
use serde_json::Value;

use crate::check::Checked;
use crate::fault::Fault;
use crate::model::Life;

/// Refuses an item with U+0000 in any of its texts, which cannot be stored.
pub(super) fn storable<T: Serialize>(item: &T) -> Checked<()> {
    let value = serde_json::to_value(item).unwrap_or_default();
    match has_nul(&value) {
        false => Ok(()),
        true => {
            let message = "a text has the character U+0000, which cannot be stored";
            Err(Fault::new("/source", "nulCharacter", message))
        }
    }
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, it)| name.contains('\0') || has_nul(it)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The ids of rules, each its own: what is blank or taken gets one by its place, the same in every
/// import.
pub(super) fn rule_ids<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    ids.enumerate()
        .map(
            |(index, id)| match !id.is_empty() && seen.insert(id.to_owned()) {
                true => id.to_owned(),
                false => format!("{id}rule-{}", index + 1),
            },
        )
        .collect()
}

/// A list with each text once.
pub(super) fn each_once(list: &[String]) -> Vec<String> {
    let mut seen = HashSet::with_capacity(list.len());
    list.iter()
        .filter(|it| seen.insert(it.as_str()))
        .cloned()
        .collect()
}

/// Where an item of FeatBit's is in its life.
pub(super) fn life(is_archived: bool) -> Life {
    match is_archived {
        true => Life::Archived,
        false => Life::Live,
    }
}

/// When an item was made: as the file says, or now where it does not.
pub(super) fn made_at(source: Millis, now: Millis) -> Millis {
    match source {
        Millis(0) => now,
        made => made,
    }
}
