//! A project as one file: its flags, segments and environments with all targeting, to be read by
//! people, kept in Git, and brought into the same or another project.
//!
//! The way out: [`export`] what is there, [`write`] it. The way in: [`read`] a text, [`plan`] it
//! against what is there; what differs comes out as commands of change sets, so that a file has no
//! way in but that of every change. What a file does not name stays as it is, unless it is pruned.
//!
//! A file says defaults by leaving them out, and names things by their keys: a variation by its name
//! or value where that is unambiguous, a segment by `project/beta`. Ids are kept, so that a file that
//! is exported, imported elsewhere and exported again is the same to the letter.

mod condition;
mod environments;
mod export;
mod labels;
mod plan;
mod present;
mod segments;
mod shape;
mod targeting;
mod text;

pub use environments::PlannedEnvironment;
pub use export::export;
pub use plan::{Done, Group, Plan, plan};
pub use present::Present;
pub use shape::{
    ConditionFile, DefaultFile, EnvironmentFile, FlagFile, PartFile, ProjectFile, RuleFile,
    SegmentFile, SegmentRuleFile, ServeFile, TargetFile, TargetingFile, VariationFile,
};
pub use text::{Format, MAX_FILE, read, write};

/// Why a file cannot be read or planned: where in it, a stable code, and plain words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {message}")]
pub struct FileFault {
    /// A JSON pointer into the file; empty where all of it is meant.
    pub pointer: String,
    /// A stable code for programs.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

impl FileFault {
    pub(crate) fn new(
        pointer: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self {
            pointer: pointer.into(),
            code,
            message: message.into(),
        }
    }
}

#[cfg(test)]
mod tests;
