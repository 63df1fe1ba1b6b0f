//! Environments of a file: those that are there get the name and the description that it gives
//! them, those that are not are made.
//!
//! Their colour, order, protection, rules and keys are no part of a file: they say how people work
//! where they are, which is not for a file from elsewhere to change.

use std::borrow::Cow;

use burgee_eval::time::Millis;

use super::FileFault;
use super::plan::{Done, checked_key, escaped};
use super::present::Present;
use super::shape::{EnvironmentFile, ProjectFile};
use crate::check::text;
use crate::colour::Colour;
use crate::decision_log::Sample;
use crate::fault::Fault;
use crate::id::Id;
use crate::key::Key;
use crate::model::Environment;
use crate::position::Position;

/// What becomes of an environment.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedEnvironment {
    /// As it shall be. One that is made gets its id, place and colour then.
    pub wanted: Environment,
    /// In a word.
    pub done: Done,
}

impl PlannedEnvironment {
    /// The act of administration that does it, by its kind; none where it is so already.
    pub fn act(&self) -> Option<&'static str> {
        match self.done {
            Done::Created => Some("createEnvironment"),
            Done::Updated => Some("updateEnvironment"),
            Done::Restored | Done::Archived | Done::Unchanged => None,
        }
    }
}

/// Plans the environments that a file describes.
pub(super) fn plan(
    file: &ProjectFile,
    present: &Present,
    new_id: &mut dyn FnMut() -> String,
) -> Result<Vec<PlannedEnvironment>, FileFault> {
    let mut planned = Vec::with_capacity(file.environments.len());
    for (key, file) in &file.environments {
        let at = format!("/environments/{}", escaped(key));
        let found = present.environment(key);
        let before = match found {
            Some(found) => found.clone(),
            None => made(new_key(key, &at)?, present, new_id()),
        };
        let wanted = described(before, file, &at)?;
        let done = match found {
            None => Done::Created,
            Some(found) if *found != wanted => Done::Updated,
            Some(_) => Done::Unchanged,
        };
        planned.push(PlannedEnvironment { wanted, done });
    }
    Ok(planned)
}

/// What is there once they are made.
pub(super) fn with_made<'p>(
    present: &'p Present,
    planned: &[PlannedEnvironment],
) -> Cow<'p, Present> {
    let mut present = Cow::Borrowed(present);
    for it in planned.iter().filter(|it| it.done == Done::Created) {
        let environments = &mut present.to_mut().project.environments;
        environments.insert(it.wanted.key.folded(), it.wanted.clone());
    }
    present
}

/// The key of one that is not there.
fn new_key(key: &str, at: &str) -> Result<Key, FileFault> {
    let key = checked_key(key, at)?.for_environment();
    key.map_err(|it| FileFault::new(at, "keyReserved", it.to_string()))
}

/// An environment as it is made.
fn made(key: Key, present: &Present, id: String) -> Environment {
    let chain = [0; 32];
    Environment {
        id: Id::new(id),
        project: present.project.project.id.clone(),
        name: key.to_string(),
        colour: Colour::given(&key, &[]),
        key,
        description: String::new(),
        protected: false,
        decisions: Sample::NONE,
        sort: 0,
        // Making it is its first version.
        position: Position::new(1, &chain),
        chain,
        last_stamp: Millis(0),
        created_at: Millis(0),
    }
}

/// The environment with the name and the description of the file, where it has them.
fn described(
    before: Environment,
    file: &EnvironmentFile,
    at: &str,
) -> Result<Environment, FileFault> {
    let name = file.name.as_deref();
    let name = name.map(|it| text::name(it, &format!("{at}/name")));
    let description = file.description.as_deref();
    let description = description.map(|it| text::description(it, &format!("{at}/description")));
    Ok(Environment {
        name: name.transpose().map_err(of_file)?.unwrap_or(before.name),
        description: description
            .transpose()
            .map_err(of_file)?
            .unwrap_or(before.description),
        ..before
    })
}

fn of_file(fault: Fault) -> FileFault {
    let code = match fault.code {
        Cow::Borrowed(code) => code,
        Cow::Owned(_) => "textInvalid",
    };
    FileFault::new(fault.pointer, code, fault.message)
}
