//! What a member has set for themselves in an organization: opaque to the store.

use burgee_domain::id::Id;
use burgee_domain::model::Organization;

use super::accounts::Account;
use crate::error::StoreError;
use crate::{Store, row, text};

impl Store {
    /// A member's settings, as JSON; none where they never set any.
    pub async fn member_settings(
        &self,
        organization: &Id<Organization>,
        account: &Id<Account>,
    ) -> Result<Option<String>, StoreError> {
        let found = sqlx::query(
            "SELECT settings FROM member_settings WHERE organization_id = $1 AND account_id = $2",
        )
        .bind(organization.as_str())
        .bind(account.as_str())
        .fetch_optional(&self.shared.truth.read)
        .await?;
        found.map(|found| row::text(&found, 0)).transpose()
    }

    /// Sets a member's settings, in place of those before.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]: they are no member any more.
    pub async fn set_member_settings(
        &self,
        organization: &Id<Organization>,
        account: &Id<Account>,
        settings: &str,
    ) -> Result<(), StoreError> {
        text::storable("settings", settings)?;
        let done = sqlx::query(
            "INSERT INTO member_settings (organization_id, account_id, settings) \
             SELECT organization_id, account_id, CAST($3 AS TEXT) FROM members \
             WHERE organization_id = $1 AND account_id = $2 \
             ON CONFLICT (organization_id, account_id) DO UPDATE SET settings = excluded.settings",
        )
        .bind(organization.as_str())
        .bind(account.as_str())
        .bind(settings)
        .execute(&self.shared.truth.write)
        .await?;
        match done.rows_affected() {
            0 => Err(StoreError::NotFound("member")),
            _ => Ok(()),
        }
    }
}
