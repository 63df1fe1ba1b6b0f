//! Reading the log for conflicts.

use burgee_domain::conflict::{Conflict, Logged};
use burgee_domain::outcome::{Item, Scope};
use sqlx::AnyConnection;

use super::scope_id;
use crate::apply::ConflictFound;
use crate::change_sets::read_actor;
use crate::error::StoreError;
use crate::row;
use crate::sql::{LIST, Sql};

/// What happened to some flags and segments in a scope after a version, as far as conflicts are
/// concerned: by their ids, since much else may have happened.
pub(crate) async fn since_of(
    connection: &mut AnyConnection,
    scope: &Scope,
    version: i64,
    ids: &[&str],
) -> Result<Vec<Logged>, StoreError> {
    let mut logged = Vec::new();
    for ids in ids.chunks(LIST) {
        let mut sql = select(scope, version);
        sql.push(" AND item_id IN ").list(ids.iter().copied());
        logged.extend(read(sql, connection, scope).await?);
    }
    logged.sort_by_key(|row| row.version);
    Ok(logged)
}

/// All that happened to flags and segments in a scope after a version.
pub(crate) async fn since(
    connection: &mut AnyConnection,
    scope: &Scope,
    version: i64,
) -> Result<Vec<Logged>, StoreError> {
    read(select(scope, version), connection, scope).await
}

fn select(scope: &Scope, version: i64) -> Sql {
    let mut sql = Sql::new("SELECT version, item_kind, item_id, item_key, facets FROM change_log");
    sql.push(" WHERE item_kind IN ('flag', 'segment') AND scope_id = ");
    sql.bind(scope_id(scope).1);
    sql.push(" AND version > ").bind(version);
    sql
}

async fn read(
    mut sql: Sql,
    connection: &mut AnyConnection,
    scope: &Scope,
) -> Result<Vec<Logged>, StoreError> {
    sql.push(" ORDER BY version, ordinal");
    let rows = sql.query()?.fetch_all(connection).await?;
    rows.iter()
        .map(|found| {
            let key = row::key(found, 3)?;
            let item = match row::text(found, 1)?.as_str() {
                "flag" => Item::Flag(row::id(found, 2)?, key),
                _ => Item::Segment(row::id(found, 2)?, key),
            };
            Ok(Logged {
                scope: scope.clone(),
                version: row::number(found, 0)?,
                item,
                facets: row::json(found, 4)?,
            })
        })
        .collect()
}

/// A conflict with who made it; `name` is the scope's.
pub(crate) async fn conflict(
    connection: &mut AnyConnection,
    name: String,
    conflict: &Conflict,
) -> Result<ConflictFound, StoreError> {
    let found = sqlx::query(
        "SELECT c.actor_kind, c.actor_id, c.actor_name, c.at, c.comment FROM versions v JOIN change_sets c \
         ON c.organization_id = v.organization_id AND c.id = v.change_set_id \
         WHERE v.scope_id = $1 AND v.version = $2",
    )
    .bind(scope_id(&conflict.scope).1)
    .bind(conflict.version)
    .fetch_one(connection)
    .await?;
    let (kind, key) = match &conflict.item {
        Item::Flag(_, key) => ("flag", key),
        Item::Segment(_, key) => ("segment", key),
    };
    Ok(ConflictFound {
        scope: name,
        version: conflict.version,
        kind: kind.to_owned(),
        key: key.as_str().to_owned(),
        facets: conflict.facets.clone(),
        by: read_actor(&found, 0)?,
        at: row::millis(&found, 3)?,
        comment: row::text(&found, 4)?,
    })
}
