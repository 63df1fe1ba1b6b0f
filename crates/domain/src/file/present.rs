//! What is there, as far as a file is concerned.

use std::collections::BTreeSet;

use crate::key::fold;
use crate::model::{Environment, Segment, SegmentScope};
use crate::workspace::ProjectState;

/// A project with everything in it, and what else its file may name.
#[derive(Clone, Debug)]
pub struct Present {
    /// With all its environments and flags.
    pub project: ProjectState,
    /// Those of its environments, its own, and those of the organization; without deleted ones.
    pub segments: Vec<Segment>,
    /// The ids of its deleted flags, which new ones cannot have.
    pub taken_flags: BTreeSet<String>,
    /// The ids of all segments of the organization, deleted ones too.
    pub taken_segments: BTreeSet<String>,
}

impl Present {
    /// An environment by its key.
    pub(super) fn environment(&self, key: &str) -> Option<&Environment> {
        self.project.environments.get(&fold(key))
    }

    /// The segments of a scope.
    pub(super) fn segments_in<'a>(
        &'a self,
        scope: &'a SegmentScope,
    ) -> impl Iterator<Item = &'a Segment> {
        self.segments.iter().filter(move |it| it.scope == *scope)
    }

    /// A segment of a scope by its key.
    pub(super) fn segment(&self, scope: &SegmentScope, key: &str) -> Option<&Segment> {
        self.segments
            .iter()
            .find(|it| it.scope == *scope && it.key.folded() == fold(key))
    }
}
