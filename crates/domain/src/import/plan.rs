//! Planning an import.

use std::collections::{BTreeMap, BTreeSet};

use burgee_eval::time::Millis;

use super::planner::Planner;
use super::read::Input;
use super::report::{Done, Report};
use super::segments::{Destination, keys};
use crate::change::{self, Draft};
use crate::command::{self, Command, References};
use crate::fault::Rejected;
use crate::model::Environment;
use crate::outcome::Outcome;
use crate::workspace::Workspace;

/// What an import will do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The change set: one command for each item that differs.
    pub commands: Vec<Command>,
    /// What applying them to the workspace gives.
    pub outcome: Outcome,
    /// What becomes of each item.
    pub report: Report,
}

/// What must be loaded for planning the import of these files.
pub fn references(project: &str, environment: &str, input: &Input) -> References {
    let at = Destination::new(project, environment);
    let commands = input
        .flags
        .iter()
        .flatten()
        .map(|flag| at.flag(flag).into());
    let commands: Vec<Command> = commands.collect();
    let mut references = command::references(&commands);
    references.projects.insert(at.project.clone());
    for segment in input.segments.iter().flatten() {
        references
            .segment_ids
            .extend([segment.id.clone(), at.own_id(&segment.id)]);
        references
            .segments
            .extend(keys(segment).map(|key| at.segment(&key)));
    }
    references
}

/// Plans the import of FeatBit's files into an environment. `workspace` holds what
/// [`references`] names.
///
/// # Errors
/// Where there is no such project or environment.
pub fn plan(
    workspace: &Workspace,
    project: &str,
    environment: &str,
    input: &Input,
    now: Millis,
    new_id: &mut dyn FnMut() -> String,
) -> Result<Plan, Rejected> {
    let at = Destination::new(project, environment);
    let environment = Draft::new(workspace, now, new_id)
        .environment(&at.project, &at.environment)
        .map_err(|fault| fault.of_command(0))?
        .clone();
    let mut import = Import {
        workspace,
        at,
        environment,
        input,
        now,
        too_large: BTreeMap::new(),
    };
    loop {
        if let Some(plan) = import.round(new_id)? {
            return Ok(plan);
        }
    }
}

struct Import<'a> {
    workspace: &'a Workspace,
    at: Destination,
    environment: Environment,
    input: &'a Input,
    now: Millis,
    /// Items that earlier rounds found too large, by their places in the files, with the reason.
    too_large: BTreeMap<usize, String>,
}

impl Import<'_> {
    /// Plans without the items that are too large. None where one more was found.
    fn round(&mut self, new_id: &mut dyn FnMut() -> String) -> Result<Option<Plan>, Rejected> {
        let draft = Draft::new(self.workspace, self.now, new_id);
        let mut planner = Planner::new(&self.at, &self.environment, draft, &self.too_large);
        planner.segments(&self.input.segments);
        planner.flags(&self.input.flags, &self.input.segments);
        let mut report = planner.report();
        let (places, mut commands) = planner.commands(self.input);
        let outcome = change::well_formed(&commands)
            .and_then(|checked| change::apply(self.workspace, checked, self.now, new_id));
        match outcome {
            Ok(outcome) => {
                without_effect(&outcome, &places, &mut report);
                if outcome == Outcome::default() {
                    commands.clear();
                }
                Ok(Some(Plan {
                    commands,
                    outcome,
                    report,
                }))
            }
            // Only the size of an item is left to refuse. Without it the rest is planned again.
            Err(rejected) => match places.get(rejected.command) {
                Some(place) => {
                    self.too_large.insert(*place, rejected.message);
                    Ok(None)
                }
                None => Err(rejected),
            },
        }
    }
}

/// Items whose commands led to no row of the log differ in nothing that counts.
fn without_effect(outcome: &Outcome, places: &[usize], report: &mut Report) {
    let entries = outcome.steps.iter().flat_map(|step| &step.entries);
    let effective: BTreeSet<usize> = entries.flat_map(|entry| entry.commands.clone()).collect();
    for (command, place) in places.iter().enumerate() {
        if let (false, Some(item)) = (effective.contains(&command), report.items.get_mut(*place)) {
            item.done = Done::Unchanged;
        }
    }
}
