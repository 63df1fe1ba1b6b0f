//! Taking a key out of the log's images. Their digests stay: the chain is taken over those.

use burgee_domain::forget::{self, Depth};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::log::{self, whole_of};
use crate::{Store, image, organizations, row};

/// Images that are looked at together.
const AT_ONCE: i64 = 100;

/// The versions of one item in a scope, one after the other.
const ROWS: &str = "SELECT item_kind, item_id, version, ordinal, image, image_size, whole_version, \
    whole_ordinal FROM change_log WHERE scope_id = $1 AND item_kind IN ('flag', 'segment') \
    AND (item_kind, item_id, version, ordinal) > ($2, $3, $4, $5) \
    ORDER BY item_kind, item_id, version, ordinal LIMIT $6";

/// Where reading stands: item kind, item id, version, ordinal.
type At = (String, String, i64, i64);

/// An image as it was and as it shall be, by its place.
struct Base {
    place: (i64, i64),
    old: Vec<u8>,
    new: Vec<u8>,
}

impl Store {
    /// Takes a key out of the images of an organization's history: state at a version is then what
    /// it was, without that key. How many images that were.
    pub async fn forget_in_images(
        &self,
        organization: &Id<Organization>,
        key: &str,
    ) -> Result<u64, StoreError> {
        let mut scopes = self.all_environments(organization).await?;
        let rows = sqlx::query("SELECT id FROM projects WHERE organization_id = $1")
            .bind(organization.as_str())
            .fetch_all(&self.shared.truth.read)
            .await?;
        for found in &rows {
            scopes.push(row::text(found, 0)?);
        }
        scopes.push(organization.as_str().to_owned());
        let mut changed = 0;
        for scope in &scopes {
            for (kind, id) in self.items_with(scope, key).await? {
                changed += self
                    .rewrite_item(organization, scope, (&kind, &id), key)
                    .await?;
            }
        }
        Ok(changed)
    }

    /// The items of a scope of which some image has the key; that of a newest one may be no more
    /// than what a rule of it asks for.
    async fn items_with(
        &self,
        scope: &str,
        key: &str,
    ) -> Result<Vec<(String, String)>, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let mut at: At = (String::new(), String::new(), -1, -1);
        let (mut items, mut base) = (Vec::<(String, String)>::new(), None);
        loop {
            let rows = page(&mut connection, scope, &at).await?;
            let Some(last) = rows.last() else {
                return Ok(items);
            };
            at = place(last)?;
            for found in &rows {
                let (kind, id, version, ordinal) = place(found)?;
                let text = unpack(found, base.as_ref())?;
                let item = (kind, id);
                if items.last() != Some(&item) && without(&text, key, false)?.is_some() {
                    items.push(item);
                }
                if whole_of(found, 6)?.is_none() {
                    base = Some(Base {
                        place: (version, ordinal),
                        new: Vec::new(),
                        old: text,
                    });
                }
            }
        }
    }

    /// Rewrites all images of an item that have the key, and those that differ from such.
    async fn rewrite_item(
        &self,
        organization: &Id<Organization>,
        scope: &str,
        (kind, id): (&str, &str),
        key: &str,
    ) -> Result<u64, StoreError> {
        let mut tx = self.begin_write().await?;
        // Every writer of images holds it shared: none adds a difference from what is rewritten.
        let lock = self.shared.dialect.for_update();
        organizations::lock(&mut tx, organization, lock).await?;
        let newest = newest(&mut tx, scope, (kind, id)).await?;
        let mut at: At = (kind.to_owned(), id.to_owned(), -1, -1);
        let (mut changed, mut base): (u64, Option<Base>) = (0, None);
        'pages: loop {
            let rows = page(&mut tx, scope, &at).await?;
            let Some(last) = rows.last() else { break };
            at = place(last)?;
            for found in &rows {
                let (of_kind, of_id, version, ordinal) = place(found)?;
                if (of_kind.as_str(), of_id.as_str()) != (kind, id) {
                    break 'pages;
                }
                let old = unpack(found, base.as_ref())?;
                let new = without(&old, key, (version, ordinal) == newest)?;
                changed += u64::from(new.is_some());
                let new = new.unwrap_or_else(|| old.clone());
                let packed = match (whole_of(found, 6)?, &base) {
                    (Some(_), Some(base)) => image::pack_difference(&new, &base.new)?,
                    _ => image::pack(&new)?,
                };
                put(&mut tx, scope, (version, ordinal), packed, new.len()).await?;
                if whole_of(found, 6)?.is_none() {
                    let place = (version, ordinal);
                    base = Some(Base { place, old, new });
                }
            }
        }
        tx.commit().await?;
        Ok(changed)
    }
}

async fn page(
    connection: &mut AnyConnection,
    scope: &str,
    at: &At,
) -> Result<Vec<AnyRow>, StoreError> {
    let rows = sqlx::query(ROWS)
        .bind(scope)
        .bind(&at.0)
        .bind(&at.1)
        .bind(at.2)
        .bind(at.3)
        .bind(AT_ONCE)
        .fetch_all(connection)
        .await?;
    Ok(rows)
}

fn place(found: &AnyRow) -> Result<At, StoreError> {
    Ok((
        row::text(found, 0)?,
        row::text(found, 1)?,
        row::number(found, 2)?,
        row::number(found, 3)?,
    ))
}

/// The image of a row; `base` is the item's last whole one.
fn unpack(found: &AnyRow, base: Option<&Base>) -> Result<Vec<u8>, StoreError> {
    let (packed, size) = (row::blob(found, 4)?, log::size(found, 5)?);
    match whole_of(found, 6)? {
        None => image::unpack(&packed, size),
        Some(place) => {
            let base = base.filter(|base| base.place == place);
            let base = base.ok_or_else(|| StoreError::corrupt("an image has lost its base"))?;
            image::unpack_difference(&packed, &base.old, size)
        }
    }
}

/// The image without the key; none where it has it not. Of what was so once, nothing is left.
fn without(text: &[u8], key: &str, is_newest: bool) -> Result<Option<Vec<u8>>, StoreError> {
    let text = std::str::from_utf8(text).map_err(|error| StoreError::Other(Box::new(error)))?;
    let without = match is_newest {
        true => forget::newest_image(text, key),
        false => forget::image(text, key, Depth::Texts),
    };
    Ok(without.map(String::into_bytes))
}

/// The version and ordinal of an item's newest image.
async fn newest(
    connection: &mut AnyConnection,
    scope: &str,
    (kind, id): (&str, &str),
) -> Result<(i64, i64), StoreError> {
    let found = sqlx::query(
        "SELECT version, ordinal FROM change_log WHERE scope_id = $1 AND item_kind = $2 \
         AND item_id = $3 ORDER BY version DESC, ordinal DESC LIMIT 1",
    )
    .bind(scope)
    .bind(kind)
    .bind(id)
    .fetch_one(connection)
    .await?;
    Ok((row::number(&found, 0)?, row::number(&found, 1)?))
}

async fn put(
    connection: &mut AnyConnection,
    scope: &str,
    (version, ordinal): (i64, i64),
    packed: Vec<u8>,
    size: usize,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE change_log SET image = $1, image_size = $2 \
         WHERE scope_id = $3 AND version = $4 AND ordinal = $5",
    )
    .bind(packed)
    .bind(size as i64)
    .bind(scope)
    .bind(version)
    .bind(ordinal)
    .execute(connection)
    .await?;
    Ok(())
}
