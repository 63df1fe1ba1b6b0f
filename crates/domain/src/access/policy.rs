//! Policies and their statements.

use serde::{Deserialize, Serialize};

use super::action::ActionPattern;
use super::pattern::Pattern;
use crate::fault::{Fault, shown};

/// The most statements of a policy, and the most actions or resources of a statement: each is
/// looked at for every request.
pub const MAX_STATEMENTS: usize = 100;

/// What a statement says of what it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// It may be done, unless another statement denies it.
    Allow,
    /// It may not, whatever others allow.
    Deny,
}

/// One sentence of a policy.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Statement {
    /// Allowed or denied.
    pub effect: Effect,
    /// What is done.
    pub actions: Vec<ActionPattern>,
    /// To what.
    pub resources: Vec<Pattern>,
}

/// A statement as it is sent, and shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatementInput {
    /// Allowed or denied.
    pub effect: Effect,
    /// Actions by name, with `*` on either side of the dot: `flag.turnOn`, `flag.*`, `*.read`, `*`.
    pub actions: Vec<String>,
    /// Patterns over resources: `*`, `project/web:env/prod:flag/*;checkout`.
    pub resources: Vec<String>,
}

/// A named list of statements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// By which it is named; unique in its organization, without regard to case.
    pub key: String,
    /// What it says. The order does not matter.
    pub statements: Vec<Statement>,
}

/// Reads the statements of a policy or a token. The fault's pointer is relative to the list.
pub(crate) fn read(inputs: &[StatementInput]) -> Result<Vec<Statement>, Fault> {
    within("", "statements", inputs.len())?;
    let inputs = inputs.iter().enumerate();
    inputs
        .map(|(index, input)| statement(&format!("/{index}"), input))
        .collect()
}

/// Reads the statements of a policy or a token. An error is (pointer relative to the list, code,
/// message).
pub fn statements(inputs: &[StatementInput]) -> Result<Vec<Statement>, (String, String, String)> {
    read(inputs).map_err(|fault| (fault.pointer, fault.code.into_owned(), fault.message))
}

fn statement(at: &str, input: &StatementInput) -> Result<Statement, Fault> {
    within(&format!("{at}/actions"), "actions", input.actions.len())?;
    within(
        &format!("{at}/resources"),
        "resources",
        input.resources.len(),
    )?;
    let action = |(index, text): (usize, &String)| {
        ActionPattern::new(text.as_str()).ok_or_else(|| {
            let message = format!("there is no action `{}`", shown(text));
            Fault::new(format!("{at}/actions/{index}"), "actionUnknown", message)
        })
    };
    let resource = |(index, text): (usize, &String)| {
        Pattern::new(text.as_str()).map_err(|error| {
            let at = format!("{at}/resources/{index}");
            Fault::new(at, "resourceInvalid", error.to_string())
        })
    };
    Ok(Statement {
        effect: input.effect,
        actions: input
            .actions
            .iter()
            .enumerate()
            .map(action)
            .collect::<Result<_, _>>()?,
        resources: input
            .resources
            .iter()
            .enumerate()
            .map(resource)
            .collect::<Result<_, _>>()?,
    })
}

fn within(at: &str, what: &str, count: usize) -> Result<(), Fault> {
    let (code, message) = match count {
        0 => ("listEmpty", format!("there must be {what}")),
        _ if count > MAX_STATEMENTS => {
            let message = format!("there are {count} {what}; the limit is {MAX_STATEMENTS}");
            ("listTooLong", message)
        }
        _ => return Ok(()),
    };
    Err(Fault::new(at, code, message))
}

impl From<&Statement> for StatementInput {
    fn from(statement: &Statement) -> Self {
        let action = |pattern: &ActionPattern| pattern.as_str().to_owned();
        let resource = |pattern: &Pattern| pattern.as_str().to_owned();
        Self {
            effect: statement.effect,
            actions: statement.actions.iter().map(action).collect(),
            resources: statement.resources.iter().map(resource).collect(),
        }
    }
}
