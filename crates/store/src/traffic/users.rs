//! End users: lists, search, samples.
//!
//! There may be millions, and people look for one of them. What begins so is found by an index,
//! however many there are: keys by the primary key, names by an index of their own. What *contains*
//! so cannot be: keys and names are looked through in order, [`SCAN`] of each for one page, and the
//! page says where it stopped; it then may hold few users, or none, and still have a next one. (A
//! trigram index would cost each new user some forty entries on the path of traffic.)

mod places;

use burgee_eval::time::Millis;
use sqlx::AnyConnection;

use super::read::read_user;
use super::{EndUser, Traffic};
use crate::error::StoreError;
use crate::page::{MAX_BYTES, PageRequest};
use crate::row;
use crate::sql::Sql;

use places::{Found, Place};

/// How many keys, and how many names, one page looks through for what contains a text: some tenths
/// of a second.
const SCAN: i64 = 200_000;

/// Users read at once: each may have 100 KiB.
const CHUNK: usize = 100;

/// What is looked for in keys and names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserSearch {
    /// Keys that begin exactly so, then names that do, whatever the case of ASCII's letters.
    Prefix(String),
    /// Keys and names that contain it, whatever the case of ASCII's letters.
    Contains(String),
}

/// A page of users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserPage {
    /// By key; where names were looked for, those found by their name come after, by name.
    pub items: Vec<EndUser>,
    /// What to ask for the next page with; none at the end.
    pub next: Option<String>,
}

/// How many users there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// So many, or more where `at_least` says so.
    pub count: i64,
    /// Whether counting stopped there.
    pub at_least: bool,
}

/// Some of an environment's users: those seen last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// How many there are.
    pub known: Known,
    /// The keys of those that were chosen.
    pub keys: Vec<String>,
}

