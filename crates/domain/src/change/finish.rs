//! From the differences to what is written: stamps, log rows, positions.

use std::collections::BTreeMap;

use burgee_eval::time::Millis;

use super::compare::{Differences, Pending, What, compare};
use super::draft::Draft;
use super::item;
use crate::fault::{Fault, Rejected};
use crate::id::Id;
use crate::model::{Environment, Flag, Project, Segment, Targeting};
use crate::outcome::{LogEntry, Outcome, Scope, Step, TargetingEdit};
use crate::position::{Position, chain};
use crate::served::{LoggedFlag, LoggedSegment};
use crate::workspace::Workspace;

/// The outcome of a draft.
pub(super) fn finish(before: &Workspace, draft: &Draft<'_>) -> Result<Outcome, Rejected> {
    let Differences {
        pending,
        definitions,
        flags,
        segments,
    } = compare(before, draft);
    let mut finish = Finish {
        state: &draft.state,
        floors: &draft.floors,
        now: draft.now,
        outcome: Outcome {
            flags,
            segments,
            warnings: draft.warnings.clone(),
            ..Outcome::default()
        },
    };
    finish.shared_steps(definitions)?;
    finish.environment_steps(pending)?;
    Ok(finish.outcome)
}

struct Finish<'a> {
    state: &'a Workspace,
    floors: &'a BTreeMap<Id<Environment>, Millis>,
    now: Millis,
    outcome: Outcome,
}

impl Finish<'_> {
    fn shared_steps(
        &mut self,
        definitions: BTreeMap<Scope, Vec<LogEntry>>,
    ) -> Result<(), Rejected> {
        for (scope, entries) in definitions {
            let version = match &scope {
                Scope::Organization(_) => self.state.organization.version,
                Scope::Project(id) => project_version(self.state, id),
                Scope::Environment(_) => continue,
            };
            for entry in &entries {
                within_limit(entry)?;
            }
            self.outcome.steps.push(Step {
                scope,
                position: Position {
                    version: version + 1,
                    digest: 0,
                },
                chain: [0; 32],
                last_stamp: Millis(0),
                entries,
            });
        }
        Ok(())
    }

    fn environment_steps(
        &mut self,
        pending: BTreeMap<Id<Environment>, Vec<Pending<'_>>>,
    ) -> Result<(), Rejected> {
        let after = self.state;
        let environments = after
            .projects
            .values()
            .flat_map(|it| it.environments.values());
        let by_id: BTreeMap<&Id<Environment>, &Environment> = environments
            .map(|environment| (&environment.id, environment))
            .collect();
        for (id, mut pending) in pending {
            let Some(environment) = by_id.get(&id) else {
                continue;
            };
            pending.sort_by_key(|it| (it.rank, it.commands.first().copied()));
            let step = self.environment_step(environment, pending)?;
            self.outcome.steps.push(step);
        }
        Ok(())
    }

    fn environment_step(
        &mut self,
        environment: &Environment,
        pending: Vec<Pending<'_>>,
    ) -> Result<Step, Rejected> {
        let floor = self
            .floors
            .get(&environment.id)
            .copied()
            .unwrap_or_default();
        let mut stamp = environment.last_stamp.max(floor);
        let mut entries = Vec::with_capacity(pending.len());
        for pending in pending {
            stamp = next_stamp(self.now, stamp);
            let users = pending.what.users();
            let image = match pending.what {
                What::Flag(flag, targeting, before) => {
                    self.stamp_flag(environment, flag, targeting, before, stamp)
                }
                What::Segment(segment) => self.stamp_segment(environment, segment, stamp),
            };
            let entry = LogEntry {
                item: pending.item,
                facets: pending.facets,
                commands: pending.commands,
                image,
            };
            within_limit(&entry)?;
            let warning = item::size_warning(&entry, users, environment);
            self.outcome.warnings.extend(warning);
            entries.push(entry);
        }
        let chain = chain(environment.chain, &entries);
        Ok(Step {
            scope: Scope::Environment(environment.id.clone()),
            position: Position::new(environment.position.version + 1, &chain),
            chain,
            last_stamp: stamp,
            entries,
        })
    }

    fn stamp_flag(
        &mut self,
        environment: &Environment,
        flag: &Flag,
        targeting: &Targeting,
        before: Option<&Targeting>,
        stamp: Millis,
    ) -> String {
        let mut after = targeting.clone();
        after.stamp = stamp;
        let image = item::json(&LoggedFlag::new(flag, &after, environment));
        self.outcome.targetings.push(TargetingEdit {
            flag: flag.id.clone(),
            environment: environment.id.clone(),
            before: before.cloned(),
            after,
        });
        image
    }

    fn stamp_segment(
        &mut self,
        environment: &Environment,
        segment: &Segment,
        stamp: Millis,
    ) -> String {
        // The comparison went by id.
        let edits = &mut self.outcome.segments;
        let place = edits.binary_search_by(|edit| edit.after.id.cmp(&segment.id));
        if let Some(edit) = place.ok().and_then(|place| edits.get_mut(place)) {
            edit.stamps.push((environment.id.clone(), stamp));
        }
        item::json(&LoggedSegment::new(segment, stamp, environment))
    }
}

/// The stamp of the next item in an environment: one of its own, and only rising.
fn next_stamp(now: Millis, last: Millis) -> Millis {
    Millis(now.0.max(last.0.saturating_add(1)))
}

fn within_limit(entry: &LogEntry) -> Result<(), Rejected> {
    let Some(message) = item::too_large(entry) else {
        return Ok(());
    };
    let command = entry.commands.last().copied().unwrap_or_default();
    Err(Fault::new("", "itemTooLarge", message).of_command(command))
}

fn project_version(workspace: &Workspace, id: &Id<Project>) -> i64 {
    let mut projects = workspace.projects.values();
    let found = projects.find(|state| state.project.id == *id);
    found.map_or(0, |state| state.project.version)
}
