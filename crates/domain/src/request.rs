//! Change sets that wait: for approval, for somebody to apply them, for a moment.
//!
//! A **request** is a change set with a title. What it would do is written down in a **revision**,
//! which never changes; who wants something else makes the next revision, and approvals are of one
//! revision alone. A revision keeps what its diff was true of ([`held`]): where that has changed,
//! it is not applied, since nobody has agreed to what would happen now.
//!
//! A revision has one or more steps ([`schedule`]). One without a moment waits for somebody to apply
//! it. What a step holds is what the steps before it leave, so that only others can be in its way.

pub mod held;
pub mod schedule;
mod stage;

pub use stage::{Act, Closed, Stage, State};

use crate::fault::Rejected;

/// The most revisions of a request: each was looked at by people.
pub const MAX_REVISIONS: i64 = 100;

/// The most reviews and comments of a request: a discussion that people still read.
pub const MAX_EVENTS: i64 = 1_000;

/// The most open requests of an organization: what waits is looked through by people.
pub const MAX_OPEN: i64 = 1_000;

/// Checks the title of a request: as a name.
///
/// # Errors
/// With the pointer `/title`; the index of the command means nothing.
pub fn title(text: &str) -> Result<String, Rejected> {
    crate::check::text::name(text, "/title").map_err(|fault| fault.of_command(0))
}
