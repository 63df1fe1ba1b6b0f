//! Bringing the schema up to date: numbered texts, each run once, all in one transaction, by one
//! process at a time. Ours rather than sqlx's, which does not lock SQLite.

use sqlx::AnyConnection;
use sqlx::{AssertSqlSafe, Row};

use crate::dialect::{Dialect, Lock};
use crate::digest;
use crate::error::StoreError;

/// A step of the schema.
pub(crate) struct Migration {
    version: i64,
    text: &'static str,
}

/// The steps of the truth.
pub(crate) const TRUTH: &[Migration] = &[
    Migration {
        version: 1,
        text: include_str!("../migrations/truth/0001_first.sql"),
    },
    Migration {
        version: 2,
        text: include_str!("../migrations/truth/0002_environment_rules.sql"),
    },
    Migration {
        version: 3,
        text: include_str!("../migrations/truth/0003_sign_on.sql"),
    },
    Migration {
        version: 4,
        text: include_str!("../migrations/truth/0004_audit.sql"),
    },
    Migration {
        version: 5,
        text: include_str!("../migrations/truth/0005_member_settings.sql"),
    },
    Migration {
        version: 6,
        text: include_str!("../migrations/truth/0006_settings.sql"),
    },
    Migration {
        version: 7,
        text: include_str!("../migrations/truth/0007_requests.sql"),
    },
    Migration {
        version: 8,
        text: include_str!("../migrations/truth/0008_schedules.sql"),
    },
    Migration {
        version: 9,
        text: include_str!("../migrations/truth/0009_first_use.sql"),
    },
    Migration {
        version: 10,
        text: include_str!("../migrations/truth/0010_history_filters.sql"),
    },
    Migration {
        version: 11,
        text: include_str!("../migrations/truth/0011_user_properties.sql"),
    },
    Migration {
        version: 12,
        text: include_str!("../migrations/truth/0012_token_makers.sql"),
    },
    Migration {
        version: 13,
        text: include_str!("../migrations/truth/0013_environment_acts.sql"),
    },
    Migration {
        version: 14,
        text: include_str!("../migrations/truth/0014_last_seen.sql"),
    },
    Migration {
        version: 15,
        text: include_str!("../migrations/truth/0015_flags_on.sql"),
    },
    Migration {
        version: 16,
        text: include_str!("../migrations/truth/0016_relay_keys.sql"),
    },
    Migration {
        version: 17,
        text: include_str!("../migrations/truth/0017_traces.sql"),
    },
    Migration {
        version: 18,
        text: include_str!("../migrations/truth/0018_relay_key_makers.sql"),
    },
    Migration {
        version: 19,
        text: include_str!("../migrations/truth/0019_relay_scopes.sql"),
    },
    Migration {
        version: 20,
        text: include_str!("../migrations/truth/0020_prerequisites.sql"),
    },
    Migration {
        version: 21,
        text: include_str!("../migrations/truth/0021_decision_samples.sql"),
    },
];

/// The steps of the traffic.
pub(crate) const TRAFFIC: &[Migration] = &[
    Migration {
        version: 1,
        text: include_str!("../migrations/traffic/0001_first.sql"),
    },
    Migration {
        version: 2,
        text: include_str!("../migrations/traffic/0002_event_names.sql"),
    },
    Migration {
        version: 3,
        text: include_str!("../migrations/traffic/0003_users.sql"),
    },
    Migration {
        version: 4,
        text: include_str!("../migrations/traffic/0004_activity.sql"),
    },
    Migration {
        version: 5,
        text: include_str!("../migrations/traffic/0005_relay_agents.sql"),
    },
    Migration {
        version: 6,
        text: include_str!("../migrations/traffic/0006_delivery.sql"),
    },
    Migration {
        version: 7,
        text: include_str!("../migrations/traffic/0007_senders.sql"),
    },
    Migration {
        version: 8,
        text: include_str!("../migrations/traffic/0008_relay_kind.sql"),
    },
    Migration {
        version: 9,
        text: include_str!("../migrations/traffic/0009_user_changed.sql"),
    },
    Migration {
        version: 10,
        text: include_str!("../migrations/traffic/0010_relay_tellers.sql"),
    },
    Migration {
        version: 11,
        text: include_str!("../migrations/traffic/0011_decisions.sql"),
    },
    Migration {
        version: 12,
        text: include_str!("../migrations/traffic/0012_user_types.sql"),
    },
];

/// What a line begins with that is for PostgreSQL alone.
const POSTGRES_ALONE: &str = "-- postgres: ";

/// Runs those of `migrations` that have not run, inside the caller's transaction. `part` tells
/// the two lists apart where they share a database.
pub(crate) async fn run(
    dialect: Dialect,
    connection: &mut AnyConnection,
    part: &str,
    migrations: &[Migration],
) -> Result<(), StoreError> {
    dialect.lock(connection, Lock::Migrate).await?;
    // Not `IF NOT EXISTS`: PostgreSQL would remark on it at each start.
    if !dialect.has_table(connection, "schema_migrations").await? {
        sqlx::query(
            "CREATE TABLE schema_migrations (part TEXT NOT NULL, \
             version BIGINT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (part, version))",
        )
        .execute(&mut *connection)
        .await?;
    }
    let done = done(connection, part).await?;
    refuse_unknown(&done, migrations)?;
    for migration in &migrations[done.len()..] {
        let text = match dialect {
            Dialect::Sqlite => migration.text.to_owned(),
            Dialect::Postgres => migration.text.replace(POSTGRES_ALONE, ""),
        };
        sqlx::raw_sql(AssertSqlSafe(text))
            .execute(&mut *connection)
            .await?;
        sqlx::query("INSERT INTO schema_migrations (part, version, digest) VALUES ($1, $2, $3)")
            .bind(part)
            .bind(migration.version)
            .bind(digest::hex(migration.text.as_bytes()))
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

async fn done(
    connection: &mut AnyConnection,
    part: &str,
) -> Result<Vec<(i64, String)>, StoreError> {
    let rows = sqlx::query(
        "SELECT version, digest FROM schema_migrations WHERE part = $1 ORDER BY version",
    )
    .bind(part)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
        .collect()
}

/// A newer program may have been here, or a text was edited after it had run: in both cases this
/// program does not know the schema, and must not touch the data.
fn refuse_unknown(done: &[(i64, String)], migrations: &[Migration]) -> Result<(), StoreError> {
    let known = migrations
        .iter()
        .map(|migration| (migration.version, digest::hex(migration.text.as_bytes())));
    if done.len() <= migrations.len() && known.zip(done).all(|(ours, theirs)| ours == *theirs) {
        return Ok(());
    }
    Err(StoreError::corrupt(
        "the database's schema is not one that this program knows; it was made by another version",
    ))
}
