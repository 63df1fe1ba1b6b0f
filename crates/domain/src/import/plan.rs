//! Planning an import.

use std::collections::{BTreeMap, HashMap, HashSet};

use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use burgee_eval::snapshot::{Item, Snapshot};
use burgee_eval::time::Millis;

use super::read::{Entry, Input};
use super::report::{Done, Kind, Report, ReportItem};
use super::segments::{Destination, keys};
use crate::change::{self, Draft, LAST_MOMENT};
use crate::check::condition::{is_on_segments, segment_ids};
use crate::command::import::flag::ImportFlag;
use crate::command::import::segment::ImportSegment;
use crate::command::{self, Command, References};
use crate::fault::Rejected;
use crate::id::Id;
use crate::model::{Environment, SegmentScope};
use crate::outcome::Outcome;
use crate::served;
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
    let mut too_large = BTreeMap::new();
    loop {
        let mut planner = Planner {
            at: &at,
            environment: &environment,
            draft: Draft::new(workspace, now, new_id),
            items: Vec::new(),
            too_large: &too_large,
        };
        planner.segments(&input.segments);
        let ids = planner.own_ids(&input.segments);
        planner.flags(&input.flags, &ids);
        let report = planner.report();
        let (places, commands) = planner.commands(input);
        match change::apply(workspace, &commands, now, new_id) {
            Ok(outcome) => {
                return Ok(Plan {
                    commands,
                    outcome,
                    report,
                });
            }
            // Only the size of an item is left to refuse. Without it the rest is planned again.
            Err(rejected) => match places.get(rejected.command) {
                Some(place) => too_large.insert(*place, rejected.message),
                None => return Err(rejected),
            },
        };
    }
}

impl Destination {
    fn flag(&self, source: &Flag) -> ImportFlag {
        ImportFlag {
            project: self.project.clone(),
            environment: self.environment.clone(),
            flag: source.key.clone(),
            source: Box::new(source.clone()),
        }
    }
}

struct Planner<'a> {
    at: &'a Destination,
    environment: &'a Environment,
    draft: Draft<'a>,
    /// Every item of the files, in order. Its place here is its command's index while planning.
    items: Vec<Planned>,
    /// Items that an earlier round found too large, by place, with the reason.
    too_large: &'a BTreeMap<usize, String>,
}

struct Planned {
    kind: Kind,
    name: String,
    done: Done,
    command: Option<Command>,
}

impl Planner<'_> {
    fn segments(&mut self, segments: &[Entry<Segment>]) {
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

    fn flags(&mut self, flags: &[Entry<Flag>], ids: &HashMap<String, String>) {
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
            name_own_segments(&mut command.source, ids);
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

    fn report(&self) -> Report {
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
    fn commands(self, input: &Input) -> (Vec<usize>, Vec<Command>) {
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

    /// What the author should know of each item: what was noticed on the way, and what the
    /// evaluator will not do with the environment as it is afterwards.
    fn warnings(&self) -> Vec<Vec<String>> {
        let snapshot = self.snapshot();
        let mut compiled: HashMap<(Kind, &str), Vec<String>> = HashMap::new();
        for (item, warning) in snapshot.warnings() {
            let of = match item {
                Item::Flag(flag) => (Kind::Flag, flag.key.as_str()),
                Item::Segment(segment) => (Kind::Segment, segment.id.as_str()),
            };
            compiled.entry(of).or_default().push(warning.to_string());
        }
        let of_item = |(index, item): (usize, &Planned)| {
            let noticed = self
                .draft
                .warnings
                .iter()
                .filter(|it| it.command == Some(index));
            let mut warnings: Vec<String> = noticed.map(|it| it.message.clone()).collect();
            let of = match &item.command {
                Some(Command::ImportFlag(command)) => (Kind::Flag, command.flag.as_str()),
                Some(Command::ImportSegment(it)) => (Kind::Segment, it.source.id.as_str()),
                _ => return warnings,
            };
            warnings.extend(compiled.get(&of).into_iter().flatten().cloned());
            warnings
        };
        self.items.iter().enumerate().map(of_item).collect()
    }

    /// The environment as it is afterwards, as far as it was loaded.
    fn snapshot(&self) -> Snapshot {
        let flags = self.draft.project(&self.at.project).map(|project| {
            let flags = project.flags.values().filter_map(|state| {
                let targeting = state.targetings.get(&self.environment.id)?;
                Some(served::flag(&state.flag, targeting, self.environment))
            });
            flags.collect()
        });
        let visible = |scope: &SegmentScope| match scope {
            SegmentScope::Organization => true,
            SegmentScope::Project(id) => *id == self.environment.project,
            SegmentScope::Environment(_, id) => *id == self.environment.id,
        };
        let segments = self
            .draft
            .state
            .segments
            .values()
            .map(|state| &state.segment);
        let segments = segments.filter(|segment| visible(&segment.scope));
        let segments = segments.map(|it| served::segment(it, Millis(0), self.environment));
        Snapshot::build(flags.unwrap_or_default(), segments.collect())
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
