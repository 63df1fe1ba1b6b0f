//! Lists, page by page.
//!
//! A page is bounded by its items and by their bytes: an item may have megabytes, and a page of
//! five hundred such would fill the memory. Where items can be large, a list therefore reads their
//! places and sizes first, and only what fits then.

use crate::error::StoreError;

/// The largest page that is given, whatever is asked for.
pub const MAX_LIMIT: i64 = 500;

/// From so many bytes on a page ends early: several hundred items of the usual size, and nothing
/// to a program that reads it.
pub(crate) const MAX_BYTES: i64 = 4 * 1024 * 1024;

/// Where a page begins and how long it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// [`Page::next`] of the page before; the first page where none is given.
    pub cursor: Option<String>,
    /// How many items at most; 50 where none is given, [`MAX_LIMIT`] at most. A page of large items
    /// ends earlier.
    pub limit: Option<i64>,
}

impl PageRequest {
    /// How many items the page holds.
    pub(crate) fn size(&self) -> i64 {
        self.limit.unwrap_or(50).clamp(1, MAX_LIMIT)
    }
}

/// Refuses a cursor that no page was given with.
pub(crate) fn bad_cursor() -> StoreError {
    StoreError::Invalid {
        field: "cursor",
        code: "cursorUnknown".into(),
        message: "no page of this list ends there; use `next` of the page before".to_owned(),
    }
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// In the list's order.
    pub items: Vec<T>,
    /// What to ask for the next page with; none at the end.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// A page of `items`, of which one more than `size` was read to know whether there is more.
    pub(crate) fn cut(mut items: Vec<T>, size: i64, cursor: impl Fn(&T) -> String) -> Self {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let more = items.len() > size;
        items.truncate(size);
        let next = items.last().filter(|_| more).map(cursor);
        Self { items, next }
    }

    /// As [`Page::cut`], where items have sizes: the page ends before it exceeds [`MAX_BYTES`], but
    /// never before its first item.
    pub(crate) fn fit(
        mut items: Vec<T>,
        size: i64,
        bytes: impl Fn(&T) -> i64,
        cursor: impl Fn(&T) -> String,
    ) -> Self {
        let mut sum = 0_i64;
        let fitting = items.iter().take_while(|item| {
            sum = sum.saturating_add(bytes(item));
            sum <= MAX_BYTES
        });
        let fitting = i64::try_from(fitting.count().max(1)).unwrap_or(size);
        // What is left out is known to be there: one item more says so to `cut`.
        let size = size.min(fitting);
        items.truncate(usize::try_from(size + 1).unwrap_or(usize::MAX));
        Self::cut(items, size, cursor)
    }
}
