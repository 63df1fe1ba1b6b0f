//! Change sets that wait: tried out when they are written down, and applied later as their author,
//! by whoever may.
//!
//! All that is asked when a change set is applied is asked when a request is: its author's
//! permissions as they are then, the rules of the environments as they are then, the reviewers'
//! rights as they are then. Besides, what the reviewers saw must still be what would happen.

use std::collections::BTreeMap;

use burgee_domain::access::{Marks, Resource, Rights};
use burgee_domain::admission::{self as rules, Ask, Place};
use burgee_domain::change;
use burgee_domain::command::{self, Command};
use burgee_domain::conflict::Conflict;
use burgee_domain::diff::{self, DiffLine};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::outcome::{Outcome, Scope, Warning};
use burgee_domain::request::{Act, Stage, held};
use burgee_domain::workspace::Workspace;
use burgee_eval::time::Millis;

use super::base::{self, Base};
use super::{Applied, ApplyError, ConflictFound, Decision, Denied, Work, admission, commands_of};
use crate::change_sets::{self, Actor};
use crate::error::StoreError;
use crate::requests::{self, Request, RequestError, Revision, voices};
use crate::{Store, Tx, digest, log, workspace};

/// What is tried out.
pub(crate) struct Draft<'a> {
    pub(crate) organization: &'a Id<Organization>,
    pub(crate) actor: &'a Actor,
    pub(crate) rights: &'a Rights,
    pub(crate) comment: &'a str,
    pub(crate) commands: &'a [Command],
    /// What ids are made from.
    pub(crate) seed: &'a str,
    pub(crate) now: Millis,
}

/// What a draft is tried out against.
#[derive(Clone, Copy)]
pub(crate) enum Against<'a> {
    /// The versions that its author saw: what others changed after them is refused.
    Named(&'a BTreeMap<String, i64>),
    /// The versions of an earlier revision: they tell why it does not fit any more.
    Known(&'a [(Scope, i64)]),
}

/// What a draft comes to.
pub(crate) struct Tried<'w> {
    pub(crate) workspace: &'w Workspace,
    decision: Decision,
    /// What the environments ask.
    asks: Vec<Ask>,
}

impl Tried<'_> {
    /// What it does.
    pub(crate) fn outcome(&self) -> &Outcome {
        &self.decision.outcome
    }

    /// The scopes that it moves.
    pub(crate) fn moved(&self) -> Vec<Scope> {
        let steps = self.outcome().steps.iter();
        steps.map(|step| step.scope.clone()).collect()
    }

    /// The scopes that it moves, by name.
    pub(crate) fn scopes(&self) -> Vec<String> {
        let names = base::scope_names(self.workspace);
        let moved = self.moved();
        let moved = moved.iter().filter_map(|scope| names.get(scope));
        moved.cloned().collect()
    }

    /// What permissions on it are asked of.
    fn resources(&self) -> Vec<Resource> {
        requests::resources(&self.scopes(), &Marks::of(self.workspace))
    }

    /// Where it changes what is served.
    pub(crate) fn places(&self, commands: &[Command]) -> Vec<Place> {
        rules::places(self.workspace, commands, self.outcome())
    }

    /// The versions of all scopes that were looked at.
    pub(crate) fn versions(&self) -> Vec<(Scope, i64)> {
        let scopes = base::scope_names(self.workspace).into_keys();
        scopes
            .map(|scope| {
                let version = base::newest(self.workspace, &scope);
                (scope, version)
            })
            .collect()
    }

    /// The differences in words.
    pub(crate) fn diff(&self) -> Vec<DiffLine> {
        diff::lines(self.workspace, self.outcome())
    }
}

/// A request to be applied.
#[derive(Clone, Debug)]
pub struct ApplyRequest {
    /// In which organization.
    pub organization: Id<Organization>,
    /// Which request.
    pub request: String,
    /// The revision that is meant; whichever is newest where none is given.
    pub revision: Option<i64>,
    /// Who applies it, with what they may do; none: its author, as when it is due.
    pub applier: Option<(Actor, Rights)>,
    /// Why approvals are gone without.
    pub override_reason: Option<String>,
    /// When.
    pub now: Millis,
}

/// What would become of a request now.
#[derive(Debug, Default)]
pub struct Outlook {
    /// What it would change.
    pub diff: Vec<DiffLine>,
    /// What others changed of what it touches: it has to be rebased.
    pub conflicts: Vec<ConflictFound>,
    /// What its author and its reviewers should know.
    pub warnings: Vec<Warning>,
}

