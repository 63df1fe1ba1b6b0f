//! Where the users of a page are: keys first, then, where something is looked for, names.

use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use super::{SCAN, UserSearch};
use crate::error::StoreError;
use crate::page::bad_cursor;
use crate::row;
use crate::sql::{Sql, containing};

/// A user's place in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Found by the key.
    Key(String),
    /// Found by the name: in lower case, and the key.
    Name(String, String),
}

impl Place {
    pub(super) fn key(&self) -> &str {
        match self {
            Self::Key(key) | Self::Name(_, key) => key,
        }
    }

    /// What a page that ends here is gone on from with.
    pub(super) fn cursor(&self) -> String {
        let parts = match self {
            Self::Key(key) => vec![key],
            Self::Name(name, key) => vec![name, key],
        };
        serde_json::json!(parts).to_string()
    }
}

/// Where a page begins.
pub(super) fn read_cursor(cursor: Option<&str>) -> Result<Place, StoreError> {
    let Some(cursor) = cursor else {
        return Ok(Place::Key(String::new()));
    };
    let parts: Vec<String> = serde_json::from_str(cursor).map_err(|_| bad_cursor())?;
    match <[String; 1]>::try_from(parts) {
        Ok([key]) => Ok(Place::Key(key)),
        Err(parts) => match <[String; 2]>::try_from(parts) {
            Ok([name, key]) => Ok(Place::Name(name, key)),
            Err(_) => Err(bad_cursor()),
        },
    }
}

const BY_NAME: &str = " ORDER BY LOWER(name), key LIMIT ";

/// What was found.
pub(super) struct Found {
    /// One more than were asked for, where there are.
    pub(super) places: Vec<Place>,
    /// Where looking stopped, where it did before the end.
    pub(super) rest: Option<Place>,
}

/// Finds users after a place.
pub(super) async fn find(
    connection: &mut AnyConnection,
    environment: &str,
    search: Option<&UserSearch>,
    from: Place,
    size: usize,
) -> Result<Found, StoreError> {
    let mut look = Look {
        connection,
        environment,
        search,
        size,
        places: Vec::new(),
    };
    let rest = match from {
        Place::Key(key) => match look.keys(&key).await? {
            None if search.is_some() && look.places.len() <= size => look.names("", "").await?,
            rest => rest,
        },
        Place::Name(name, key) => look.names(&name, &key).await?,
    };
    Ok(Found {
        places: look.places,
        rest,
    })
}

struct Look<'a> {
    connection: &'a mut AnyConnection,
    environment: &'a str,
    search: Option<&'a UserSearch>,
    size: usize,
    places: Vec<Place>,
}

