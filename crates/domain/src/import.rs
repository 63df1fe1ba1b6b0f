//! Moving over from FeatBit: its flag and segment JSON of one environment becomes a change set.
//!
//! An import is planned item by item, so that what cannot be taken over is left out and said so
//! instead of stopping the rest; what is left is a change set like any other, applied whole.
//!
//! The way: [`read`] the files, load what [`references`] names, [`plan`]; show the report; apply
//! the plan's commands.

mod plan;
mod planner;
mod read;
mod report;
mod segments;
mod warnings;

pub use plan::{Plan, plan, references};
pub use read::{Entry, Input, ReadError, Unreadable, read, read_values};
pub use report::{Done, Kind, Report, ReportItem};
