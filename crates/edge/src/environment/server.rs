//! What server SDKs are sent: each item's JSON once, full states and catch-ups as shared buffers.
//!
//! Items lie in the order of their stamps, so a catch-up from any timestamp is the tail of one
//! buffer of ready-made messages, and costs a connection no memory of its own.

use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use burgee_eval::time::Millis;
use bytes::Bytes;

use super::encoded::{ServerAnswer, Sync};
use super::{frame, wire};

/// Up to this size the full state is sent for any change: it is the one answer that every SDK
/// takes whole, whatever it has, and a buffer of this size is taken by a socket at once.
pub const FULL_STATE_LIMIT: usize = 64 * 1024;

const HEAD: &str = r#"{"messageType":"data-sync","data":{"eventType":""#;
const FLAGS: &str = r#"","featureFlags":["#;
const SEGMENTS: &str = r#"],"segments":["#;
const TAIL: &str = "]}}";

/// A patch in which nothing is new. Silence would leave SDKs waiting to become ready.
static NOTHING_NEW: LazyLock<Message> =
    LazyLock::new(|| Message::new("patch", std::iter::empty::<&Item>()));

/// All items of an environment as server SDKs get them.
pub(super) struct ServerState {
    /// In the order of their stamps.
    items: Vec<Arc<Item>>,
    /// The length of the full state's JSON.
    full_length: usize,
    full: OnceLock<Message>,
    steps: OnceLock<Steps>,
    /// The full state for SDKs that are ahead, and how far its newest stamp was raised. The lock
    /// is held while it is made, never during IO.
    raised: Mutex<Option<(i64, Message)>>,
}

impl ServerState {
    /// Encodes an environment's items, of which there is one per key or id.
    pub(super) fn new(flags: Vec<Arc<Flag>>, segments: Vec<Arc<Segment>>) -> Self {
        let flags = flags.into_iter().map(Content::Flag);
        let segments = segments.into_iter().map(Content::Segment);
        Self::of(
            flags
                .chain(segments)
                .map(|content| Arc::new(Item::new(content)))
                .collect(),
        )
    }

    /// The same with these items in place of those of the same key or id; shares the others.
    pub(super) fn with(&self, flags: Vec<Arc<Flag>>, segments: Vec<Arc<Segment>>) -> Self {
        let changed = Self::new(flags, segments);
        let names: std::collections::HashSet<_> = changed
            .items
            .iter()
            .map(|item| item.content.name())
            .collect();
        let kept = self
            .items
            .iter()
            .filter(|item| !names.contains(&item.content.name()));
        Self::of(kept.chain(&changed.items).cloned().collect())
    }

    fn of(mut items: Vec<Arc<Item>>) -> Self {
        items.sort_by_key(|item| item.stamp);
        let commas = |flag: bool| {
            items
                .iter()
                .filter(|item| item.content.is_flag() == flag)
                .count()
                .saturating_sub(1)
        };
        let around = HEAD.len() + "full".len() + FLAGS.len() + SEGMENTS.len() + TAIL.len();
        let full_length = around
            + items.iter().map(|item| item.json.len()).sum::<usize>()
            + commas(true)
            + commas(false);
        let (full, steps, raised) = (OnceLock::new(), OnceLock::new(), Mutex::new(None));
        Self {
            items,
            full_length,
            full,
            steps,
            raised,
        }
    }

    /// The highest stamp of an item; 0 where there is none.
    pub(super) fn newest(&self) -> i64 {
        self.items.last().map_or(0, |item| item.stamp)
    }

    /// Everything.
    pub(super) fn full(&self) -> &Message {
        let items = self.items.iter().map(AsRef::as_ref);
        self.full.get_or_init(|| Message::new("full", items))
    }

    /// Everything, with the newest item's stamp raised above `timestamp`: for SDKs that are ahead
    /// of this environment and pass over a state that is not newer than theirs. One answer serves
    /// all SDKs that are not ahead of *it*.
    pub(super) fn full_above(&self, timestamp: i64) -> Message {
        let Some((newest, older)) = self.items.split_last() else {
            return self.full().clone();
        };
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((stamp, message)) = raised.as_ref().filter(|(stamp, _)| *stamp > timestamp) {
            debug_assert!(*stamp > self.newest());
            return message.clone();
        }
        let stamp = timestamp.saturating_add(1);
        let newest = Item::stamped(newest.content.clone(), stamp);
        let items = older.iter().map(AsRef::as_ref).chain([&newest]);
        let message = Message::new("full", items);
        *raised = Some((stamp, message.clone()));
        message
    }

