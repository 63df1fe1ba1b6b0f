//! Finds a key among a flag's targets or a segment's members without holding the keys twice.
//!
//! A segment may have a million keys. They already lie in the flag or segment that the compiled
//! form shares, so the index holds only where each one is: 8 bytes a slot, at most 3 of 4 taken.
//! The hash is the standard library's, seeded at random, since keys may be chosen by strangers.

use std::hash::{BuildHasher, RandomState};

/// Where a key is: which list, and where in it.
#[derive(Clone, Copy, Debug)]
struct Place {
    list: u32,
    position: u32,
}

const EMPTY: u32 = u32::MAX;

/// An index over several lists of keys. Of a key that occurs twice the first occurrence counts.
#[derive(Debug)]
pub(crate) struct KeyIndex {
    /// A power of two of places, or none.
    slots: Box<[Place]>,
    seed: RandomState,
}

impl KeyIndex {
    /// Indexes the lists, which [`KeyIndex::find`] must be given again.
    pub(crate) fn new<'a>(lists: impl Fn(usize) -> Option<&'a [String]>) -> Self {
        let count = (0..).map_while(&lists).map(<[String]>::len).sum::<usize>();
        let size = match count {
            0 => 0,
            _ => (count * 4 / 3 + 1).next_power_of_two(),
        };
        let vacant = Place {
            list: EMPTY,
            position: 0,
        };
        let mut index = Self {
            slots: vec![vacant; size].into_boxed_slice(),
            seed: RandomState::new(),
        };
        for (number, list) in (0..).map_while(&lists).enumerate() {
            for (position, key) in list.iter().enumerate() {
                index.insert(key, number, position, &lists);
            }
        }
        index
    }

    /// The number of the first list that holds the key.
    pub(crate) fn find<'a>(
        &self,
        key: &str,
        lists: impl Fn(usize) -> Option<&'a [String]>,
    ) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let place = self.slots[self.slot(key, &lists)];
        (place.list != EMPTY).then_some(place.list as usize)
    }

    fn insert<'a>(
        &mut self,
        key: &str,
        list: usize,
        position: usize,
        lists: &impl Fn(usize) -> Option<&'a [String]>,
    ) {
        let slot = self.slot(key, lists);
        if let (EMPTY, Ok(list), Ok(position)) = (
            self.slots[slot].list,
            u32::try_from(list),
            u32::try_from(position),
        ) {
            self.slots[slot] = Place { list, position };
        }
    }

    /// The slot that holds the key, or the vacant one where it would be. There is always a vacant
    /// one, as a quarter of the slots is never taken.
    fn slot<'a>(&self, key: &str, lists: &impl Fn(usize) -> Option<&'a [String]>) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.seed.hash_one(key) as usize & mask;
        loop {
            let place = self.slots[slot];
            let held = (place.list != EMPTY)
                .then(|| lists(place.list as usize)?.get(place.position as usize))
                .flatten();
            match held {
                Some(held) if held != key => slot = (slot + 1) & mask,
                _ => return slot,
            }
        }
    }
}
