//! Writing batches.

use std::borrow::Cow;
use std::ops::Range;

use sqlx::{AnyConnection, Connection};

use super::statements::{
    insert_counts, insert_decisions, insert_exposures, insert_metrics, insert_new_users,
    known_users, minute, upsert_users,
};
use super::storable::Storable;
use super::{Batch, Count, Exposure, MetricEvent, Traffic, UserSeen, activity, names};
use crate::error::StoreError;
use crate::row;
use crate::sql::{LIST, Sql, rows as rows_of};

/// What became of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Whether it was written before; then nothing was done.
    pub repeated: bool,
    /// How many rows the database cannot hold; all others are in.
    pub refused: u64,
    /// How many metric events were left out because their environment has as many event names
    /// ([`EVENT_NAMES`](super::EVENT_NAMES)) as it may.
    pub event_names: u64,
    /// Places in [`Batch::users`] of those that were there before (or were refused).
    pub known_users: Vec<usize>,
}

impl Traffic<'_> {
    /// Writes a batch, once.
    ///
    /// # Errors
    /// Nothing was written; the batch can be sent again.
    pub async fn write(&self, batch: &Batch<'_>) -> Result<Written, StoreError> {
        let mut tx = self.store.begin_traffic().await?;
        if !is_first(&mut tx, batch).await? {
            return Ok(Written {
                repeated: true,
                ..Written::default()
            });
        }
        let mut written = Written::default();
        written.write_users(&mut tx, batch).await?;
        let counts = Rows::merged(&batch.counts, count_key, add_count);
        written
            .write(&mut tx, &counts, 6, &|rows| insert_counts(rows))
            .await?;
        let served = self.store.shared.noted.news(&batch.counts);
        activity::note(&mut tx, &served).await?;
        let exposures = Rows::merged(&batch.exposures, exposure_key, join_exposures);
        written
            .write(&mut tx, &exposures, 8, &|rows| insert_exposures(rows))
            .await?;
        written.write_metrics(&mut tx, batch).await?;
        let decisions = storable(&batch.decisions);
        written
            .write(&mut tx, &decisions, 12, &|rows| insert_decisions(rows))
            .await?;
        tx.commit().await?;
        self.store.shared.noted.keep(&served);
        Ok(written)
    }
}

/// Notes the batch; no if it was noted before.
async fn is_first(connection: &mut AnyConnection, batch: &Batch<'_>) -> Result<bool, StoreError> {
    let noted = sqlx::query(
        "INSERT INTO traffic_batches (sender, sequence, at) \
         SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS BIGINT) WHERE NOT EXISTS \
         (SELECT 1 FROM traffic_senders WHERE sender = $4 AND up_to >= $5) \
         ON CONFLICT (sender, sequence) DO NOTHING",
    )
    .bind(&*batch.sender)
    .bind(batch.sequence)
    .bind(batch.at.0)
    .bind(&*batch.sender)
    .bind(batch.sequence)
    .execute(connection)
    .await?;
    Ok(noted.rows_affected() > 0)
}

impl Written {
    /// Most users of a batch are new to the database as a rule, since the edge sends the others
    /// once a day: so all are inserted as new ones, and only where some were not is asked who.
    async fn write_users(
        &mut self,
        connection: &mut AnyConnection,
        batch: &Batch<'_>,
    ) -> Result<(), StoreError> {
        let users = Rows::merged(&batch.users, user_key, newer_user);
        let new = insert(connection, &users.rows, 7, &|rows| insert_new_users(rows)).await?;
        self.refused += users.refused + new.refused.len() as u64;
        let mut is_new = vec![true; users.rows.len()];
        if new.written < users.rows.len() as u64 {
            insert(connection, &users.rows, 7, &|rows| upsert_users(rows)).await?;
            for place in new.refused {
                is_new[place] = false;
            }
            for place in known(connection, &users.rows).await? {
                is_new[place] = false;
            }
        }
        let known = batch.users.iter().enumerate();
        let known = known.filter(|(_, user)| {
            let place = place(&users.rows, user_key(user));
            !place.is_some_and(|place| is_new[place])
        });
        self.known_users = match is_new.contains(&false) || users.refused > 0 {
            true => known.map(|(place, _)| place).collect(),
            false => Vec::new(),
        };
        Ok(())
    }

