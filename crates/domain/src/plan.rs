//! Commands made from states: what leads from the present state to another one.
//!
//! Reverting, promoting and cloning all say where to go, as a state that was or that is elsewhere;
//! these functions say how, in the vocabulary that everybody uses. What comes out is an ordinary
//! change set: permissions, approvals, conflicts and the history need to know nothing of where it
//! came from, and somebody can read it, put it into a request or a schedule, or leave parts out.
//!
//! Commands are as fine as what differs (one rule that was removed is one `addRule`), so that who
//! may do a thing may undo it; where much differs, lists are set as a whole.

mod flag;
mod promote;
mod rules;
mod segment;
mod targeting;
mod undo;
mod users;

pub use flag::{FlagPlan, clone_flag, flag};
pub use promote::{Left, Promotion, SegmentsOf, TargetingFacet, promote};
pub use segment::{SegmentPlan, segment};
pub use targeting::{TargetingPlan, missing_variations, targeting};
pub use undo::{Collision, FlagTouched, Touched, Undone, undo_flag, undo_segment};

use std::collections::BTreeMap;

use crate::command::Command;
use crate::outcome::Warning;

/// Commands in the order in which they work, and what they do not reach.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// To be applied as one change set.
    pub commands: Vec<Command>,
    /// What the author should know.
    pub warnings: Vec<Warning>,
}

impl Steps {
    /// Appends further steps.
    pub fn extend(&mut self, other: Self) {
        self.commands.extend(other.commands);
        self.warnings.extend(other.warnings);
    }

    fn push(&mut self, command: impl Into<Command>) {
        self.commands.push(command.into());
    }

    /// Says something that is about no command.
    pub fn warn(&mut self, code: &str, message: impl Into<String>) {
        self.warnings.push(Warning {
            code: code.to_owned(),
            command: None,
            params: BTreeMap::new(),
            message: message.into(),
        });
    }
}
