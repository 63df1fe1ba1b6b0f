//! Trying out all steps of a revision, each on what the steps before it leave.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::access::Rights;
use burgee_domain::admission::{Place, together};
use burgee_domain::command::{self, Command};
use burgee_domain::diff::DiffLine;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::outcome::{Outcome, Scope, Warning};
use burgee_domain::request::held::{self, Held};
use burgee_domain::workspace::Workspace;
use burgee_eval::time::Millis;

use super::{RequestError, Revision, Step, StepHead, rows, scopes, voices};
use crate::apply::waiting::{Against, Draft, Tried, of_author};
use crate::apply::{ApplyError, ConflictFound};
use crate::change_sets::Actor;
use crate::{Store, Tx, workspace};

/// A step that shall be tried out.
pub(crate) struct Planned<'a> {
    pub(crate) head: StepHead,
    pub(crate) commands: &'a [Command],
    pub(crate) seed: String,
    /// What it held in an earlier revision, to be compared with.
    pub(crate) held: Option<&'a [Held]>,
}

/// By whom, and against what.
pub(crate) struct Asked<'a> {
    pub(crate) organization: &'a Id<Organization>,
    pub(crate) actor: &'a Actor,
    pub(crate) rights: &'a Rights,
    pub(crate) comment: &'a str,
    pub(crate) against: Against<'a>,
    pub(crate) now: Millis,
}

/// What the steps come to.
#[derive(Default)]
pub(crate) struct Series {
    pub(crate) steps: Vec<Step>,
    /// The scopes that they move.
    pub(crate) moved: BTreeSet<Scope>,
    /// The same by name, in the order of the first.
    pub(crate) scopes: Vec<String>,
    /// Where they change what is served.
    pub(crate) places: Vec<Place>,
    /// The versions that were looked at.
    pub(crate) versions: Vec<(Scope, i64)>,
    /// What is not as it was held.
    pub(crate) differences: Vec<ConflictFound>,
    /// What each step does.
    outcomes: Vec<Outcome>,
}

/// What would become of a request now.
#[derive(Debug, Default)]
pub struct Outlook {
    /// What it would change, step by step.
    pub diff: Vec<DiffLine>,
    /// What others changed of what it touches: it has to be rebased.
    pub conflicts: Vec<ConflictFound>,
    /// What its author and its reviewers should know.
    pub warnings: Vec<Warning>,
}

impl Series {
    /// What the steps are about, by names.
    pub(super) fn about(&self) -> Vec<BTreeMap<String, String>> {
        let lines = self.steps.iter().flat_map(|step| &step.diff);
        scopes::about(lines)
    }

    /// Refuses a step that would change nothing.
    pub(super) fn has_effect(&self) -> Result<(), RequestError> {
        let mut steps = self.steps.iter().enumerate();
        let idle = steps.find(|(_, step)| step.held.is_empty());
        match idle {
            Some((index, step)) => Err(in_step(&step.head, index, RequestError::NoEffect)),
            None => Ok(()),
        }
    }

    fn add(&mut self, planned: &Planned<'_>, tried: &Tried<'_>) {
        if self.steps.is_empty() {
            self.versions = tried.versions();
        }
        self.moved.extend(tried.moved());
        for scope in tried.scopes() {
            if !self.scopes.contains(&scope) {
                self.scopes.push(scope);
            }
        }
        let before = std::mem::take(&mut self.places);
        let places = tried.places(planned.commands);
        self.places = together(before.into_iter().chain(places));
        self.steps.push(Step {
            head: planned.head.clone(),
            commands: planned.commands.to_vec(),
            seed: planned.seed.clone(),
            held: held::hold(tried.workspace, tried.outcome()),
            diff: tried.diff(),
        });
    }
}

