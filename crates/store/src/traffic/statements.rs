//! The statements that write rows in bulk, and what they do with rows that are there already.

use std::borrow::Cow;

use super::{Batch, Count, Decision, Exposure, MetricEvent, UserSeen};
use crate::digest;
use crate::error::StoreError;
use crate::sql::Sql;

const MINUTE: i64 = 60_000;

/// A user who is known and has not changed is written again after this long, in ms.
const SEEN_AGAIN: i64 = 86_400_000;

/// A minute's count grows no further than this (the statement below has it too): sums of such hours
/// and days are numbers that both databases have, whatever is sent.
const MOST: i64 = 1_099_511_627_776;

/// The start of a count's minute.
pub(super) fn minute(count: &Count<'_>) -> i64 {
    count.minute.0 - count.minute.0.rem_euclid(MINUTE)
}

/// Users who are not there yet; no row comes back, and none is changed.
pub(super) fn insert_new_users(rows: &[Cow<'_, UserSeen<'_>>]) -> Result<Sql, StoreError> {
    let mut sql = insert_users(rows)?;
    sql.push(" ON CONFLICT (environment_id, key) DO NOTHING");
    Ok(sql)
}

/// Users of whom some may be there: who has changed, or was seen a day ago, is written again.
pub(super) fn upsert_users(rows: &[Cow<'_, UserSeen<'_>>]) -> Result<Sql, StoreError> {
    let mut sql = insert_users(rows)?;
    sql.push(
        " ON CONFLICT (environment_id, key) DO UPDATE SET name = excluded.name, \
         properties = excluded.properties, types = excluded.types, hash = excluded.hash, last_seen = excluded.last_seen, \
         changed_at = CASE WHEN excluded.hash <> end_users.hash THEN excluded.last_seen \
         ELSE end_users.changed_at END \
         WHERE (excluded.hash <> end_users.hash AND excluded.last_seen >= end_users.last_seen) \
         OR excluded.last_seen >= end_users.last_seen + ",
    );
    sql.bind(SEEN_AGAIN);
    Ok(sql)
}

fn insert_users(rows: &[Cow<'_, UserSeen<'_>>]) -> Result<Sql, StoreError> {
    let mut sql = Sql::new(
        "INSERT INTO end_users (environment_id, key, name, properties, types, hash, \
         first_seen, last_seen) VALUES ",
    );
    for (index, user) in rows.iter().enumerate() {
        let properties = serde_json::to_string(&user.properties)?;
        let hash = hash(&user.name, &properties, &user.types);
        sql.row(index).bind(&*user.environment);
        sql.next(&*user.key).next(&*user.name);
        sql.next(properties).next(&*user.types).next(hash);
        sql.next(user.at.0).next(user.at.0).push(")");
    }
    Ok(sql)
}

/// Those of an environment's users who were there before a moment.
pub(super) fn known_users(environment: &str, keys: &[&str], before: i64) -> Sql {
    let mut sql = Sql::new("SELECT key FROM end_users WHERE environment_id = ");
    sql.bind(environment).push(" AND key IN ");
    sql.list(keys.iter().copied());
    sql.push(" AND first_seen < ").bind(before);
    sql
}

/// A number that is another one when name or properties are, or their types.
fn hash(name: &str, properties: &str, types: &str) -> i64 {
    let text = format!("{}:{name}{properties}{types}", name.len());
    let [a, b, c, d, e, f, g, h, ..] = digest::bytes(text.as_bytes());
    i64::from_be_bytes([a, b, c, d, e, f, g, h])
}

pub(super) fn insert_counts(rows: &[Cow<'_, Count<'_>>]) -> Result<Sql, StoreError> {
    let mut sql = Sql::new(
        "INSERT INTO counts_minute (environment_id, flag, flag_id, variation, at, count) VALUES ",
    );
    for (index, row) in rows.iter().enumerate() {
        sql.row(index).bind(&*row.environment);
        sql.next(&*row.flag).next(&*row.flag_id);
        sql.next(&*row.variation);
        sql.next(minute(row));
        sql.next(i64::try_from(row.count).map_or(MOST, |count| count.min(MOST)));
        sql.push(")");
    }
    sql.push(
        " ON CONFLICT (environment_id, flag, flag_id, at, variation) \
         DO UPDATE SET count = counts_minute.count + excluded.count \
         WHERE counts_minute.count < 1099511627776",
    );
    Ok(sql)
}

pub(super) fn insert_exposures(rows: &[Cow<'_, Exposure<'_>>]) -> Result<Sql, StoreError> {
    let mut sql = Sql::new(
        "INSERT INTO exposures (environment_id, flag, flag_id, variation, user_key, experiment, \
         first_at, last_at) VALUES ",
    );
    for (index, row) in rows.iter().enumerate() {
        sql.row(index).bind(&*row.environment);
        sql.next(&*row.flag).next(&*row.flag_id);
        sql.next(&*row.variation).next(&*row.user);
        sql.next(i16::from(row.experiment));
        sql.next(row.first.0).next(row.last.0).push(")");
    }
    sql.push(
        " ON CONFLICT (environment_id, flag, flag_id, variation, user_key) DO UPDATE SET \
         experiment = CASE WHEN excluded.experiment = 1 THEN 1 ELSE exposures.experiment END, \
         first_at = CASE WHEN excluded.first_at < exposures.first_at \
             THEN excluded.first_at ELSE exposures.first_at END, \
         last_at = CASE WHEN excluded.last_at > exposures.last_at \
             THEN excluded.last_at ELSE exposures.last_at END",
    );
    Ok(sql)
}

pub(super) fn insert_metrics(
    batch: &Batch<'_>,
    rows: &[(i64, &MetricEvent<'_>)],
) -> Result<Sql, StoreError> {
    let mut sql = Sql::new(
        "INSERT INTO metric_events (sender, sequence, ordinal, environment_id, user_key, event, \
         value, route, kind, app_type, at) VALUES ",
    );
    for (index, (ordinal, event)) in rows.iter().enumerate() {
        sql.row(index).bind(&*batch.sender);
        sql.next(batch.sequence).next(*ordinal);
        sql.next(&*event.environment).next(&*event.user);
        sql.next(&*event.event).next(event.value);
        sql.next(&*event.route).next(&*event.kind);
        sql.next(&*event.app_type).next(event.at.0).push(")");
    }
    Ok(sql)
}

pub(super) fn insert_decisions(rows: &[&Decision<'_>]) -> Result<Sql, StoreError> {
    let mut sql = Sql::new(
        "INSERT INTO decisions (id, environment_id, user_key, flag, flag_id, variation, surface, \
         reason, rule, version, digest, at) VALUES ",
    );
    for (index, row) in rows.iter().enumerate() {
        sql.row(index).bind(uuid::Uuid::now_v7().to_string());
        sql.next(&*row.environment).next(&*row.user);
        sql.next(&*row.flag).next(&*row.flag_id);
        sql.next(&*row.variation).next(&*row.surface);
        sql.next(row.reason.as_deref()).next(row.rule.as_deref());
        sql.next(row.position.map(|it| it.version));
        let digest = row.position.map(|it| format!("{:016x}", it.digest));
        sql.next(digest.as_deref()).next(row.at.0).push(")");
    }
    Ok(sql)
}
