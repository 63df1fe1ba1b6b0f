//! What somebody does with their own account, as entries of the history.
//!
//! An account belongs to no organization. What is done with it concerns each in which it is a
//! member, since it decides who can act there: so each has an entry of it.

use burgee_domain::id::Id;
use burgee_domain::people::Email;
use burgee_eval::time::Millis;

use super::accounts::{self, Account};
use super::record::Event;
use super::sessions::Seen;
use crate::change_sets::Actor;
use crate::error::StoreError;
use crate::{Store, Tx, audit, organizations};

/// Something that was done with an account.
pub(super) struct Own<'a> {
    /// In the form of a command's kind, e.g. `signIn`.
    pub(super) kind: &'static str,
    /// Besides the address of mail.
    pub(super) params: Vec<(&'static str, String)>,
    /// In plain words, after the address of mail.
    pub(super) done: &'a str,
}

impl<'a> Own<'a> {
    pub(super) fn new(kind: &'static str, done: &'a str) -> Self {
        Self {
            kind,
            params: Vec::new(),
            done,
        }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.params.push((name, value.into()));
        self
    }
}

impl Store {
    /// Writes what was done with an account into the history of each of its organizations; by
    /// itself where no `actor` is given.
    pub(super) async fn record_own(
        &self,
        tx: &mut Tx,
        id: &Id<Account>,
        actor: Option<&Actor>,
        own: Own<'_>,
        now: Millis,
    ) -> Result<(), StoreError> {
        let account = accounts::find(tx, "id", id.as_str()).await?;
        let account = account.ok_or(StoreError::NotFound("account"))?;
        let itself = Actor::member(&account);
        for organization in organizations::of_account(tx, id.as_str()).await? {
            let mut params = vec![("email", account.email.clone())];
            params.extend(own.params.iter().cloned());
            let event = Event {
                kind: own.kind,
                params,
                text: format!("{} {}", account.email, own.done),
            };
            let actor = actor.unwrap_or(&itself);
            self.record(tx, &organization.id, actor, event, now).await?;
        }
        Ok(())
    }

    /// Writes that somebody failed to sign in as the account of an address, if there is one; only
    /// so many in an hour. Says whether it was written.
    pub async fn record_failed_sign_in(
        &self,
        email: &Email,
        seen: &Seen,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let Some(account) = self.account_by_email(email).await? else {
            return Ok(false);
        };
        let mut tx = self.begin_write().await?;
        let left_out = audit::count_failure(&mut tx, &account.id, now).await?;
        if let Some(left_out) = left_out {
            let seen = seen.kept();
            let mut own = Own::new("signInFailed", "failed to sign in")
                .with("address", seen.address)
                .with("agent", seen.agent);
            if left_out > 0 {
                own = own.with("leftOut", left_out.to_string());
            }
            // Whoever it was, it was not known to be them.
            let actor = Actor::system();
            self.record_own(&mut tx, &account.id, Some(&actor), own, now)
                .await?;
        }
        self.end(tx, false).await?;
        Ok(left_out.is_some())
    }
}