impl Store {
    /// Decides what a draft comes to, under the locks of what it refers to. A comment is asked for
    /// where the environments do, approvals are not.
    pub(crate) async fn try_out<'w>(
        &self,
        tx: &mut Tx,
        workspace: &'w Workspace,
        draft: &Draft<'_>,
        against: Against<'_>,
    ) -> Result<Tried<'w>, ApplyError> {
        let asked = serde_json::to_value(draft.commands)?.to_string();
        let none = BTreeMap::new();
        let work = draft.work(against, &none, &asked);
        work.check()?;
        work.may_touch(workspace)?;
        let base = match against {
            Against::Named(_) => Base::read(tx, workspace, &work).await?,
            Against::Known(versions) => Base::known(workspace, versions),
        };
        let checked = change::well_formed(draft.commands)?;
        let mut new_id = seeded(draft.seed);
        let decided = commands_of(workspace, checked, &work, &mut new_id);
        let decision = match decided {
            Err(ApplyError::Rejected(rejected)) => {
                return Err(base.explain(tx, workspace, &work, rejected).await?);
            }
            decided => decided?,
        };
        if let Against::Named(_) = against {
            let differences = base.collisions(tx, &decision.outcome).await?;
            if !differences.is_empty() {
                return Err(ApplyError::Conflict(differences));
            }
        }
        let asks = admission::asks(tx, workspace, &work, &decision.outcome).await?;
        admission::say_why(&work, &asks)?;
        Ok(Tried {
            workspace,
            decision,
            asks,
        })
    }

    /// What is not as a revision held it, with who changed it.
    pub(crate) async fn differences(
        &self,
        tx: &mut Tx,
        workspace: &Workspace,
        revision: &Revision,
        tried: &Tried<'_>,
    ) -> Result<Vec<ConflictFound>, StoreError> {
        let names = base::scope_names(workspace);
        let then: BTreeMap<&Scope, i64> = revision.base.iter().map(|(it, at)| (it, *at)).collect();
        let mut found = Vec::new();
        for moved in held::moved(&revision.held, workspace, tried.outcome()) {
            let since = then.get(&moved.scope).copied().unwrap_or_default();
            let logged = log::since_of(tx, &moved.scope, since, &[moved.item.id()]).await?;
            let mut changes = logged.iter().filter(|row| row.item == moved.item);
            let last = changes.rfind(|row| row.facets.iter().any(|it| moved.facets.contains(it)));
            let newest = base::newest(workspace, &moved.scope);
            let conflict = Conflict {
                version: last.map_or(newest, |row| row.version),
                scope: moved.scope,
                item: moved.item,
                facets: moved.facets,
            };
            let name = names.get(&conflict.scope).cloned().unwrap_or_default();
            found.push(log::conflict(tx, name, &conflict).await?);
        }
        Ok(found)
    }

    /// Applies a request, whole, once: applied again it gives what it came to. Its author must
    /// still be allowed what it does, and who applies it `change.apply` wherever it does something.
    ///
    /// # Errors
    /// Those of a change set; [`RequestError::Moved`] where something that it touches is not as it
    /// was when its newest revision was written; [`RequestError::AuthorGone`],
    /// [`RequestError::AuthorForbidden`], [`RequestError::Closed`].
    pub async fn apply_request(&self, asked: &ApplyRequest) -> Result<Applied, RequestError> {
        let reason = asked.override_reason.as_deref();
        let reason = reason.map(change::override_reason).transpose()?;
        let organization = &asked.organization;
        let mut tx = self.begin_write().await?;
        let newest = requests::find(&mut tx, organization, &asked.request).await?;
        let (id, number) = (&asked.request, newest.revision);
        let revision = requests::revision(&mut tx, organization, id, number).await?;
        let dialect = self.shared.dialect;
        let references = command::references(&revision.commands);
        let workspace = workspace::load(&mut tx, dialect, organization, &references).await?;
        let request = requests::lock(&mut tx, dialect, organization, id).await?;
        if request.revision != number || asked.revision.is_some_and(|it| it != number) {
            return Err(RequestError::Revised(request.revision));
        }
        if let (Stage::Applied, Some(first)) = (request.stage, &request.change_set) {
            let first = change_sets::find_result(&mut tx, organization, first).await?;
            let (_, first) = first.ok_or(StoreError::NotFound("change set"))?;
            return Ok(serde_json::from_value(first)?);
        }
        request.stage.after(Act::Apply)?;
        let author = &revision.head.author.actor;
        let standing = voices::standing(&mut tx, organization, author, asked.now).await?;
        let rights = standing.rights.ok_or(RequestError::AuthorGone)?;
        let applier = asked.applier.as_ref();
        let (actor, may) = applier.map_or((author, &rights), |(actor, may)| (actor, may));
        let draft = Draft {
            actor,
            ..revision.draft(organization, &rights, asked.now)
        };
        let against = Against::Known(&revision.base);
        let tried = self.try_out(&mut tx, &workspace, &draft, against).await;
        let tried = tried.map_err(of_author)?;
        Denied::unless_all(may, "change.apply", tried.resources())?;
        let differences = self
            .differences(&mut tx, &workspace, &revision, &tried)
            .await?;
        if !differences.is_empty() {
            return Err(RequestError::Moved(differences));
        }
        let voices = voices::of(&mut tx, organization, &request, asked.now).await?;
        let none = BTreeMap::new();
        let work = Work {
            override_reason: reason.as_deref(),
            rights: Some(may),
            ..draft.work(against, &none, &tried.decision.commands)
        };
        let admitted = admission::admit(&work, &tried.asks, &voices)?;
        self.conclude(tx, &work, &tried, admitted, request).await
    }

    /// Writes what a request came to.
    async fn conclude(
        &self,
        mut tx: Tx,
        work: &Work<'_>,
        tried: &Tried<'_>,
        admitted: admission::Admitted,
        request: Request,
    ) -> Result<Applied, RequestError> {
        let id = super::new_id();
        let mut applied = super::applied(&id, tried.workspace, tried.outcome(), admitted);
        applied.request = Some(request.id.clone());
        let written = self
            .write_set(&mut tx, tried.workspace, work, &tried.decision, &applied)
            .await?;
        if !written {
            return Err(StoreError::Reused.into());
        }
        requests::close(&mut tx, work.organization, request, &id, work.now).await?;
        self.end(tx, false).await?;
        let evaluated =
            self.still_evaluated(tried.workspace, tried.outcome(), work.rights, work.now);
        applied.warnings.extend(evaluated.await);
        Ok(applied)
    }

    /// What would become of an open request now, for somebody with these rights. It locks nothing
    /// and changes nothing.
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
        let request = requests::find(&mut tx, organization, id).await?;
        let revision = requests::revision(&mut tx, organization, id, request.revision).await?;
        let references = command::references(&revision.commands);
        let workspace = workspace::look(&mut tx, organization, &references).await?;
        let author = &revision.head.author.actor;
        let standing = voices::standing(&mut tx, organization, author, now).await?;
        let rights = standing.rights.ok_or(RequestError::AuthorGone)?;
        let draft = revision.draft(organization, &rights, now);
        let against = Against::Known(&revision.base);
        let tried = self.try_out(&mut tx, &workspace, &draft, against).await;
        let tried = tried.map_err(of_author)?;
        let conflicts = self
            .differences(&mut tx, &workspace, &revision, &tried)
            .await?;
        tx.rollback().await?;
        let outcome = tried.outcome();
        let mut warnings = outcome.warnings.clone();
        let evaluated = self.still_evaluated(&workspace, outcome, Some(viewer), now);
        warnings.extend(evaluated.await);
        Ok(Outlook {
            diff: tried.diff(),
            conflicts,
            warnings,
        })
    }
}

