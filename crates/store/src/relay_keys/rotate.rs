//! A key gets another secret: the one before works on until its grace ends, so that relays can be
//! told one by one.
//!
//! That end is a row of the history, written by whichever server looks first, so that all nodes are
//! woken by it and close the connections of relays that still have the old one.

use std::time::Duration;

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;

use super::{RelayKey, about, done, find, must_work, new_secret, resource, scope, shown};
use crate::change_sets::Actor;
use crate::dialect::Clock;
use crate::error::StoreError;
use crate::{Store, digest, row};

pub use crate::sdk_keys::MAX_GRACE;

const ROTATE: &str = "relayKey.rotate";

/// How a key's secret is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// For how many ms the secret before works on, [`MAX_GRACE`] at most; 0 ends it at once.
    pub grace: i64,
    /// When it is done.
    pub clock: Clock,
}

impl Store {
    /// Gives a key another secret, which cannot be had again. Where the one before the last is still
    /// in its grace, it ends now.
    ///
    /// # Errors
    /// [`StoreError::Denied`], also where its author may not see the secrets of server keys in all of
    /// its scope: they learn the secret. [`StoreError::Refused`] where it is revoked.
    pub async fn rotate_relay_key(
        &self,
        organization: &Id<Organization>,
        id: &Id<RelayKey>,
        rotation: Rotation,
        actor: &Actor,
        now: Millis,
    ) -> Result<(RelayKey, String), StoreError> {
        let secret = new_secret();
        let mut at = self.administration(organization, actor, now).await?;
        at.may(ROTATE, resource(id.as_str()))?;
        let mut key = find(&mut at.tx, organization, id).await?;
        must_work(&key)?;
        let named = scope::named(&mut at, &key.scope).await?;
        scope::may_reveal(&at, &key.scope, &named)?;
        let dialect = self.shared.dialect;
        let clock = rotation.clock.read(dialect, &mut at.tx).await?;
        key.prefix = shown(&secret);
        key.rotated_at = Some(now);
        key.previous_ends_at = match rotation.grace {
            ..=0 => None,
            grace => Some(Millis(clock.0 + grace.min(MAX_GRACE))),
        };
        sqlx::query(
            "UPDATE relay_keys SET previous_hash = CASE WHEN $1 IS NULL THEN NULL ELSE hash END, \
             previous_ends_at = $1, hash = $2, prefix = $3, rotated_at = $4 WHERE id = $5",
        )
        .bind(key.previous_ends_at.map(|at| at.0))
        .bind(digest::bytes(secret.as_bytes()).to_vec())
        .bind(key.prefix.as_str())
        .bind(now.0)
        .bind(id.as_str())
        .execute(&mut *at.tx)
        .await?;
        let event = about(&key, ("rotateRelayKey", "rotated"), &scope::words(&named));
        done(at, event).await?;
        Ok((key, secret))
    }

    /// Ends the secrets of relay keys whose grace is over. Says how many.
    pub async fn end_relay_secrets(&self, clock: Clock) -> Result<usize, StoreError> {
        let now = {
            let mut connection = self.shared.truth.read.acquire().await?;
            clock.read(self.shared.dialect, &mut connection).await?
        };
        let due = sqlx::query(
            "SELECT organization_id, id FROM relay_keys WHERE previous_ends_at <= $1 \
             AND previous_ends_at IS NOT NULL AND revoked_at IS NULL ORDER BY previous_ends_at, id",
        )
        .bind(now.0)
        .fetch_all(&self.shared.truth.read)
        .await?;
        let mut ended = 0;
        for found in &due {
            let (organization, id) = (row::id(found, 0)?, row::id(found, 1)?);
            ended += usize::from(self.end_relay_secret(&organization, &id, now).await?);
        }
        Ok(ended)
    }

    /// After what time the next secret of a relay key ends, 0 where one should have; none where none
    /// does.
    pub async fn next_relay_secret_end(
        &self,
        clock: Clock,
    ) -> Result<Option<Duration>, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let first = "SELECT MIN(previous_ends_at) FROM relay_keys \
                     WHERE previous_ends_at IS NOT NULL AND revoked_at IS NULL";
        let dialect = self.shared.dialect;
        clock.until_first(dialect, &mut connection, first).await
    }

    /// Ends a secret whose grace is over. False where another server was faster.
    async fn end_relay_secret(
        &self,
        organization: &Id<Organization>,
        id: &Id<RelayKey>,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let actor = Actor::system();
        let mut at = self.administration(organization, &actor, now).await?;
        let key = find(&mut at.tx, organization, id).await?;
        let over = key.previous_ends_at.is_some_and(|end| end <= now);
        if !over || key.revoked_at.is_some() {
            return Ok(false);
        }
        sqlx::query(
            "UPDATE relay_keys SET previous_hash = NULL, previous_ends_at = NULL WHERE id = $1",
        )
        .bind(id.as_str())
        .execute(&mut *at.tx)
        .await?;
        let named = scope::named(&mut at, &key.scope).await?;
        let did = ("endRelaySecret", "lost its former secret");
        done(at, about(&key, did, &scope::words(&named))).await?;
        Ok(true)
    }
}
