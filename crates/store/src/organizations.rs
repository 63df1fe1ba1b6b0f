//! Organizations.

use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::error::{StoreError, unique};
use crate::{Store, row};

const SELECT: &str = "SELECT id, key, name, version FROM organizations";

fn read(found: &AnyRow) -> Result<Organization, StoreError> {
    Ok(Organization {
        id: row::id(found, 0)?,
        key: row::key(found, 1)?,
        name: row::text(found, 2)?,
        version: row::number(found, 3)?,
    })
}

impl Store {
    /// The organization of this key.
    pub async fn organization(&self, key: &Key) -> Result<Organization, StoreError> {
        let text = format!("{SELECT} WHERE key_folded = $1");
        let found = sqlx::query(sqlx::AssertSqlSafe(text))
            .bind(key.folded())
            .fetch_optional(&self.shared.truth.read)
            .await?;
        read(&found.ok_or(StoreError::NotFound("organization"))?)
    }
}

/// Reads and locks an organization.
pub(crate) async fn lock(
    connection: &mut AnyConnection,
    id: &Id<Organization>,
    lock: &str,
) -> Result<Organization, StoreError> {
    let text = format!("{SELECT} WHERE id = $1{lock}");
    let found = sqlx::query(sqlx::AssertSqlSafe(text))
        .bind(id.as_str())
        .fetch_optional(connection)
        .await?;
    read(&found.ok_or(StoreError::NotFound("organization"))?)
}

/// The oldest organization.
pub(crate) async fn first(
    connection: &mut AnyConnection,
) -> Result<Option<Organization>, StoreError> {
    let text = format!("{SELECT} ORDER BY created_at, id LIMIT 1");
    let found = sqlx::query(sqlx::AssertSqlSafe(text))
        .fetch_optional(connection)
        .await?;
    found.as_ref().map(read).transpose()
}

/// The organizations that an account is a member of, by key.
pub(crate) async fn of_account(
    connection: &mut AnyConnection,
    account: &str,
) -> Result<Vec<Organization>, StoreError> {
    let text = format!(
        "{SELECT} WHERE id IN (SELECT organization_id FROM members WHERE account_id = $1) \
         ORDER BY key_folded"
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(text))
        .bind(account)
        .fetch_all(connection)
        .await?;
    rows.iter().map(read).collect()
}

pub(crate) async fn insert(
    connection: &mut AnyConnection,
    organization: &Organization,
    now: Millis,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO organizations (id, key, key_folded, name, version, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(organization.id.as_str())
    .bind(organization.key.as_str())
    .bind(organization.key.folded())
    .bind(organization.name.as_str())
    .bind(organization.version)
    .bind(now.0)
    .execute(connection)
    .await
    .map_err(unique("key", "an organization with this key exists"))?;
    Ok(())
}

/// Moves the version by one; an organization of another version is not touched.
pub(crate) async fn advance(
    connection: &mut AnyConnection,
    id: &Id<Organization>,
    version: i64,
) -> Result<u64, StoreError> {
    let done = sqlx::query("UPDATE organizations SET version = $1 WHERE id = $2 AND version = $3")
        .bind(version)
        .bind(id.as_str())
        .bind(version - 1)
        .execute(connection)
        .await?;
    Ok(done.rows_affected())
}