impl Look<'_> {
    fn limit(&self) -> i64 {
        i64::try_from(self.size + 1 - self.places.len()).unwrap_or(i64::MAX)
    }

    async fn fetch(&mut self, sql: Sql) -> Result<Vec<AnyRow>, StoreError> {
        let query = sql.query_for(self.connection.backend_name())?;
        Ok(query.fetch_all(&mut *self.connection).await?)
    }

    /// Looks through keys; where it stopped before the end.
    async fn keys(&mut self, after: &str) -> Result<Option<Place>, StoreError> {
        let text = self.contained();
        let mut sql = Sql::new(match text {
            None => "SELECT key FROM end_users WHERE environment_id = ",
            Some(_) => "SELECT key FROM (SELECT key FROM end_users WHERE environment_id = ",
        });
        sql.bind(self.environment).push(" AND key > ").bind(after);
        if let Some(UserSearch::Prefix(prefix)) = self.search {
            between(&mut sql, "key", prefix);
        }
        if let Some(text) = text {
            sql.push(" ORDER BY key LIMIT ").bind(SCAN);
            sql.push(") AS looked WHERE LOWER(key) LIKE ").bind(text);
            sql.push(" ESCAPE '\\'");
        }
        sql.push(" ORDER BY key LIMIT ").bind(self.limit());
        for found in self.fetch(sql).await? {
            self.places.push(Place::Key(row::text(&found, 0)?));
        }
        match self.contained().is_some() && self.places.len() <= self.size {
            true => self.last_key(after).await,
            false => Ok(None),
        }
    }

    /// The last of the keys that were looked through, where there may be more.
    async fn last_key(&mut self, after: &str) -> Result<Option<Place>, StoreError> {
        let mut sql = Sql::new("SELECT key FROM end_users WHERE environment_id = ");
        sql.bind(self.environment).push(" AND key > ").bind(after);
        sql.push(" ORDER BY key LIMIT 1 OFFSET ").bind(SCAN - 1);
        let last = self.fetch(sql).await?;
        let last = last.first().map(|found| row::text(found, 0)).transpose()?;
        Ok(last.map(Place::Key))
    }

    /// The pattern of what is looked for anywhere.
    fn contained(&self) -> Option<String> {
        match self.search {
            Some(UserSearch::Contains(text)) => Some(containing(&text.to_ascii_lowercase())),
            _ => None,
        }
    }

    /// Looks through names; where it stopped before the end.
    async fn names(&mut self, name: &str, key: &str) -> Result<Option<Place>, StoreError> {
        let Some(search) = self.search else {
            return Err(bad_cursor());
        };
        let mut sql = match search {
            UserSearch::Prefix(_) => Sql::new("SELECT LOWER(name), key FROM end_users"),
            UserSearch::Contains(_) => Sql::new(
                "SELECT lowered, key FROM (SELECT LOWER(name) AS lowered, key FROM end_users",
            ),
        };
        self.named(&mut sql, name, key);
        let limit = self.limit();
        match search {
            UserSearch::Prefix(prefix) => {
                between(&mut sql, "LOWER(name)", &prefix.to_ascii_lowercase());
                sql.push(BY_NAME).bind(limit);
            }
            UserSearch::Contains(_) => {
                sql.push(BY_NAME).bind(SCAN);
                sql.push(") AS looked WHERE lowered LIKE ");
                sql.bind(self.contained().as_deref()).push(" ESCAPE '\\'");
                sql.push(" ORDER BY lowered, key LIMIT ").bind(limit);
            }
        }
        let found = self.fetch(sql).await?;
        let full = i64::try_from(found.len()).is_ok_and(|count| count >= limit);
        let mut last = None;
        for found in &found {
            let place = Place::Name(row::text(found, 0)?, row::text(found, 1)?);
            last = Some(place.clone());
            // Found by the key already.
            if !self.in_key(place.key()) {
                self.places.push(place);
            }
        }
        if full {
            // Some may have been passed over: the page ends early, where looking did.
            return Ok(last.filter(|_| self.places.len() <= self.size));
        }
        match search {
            UserSearch::Prefix(_) => Ok(None),
            UserSearch::Contains(_) => self.last_name(name, key).await,
        }
    }

    /// Appends which users have a name and are after a place.
    fn named(&self, sql: &mut Sql, name: &str, key: &str) {
        sql.push(" WHERE environment_id = ").bind(self.environment);
        // As the index has it, so that it is used.
        sql.push(" AND name <> '' AND name <> key AND LOWER(name) >= ");
        sql.bind(name).push(" AND (LOWER(name), key) > (");
        sql.bind(name).push(", ").bind(key).push(")");
    }

    /// The last of the names that were looked through, where there may be more.
    async fn last_name(&mut self, name: &str, key: &str) -> Result<Option<Place>, StoreError> {
        let mut sql = Sql::new("SELECT LOWER(name), key FROM end_users");
        self.named(&mut sql, name, key);
        sql.push(" ORDER BY LOWER(name), key LIMIT 1 OFFSET ")
            .bind(SCAN - 1);
        let last = self.fetch(sql).await?;
        let last = last.first().map(|found| {
            let name = row::text(found, 0)?;
            Ok::<_, StoreError>(Place::Name(name, row::text(found, 1)?))
        });
        last.transpose()
    }

    fn in_key(&self, key: &str) -> bool {
        match self.search {
            None => false,
            Some(UserSearch::Prefix(prefix)) => key.starts_with(prefix),
            Some(UserSearch::Contains(text)) => key
                .to_ascii_lowercase()
                .contains(&text.to_ascii_lowercase()),
        }
    }
}

/// Appends that a column begins with a text: as a range, which an index in byte order finds.
fn between(sql: &mut Sql, column: &str, prefix: &str) {
    sql.push(" AND ").push(column).push(" >= ").bind(prefix);
    if let Some(after) = after_all(prefix) {
        sql.push(" AND ").push(column).push(" < ").bind(after);
    }
}

/// The first text, by bytes, after all that begin so; none where there is none.
fn after_all(prefix: &str) -> Option<String> {
    let mut characters: Vec<char> = prefix.chars().collect();
    while let Some(last) = characters.pop() {
        // Surrogates are no characters: what follows them does.
        let next = (last as u32 + 1..=char::MAX as u32).find_map(char::from_u32);
        if let Some(next) = next {
            characters.push(next);
            return Some(characters.into_iter().collect());
        }
    }
    None
}
