//! What server SDKs are sent: each item's JSON once, full states and catch-ups as shared buffers.
//!
//! Items lie in the order of their stamps, so a catch-up from any timestamp is the tail of one
//! buffer of ready-made messages, and costs a connection no memory of its own.

use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use burgee_eval::time::Millis;
use bytes::Bytes;

use super::encoded::{ServerAnswer, Sync};
use super::wire;
use crate::frame::write;

/// Up to this size the full state is sent for any change: it is the one answer that every SDK
/// takes whole, whatever it has, and a buffer of this size is taken by a socket at once.
pub const FULL_STATE_LIMIT: usize = 64 * 1024;

/// Milliseconds by which a raised stamp may be higher than an SDK needs it: until our clock has
/// passed it, some SDKs refuse changes and come back for the full state.
const NEARLY: i64 = 1_000;

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
    /// The highest stamp of an item that is not archived.
    last_life: i64,
    /// The length of the full state's JSON.
    full_length: usize,
    full: OnceLock<Message>,
    steps: OnceLock<Steps>,
    /// The full state for SDKs that are ahead, and how far its newest stamp was raised. The lock
    /// is held while it is made, never during IO.
    raised: Mutex<Option<(i64, Message)>>,
    /// The highest stamp that a raised state of this environment ever told an SDK; shared by all
    /// states that follow each other.
    told: Arc<AtomicI64>,
}

impl ServerState {
    /// Encodes an environment's items, of which there is one per key or id.
    pub(super) fn new(flags: Vec<Arc<Flag>>, segments: Vec<Arc<Segment>>) -> Self {
        Self::of(encode(flags, segments), Arc::default())
    }

    /// Other items in place of all of these, for the same connections.
    pub(super) fn replaced(&self, flags: Vec<Arc<Flag>>, segments: Vec<Arc<Segment>>) -> Self {
        Self::of(encode(flags, segments), Arc::clone(&self.told))
    }

    /// The same with these items in place of those of the same key or id; shares the others.
    pub(super) fn with(&self, flags: Vec<Arc<Flag>>, segments: Vec<Arc<Segment>>) -> Self {
        let changed = encode(flags, segments);
        let names: HashSet<_> = changed.iter().map(|item| item.content.name()).collect();
        let kept = self.items.iter();
        let kept = kept.filter(|item| !names.contains(&item.content.name()));
        let items = kept.chain(&changed).cloned().collect();
        Self::of(items, Arc::clone(&self.told))
    }

    fn of(mut items: Vec<Arc<Item>>, told: Arc<AtomicI64>) -> Self {
        items.sort_by_key(|item| item.stamp);
        let living = items.iter().rev().find(|item| !item.is_tombstone());
        let last_life = living.map_or(0, |item| item.stamp);
        let mut state = Self {
            items,
            last_life,
            full_length: 0,
            full: OnceLock::new(),
            steps: OnceLock::new(),
            raised: Mutex::new(None),
            told,
        };
        let whole = state.whole(&state.items);
        let (flags, segments): (Vec<_>, Vec<_>) = whole.partition(|item| item.content.is_flag());
        let around = HEAD.len() + "full".len() + FLAGS.len() + SEGMENTS.len() + TAIL.len();
        state.full_length = around + list_length(&flags) + list_length(&segments);
        state
    }

