//! State at a version, read from the log's images: never by running commands again.

use burgee_domain::served::{LoggedFlag, LoggedSegment};
use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::log::{self, whole_of};
use crate::page::{self, Page, PageRequest};
use crate::sql::{LIST, Sql};
use crate::{Store, image, row};

/// An item as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedItem {
    /// `flag` or `segment`.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// Its key.
    pub key: String,
    /// The version that changed it last.
    pub version: i64,
    /// JSON: in an environment the served shape ([`LoggedFlag`], [`LoggedSegment`]), in a project or
    /// organization the definition (`burgee_domain`'s).
    pub image: String,
}

impl LoggedItem {
    /// The flags and segments that these items of an environment are, as they were served.
    pub fn served(items: &[Self]) -> Result<(Vec<Flag>, Vec<Segment>), StoreError> {
        let (mut flags, mut segments) = (Vec::new(), Vec::new());
        for item in items {
            match item.kind.as_str() {
                "flag" => flags.push(serde_json::from_str(&item.image)?),
                _ => segments.push(serde_json::from_str(&item.image)?),
            }
        }
        Ok((flags, segments))
    }

    /// Reads a flag of an environment.
    pub fn flag(&self) -> Result<LoggedFlag, StoreError> {
        Ok(serde_json::from_str(&self.image)?)
    }

    /// Reads a segment of an environment.
    pub fn segment(&self) -> Result<LoggedSegment, StoreError> {
        Ok(serde_json::from_str(&self.image)?)
    }
}

impl Store {
    /// All flags and segments of a scope (an environment's, a project's or an organization's id)
    /// as they were at a version; archived and deleted ones too. By kind, then key.
    pub async fn items_at(&self, scope: &str, version: i64) -> Result<Vec<LoggedItem>, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        read_items(&mut connection, select(scope, version, |_| {})).await
    }

    /// The flags (or segments) of these ids in a scope as they were at a version, by key; without
    /// those that were not there yet. Archived and deleted ones too.
    pub async fn items_of(
        &self,
        scope: &str,
        version: i64,
        kind: &str,
        ids: &[&str],
    ) -> Result<Vec<LoggedItem>, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        items_of(&mut connection, scope, version, kind, ids).await
    }

    /// The flags (or segments) of a scope as they were at a version, by key: those of these keys,
    /// where some are given, exactly as they are written. Archived and deleted ones too.
    pub async fn items_page(
        &self,
        scope: &str,
        version: i64,
        kind: &str,
        key: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<LoggedItem>, StoreError> {
        let cursor = page.cursor.as_deref();
        let cursor = cursor.map(|it| it.split_once('/').ok_or_else(page::bad_cursor));
        let cursor = cursor.transpose()?;
        let mut sql = Sql::new("SELECT item_id, item_key, image_size FROM (");
        places(&mut sql, scope, version, |sql| {
            sql.push(" AND item_kind = ").bind(kind);
            if let Some(key) = key {
                sql.push(" AND LOWER(item_key) = ")
                    .bind(key.to_ascii_lowercase());
            }
            match cursor {
                Some((key, _)) if kind == "flag" => {
                    sql.push(" AND item_key > ").bind(key);
                }
                Some((key, id)) => {
                    sql.push(" AND (item_key, item_id) > (").bind(key);
                    sql.push(", ").bind(id).push(")");
                }
                None => {}
            }
        });
        sql.push(") newest WHERE newest.place = 1 ORDER BY item_key, item_id LIMIT ");
        sql.bind(page.size() + 1);
        let mut tx = self.begin_read().await?;
        let rows = sql.query()?.fetch_all(&mut *tx).await?;
        let places: Result<Vec<Place>, StoreError> = rows.iter().map(read_place).collect();
        let places = Page::fit(
            places?,
            page.size(),
            |place| place.bytes,
            |place| format!("{}/{}", place.key, place.id),
        );
        let ids: Vec<&str> = places.items.iter().map(|place| place.id.as_str()).collect();
        let items = items_of(&mut tx, scope, version, kind, &ids).await?;
        tx.rollback().await?;
        Ok(Page {
            items,
            next: places.next,
        })
    }
}

/// An item's place in a list.
struct Place {
    id: String,
    key: String,
    bytes: i64,
}

fn read_place(found: &AnyRow) -> Result<Place, StoreError> {
    Ok(Place {
        id: row::text(found, 0)?,
        key: row::text(found, 1)?,
        bytes: row::number(found, 2)?,
    })
}

/// The flags (or segments) of these ids in a scope as they were at a version, by key; without those
/// that were not there.
pub(crate) async fn items_of(
    connection: &mut AnyConnection,
    scope: &str,
    version: i64,
    kind: &str,
    ids: &[&str],
) -> Result<Vec<LoggedItem>, StoreError> {
    let mut items = Vec::with_capacity(ids.len());
    for ids in ids.chunks(LIST) {
        let sql = select(scope, version, |sql| {
            sql.push(" AND item_kind = ").bind(kind);
            sql.push(" AND item_id IN ").list(ids.iter().copied());
        });
        items.extend(read_items(connection, sql).await?);
    }
    Ok(items)
}

/// The newest row of each item up to a version: one per key for flags (a key is one item,
/// whichever flag it is), one per id for segments.
fn places(sql: &mut Sql, scope: &str, version: i64, filter: impl FnOnce(&mut Sql)) {
    sql.push(
        "SELECT scope_id, version, ordinal, item_id, item_key, image_size, ROW_NUMBER() OVER ( \
         PARTITION BY item_kind, CASE item_kind WHEN 'flag' THEN item_key ELSE item_id END \
         ORDER BY version DESC, ordinal DESC) AS place FROM change_log WHERE scope_id = ",
    );
    sql.bind(scope).push(" AND version <= ").bind(version);
    sql.push(" AND item_kind IN ('flag', 'segment')");
    filter(sql);
}

/// The newest rows with their images; `w` is the whole image that one differs from.
fn select(scope: &str, version: i64, filter: impl FnOnce(&mut Sql)) -> Sql {
    let mut sql = Sql::new(
        "SELECT l.item_kind, l.item_id, l.item_key, l.version, l.image, l.image_size, \
         l.whole_version, l.whole_ordinal, w.image, w.image_size FROM (",
    );
    places(&mut sql, scope, version, filter);
    sql.push(
        ") newest JOIN change_log l ON l.scope_id = newest.scope_id \
         AND l.version = newest.version AND l.ordinal = newest.ordinal \
         LEFT JOIN change_log w ON w.scope_id = l.scope_id AND w.version = l.whole_version \
         AND w.ordinal = l.whole_ordinal \
         WHERE newest.place = 1 ORDER BY l.item_kind, l.item_key, l.item_id",
    );
    sql
}

async fn read_items(
    connection: &mut AnyConnection,
    sql: Sql,
) -> Result<Vec<LoggedItem>, StoreError> {
    let rows = sql.query()?.fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

fn read(found: &AnyRow) -> Result<LoggedItem, StoreError> {
    let packed = row::blob(found, 4)?;
    let size = log::size(found, 5)?;
    let image = match whole_of(found, 6)? {
        None => image::unpack(&packed, size)?,
        Some(_) => {
            let base = image::unpack(&row::blob(found, 8)?, log::size(found, 9)?)?;
            image::unpack_difference(&packed, &base, size)?
        }
    };
    Ok(LoggedItem {
        kind: row::text(found, 0)?,
        id: row::text(found, 1)?,
        key: row::text(found, 2)?,
        version: row::number(found, 3)?,
        image: String::from_utf8(image).map_err(|error| StoreError::Other(Box::new(error)))?,
    })
}
