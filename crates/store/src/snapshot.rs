//! State at a version, read from the log's images.

use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::log::{self, whole_of};
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
    /// JSON: in an environment the served shape (`burgee_eval`'s), in a project or organization
    /// the definition (`burgee_domain`'s).
    pub image: String,
}

/// The newest row of each item up to a version: one per key for flags (a key is one item,
/// whichever flag it is), one per id for segments. `w` is the whole image that it differs from.
const SELECT: &str = "\
    SELECT l.item_kind, l.item_id, l.item_key, l.version, l.image, l.image_size, \
           l.whole_version, l.whole_ordinal, w.image, w.image_size \
    FROM (SELECT scope_id, version, ordinal, ROW_NUMBER() OVER ( \
              PARTITION BY item_kind, CASE item_kind WHEN 'flag' THEN item_key ELSE item_id END \
              ORDER BY version DESC, ordinal DESC) AS place \
          FROM change_log \
          WHERE scope_id = $1 AND version <= $2 AND item_kind IN ('flag', 'segment')) newest \
    JOIN change_log l ON l.scope_id = newest.scope_id AND l.version = newest.version \
        AND l.ordinal = newest.ordinal \
    LEFT JOIN change_log w ON w.scope_id = l.scope_id AND w.version = l.whole_version \
        AND w.ordinal = l.whole_ordinal \
    WHERE newest.place = 1 ORDER BY l.item_kind, l.item_key, l.item_id";

impl Store {
    /// All flags and segments of a scope (an environment's, a project's or an organization's id)
    /// as they were at a version; archived and deleted ones too. By kind, then key.
    pub async fn items_at(&self, scope: &str, version: i64) -> Result<Vec<LoggedItem>, StoreError> {
        let rows = sqlx::query(SELECT)
            .bind(scope)
            .bind(version)
            .fetch_all(&self.shared.truth.read)
            .await?;
        rows.iter().map(read).collect()
    }
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
