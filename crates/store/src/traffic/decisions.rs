//! Decisions: what users were given, so that it can be held against what the history says.
//!
//! The table is bounded, whatever programs do: an environment keeps [`DECISIONS`] rows, of the last
//! [`DECISION_DAYS`] days. Whoever writes counts what it wrote, and takes the oldest away every
//! [`EVERY`] rows; so there are at most so many more, for each process. What is older, and what is of
//! environments that are gone, the roll-up takes away.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use burgee_domain::position::Position;
use burgee_eval::time::Millis;
use sqlx::any::AnyRow;

use super::roll_up::{DAY, STEP};
use super::{Batch, Traffic};
use crate::error::StoreError;
use crate::page::{Page, PageRequest, bad_cursor};
use crate::row;
use crate::sql::Sql;

/// How many decisions an environment keeps: a week of 20 users with 50 flags who come 30 times a
/// day; some 120 MB with their indices.
pub const DECISIONS: i64 = 200_000;

/// For how many days.
pub const DECISION_DAYS: i64 = 30;

/// How many rows of an environment are written before the oldest are taken away.
const EVERY: u64 = 10_000;

/// Which decisions.
#[derive(Clone, Copy, Debug)]
pub struct DecisionQuery<'a> {
    /// The environment's id.
    pub environment: &'a str,
    /// The user's exact key; everybody where absent.
    pub user: Option<&'a str>,
    /// The flag's exact key; all where absent.
    pub flag: Option<&'a str>,
    /// From this moment on.
    pub from: Option<Millis>,
    /// Up to this moment, which is not included.
    pub to: Option<Millis>,
}

/// A decision as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedDecision {
    /// Unique.
    pub id: String,
    /// The user's key.
    pub user: String,
    /// The flag's key.
    pub flag: String,
    /// The flag's id.
    pub flag_id: String,
    /// The variation's id.
    pub variation: String,
    /// How it was given.
    pub surface: String,
    /// Why; none where an SDK says only what.
    pub reason: Option<String>,
    /// The rule's id, where it was one.
    pub rule: Option<String>,
    /// Where the environment stood; none where an SDK says only what.
    pub position: Option<Position>,
    /// When.
    pub at: Millis,
}

/// What this process has written since it last took the oldest away, by environment.
#[derive(Debug, Default)]
pub(crate) struct Untrimmed(Mutex<HashMap<String, u64>>);

impl Untrimmed {
    /// Counts a batch that was written; gives the environments that are due.
    fn due(&self, batch: &Batch<'_>) -> Vec<String> {
        let mut written: BTreeMap<&str, u64> = BTreeMap::new();
        for decision in &batch.decisions {
            *written.entry(&decision.environment).or_default() += 1;
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut due = Vec::new();
        for (environment, count) in written {
            let sum = all.entry(environment.to_owned()).or_default();
            *sum += count;
            if *sum >= EVERY {
                all.remove(environment);
                due.push(environment.to_owned());
            }
        }
        due
    }
}

impl Traffic<'_> {
    /// Decisions page by page, the newest first.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] for a cursor that no page was given with.
    pub async fn decisions(
        &self,
        query: &DecisionQuery<'_>,
        page: &PageRequest,
    ) -> Result<Page<LoggedDecision>, StoreError> {
        let sql = select(query, page)?;
        let rows = sql.query()?.fetch_all(&self.store.shared.traffic.read);
        let items: Result<Vec<_>, _> = rows.await?.iter().map(read).collect();
        Ok(Page::cut(items?, page.size(), cursor))
    }

    /// Takes away what is older than [`DECISION_DAYS`] as of `now`, beyond `most` rows of an
    /// environment, or of an environment that is gone. How many rows that were.
    pub async fn trim_decisions(&self, now: Millis, most: i64) -> Result<u64, StoreError> {
        let (mut gone, mut after) = (0, String::new());
        while let Some(environment) = self.next_with_decisions(&after).await? {
            gone += match self.is_there(&environment).await? {
                false => self.forget_decisions(&environment).await?,
                true => {
                    let old = (now.0 - DECISION_DAYS * DAY, "");
                    self.delete_before(&environment, old).await?
                        + self.trim(&environment, most).await?
                }
            };
            after = environment;
        }
        Ok(gone)
    }

    /// Takes away all decisions of an environment. How many that were.
    pub(crate) async fn forget_decisions(&self, environment: &str) -> Result<u64, StoreError> {
        self.delete_before(environment, (i64::MAX, "")).await
    }

