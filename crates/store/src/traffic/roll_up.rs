//! Growing old: minutes become hours, hours become days, exposures and decisions end.
//!
//! Each step is a short transaction over one hour, one day or a few thousand rows, so that batches
//! never wait long. On PostgreSQL a step sees one moment: a count that comes in meanwhile is
//! neither moved nor lost (where both touch the same row, the step fails, and is done next time).

use burgee_eval::time::Millis;
use sqlx::AnyConnection;

use super::Traffic;
use crate::error::StoreError;
use crate::row;

const HOUR: i64 = 3_600_000;
pub(super) const DAY: i64 = 24 * HOUR;

/// How long minute rows, hour rows, exposures, known batches, and up to which of a sender's batches all
/// were in, are kept, in ms. The last is longer than what is counted may be old
/// (`burgee_relay::traffic`), so that a batch that waited on a disk is known, or has nothing to count.
const KEEP_MINUTES: i64 = 48 * HOUR;
const KEEP_HOURS: i64 = 90 * DAY;
const KEEP_EXPOSURES: i64 = 90 * DAY;
const KEEP_BATCHES: i64 = 48 * HOUR;
const KEEP_SENDERS: i64 = 92 * DAY;

/// How many rows a step deletes at most.
pub(super) const STEP: i64 = 5_000;

/// What a roll-up did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RolledUp {
    /// Hours whose minute rows became hour rows.
    pub hours: u64,
    /// Days whose hour rows became day rows.
    pub days: u64,
    /// Exposures that were forgotten.
    pub exposures: u64,
    /// Decisions that were forgotten.
    pub decisions: u64,
}

impl Traffic<'_> {
    /// Rolls up and forgets what is older than it is kept, as of `now`.
    pub async fn roll_up(&self, now: Millis) -> Result<RolledUp, StoreError> {
        let mut done = RolledUp::default();
        while self.step(&MINUTES, now.0 - KEEP_MINUTES).await? {
            done.hours += 1;
        }
        while self.step(&HOURS, now.0 - KEEP_HOURS).await? {
            done.days += 1;
        }
        done.exposures = self
            .forget(FORGET_EXPOSURES, now.0 - KEEP_EXPOSURES)
            .await?;
        done.decisions = self.trim_decisions(now, super::DECISIONS).await?;
        self.forget_batches(now.0 - KEEP_BATCHES).await?;
        self.forget(FORGET_SENDERS, now.0 - KEEP_SENDERS).await?;
        Ok(done)
    }

    /// Rolls the oldest span before `before` up; no if there is none.
    async fn step(&self, grain: &Grain, before: i64) -> Result<bool, StoreError> {
        let before = before - before.rem_euclid(grain.span);
        let statement = self.store.shared.dialect.begin_snapshot_write();
        let mut tx = self
            .store
            .shared
            .traffic
            .write
            .begin_with(statement)
            .await?;
        let Some(oldest) = oldest(&mut tx, grain, before).await? else {
            tx.rollback().await?;
            return Ok(false);
        };
        let from = oldest - oldest.rem_euclid(grain.span);
        sqlx::query(grain.merge)
            .bind(from)
            .bind(from)
            .bind(from + grain.span)
            .execute(&mut *tx)
            .await?;
        sqlx::query(grain.delete)
            .bind(from)
            .bind(from + grain.span)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Forgets which batches were in, but for up to which all of their sender were.
    async fn forget_batches(&self, before: i64) -> Result<(), StoreError> {
        loop {
            let mut tx = self.store.begin_traffic().await?;
            let oldest = sqlx::query(OLDEST_SENDER).bind(before);
            let Some(oldest) = oldest.fetch_optional(&mut *tx).await? else {
                tx.rollback().await?;
                return Ok(());
            };
            let sender = row::text(&oldest, 0)?;
            let found = sqlx::query(OLD_BATCHES)
                .bind(sender.as_str())
                .bind(before)
                .bind(STEP)
                .fetch_one(&mut *tx)
                .await?;
            let (up_to, at) = (row::number(&found, 0)?, row::number(&found, 1)?);
            sqlx::query(MARK)
                .bind(sender.as_str())
                .bind(up_to)
                .bind(at)
                .execute(&mut *tx)
                .await?;
            sqlx::query("DELETE FROM traffic_batches WHERE sender = $1 AND sequence <= $2")
                .bind(sender.as_str())
                .bind(up_to)
                .execute(&mut *tx)
                .await?;
            tx.commit().await?;
        }
    }

    async fn forget(&self, statement: &'static str, before: i64) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            let done = sqlx::query(statement)
                .bind(before)
                .bind(STEP)
                .execute(&self.store.shared.traffic.write)
                .await?
                .rows_affected();
            forgotten += done;
            if done < STEP as u64 {
                return Ok(forgotten);
            }
        }
    }
}

