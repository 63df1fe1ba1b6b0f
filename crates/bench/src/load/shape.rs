//! What a message is, read in passing.
//!
//! A full parse of every answer would make the generator slower than what it measures, and a herd's
//! answers are megabytes: so the text is searched for what tells whether it is the right answer
//! (its type, how many flags, the newest version in it), piece by piece as it comes. The searched
//! texts begin and end in quotes, so that a value which contains them cannot be mistaken: its
//! quotes are escaped.

use memchr::memmem::Finder;

/// What kind of message it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// A `data-sync` with everything.
    Full,
    /// A `data-sync` with changes.
    Patch,
    /// The answer to a ping.
    Pong,
    /// Anything else.
    #[default]
    Other,
}

/// What is known of a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shape {
    /// Its kind.
    pub kind: Kind,
    /// How many flags it holds.
    pub flags: u32,
    /// The newest version in it: milliseconds since 1970 for client keys; the digits of the newest
    /// `updatedAt` for server keys. Comparable between messages to the same kind of key; 0 where
    /// there is none.
    pub newest: i64,
    /// Bytes of its text.
    pub bytes: u64,
}

/// No text searched for, with what is read behind it, is longer.
const MARGIN: usize = 64;

/// The kind of a message is told in its first bytes.
const HEAD: u64 = 256;

/// Searches texts; made once, because preparing a search costs more than a short one.
#[derive(Debug)]
pub(super) struct Searches {
    message: Finder<'static>,
    event: Finder<'static>,
    flag: Finder<'static>,
    stamp: Finder<'static>,
    updated: Finder<'static>,
}

impl Searches {
    pub(super) fn new() -> Self {
        Self {
            message: Finder::new(r#""messageType":""#),
            event: Finder::new(r#""eventType":""#),
            flag: Finder::new(r#""variationType":"#),
            stamp: Finder::new(r#""timestamp":"#),
            updated: Finder::new(r#""updatedAt":""#),
        }
    }
}

/// A message that is being read.
#[derive(Debug, Default)]
pub(super) struct Scan {
    shape: Shape,
    is_sync: bool,
    /// The end of what came so far: something searched for may begin in it.
    carry: Vec<u8>,
    searched: u64,
}

impl Scan {
    /// Takes the next piece; `last` where the message ends with it.
    pub(super) fn take(&mut self, searches: &Searches, piece: &[u8], last: bool) {
        self.shape.bytes += piece.len() as u64;
        if self.carry.is_empty() && last {
            self.search(searches, piece, piece.len());
            return;
        }
        let mut text = std::mem::take(&mut self.carry);
        text.extend_from_slice(piece);
        let end = match last {
            true => text.len(),
            false => text.len().saturating_sub(MARGIN),
        };
        self.search(searches, &text, end);
        text.drain(..end);
        self.carry = text;
    }

    /// What the message was; ready for the next one.
    pub(super) fn end(&mut self) -> Shape {
        let shape = self.shape;
        *self = Self::default();
        shape
    }

    /// Searches for what begins before `end`.
    fn search(&mut self, searches: &Searches, text: &[u8], end: usize) {
        if self.searched < HEAD {
            self.read_kind(searches, text, end);
        }
        self.searched += end as u64;
        let begins =
            |finder: &Finder<'_>| finder.find_iter(text).take_while(|at| *at < end).count();
        self.shape.flags += u32::try_from(begins(&searches.flag)).unwrap_or(u32::MAX);
        for (finder, skipped) in [(&searches.stamp, 12), (&searches.updated, 13)] {
            for at in finder.find_iter(text).take_while(|at| *at < end) {
                let newest = version(&text[at + skipped..]);
                self.shape.newest = self.shape.newest.max(newest);
            }
        }
    }

    fn read_kind(&mut self, searches: &Searches, text: &[u8], end: usize) {
        let head = &text[..text.len().min(HEAD as usize)];
        let after = |finder: &Finder<'_>| {
            let at = finder.find(head).filter(|at| *at < end)?;
            let value = &text[at + finder.needle().len()..];
            Some(&value[..value.len().min(MARGIN)])
        };
        if let Some(kind) = after(&searches.message) {
            self.is_sync |= kind.starts_with(b"data-sync\"");
            if kind.starts_with(b"pong\"") {
                self.shape.kind = Kind::Pong;
            }
        }
        match after(&searches.event) {
            Some(event) if self.is_sync && event.starts_with(b"full\"") => {
                self.shape.kind = Kind::Full;
            }
            Some(event) if self.is_sync && event.starts_with(b"patch\"") => {
                self.shape.kind = Kind::Patch;
            }
            _ => {}
        }
    }
}

/// The digits until the value ends, as a number: a count of milliseconds, or those of a moment
/// like `2026-11-22T00:00:00.123Z`, which sort as the moments do.
fn version(text: &[u8]) -> i64 {
    let value = text
        .iter()
        .take_while(|byte| !matches!(byte, b',' | b'}' | b'"'));
    let digits = value.filter(|byte| byte.is_ascii_digit()).take(17);
    digits.fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
}
