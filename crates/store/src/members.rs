//! Accounts of people, and the organizations that they are members of.

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::error::{StoreError, unique};

/// The policy of whoever may do everything.
pub(crate) const OWNER: &str = "owner";

/// Makes an account that owns an organization.
pub(crate) async fn insert_owner(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    email: &str,
    name: &str,
    now: Millis,
) -> Result<(), StoreError> {
    let id = Uuid::now_v7().to_string();
    sqlx::query(
        "INSERT INTO accounts (id, email, email_folded, name, created_at) \
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(id.as_str())
    .bind(email)
    .bind(email.to_lowercase())
    .bind(name)
    .bind(now.0)
    .execute(&mut *connection)
    .await
    .map_err(unique("email", "an account with this address exists"))?;
    sqlx::query(
        "INSERT INTO members (organization_id, account_id, policy, joined_at) \
         VALUES ($1, $2, $3, $4)",
    )
    .bind(organization.as_str())
    .bind(id.as_str())
    .bind(OWNER)
    .bind(now.0)
    .execute(connection)
    .await?;
    Ok(())
}