    async fn write_metrics(
        &mut self,
        connection: &mut AnyConnection,
        batch: &Batch<'_>,
    ) -> Result<(), StoreError> {
        let over = names::refused(connection, batch).await?;
        let mut metrics = numbered(batch);
        let storable = metrics.rows.len();
        let named = |event: &MetricEvent<'_>| !over.contains(&(&*event.environment, &*event.event));
        metrics.rows.retain(|(_, event)| named(event));
        self.event_names = (storable - metrics.rows.len()) as u64;
        self.write(connection, &metrics, 11, &|rows| {
            insert_metrics(batch, rows)
        })
        .await?;
        Ok(())
    }

    /// Writes rows, and counts those that are refused.
    async fn write<R: Sync>(
        &mut self,
        connection: &mut AnyConnection,
        rows: &Rows<R>,
        columns: usize,
        statement: Statement<'_, R>,
    ) -> Result<(), StoreError> {
        let inserted = insert(connection, &rows.rows, columns, statement).await?;
        self.refused += rows.refused + inserted.refused.len() as u64;
        Ok(())
    }
}

/// Makes the statement that writes some rows.
type Statement<'f, R> = &'f (dyn Fn(&[R]) -> Result<Sql, StoreError> + Sync);

/// Rows that may be written, and how many may not.
struct Rows<R> {
    rows: Vec<R>,
    refused: u64,
}

impl<'a, T: Storable + Clone> Rows<Cow<'a, T>> {
    /// One row per key, in the keys' order: a statement must not meet the same row twice. They
    /// are sorted where they lie, without a copy of those that are alone.
    fn merged<K: Ord>(
        rows: &'a [T],
        key: impl Fn(&'a T) -> K,
        merge: impl Fn(&mut Cow<'a, T>, &'a T),
    ) -> Self {
        let mut storable: Vec<&T> = rows.iter().filter(|row| row.is_storable()).collect();
        let refused = (rows.len() - storable.len()) as u64;
        storable.sort_by_key(|row| key(row));
        let mut merged: Vec<Cow<'a, T>> = Vec::with_capacity(storable.len());
        let mut last = None;
        for row in storable {
            let this = key(row);
            match merged.last_mut() {
                Some(known) if last.as_ref() == Some(&this) => merge(known, row),
                _ => merged.push(Cow::Borrowed(row)),
            }
            last = Some(this);
        }
        Self {
            rows: merged,
            refused,
        }
    }
}

/// Metric events with their place in the batch, which is part of their key.
fn numbered<'b, 'a>(batch: &'b Batch<'a>) -> Rows<(i64, &'b MetricEvent<'a>)> {
    let rows: Vec<_> = (0..)
        .zip(&batch.metrics)
        .filter(|(_, event)| event.is_storable())
        .collect();
    let refused = (batch.metrics.len() - rows.len()) as u64;
    Rows { rows, refused }
}

/// The rows that both databases could hold, each by itself.
fn storable<T: Storable>(rows: &[T]) -> Rows<&T> {
    let storable: Vec<&T> = rows.iter().filter(|row| row.is_storable()).collect();
    let refused = (rows.len() - storable.len()) as u64;
    Rows {
        rows: storable,
        refused,
    }
}

fn user_key<'r>(user: &'r UserSeen<'_>) -> (&'r str, &'r str) {
    (&user.environment, &user.key)
}

fn newer_user<'r, 'a>(known: &mut Cow<'r, UserSeen<'a>>, user: &'r UserSeen<'a>) {
    if user.at >= known.at {
        *known = Cow::Borrowed(user);
    }
}

fn count_key<'r>(count: &'r Count<'_>) -> (&'r str, &'r str, &'r str, i64, &'r str) {
    (
        &count.environment,
        &count.flag,
        &count.flag_id,
        minute(count),
        &count.variation,
    )
}

fn add_count<'r, 'a>(known: &mut Cow<'r, Count<'a>>, count: &'r Count<'a>) {
    let known = known.to_mut();
    known.count = known.count.saturating_add(count.count);
}

