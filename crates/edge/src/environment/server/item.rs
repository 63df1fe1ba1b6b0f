//! A flag or a segment with its JSON, made once and shared by all states that have it.

use std::sync::Arc;

use burgee_eval::compile::{CompiledFlag, CompiledSegment};
use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use burgee_eval::time::Millis;

use crate::environment::wire::{self, Broken};

/// What lies in a state; the flag or segment is the snapshot's own.
pub(super) struct Item {
    content: Content,
    pub(super) stamp: i64,
    /// The latest stamp of a flag that it needs, or that one of those does; 0 where it needs none.
    pub(super) stamp_of_needs: i64,
    pub(super) json: Box<[u8]>,
}

#[derive(Clone)]
enum Content {
    Flag(Arc<Flag>, Broken),
    Segment(Arc<Segment>, Broken),
}

/// Not the compiled items: they would keep the segments that they refer to. A flag that needs
/// others is written as one that needs none.
impl From<&CompiledFlag> for Content {
    fn from(flag: &CompiledFlag) -> Self {
        let flag = flag.for_sdks();
        Self::Flag(Arc::clone(flag.flag()), Broken::of(flag.warnings()))
    }
}

impl From<&CompiledSegment> for Content {
    fn from(segment: &CompiledSegment) -> Self {
        let broken = Broken::of(segment.warnings());
        Self::Segment(Arc::clone(segment.segment()), broken)
    }
}

impl Item {
    /// Encodes all of these.
    pub(super) fn all<'a>(
        flags: impl Iterator<Item = &'a Arc<CompiledFlag>>,
        segments: impl Iterator<Item = &'a Arc<CompiledSegment>>,
    ) -> Vec<Arc<Self>> {
        let flags = flags.map(|flag| {
            let needs = flag.stamp_of_needs().map_or(0, |stamp| stamp.0);
            Self::new(Content::from(&**flag), flag.flag().updated_at.0, needs)
        });
        let segments = segments.map(|segment| {
            let stamp = segment.segment().updated_at.0;
            Self::new(Content::from(&**segment), stamp, 0)
        });
        flags.chain(segments).map(Arc::new).collect()
    }

    /// The same with another stamp.
    pub(super) fn raised(&self, stamp: i64) -> Self {
        Self::new(self.content.clone(), stamp, self.stamp_of_needs)
    }

    pub(super) fn is_flag(&self) -> bool {
        matches!(self.content, Content::Flag(..))
    }

    /// The key and the id, of a flag.
    pub(super) fn flag(&self) -> Option<(&str, &str)> {
        match &self.content {
            Content::Flag(flag, _) => Some((&flag.key, &flag.id)),
            Content::Segment(..) => None,
        }
    }

    pub(super) fn is_tombstone(&self) -> bool {
        match &self.content {
            Content::Flag(flag, _) => flag.is_archived,
            Content::Segment(segment, _) => segment.is_archived,
        }
    }

    /// What SDKs tell items apart by.
    pub(super) fn name(&self) -> (bool, &str) {
        match &self.content {
            Content::Flag(flag, _) => (true, &flag.key),
            Content::Segment(segment, _) => (false, &segment.id),
        }
    }

    fn new(content: Content, stamp: i64, stamp_of_needs: i64) -> Self {
        let json = match &content {
            Content::Flag(flag, broken) => wire::flag_json(flag, broken, Millis(stamp)),
            Content::Segment(segment, broken) => wire::segment_json(segment, broken, Millis(stamp)),
        };
        Self {
            content,
            stamp,
            stamp_of_needs,
            json: json.into(),
        }
    }
}
