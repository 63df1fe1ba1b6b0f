//! Flags that a change set takes away though programs still ask for them.
//!
//! Nothing of what is kept of a flag says whether it is still asked for; what was served lately does. So
//! the author is told where a flag that they archive or delete was evaluated in the last days: its
//! programs get the default in their code from then on. It stops nothing: that may be what is wanted.

use std::collections::BTreeMap;

use burgee_eval::time::Millis;

use crate::key::Key;
use crate::model::{Flag, Life};
use crate::outcome::{Facet, Item, Outcome, Scope, Warning};
use crate::workspace::{ProjectState, Workspace};

/// For how many days an evaluation says that a flag is still asked for.
pub const DAYS: i64 = 7;

/// How many environments the words name.
const NAMED: usize = 5;

/// A flag that a change set archives or deletes.
#[derive(Clone, Copy, Debug)]
pub struct TakenAway<'a> {
    /// The flag.
    pub flag: &'a Flag,
    /// Its project, with all environments.
    pub project: &'a ProjectState,
    /// The index of the command that does it.
    pub command: Option<usize>,
}

/// The evaluations of a flag in an environment, in the last [`DAYS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// The environment's key.
    pub environment: Key,
    /// How many.
    pub count: i64,
    /// The last, to some minutes.
    pub last: Millis,
}

/// The flags that are live and will not be any more.
pub fn taken_away<'a>(before: &'a Workspace, outcome: &'a Outcome) -> Vec<TakenAway<'a>> {
    let edits = outcome.flags.iter().filter_map(|edit| {
        let flag = edit.before.as_ref()?;
        let taken = flag.life == Life::Live && edit.after.life != Life::Live;
        let mut projects = before.projects.values();
        let project = projects.find(|it| it.project.id == edit.project)?;
        taken.then(|| TakenAway {
            flag,
            project,
            command: command(project, flag, outcome),
        })
    });
    edits.collect()
}

/// The first command that changes the flag's life.
fn command(project: &ProjectState, flag: &Flag, outcome: &Outcome) -> Option<usize> {
    let scope = Scope::Project(project.project.id.clone());
    let mut steps = outcome.steps.iter();
    let step = steps.find(|it| it.scope == scope)?;
    let mut entries = step.entries.iter();
    let entry = entries.find(|it| {
        matches!(&it.item, Item::Flag(id, _) if *id == flag.id) && it.facets.contains(&Facet::Life)
    })?;
    entry.commands.first().copied()
}

/// What the author is told; nothing where it was not evaluated lately.
pub fn warning(of: TakenAway<'_>, evaluated: &[Evaluated]) -> Option<Warning> {
    let last = evaluated.iter().map(|it| it.last).max()?;
    let count: i64 = evaluated.iter().map(|it| it.count).sum();
    let mut places: Vec<_> = evaluated.iter().collect();
    places.sort_by_key(|it| std::cmp::Reverse(it.count));
    let places: Vec<&str> = places.iter().map(|it| it.environment.as_str()).collect();
    let named = places[..places.len().min(NAMED)].join(", ");
    let more = match places.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (project, flag) = (&of.project.project.key, &of.flag.key);
    let times = if count == 1 { "time" } else { "times" };
    let message = format!(
        "the flag '{flag}' was evaluated {count} {times} in the last {DAYS} days, in {named}{more}, \
         last at {last}: programs will give the default in their code"
    );
    Some(Warning {
        code: "flagStillEvaluated".into(),
        command: of.command,
        params: BTreeMap::from([
            ("project".to_owned(), project.to_string()),
            ("flag".to_owned(), flag.to_string()),
            ("environments".to_owned(), places.join(",")),
            ("evaluations".to_owned(), count.to_string()),
            ("days".to_owned(), DAYS.to_string()),
            ("lastEvaluatedAt".to_owned(), last.to_string()),
        ]),
        message,
    })
}
