//! What the edge asks: where environments stand, what they serve, what came after a position, and
//! whose a key is.
//!
//! Each answer is of one moment (one read transaction), and costs the same number of queries for
//! five flags as for five thousand.

mod changes;

use std::collections::BTreeSet;

use burgee_domain::id::Id;
use burgee_domain::model::{Environment, SdkKey, SdkKeyKind};
use burgee_domain::position::Position;
use burgee_domain::served;
use burgee_eval::time::Millis;
use burgee_eval::{flag, segment};
use sqlx::AnyConnection;

use crate::error::StoreError;
use crate::sql::{LIST, Sql};
use crate::{Store, environments, flags, row, sdk_keys, segments, targetings};

/// From so many changed items on the whole state is read instead: it is then hardly larger, and
/// whoever asks has been away for long.
pub const MAX_DELTA: usize = 1_000;

/// Where an environment stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Which.
    pub environment: Id<Environment>,
    /// Its newest position.
    pub position: Position,
}

/// All that an environment serves.
#[derive(Clone, Debug)]
pub struct State {
    /// The environment, with its position and last stamp.
    pub environment: Environment,
    /// When its version was asked for; 0 before the first.
    pub at: Millis,
    /// The trace that its version belongs to, as W3C's `traceparent`.
    pub trace: Option<String>,
    /// Released flags; archived and deleted ones are marked archived. One per key.
    pub flags: Vec<flag::Flag>,
    /// Segments in scope; archived and deleted ones are marked archived. One per id.
    pub segments: Vec<segment::Segment>,
    /// The keys that are valid now.
    pub keys: Vec<SdkKey>,
}

/// What came after a position.
#[derive(Clone, Debug)]
pub enum Changes {
    /// The history goes on from there.
    Since(Delta),
    /// The position is not in the history, or too much came after.
    Reload(State),
    /// There is no such environment (any more).
    Gone,
}

/// The latest state of all that changed after a position.
#[derive(Clone, Debug)]
pub struct Delta {
    /// The environment, with its position and last stamp.
    pub environment: Environment,
    /// As in [`State::at`].
    pub at: Millis,
    /// As in [`State::trace`].
    pub trace: Option<String>,
    /// As in [`State::flags`].
    pub flags: Vec<flag::Flag>,
    /// As in [`State::segments`].
    pub segments: Vec<segment::Segment>,
    /// All keys that are valid now, where keys changed.
    pub keys: Option<Vec<SdkKey>>,
}

/// The edge's questions; made by [`Store::edge`].
#[derive(Clone, Copy, Debug)]
pub struct Edge<'a> {
    store: &'a Store,
}

impl Store {
    /// The edge's questions.
    pub fn edge(&self) -> Edge<'_> {
        Edge { store: self }
    }
}

impl Edge<'_> {
    /// Where all environments stand.
    pub async fn heads(&self) -> Result<Vec<Head>, StoreError> {
        let rows =
            sqlx::query("SELECT id, version, chain FROM environments WHERE deleted_at IS NULL")
                .fetch_all(&self.store.shared.truth.read)
                .await?;
        rows.iter()
            .map(|found| {
                let chain = row::hash(found, 2)?;
                Ok(Head {
                    environment: row::id(found, 0)?,
                    position: Position::new(row::number(found, 1)?, &chain),
                })
            })
            .collect()
    }

    /// Everything about an environment, by id; none where it does not exist.
    pub async fn state(&self, environment: &str) -> Result<Option<State>, StoreError> {
        let mut tx = self.store.begin_read().await?;
        let state = match environments::find(&mut tx, environment).await? {
            Some(environment) => Some(state(&mut tx, environment).await?),
            None => None,
        };
        tx.rollback().await?;
        Ok(state)
    }

    /// What came after `from` in an environment, by id.
    pub async fn changes(&self, environment: &str, from: Position) -> Result<Changes, StoreError> {
        let mut tx = self.store.begin_read().await?;
        let changes = match environments::find(&mut tx, environment).await? {
            Some(environment) => changes::changes(&mut tx, environment, from).await?,
            None => Changes::Gone,
        };
        tx.rollback().await?;
        Ok(changes)
    }

    /// Whether an environment, by id, was once at this position.
    pub async fn had(&self, environment: &str, position: Position) -> Result<bool, StoreError> {
        let mut tx = self.store.begin_read().await?;
        let had = match environments::find(&mut tx, environment).await? {
            Some(found) => changes::is_in_history(&mut tx, &found, position).await?,
            None => false,
        };
        tx.rollback().await?;
        Ok(had)
    }

    /// The environment and kind of the key with exactly this text, if it is valid now.
    pub async fn find_key(
        &self,
        secret: &str,
    ) -> Result<Option<(Id<Environment>, SdkKeyKind)>, StoreError> {
        // PostgreSQL would refuse to compare it; nothing of that kind is stored.
        if secret.contains('\0') {
            return Ok(None);
        }
        let mut connection = self.store.shared.truth.read.acquire().await?;
        let key = sdk_keys::find(&mut connection, secret).await?;
        Ok(key.map(|key| (key.environment, key.kind)))
    }
}

