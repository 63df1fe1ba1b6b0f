//! What came after a position.

use std::collections::BTreeSet;

use burgee_domain::model::Environment;
use burgee_domain::position::Position;
use sqlx::AnyConnection;

use super::{Changes, Delta, MAX_DELTA, asked_for, lists, served_flags, served_segments, state};
use crate::error::StoreError;
use crate::sql::Sql;
use crate::{row, sdk_keys};

pub(super) async fn changes(
    connection: &mut AnyConnection,
    environment: Environment,
    from: Position,
) -> Result<Changes, StoreError> {
    if from.version == 0 || !is_in_history(connection, &environment, from).await? {
        return Ok(Changes::Reload(state(connection, environment).await?));
    }
    let Some(changed) = changed_items(connection, &environment, from.version).await? else {
        return Ok(Changes::Reload(state(connection, environment).await?));
    };
    let ids = flag_ids(connection, &environment, &changed.flags).await?;
    let flags = served_flags(connection, &environment, Some(&ids)).await?;
    let segments = served_segments(connection, &environment, Some(&changed.segments)).await?;
    if flags.len() != changed.flags.len() || segments.len() != changed.segments.len() {
        // Something changed that has left no tombstone here (a segment whose id went elsewhere).
        return Ok(Changes::Reload(state(connection, environment).await?));
    }
    let keys = match changed.keys {
        true => Some(sdk_keys::valid(connection, environment.id.as_str()).await?),
        false => None,
    };
    let (at, trace) = asked_for(connection, &environment).await?;
    Ok(Changes::Since(Delta {
        at,
        trace,
        environment,
        flags,
        segments,
        keys,
    }))
}

/// The flags of these keys, deleted ones too. Found by themselves rather than by a join: a young
/// PostgreSQL without statistics would walk all targetings of the environment for it.
async fn flag_ids(
    connection: &mut AnyConnection,
    environment: &Environment,
    keys: &BTreeSet<String>,
) -> Result<BTreeSet<String>, StoreError> {
    let mut ids = BTreeSet::new();
    for keys in lists(Some(keys)).into_iter().flatten() {
        let mut sql = Sql::new("SELECT id FROM flags WHERE project_id = ");
        sql.bind(environment.project.as_str());
        sql.push(" AND key IN ").list(keys);
        for found in sql.query()?.fetch_all(&mut *connection).await? {
            ids.insert(row::text(&found, 0)?);
        }
    }
    Ok(ids)
}

/// Whether the environment was once where a peer says it is.
pub(super) async fn is_in_history(
    connection: &mut AnyConnection,
    environment: &Environment,
    position: Position,
) -> Result<bool, StoreError> {
    if position == environment.position {
        return Ok(true);
    }
    let found = sqlx::query("SELECT chain FROM versions WHERE scope_id = $1 AND version = $2")
        .bind(environment.id.as_str())
        .bind(position.version)
        .fetch_optional(connection)
        .await?;
    match found {
        Some(found) => {
            Ok(Position::new(position.version, &row::hash(&found, 0)?).digest == position.digest)
        }
        None => Ok(false),
    }
}

/// What changed: flags by key (SDKs know them by it, and a key has one item, whichever flag it
/// is), segments by id.
#[derive(Default)]
struct Changed {
    flags: BTreeSet<String>,
    segments: BTreeSet<String>,
    keys: bool,
}

/// What changed after a version; none where it is too much.
async fn changed_items(
    connection: &mut AnyConnection,
    environment: &Environment,
    version: i64,
) -> Result<Option<Changed>, StoreError> {
    let rows = sqlx::query(
        "SELECT DISTINCT item_kind, item_id, item_key FROM change_log \
         WHERE scope_id = $1 AND version > $2 LIMIT $3",
    )
    .bind(environment.id.as_str())
    .bind(version)
    .bind(MAX_DELTA as i64 + 1)
    .fetch_all(connection)
    .await?;
    if rows.len() > MAX_DELTA {
        return Ok(None);
    }
    let mut changed = Changed::default();
    for found in &rows {
        match row::text(found, 0)?.as_str() {
            "flag" => changed.flags.insert(row::text(found, 2)?),
            "segment" => changed.segments.insert(row::text(found, 1)?),
            "sdkKey" => std::mem::replace(&mut changed.keys, true),
            _ => false,
        };
    }
    Ok(Some(changed))
}