    /// Keeps the bound after a batch that was written. Where it fails, or is not done, the roll-up
    /// does it.
    pub async fn trim_after(&self, batch: &Batch<'_>) {
        if batch.decisions.is_empty() {
            return;
        }
        for environment in self.store.shared.untrimmed.due(batch) {
            let _later = self.trim(&environment, DECISIONS).await;
        }
    }

    /// Takes away all but the newest rows of an environment.
    async fn trim(&self, environment: &str, most: i64) -> Result<u64, StoreError> {
        let oldest = sqlx::query(
            "SELECT at, id FROM decisions WHERE environment_id = $1 \
             ORDER BY at DESC, id DESC LIMIT 1 OFFSET $2",
        )
        .bind(environment)
        .bind(most - 1)
        .fetch_optional(&self.store.shared.traffic.read)
        .await?;
        match oldest {
            None => Ok(0),
            Some(found) => {
                let (at, id) = (row::number(&found, 0)?, row::text(&found, 1)?);
                self.delete_before(environment, (at, &id)).await
            }
        }
    }

    /// Deletes what is before a place, some rows at a time, so that batches never wait long.
    async fn delete_before(
        &self,
        environment: &str,
        (at, id): (i64, &str),
    ) -> Result<u64, StoreError> {
        let mut gone = 0;
        loop {
            let done = sqlx::query(
                "DELETE FROM decisions WHERE id IN (SELECT id FROM decisions \
                 WHERE environment_id = $1 AND (at < $2 OR (at = $3 AND id < $4)) LIMIT $5)",
            )
            .bind(environment)
            .bind(at)
            .bind(at)
            .bind(id)
            .bind(STEP)
            .execute(&self.store.shared.traffic.write)
            .await?
            .rows_affected();
            gone += done;
            if done < STEP as u64 {
                return Ok(gone);
            }
        }
    }

    /// The next environment that has decisions, by id. One look at the index for each, however many
    /// decisions there are.
    async fn next_with_decisions(&self, after: &str) -> Result<Option<String>, StoreError> {
        let found =
            sqlx::query("SELECT MIN(environment_id) FROM decisions WHERE environment_id > $1")
                .bind(after)
                .fetch_one(&self.store.shared.traffic.read)
                .await?;
        row::optional_text(&found, 0)
    }

    async fn is_there(&self, environment: &str) -> Result<bool, StoreError> {
        let found = sqlx::query("SELECT id FROM environments WHERE id = $1 AND deleted_at IS NULL")
            .bind(environment)
            .fetch_optional(&self.store.shared.truth.read)
            .await?;
        Ok(found.is_some())
    }
}

fn select(query: &DecisionQuery<'_>, page: &PageRequest) -> Result<Sql, StoreError> {
    let mut sql = Sql::new(
        "SELECT id, user_key, flag, flag_id, variation, surface, reason, rule, version, digest, at \
         FROM decisions WHERE environment_id = ",
    );
    sql.bind(query.environment);
    for (column, text) in [
        (" AND user_key = ", query.user),
        (" AND flag = ", query.flag),
    ] {
        if let Some(text) = text {
            sql.push(column).bind(text);
        }
    }
    for (bound, at) in [(" AND at >= ", query.from), (" AND at < ", query.to)] {
        if let Some(at) = at {
            sql.push(bound).bind(at.0);
        }
    }
    if let Some(cursor) = &page.cursor {
        let (at, id) = cursor.split_once('.').ok_or_else(bad_cursor)?;
        let at: i64 = at.parse().map_err(|_| bad_cursor())?;
        uuid::Uuid::parse_str(id).map_err(|_| bad_cursor())?;
        sql.push(" AND (at < ").bind(at);
        sql.push(" OR (at = ").bind(at).push(" AND id < ").bind(id);
        sql.push("))");
    }
    sql.push(" ORDER BY at DESC, id DESC LIMIT ")
        .bind(page.size() + 1);
    Ok(sql)
}

fn cursor(decision: &LoggedDecision) -> String {
    format!("{}.{}", decision.at.0, decision.id)
}

fn read(found: &AnyRow) -> Result<LoggedDecision, StoreError> {
    let digest = row::optional_text(found, 9)?;
    let digest = digest.and_then(|it| u64::from_str_radix(&it, 16).ok());
    let version = row::optional_number(found, 8)?;
    Ok(LoggedDecision {
        id: row::text(found, 0)?,
        user: row::text(found, 1)?,
        flag: row::text(found, 2)?,
        flag_id: row::text(found, 3)?,
        variation: row::text(found, 4)?,
        surface: row::text(found, 5)?,
        reason: row::optional_text(found, 6)?,
        rule: row::optional_text(found, 7)?,
        position: version
            .zip(digest)
            .map(|(version, digest)| Position { version, digest }),
        at: row::millis(found, 10)?,
    })
}
