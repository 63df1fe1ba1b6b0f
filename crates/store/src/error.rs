//! What can go wrong when storing, in the few cases that a caller can act on.

use std::borrow::Cow;

use burgee_domain::access::MayNotGive;
use sqlx::error::{DatabaseError, ErrorKind};

use crate::apply::Denied;

/// Why the store did not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such thing (in the caller's organization).
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// It would collide with something that exists.
    #[error("{field}: {message}")]
    Conflict {
        /// The field that collides.
        field: &'static str,
        /// In plain words.
        message: String,
    },
    /// The state of things forbids it; others can change that first.
    #[error("{field}: {message}")]
    Refused {
        /// The field that it is about; empty for all of it.
        field: &'static str,
        /// A stable name of the rule.
        code: &'static str,
        /// In plain words.
        message: String,
    },
    /// Whoever asks may not do it, as things are once it is their turn.
    #[error("{} on {} is not allowed", .0.action, .0.resource)]
    Denied(Box<Denied>),
    /// Whoever asks may not give somebody that.
    #[error("the policy {} may not be given", .0.policy)]
    MayNotGive(Box<MayNotGive>),
    /// Whoever asks is no member any more, or their token does not work any more.
    #[error("whoever asks is gone")]
    ActorGone,
    /// The id of a change set that was used for another one.
    #[error("this id was used for another change set")]
    Reused,
    /// It is nothing that could be meant, or stored by any of the databases.
    #[error("{field}: {message}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// A stable name of the rule.
        code: Cow<'static, str>,
        /// In plain words.
        message: String,
    },
    /// The database cannot be reached, is locked or is full: the same request may work later.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// The connection was lost while the change was being committed: it may have been applied or
    /// not. A change set that carries an id can be sent again; it is applied once.
    #[error("the change may or may not have been applied: {0}")]
    Unknown(String),
    /// A fault in the program or in the data.
    #[error("the database refused: {0}")]
    Other(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl StoreError {
    /// A collision of `field`.
    pub(crate) fn conflict(field: &'static str, message: impl Into<String>) -> Self {
        Self::Conflict {
            field,
            message: message.into(),
        }
    }

    /// A refusal by the rule `code`.
    pub(crate) fn refused(
        field: &'static str,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self::Refused {
            field,
            code,
            message: message.into(),
        }
    }

    /// There are as many as there may be.
    pub(crate) fn too_many(what: &str, most: i64) -> Self {
        let message = format!("there are {most} {what}, which is the limit");
        Self::refused("", "tooMany", message)
    }

    /// Data in the database that should not be there.
    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self::Other(what.into().into())
    }
}

/// Tells a field's collision from other errors, at the query that can cause it (SQLite names no
/// constraint, so the query must know which one it can break).
pub(crate) fn unique(
    field: &'static str,
    message: &'static str,
) -> impl FnOnce(sqlx::Error) -> StoreError {
    move |error| match error.as_database_error() {
        Some(database) if database.is_unique_violation() => StoreError::conflict(field, message),
        _ => error.into(),
    }
}

/// What a failed commit means. Where the database itself says no, nothing was changed; where its
/// answer was lost, nobody knows.
pub(crate) fn of_commit(error: sqlx::Error) -> StoreError {
    let answered = match &error {
        // PostgreSQL ends a session that it shuts down (57P0x) without saying what became of it.
        sqlx::Error::Database(database) => {
            !database.code().is_some_and(|code| code.starts_with("57P"))
        }
        _ => false,
    };
    match answered {
        true => error.into(),
        false => StoreError::Unknown(error.to_string()),
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let unavailable = match &error {
            sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::Io(_)
            // A connection that ends in the middle of its first words is one of these.
            | sqlx::Error::Protocol(_)
            | sqlx::Error::Tls(_) => true,
            sqlx::Error::Database(database) => passes(database.as_ref()),
            _ => false,
        };
        if unavailable {
            Self::Unavailable(error.to_string())
        } else {
            Self::Other(Box::new(error))
        }
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Other(Box::new(error))
    }
}

/// Whether the same statement may succeed later: busy, locked, out of space or memory, timed out,
/// shutting down, or a standby that takes no writes before it is promoted. SQLite's codes are numbers whose low byte is the primary code; PostgreSQL's are
/// five characters whose first two are the class.
fn passes(error: &dyn DatabaseError) -> bool {
    if error.kind() != ErrorKind::Other {
        return false;
    }
    let Some(code) = error.code() else {
        return false;
    };
    if code.len() == 5 {
        let class = &code[..2];
        return ["08", "53", "57", "58", "40"].contains(&class)
            || matches!(&*code, "55P03" | "25006");
    }
    const BUSY_LOCKED_NOMEM_IOERR_FULL_CANTOPEN: [u32; 6] = [5, 6, 7, 10, 13, 14];
    code.parse::<u32>()
        .is_ok_and(|code| BUSY_LOCKED_NOMEM_IOERR_FULL_CANTOPEN.contains(&(code & 0xff)))
}

#[cfg(test)]
mod tests;
