//! What server SDKs are sent: each item's JSON once, full states and catch-ups as shared buffers.
//!
//! Items lie in the order of their stamps, so a catch-up from any timestamp is the tail of one
//! buffer of ready-made messages, and costs a connection no memory of its own.

mod item;
mod message;

use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use burgee_eval::compile::{CompiledFlag, CompiledSegment};
use burgee_eval::snapshot::Snapshot;
use bytes::Bytes;

use super::encoded::{ServerAnswer, Sync};
use crate::frame::deflate::{self, Coding};
use item::Item;
use message::{Message, Steps, full_length};

/// Up to this size the full state is sent for any change: it is the one answer that every SDK
/// takes whole, whatever it has, and a buffer of this size is taken by a socket at once.
pub const FULL_STATE_LIMIT: usize = 64 * 1024;

/// Milliseconds by which a raised stamp may be higher than an SDK needs it: until our clock has
/// passed it, some SDKs refuse changes and come back for the full state.
const NEARLY: i64 = 1_000;

/// So many stamps that items had before their last edits are remembered: as many edits may be
/// missed by an SDK that was away, and it still gets no more than those.
const PAST: usize = 1_000;

/// A patch in which nothing is new. Silence would leave SDKs waiting to become ready.
static NOTHING_NEW: LazyLock<Message> =
    LazyLock::new(|| Message::new("patch", std::iter::empty::<&Item>()));

/// A flag or a segment as server SDKs get it.
#[derive(Clone, Copy, Debug)]
pub struct WireItem<'a> {
    /// A flag; otherwise a segment.
    pub is_flag: bool,
    /// The object's JSON.
    pub json: &'a [u8],
}

/// All items of an environment as server SDKs get them.
pub(super) struct ServerState {
    /// In the order of their stamps.
    items: Vec<Arc<Item>>,
    /// Stamps that items had before they were edited, in order.
    past: Arc<[i64]>,
    /// The highest stamp of an item that is not archived.
    last_life: i64,
    /// The highest stamp of a flag that others need. Those are not stamped when it changes, and
    /// may be other flags to SDKs then.
    last_needed: i64,
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
    pub(super) fn new(snapshot: &Snapshot) -> Self {
        let all = Item::all(snapshot.flags().iter(), snapshot.segments().iter());
        Self::of(all, [].into(), Arc::default())
    }

    /// Other items in place of all of these, for the same connections.
    pub(super) fn replaced(&self, snapshot: &Snapshot) -> Self {
        let all = Item::all(snapshot.flags().iter(), snapshot.segments().iter());
        Self::of(all, [].into(), Arc::clone(&self.told))
    }

