//! Applying requests, step by step: by whoever may, or as their author when they are due.
//!
//! All that is asked when a change set is applied is asked when a step is: its author's permissions
//! as they are then, the rules of the environments as they are then, the reviewers' rights as they
//! are then. Besides, what the reviewers saw must still be what would happen. Each step is one
//! transaction, which begins by locking the step's row: of all who would apply it, one does.

use std::collections::BTreeMap;

use burgee_domain::access::{Marks, Rights};
use burgee_domain::admission::{self as rules, Ask, Voice};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::request::{Act, Stage};
use burgee_domain::workspace::Workspace;
use burgee_domain::{change, command};
use burgee_eval::time::Millis;

use super::waiting::{Against, Draft, Tried, of_author};
use super::{Applied, Denied, StepApplied, Work, admission};
use crate::change_sets::{self, Actor};
use crate::error::StoreError;
use crate::requests::steps::{self, Place};
use crate::requests::{self, Request, RequestError, Revision, Step, voices};
use crate::{Store, Tx, environments, workspace};

/// A request to be applied by somebody.
#[derive(Clone, Debug)]
pub struct ApplyRequest {
    /// In which organization.
    pub organization: Id<Organization>,
    /// Which request.
    pub request: String,
    /// The revision that is meant; whichever is newest where none is given.
    pub revision: Option<i64>,
    /// The step that is meant; none: the only one.
    pub step: Option<i64>,
    /// Who applies it, with what they may do.
    pub applier: (Actor, Rights),
    /// Why approvals are gone without.
    pub override_reason: Option<String>,
    /// When.
    pub now: Millis,
}

/// A step that this transaction has claimed.
pub(crate) struct Claimed<'a> {
    pub(crate) organization: &'a Id<Organization>,
    pub(crate) request: &'a str,
    pub(crate) revision: &'a Revision,
    /// The step's index in the revision.
    pub(crate) index: usize,
    /// Who applies it, with what they may do; none: its author, because it is due.
    pub(crate) applier: Option<(&'a Actor, &'a Rights)>,
    /// Why approvals are gone without.
    pub(crate) override_reason: Option<&'a str>,
    pub(crate) now: Millis,
}

impl Claimed<'_> {
    fn step(&self) -> Result<&Step, StoreError> {
        let step = self.revision.steps.get(self.index);
        step.ok_or(StoreError::NotFound("step"))
    }

    fn draft<'d>(&'d self, step: &'d Step, rights: &'d Rights) -> Draft<'d> {
        step.draft(self.organization, &self.revision.head, rights, self.now)
    }
}

impl Store {
    /// Applies the next step of a request, whole, once: applied again it gives what it came to. Its
    /// author must still be allowed what it does, and who applies it `change.apply` wherever it
    /// does something.
    ///
    /// # Errors
    /// Those of a change set; [`RequestError::Moved`] where something that it touches is not as it
    /// was when its newest revision was written; [`RequestError::AuthorGone`],
    /// [`RequestError::AuthorForbidden`], [`RequestError::Closed`]; [`RequestError::NotNext`] and
    /// [`RequestError::StepUnnamed`] where there are several steps.
    pub async fn apply_request(&self, asked: &ApplyRequest) -> Result<Applied, RequestError> {
        let reason = asked.override_reason.as_deref();
        let reason = reason.map(change::override_reason).transpose()?;
        let (organization, id) = (&asked.organization, asked.request.as_str());
        let mut tx = self.begin_write().await?;
        let newest = requests::find(&mut tx, organization, id).await?.revision;
        if asked.revision.is_some_and(|it| it != newest) {
            return Err(RequestError::Revised(newest));
        }
        let revision = requests::revision(&mut tx, organization, id, newest).await?;
        let place = Place {
            organization,
            request: id,
            revision: newest,
            step: meant(&revision, asked.step)?,
        };
        let index = revision
            .steps
            .iter()
            .position(|it| it.head.step == place.step);
        let Some(index) = index else {
            let done = steps::find(&mut tx, organization, id, place.step).await?;
            return first_answer(&mut tx, organization, &done.change_set).await;
        };
        let lock = self.shared.dialect.for_update();
        let head = steps::claim(&mut tx, place, lock).await?;
        if let Some(done) = head.and_then(|it| it.done) {
            return first_answer(&mut tx, organization, &done.change_set).await;
        }
        let claimed = Claimed {
            organization,
            request: id,
            revision: &revision,
            index,
            applier: Some((&asked.applier.0, &asked.applier.1)),
            override_reason: reason.as_deref(),
            now: asked.now,
        };
        self.apply_claimed(tx, &claimed).await
    }

