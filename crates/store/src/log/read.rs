//! Reading the log for conflicts.

use burgee_domain::conflict::{Conflict, Logged};
use burgee_domain::outcome::{Item, Scope};
use sqlx::AnyConnection;

use super::scope_id;
use crate::apply::ConflictFound;
use crate::change_sets::read_actor;
use crate::error::StoreError;
use crate::row;

/// What happened to flags and segments in a scope after a version, as far as conflicts are
/// concerned.
pub(crate) async fn since(
    connection: &mut AnyConnection,
    scope: &Scope,
    version: i64,
) -> Result<Vec<Logged>, StoreError> {
    let rows = sqlx::query(
        "SELECT version, item_kind, item_id, item_key, facets FROM change_log \
         WHERE scope_id = $1 AND version > $2 AND item_kind IN ('flag', 'segment') \
         ORDER BY version, ordinal",
    )
    .bind(scope_id(scope).1)
    .bind(version)
    .fetch_all(connection)
    .await?;
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