    /// The same with these items in place of those of the same key or id; shares the others.
    pub(super) fn with<'a>(
        &self,
        flags: impl Iterator<Item = &'a Arc<CompiledFlag>>,
        segments: impl Iterator<Item = &'a Arc<CompiledSegment>>,
    ) -> Self {
        let changed = Item::all(flags, segments);
        let names: HashSet<_> = changed.iter().map(|item| item.name()).collect();
        let items = self.items.iter();
        let (edited, kept): (Vec<_>, Vec<_>) = items.partition(|item| names.contains(&item.name()));
        let mut past = self.past.to_vec();
        // What is another flag because of those that it needs keeps its stamp.
        let stamps: HashSet<i64> = changed.iter().map(|item| item.stamp).collect();
        let stamped = edited.iter().map(|item| item.stamp);
        past.extend(stamped.filter(|stamp| !stamps.contains(stamp)));
        past.sort_unstable();
        let recent = past.len().saturating_sub(PAST);
        let items = kept.into_iter().chain(&changed).cloned().collect();
        Self::of(items, past[recent..].into(), Arc::clone(&self.told))
    }

    fn of(mut items: Vec<Arc<Item>>, past: Arc<[i64]>, told: Arc<AtomicI64>) -> Self {
        items.sort_by_key(|item| item.stamp);
        let living = items.iter().rev().find(|item| !item.is_tombstone());
        let last_life = living.map_or(0, |item| item.stamp);
        let needed = items.iter().map(|item| item.stamp_of_needs);
        let last_needed = needed.max().unwrap_or_default();
        let mut state = Self {
            items,
            past,
            last_life,
            last_needed,
            full_length: 0,
            full: OnceLock::new(),
            steps: OnceLock::new(),
            raised: Mutex::new(None),
            told,
        };
        state.full_length = full_length(state.whole(&state.items));
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

    /// Whether an item has this stamp, or had it before it was edited.
    pub(super) fn knows(&self, stamp: i64) -> bool {
        let current = self.items.binary_search_by_key(&stamp, |item| item.stamp);
        current.is_ok() || self.past.binary_search(&stamp).is_ok()
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
        let newest = newest.raised(stamp);
        let message = Message::new("full", self.whole(older).chain([&newest]));
        *raised = Some((stamp, message.clone()));
        message
    }

    /// What a connection gets that has everything up to `timestamp`; `None` where nothing is new.
    /// The steps are short messages, and differ with the timestamp: they are sent as they are.
    pub(super) fn since(&self, timestamp: i64, coding: Coding) -> Option<ServerAnswer> {
        let first = self.after(timestamp);
        if first == self.items.len() {
            return None;
        }
        let tail = || {
            self.steps
                .get_or_init(|| Steps::new(&self.items))
                .from(first)
        };
        Some(match self.reshaped_since(timestamp) {
            true => self.whole_answer(coding),
            false => self.smaller(tail, coding),
        })
    }

    /// Whether flags may be others since then without a stamp of their own, because of flags that
    /// they need: only the full state tells SDKs of those.
    pub(super) fn reshaped_since(&self, timestamp: i64) -> bool {
        self.last_needed > timestamp
    }

    /// What everybody is pushed who has what came before, the newest item of which was stamped
    /// `before`; `None` where nothing is new. Not many items, for many connections at one moment:
    /// their messages are made by themselves. Where a raised state told some SDK of a higher stamp
    /// than the news has, the news would be lost to it, and all get the full state above that.
    pub(super) fn pushed_since(&self, before: i64, coding: Coding) -> Option<Bytes> {
        let news = &self.items[self.after(before)..];
        if news.is_empty() {
            return None;
        }
        match self.told.load(Ordering::Relaxed) {
            told if told >= self.newest() => Some(self.full_above(told).frame(coding)),
            _ if self.reshaped_since(before) => Some(self.full().frame(coding)),
            _ => match self.smaller(|| Steps::new(news).frames, coding) {
                ServerAnswer { frames, sync }
                    if (sync, coding) == (Sync::Patch, Coding::Deflate) =>
                {
                    Some(deflate::pack(&frames))
                }
                answer => Some(answer.frames),
            },
        }
    }

    /// What everybody is pushed who had a state of another history, up to the stamp `before`.
    pub(super) fn pushed_instead(&self, before: i64, coding: Coding) -> Bytes {
        match self.told.load(Ordering::Relaxed).max(before) {
            told if told >= self.newest() => self.full_above(told).frame(coding),
            _ => self.full().frame(coding),
        }
    }

    /// The steps as they are, unless the full state is small, or smaller than they are.
    fn smaller(&self, steps: impl FnOnce() -> Bytes, coding: Coding) -> ServerAnswer {
        if self.full_length > FULL_STATE_LIMIT {
            let frames = steps();
            if frames.len() < self.full_length {
                let sync = Sync::Patch;
                return ServerAnswer { frames, sync };
            }
        }
        self.whole_answer(coding)
    }

    fn whole_answer(&self, coding: Coding) -> ServerAnswer {
        let frames = self.full().frame(coding);
        let sync = Sync::Full;
        ServerAnswer { frames, sync }
    }

    /// Where the items begin that are newer than `timestamp`.
    fn after(&self, timestamp: i64) -> usize {
        self.items.partition_point(|item| item.stamp <= timestamp)
    }

    /// Items that are newer than `stamp`, in the order of their stamps.
    pub(super) fn wire_items_after(
        &self,
        stamp: i64,
    ) -> impl Iterator<Item = WireItem<'_>> + Clone {
        self.items[self.after(stamp)..].iter().map(|item| WireItem {
            is_flag: item.is_flag(),
            json: &item.json,
        })
    }

    /// Keys and ids of the flags that are newer than `stamp`.
    pub(super) fn flags_after(&self, stamp: i64) -> impl Iterator<Item = (&str, &str)> {
        let items = self.items[self.after(stamp)..].iter();
        items.filter_map(|item| item.flag())
    }

    /// As [`Self::since`], in one message, for those who poll.
    pub(super) fn poll_since(&self, timestamp: i64) -> (Bytes, Sync) {
        let first = self.after(timestamp);
        match &self.items[first..] {
            [] => (NOTHING_NEW.json(), Sync::Patch),
            _ if first == 0
                || self.full_length <= FULL_STATE_LIMIT
                || self.reshaped_since(timestamp) =>
            {
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
        frames: NOTHING_NEW.frame(Coding::Clear),
        sync: Sync::Patch,
    }
}