impl Traffic<'_> {
    /// An environment's users, page by page.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] for a cursor that no page was given with.
    pub async fn end_users(
        &self,
        environment: &str,
        search: Option<&UserSearch>,
        page: &PageRequest,
    ) -> Result<UserPage, StoreError> {
        let mut connection = self.store.shared.traffic.read.acquire().await?;
        let size = usize::try_from(page.size()).unwrap_or(usize::MAX);
        let from = places::read_cursor(page.cursor.as_deref())?;
        let Found { mut places, rest } =
            places::find(&mut connection, environment, search, from, size).await?;
        let mut next = rest;
        if places.len() > size {
            places.truncate(size);
            next = places.last().cloned();
        }
        let (items, last) = load(&mut connection, environment, &places).await?;
        if last < places.len() {
            next = last.checked_sub(1).and_then(|at| places.get(at).cloned());
        }
        Ok(UserPage {
            items,
            next: next.as_ref().map(Place::cursor),
        })
    }

    /// How many users an environment has, counted up to `most`.
    pub async fn known_users(&self, environment: &str, most: i64) -> Result<Known, StoreError> {
        let found = sqlx::query(
            "SELECT COUNT(*) FROM (SELECT 1 FROM end_users WHERE environment_id = $1 LIMIT $2) \
             AS counted",
        )
        .bind(environment)
        .bind(most.saturating_add(1))
        .fetch_one(&self.store.shared.traffic.read)
        .await?;
        let count = row::number(&found, 0)?;
        Ok(Known {
            count: count.min(most),
            at_least: count > most,
        })
    }

    /// The users seen last, `size` at most; counted up to `most`.
    pub async fn recent_users(
        &self,
        environment: &str,
        size: i64,
        most: i64,
    ) -> Result<Sample, StoreError> {
        let rows = sqlx::query(
            "SELECT key FROM end_users WHERE environment_id = $1 ORDER BY last_seen DESC LIMIT $2",
        )
        .bind(environment)
        .bind(size)
        .fetch_all(&self.store.shared.traffic.read)
        .await?;
        let keys: Result<Vec<String>, _> = rows.iter().map(|found| row::text(found, 0)).collect();
        Ok(Sample {
            known: self.known_users(environment, most).await?,
            keys: keys?,
        })
    }

    /// Users by key, those that are there, in the order of the keys; as many as fit into a chunk of
    /// memory. Also how many of the keys that were.
    pub async fn users_of(
        &self,
        environment: &str,
        keys: &[String],
    ) -> Result<(Vec<EndUser>, usize), StoreError> {
        let mut connection = self.store.shared.traffic.read.acquire().await?;
        let places: Vec<Place> = keys.iter().cloned().map(Place::Key).collect();
        load(&mut connection, environment, &places).await
    }

    /// Everybody after a key, in the order of keys, as many as fit into a chunk of memory; none at
    /// the end.
    pub async fn users_after(
        &self,
        environment: &str,
        after: &str,
    ) -> Result<Vec<EndUser>, StoreError> {
        let page = PageRequest {
            cursor: Some(Place::Key(after.to_owned()).cursor()),
            limit: Some(crate::page::MAX_LIMIT),
        };
        Ok(self.end_users(environment, None, &page).await?.items)
    }

    /// Forgets a user: their row, what they were served and what they did. Counts stay, since they
    /// name nobody. How many rows that were.
    pub async fn forget_user(&self, environment: &str, key: &str) -> Result<u64, StoreError> {
        let mut tx = self.store.begin_traffic().await?;
        let mut gone = 0;
        for statement in [
            "DELETE FROM end_users WHERE environment_id = $1 AND key = $2",
            "DELETE FROM exposures WHERE environment_id = $1 AND user_key = $2",
            "DELETE FROM metric_events WHERE environment_id = $1 AND user_key = $2",
            "DELETE FROM decisions WHERE environment_id = $1 AND user_key = $2",
        ] {
            let done = sqlx::query(statement)
                .bind(environment)
                .bind(key)
                .execute(&mut *tx)
                .await?;
            gone += done.rows_affected();
        }
        tx.commit().await?;
        Ok(gone)
    }

    /// Writes users that were not seen but are given: each as if seen at this moment.
    ///
    /// # Errors
    /// Nothing was written.
    pub async fn put_users(&self, users: &[super::UserSeen<'_>]) -> Result<u64, StoreError> {
        let batch = super::Batch {
            sender: format!("upload-{}", uuid::Uuid::now_v7()).into(),
            sequence: 0,
            at: users.first().map_or(Millis(0), |user| user.at),
            users: users.to_vec(),
            ..super::Batch::default()
        };
        Ok(self.write(&batch).await?.refused)
    }
}

/// Reads the users at places, as many as a page may have bytes (one at least), and how many places
/// that were.
async fn load(
    connection: &mut AnyConnection,
    environment: &str,
    places: &[Place],
) -> Result<(Vec<EndUser>, usize), StoreError> {
    let most = usize::try_from(MAX_BYTES).unwrap_or(usize::MAX);
    let (mut items, mut bytes) = (Vec::with_capacity(places.len()), 0);
    for (number, chunk) in places.chunks(CHUNK).enumerate() {
        let mut sql = Sql::new(
            "SELECT key, name, properties, first_seen, last_seen, changed_at, types FROM end_users",
        );
        sql.push(" WHERE environment_id = ").bind(environment);
        sql.push(" AND key IN ").list(chunk.iter().map(Place::key));
        let rows = sql
            .query_for(connection.backend_name())?
            .fetch_all(&mut *connection)
            .await?;
        let users: Result<Vec<EndUser>, _> = rows.iter().map(read_user).collect();
        let mut users: std::collections::HashMap<String, EndUser> =
            users?.into_iter().map(|it| (it.key.clone(), it)).collect();
        for (offset, place) in chunk.iter().enumerate() {
            let Some(user) = users.remove(place.key()) else {
                continue;
            };
            bytes += size(&user);
            if bytes > most && !items.is_empty() {
                return Ok((items, number * CHUNK + offset));
            }
            items.push(user);
        }
    }
    Ok((items, places.len()))
}

fn size(user: &EndUser) -> usize {
    let properties = user.properties.iter();
    let properties = properties.map(|(name, value)| name.len() + value.len());
    user.key.len() + user.name.len() + properties.sum::<usize>()
}