    /// What a connection gets that has everything up to `timestamp`; `None` where nothing is new.
    pub(super) fn since(&self, timestamp: i64) -> Option<ServerAnswer> {
        let first = self.items.partition_point(|item| item.stamp <= timestamp);
        if first == self.items.len() {
            return None;
        }
        if self.full_length > FULL_STATE_LIMIT {
            let steps = self.steps.get_or_init(|| Steps::new(&self.items));
            let frames = steps.from(first);
            if frames.len() < self.full_length {
                return Some(ServerAnswer {
                    frames,
                    sync: Sync::Patch,
                });
            }
        }
        Some(ServerAnswer {
            frames: self.full().frame(),
            sync: Sync::Full,
        })
    }

    /// As [`Self::since`], in one message, for those who poll.
    pub(super) fn poll_since(&self, timestamp: i64) -> (Bytes, Sync) {
        let first = self.items.partition_point(|item| item.stamp <= timestamp);
        match &self.items[first..] {
            [] => (NOTHING_NEW.json(), Sync::Patch),
            _ if first == 0 || self.full_length <= FULL_STATE_LIMIT => {
                (self.full().json(), Sync::Full)
            }
            news => (
                Message::new("patch", news.iter().map(AsRef::as_ref)).json(),
                Sync::Patch,
            ),
        }
    }
}

/// The answer that says that nothing is new.
pub(super) fn nothing_new() -> ServerAnswer {
    ServerAnswer {
        frames: NOTHING_NEW.frame(),
        sync: Sync::Patch,
    }
}

/// A flag or a segment, shared with the snapshot.
#[derive(Clone)]
enum Content {
    Flag(Arc<Flag>),
    Segment(Arc<Segment>),
}

impl Content {
    fn is_flag(&self) -> bool {
        matches!(self, Self::Flag(_))
    }

    /// What SDKs tell items apart by.
    fn name(&self) -> (bool, &str) {
        match self {
            Self::Flag(flag) => (true, &flag.key),
            Self::Segment(segment) => (false, &segment.id),
        }
    }
}

struct Item {
    content: Content,
    stamp: i64,
    json: Box<[u8]>,
}

impl Item {
    fn new(content: Content) -> Self {
        let stamp = match &content {
            Content::Flag(flag) => flag.updated_at.0,
            Content::Segment(segment) => segment.updated_at.0,
        };
        Self::stamped(content, stamp)
    }

    fn stamped(content: Content, stamp: i64) -> Self {
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

/// A message as a frame; its JSON is the frame's tail.
#[derive(Clone)]
pub(super) struct Message {
    frame: Bytes,
    header: usize,
}

impl Message {
    fn new<'a>(event: &str, items: impl Iterator<Item = &'a Item>) -> Self {
        let (flags, segments): (Vec<_>, Vec<_>) = items.partition(|item| item.content.is_flag());
        let mut json = Vec::new();
        for part in [HEAD, event, FLAGS] {
            json.extend_from_slice(part.as_bytes());
        }
        append_list(&mut json, &flags);
        json.extend_from_slice(SEGMENTS.as_bytes());
        append_list(&mut json, &segments);
        json.extend_from_slice(TAIL.as_bytes());

        let mut whole = Vec::with_capacity(json.len() + frame::MAX_HEADER);
        frame::append_text_header(json.len(), &mut whole);
        let header = whole.len();
        whole.extend_from_slice(&json);
        Self {
            frame: whole.into(),
            header,
        }
    }

    pub(super) fn frame(&self) -> Bytes {
        self.frame.clone()
    }

    pub(super) fn json(&self) -> Bytes {
        self.frame.slice(self.header..)
    }
}

fn append_list(json: &mut Vec<u8>, items: &[&Item]) {
    for (number, item) in items.iter().enumerate() {
        if number > 0 {
            json.push(b',');
        }
        json.extend_from_slice(&item.json);
    }
}

/// One patch message per item, in the order of stamps, ready for the socket.
struct Steps {
    frames: Bytes,
    /// Where each item's message begins.
    starts: Box<[usize]>,
}

impl Steps {
    fn new(items: &[Arc<Item>]) -> Self {
        let mut frames = Vec::new();
        let starts = items.iter().map(|item| {
            let start = frames.len();
            frames.extend_from_slice(&Message::new("patch", [item.as_ref()].into_iter()).frame);
            start
        });
        let starts = starts.collect();
        Self {
            frames: frames.into(),
            starts,
        }
    }

    fn from(&self, item: usize) -> Bytes {
        let start = self.starts.get(item).copied().unwrap_or(self.frames.len());
        self.frames.slice(start..)
    }
}