fn exposure_key<'r>(exposure: &'r Exposure<'_>) -> [&'r str; 5] {
    [
        &exposure.environment,
        &exposure.flag,
        &exposure.flag_id,
        &exposure.variation,
        &exposure.user,
    ]
}

fn join_exposures<'r, 'a>(known: &mut Cow<'r, Exposure<'a>>, exposure: &'r Exposure<'a>) {
    let known = known.to_mut();
    known.first = known.first.min(exposure.first);
    known.last = known.last.max(exposure.last);
    known.experiment |= exposure.experiment;
}

/// The place of a user's row.
fn place(rows: &[Cow<'_, UserSeen<'_>>], key: (&str, &str)) -> Option<usize> {
    rows.binary_search_by(|row| user_key(row).cmp(&key)).ok()
}

/// The places of users who were there before the oldest of them was seen now.
async fn known(
    connection: &mut AnyConnection,
    rows: &[Cow<'_, UserSeen<'_>>],
) -> Result<Vec<usize>, StoreError> {
    let oldest = rows.iter().map(|user| user.at.0).min().unwrap_or_default();
    let mut known = Vec::new();
    for of_one in rows.chunk_by(|one, next| one.environment == next.environment) {
        for some in of_one.chunks(LIST) {
            let environment = &*some[0].environment;
            let keys: Vec<&str> = some.iter().map(|user| &*user.key).collect();
            let query = known_users(environment, &keys, oldest);
            let query = query.query_for(connection.backend_name())?;
            for found in query.fetch_all(&mut *connection).await? {
                let key = row::text(&found, 0)?;
                known.extend(place(rows, (environment, &key)));
            }
        }
    }
    Ok(known)
}

/// What became of rows.
#[derive(Default)]
struct Inserted {
    /// How many were written, as the database counts.
    written: u64,
    /// The places of those that it refused.
    refused: Vec<usize>,
}

/// Writes rows in bulk. A statement that fails for its data is halved, until the bad row is alone.
async fn insert<R: Sync>(
    connection: &mut AnyConnection,
    rows: &[R],
    columns: usize,
    statement: Statement<'_, R>,
) -> Result<Inserted, StoreError> {
    let mut inserted = Inserted::default();
    let most = rows_of(columns);
    let mut waiting: Vec<Range<usize>> = (0..rows.len())
        .step_by(most)
        .map(|from| from..rows.len().min(from + most))
        .rev()
        .collect();
    while let Some(range) = waiting.pop() {
        let sql = statement(&rows[range.clone()])?;
        match run(connection, sql, range.len() == most).await? {
            Ok(written) => inserted.written += written,
            Err(error) => {
                let of_data = matches!(error, sqlx::Error::Database(_));
                match StoreError::from(error) {
                    StoreError::Other(_) if of_data && range.len() == 1 => {
                        inserted.refused.push(range.start);
                    }
                    StoreError::Other(_) if of_data => {
                        let middle = range.start + range.len() / 2;
                        waiting.extend([middle..range.end, range.start..middle]);
                    }
                    error => return Err(error),
                }
            }
        }
    }
    Ok(inserted)
}

/// Runs a statement so that it alone is taken back where it fails; how many rows it wrote. One with
/// as many rows as there may be comes again, and is kept prepared.
async fn run(
    connection: &mut AnyConnection,
    sql: Sql,
    is_full: bool,
) -> Result<Result<u64, sqlx::Error>, StoreError> {
    let backend = connection.backend_name();
    let is_sqlite = backend == "SQLite";
    let query = match is_full {
        true => sql.kept_for(backend)?,
        false => sql.query_for(backend)?,
    };
    if is_sqlite {
        // SQLite takes a statement back by itself.
        let done = query.execute(connection).await;
        return Ok(done.map(|done| done.rows_affected()));
    }
    // PostgreSQL gives a transaction up after an error, but for a savepoint.
    let mut attempt = connection.begin().await?;
    let done = query.execute(&mut *attempt).await;
    match &done {
        Ok(_) => attempt.commit().await?,
        Err(_) => attempt.rollback().await?,
    }
    Ok(done.map(|done| done.rows_affected()))
}
