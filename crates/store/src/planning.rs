//! Plans: the commands that undo a change set, that lead an environment back to a version, or to
//! where another one is.
//!
//! What was is read from the log's images, what is from the tables, in one transaction that sees one
//! moment and locks nothing; `burgee_domain::plan` says what leads from one to the other. A plan
//! carries the versions at which it was made: applied with these as its base, it is refused where
//! somebody changed the same meanwhile, as any change set is.

mod environment;
mod state;
mod undo;

use std::collections::BTreeMap;

use burgee_domain::command::Command;
use burgee_domain::outcome::Warning;
use burgee_domain::plan::Steps;

pub use environment::RevertRequest;

use crate::ConflictFound;

/// A change set that was worked out.
#[derive(Clone, Debug, Default)]
pub struct Planned {
    /// What it does.
    pub commands: Vec<Command>,
    /// The versions at which it was worked out, by scope.
    pub base: BTreeMap<String, i64>,
    /// What the author should know.
    pub warnings: Vec<Warning>,
    /// What others changed since, for which it cannot be done as a whole.
    pub conflicts: Vec<ConflictFound>,
}

impl Planned {
    fn extend(&mut self, steps: Steps) {
        self.commands.extend(steps.commands);
        self.warnings.extend(steps.warnings);
    }
}
