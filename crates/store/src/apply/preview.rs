//! What a dry run would make environments serve, for whoever evaluates it.

use burgee_domain::access::{Marks, Resource};
use burgee_domain::outcome::{Item, Outcome, Scope};
use burgee_domain::workspace::Workspace;
use burgee_eval::{flag, segment};

use super::base;
use crate::error::StoreError;

/// What an environment would serve of all that a change set touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The environment's id.
    pub environment: String,
    /// `project/environment`.
    pub scope: String,
    /// The environment, as permissions name it.
    pub place: Resource,
    /// The flags that differ, as JSON of the served shape.
    flags: Vec<String>,
    /// The segments that differ, likewise.
    segments: Vec<String>,
}

impl Preview {
    /// The flags and the segments that differ; archived and deleted ones are marked archived.
    pub fn items(&self) -> Result<(Vec<flag::Flag>, Vec<segment::Segment>), StoreError> {
        let flags: Result<_, _> = self
            .flags
            .iter()
            .map(|it| serde_json::from_str(it))
            .collect();
        let segments = self.segments.iter().map(|it| serde_json::from_str(it));
        Ok((flags?, segments.collect::<Result<_, _>>()?))
    }
}

/// What the environments would serve.
pub(super) fn previews(workspace: &Workspace, outcome: &Outcome) -> Vec<Preview> {
    let names = base::scope_names(workspace);
    let marks = Marks::of(workspace);
    let mut previews = Vec::new();
    for step in &outcome.steps {
        let Scope::Environment(id) = &step.scope else {
            continue;
        };
        let images = |of_flags: bool| {
            let entries = step.entries.iter();
            let entries = entries.filter(|it| matches!(it.item, Item::Flag(..)) == of_flags);
            entries.map(|it| it.image.clone()).collect()
        };
        let scope = names.get(&step.scope).cloned().unwrap_or_default();
        previews.push(Preview {
            environment: id.as_str().to_owned(),
            place: marks.scope(&scope),
            scope,
            flags: images(true),
            segments: images(false),
        });
    }
    previews
}
