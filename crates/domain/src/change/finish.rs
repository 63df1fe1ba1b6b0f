//! From two states of the workspace to what is written: edits, stamps, log rows, positions.

use std::collections::BTreeMap;

use burgee_eval::time::Millis;

use super::draft::{Draft, Touch, TouchedItem, unreleased};
use super::facets::{of_flag, of_segment, of_targeting};
use super::item::{self, Size};
use crate::fault::{Fault, Rejected};
use crate::id::Id;
use crate::model::{Environment, Flag, Life, Segment, SegmentScope, Targeting};
use crate::outcome::{
    Facet, FlagEdit, Item, LogEntry, Outcome, Scope, SegmentEdit, Step, TargetingEdit, Warning,
};
use crate::position::{Position, chain};
use crate::served;
use crate::workspace::{FlagState, ProjectState, Workspace};

/// An item that an environment will serve anew, before it has its stamp.
struct Pending<'a> {
    /// Segments first, then flags that are off, then flags that are on: a flag must not be served
    /// before the segment it needs, and what replaces another goes on last.
    rank: u8,
    commands: Vec<usize>,
    item: Item,
    facets: Vec<Facet>,
    what: What<'a>,
}

enum What<'a> {
    Flag(&'a Flag, &'a Targeting, Option<&'a Targeting>),
    Segment(&'a Segment),
}

/// Compares the draft with the workspace that it began as.
pub(super) fn finish(before: &Workspace, draft: Draft<'_>) -> Result<Outcome, Rejected> {
    let mut finish = Finish {
        before,
        after: &draft.state,
        touches: &draft.touches,
        floors: &draft.floors,
        now: draft.now,
        pending: BTreeMap::new(),
        definitions: BTreeMap::new(),
        outcome: Outcome::default(),
    };
    finish.compare_segments();
    finish.compare_flags();
    finish.shared_steps()?;
    finish.environment_steps()?;
    let mut outcome = finish.outcome;
    let mut warnings = draft.warnings;
    warnings.append(&mut outcome.warnings);
    outcome.warnings = warnings;
    Ok(outcome)
}

struct Finish<'a> {
    before: &'a Workspace,
    after: &'a Workspace,
    touches: &'a [Touch],
    floors: &'a BTreeMap<Id<Environment>, Millis>,
    now: Millis,
    pending: BTreeMap<Id<Environment>, Vec<Pending<'a>>>,
    /// Rows of projects and the organization.
    definitions: BTreeMap<Scope, Vec<LogEntry>>,
    outcome: Outcome,
}

impl<'a> Finish<'a> {
    fn compare_segments(&mut self) {
        for (id, state) in &self.after.segments {
            let before = self.before.segments.get(id).map(|state| &state.segment);
            let after = &state.segment;
            if before == Some(after) || (before.is_none() && after.life == Life::Deleted) {
                continue;
            }
            let facets = of_segment(before, after);
            let commands = self.commands(&TouchedItem::Segment(id.clone()), None);
            let item = Item::Segment(id.clone(), after.key.clone());
            self.define(shared_scope(self.after, after), || LogEntry {
                item: item.clone(),
                facets: facets.clone(),
                commands: commands.clone(),
                image: item::json(after),
            });
            for environment in environments_of(self.after, &after.scope) {
                self.pending
                    .entry(environment.id.clone())
                    .or_default()
                    .push(Pending {
                        rank: 0,
                        commands: commands.clone(),
                        item: item.clone(),
                        facets: facets.clone(),
                        what: What::Segment(after),
                    });
            }
            self.outcome.segments.push(SegmentEdit {
                before: before.cloned(),
                after: after.clone(),
                stamps: Vec::new(),
            });
        }
    }

    fn compare_flags(&mut self) {
        for (key, project) in &self.after.projects {
            for (flag_key, state) in &project.flags {
                let before = self
                    .before
                    .projects
                    .get(key)
                    .and_then(|it| it.flags.get(flag_key));
                if before.is_none() && state.flag.life == Life::Deleted {
                    continue;
                }
                let touched = TouchedItem::Flag {
                    project: key.clone(),
                    flag: flag_key.clone(),
                };
                let definition = self.compare_definition(project, before, state, &touched);
                self.compare_targetings(before, state, &definition, &touched);
            }
        }
    }

    fn compare_definition(
        &mut self,
        project: &ProjectState,
        before: Option<&FlagState>,
        state: &FlagState,
        touched: &TouchedItem,
    ) -> Vec<Facet> {
        let before = before.map(|state| &state.flag);
        if before == Some(&state.flag) {
            return Vec::new();
        }
        let facets = of_flag(before, &state.flag);
        let commands = self.commands(touched, None);
        let scope = Scope::Project(project.project.id.clone());
        self.define(Some(scope), || LogEntry {
            item: Item::Flag(state.flag.id.clone(), state.flag.key.clone()),
            facets: facets.clone(),
            commands,
            image: item::json(&state.flag),
        });
        self.outcome.flags.push(FlagEdit {
            project: project.project.id.clone(),
            before: before.cloned(),
            after: state.flag.clone(),
        });
        facets
    }

