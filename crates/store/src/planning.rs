//! Plans: the commands that undo a change set, that lead an environment back to a version, or to
//! where another one is.
//!
//! What was is read from the log's images, what is from the tables, in one transaction that sees one
//! moment and locks nothing; `burgee_domain::plan` says what leads from one to the other. A plan
//! carries the versions at which it was made: applied with these as its base, it is refused where
//! somebody changed the same meanwhile, as any change set is.

mod copy;
mod environment;
mod promote;
mod state;
mod undo;

use std::collections::BTreeMap;

use burgee_domain::access::{Kind, Resource};
use burgee_domain::command::Command;
use burgee_domain::model::{Flag, Project};
use burgee_domain::outcome::Warning;
use burgee_domain::plan::Steps;

pub use copy::CloneRequest;
pub use environment::RevertRequest;
pub use promote::{PromoteError, PromoteRequest};

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
    /// The flags that it was read from: who may not see one may not have it copied either.
    pub read: Vec<Resource>,
}

impl Planned {
    /// Notes that it was read from a flag.
    fn reads(&mut self, project: &Project, flag: &Flag) {
        let resource = Resource::project(project.key.as_str());
        let resource = resource.with(Kind::Flag, flag.key.as_str());
        self.read.push(resource.tagged(&flag.tags));
    }

    fn extend(&mut self, steps: Steps) {
        self.commands.extend(steps.commands);
        self.warnings.extend(steps.warnings);
    }
}
