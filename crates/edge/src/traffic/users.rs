//! Which users were written lately, so that only those are written again that are new, changed, or
//! were last seen a day ago.
//!
//! Only hashes are kept, in two halves: when the younger half is full it becomes the older one,
//! whose users are then forgotten in turn unless they come again. So memory is bounded, the busy
//! ones stay, and forgetting costs no more than one write too many.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use burgee_eval::user::User;

use super::limits::NEW_USERS_PER_HOUR;
use crate::hub::KeyId;

const DAY: i64 = 86_400_000;
const HOUR: i64 = 3_600_000;
/// Times are kept in these.
const SECOND: i64 = 1_000;

/// Users remembered in each half: what fills a table of 2^19 places, so 9 MB each.
const HALF: usize = 7 << 16;

pub(super) struct Users {
    younger: Table,
    older: Table,
    half: usize,
    hour: i64,
    new_this_hour: HashMap<KeyId, u32>,
}

/// By identity, which is a hash with a secret key already.
type Table = HashMap<u64, Written, BuildHasherDefault<Itself>>;

/// Eight bytes, so that a place takes 17.
#[derive(Clone, Copy)]
struct Written {
    /// Half a hash: a change that is missed, once in four thousand million, is seen a day later.
    content: u32,
    /// Seconds since 1970; wraps in 2106.
    at: u32,
}

/// Takes a hash for its own hash.
#[derive(Default)]
struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// A user as the table knows them.
#[derive(Clone, Copy)]
pub(super) struct Print {
    identity: u64,
    content: u32,
}

impl Print {
    pub(super) fn new(hasher: &RandomState, environment: &str, user: &User<'_>) -> Self {
        let identity = hasher.hash_one((environment, &user.key));
        let content = hasher.hash_one((&user.name, &user.properties, user.types())) as u32;
        Self { identity, content }
    }
}

/// Whether a user has to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// No.
    Known,
    /// Yes.
    Write,
    /// The key brought too many new ones this hour.
    TooMany,
}

impl Default for Users {
    fn default() -> Self {
        Self::with_half(HALF)
    }
}

impl Users {
    pub(super) fn with_half(half: usize) -> Self {
        Self {
            younger: Table::default(),
            older: Table::default(),
            half,
            hour: 0,
            new_this_hour: HashMap::new(),
        }
    }

    /// Whether the user has to be written; if so, and there is room for it, [`Self::written`] is to
    /// be called: who could not be written comes again and is not counted twice.
    pub(super) fn judge(&mut self, user: Print, key: KeyId, now: i64) -> Verdict {
        let known = match self.younger.get(&user.identity) {
            Some(known) => *known,
            None => match self.older.remove(&user.identity) {
                Some(known) => {
                    self.put(user.identity, known);
                    known
                }
                None => {
                    return match self.new_by(key, now) {
                        count if *count >= NEW_USERS_PER_HOUR => Verdict::TooMany,
                        _ => Verdict::Write,
                    };
                }
            },
        };
        let seconds_ago = seconds(now).wrapping_sub(known.at);
        match known.content == user.content && i64::from(seconds_ago) < DAY / SECOND {
            true => Verdict::Known,
            false => Verdict::Write,
        }
    }

    /// Remembers that the user was written; says whether they count as a new one of the key.
    pub(super) fn written(&mut self, user: Print, key: KeyId, now: i64) -> bool {
        let identity = &user.identity;
        let new = !self.younger.contains_key(identity) && !self.older.contains_key(identity);
        if new {
            *self.new_by(key, now) += 1;
        }
        let written = Written {
            content: user.content,
            at: seconds(now),
        };
        self.put(user.identity, written);
        new
    }

    /// A user who was written at this time and counted as new turns out not to be.
    pub(super) fn was_known(&mut self, key: KeyId, at: i64) {
        if at.div_euclid(HOUR) == self.hour {
            let new = self.new_this_hour.entry(key).or_default();
            *new = new.saturating_sub(1);
        }
    }

    /// How many are remembered.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.younger.len() + self.older.len()
    }

    fn put(&mut self, identity: u64, written: Written) {
        if self.younger.len() >= self.half && !self.younger.contains_key(&identity) {
            self.older = std::mem::take(&mut self.younger);
        }
        self.younger.insert(identity, written);
    }

    /// How many new users the key brought this hour.
    fn new_by(&mut self, key: KeyId, now: i64) -> &mut u32 {
        let hour = now.div_euclid(HOUR);
        if hour != self.hour {
            self.hour = hour;
            self.new_this_hour.clear();
        }
        self.new_this_hour.entry(key).or_default()
    }
}

/// Seconds since 1970, as they are kept.
fn seconds(at: i64) -> u32 {
    at.div_euclid(SECOND) as u32
}
