//! What the author should know of imported items.

use std::collections::HashMap;

use burgee_eval::snapshot::{Item, Snapshot};
use burgee_eval::time::Millis;

use super::planner::{Planned, Planner};
use super::report::Kind;
use crate::command::Command;
use crate::served;

impl Planner<'_> {
    /// What the author should know of each item: what was noticed on the way, and what the
    /// evaluator will not do with the environment as it is afterwards.
    pub(super) fn warnings(&self) -> Vec<Vec<String>> {
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
        let environment = self.environment;
        let segments = self
            .draft
            .state
            .segments
            .values()
            .map(|state| &state.segment);
        let segments =
            segments.filter(|it| it.scope.reaches(&environment.project, &environment.id));
        let segments = segments.map(|it| served::segment(it, Millis(0), environment));
        Snapshot::build(flags.unwrap_or_default(), segments.collect())
    }
}
