//! Keys as rows.

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use super::{RelayKey, RelayKeyScope, scope};
use crate::change_sets::{Actor, ActorKind};
use crate::error::StoreError;
use crate::people::accounts::Account;
use crate::{digest, row};

pub(super) const SELECT: &str = "SELECT id, organization_id, name, description, prefix, every_environment, \
                      created_at, rotated_at, previous_ends_at, revoked_at, created_by FROM relay_keys";

/// Reads a key, without the environments that it names.
pub(super) fn read(found: &AnyRow) -> Result<RelayKey, StoreError> {
    let scope = match row::boolean(found, 5)? {
        true => RelayKeyScope::All,
        false => RelayKeyScope::Chosen(Vec::new()),
    };
    Ok(RelayKey {
        id: row::id(found, 0)?,
        organization: row::id(found, 1)?,
        name: row::text(found, 2)?,
        description: row::text(found, 3)?,
        prefix: row::text(found, 4)?,
        scope,
        created_at: row::millis(found, 6)?,
        rotated_at: row::optional_millis(found, 7)?,
        previous_ends_at: row::optional_millis(found, 8)?,
        revoked_at: row::optional_millis(found, 9)?,
        created_by: row::optional_id(found, 10)?,
    })
}

/// A key of an organization, with the environments that it is for.
pub(super) async fn find(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    id: &Id<RelayKey>,
) -> Result<RelayKey, StoreError> {
    let text = format!("{SELECT} WHERE id = $1 AND organization_id = $2");
    let found = sqlx::query(sqlx::AssertSqlSafe(text))
        .bind(id.as_str())
        .bind(organization.as_str())
        .fetch_optional(&mut *connection)
        .await?;
    let mut key = read(&found.ok_or(StoreError::NotFound("relay key"))?)?;
    scope::fill(connection, std::slice::from_mut(&mut key)).await?;
    Ok(key)
}

/// The account behind an actor: a member's own, a token's, or of who made the token.
pub(super) async fn account_of(
    connection: &mut AnyConnection,
    actor: &Actor,
) -> Result<Option<Id<Account>>, StoreError> {
    match actor.kind {
        ActorKind::Member => Ok(Some(Id::new(actor.id.as_str()))),
        ActorKind::Token => {
            let found = sqlx::query("SELECT account_id FROM tokens WHERE id = $1")
                .bind(actor.id.as_str())
                .fetch_optional(connection)
                .await?;
            let account = found.map(|it| row::optional_id(&it, 0)).transpose()?;
            Ok(account.flatten())
        }
        ActorKind::Operator | ActorKind::System => Ok(None),
    }
}

pub(super) async fn insert(
    connection: &mut AnyConnection,
    key: &RelayKey,
    secret: &str,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO relay_keys (id, organization_id, name, description, prefix, hash, \
         every_environment, created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(key.id.as_str())
    .bind(key.organization.as_str())
    .bind(key.name.as_str())
    .bind(key.description.as_str())
    .bind(key.prefix.as_str())
    .bind(digest::bytes(secret.as_bytes()).to_vec())
    .bind(key.scope.is_all())
    .bind(key.created_at.0)
    .bind(key.created_by.as_ref().map(Id::as_str))
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) async fn update(
    connection: &mut AnyConnection,
    key: &RelayKey,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE relay_keys SET name = $1, description = $2, every_environment = $3 WHERE id = $4",
    )
    .bind(key.name.as_str())
    .bind(key.description.as_str())
    .bind(key.scope.is_all())
    .bind(key.id.as_str())
    .execute(connection)
    .await?;
    Ok(())
}
