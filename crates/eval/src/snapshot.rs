//! All flags and segments of one environment at one moment: immutable, swapped as a whole.
//!
//! A change makes a new snapshot that shares everything it did not touch with the one before. What
//! a segment's change concerns is found by asking each flag for the ids it names: that costs
//! microseconds among thousands of flags, and unlike an index kept aside it cannot be out of date.

mod affected;

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

        let flags: Vec<Arc<Flag>> = flags.into_iter().map(Arc::new).collect();
        let edited: BTreeSet<&str> = flags.iter().map(|flag| flag.key.as_str()).collect();
        let dependent = self.flags.iter().filter(|flag| {
            let mut ids = flag.segment_ids();
            !edited.contains(flag.flag.key.as_str()) && ids.any(|id| edited_segments.contains(id))
        });
        let sources: Vec<Arc<Flag>> = dependent.map(|flag| Arc::clone(&flag.flag)).collect();
        let sources = sources.into_iter().chain(flags.iter().cloned());
        let compiled = sources.map(|flag| Arc::new(compile::flag(flag, &next.segments)));
        put(&mut next.flags, compiled.collect(), |flag| &flag.flag.key);

        let affected = Affected::between(self, &next, &edited, &edited_segments);
        (next, affected)
    }

    /// The flag of this key, compared exactly; archived ones too.
    pub fn flag(&self, key: &str) -> Option<&Arc<CompiledFlag>> {
        let place = self
            .flags
            .binary_search_by(|flag| flag.flag.key.as_str().cmp(key));
        self.flags.get(place.ok()?)
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
    // A first load comes all at once: one by one, each item would move those behind it.
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
}