    /// Applies a step that is claimed, and commits.
    pub(crate) async fn apply_claimed(
        &self,
        mut tx: Tx,
        claimed: &Claimed<'_>,
    ) -> Result<Applied, RequestError> {
        let (revision, step) = (claimed.revision, claimed.step()?);
        let (dialect, organization) = (self.shared.dialect, claimed.organization);
        let references = command::references(&step.commands);
        let workspace = workspace::load(&mut tx, dialect, organization, &references).await?;
        let mut request = requests::lock(&mut tx, dialect, organization, claimed.request).await?;
        // What was read before the lock may be revised by now, or without somebody forgotten.
        let newest = request.revision;
        let now = requests::revision(&mut tx, organization, claimed.request, newest).await?;
        if now != *revision {
            return Err(RequestError::Revised(newest));
        }
        let last = claimed.index + 1 == revision.steps.len();
        let act = if last { Act::Apply } else { Act::Advance };
        request.stage = request.stage.after(act)?;
        let voices = voices::of(&mut tx, organization, &request, claimed.now).await?;
        let author = &revision.head.author.actor;
        let standing = voices::standing(&mut tx, organization, author, claimed.now).await?;
        let author = standing.rights;
        let tried = self
            .try_as_author(&mut tx, &workspace, claimed, author.as_ref())
            .await;
        let tried = match (tried, claimed.applier) {
            (Err(lost @ (RequestError::AuthorGone | RequestError::AuthorForbidden(..))), None) => {
                self.try_vouched(&mut tx, &workspace, claimed, &voices, lost)
                    .await?
            }
            (tried, _) => tried?,
        };
        if let Some((_, rights)) = claimed.applier {
            Denied::unless_all(rights, "change.apply", tried.resources())?;
        }
        let known = (revision.base.as_slice(), step.held.as_slice());
        let differences = self.differences(&mut tx, &workspace, known, &tried).await?;
        if !differences.is_empty() {
            return Err(RequestError::Moved(differences));
        }
        let asks = self.asks_of(&mut tx, claimed, &request, &tried).await?;
        self.conclude(tx, claimed, &tried, (&asks, &voices), request)
            .await
    }

