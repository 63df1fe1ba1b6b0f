//! Where the two databases differ. Everything else is one SQL text.

use std::time::Duration;

use burgee_eval::time::Millis;
use sqlx::AnyConnection;

use crate::error::StoreError;
use crate::row;

/// Which database it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// A file of ours.
    Sqlite,
    /// A server.
    Postgres,
}

/// The channel that commits are told on.
pub(crate) const CHANNEL: &str = "burgee_changed";

/// Whose time it is that something is due by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The database's own, so that all nodes agree; where it has none (SQLite), this machine's,
    /// which shows this moment.
    Shared(Millis),
    /// This moment, whatever clocks show.
    At(Millis),
}

impl Clock {
    /// What it shows.
    pub(crate) async fn read(
        self,
        dialect: Dialect,
        connection: &mut AnyConnection,
    ) -> Result<Millis, StoreError> {
        match (self, dialect) {
            (Self::At(moment), _) | (Self::Shared(moment), Dialect::Sqlite) => Ok(moment),
            (Self::Shared(_), Dialect::Postgres) => {
                let text = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
                row::millis(&sqlx::query(text).fetch_one(connection).await?, 0)
            }
        }
    }

    /// How long it is until the first of some moments, which `question` asks for; 0 where that is
    /// over, none where there is none.
    pub(crate) async fn until_first(
        self,
        dialect: Dialect,
        connection: &mut AnyConnection,
        question: &'static str,
    ) -> Result<Option<Duration>, StoreError> {
        let found = sqlx::query(question).fetch_one(&mut *connection).await?;
        let Some(at) = row::optional_millis(&found, 0)? else {
            return Ok(None);
        };
        let now = self.read(dialect, connection).await?;
        let left = u64::try_from(at.0 - now.0).unwrap_or(0);
        Ok(Some(Duration::from_millis(left)))
    }
}

/// What must be done by one process at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lock {
    /// Bringing the schema up to date.
    Migrate = 0x6275_7201,
    /// Setting up an empty database.
    FirstStart = 0x6275_7202,
    /// Extending the chains of the audit log. Taken after all locks of rows.
    Seal = 0x6275_7203,
}

impl Dialect {
    /// Begins a transaction that writes. SQLite takes its one write lock at once: a transaction
    /// that reads first and then wants to write would fail instead of waiting.
    pub(crate) fn begin_write(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => "BEGIN",
        }
    }

    /// Begins a transaction that writes, and sees one moment of the database: it fails where
    /// another has changed since what it changes.
    pub(crate) fn begin_snapshot_write(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ",
        }
    }

    /// Begins a transaction that sees one moment of the database.
    pub(crate) fn begin_read(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN",
            Self::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }

    /// Ends a `SELECT` whose rows are locked until the transaction ends. On SQLite the whole
    /// database is. Not the strongest lock: rows that merely refer to a locked one (a change set
    /// to its organization) must not wait for it, or two writers could wait for each other.
    pub(crate) fn for_update(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => " FOR NO KEY UPDATE",
        }
    }

    /// As [`Self::for_update`], but rows that somebody else has locked are passed over.
    pub(crate) fn for_update_of_free(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => " FOR NO KEY UPDATE SKIP LOCKED",
        }
    }

    /// As [`Self::for_update`], but others may read-lock the same rows.
    pub(crate) fn for_share(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => " FOR SHARE",
        }
    }

    /// A table expression with the column `value`: the texts of a JSON list in a TEXT column.
    pub(crate) fn each_text(self, column: &str) -> String {
        match self {
            Self::Sqlite => format!("json_each({column})"),
            Self::Postgres => format!("jsonb_array_elements_text({column}::jsonb) AS t (value)"),
        }
    }

    /// Whether there is a table of this name.
    pub(crate) async fn has_table(
        self,
        connection: &mut AnyConnection,
        name: &str,
    ) -> Result<bool, StoreError> {
        let statement = match self {
            Self::Sqlite => "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = $1",
            Self::Postgres => {
                "SELECT COUNT(*) FROM pg_tables \
                 WHERE schemaname = current_schema() AND tablename = $1"
            }
        };
        let found = sqlx::query(statement)
            .bind(name)
            .fetch_one(connection)
            .await?;
        Ok(row::number(&found, 0)? > 0)
    }

    /// Waits until no other process holds the lock; it is freed when the transaction ends. On
    /// SQLite the transaction, begun by [`Self::begin_write`], is the lock.
    pub(crate) async fn lock(
        self,
        connection: &mut AnyConnection,
        lock: Lock,
    ) -> Result<(), StoreError> {
        if self == Self::Postgres {
            sqlx::query("SELECT pg_advisory_xact_lock($1)")
                .bind(lock as i64)
                .execute(connection)
                .await?;
        }
        Ok(())
    }

    /// Tells other nodes, when and only if this transaction commits, that something is another now: an
    /// environment, or what relays of an organization may have. `of` is its id.
    pub(crate) async fn notify(
        self,
        connection: &mut AnyConnection,
        of: &str,
    ) -> Result<(), StoreError> {
        if self == Self::Postgres {
            sqlx::query("SELECT pg_notify($1, $2)")
                .bind(CHANNEL)
                .bind(of)
                .execute(connection)
                .await?;
        }
        Ok(())
    }
}
