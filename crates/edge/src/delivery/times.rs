//! Lengths of time, counted by their size.

use std::sync::LazyLock;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How many sizes are told apart.
const SIZES: usize = 64;

/// What is no longer than this is of the first size, in µs.
const FIRST: f64 = 100.0;

/// Sizes to a doubling: each is a quarter longer than the one before. The last one has all from
/// three minutes on.
const TO_A_DOUBLING: f64 = 3.0;

/// How often things took how long, by 64 sizes from 100 µs to three minutes, each a quarter longer
/// than the one before. Only the sizes that there are take memory: a push has five or ten of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// (size, how often), by size.
    counts: Vec<(u8, u32)>,
    /// The longest, in µs.
    max: u64,
}

impl Times {
    /// Counts one.
    pub fn add(&mut self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.max = self.max.max(micros);
        self.count(size(micros), 1);
    }

    /// Counts all that another one has.
    pub fn merge(&mut self, other: &Self) {
        self.max = self.max.max(other.max);
        for &(size, count) in &other.counts {
            self.count(size, count);
        }
    }

    fn count(&mut self, size: u8, count: u32) {
        // The newest is mostly the longest.
        match self.counts.iter().rposition(|it| it.0 <= size) {
            Some(place) if self.counts[place].0 == size => {
                let there = &mut self.counts[place].1;
                *there = there.saturating_add(count);
            }
            place => self
                .counts
                .insert(place.map_or(0, |it| it + 1), (size, count)),
        }
    }

    /// Lets go of what no sizes are: somebody else said it.
    pub(super) fn cut(&mut self) {
        self.counts.retain(|&(size, _)| usize::from(size) < SIZES);
        self.counts.truncate(SIZES);
    }

    /// How many were counted.
    pub fn len(&self) -> u64 {
        self.counts.iter().map(|it| u64::from(it.1)).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Each size that there is: the longest of it in µs, and how often. None of them is longer than
    /// the longest that was counted.
    pub fn sizes(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let counts = self.counts.iter();
        counts.map(|&(size, count)| (longest(size).min(self.max), u64::from(count)))
    }
}

/// The longest of each size but the last, in µs. Looked up, because working a logarithm out takes
/// longer than all the rest of counting.
static LONGEST: LazyLock<[u64; SIZES - 1]> = LazyLock::new(|| {
    std::array::from_fn(|size| (FIRST * (size as f64 / TO_A_DOUBLING).exp2()).round() as u64)
});

/// The size of a length in µs.
fn size(micros: u64) -> u8 {
    LONGEST.partition_point(|longest| *longest < micros) as u8
}

/// The longest of a size, in µs.
fn longest(size: u8) -> u64 {
    LONGEST.get(usize::from(size)).copied().unwrap_or(u64::MAX)
}
