//! When the steps of a request are due, and what stops a series.
//!
//! A request that is applied at given moments has **steps**: change sets, each with its moment, that
//! are applied one after the other. Reviewers agree to all of them, moments included. A step is
//! applied when it is due or not at all: one that is found a little late, because no server ran, is
//! applied at once; later, nobody expects it any more, and the series stops.

use std::collections::BTreeMap;

use burgee_eval::time::Millis;
use serde::{Deserialize, Serialize};

use super::stage::Stage;
use crate::limits::MAX_COMMANDS;

/// The most steps of a request: a series that its reviewers still understand as one.
pub const MAX_STEPS: usize = 20;

/// How far ahead a step can be, in milliseconds: a year. Beyond, nobody remembers why.
pub const MAX_AHEAD: i64 = 365 * 24 * 60 * 60 * 1000;

/// How late a step is still applied, in milliseconds: an hour.
pub const MAX_LATE: i64 = 60 * 60 * 1000;

/// Whether a step is to be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Its moment has not come.
    Later,
    /// It is to be applied.
    Now,
    /// Its moment was too long ago: the series stops.
    TooLate,
}

/// Whether a step of this moment is to be applied.
pub fn due(at: Millis, now: Millis) -> Due {
    match now.0.saturating_sub(at.0) {
        ..0 => Due::Later,
        0..MAX_LATE => Due::Now,
        _ => Due::TooLate,
    }
}

/// Where a step of a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum StepState {
    /// It waits.
    Waiting,
    /// It was applied.
    Applied,
    /// The series stopped before it.
    Stopped,
    /// The request was withdrawn before it.
    Withdrawn,
}

impl Stage {
    /// Where a step of a request is that is here.
    pub fn of_step(self, is_applied: bool) -> StepState {
        match (is_applied, self) {
            (true, _) | (false, Self::Applied) => StepState::Applied,
            (false, Self::Open) => StepState::Waiting,
            (false, Self::Stopped) => StepState::Stopped,
            (false, Self::Withdrawn) => StepState::Withdrawn,
        }
    }
}

/// Why a request stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Stop {
    /// The step that was not applied, counted from 1.
    pub step: i64,
    /// When, ISO 8601.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub at: Millis,
    /// A stable code: `late`, `approvalRequired`, `declined`, `commentRequired`, `authorGone`,
    /// `authorForbidden`, `rebaseNeeded`, `forgotten`, or of the rule that a command breaks.
    pub code: String,
    /// What the text is made of, by name.
    pub params: BTreeMap<String, String>,
    /// In English.
    pub text: String,
}

/// Why steps cannot be as they are asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {message}")]
pub struct BadSchedule {
    /// The bad field: `/steps`, or `/steps/{index}/at`.
    pub pointer: String,
    /// A stable code: `tooManySteps`, `tooManyCommands`, `momentPast`, `momentTooFar`,
    /// `momentOrder`.
    pub code: &'static str,
    /// In plain words.
    pub message: String,
}

/// Checks the moments of steps: ahead of `now`, not too far, each after the one before.
///
/// # Errors
/// The first that is not.
pub fn check_moments(moments: &[Millis], now: Millis) -> Result<(), BadSchedule> {
    let mut before = None;
    for (index, at) in moments.iter().enumerate() {
        let bad = |code, message| {
            let pointer = format!("/steps/{index}/at");
            Err(BadSchedule {
                pointer,
                code,
                message,
            })
        };
        if *at <= now {
            return bad("momentPast", format!("{at} is past: it is {now}"));
        }
        if at.0.saturating_sub(now.0) > MAX_AHEAD {
            return bad("momentTooFar", format!("{at} is more than 365 days ahead"));
        }
        if before.is_some_and(|before| *at <= before) {
            let message = format!("{at} is not after the moment of the step before");
            return bad("momentOrder", message);
        }
        before = Some(*at);
    }
    Ok(())
}

/// Checks how many steps there are, and how many commands they have together.
///
/// # Errors
/// There are too many.
pub fn check_size(commands: &[usize]) -> Result<(), BadSchedule> {
    let (steps, together) = (commands.len(), commands.iter().sum::<usize>());
    let (code, message) = match (steps, together) {
        (steps, _) if steps > MAX_STEPS => (
            "tooManySteps",
            format!("a request has at most {MAX_STEPS} steps; this one has {steps}"),
        ),
        (_, together) if together > MAX_COMMANDS => (
            "tooManyCommands",
            format!("the steps have at most {MAX_COMMANDS} commands together, not {together}"),
        ),
        _ => return Ok(()),
    };
    Err(BadSchedule {
        pointer: "/steps".to_owned(),
        code,
        message,
    })
}
