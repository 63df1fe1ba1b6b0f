//! The change log: what each version of a scope changed, with the item as it was afterwards.
//!
//! State at a version is read from these images; commands are never run again to rebuild it.

mod last;
mod read;

use burgee_domain::outcome::{Item, LogEntry, Scope, Step};
use burgee_domain::position::{self, Row};
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

pub use last::LastChange;
pub(crate) use last::last_changes;
pub(crate) use read::{conflict, since, since_of};

use crate::change_sets::Reference;
use crate::error::StoreError;
use crate::image::Packer;
use crate::sql::{Sql, rows};
use crate::{image, row, trace};

/// How many rows a statement writes.
const ROWS: usize = rows(14);

/// A version of a scope, to be written.
pub(crate) struct Version<'a> {
    pub(crate) scope_kind: &'static str,
    pub(crate) scope: &'a str,
    pub(crate) version: i64,
    pub(crate) chain: [u8; 32],
    pub(crate) rows: Vec<LogRow<'a>>,
}

/// An item that a version changed.
pub(crate) struct LogRow<'a> {
    /// `flag`, `segment`, `sdkKey` or `setting`.
    pub(crate) kind: &'static str,
    pub(crate) id: &'a str,
    pub(crate) key: &'a str,
    /// JSON.
    pub(crate) facets: String,
    /// JSON: indices into the change set's commands.
    pub(crate) commands: String,
    /// JSON.
    pub(crate) image: &'a str,
}

impl<'a> LogRow<'a> {
    /// A row of the domain's.
    pub(crate) fn of(entry: &'a LogEntry) -> Self {
        let (kind, id, key) = match &entry.item {
            Item::Flag(id, key) => ("flag", id.as_str(), key),
            Item::Segment(id, key) => ("segment", id.as_str(), key),
        };
        Self {
            kind,
            id,
            key: key.as_str(),
            facets: position::facets_json(entry),
            commands: serde_json::json!(entry.commands).to_string(),
            image: &entry.image,
        }
    }

    /// What the chain hash is taken over.
    pub(crate) fn chained(&self) -> Row<'_> {
        Row {
            kind: self.kind,
            id: self.id,
            image: position::image_digest(self.image),
            facets: &self.facets,
        }
    }
}

impl<'a> Version<'a> {
    /// A step of the domain's.
    pub(crate) fn of(step: &'a Step) -> Self {
        let (scope_kind, scope) = scope_id(&step.scope);
        Self {
            scope_kind,
            scope,
            version: step.position.version,
            chain: step.chain,
            rows: step.entries.iter().map(LogRow::of).collect(),
        }
    }
}

/// What a scope is stored by.
fn scope_id(scope: &Scope) -> (&'static str, &str) {
    match scope {
        Scope::Organization(id) => ("organization", id.as_str()),
        Scope::Project(id) => ("project", id.as_str()),
        Scope::Environment(id) => ("environment", id.as_str()),
    }
}

/// Writes a version with its rows.
pub(crate) async fn write(
    connection: &mut AnyConnection,
    change_set: &Reference<'_>,
    version: &Version<'_>,
    now: Millis,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO versions \
         (scope_id, version, scope_kind, organization_id, change_set_id, chain, at, trace, number) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, \
         (SELECT number FROM change_sets WHERE organization_id = $4 AND id = $5))",
    )
    .bind(version.scope)
    .bind(version.version)
    .bind(version.scope_kind)
    .bind(change_set.organization)
    .bind(change_set.id)
    .bind(version.chain.to_vec())
    .bind(now.0)
    .bind(trace::here())
    .execute(&mut *connection)
    .await?;
    let mut packer = Packer::new()?;
    for (chunk, rows) in version.rows.chunks(ROWS).enumerate() {
        let mut images = Vec::with_capacity(rows.len());
        for row in rows {
            images.push(encode(connection, version.scope, row, &mut packer).await?);
        }
        insert(connection, version, chunk * ROWS, rows, images).await?;
    }
    Ok(())
}

