//! Tests of properties that are more than texts.
//!
//! A number is its text wherever that is what an operator looks at, and the number where the
//! operator asks for sameness: `1`, `1.0` and `1e0` are one number, whoever wrote which. A list
//! passes where one of its items does; the *Not* forms stay the exact opposite, so they hold where
//! no item passes.

use std::collections::HashSet;

use super::{Test, parse};
use crate::time::Millis;
use crate::user::Item;

/// From here on 64-bit floating point does not tell whole neighbours apart: two numbers are the
/// same only where they are written the same.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The texts of a list in a condition.
#[derive(Debug)]
pub(super) struct Choices {
    texts: HashSet<Box<str>>,
    /// Those of the texts that are numbers, but not written the shortest way; rising.
    numbers: Box<[f64]>,
}

impl Choices {
    pub(super) fn new(texts: Vec<String>) -> Self {
        let long_ways = texts.iter().filter_map(|text| {
            let number = exact(text)?;
            (number.to_string() != **text).then_some(number)
        });
        let mut numbers: Vec<f64> = long_ways.collect();
        numbers.sort_by(f64::total_cmp);
        Self {
            numbers: numbers.into(),
            texts: texts.into_iter().map(Into::into).collect(),
        }
    }

    /// Whether the text is one of them.
    pub(super) fn have(&self, text: &str) -> bool {
        self.texts.contains(text)
    }

    /// Whether the number, written the shortest way, is one of them.
    fn have_number(&self, text: &str) -> bool {
        let there = |number: f64| {
            let found = self.numbers.binary_search_by(|it| it.total_cmp(&number));
            found.is_ok()
        };
        self.have(text) || (!self.numbers.is_empty() && exact(text).is_some_and(there))
    }
}

impl Test {
    /// Whether a number passes, by its text.
    pub(super) fn passes_number(&self, text: &str) -> bool {
        match self {
            Self::Equal(other) | Self::EqualIgnoreCase(other) => is_number(text, other),
            Self::OneOf(choices) => choices.have_number(text),
            Self::Date(order, bound) => parse::number(text)
                .is_some_and(|moment| order.allows(Millis(moment as i64).cmp(bound))),
            _ => self.passes(text),
        }
    }

    /// Whether a list passes.
    pub(super) fn passes_list(&self, items: &[Item<'_>]) -> bool {
        match self {
            Self::Never => false,
            Self::Set => !items.is_empty(),
            // Of a list it is asked what it has, not what its items have in them: `admin` is not in
            // ["not-admin"].
            Self::Contains(text) => items.iter().any(|item| match item.is_number {
                true => is_number(&item.text, text),
                false => item.text == **text,
            }),
            _ => items.iter().any(|item| match item.is_number {
                true => self.passes_number(&item.text),
                false => self.passes(&item.text),
            }),
        }
    }
}

/// Whether a number is what a condition's text says.
fn is_number(number: &str, text: &str) -> bool {
    number == text || exact(text).is_some_and(|it| exact(number) == Some(it))
}

/// The number that a text is, where floating point tells it from its neighbours. Nothing is less
/// than nothing: `-0` is `0`.
fn exact(text: &str) -> Option<f64> {
    let number = parse::number(text)?;
    (number.abs() < EXACT).then_some(number + 0.0)
}