async fn oldest(
    connection: &mut AnyConnection,
    grain: &Grain,
    before: i64,
) -> Result<Option<i64>, StoreError> {
    let found = sqlx::query(grain.oldest)
        .bind(before)
        .fetch_one(connection)
        .await?;
    Ok(row::optional_millis(&found, 0)?.map(|moment| moment.0))
}

/// Rows of one length, and how they become longer ones.
struct Grain {
    /// The length that they get, in ms.
    span: i64,
    oldest: &'static str,
    merge: &'static str,
    delete: &'static str,
}

const MINUTES: Grain = Grain {
    span: HOUR,
    oldest: "SELECT MIN(at) FROM counts_minute WHERE at < $1",
    merge: "INSERT INTO counts_hour (environment_id, flag, flag_id, variation, at, count) \
            SELECT environment_id, flag, flag_id, variation, CAST($1 AS BIGINT), \
                CAST(SUM(count) AS BIGINT) \
            FROM counts_minute WHERE at >= $2 AND at < $3 \
            GROUP BY environment_id, flag, flag_id, variation \
            ON CONFLICT (environment_id, flag, flag_id, at, variation) \
            DO UPDATE SET count = counts_hour.count + excluded.count",
    delete: "DELETE FROM counts_minute WHERE at >= $1 AND at < $2",
};

const HOURS: Grain = Grain {
    span: DAY,
    oldest: "SELECT MIN(at) FROM counts_hour WHERE at < $1",
    merge: "INSERT INTO counts_day (environment_id, flag, flag_id, variation, at, count) \
            SELECT environment_id, flag, flag_id, variation, CAST($1 AS BIGINT), \
                CAST(SUM(count) AS BIGINT) \
            FROM counts_hour WHERE at >= $2 AND at < $3 \
            GROUP BY environment_id, flag, flag_id, variation \
            ON CONFLICT (environment_id, flag, flag_id, at, variation) \
            DO UPDATE SET count = counts_day.count + excluded.count",
    delete: "DELETE FROM counts_hour WHERE at >= $1 AND at < $2",
};

const FORGET_EXPOSURES: &str = "DELETE FROM exposures \
     WHERE (environment_id, flag, flag_id, variation, user_key) IN \
     (SELECT environment_id, flag, flag_id, variation, user_key FROM exposures \
      WHERE last_at < $1 LIMIT $2)";

const OLDEST_SENDER: &str = "SELECT sender FROM traffic_batches WHERE at < $1 ORDER BY at LIMIT 1";

/// The last of some of a sender's old batches, and when that was written.
const OLD_BATCHES: &str = "SELECT MAX(sequence), MAX(at) FROM \
     (SELECT sequence, at FROM traffic_batches WHERE sender = $1 AND at < $2 \
      ORDER BY sequence LIMIT $3) AS old";

const MARK: &str = "INSERT INTO traffic_senders (sender, up_to, at) VALUES ($1, $2, $3) \
     ON CONFLICT (sender) DO UPDATE SET at = excluded.at, up_to = CASE \
         WHEN excluded.up_to > traffic_senders.up_to THEN excluded.up_to \
         ELSE traffic_senders.up_to END";

const FORGET_SENDERS: &str = "DELETE FROM traffic_senders WHERE sender IN \
     (SELECT sender FROM traffic_senders WHERE at < $1 LIMIT $2)";
