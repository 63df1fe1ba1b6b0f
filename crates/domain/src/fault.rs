//! Why a change set was refused: where, a stable code, and plain words.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The first command that cannot be applied; nothing of the change set was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("command {command}{pointer}: {message}")]
#[serde(rename_all = "camelCase")]
pub struct Rejected {
    /// Its index in the change set.
    pub command: usize,
    /// The bad field inside the command (RFC 6901), e.g. `/rules/0/conditions/1/value`; empty where
    /// the command as a whole is refused.
    pub pointer: String,
    /// A stable code for programs, e.g. `rolloutGap`. What does not exist ends in `NotFound`.
    pub code: String,
    /// For people: names the field and the rule it broke.
    pub message: String,
}

/// A refusal inside one command, which does not know its place in the set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) pointer: String,
    pub(crate) code: Cow<'static, str>,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(
        pointer: impl Into<String>,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            pointer: pointer.into(),
            code: code.into(),
            message: message.into(),
        }
    }

    pub(crate) fn of_command(self, command: usize) -> Rejected {
        Rejected {
            command,
            pointer: self.pointer,
            code: self.code.into_owned(),
            message: self.message,
        }
    }
}

/// A text from a request as a message shows it: cut where it is long.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 64;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
