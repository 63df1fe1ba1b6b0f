//! Whether a change set collides with what others changed since its author looked.
//!
//! The author names the versions that the change set was made against (`base`). Only a facet
//! that the set really changes, and that somebody changed after that version, is a conflict; two
//! people may edit different rules of one flag at the same time.

mod behind;
mod place;

use std::collections::{BTreeMap, BTreeSet};

pub use behind::behind;

use crate::outcome::{Facet, Item, Outcome, Scope};

/// A row of the log, as far as conflicts are concerned.
#[derive(Clone, Debug, PartialEq)]
pub struct Logged {
    /// Whose log.
    pub scope: Scope,
    /// The version that the row belongs to.
    pub version: i64,
    /// What was changed.
    pub item: Item,
    /// Which parts of it.
    pub facets: Vec<Facet>,
}

/// A collision with one version that came after the base.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// Where.
    pub scope: Scope,
    /// The version that changed it; the log says who made it.
    pub version: i64,
    /// What both changed.
    pub item: Item,
    /// Which parts of it both changed.
    pub facets: Vec<Facet>,
}

/// The collisions of an outcome with the log, in the log's order. Rows at or below the scope's
/// base, and rows of scopes without a base, are passed over.
pub fn find(outcome: &Outcome, base: &BTreeMap<Scope, i64>, log: &[Logged]) -> Vec<Conflict> {
    let mut touched: BTreeMap<(&Scope, (&str, &str)), BTreeSet<&Facet>> = BTreeMap::new();
    for step in &outcome.steps {
        for entry in &step.entries {
            let facets = touched.entry((&step.scope, id(&entry.item))).or_default();
            facets.extend(&entry.facets);
        }
    }
    let later = log.iter().filter(|row| is_later(row, base));
    later
        .filter_map(|row| collision(row, touched.get(&(&row.scope, id(&row.item)))?))
        .collect()
}

fn collision(row: &Logged, touched: &BTreeSet<&Facet>) -> Option<Conflict> {
    let both = row.facets.iter().filter(|facet| touched.contains(facet));
    Conflict::of(row, both.cloned().collect())
}

fn is_later(row: &Logged, base: &BTreeMap<Scope, i64>) -> bool {
    base.get(&row.scope).is_some_and(|at| row.version > *at)
}

impl Conflict {
    /// With a row of the log, in these facets; none where there are none.
    fn of(row: &Logged, facets: Vec<Facet>) -> Option<Self> {
        (!facets.is_empty()).then(|| Self {
            scope: row.scope.clone(),
            version: row.version,
            item: row.item.clone(),
            facets,
        })
    }
}

/// An item by kind and id: a flag and a segment may have the same id.
fn id(item: &Item) -> (&str, &str) {
    match item {
        Item::Flag(id, _) => ("flag", id.as_str()),
        Item::Segment(id, _) => ("segment", id.as_str()),
    }
}
