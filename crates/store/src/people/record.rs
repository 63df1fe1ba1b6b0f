//! What is done about people: under the organization's lock, by the rights that its author has then,
//! as rows of its history.
//!
//! Whoever decides who may do what may lose that right while their request is under way. So what
//! they may do is read once the lock is held, as everything else that a decision takes: of two who
//! take something from each other, one does.

use std::sync::Arc;

use burgee_domain::access::{self, ActionPattern, Decision, Pattern, Policy, Resource, Rights};

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;

use super::members::Grants;
use super::membership;
use crate::apply::Denied;
use crate::change_sets::Actor;
use crate::environments::Act;
use crate::error::StoreError;
use crate::requests::voices;
use crate::{Store, Tx, organizations};

/// Something that was done.
pub(crate) struct Event {
    /// In the form of a command's kind, e.g. `inviteMember`.
    pub(crate) kind: &'static str,
    /// What it was done to, and what was given.
    pub(crate) params: Vec<(&'static str, String)>,
    /// In plain words.
    pub(crate) text: String,
}

/// Keys as one parameter.
pub(super) fn keys(keys: &[String]) -> String {
    keys.join(", ")
}

/// Something about people that is being done: the organization is locked, so that one at a time
/// changes who may do what in it. What is not [`done`](Self::done) is taken back.
pub(crate) struct Administration<'a> {
    pub(crate) store: &'a Store,
    /// In which organization.
    pub(crate) organization: &'a Id<Organization>,
    /// Who does it.
    pub(crate) actor: &'a Actor,
    /// What they may do, as it is under the lock.
    rights: Rights,
    /// When.
    pub(crate) now: Millis,
    /// Where it is done.
    pub(crate) tx: Tx,
}

impl Administration<'_> {
    /// Refuses what the author may not do.
    pub(crate) fn may(&self, action: &'static str, resource: Resource) -> Result<(), StoreError> {
        match self.rights.decide(action, &resource) {
            Decision::Allowed(_) => Ok(()),
            decision => Err(StoreError::Denied(Box::new(Denied {
                action,
                resource,
                decision,
            }))),
        }
    }

    /// Refuses what the author may not do to all that a pattern means, what is made later included;
    /// `denied` says it then.
    pub(crate) fn may_to_all(
        &self,
        action: &ActionPattern,
        pattern: &Pattern,
        denied: impl FnOnce() -> Denied,
    ) -> Result<(), StoreError> {
        match self.rights.allow_all(action, pattern) {
            true => Ok(()),
            false => Err(StoreError::Denied(Box::new(denied()))),
        }
    }

    /// Refuses a change after which somebody has `after` in place of `before`, unless what is new is
    /// the author's to give, and what is gone theirs to take.
    pub(crate) async fn may_give(
        &mut self,
        before: &Grants,
        after: &Grants,
    ) -> Result<(), StoreError> {
        let before = membership::policies_given(&mut self.tx, self.organization, before).await?;
        let after = membership::policies_given(&mut self.tx, self.organization, after).await?;
        let without = |all: &[Arc<Policy>], others: &[Arc<Policy>]| -> Vec<Arc<Policy>> {
            let is_in = |it: &&Arc<Policy>| others.iter().any(|other| other.key == it.key);
            all.iter().filter(|it| !is_in(it)).cloned().collect()
        };
        let (given, taken) = (without(&after, &before), without(&before, &after));
        self.may_give_policies(given, taken).await
    }

    /// The same of policies themselves.
    pub(crate) async fn may_give_policies(
        &mut self,
        given: Vec<Arc<Policy>>,
        taken: Vec<Arc<Policy>>,
    ) -> Result<(), StoreError> {
        let rights = self.rights.clone();
        // Large policies take a processor for a while: where they hold no other request up.
        let decided = move || access::may_give(&rights, &given, &taken);
        let decided = tokio::task::spawn_blocking(decided).await;
        let decided = decided.map_err(|error| StoreError::Other(Box::new(error)))?;
        decided.map_err(StoreError::MayNotGive)
    }

    /// Writes something else that was done, by whom, into the history.
    pub(super) async fn record(&mut self, actor: &Actor, event: Event) -> Result<(), StoreError> {
        let (store, tx, organization) = (self.store, &mut self.tx, self.organization);
        store.record(tx, organization, actor, event, self.now).await
    }

    /// Commits what was done.
    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        self.store.end(self.tx, false).await
    }

    /// Writes what the author did into the history, and commits it.
    pub(crate) async fn done(mut self, event: Event) -> Result<(), StoreError> {
        self.record(self.actor, event).await?;
        self.commit().await
    }
}

impl Store {
    /// Begins to do something about people, under the organization's lock.
    ///
    /// # Errors
    /// [`StoreError::ActorGone`].
    pub(crate) async fn administration<'a>(
        &'a self,
        organization: &'a Id<Organization>,
        actor: &'a Actor,
        now: Millis,
    ) -> Result<Administration<'a>, StoreError> {
        let mut tx = self.begin_write().await?;
        self.lock_organization(&mut tx, organization).await?;
        let standing = voices::standing(&mut tx, organization, actor, now).await?;
        Ok(Administration {
            store: self,
            organization,
            actor,
            rights: standing.rights.ok_or(StoreError::ActorGone)?,
            now,
            tx,
        })
    }

    /// Locks an organization, so that one at a time changes who may do what in it.
    pub(super) async fn lock_organization(
        &self,
        tx: &mut Tx,
        organization: &Id<Organization>,
    ) -> Result<(), StoreError> {
        let lock = self.shared.dialect.for_update();
        organizations::lock(tx, organization, lock).await?;
        Ok(())
    }

    /// Writes an event into the history.
    pub(super) async fn record(
        &self,
        tx: &mut Tx,
        organization: &Id<Organization>,
        actor: &Actor,
        event: Event,
        now: Millis,
    ) -> Result<(), StoreError> {
        let act = Act {
            organization,
            actor,
            project: None,
            kind: event.kind,
            params: event.params,
            text: event.text,
        };
        self.administer(tx, &act, &mut [], now).await?;
        Ok(())
    }
}
