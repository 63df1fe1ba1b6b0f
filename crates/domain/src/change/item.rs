//! Items as JSON, and how large they may be.

use serde::Serialize;

use crate::limits::{MAX_ITEM, WARN_ITEM, WARN_TARGETS};
use crate::model::Environment;
use crate::outcome::{Facet, Item, LogEntry, Warning};

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

/// What an author is told about an item that has become large: it lists so many users, where its
/// lists were changed, or has so many bytes.
pub(super) fn size_warning(
    entry: &LogEntry,
    users: usize,
    environment: &Environment,
) -> Option<Warning> {
    use Facet::{Excluded, Included, Life, Targets};
    let of_users = |facet: &Facet| matches!(facet, Targets(_) | Included | Excluded | Life);
    let many = users >= WARN_TARGETS && entry.facets.iter().any(of_users);
    let reason = match (many, entry.image.len() >= WARN_ITEM) {
        (true, _) => format!("lists {users} users"),
        (false, true) => format!("has {} bytes of JSON", entry.image.len()),
        (false, false) => return None,
    };
    let params = [
        ("item", entry.item.key().to_string()),
        ("environment", environment.key.to_string()),
        ("users", users.to_string()),
        ("bytes", entry.image.len().to_string()),
    ];
    Some(Warning {
        code: "itemLarge".into(),
        command: entry.commands.last().copied(),
        params: params.map(|(name, value)| (name.to_owned(), value)).into(),
        message: format!(
            "{} in {} {reason}: every server SDK downloads all of it",
            name(&entry.item),
            environment.key
        ),
    })
}

fn name(item: &Item) -> String {
    match item {
        Item::Flag(_, key) => format!("the flag '{key}'"),
        Item::Segment(_, key) => format!("the segment '{key}'"),
    }
}