    fn compare_targetings(
        &mut self,
        before: Option<&'a FlagState>,
        state: &'a FlagState,
        definition: &[Facet],
        touched: &TouchedItem,
    ) {
        for (environment, targeting) in &state.targetings {
            let before = before.and_then(|state| state.targetings.get(environment));
            let mut facets = definition.to_vec();
            match before {
                Some(before) => facets.extend(of_targeting(before, targeting)),
                None => {
                    facets.retain(|facet| *facet != Facet::Life);
                    facets.push(Facet::Life);
                    facets.extend(of_targeting(&unreleased(&state.flag), targeting));
                }
            }
            if facets.is_empty() {
                continue;
            }
            let on = targeting.is_enabled && state.flag.life == Life::Live;
            let pending = Pending {
                rank: if on { 2 } else { 1 },
                commands: self.commands(touched, Some(environment)),
                item: Item::Flag(state.flag.id.clone(), state.flag.key.clone()),
                facets,
                what: What::Flag(&state.flag, targeting, before),
            };
            self.pending
                .entry(environment.clone())
                .or_default()
                .push(pending);
        }
    }

    /// The commands that touched an item: in an environment those there and those on the flag as
    /// a whole; elsewhere those on the flag as a whole. Where none is left (a command in one
    /// environment that reaches others, as an import does) all that touched it.
    fn commands(&self, item: &TouchedItem, at: Option<&Id<Environment>>) -> Vec<usize> {
        let of_item = || self.touches.iter().filter(|touch| touch.item == *item);
        let here = |touch: &&Touch| touch.environment.is_none() || touch.environment.as_ref() == at;
        let commands: Vec<usize> = of_item().filter(here).map(|touch| touch.command).collect();
        match commands.is_empty() {
            true => of_item().map(|touch| touch.command).collect(),
            false => commands,
        }
    }

    fn define(&mut self, scope: Option<Scope>, entry: impl FnOnce() -> LogEntry) {
        if let Some(scope) = scope {
            self.definitions.entry(scope).or_default().push(entry());
        }
    }

    fn shared_steps(&mut self) -> Result<(), Rejected> {
        for (scope, entries) in std::mem::take(&mut self.definitions) {
            let version = match &scope {
                Scope::Organization(_) => self.after.organization.version,
                Scope::Project(id) => project_version(self.after, id),
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

    fn environment_steps(&mut self) -> Result<(), Rejected> {
        let after = self.after;
        let environments = after
            .projects
            .values()
            .flat_map(|it| it.environments.values());
        let by_id: BTreeMap<&Id<Environment>, &Environment> = environments
            .map(|environment| (&environment.id, environment))
            .collect();
        for (id, mut pending) in std::mem::take(&mut self.pending) {
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
            self.warn_of_size(environment, &entry);
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
        let image = item::json(&served::flag(flag, &after, environment));
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
        let edits = &mut self.outcome.segments;
        if let Some(edit) = edits.iter_mut().find(|edit| edit.after.id == segment.id) {
            edit.stamps.push((environment.id.clone(), stamp));
        }
        item::json(&served::segment(segment, stamp, environment))
    }

    fn warn_of_size(&mut self, environment: &Environment, entry: &LogEntry) {
        let Some(Size { code, message }) = item::size_warning(entry, self.after, environment)
        else {
            return;
        };
        self.outcome.warnings.push(Warning {
            code: code.into(),
            command: entry.commands.last().copied(),
            message,
        });
    }
}

/// The stamp of the next item in an environment: one of its own, and only rising.
pub(crate) fn next_stamp(now: Millis, last: Millis) -> Millis {
    Millis(now.0.max(last.0.saturating_add(1)))
}

fn within_limit(entry: &LogEntry) -> Result<(), Rejected> {
    let Some(message) = item::too_large(entry) else {
        return Ok(());
    };
    let command = entry.commands.last().copied().unwrap_or_default();
    Err(Fault::new("", "itemTooLarge", message).of_command(command))
}

fn shared_scope(workspace: &Workspace, segment: &Segment) -> Option<Scope> {
    match &segment.scope {
        SegmentScope::Organization => Some(Scope::Organization(workspace.organization.id.clone())),
        SegmentScope::Project(id) => Some(Scope::Project(id.clone())),
        SegmentScope::Environment(..) => None,
    }
}

fn environments_of<'w>(
    workspace: &'w Workspace,
    scope: &SegmentScope,
) -> impl Iterator<Item = &'w Environment> {
    let projects = workspace.projects.values();
    let all = projects.flat_map(|it| it.environments.values().map(|env| (&it.project.id, env)));
    all.filter(move |(project, environment)| match scope {
        SegmentScope::Organization => true,
        SegmentScope::Project(id) => id == *project,
        SegmentScope::Environment(_, id) => *id == environment.id,
    })
    .map(|(_, environment)| environment)
}

fn project_version(workspace: &Workspace, id: &Id<crate::model::Project>) -> i64 {
    let mut projects = workspace.projects.values();
    let found = projects.find(|state| state.project.id == *id);
    found.map_or(0, |state| state.project.version)
}
