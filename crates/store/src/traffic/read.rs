//! Reading traffic.

use burgee_eval::time::Millis;
use sqlx::any::AnyRow;

use super::{Exposure, MetricEvent, Traffic};
use crate::error::StoreError;
use crate::row;

/// Evaluations of a variation in a minute, an hour or a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountAt {
    /// The flag's key.
    pub flag: String,
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
    /// When it was first seen.
    pub first_seen: Millis,
    /// When it was last seen, to about a day.
    pub last_seen: Millis,
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
            "SELECT flag, variation, at, count FROM counts_minute \
             WHERE environment_id = $1 AND at >= $2 AND at < $3 \
             UNION ALL SELECT flag, variation, at, count FROM counts_hour \
             WHERE environment_id = $1 AND at >= $2 AND at < $3 \
             UNION ALL SELECT flag, variation, at, count FROM counts_day \
             WHERE environment_id = $1 AND at >= $2 AND at < $3 \
             ORDER BY 3, 1, 2",
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
            "SELECT key, name, properties, first_seen, last_seen FROM end_users \
             WHERE environment_id = $1 AND key = $2",
        )
        .bind(environment)
        .bind(key)
        .fetch_optional(&self.store.shared.traffic.read)
        .await?;
        found.as_ref().map(read_user).transpose()
    }

    /// The exposures of a flag, by user and variation.
    pub async fn exposures(
        &self,
        environment: &str,
        flag: &str,
    ) -> Result<Vec<Exposure<'static>>, StoreError> {
        let rows = sqlx::query(
            "SELECT environment_id, flag, variation, user_key, experiment, first_at, last_at \
             FROM exposures WHERE environment_id = $1 AND flag = $2 ORDER BY user_key, variation",
        )
        .bind(environment)
        .bind(flag)
        .fetch_all(&self.store.shared.traffic.read)
        .await?;
        rows.iter().map(read_exposure).collect()
    }

    /// The metric events of one name in `from..to`, by time.
    pub async fn metric_events(
        &self,
        environment: &str,
        event: &str,
        from: Millis,
        to: Millis,
    ) -> Result<Vec<MetricEvent<'static>>, StoreError> {
        let rows = sqlx::query(
            "SELECT environment_id, user_key, event, value, route, kind, app_type, at \
             FROM metric_events WHERE environment_id = $1 AND event = $2 AND at >= $3 AND at < $4 \
             ORDER BY at, sender, sequence, ordinal",
        )
        .bind(environment)
        .bind(event)
        .bind(from.0)
        .bind(to.0)
        .fetch_all(&self.store.shared.traffic.read)
        .await?;
        rows.iter().map(read_event).collect()
    }
}

fn read_count(found: &AnyRow) -> Result<CountAt, StoreError> {
    Ok(CountAt {
        flag: row::text(found, 0)?,
        variation: row::text(found, 1)?,
        at: row::millis(found, 2)?,
        count: row::number(found, 3)?,
    })
}

fn read_user(found: &AnyRow) -> Result<EndUser, StoreError> {
    Ok(EndUser {
        key: row::text(found, 0)?,
        name: row::text(found, 1)?,
        properties: row::json(found, 2)?,
        first_seen: row::millis(found, 3)?,
        last_seen: row::millis(found, 4)?,
    })
}

fn read_exposure(found: &AnyRow) -> Result<Exposure<'static>, StoreError> {
    Ok(Exposure {
        environment: row::text(found, 0)?.into(),
        flag: row::text(found, 1)?.into(),
        variation: row::text(found, 2)?.into(),
        user: row::text(found, 3)?.into(),
        experiment: row::boolean(found, 4)?,
        first: row::millis(found, 5)?,
        last: row::millis(found, 6)?,
    })
}

fn read_event(found: &AnyRow) -> Result<MetricEvent<'static>, StoreError> {
    Ok(MetricEvent {
        environment: row::text(found, 0)?.into(),
        user: row::text(found, 1)?.into(),
        event: row::text(found, 2)?.into(),
        value: row::real(found, 3)?,
        route: row::text(found, 4)?.into(),
        kind: row::text(found, 5)?.into(),
        app_type: row::text(found, 6)?.into(),
        at: row::millis(found, 7)?,
    })
}
