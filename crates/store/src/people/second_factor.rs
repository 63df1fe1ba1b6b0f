//! The second factor: a sealed seed, the last time step that was used, and recovery codes.

use burgee_domain::id::Id;
use burgee_eval::time::Millis;

use super::accounts::Account;
use super::own::Own;
use super::sessions::{self, Session};
use crate::change_sets::Actor;
use crate::error::StoreError;
use crate::{Store, digest};

impl Store {
    /// Sets the second factor of an account, with its recovery codes, in place of the ones before.
    /// `seed` is sealed by the caller, `step` is the time step of the code that was shown for it;
    /// recovery codes are stored as hashes. All sessions but the one in which it was shown end;
    /// gives the new text of that one.
    pub async fn set_second_factor(
        &self,
        id: &Id<Account>,
        session: &Id<Session>,
        seed: &[u8],
        step: i64,
        codes: &[String],
        now: Millis,
    ) -> Result<Option<String>, StoreError> {
        let mut tx = self.begin_write().await?;
        let done = sqlx::query(
            "UPDATE accounts SET second_factor = $1, second_factor_step = $2 WHERE id = $3",
        )
        .bind(seed.to_vec())
        .bind(step)
        .bind(id.as_str())
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::NotFound("account"));
        }
        let text = sessions::end_others(&mut tx, id, Some(session), now).await?;
        sqlx::query("UPDATE sessions SET second_factor = 1 WHERE id = $1")
            .bind(session.as_str())
            .execute(&mut *tx)
            .await?;
        delete_codes(&mut tx, id).await?;
        for code in codes {
            sqlx::query("INSERT INTO recovery_codes (account_id, hash) VALUES ($1, $2)")
                .bind(id.as_str())
                .bind(digest::bytes(code.as_bytes()).to_vec())
                .execute(&mut *tx)
                .await?;
        }
        let own = Own::new("setSecondFactor", "set a second factor up");
        self.record_own(&mut tx, id, None, own, now).await?;
        self.end(tx, false).await?;
        Ok(text)
    }

    /// Takes the second factor of an account away, and with it that its sessions have shown one.
    /// `actor` is who does it, where that is not the account itself.
    pub async fn remove_second_factor(
        &self,
        id: &Id<Account>,
        actor: Option<&Actor>,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin_write().await?;
        sqlx::query("UPDATE accounts SET second_factor = NULL WHERE id = $1")
            .bind(id.as_str())
            .execute(&mut *tx)
            .await?;
        sqlx::query("UPDATE sessions SET second_factor = 0 WHERE account_id = $1")
            .bind(id.as_str())
            .execute(&mut *tx)
            .await?;
        delete_codes(&mut tx, id).await?;
        let own = Own::new("removeSecondFactor", "has no second factor any more");
        self.record_own(&mut tx, id, actor, own, now).await?;
        self.end(tx, false).await
    }

    /// Uses a time step up (RFC 6238 §5.2: a code is taken once). False: it, or a later one, was
    /// used already.
    pub async fn use_step(&self, id: &Id<Account>, step: i64) -> Result<bool, StoreError> {
        let done = sqlx::query(
            "UPDATE accounts SET second_factor_step = $1 \
             WHERE id = $2 AND second_factor_step < $1",
        )
        .bind(step)
        .bind(id.as_str())
        .execute(&self.shared.truth.write)
        .await?;
        Ok(done.rows_affected() == 1)
    }

    /// Uses a recovery code up. False: it is none, or was used already.
    pub async fn use_recovery_code(
        &self,
        id: &Id<Account>,
        code: &str,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin_write().await?;
        let done = sqlx::query("DELETE FROM recovery_codes WHERE account_id = $1 AND hash = $2")
            .bind(id.as_str())
            .bind(digest::bytes(code.as_bytes()).to_vec())
            .execute(&mut *tx)
            .await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        let own = Own::new("useRecoveryCode", "used a recovery code");
        self.record_own(&mut tx, id, None, own, now).await?;
        self.end(tx, false).await?;
        Ok(true)
    }
}

async fn delete_codes(
    connection: &mut sqlx::AnyConnection,
    id: &Id<Account>,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM recovery_codes WHERE account_id = $1")
        .bind(id.as_str())
        .execute(connection)
        .await?;
    Ok(())
}