impl Revision {
    /// To be tried out again, as its author.
    fn draft<'a>(
        &'a self,
        organization: &'a Id<Organization>,
        rights: &'a Rights,
        now: Millis,
    ) -> Draft<'a> {
        Draft {
            organization,
            actor: &self.head.author.actor,
            rights,
            comment: &self.head.comment,
            commands: &self.commands,
            seed: &self.seed,
            now,
        }
    }
}

impl<'a> Draft<'a> {
    fn work(
        &self,
        against: Against<'a>,
        none: &'a BTreeMap<String, i64>,
        asked: &'a str,
    ) -> Work<'a> {
        Work {
            id: None,
            organization: self.organization,
            actor: self.actor,
            comment: self.comment,
            base: match against {
                Against::Named(base) => base,
                Against::Known(_) => none,
            },
            rebase: false,
            commands: self.commands,
            rights: Some(self.rights),
            override_reason: None,
            asked,
            planned_from: None,
            dry_run: false,
            now: self.now,
        }
    }
}

/// What the author lacks, not who applies.
fn of_author(error: ApplyError) -> RequestError {
    match error {
        ApplyError::Forbidden(need, decision) => RequestError::AuthorForbidden(need, decision),
        other => other.into(),
    }
}

/// Ids that are the same each time: what was shown to reviewers is what is applied.
fn seeded(seed: &str) -> impl FnMut() -> String {
    let (seed, mut count) = (seed.to_owned(), 0_u64);
    move || {
        count += 1;
        let mut bytes = [0; 16];
        let digest = digest::bytes(format!("{seed}/{count}").as_bytes());
        bytes.copy_from_slice(&digest[..16]);
        uuid::Builder::from_random_bytes(bytes)
            .into_uuid()
            .to_string()
    }
}
