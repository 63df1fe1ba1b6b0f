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

impl Store {
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
