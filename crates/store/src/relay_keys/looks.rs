//! Telling that what relay keys open may be another. Few commits do that, and to look at a key is a
//! join over all environments of its organization, asked by every server for every key that relays
//! came with: so what does it is counted, and the count is looked at after each commit.

use std::time::Duration;

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use sqlx::AnyConnection;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::error::StoreError;
use crate::{Store, row};

/// A look that takes longer than this is taken for failed.
const PATIENCE: Duration = Duration::from_secs(5);

/// After so long it is told all the same: after a failover the count may be the same and mean another
/// past, and a server of an older version does not count.
const ANYWAY: Duration = Duration::from_secs(30);

impl Store {
    /// A counter that rises when what relay keys open may have changed, here or elsewhere, while
    /// [`Store::look_for_scopes`] runs. Ask it for a change before [`Store::relay_scope`], so that
    /// none is missed in between.
    pub fn scopes_changed(&self) -> watch::Receiver<u64> {
        self.shared.changed.scopes.subscribe()
    }

    /// Looks after each commit that is heard of ([`Store::changed`]) whether it is one of those, and
    /// tells. Asks nothing while nobody waits to be told. Never ends; to be run once.
    pub async fn look_for_scopes(&self) {
        let scopes = &self.shared.changed.scopes;
        let mut commits = self.changed();
        let (mut last, mut told) = (None, Instant::now());
        // An error means that the store is gone, and this with it.
        while commits.changed().await.is_ok() {
            let mark = match scopes.receiver_count() {
                0 => None,
                _ => self.mark_of_scopes().await,
            };
            if mark.is_some() && (mark != last || told.elapsed() >= ANYWAY) {
                scopes.send_modify(|count| *count += 1);
                told = Instant::now();
            }
            last = mark;
        }
    }

    /// A number that is another one once relay keys were made, changed or revoked, or environments
    /// made or deleted, by whatever process. `None` where the database does not say.
    pub async fn mark_of_scopes(&self) -> Option<i64> {
        let text = "SELECT CAST(COALESCE(SUM(scopes), 0) AS BIGINT) FROM histories";
        let found = sqlx::query(text).fetch_one(&self.shared.truth.read);
        let found = timeout(PATIENCE, found).await.ok()?;
        row::number(&found.ok()?, 0).ok()
    }
}

/// Counts something that can change what an organization's relay keys open. Locks the row of its
/// history: to be called where no other lock is taken any more.
pub(crate) async fn count(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO histories (organization_id, length, scopes) VALUES ($1, 0, 1) \
         ON CONFLICT (organization_id) DO UPDATE SET scopes = histories.scopes + 1",
    )
    .bind(organization.as_str())
    .execute(connection)
    .await?;
    Ok(())
}
