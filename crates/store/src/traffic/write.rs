//! Writing batches.

use std::collections::BTreeMap;

use sqlx::{AnyConnection, Connection};

use super::statements::{insert_counts, insert_exposures, insert_metrics, insert_users, minute};
use super::{Batch, Count, Exposure, MetricEvent, Traffic, UserSeen};
use crate::error::StoreError;
use crate::sql::{Sql, rows as rows_of};

/// What became of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Whether it was written before; then nothing was done.
    pub repeated: bool,
    /// How many rows the database cannot hold; all others are in.
    pub refused: u64,
}

impl Traffic<'_> {
    /// Writes a batch, once.
    ///
    /// # Errors
    /// Nothing was written; the batch can be sent again.
    pub async fn write(&self, batch: &Batch) -> Result<Written, StoreError> {
        let mut tx = self.store.begin_traffic().await?;
        let new = sqlx::query(
            "INSERT INTO traffic_batches (sender, sequence, at) VALUES ($1, $2, $3) \
             ON CONFLICT (sender, sequence) DO NOTHING",
        )
        .bind(batch.sender.as_str())
        .bind(batch.sequence)
        .bind(batch.at.0)
        .execute(&mut *tx)
        .await?
        .rows_affected();
        if new == 0 {
            return Ok(Written {
                repeated: true,
                refused: 0,
            });
        }
        let users = Rows::merged(&batch.users, user_key, newer_user);
        let counts = Rows::merged(&batch.counts, count_key, add_count);
        let exposures = Rows::merged(&batch.exposures, exposure_key, join_exposures);
        let metrics = numbered(batch);
        let mut refused = users.refused + counts.refused + exposures.refused + metrics.refused;
        refused += insert(&mut tx, &users.rows, 7, &insert_users).await?;
        refused += insert(&mut tx, &counts.rows, 6, &insert_counts).await?;
        refused += insert(&mut tx, &exposures.rows, 8, &insert_exposures).await?;
        let insert_metrics = |rows: &[(i64, &MetricEvent)]| insert_metrics(batch, rows);
        refused += insert(&mut tx, &metrics.rows, 11, &insert_metrics).await?;
        tx.commit().await?;
        Ok(Written {
            repeated: false,
            refused,
        })
    }
}

/// Rows that may be written, and how many may not.
struct Rows<R> {
    rows: Vec<R>,
    refused: u64,
}

impl<T: Storable + Clone> Rows<T> {
    /// One row per key: a statement must not meet the same row twice.
    fn merged<'a, K: Ord>(
        rows: &'a [T],
        key: impl Fn(&'a T) -> K,
        merge: impl Fn(&mut T, &T),
    ) -> Self {
        let mut merged: BTreeMap<K, T> = BTreeMap::new();
        let mut refused = 0;
        for row in rows {
            if !row.is_storable() {
                refused += 1;
                continue;
            }
            merged
                .entry(key(row))
                .and_modify(|known| merge(known, row))
                .or_insert_with(|| row.clone());
        }
        let rows = merged.into_values().collect();
        Self { rows, refused }
    }
}

/// Metric events with their place in the batch, which is part of their key.
fn numbered(batch: &Batch) -> Rows<(i64, &MetricEvent)> {
    let rows: Vec<_> = (0..)
        .zip(&batch.metrics)
        .filter(|(_, event)| event.is_storable())
        .collect();
    let refused = (batch.metrics.len() - rows.len()) as u64;
    Rows { rows, refused }
}

/// Whether both databases could hold a row's values at all.
trait Storable {
    fn is_storable(&self) -> bool;
}

fn without_nul(texts: &[&str]) -> bool {
    texts.iter().all(|text| !text.contains('\0'))
}

impl Storable for UserSeen {
    fn is_storable(&self) -> bool {
        let properties = self.properties.iter();
        without_nul(&[&self.environment, &self.key, &self.name])
            && properties
                .flat_map(|(name, value)| [name, value])
                .all(|text| !text.contains('\0'))
    }
}

impl Storable for Count {
    fn is_storable(&self) -> bool {
        without_nul(&[
            &self.environment,
            &self.flag,
            &self.flag_id,
            &self.variation,
        ]) && i64::try_from(self.count).is_ok()
    }
}

impl Storable for Exposure {
    fn is_storable(&self) -> bool {
        let texts = [
            &self.environment,
            &self.flag,
            &self.flag_id,
            &self.variation,
        ];
        without_nul(&texts.map(String::as_str)) && without_nul(&[&self.user])
    }
}

impl Storable for MetricEvent {
    fn is_storable(&self) -> bool {
        let texts = [&self.environment, &self.user, &self.event, &self.route];
        without_nul(&texts.map(String::as_str))
            && without_nul(&[&self.kind, &self.app_type])
            && self.value.is_finite()
    }
}

fn user_key(user: &UserSeen) -> (&str, &str) {
    (&user.environment, &user.key)
}

fn newer_user(known: &mut UserSeen, user: &UserSeen) {
    if user.at >= known.at {
        *known = user.clone();
    }
}

fn count_key(count: &Count) -> (&str, &str, &str, i64, &str) {
    (
        &count.environment,
        &count.flag,
        &count.flag_id,
        minute(count),
        &count.variation,
    )
}

fn add_count(known: &mut Count, count: &Count) {
    known.count = known.count.saturating_add(count.count);
}

fn exposure_key(exposure: &Exposure) -> [&str; 5] {
    [
        &exposure.environment,
        &exposure.flag,
        &exposure.flag_id,
        &exposure.variation,
        &exposure.user,
    ]
}

fn join_exposures(known: &mut Exposure, exposure: &Exposure) {
    known.first = known.first.min(exposure.first);
    known.last = known.last.max(exposure.last);
    known.experiment |= exposure.experiment;
}

/// Writes rows in bulk, and tells how many were refused. A statement that fails for its data is
/// halved, until the bad row is alone.
async fn insert<R>(
    connection: &mut AnyConnection,
    rows: &[R],
    columns: usize,
    statement: &(dyn Fn(&[R]) -> Result<Sql, StoreError> + Sync),
) -> Result<u64, StoreError>
where
    R: Sync,
{
    let mut refused = 0;
    let mut waiting: Vec<&[R]> = rows.chunks(rows_of(columns)).rev().collect();
    while let Some(rows) = waiting.pop() {
        // A savepoint: PostgreSQL gives a transaction up after an error.
        let mut attempt = connection.begin().await?;
        let done = statement(rows)?.query()?.execute(&mut *attempt).await;
        match done {
            Ok(_) => attempt.commit().await?,
            Err(error) => {
                attempt.rollback().await?;
                let of_data = matches!(error, sqlx::Error::Database(_));
                match StoreError::from(error) {
                    StoreError::Other(_) if of_data && rows.len() == 1 => refused += 1,
                    StoreError::Other(_) if of_data => {
                        let (first, second) = rows.split_at(rows.len() / 2);
                        waiting.extend([second, first]);
                    }
                    error => return Err(error),
                }
            }
        }
    }
    Ok(refused)
}
