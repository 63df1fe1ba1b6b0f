//! What an import did, or would do, item by item.

use serde::Serialize;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// A flag.
    Flag,
    /// A segment.
    Segment,
}

/// What became of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "result")]
pub enum Done {
    /// It is new.
    Created,
    /// It was there, and differs now in this environment.
    Updated,
    /// It was there, and is the same.
    Unchanged,
    /// It was left out.
    Refused {
        /// Why.
        reason: String,
    },
}

/// One item of the files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportItem {
    /// What it is.
    pub kind: Kind,
    /// A flag's key; a segment's key here, or its name where it has none.
    pub name: String,
    /// What became of it.
    #[serde(flatten)]
    pub done: Done,
    /// What does not do what its author may think.
    pub warnings: Vec<String>,
}

/// All items of the files: segments first, then flags, each in the file's order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The items.
    pub items: Vec<ReportItem>,
}

impl Report {
    /// How many items of a kind met this end.
    pub fn count(&self, kind: Kind, end: impl Fn(&Done) -> bool) -> usize {
        self.items
            .iter()
            .filter(|item| item.kind == kind && end(&item.done))
            .count()
    }

    /// How many items were left out.
    pub fn refused(&self) -> usize {
        self.items
            .iter()
            .filter(|item| matches!(item.done, Done::Refused { .. }))
            .count()
    }
}
