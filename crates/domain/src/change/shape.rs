//! The shape of a change set: what is wrong with it whatever the state is. It is checked before
//! anything is loaded or locked, so that nobody waits for what is refused anyway.

use serde_json::Value;

use crate::check::text;
use crate::command::{Command, References, Target, within_limit};
use crate::fault::{Fault, Rejected};
use crate::limits::MAX_SET_SEGMENTS;

/// Commands of the right shape, which [`super::apply`] takes.
#[derive(Clone, Copy, Debug)]
pub struct WellFormed<'a>(&'a [Command]);

impl<'a> WellFormed<'a> {
    /// The commands.
    pub fn commands(self) -> &'a [Command] {
        self.0
    }
}

/// Checks what needs no workspace: how many commands there are, and each by itself.
///
/// # Errors
/// Too many commands, or the first that no state could take.
pub fn well_formed(commands: &[Command]) -> Result<WellFormed<'_>, Rejected> {
    // An import is as long as its file, and no request can hold its commands.
    if commands.iter().any(Command::may_be_sent) {
        within_limit(commands.len())?;
    }
    let mut named = References::default();
    for (index, command) in commands.iter().enumerate() {
        if command.may_be_sent() {
            check(command, &mut named).map_err(|fault| fault.of_command(index))?;
        }
    }
    Ok(WellFormed(commands))
}

fn check(command: &Command, named: &mut References) -> Result<(), Fault> {
    // Plain data with text keys: serialization has no way to fail.
    let json = serde_json::to_value(command).unwrap_or_default();
    storable(&json, &mut String::new())?;
    drop(json);
    scope(command.target())?;
    command.edit().check_shape()?;
    command.edit().refer(named);
    if named.segment_ids.len() > MAX_SET_SEGMENTS {
        let message =
            format!("the conditions of a change set name at most {MAX_SET_SEGMENTS} segments");
        return Err(Fault::new("", "tooManySegments", message));
    }
    Ok(())
}

/// Refuses U+0000 in any text, those too that are only looked up: PostgreSQL takes it nowhere.
fn storable(value: &Value, at: &mut String) -> Result<(), Fault> {
    let length = at.len();
    let mut inside = |name: &str, value: &Value| {
        at.push('/');
        at.push_str(name);
        let found = storable(value, at);
        at.truncate(length);
        found
    };
    match value {
        Value::String(text) => text::no_nul(text, at),
        Value::Array(values) => {
            let mut values = values.iter().enumerate();
            values.try_for_each(|(index, value)| inside(&index.to_string(), value))
        }
        Value::Object(fields) => {
            let mut fields = fields.iter();
            fields.try_for_each(|(name, value)| inside(name, value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn scope(target: Target<'_>) -> Result<(), Fault> {
    match target {
        Target::Segment {
            project: None,
            environment: Some(_),
            ..
        } => {
            let message = "a segment of an environment needs the project's key too";
            Err(Fault::new("/project", "projectMissing", message))
        }
        _ => Ok(()),
    }
}
