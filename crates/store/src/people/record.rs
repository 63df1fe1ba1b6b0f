//! What is done about people, as rows of the organization's history.

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;

use crate::change_sets::Actor;
use crate::environments::Act;
use crate::error::StoreError;
use crate::{Store, Tx, organizations};

/// Something that was done.
pub(super) struct Event {
    /// In the form of a command's kind, e.g. `inviteMember`.
    pub(super) kind: &'static str,
    /// What it was done to, and what was given.
    pub(super) params: Vec<(&'static str, String)>,
    /// In plain words.
    pub(super) text: String,
}

/// Keys as one parameter.
pub(super) fn keys(keys: &[String]) -> String {
    keys.join(", ")
}

/// Something about people that is being done: the organization is locked, so that one at a time
/// changes who may do what in it. What is not [`done`](Self::done) is taken back.
pub(super) struct Administration<'a> {
    store: &'a Store,
    /// In which organization.
    pub(super) organization: &'a Id<Organization>,
    /// When.
    pub(super) now: Millis,
    /// Where it is done.
    pub(super) tx: Tx,
}

impl Administration<'_> {
    /// Writes what was done into the history.
    pub(super) async fn record(&mut self, actor: &Actor, event: Event) -> Result<(), StoreError> {
        let (store, tx, organization) = (self.store, &mut self.tx, self.organization);
        store.record(tx, organization, actor, event, self.now).await
    }

    /// Commits what was done.
    pub(super) async fn commit(self) -> Result<(), StoreError> {
        self.store.end(self.tx, false).await
    }

    /// Writes what was done into the history, and commits it.
    pub(super) async fn done(mut self, actor: &Actor, event: Event) -> Result<(), StoreError> {
        self.record(actor, event).await?;
        self.commit().await
    }
}

impl Store {
    /// Begins to do something about people, under the organization's lock.
    pub(super) async fn administration<'a>(
        &'a self,
        organization: &'a Id<Organization>,
        now: Millis,
    ) -> Result<Administration<'a>, StoreError> {
        let mut tx = self.begin_write().await?;
        self.lock_organization(&mut tx, organization).await?;
        Ok(Administration {
            store: self,
            organization,
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
