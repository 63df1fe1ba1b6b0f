//! Who changed an item last.

use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::row;
use crate::sql::Sql;

/// The last change of an item in a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastChange {
    /// When.
    pub at: Millis,
    /// Who: their name at the time.
    pub by: String,
    /// The change set's place in the organization's history.
    pub number: i64,
    /// The id of the scope where it was changed.
    pub scope: String,
}

/// The last change of each item of a kind in each of these scopes, with the item's id.
pub(crate) async fn last_changes<'a>(
    connection: &mut AnyConnection,
    kind: &str,
    scopes: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<(String, LastChange)>, StoreError> {
    let mut sql = Sql::new(
        "SELECT m.item_id, m.scope_id, v.number, v.at, c.actor_name FROM \
         (SELECT l.scope_id, l.item_id, MAX(l.version) AS version FROM change_log l \
         WHERE l.item_kind = ",
    );
    sql.bind(kind).push(" AND l.scope_id IN ").list(scopes);
    sql.push(
        " GROUP BY l.scope_id, l.item_id) m \
         JOIN versions v ON v.scope_id = m.scope_id AND v.version = m.version \
         JOIN change_sets c ON c.organization_id = v.organization_id AND c.id = v.change_set_id",
    );
    let rows = sql.query()?.fetch_all(connection).await?;
    let change = |found: &AnyRow| {
        let change = LastChange {
            scope: row::text(found, 1)?,
            number: row::number(found, 2)?,
            at: row::millis(found, 3)?,
            by: row::text(found, 4)?,
        };
        Ok((row::text(found, 0)?, change))
    };
    rows.iter().map(change).collect()
}
