//! Going through the files item by item, over a draft.

use std::collections::{BTreeMap, HashMap, HashSet};

use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;

use super::read::{Entry, Input};
use super::report::{Done, Kind, Report, ReportItem};
use super::segments::{Destination, keys};
use crate::change::{Draft, LAST_MOMENT};
use crate::check::condition::{is_on_segments, segment_ids};
use crate::command::Command;
use crate::command::import::segment::ImportSegment;
use crate::id::Id;
use crate::model::{Environment, SegmentScope};

pub(super) struct Planner<'a> {
    pub(super) at: &'a Destination,
    pub(super) environment: &'a Environment,
    pub(super) draft: Draft<'a>,
    /// Every item of the files, in order. Its place here is its command's index while planning.
    pub(super) items: Vec<Planned>,
    /// Items that an earlier round found too large, by place, with the reason.
    pub(super) too_large: &'a BTreeMap<usize, String>,
}

pub(super) struct Planned {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) done: Done,
    pub(super) command: Option<Command>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(
        at: &'a Destination,
        environment: &'a Environment,
        draft: Draft<'a>,
        too_large: &'a BTreeMap<usize, String>,
    ) -> Self {
        Self {
            at,
            environment,
            draft,
            items: Vec::new(),
            too_large,
        }
    }

    pub(super) fn segments(&mut self, segments: &[Entry<Segment>]) {
        let mut seen = HashSet::new();
        for entry in segments {
            let (name, command) = match entry {
                Err(unreadable) => {
                    self.refuse(Kind::Segment, &unreadable.name, &unreadable.reason);
                    continue;
                }
                Ok(source) if !seen.insert(source.id.clone()) => {
                    let reason = "the file has another segment with this id";
                    self.refuse(Kind::Segment, &source.name, reason);
                    continue;
                }
                Ok(source) => self.segment(source),
            };
            let exists = self
                .draft
                .state
                .segments
                .contains_key(&Id::new(&command.source.id));
            self.run(Kind::Segment, name, command.into(), exists);
        }
    }

    /// The command for a segment, under the id and the key that it has or gets here.
    fn segment(&self, source: &Segment) -> (String, ImportSegment) {
        let mut source = source.clone();
        if self.is_elsewhere(&source.id) {
            source.id = self.at.own_id(&source.id);
        }
        let existing = self.draft.state.segments.get(&Id::new(source.id.as_str()));
        let key = match existing {
            Some(state) => state.segment.key.to_string(),
            None => self.free_key(&source),
        };
        let command = ImportSegment {
            project: Some(self.at.project.clone()),
            environment: Some(self.at.environment.clone()),
            segment: key.clone(),
            source: Box::new(source),
        };
        (key, command)
    }

    fn free_key(&self, source: &Segment) -> String {
        let scope = SegmentScope::Environment(
            self.environment.project.clone(),
            self.environment.id.clone(),
        );
        let [first, second, last] = keys(source);
        let free = |key: &String| self.draft.segment_in(&scope, key).is_none();
        [first, second].into_iter().find(free).unwrap_or(last)
    }

    /// Whether a segment of another environment has this id.
    fn is_elsewhere(&self, id: &str) -> bool {
        let found = self.draft.state.segments.get(&Id::new(id));
        found.is_some_and(|state| match &state.segment.scope {
            SegmentScope::Environment(_, environment) => *environment != self.environment.id,
            SegmentScope::Project(project) => *project != self.environment.project,
            SegmentScope::Organization => false,
        })
    }

    /// For segments whose id in the file is taken elsewhere: the id that they have here.
    fn own_ids(&self, segments: &[Entry<Segment>]) -> HashMap<String, String> {
        let ids = segments.iter().flatten().map(|segment| &segment.id);
        let elsewhere = ids.filter(|id| self.is_elsewhere(id));
        elsewhere
            .map(|id| (id.clone(), self.at.own_id(id)))
            .collect()
    }

    /// Flags come last: their conditions name the segments by the ids that those have here.
    pub(super) fn flags(&mut self, flags: &[Entry<Flag>], segments: &[Entry<Segment>]) {
        let ids = self.own_ids(segments);
        let mut seen = HashSet::new();
        for entry in flags {
            let source = match entry {
                Err(unreadable) => {
                    self.refuse(Kind::Flag, &unreadable.name, &unreadable.reason);
                    continue;
                }
                Ok(source) if !seen.insert(source.key.to_ascii_lowercase()) => {
                    let reason = "the file has another flag with this key, but for case";
                    self.refuse(Kind::Flag, &source.key, reason);
                    continue;
                }
                Ok(source) => source,
            };
            let mut command = self.at.flag(source);
            name_own_segments(&mut command.source, &ids);
            let project = self.draft.project(&self.at.project);
            let folded = source.key.to_ascii_lowercase();
            let exists = project.is_ok_and(|project| project.flags.contains_key(&folded));
            self.run(Kind::Flag, source.key.clone(), command.into(), exists);
        }
    }

    fn run(&mut self, kind: Kind, name: String, command: Command, exists: bool) {
        let index = self.items.len();
        if let Some(reason) = self.too_large.get(&index) {
            return self.refuse(kind, &name, reason);
        }
        let touched = self.draft.touches.len();
        let result = self.draft.run(index, command.edit());
        let changed = self.draft.touches.len() > touched;
        let done = match result {
            Err(fault) => return self.refuse(kind, &name, &fault.message),
            Ok(()) if !changed => Done::Unchanged,
            Ok(()) if exists => Done::Updated,
            Ok(()) => Done::Created,
        };
        self.items.push(Planned {
            kind,
            name,
            done,
            command: Some(command),
        });
    }

    fn refuse(&mut self, kind: Kind, name: &str, reason: &str) {
        self.items.push(Planned {
            kind,
            name: name.to_owned(),
            done: Done::Refused {
                reason: reason.to_owned(),
            },
            command: None,
        });
    }

    pub(super) fn report(&self) -> Report {
        let items = self.items.iter().zip(self.warnings());
        let items = items.map(|(item, warnings)| ReportItem {
            kind: item.kind,
            name: item.name.clone(),
            done: item.done.clone(),
            warnings,
        });
        Report {
            items: items.collect(),
        }
    }

    /// The commands of items that differ, with their places among all items.
    pub(super) fn commands(self, input: &Input) -> (Vec<usize>, Vec<Command>) {
        let items = self.items.into_iter().enumerate();
        let changed = items.filter(|(_, it)| matches!(it.done, Done::Created | Done::Updated));
        let (places, mut commands): (Vec<usize>, Vec<Command>) = changed
            .filter_map(|(place, item)| Some((place, item.command?)))
            .unzip();
        // New stamps lie above all of the file's, those of unchanged items too, and stamps are
        // made once all commands are done: so it does for one of them to bring the highest.
        let flags = input.flags.iter().flatten().map(|flag| flag.updated_at);
        let segments = input
            .segments
            .iter()
            .flatten()
            .map(|segment| segment.updated_at);
        let highest = flags.chain(segments).filter(|at| *at <= LAST_MOMENT).max();
        match (commands.last_mut(), highest) {
            (Some(Command::ImportFlag(last)), Some(highest)) => last.source.updated_at = highest,
            (Some(Command::ImportSegment(last)), Some(highest)) => last.source.updated_at = highest,
            _ => {}
        }
        (places, commands)
    }
}

/// Puts the ids that segments have here into a flag's conditions.
fn name_own_segments(flag: &mut Flag, ids: &HashMap<String, String>) {
    let conditions = flag.rules.iter_mut().flat_map(|rule| &mut rule.conditions);
    for condition in conditions.filter(|condition| is_on_segments(&condition.property)) {
        let named = segment_ids(&condition.property, condition.value.as_deref());
        if named.iter().any(|id| ids.contains_key(id)) {
            let own: Vec<&String> = named.iter().map(|id| ids.get(id).unwrap_or(id)).collect();
            condition.value = Some(serde_json::json!(own).to_string());
        }
    }
}
