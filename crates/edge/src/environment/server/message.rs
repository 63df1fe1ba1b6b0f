//! Messages of items, ready for the socket.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::item::Item;
use crate::frame::deflate::{self, Coding};
use crate::frame::write;

const HEAD: &str = r#"{"messageType":"data-sync","data":{"eventType":""#;
const FLAGS: &str = r#"","featureFlags":["#;
const SEGMENTS: &str = r#"],"segments":["#;
const TAIL: &str = "]}}";

/// A message as a frame; its JSON is the frame's tail.
#[derive(Clone)]
pub(in crate::environment) struct Message {
    frame: Bytes,
    header: usize,
    /// The same frame deflated, once somebody takes it so.
    deflated: Arc<OnceLock<Bytes>>,
}

impl Message {
    pub(super) fn new<'a>(event: &str, items: impl Iterator<Item = &'a Item>) -> Self {
        let (flags, segments): (Vec<_>, Vec<_>) = items.partition(|item| item.is_flag());
        let (mut frame, mut length) = (Vec::new(), 0);
        let envelope = HEAD.len() + event.len() + FLAGS.len() + SEGMENTS.len() + TAIL.len();
        let items = flags.iter().chain(&segments);
        // Each with a comma.
        let about = envelope + items.map(|item| item.json.len() + 1).sum::<usize>();
        write::text_with(&mut frame, about, |json| {
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
            deflated: Arc::default(),
        }
    }

    pub(in crate::environment) fn frame(&self, coding: Coding) -> Bytes {
        match coding {
            Coding::Clear => &self.frame,
            Coding::Deflate => self.deflated.get_or_init(|| deflate::pack(&self.frame)),
        }
        .clone()
    }

    pub(in crate::environment) fn json(&self) -> Bytes {
        self.frame.slice(self.header..)
    }
}

/// The length of a full message's JSON with these items.
pub(super) fn full_length<'a>(items: impl Iterator<Item = &'a Item>) -> usize {
    let (flags, segments): (Vec<_>, Vec<_>) = items.partition(|item| item.is_flag());
    let around = HEAD.len() + "full".len() + FLAGS.len() + SEGMENTS.len() + TAIL.len();
    around + list_length(&flags) + list_length(&segments)
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
pub(super) struct Steps {
    pub(super) frames: Bytes,
    /// Where each item's message begins.
    starts: Box<[usize]>,
}

impl Steps {
    pub(super) fn new(items: &[Arc<Item>]) -> Self {
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

    pub(super) fn from(&self, item: usize) -> Bytes {
        let start = self.starts.get(item).copied().unwrap_or(self.frames.len());
        self.frames.slice(start..)
    }
}
