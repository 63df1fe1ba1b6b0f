//! What becomes of a key: it is renamed, used, and replaced by another one in time.
//!
//! A key that was rotated works on until its grace ends, so that programs can be moved one by one.
//! Its end is a step of the environment's history like a revocation, written by whichever server
//! looks first: so every node hears of it in the one way that it hears of anything, and closes the
//! key's connections.

use std::time::Duration;

use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Organization, SdkKey, SdkKeyKind};
use burgee_eval::time::Millis;
use sqlx::any::AnyRow;

use super::{fits, insert, of_id};
use crate::change_sets::Actor;
use crate::dialect::Clock;
use crate::error::StoreError;
use crate::sql::{LIST, Sql};
use crate::{Store, Tx, row, text};

const RENAMED: (&str, &str) = ("renameSdkKey", "renamed");
const ROTATED: (&str, &str) = ("rotateSdkKey", "rotated");
const ENDED: (&str, &str) = ("endSdkKey", "ended, its successor having taken its place");

/// The longest grace, in ms: a quarter of a year.
pub const MAX_GRACE: i64 = 90 * 24 * 60 * 60 * 1_000;

impl Store {
    /// Renames a key; a revoked one too.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of `name`.
    pub async fn rename_sdk_key(
        &self,
        environment: &Id<Environment>,
        id: &Id<SdkKey>,
        name: &str,
        actor: &Actor,
        now: Millis,
    ) -> Result<SdkKey, StoreError> {
        let name = text::name(name)?;
        let mut tx = self.begin_write().await?;
        let locked = self.lock_environment(&mut tx, environment).await?;
        let key = of_id(&mut tx, environment, id).await?;
        if key.name == name {
            return Ok(key);
        }
        sqlx::query("UPDATE sdk_keys SET name = $1 WHERE id = $2")
            .bind(name.as_str())
            .bind(id.as_str())
            .execute(&mut *tx)
            .await?;
        let key = SdkKey { name, ..key };
        self.log_keys(&mut tx, locked, &[&key], RENAMED, actor, now)
            .await?;
        self.end(tx, false).await?;
        Ok(key)
    }

    /// Makes a key of the same kind and name, in whose favour this one ends after `grace` ms: at
    /// once where that is 0. Gives the new one.
    ///
    /// # Errors
    /// [`StoreError::Refused`] where it is revoked or was rotated already, or where there are
    /// [`MAX_SDK_KEYS`](burgee_domain::limits::MAX_SDK_KEYS).
    pub async fn rotate_sdk_key(
        &self,
        environment: &Id<Environment>,
        id: &Id<SdkKey>,
        grace: i64,
        actor: &Actor,
        clock: Clock,
    ) -> Result<SdkKey, StoreError> {
        let mut tx = self.begin_write().await?;
        let locked = self.lock_environment(&mut tx, environment).await?;
        let now = clock.read(self.shared.dialect, &mut tx).await?;
        let mut old = of_id(&mut tx, environment, id).await?;
        if old.revoked_at.is_some() || old.successor.is_some() {
            let message = "this key is revoked, or has a successor already";
            return Err(StoreError::refused("", "keyEnding", message));
        }
        let new = insert(&mut tx, environment, old.kind, Some(&old.name), None, now).await?;
        if grace > 0 {
            fits(&mut tx, environment).await?;
        }
        old.successor = Some(new.id.clone());
        match grace {
            ..=0 => old.revoked_at = Some(now),
            _ => old.ends_at = Some(Millis(now.0 + grace.min(MAX_GRACE))),
        }
        write_end(&mut tx, &old).await?;
        self.log_keys(&mut tx, locked, &[&old, &new], ROTATED, actor, now)
            .await?;
        self.end(tx, false).await?;
        Ok(new)
    }

    /// Ends the keys whose grace is over. Says how many.
    pub async fn end_sdk_keys(&self, clock: Clock) -> Result<usize, StoreError> {
        let now = {
            let mut connection = self.shared.truth.read.acquire().await?;
            clock.read(self.shared.dialect, &mut connection).await?
        };
        let due = sqlx::query(
            "SELECT environment_id, id FROM sdk_keys \
             WHERE ends_at <= $1 AND ends_at IS NOT NULL AND revoked_at IS NULL \
             ORDER BY ends_at, id",
        )
        .bind(now.0)
        .fetch_all(&self.shared.truth.read)
        .await?;
        let mut ended = 0;
        for found in &due {
            let (environment, id) = (row::id(found, 0)?, row::id(found, 1)?);
            ended += usize::from(self.end_sdk_key(&environment, &id, now).await?);
        }
        Ok(ended)
    }

