//! Reading traffic.

use burgee_eval::time::Millis;
use sqlx::any::AnyRow;

use super::Traffic;
use crate::error::StoreError;
use crate::row;

/// Evaluations of a variation in a minute, an hour or a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountAt {
    /// The flag's key.
    pub flag: String,
    /// The flag's id: when a key is used again, it is another flag's.
    pub flag_id: String,
    /// The variation's id.
    pub variation: String,
    /// The start of the minute, hour or day.
    pub at: Millis,
    /// How many.
    pub count: i64,
}

/// A user as it was last seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndUser {
    /// The user's key.
    pub key: String,
    /// The display name, perhaps empty.
    pub name: String,
    /// (name, value).
    pub properties: Vec<(String, String)>,
    /// What they are besides their texts, a letter for each ([`burgee_eval::user::Type::read`]).
    pub types: String,
    /// When it was first seen.
    pub first_seen: Millis,
    /// When it was last seen, to about a day.
    pub last_seen: Millis,
    /// When name or properties last became others; none: they are as first seen, or have not changed
    /// since this is kept.
    pub changed: Option<Millis>,
}

impl Traffic<'_> {
    /// An environment's counts in `from..to`, by time; each as fine as it is still kept.
    pub async fn counts(
        &self,
        environment: &str,
        from: Millis,
        to: Millis,
    ) -> Result<Vec<CountAt>, StoreError> {
        let rows = sqlx::query(
            "SELECT flag, flag_id, variation, at, count FROM counts_minute \
             WHERE environment_id = $1 AND at >= $2 AND at < $3 \
             UNION ALL SELECT flag, flag_id, variation, at, count FROM counts_hour \
             WHERE environment_id = $1 AND at >= $2 AND at < $3 \
             UNION ALL SELECT flag, flag_id, variation, at, count FROM counts_day \
             WHERE environment_id = $1 AND at >= $2 AND at < $3 \
             ORDER BY 4, 1, 2, 3",
        )
        .bind(environment)
        .bind(from.0)
        .bind(to.0)
        .fetch_all(&self.store.shared.traffic.read)
        .await?;
        rows.iter().map(read_count).collect()
    }

    /// A user by key.
    pub async fn end_user(
        &self,
        environment: &str,
        key: &str,
    ) -> Result<Option<EndUser>, StoreError> {
        let found = sqlx::query(
            "SELECT key, name, properties, first_seen, last_seen, changed_at, types \
             FROM end_users \
             WHERE environment_id = $1 AND key = $2",
        )
        .bind(environment)
        .bind(key)
        .fetch_optional(&self.store.shared.traffic.read)
        .await?;
        found.as_ref().map(read_user).transpose()
    }
}

pub(super) fn read_count(found: &AnyRow) -> Result<CountAt, StoreError> {
    Ok(CountAt {
        flag: row::text(found, 0)?,
        flag_id: row::text(found, 1)?,
        variation: row::text(found, 2)?,
        at: row::millis(found, 3)?,
        count: row::number(found, 4)?,
    })
}

pub(super) fn read_user(found: &AnyRow) -> Result<EndUser, StoreError> {
    Ok(EndUser {
        key: row::text(found, 0)?,
        name: row::text(found, 1)?,
        properties: row::json(found, 2)?,
        first_seen: row::millis(found, 3)?,
        last_seen: row::millis(found, 4)?,
        changed: row::optional_millis(found, 5)?,
        types: row::text(found, 6)?,
    })
}
