//! The border: what users may write. Everything past these checks is safe for every SDK.
//!
//! Each check gets the pointer of the field that it looks at, and answers the value as it is kept
//! (trimmed, defaults filled in) or a [`Fault`] that names the field and the rule it broke.

pub(crate) mod condition;
pub(crate) mod differences;
pub(crate) mod rollout;
pub(crate) mod rule;
pub(crate) mod segments;
pub(crate) mod text;
pub(crate) mod users;
pub(crate) mod variation;

use crate::fault::{Fault, Rejected};

/// What every check answers.
pub(crate) type Checked<T> = Result<T, Fault>;

/// A display name as it is kept, of whatever has one: trimmed, not empty, without control
/// characters, of at most [`crate::limits::MAX_NAME`] characters.
///
/// # Errors
/// With the pointer `/name`; the index of the command means nothing.
pub fn check_name(text: &str) -> Result<String, Rejected> {
    text::name(text, "/name").map_err(|fault| fault.of_command(0))
}

/// A description as it is kept: trimmed, perhaps empty, without control characters but line breaks
/// and tabs, of at most [`crate::limits::MAX_DESCRIPTION`] characters.
///
/// # Errors
/// With the pointer `/description`; the index of the command means nothing.
pub fn check_description(text: &str) -> Result<String, Rejected> {
    text::description(text, "/description").map_err(|fault| fault.of_command(0))
}