    /// Tries a step out with what its author may do.
    async fn try_as_author<'w>(
        &self,
        tx: &mut Tx,
        workspace: &'w Workspace,
        claimed: &Claimed<'_>,
        rights: Option<&Rights>,
    ) -> Result<Tried<'w>, RequestError> {
        let rights = rights.ok_or(RequestError::AuthorGone)?;
        let step = claimed.step()?;
        let against = Against::Known(&claimed.revision.base);
        let draft = claimed.draft(step, rights);
        let tried = self.try_out(tx, workspace, &draft, against).await;
        tried.map_err(of_author)
    }

    /// Tries a step out whose author lost the right to it: it is applied all the same where others
    /// approved it, wherever it changes what is served.
    async fn try_vouched<'w>(
        &self,
        tx: &mut Tx,
        workspace: &'w Workspace,
        claimed: &Claimed<'_>,
        voices: &[Voice],
        lost: RequestError,
    ) -> Result<Tried<'w>, RequestError> {
        let everything = Rights::everything();
        let tried = self
            .try_as_author(tx, workspace, claimed, Some(&everything))
            .await?;
        let places = tried.places(&claimed.step()?.commands);
        let asks = admission::asks_of(tx, &places, &Marks::of(tried.workspace)).await?;
        match rules::vouched(&places, &asks, voices) {
            true => Ok(tried),
            false => Err(lost),
        }
    }

    /// What the environments ask of a step: what they ask of its whole series.
    async fn asks_of(
        &self,
        tx: &mut Tx,
        claimed: &Claimed<'_>,
        request: &Request,
        tried: &Tried<'_>,
    ) -> Result<Vec<Ask>, RequestError> {
        let now = tried.places(&claimed.step()?.commands);
        let series = match claimed.revision.steps.len() {
            0 | 1 => &[],
            _ => request.places.as_slice(),
        };
        let places = rules::together(series.iter().cloned().chain(now));
        let marks = environments::marks(tx, claimed.organization).await?;
        Ok(admission::asks_of(tx, &places, &marks).await?)
    }

    /// Writes what a step came to.
    async fn conclude(
        &self,
        mut tx: Tx,
        claimed: &Claimed<'_>,
        tried: &Tried<'_>,
        (asks, voices): (&[Ask], &[Voice]),
        mut request: Request,
    ) -> Result<Applied, RequestError> {
        let (revision, step) = (claimed.revision, claimed.step()?);
        let (everything, none) = (Rights::everything(), BTreeMap::new());
        let author = (&revision.head.author.actor, &everything);
        let (actor, rights) = claimed.applier.unwrap_or(author);
        let draft = Draft {
            actor,
            ..claimed.draft(step, rights)
        };
        let work = Work {
            override_reason: claimed.override_reason,
            ..draft.work(
                Against::Known(&revision.base),
                &none,
                &tried.decision.commands,
            )
        };
        let admitted = admission::admit(&work, asks, voices)?;
        let id = super::new_id();
        let mut applied = super::applied(&id, tried.workspace, tried.outcome(), admitted);
        applied.request = Some(request.id.clone());
        applied.step = step.head.due_at.map(|due_at| StepApplied {
            step: step.head.step,
            of: revision.of(),
            due_at,
            by_schedule: claimed.applier.is_none(),
        });
        let (workspace, decision) = (tried.workspace, &tried.decision);
        if !self
            .write_set(&mut tx, workspace, &work, decision, &applied)
            .await?
        {
            return Err(StoreError::Reused.into());
        }
        let place = Place {
            organization: claimed.organization,
            request: claimed.request,
            revision: revision.head.revision,
            step: step.head.step,
        };
        steps::done(&mut tx, place, &id, claimed.now).await?;
        request.changed_at = claimed.now;
        request.change_set = (request.stage == Stage::Applied).then_some(id);
        let next = revision.steps.get(claimed.index + 1);
        request.due_at = next.and_then(|it| it.head.due_at);
        requests::update(&mut tx, claimed.organization, &request).await?;
        self.end(tx, false).await?;
        let evaluated = self.still_evaluated(workspace, tried.outcome(), work.rights, work.now);
        applied.warnings.extend(evaluated.await);
        Ok(applied)
    }
}

/// The number of the step that is meant: where there are several, it must be named, so that an
/// answer that was lost does not make somebody apply two.
fn meant(revision: &Revision, named: Option<i64>) -> Result<i64, RequestError> {
    let next = revision.next().and_then(|index| revision.steps.get(index));
    let next = next.map_or(revision.of() + 1, |it| it.head.step);
    match named {
        None if revision.of() == 1 => Ok(1),
        None => Err(RequestError::StepUnnamed(next)),
        Some(step) if step > next => Err(RequestError::NotNext(next)),
        Some(step) => Ok(step),
    }
}

async fn first_answer(
    tx: &mut Tx,
    organization: &Id<Organization>,
    change_set: &str,
) -> Result<Applied, RequestError> {
    let first = change_sets::find_result(tx, organization, change_set).await?;
    let (_, first) = first.ok_or(StoreError::NotFound("change set"))?;
    Ok(serde_json::from_value(first)?)
}
