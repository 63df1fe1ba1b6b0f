//! Change sets that wait, tried out: when they are written down, when somebody looks at them, and
//! before they are applied ([`super::step`]).

use std::collections::BTreeMap;

use burgee_domain::access::{Marks, Resource, Rights};
use burgee_domain::admission::{self as rules, Place};
use burgee_domain::change;
use burgee_domain::command::Command;
use burgee_domain::conflict::Conflict;
use burgee_domain::diff::{self, DiffLine};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::outcome::{Outcome, Scope};
use burgee_domain::request::held::{self, Held};
use burgee_domain::workspace::Workspace;
use burgee_eval::time::Millis;

use super::base::{self, Base};
use super::{ApplyError, ConflictFound, Decision, Work, admission, commands_of};
use crate::change_sets::Actor;
use crate::error::StoreError;
use crate::requests::{self, RequestError, RevisionHead, Step};
use crate::{Store, Tx, digest, log};

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
    pub(super) decision: Decision,
}

impl Tried<'_> {
    /// What it does.
    pub(crate) fn outcome(&self) -> &Outcome {
        &self.decision.outcome
    }

    /// What it does, which outlives what it was tried out on.
    pub(crate) fn into_outcome(self) -> Outcome {
        self.decision.outcome
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
    pub(super) fn resources(&self) -> Vec<Resource> {
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
        })
    }

    /// What is not as a step held it, with who changed it; `base` says since when to look.
    pub(crate) async fn differences(
        &self,
        tx: &mut Tx,
        workspace: &Workspace,
        (base, held): (&[(Scope, i64)], &[Held]),
        tried: &Tried<'_>,
    ) -> Result<Vec<ConflictFound>, StoreError> {
        let names = base::scope_names(workspace);
        let then: BTreeMap<&Scope, i64> = base.iter().map(|(it, at)| (it, *at)).collect();
        let mut found = Vec::new();
        for moved in held::moved(held, workspace, tried.outcome()) {
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
}

impl Step {
    /// To be tried out again, as the author of its revision.
    pub(crate) fn draft<'a>(
        &'a self,
        organization: &'a Id<Organization>,
        of: &'a RevisionHead,
        rights: &'a Rights,
        now: Millis,
    ) -> Draft<'a> {
        Draft {
            organization,
            actor: &of.author.actor,
            rights,
            comment: &of.comment,
            commands: &self.commands,
            seed: &self.seed,
            now,
        }
    }
}

impl<'a> Draft<'a> {
    pub(super) fn work(
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
pub(crate) fn of_author(error: ApplyError) -> RequestError {
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