    /// After what time the next key ends, 0 where one should have; none where none does.
    pub async fn next_sdk_key_end(&self, clock: Clock) -> Result<Option<Duration>, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let first =
            "SELECT MIN(ends_at) FROM sdk_keys WHERE ends_at IS NOT NULL AND revoked_at IS NULL";
        let dialect = self.shared.dialect;
        clock.until_first(dialect, &mut connection, first).await
    }

    /// Ends a key whose grace is over. False where another server was faster.
    async fn end_sdk_key(
        &self,
        environment: &Id<Environment>,
        id: &Id<SdkKey>,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin_write().await?;
        let locked = match self.lock_environment(&mut tx, environment).await {
            Err(StoreError::NotFound(_)) => return Ok(false),
            locked => locked?,
        };
        let mut key = of_id(&mut tx, environment, id).await?;
        if key.revoked_at.is_some() {
            return Ok(false);
        }
        key.revoked_at = Some(now);
        write_end(&mut tx, &key).await?;
        self.log_keys(&mut tx, locked, &[&key], ENDED, &Actor::system(), now)
            .await?;
        self.end(tx, false).await?;
        Ok(true)
    }

    /// Keeps that the keys with these secrets were used.
    pub async fn sdk_keys_used(&self, secrets: &[&str], now: Millis) -> Result<(), StoreError> {
        for secrets in secrets.chunks(LIST) {
            let mut sql = Sql::new("UPDATE sdk_keys SET last_used_at = ");
            sql.bind(now.0)
                .push(", first_used_at = COALESCE(first_used_at, ")
                .bind(now.0)
                .push(") WHERE revoked_at IS NULL AND secret IN ")
                .list(secrets.iter().copied());
            sql.push(" AND (last_used_at IS NULL OR last_used_at < ")
                .bind(now.0)
                .push(")");
            sql.query()?.execute(&self.shared.truth.write).await?;
        }
        Ok(())
    }

    /// The keys of an organization that were used for the first time at `since` or later.
    pub async fn first_used_sdk_keys(
        &self,
        organization: &Id<Organization>,
        since: Millis,
    ) -> Result<Vec<FirstUse>, StoreError> {
        let rows = sqlx::query(
            "SELECT k.id, k.kind, k.name, k.first_used_at, p.key, e.key, e.protected \
             FROM sdk_keys k JOIN environments e ON e.id = k.environment_id \
             JOIN projects p ON p.id = e.project_id \
             WHERE k.first_used_at >= $1 AND k.first_used_at IS NOT NULL \
             AND p.organization_id = $2 AND e.deleted_at IS NULL ORDER BY k.first_used_at, k.id",
        )
        .bind(since.0)
        .bind(organization.as_str())
        .fetch_all(&self.shared.truth.read)
        .await?;
        let read = |found: &AnyRow| {
            Ok(FirstUse {
                id: row::id(found, 0)?,
                kind: row::name(found, 1)?,
                name: row::text(found, 2)?,
                at: row::millis(found, 3)?,
                project: row::text(found, 4)?,
                environment: row::text(found, 5)?,
                protected: row::boolean(found, 6)?,
            })
        };
        rows.iter().map(read).collect()
    }
}

/// The first use of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstUse {
    /// The key's id.
    pub id: Id<SdkKey>,
    /// What it may do.
    pub kind: SdkKeyKind,
    /// Its display name.
    pub name: String,
    /// When.
    pub at: Millis,
    /// The key of its project.
    pub project: String,
    /// The key of its environment.
    pub environment: String,
    /// Whether the environment is protected.
    pub protected: bool,
}

async fn write_end(tx: &mut Tx, key: &SdkKey) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE sdk_keys SET ends_at = $1, successor_id = $2, revoked_at = $3 WHERE id = $4",
    )
    .bind(key.ends_at.map(|at| at.0))
    .bind(key.successor.as_ref().map(Id::as_str))
    .bind(key.revoked_at.map(|at| at.0))
    .bind(key.id.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(())
}