    /// What a full state has of these items: all but old tombstones. A full state replaces what an
    /// SDK has, so what is not in it is gone; the tombstones after the last living item stay in,
    /// since an SDK passes over a state whose highest stamp is not above its own
    /// (`docs/adr/0005-old-tombstones.md`).
    fn whole<'a>(&self, items: &'a [Arc<Item>]) -> impl Iterator<Item = &'a Item> + use<'a> {
        let last_life = self.last_life;
        let items = items.iter().map(AsRef::as_ref);
        items.filter(move |item: &&Item| !item.is_tombstone() || item.stamp > last_life)
    }

    /// The highest stamp of an item; 0 where there is none.
    pub(super) fn newest(&self) -> i64 {
        self.items.last().map_or(0, |item| item.stamp)
    }

    /// Everything.
    pub(super) fn full(&self) -> &Message {
        self.full
            .get_or_init(|| Message::new("full", self.whole(&self.items)))
    }

    /// Everything, with the newest item's stamp raised above `timestamp`: for SDKs that are ahead
    /// of this environment and pass over a state that is not newer than theirs. One answer serves
    /// a herd of them, whose timestamps are nearly the same.
    pub(super) fn full_above(&self, timestamp: i64) -> Message {
        let Some((newest, older)) = self.items.split_last() else {
            return self.full().clone();
        };
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        let near = timestamp.saturating_add(1)..=timestamp.saturating_add(NEARLY);
        if let Some((_, message)) = raised.as_ref().filter(|(stamp, _)| near.contains(stamp)) {
            return message.clone();
        }
        let stamp = timestamp.saturating_add(1);
        self.told.fetch_max(stamp, Ordering::Relaxed);
        let newest = Item::stamped(newest.content.clone(), stamp);
        let message = Message::new("full", self.whole(older).chain([&newest]));
        *raised = Some((stamp, message.clone()));
        message
    }

    /// What a connection gets that has everything up to `timestamp`; `None` where nothing is new.
    pub(super) fn since(&self, timestamp: i64) -> Option<ServerAnswer> {
        let first = self.after(timestamp);
        if first == self.items.len() {
            return None;
        }
        let tail = || {
            self.steps
                .get_or_init(|| Steps::new(&self.items))
                .from(first)
        };
        Some(self.smaller(tail))
    }

    /// What everybody is pushed who has what came before, the newest item of which was stamped
    /// `before`; `None` where nothing is new. Not many items, for many connections at one moment:
    /// their messages are made by themselves. Where a raised state told some SDK of a higher stamp
    /// than the news has, the news would be lost to it, and all get the full state above that.
    pub(super) fn pushed_since(&self, before: i64) -> Option<Bytes> {
        let news = &self.items[self.after(before)..];
        if news.is_empty() {
            return None;
        }
        match self.told.load(Ordering::Relaxed) {
            told if told >= self.newest() => Some(self.full_above(told).frame()),
            _ => Some(self.smaller(|| Steps::new(news).frames).frames),
        }
    }

    /// What everybody is pushed who had a state of another history, up to the stamp `before`.
    pub(super) fn pushed_instead(&self, before: i64) -> Bytes {
        match self.told.load(Ordering::Relaxed).max(before) {
            told if told >= self.newest() => self.full_above(told).frame(),
            _ => self.full().frame(),
        }
    }

    /// The steps, unless the full state is small, or smaller than they are.
    fn smaller(&self, steps: impl FnOnce() -> Bytes) -> ServerAnswer {
        if self.full_length > FULL_STATE_LIMIT {
            let frames = steps();
            if frames.len() < self.full_length {
                let sync = Sync::Patch;
                return ServerAnswer { frames, sync };
            }
        }
        let frames = self.full().frame();
        let sync = Sync::Full;
        ServerAnswer { frames, sync }
    }

    /// Where the items begin that are newer than `timestamp`.
    fn after(&self, timestamp: i64) -> usize {
        self.items.partition_point(|item| item.stamp <= timestamp)
    }

    /// As [`Self::since`], in one message, for those who poll.
    pub(super) fn poll_since(&self, timestamp: i64) -> (Bytes, Sync) {
        let first = self.after(timestamp);
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

fn encode(flags: Vec<Arc<Flag>>, segments: Vec<Arc<Segment>>) -> Vec<Arc<Item>> {
    let flags = flags.into_iter().map(Content::Flag);
    let all = flags.chain(segments.into_iter().map(Content::Segment));
    all.map(|content| Arc::new(Item::new(content))).collect()
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

    fn is_archived(&self) -> bool {
        match self {
            Self::Flag(flag) => flag.is_archived,
            Self::Segment(segment) => segment.is_archived,
        }
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

    fn is_tombstone(&self) -> bool {
        self.content.is_archived()
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
        let (mut frame, mut length) = (Vec::new(), 0);
        write::text_with(&mut frame, |json| {
            let start = json.len();
            for part in [HEAD, event, FLAGS] {
                json.extend_from_slice(part.as_bytes());
            }
            append_list(json, &flags);
            json.extend_from_slice(SEGMENTS.as_bytes());
            append_list(json, &segments);
            json.extend_from_slice(TAIL.as_bytes());
            length = json.len() - start;
            true
        });
        Self {
            header: frame.len() - length,
            frame: frame.into(),
        }
    }

    pub(super) fn frame(&self) -> Bytes {
        self.frame.clone()
    }

    pub(super) fn json(&self) -> Bytes {
        self.frame.slice(self.header..)
    }
}

/// The length of a list's items and of the commas between them.
fn list_length(items: &[&Item]) -> usize {
    items.iter().map(|item| item.json.len()).sum::<usize>() + items.len().saturating_sub(1)
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
