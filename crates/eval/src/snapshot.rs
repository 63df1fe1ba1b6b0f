//! All flags and segments of one environment at one moment: immutable, swapped as a whole.
//!
//! A change makes a new snapshot that shares everything it did not touch with the one before. What
//! a segment's change concerns is found by asking each flag for the ids it names: that costs
//! microseconds among thousands of flags, and unlike an index kept aside it cannot be out of date.

mod affected;
mod order;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::compile::{self, CompiledFlag, CompiledSegment, Segments, Warning};
use crate::flag::Flag;
use crate::segment::Segment;

pub use affected::{Affected, AffectedFlag, Cause, Effect};

/// An environment's flags and segments, compiled.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// By key, each key once, archived ones too.
    flags: Vec<Arc<CompiledFlag>>,
    segments: Segments,
}

impl Snapshot {
    /// Compiles an environment. Of two items with one key or id the later counts.
    pub fn build(flags: Vec<Flag>, segments: Vec<Segment>) -> Self {
        Self::default().apply(flags, segments).0
    }

    /// The snapshot with these items put in, over those of the same key or id, and what that
    /// touched. An archived item stays in as its tombstone; nothing ever vanishes.
    pub fn apply(&self, flags: Vec<Flag>, segments: Vec<Segment>) -> (Self, Affected) {
        let mut next = self.clone();
        let edited_segments: BTreeSet<String> = segments.iter().map(|s| s.id.clone()).collect();
        let compiled = segments
            .into_iter()
            .map(|s| Arc::new(compile::segment(Arc::new(s))));
        next.segments.put(compiled.collect());

        let touched = self.touched(flags, &edited_segments);
        let compiled = touched.compile(&self.flags, &next.segments);
        put(&mut next.flags, compiled.clone(), |flag| &flag.flag.key);
        let affected = Affected::between(self, &next, &compiled, &touched, &edited_segments);
        (next, affected)
    }

    /// The flag of this key, compared exactly; archived ones too.
    pub fn flag(&self, key: &str) -> Option<&Arc<CompiledFlag>> {
        self.flags.get(self.flag_index(key)?)
    }

    fn flag_index(&self, key: &str) -> Option<usize> {
        let flags = &self.flags;
        flags
            .binary_search_by(|flag| flag.flag.key.as_str().cmp(key))
            .ok()
    }

    /// All flags by key, archived ones too.
    pub fn flags(&self) -> &[Arc<CompiledFlag>] {
        &self.flags
    }

    /// The segment of this id, archived ones too.
    pub fn segment(&self, id: &str) -> Option<&Arc<CompiledSegment>> {
        self.segments.get(id)
    }

    /// All segments by id, archived ones too.
    pub fn segments(&self) -> &[Arc<CompiledSegment>] {
        self.segments.as_slice()
    }

    /// What does not do what its author may think, with the item it is in.
    pub fn warnings(&self) -> impl Iterator<Item = (Item<'_>, &Warning)> {
        let flags = self.flags.iter().flat_map(|flag| {
            let item = Item::Flag(&flag.flag);
            flag.warnings().iter().map(move |warning| (item, warning))
        });
        let segments = self.segments().iter().flat_map(|segment| {
            let item = Item::Segment(segment.segment());
            segment
                .warnings()
                .iter()
                .map(move |warning| (item, warning))
        });
        flags.chain(segments)
    }
}

/// What a warning is about.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    /// A flag.
    Flag(&'a Flag),
    /// A segment.
    Segment(&'a Segment),
}

/// Puts new items into a list that is sorted by a text, over those of the same text; of two new
/// ones the later counts.
pub(crate) fn put<T>(list: &mut Vec<T>, items: Vec<T>, text: impl Fn(&T) -> &str) {
    // A first load comes all at once: put in one by one, each item would move those behind it.
    if items.len() > list.len() / 8 {
        list.extend(items);
        // Stable: among equals the old one comes first, then the new ones in their order.
        list.sort_by(|a, b| text(a).cmp(text(b)));
        list.dedup_by(|later, earlier| {
            let same = text(later) == text(earlier);
            if same {
                std::mem::swap(later, earlier);
            }
            same
        });
        return;
    }
    for item in items {
        match list.binary_search_by(|other| text(other).cmp(text(&item))) {
            Ok(place) => list[place] = item,
            Err(place) => list.insert(place, item),
        }
    }
}
