//! Whether a command is refused because of what others changed since its author looked: what it
//! names was removed or archived, or room was taken. Such a refusal is a conflict, and tells by
//! whom. Without a look at the log the author would only hear that a rule is unknown which was
//! there a moment ago.

use std::collections::BTreeMap;

use serde_json::Value;

use super::place::{Place, users};
use super::{Conflict, Logged, is_later};
use crate::command::{Command, Target};
use crate::fault::Rejected;
use crate::outcome::{Facet, Item, Scope};
use crate::workspace::Workspace;

/// The changes after the base that can be why a command is refused, in the log's order; none where
/// it is refused whatever others did. Scopes without a base are passed over.
pub fn behind(
    workspace: &Workspace,
    command: &Command,
    rejected: &Rejected,
    base: &BTreeMap<Scope, i64>,
    log: &[Logged],
) -> Vec<Conflict> {
    let suspects = suspects(workspace, command, rejected);
    let later = log.iter().filter(|row| is_later(row, base));
    later
        .filter_map(|row| {
            let facets = row.facets.iter();
            let facets = facets.filter(|facet| suspects.iter().any(|it| it.is(row, facet)));
            Conflict::of(row, facets.cloned().collect())
        })
        .collect()
}

/// A part of an item, of which a change can be the reason.
struct Suspect {
    item: Named,
    part: Part,
}

/// An item as a command names it.
enum Named {
    /// By key, in the scopes where the key means this item.
    Key(Place),
    FlagId(String),
    SegmentId(String),
}

enum Part {
    Life,
    Variations,
    Rule(String),
    Rules,
    Users,
    /// What can serve a variation.
    Serving,
    All,
}

impl Suspect {
    fn is(&self, row: &Logged, facet: &Facet) -> bool {
        let named = match (&self.item, &row.item) {
            (Named::Key(place), _) => place.is(row),
            (Named::FlagId(named), Item::Flag(id, _)) => named == id.as_str(),
            (Named::SegmentId(named), Item::Segment(id, _)) => named == id.as_str(),
            _ => false,
        };
        named && self.part.has(facet)
    }
}

impl Part {
    fn has(&self, facet: &Facet) -> bool {
        use Facet::{DefaultRule, Excluded, Included, OffVariation, Targets};
        match self {
            Self::Life => *facet == Facet::Life,
            Self::Variations => *facet == Facet::Variations,
            Self::Rule(id) => matches!(facet, Facet::Rule(changed) if changed == id),
            Self::Rules => matches!(facet, Facet::Rule(_)),
            Self::Users => matches!(facet, Targets(_) | Included | Excluded),
            Self::Serving => {
                matches!(
                    facet,
                    Targets(_) | Facet::Rule(_) | DefaultRule | OffVariation
                )
            }
            Self::All => true,
        }
    }
}

/// What a refusal can come from, by its code. What the command acts on may always have been
/// removed, archived or made anew.
fn suspects(workspace: &Workspace, command: &Command, rejected: &Rejected) -> Vec<Suspect> {
    let target = command.target();
    let own = |part: Part| Suspect {
        item: Named::Key(Place::of(workspace, target)),
        part,
    };
    let life = |item: Named| Suspect {
        item,
        part: Part::Life,
    };
    let named = named(command, &rejected.pointer);
    let mut suspects = vec![own(Part::Life)];
    match (rejected.code.as_str(), rejected.pointer.as_str()) {
        ("variationUnknown", _) => suspects.push(own(Part::Variations)),
        ("variationInUse", _) => suspects.push(own(Part::Serving)),
        ("tooManyRules", _) => suspects.push(own(Part::Rules)),
        ("tooManyUsers", _) => suspects.push(own(Part::Users)),
        ("itemTooLarge", _) => suspects.push(own(Part::All)),
        ("duplicateId", "/id") => suspects.extend(named.map(|id| match target {
            Target::Segment { .. } => life(Named::SegmentId(id)),
            Target::Flag { .. } | Target::Targeting { .. } => life(Named::FlagId(id)),
        })),
        ("ruleUnknown" | "duplicateId", _) => {
            suspects.extend(named.map(|id| own(Part::Rule(id))));
        }
        ("segmentUnknown", _) => {
            let ids = named.and_then(|list| serde_json::from_str::<Vec<String>>(&list).ok());
            let ids = ids.unwrap_or_default().into_iter();
            suspects.extend(ids.map(|id| life(Named::SegmentId(id))));
        }
        ("segmentInUse", _) => suspects.extend(users(workspace, target).map(|place| Suspect {
            item: Named::Key(place),
            part: Part::Rules,
        })),
        _ => {}
    }
    suspects
}

/// The text that a refusal points at.
fn named(command: &Command, pointer: &str) -> Option<String> {
    let json = serde_json::to_value(command).ok()?;
    match json.pointer(pointer)? {
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}