async fn insert(
    connection: &mut AnyConnection,
    version: &Version<'_>,
    first: usize,
    rows: &[LogRow<'_>],
    images: Vec<Image>,
) -> Result<(), StoreError> {
    let mut sql = Sql::new(
        "INSERT INTO change_log (scope_id, version, ordinal, item_kind, item_id, item_key, \
         facets, commands, image, image_size, image_digest, \
         whole_version, whole_ordinal, differences) VALUES ",
    );
    for (index, (row, image)) in rows.iter().zip(images).enumerate() {
        sql.row(index).bind(version.scope);
        sql.next(version.version).next((first + index) as i64);
        for text in [row.kind, row.id, row.key, &row.facets, &row.commands] {
            sql.next(text);
        }
        sql.next(image.packed).next(row.image.len() as i64);
        sql.next(position::image_digest(row.image).to_vec());
        sql.next(image.whole.map(|(version, _)| version));
        sql.next(image.whole.map(|(_, ordinal)| ordinal));
        sql.next(image.differences).push(")");
    }
    sql.query_for(connection.backend_name())?
        .execute(connection)
        .await?;
    Ok(())
}

/// An image as it is stored.
struct Image {
    packed: Vec<u8>,
    /// The row that it differs from.
    whole: Option<(i64, i64)>,
    differences: i64,
}

impl Image {
    fn whole(text: &str, packer: &mut Packer) -> Result<Self, StoreError> {
        Ok(Self {
            packed: packer.pack(text.as_bytes())?,
            whole: None,
            differences: 0,
        })
    }
}

/// An image whole, or as what differs from the item's last whole one.
async fn encode(
    connection: &mut AnyConnection,
    scope: &str,
    row: &LogRow<'_>,
    packer: &mut Packer,
) -> Result<Image, StoreError> {
    if row.image.len() < image::LARGE {
        return Image::whole(row.image, packer);
    }
    let Some((whole, differences)) = last_whole(connection, scope, row).await? else {
        return Image::whole(row.image, packer);
    };
    if differences >= image::MAX_DIFFERENCES {
        return Image::whole(row.image, packer);
    }
    let base = unpack_whole(connection, scope, whole).await?;
    let packed = image::pack_difference(row.image.as_bytes(), &base.text)?;
    if packed.len() > base.packed_size / 2 {
        return Image::whole(row.image, packer);
    }
    Ok(Image {
        packed,
        whole: Some(whole),
        differences: differences + 1,
    })
}

/// The item's last whole image, and how many differences follow it.
async fn last_whole(
    connection: &mut AnyConnection,
    scope: &str,
    row: &LogRow<'_>,
) -> Result<Option<((i64, i64), i64)>, StoreError> {
    let found = sqlx::query(
        "SELECT version, ordinal, whole_version, whole_ordinal, differences FROM change_log \
         WHERE scope_id = $1 AND item_kind = $2 AND item_id = $3 \
         ORDER BY version DESC, ordinal DESC LIMIT 1",
    )
    .bind(scope)
    .bind(row.kind)
    .bind(row.id)
    .fetch_optional(connection)
    .await?;
    let Some(found) = found else {
        return Ok(None);
    };
    let place = whole_of(&found, 2)?.unwrap_or((row::number(&found, 0)?, row::number(&found, 1)?));
    Ok(Some((place, row::number(&found, 4)?)))
}

/// The place of the whole image that a row differs from, in the columns from `column` on.
pub(crate) fn whole_of(found: &AnyRow, column: usize) -> Result<Option<(i64, i64)>, StoreError> {
    let version = row::optional_millis(found, column)?;
    let ordinal = row::optional_millis(found, column + 1)?;
    Ok(version
        .zip(ordinal)
        .map(|(version, ordinal)| (version.0, ordinal.0)))
}

/// A whole image.
pub(crate) struct Whole {
    pub(crate) text: Vec<u8>,
    packed_size: usize,
}

/// Reads the whole image at a place.
pub(crate) async fn unpack_whole(
    connection: &mut AnyConnection,
    scope: &str,
    (version, ordinal): (i64, i64),
) -> Result<Whole, StoreError> {
    let found = sqlx::query(
        "SELECT image, image_size FROM change_log \
         WHERE scope_id = $1 AND version = $2 AND ordinal = $3",
    )
    .bind(scope)
    .bind(version)
    .bind(ordinal)
    .fetch_one(connection)
    .await?;
    let packed = row::blob(&found, 0)?;
    Ok(Whole {
        text: image::unpack(&packed, size(&found, 1)?)?,
        packed_size: packed.len(),
    })
}

/// A size in a column.
pub(crate) fn size(found: &AnyRow, column: usize) -> Result<usize, StoreError> {
    usize::try_from(row::number(found, column)?)
        .map_err(|_| StoreError::corrupt("a stored size is negative"))
}
