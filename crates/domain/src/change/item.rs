//! Items as JSON, and how large they may be.

use serde::Serialize;

use crate::limits::{MAX_ITEM, WARN_ITEM, WARN_TARGETS};
use crate::model::Environment;
use crate::outcome::{Facet, Item, LogEntry};
use crate::workspace::Workspace;

/// An item's JSON.
pub(super) fn json<T: Serialize>(item: &T) -> String {
    // Plain data with text keys: serialization has no way to fail.
    serde_json::to_string(item).unwrap_or_default()
}

/// Why an item is refused, if it is.
pub(super) fn too_large(entry: &LogEntry) -> Option<String> {
    (entry.image.len() > MAX_ITEM).then(|| {
        format!(
            "{} would have {} bytes of JSON; the limit is {MAX_ITEM}",
            name(&entry.item),
            entry.image.len()
        )
    })
}

/// A code and words for an item that is large.
pub(super) struct Size {
    pub(super) code: &'static str,
    pub(super) message: String,
}

/// What an author is told about an item that has become large.
pub(super) fn size_warning(
    entry: &LogEntry,
    workspace: &Workspace,
    environment: &Environment,
) -> Option<Size> {
    let of_users = |facet: &Facet| {
        matches!(
            facet,
            Facet::Targets(_) | Facet::Included | Facet::Excluded | Facet::Life
        )
    };
    let users = match entry.facets.iter().any(of_users) {
        true => count(&entry.item, workspace, environment),
        false => 0,
    };
    let reason = match (users >= WARN_TARGETS, entry.image.len() >= WARN_ITEM) {
        (true, _) => format!("lists {users} users"),
        (false, true) => format!("has {} bytes of JSON", entry.image.len()),
        (false, false) => return None,
    };
    Some(Size {
        code: "itemLarge",
        message: format!(
            "{} in {} {reason}: every server SDK downloads all of it",
            name(&entry.item),
            environment.key
        ),
    })
}

fn count(item: &Item, workspace: &Workspace, environment: &Environment) -> usize {
    match item {
        Item::Segment(id, _) => workspace.segments.get(id).map_or(0, |state| {
            state.segment.included.len() + state.segment.excluded.len()
        }),
        Item::Flag(id, _) => {
            let flags = workspace.projects.values().flat_map(|it| it.flags.values());
            flags
                .filter(|state| state.flag.id == *id)
                .filter_map(|state| state.targetings.get(&environment.id))
                .flat_map(|targeting| &targeting.target_users)
                .map(|list| list.key_ids.len())
                .sum()
        }
    }
}

fn name(item: &Item) -> String {
    match item {
        Item::Flag(_, key) => format!("the flag '{key}'"),
        Item::Segment(_, key) => format!("the segment '{key}'"),
    }
}
