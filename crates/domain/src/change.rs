//! Applying a change set: commands in, an [`Outcome`] out, all or nothing.
//!
//! The commands edit a copy of the workspace, one after the other ([`draft`]). Then the copy is
//! compared with the original ([`compare`]), and what differs is stamped, logged and chained
//! ([`finish`]).
//! So a set whose commands change nothing yields nothing, and no version moves. Everything that
//! changes flags, imports too, comes through here.

mod compare;
mod draft;
mod facets;
mod find;
mod finish;
mod item;
mod prerequisites;
mod settle;
mod shape;
mod uses;

pub(crate) use draft::{Draft, LAST_MOMENT, Place, unreleased};
pub(crate) use facets::{of_flag, of_segment, of_targeting};
pub use shape::{WellFormed, well_formed};
pub(crate) use uses::{segment_uses, variation_uses};

use burgee_eval::time::Millis;

use crate::fault::{Fault, Rejected};
use crate::limits::{MAX_COMMANDS, MAX_COMMENT};
use crate::outcome::Outcome;
use crate::workspace::Workspace;

/// Applies the commands in order to a copy of the workspace, which must hold what
/// [`crate::command::references`] of them names.
///
/// `now` is the moment of the change, `new_id` makes a fresh id (a UUID) on each call.
///
/// # Errors
/// The first command that cannot be applied; then nothing is.
pub fn apply(
    workspace: &Workspace,
    commands: WellFormed<'_>,
    now: Millis,
    new_id: &mut dyn FnMut() -> String,
) -> Result<Outcome, Rejected> {
    let mut draft = Draft::new(workspace, now, new_id);
    for (index, command) in commands.commands().iter().enumerate() {
        draft
            .run(index, command.edit())
            .map_err(|fault| fault.of_command(index))?;
    }
    if let Err(refused) = prerequisites::check(workspace, &mut draft) {
        return Err(blamed(workspace, commands, now, new_id, refused));
    }
    settle::settle(workspace, &mut draft.state);
    finish::finish(workspace, &draft)
}

/// What a set that is refused as a whole is refused for: the first command from which on what it
/// leaves is no good, whatever comes after. It is looked for from the end, in steps that grow, and
/// then between: somebody holds the project's lock. So it may be one whose harm others undid for a
/// while. Of an import, which has one command for each flag and no limit, it is the last one that
/// touched the flag.
fn blamed(
    workspace: &Workspace,
    commands: WellFormed<'_>,
    now: Millis,
    new_id: &mut dyn FnMut() -> String,
    refused: Rejected,
) -> Rejected {
    let mut after = |count: usize| {
        let mut draft = Draft::new(workspace, now, new_id);
        for (index, command) in commands.commands().iter().take(count).enumerate() {
            let done = draft.run(index, command.edit());
            done.map_err(|fault| fault.of_command(index))?;
        }
        prerequisites::check(workspace, &mut draft)
    };
    let all = commands.commands().len();
    if all > MAX_COMMANDS {
        return refused;
    }
    let (mut good, mut bad, mut rejected) = (0, all, refused);
    let mut step = 1;
    while good + 1 < bad {
        let count = match bad.checked_sub(step) {
            Some(count) if good == 0 && count > 0 => count,
            _ => good.midpoint(bad),
        };
        match after(count) {
            Ok(()) => good = count,
            Err(earlier) => (bad, rejected) = (count, earlier),
        }
        step *= 2;
    }
    let index = bad - 1;
    // Its pointer is into the command that it names.
    if rejected.command != index {
        rejected.command = index;
        rejected.pointer = String::new();
    }
    rejected
}

/// Checks the reason why approvals are gone without: as a comment, but not empty.
///
/// # Errors
/// With the pointer `/override/reason`; the index of the command means nothing.
pub fn override_reason(text: &str) -> Result<String, Rejected> {
    let at = "/override/reason";
    let reason = crate::check::text::paragraph(text.trim(), at, "a reason", MAX_COMMENT);
    let reason = reason.and_then(|it| match it.is_empty() {
        true => Err(Fault::new(at, "reasonMissing", "say why: others will ask")),
        false => Ok(it),
    });
    reason.map_err(|fault| fault.of_command(0))
}

/// Checks the comment on a change set: trimmed, of at most [`MAX_COMMENT`] characters.
///
/// # Errors
/// With the pointer `/comment`; the index of the command means nothing.
pub fn comment(text: &str) -> Result<String, Rejected> {
    crate::check::text::paragraph(text.trim(), "/comment", "a comment", MAX_COMMENT)
        .map_err(|fault| fault.of_command(0))
}
