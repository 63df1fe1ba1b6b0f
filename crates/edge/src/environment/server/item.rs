//! A flag or a segment with its JSON, made once and shared by all states that have it.

use std::sync::Arc;

use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use burgee_eval::time::Millis;

use crate::environment::wire;

/// What lies in a state; the flag or segment is the snapshot's own.
pub(super) struct Item {
    content: Content,
    pub(super) stamp: i64,
    pub(super) json: Box<[u8]>,
}

#[derive(Clone)]
enum Content {
    Flag(Arc<Flag>),
    Segment(Arc<Segment>),
}

impl Item {
    /// Encodes all of these.
    pub(super) fn all(flags: Vec<Arc<Flag>>, segments: Vec<Arc<Segment>>) -> Vec<Arc<Self>> {
        let flags = flags
            .into_iter()
            .map(|flag| (flag.updated_at.0, Content::Flag(flag)));
        let segments = segments.into_iter();
        let segments = segments.map(|segment| (segment.updated_at.0, Content::Segment(segment)));
        let all = flags.chain(segments);
        all.map(|(stamp, content)| Arc::new(Self::new(content, stamp)))
            .collect()
    }

    /// The same with another stamp.
    pub(super) fn raised(&self, stamp: i64) -> Self {
        Self::new(self.content.clone(), stamp)
    }

    pub(super) fn is_flag(&self) -> bool {
        matches!(self.content, Content::Flag(_))
    }

    pub(super) fn is_tombstone(&self) -> bool {
        match &self.content {
            Content::Flag(flag) => flag.is_archived,
            Content::Segment(segment) => segment.is_archived,
        }
    }

    /// What SDKs tell items apart by.
    pub(super) fn name(&self) -> (bool, &str) {
        match &self.content {
            Content::Flag(flag) => (true, &flag.key),
            Content::Segment(segment) => (false, &segment.id),
        }
    }

    fn new(content: Content, stamp: i64) -> Self {
        let json = match &content {
            Content::Flag(flag) => wire::flag_json(flag, Millis(stamp)),
            Content::Segment(segment) => wire::segment_json(segment, Millis(stamp)),
        };
        Self {
            content,
            stamp,
            json: json.into(),
        }
    }
}
