//! What differs between the draft and the workspace that it began as.

use std::collections::BTreeMap;

use super::draft::{Draft, Touch, TouchedItem, unreleased};
use super::facets::{of_flag, of_segment, of_targeting};
use super::item;
use crate::id::Id;
use crate::model::{Environment, Flag, Life, Segment, SegmentScope, Targeting};
use crate::outcome::{Facet, FlagEdit, Item, LogEntry, Scope, SegmentEdit};
use crate::workspace::{FlagState, ProjectState, Workspace};

/// All that differs.
#[derive(Default)]
pub(super) struct Differences<'a> {
    /// By environment: what it will serve anew.
    pub(super) pending: BTreeMap<Id<Environment>, Vec<Pending<'a>>>,
    /// Rows of projects and the organization.
    pub(super) definitions: BTreeMap<Scope, Vec<LogEntry>>,
    pub(super) flags: Vec<FlagEdit>,
    /// Still without stamps.
    pub(super) segments: Vec<SegmentEdit>,
}

/// An item that an environment will serve anew, before it has its stamp.
pub(super) struct Pending<'a> {
    /// Segments first, then flags that are off, then flags that are on: a flag must not be served
    /// before the segment it needs, and what replaces another goes on last.
    pub(super) rank: u8,
    pub(super) commands: Vec<usize>,
    pub(super) item: Item,
    pub(super) facets: Vec<Facet>,
    pub(super) what: What<'a>,
}

/// What will be served.
pub(super) enum What<'a> {
    /// A flag with its targeting, and the targeting as it was.
    Flag(&'a Flag, &'a Targeting, Option<&'a Targeting>),
    Segment(&'a Segment),
}

impl What<'_> {
    /// How many users it lists.
    pub(super) fn users(&self) -> usize {
        match self {
            Self::Flag(_, targeting, _) => targeting
                .target_users
                .iter()
                .map(|list| list.key_ids.len())
                .sum(),
            Self::Segment(segment) => segment.included.len() + segment.excluded.len(),
        }
    }
}

/// Compares the draft with the workspace that it began as.
pub(super) fn compare<'a>(before: &'a Workspace, draft: &'a Draft<'_>) -> Differences<'a> {
    let mut compare = Compare {
        before,
        after: &draft.state,
        touches: BTreeMap::new(),
        found: Differences::default(),
    };
    for touch in &draft.touches {
        compare.touches.entry(&touch.item).or_default().push(touch);
    }
    compare.segments();
    compare.flags();
    compare.found
}

struct Compare<'a> {
    before: &'a Workspace,
    after: &'a Workspace,
    touches: BTreeMap<&'a TouchedItem, Vec<&'a Touch>>,
    found: Differences<'a>,
}

impl<'a> Compare<'a> {
    fn segments(&mut self) {
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
                self.found
                    .pending
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
            self.found.segments.push(SegmentEdit {
                before: before.cloned(),
                after: after.clone(),
                stamps: Vec::new(),
            });
        }
    }

    fn flags(&mut self) {
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
                let definition = self.definition(project, before, state, &touched);
                self.targetings(before, state, &definition, &touched);
            }
        }
    }

    fn definition(
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
        self.found.flags.push(FlagEdit {
            project: project.project.id.clone(),
            before: before.cloned(),
            after: state.flag.clone(),
        });
        facets
    }

    fn targetings(
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
            self.found
                .pending
                .entry(environment.clone())
                .or_default()
                .push(pending);
        }
    }

    /// The commands that touched an item: in an environment those there and those on the flag as
    /// a whole; elsewhere those on the flag as a whole. Where none is left (a command in one
    /// environment that reaches others, as an import does) all that touched it.
    fn commands(&self, item: &TouchedItem, at: Option<&Id<Environment>>) -> Vec<usize> {
        let of_item = || self.touches.get(item).into_iter().flatten();
        let here =
            |touch: &&&Touch| touch.environment.is_none() || touch.environment.as_ref() == at;
        let commands: Vec<usize> = of_item().filter(here).map(|touch| touch.command).collect();
        match commands.is_empty() {
            true => of_item().map(|touch| touch.command).collect(),
            false => commands,
        }
    }

    fn define(&mut self, scope: Option<Scope>, entry: impl FnOnce() -> LogEntry) {
        if let Some(scope) = scope {
            self.found
                .definitions
                .entry(scope)
                .or_default()
                .push(entry());
        }
    }
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
