//! What a change set did, in plain words: for a reviewer, a dry run, the history, a message.
//!
//! Each line is a code with parameters (so that the portal can say it in another language) and the
//! English text. Lines follow from the outcome alone, not from the commands: they say what is
//! different, whatever led to it.

mod about;
mod flag;
mod json;
mod parts;
mod segment;
mod targeting;
mod words;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::Id;
use crate::model::{Environment, Project};
use crate::outcome::Outcome;
use crate::workspace::Workspace;

pub(crate) use json::targets as targets_of;
pub use json::{ChangedPart, Changes, ItemChange, changes};
pub use parts::{Asked, Parts, Share};
pub(crate) use words::{conditions, quoted, rollout, some, variation};

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DiffLine {
    /// A stable code, e.g. `turnedOn`.
    pub code: String,
    /// What the text is made of, by name; `project`, `environment`, `flag`, `segment` are keys.
    pub params: BTreeMap<String, String>,
    /// What the text is made of, where it is more than names; absent in lines of old.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Parts>))]
    pub of: Option<Value>,
    /// In English, e.g. `web/prod: checkout turned on`.
    pub text: String,
}

/// The differences that an outcome makes to the workspace it came from: segments, then flags, then
/// their targeting by environment.
pub fn lines(before: &Workspace, outcome: &Outcome) -> Vec<DiffLine> {
    let mut writer = Writer {
        before,
        outcome,
        lines: Vec::new(),
    };
    outcome
        .segments
        .iter()
        .for_each(|edit| segment::write(&mut writer, edit));
    outcome
        .flags
        .iter()
        .for_each(|edit| flag::write(&mut writer, edit));
    outcome
        .targetings
        .iter()
        .for_each(|edit| targeting::write(&mut writer, edit));
    writer.lines
}

/// The texts of [`lines`].
pub fn words(before: &Workspace, outcome: &Outcome) -> Vec<String> {
    lines(before, outcome)
        .into_iter()
        .map(|line| line.text)
        .collect()
}

struct Writer<'a> {
    before: &'a Workspace,
    outcome: &'a Outcome,
    lines: Vec<DiffLine>,
}

/// Where a line happens: the parameters that say so, and how it begins.
#[derive(Clone)]
struct Subject {
    params: Vec<(&'static str, String)>,
    prefix: String,
}

impl Writer<'_> {
    fn line(&mut self, of: &Subject, code: &str, params: &[(&str, &str)], text: &str) {
        self.line_of(of, code, params, &Parts::default(), text);
    }

    /// A line, and what its words are made of.
    fn line_of(
        &mut self,
        of: &Subject,
        code: &str,
        params: &[(&str, &str)],
        parts: &Parts,
        text: &str,
    ) {
        let of_subject = of
            .params
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        let own = params
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        self.lines.push(DiffLine {
            code: code.to_owned(),
            params: of_subject.chain(own).collect(),
            of: parts.value(),
            text: format!("{} {text}", of.prefix),
        });
    }

    fn project_key(&self, id: &Id<Project>) -> String {
        let mut projects = self.before.projects.values();
        let found = projects.find(|it| it.project.id == *id);
        found.map_or_else(|| id.to_string(), |it| it.project.key.to_string())
    }

    /// `project` and `environment` keys.
    fn environment_keys(&self, id: &Id<Environment>) -> (String, String) {
        for project in self.before.projects.values() {
            let mut environments = project.environments.values();
            if let Some(found) = environments.find(|it| it.id == *id) {
                return (project.project.key.to_string(), found.key.to_string());
            }
        }
        (String::new(), id.to_string())
    }
}