async fn state(
    connection: &mut AnyConnection,
    environment: Environment,
) -> Result<State, StoreError> {
    let (at, trace) = asked_for(connection, &environment).await?;
    Ok(State {
        flags: served_flags(connection, &environment, None).await?,
        segments: served_segments(connection, &environment, None).await?,
        keys: sdk_keys::valid(connection, environment.id.as_str()).await?,
        at,
        trace,
        environment,
    })
}

/// When an environment's version was asked for, and in which trace.
async fn asked_for(
    connection: &mut AnyConnection,
    environment: &Environment,
) -> Result<(Millis, Option<String>), StoreError> {
    let found = sqlx::query("SELECT at, trace FROM versions WHERE scope_id = $1 AND version = $2")
        .bind(environment.id.as_str())
        .bind(environment.position.version)
        .fetch_optional(connection)
        .await?;
    Ok(match found {
        Some(found) => (row::millis(&found, 0)?, row::optional_text(&found, 1)?),
        None => (Millis(0), None),
    })
}

async fn served_flags(
    connection: &mut AnyConnection,
    environment: &Environment,
    only: Option<&BTreeSet<String>>,
) -> Result<Vec<flag::Flag>, StoreError> {
    let mut served = Vec::new();
    for ids in lists(only) {
        let mut sql = Sql::new("SELECT ");
        sql.push(flags::COLUMNS)
            .push(", ")
            .push(targetings::COLUMNS);
        sql.push(" FROM targetings t JOIN flags f");
        sql.push(" ON f.project_id = t.project_id AND f.id = t.flag_id");
        sql.push(" WHERE t.environment_id = ")
            .bind(environment.id.as_str());
        if let Some(ids) = ids {
            sql.push(" AND t.flag_id IN ").list(ids);
        }
        for found in sql.query()?.fetch_all(&mut *connection).await? {
            let flag = flags::read(&found)?;
            let targeting = targetings::read(&found, flags::WIDTH)?;
            served.push(served::flag(&flag, &targeting, environment));
        }
    }
    Ok(served)
}

async fn served_segments(
    connection: &mut AnyConnection,
    environment: &Environment,
    only: Option<&BTreeSet<String>>,
) -> Result<Vec<segment::Segment>, StoreError> {
    let mut served = Vec::new();
    for ids in lists(only) {
        let mut sql = Sql::new("SELECT ");
        sql.push(segments::COLUMNS)
            .push(", p.stamp FROM segment_environments p");
        sql.push(" JOIN segments s ON s.organization_id = p.organization_id");
        sql.push(" AND s.id = p.segment_id WHERE p.environment_id = ");
        sql.bind(environment.id.as_str());
        if let Some(ids) = ids {
            sql.push(" AND p.segment_id IN ").list(ids);
        }
        for found in sql.query()?.fetch_all(&mut *connection).await? {
            let segment = segments::read(&found)?;
            let stamp = row::millis(&found, segments::WIDTH)?;
            served.push(served::segment(&segment, stamp, environment));
        }
    }
    Ok(served)
}

/// One list of none for everything; else the texts in lists that fit a statement.
fn lists(only: Option<&BTreeSet<String>>) -> Vec<Option<Vec<&str>>> {
    let Some(only) = only else {
        return vec![None];
    };
    let texts: Vec<&str> = only.iter().map(String::as_str).collect();
    texts.chunks(LIST).map(|list| Some(list.to_vec())).collect()
}
