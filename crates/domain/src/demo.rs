//! The demonstration data: eight flags and two segments in the project `demo`, all on in `prod`.
//!
//! Five of the flags are of the kinds that the field's published benchmark uses, so that figures
//! can be compared; ids are fixed, so that they can be compared between runs too.

use crate::command::Command;

/// The project's key.
pub const PROJECT: &str = "demo";

/// The key of the environment where everything is on.
pub const ENVIRONMENT: &str = "prod";

const COMMANDS: &str = include_str!("demo.json");

/// The commands that make the demonstration data in a project [`PROJECT`] that has an environment
/// [`ENVIRONMENT`]. Applying them again to the untouched data changes nothing.
///
/// # Errors
/// None, as the tests show: the text is part of the program.
pub fn change_set() -> serde_json::Result<Vec<Command>> {
    serde_json::from_str(COMMANDS)
}
