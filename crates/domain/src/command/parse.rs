//! Reading commands that somebody sent: refusals say which field of which command is wrong.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

use super::Command;
use crate::fault::{Fault, Rejected};
use crate::limits::MAX_COMMANDS;

/// Reads the commands of a request. Where the route names a project, commands that name none are
/// in it, and others are refused.
///
/// # Errors
/// The first command that is none.
pub fn parse(commands: Vec<Value>, project: Option<&str>) -> Result<Vec<Command>, Rejected> {
    within_limit(commands.len())?;
    let commands = commands.into_iter().enumerate();
    commands
        .map(|(index, command)| {
            parse_one(command, project).map_err(|fault| fault.of_command(index))
        })
        .collect()
}

/// Refuses more commands than a change set has.
pub(crate) fn within_limit(commands: usize) -> Result<(), Rejected> {
    if commands <= MAX_COMMANDS {
        return Ok(());
    }
    let message =
        format!("a change set has at most {MAX_COMMANDS} commands; this one has {commands}");
    Err(Fault::new("", "tooManyCommands", message).of_command(MAX_COMMANDS))
}

fn parse_one(mut command: Value, project: Option<&str>) -> Result<Command, Fault> {
    let Some(fields) = command.as_object_mut() else {
        return Err(Fault::new(
            "",
            "commandInvalid",
            "a command is a JSON object",
        ));
    };
    let kind = match fields.remove("kind") {
        Some(Value::String(kind)) => kind,
        _ => {
            let message = "a command has the text field 'kind', such as 'turnOn'";
            return Err(Fault::new("/kind", "kindMissing", message));
        }
    };
    if let Some(project) = project {
        let named = fields.entry("project").or_insert_with(|| project.into());
        let same = |named: &str| named.eq_ignore_ascii_case(project);
        if !named.as_str().is_some_and(same) {
            let message = format!("this request is for the project '{project}' alone");
            return Err(Fault::new("/project", "projectDiffers", message));
        }
    }
    Command::read(&kind, command).unwrap_or_else(|| {
        let kind: String = kind.chars().take(64).collect();
        let message = format!("there is no command of the kind '{kind}'");
        Err(Fault::new("/kind", "kindUnknown", message))
    })
}

/// Reads one command's fields.
pub(super) fn fields<T: DeserializeOwned>(value: Value) -> Result<T, Fault> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let pointer = pointer(error.path());
        Fault::new(pointer, "fieldInvalid", error.into_inner().to_string())
    })
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    let mut pointer = String::new();
    for segment in path.iter() {
        let part = match segment {
            Segment::Seq { index } => index.to_string(),
            Segment::Map { key } => key.replace('~', "~0").replace('/', "~1"),
            Segment::Enum { variant } => variant.clone(),
            Segment::Unknown => continue,
        };
        pointer.push('/');
        pointer.push_str(&part);
    }
    pointer
}

/// Whether the name of a struct is that of a kind: `TurnOn` of `turnOn`.
pub(super) fn is_kind(kind: &str, name: &str) -> bool {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    kind.strip_prefix(|letter| Some(letter) == first) == Some(letters.as_str())
}