impl Store {
    /// Tries steps out one after the other.
    pub(crate) async fn try_series(
        &self,
        tx: &mut Tx,
        workspace: &Workspace,
        asked: &Asked<'_>,
        steps: &[Planned<'_>],
    ) -> Result<Series, RequestError> {
        let mut series = Series::default();
        let mut state = Cow::Borrowed(workspace);
        for (index, planned) in steps.iter().enumerate() {
            let draft = asked.draft(planned);
            let tried = self.try_out(tx, &state, &draft, asked.against).await;
            let tried = tried.map_err(|error| in_step(&planned.head, index, error.into()))?;
            if let (Some(held), Against::Known(base)) = (planned.held, asked.against) {
                let found = self.differences(tx, &state, (base, held), &tried).await?;
                series.differences.extend(found);
            }
            series.add(planned, &tried);
            let outcome = tried.into_outcome();
            if index + 1 < steps.len() {
                state.to_mut().advance(&outcome);
            }
            series.outcomes.push(outcome);
        }
        Ok(series)
    }

    /// What would become now of a request that is open, or has stopped, for somebody with these
    /// rights. It locks nothing and changes nothing.
    ///
    /// # Errors
    /// Why it could not be applied as it is, but for approvals, a comment and conflicts.
    pub async fn outlook(
        &self,
        organization: &Id<Organization>,
        id: &str,
        viewer: &Rights,
        now: Millis,
    ) -> Result<Outlook, RequestError> {
        let mut tx = self.begin_read().await?;
        let newest = rows::find(&mut tx, organization, id).await?.revision;
        let revision = rows::revision(&mut tx, organization, id, newest).await?;
        let author = &revision.head.author.actor;
        let standing = voices::standing(&mut tx, organization, author, now).await?;
        let rights = standing.rights.ok_or(RequestError::AuthorGone)?;
        let steps = revision.waiting();
        let references = command::references(steps.iter().flat_map(|it| it.commands));
        let workspace = workspace::look(&mut tx, organization, &references).await?;
        let asked = Asked {
            organization,
            actor: author,
            rights: &rights,
            comment: &revision.head.comment,
            against: Against::Known(&revision.base),
            now,
        };
        let series = self.try_series(&mut tx, &workspace, &asked, &steps).await;
        tx.rollback().await?;
        let series = series.map_err(as_author)?;
        let mut warnings = Vec::new();
        for outcome in &series.outcomes {
            warnings.extend(outcome.warnings.iter().cloned());
            let evaluated = self.still_evaluated(&workspace, outcome, Some(viewer), now);
            warnings.extend(evaluated.await);
        }
        Ok(Outlook {
            warnings,
            diff: series.steps.into_iter().flat_map(|it| it.diff).collect(),
            conflicts: series.differences,
        })
    }
}

impl Revision {
    /// The steps that wait, to be tried out again.
    pub(crate) fn waiting(&self) -> Vec<Planned<'_>> {
        let waiting = self.steps.iter().filter(|it| it.head.done.is_none());
        waiting
            .map(|it| Planned {
                head: it.head.clone(),
                commands: &it.commands,
                seed: it.seed.clone(),
                held: Some(&it.held),
            })
            .collect()
    }
}

impl<'a> Asked<'a> {
    fn draft(&self, planned: &'a Planned<'a>) -> Draft<'a> {
        Draft {
            organization: self.organization,
            actor: self.actor,
            rights: self.rights,
            comment: self.comment,
            commands: planned.commands,
            seed: &planned.seed,
            now: self.now,
        }
    }
}

/// Says of which step something is, where steps were asked for.
fn in_step(head: &StepHead, index: usize, error: RequestError) -> RequestError {
    match head.due_at {
        Some(_) => RequestError::InStep(index, Box::new(error)),
        None => error,
    }
}

/// What the author lacks, not who looks.
fn as_author(error: RequestError) -> RequestError {
    match error {
        RequestError::InStep(index, inner) => {
            RequestError::InStep(index, Box::new(as_author(*inner)))
        }
        RequestError::Apply(ApplyError::Forbidden(need, decision)) => {
            of_author(ApplyError::Forbidden(need, decision))
        }
        other => other,
    }
}
