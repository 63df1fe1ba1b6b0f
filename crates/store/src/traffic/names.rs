//! The names of metric events: an environment has so many and no more.
//!
//! A client key is public, so anybody can make names up; each is a line in somebody's list. The
//! store counts them because it alone knows them all, after a restart too and whichever process
//! they came through. (On PostgreSQL two batches that bring new names at the same moment do not
//! see each other's: the limit can be passed by as many as those two brought.)

use std::collections::{BTreeMap, BTreeSet, HashSet};

use sqlx::AnyConnection;

use super::{Batch, EVENT_NAMES, MetricEvent};
use crate::error::StoreError;
use crate::row;
use crate::sql::{LIST, Sql, rows};

/// What the table of events takes, in characters.
const LONGEST: usize = 512;

/// The names, with their environments, that a batch brings and that there is no room for. Notes
/// those that there is.
pub(super) async fn refused<'b>(
    connection: &mut AnyConnection,
    batch: &'b Batch<'_>,
) -> Result<HashSet<(&'b str, &'b str)>, StoreError> {
    let mut brought: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for event in batch.metrics.iter().filter(|event| may_be_noted(event)) {
        let names = brought.entry(&event.environment).or_default();
        names.insert(&event.event);
    }
    let mut refused = HashSet::new();
    for (environment, names) in brought {
        let new = unknown(connection, environment, names).await?;
        if new.is_empty() {
            continue;
        }
        let room = EVENT_NAMES.saturating_sub(count(connection, environment).await?);
        let (admitted, over) = new.split_at(room.min(new.len()));
        note(connection, environment, admitted).await?;
        refused.extend(over.iter().map(|name| (environment, *name)));
    }
    Ok(refused)
}

/// Whether an event's row can be written at all, as far as its name and environment go.
fn may_be_noted(event: &MetricEvent<'_>) -> bool {
    let texts = [&event.environment, &event.event];
    event.event.chars().count() <= LONGEST && texts.iter().all(|text| !text.contains('\0'))
}

/// Those that are new in the environment, in order.
async fn unknown<'n>(
    connection: &mut AnyConnection,
    environment: &str,
    mut names: BTreeSet<&'n str>,
) -> Result<Vec<&'n str>, StoreError> {
    let all: Vec<&str> = names.iter().copied().collect();
    for some in all.chunks(LIST) {
        let mut sql = Sql::new("SELECT name FROM event_names WHERE environment_id = ");
        sql.bind(environment).push(" AND name IN ");
        sql.list(some.iter().copied());
        for found in sql
            .query_for(connection.backend_name())?
            .fetch_all(&mut *connection)
            .await?
        {
            names.remove(row::text(&found, 0)?.as_str());
        }
    }
    Ok(names.into_iter().collect())
}

async fn count(connection: &mut AnyConnection, environment: &str) -> Result<usize, StoreError> {
    let found = sqlx::query("SELECT COUNT(*) FROM event_names WHERE environment_id = $1")
        .bind(environment)
        .fetch_one(connection)
        .await?;
    Ok(usize::try_from(row::number(&found, 0)?).unwrap_or_default())
}

async fn note(
    connection: &mut AnyConnection,
    environment: &str,
    names: &[&str],
) -> Result<(), StoreError> {
    for some in names.chunks(rows(2)) {
        let mut sql = Sql::new("INSERT INTO event_names (environment_id, name) VALUES ");
        for (index, name) in some.iter().enumerate() {
            sql.row(index).bind(environment).next(*name).push(")");
        }
        // Another node may have noted it meanwhile.
        sql.push(" ON CONFLICT (environment_id, name) DO NOTHING");
        sql.query_for(connection.backend_name())?
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
