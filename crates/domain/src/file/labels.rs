//! By what a file names variations and segments.

use std::collections::BTreeMap;

use burgee_eval::flag::Variation;

use super::FileFault;
use crate::fault::shown;
use crate::id::Id;
use crate::key::fold;
use crate::model::{Segment, SegmentScope};

/// A value that is longer does not stand for its variation.
const LONGEST_VALUE: usize = 64;

/// The id of the variation that a label names: by name, else by value, else by id. A label that is
/// the name of several, or the value of several, names none of them so.
pub(super) fn variation<'v>(
    label: &str,
    variations: &'v [Variation],
    at: &str,
) -> Result<&'v str, FileFault> {
    find(label, variations).ok_or_else(|| {
        let message = format!(
            "the flag has no variation, or several, of the name, value or id '{}'",
            shown(label)
        );
        FileFault::new(at, "variationUnknown", message)
    })
}

fn find<'v>(label: &str, variations: &'v [Variation]) -> Option<&'v str> {
    let only = |is: &dyn Fn(&Variation) -> bool| {
        let mut found = variations.iter().filter(|it| is(it));
        let first = found.next()?;
        found.next().is_none().then_some(first.id.as_str())
    };
    only(&|it| it.id == label)
        .or_else(|| only(&|it| it.name.as_deref() == Some(label)))
        .or_else(|| only(&|it| it.value == label))
}

/// The most readable label that names the variation of an id.
pub(super) fn of_variation(id: &str, variations: &[Variation]) -> String {
    let Some(variation) = variations.iter().find(|it| it.id == id) else {
        return id.to_owned();
    };
    let value = Some(&variation.value).filter(|it| it.len() <= LONGEST_VALUE);
    let labels = [variation.name.as_ref(), value];
    let mut labels = labels.into_iter().flatten();
    let label = labels.find(|label| find(label, variations) == Some(id));
    label.map_or_else(|| id.to_owned(), Clone::clone)
}

/// The ids of the segments that an environment's rules can name, and back.
#[derive(Clone, Debug, Default)]
pub(super) struct SegmentNames {
    ids: BTreeMap<String, String>,
    labels: BTreeMap<String, String>,
}

impl SegmentNames {
    /// Adds a segment. Keys are as the label shows them.
    pub(super) fn add(&mut self, scope: &str, key: &str, id: &str) {
        self.ids
            .insert(format!("{scope}/{}", fold(key)), id.to_owned());
        self.labels.insert(id.to_owned(), format!("{scope}/{key}"));
    }

    /// Adds segments that are there.
    pub(super) fn add_all<'s>(&mut self, scope: &str, all: impl Iterator<Item = &'s Segment>) {
        all.for_each(|it| self.add(scope, it.key.as_str(), it.id.as_str()));
    }

    /// The label of an id.
    pub(super) fn label(&self, id: &str) -> String {
        let label = self.labels.get(id).cloned();
        label.unwrap_or_else(|| format!("id/{id}"))
    }

    /// The id of a label.
    pub(super) fn id(&self, label: &str, at: &str) -> Result<String, FileFault> {
        if let Some(id) = label.strip_prefix("id/") {
            return Ok(id.to_owned());
        }
        let found = label
            .split_once('/')
            .and_then(|(scope, key)| self.ids.get(&format!("{scope}/{}", fold(key))));
        found.cloned().ok_or_else(|| {
            let message = format!(
                "there is no segment '{}' that can be used here; name one as environment/KEY, \
                 project/KEY, organization/KEY or id/ID",
                shown(label)
            );
            FileFault::new(at, "segmentUnknown", message)
        })
    }
}

/// What a scope is called in labels.
pub(super) fn scope_name(scope: &SegmentScope) -> &'static str {
    match scope {
        SegmentScope::Organization => "organization",
        SegmentScope::Project(_) => "project",
        SegmentScope::Environment(..) => "environment",
    }
}

/// The id that a segment of a file has: its own where that is free, else a new one.
pub(super) fn free_id<T>(
    wanted: Option<&String>,
    is_taken: impl Fn(&str) -> bool,
    new_id: &mut dyn FnMut() -> String,
) -> Id<T> {
    match wanted.filter(|id| !is_taken(id)) {
        Some(id) => Id::new(id),
        None => Id::new(new_id()),
    }
}
