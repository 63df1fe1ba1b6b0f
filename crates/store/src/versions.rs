//! The versions of a scope: who made each, when, why, and what it changed; and which one held at a
//! moment.

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::outcome::Facet;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::change_sets::{Actor, read_actor};
use crate::error::StoreError;
use crate::page::{self, Page, PageRequest};
use crate::sql::Sql;
use crate::{Store, row};

/// How many items a listed version names.
const NAMED: i64 = 20;

/// A moment of a scope's history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moment {
    /// The newest version.
    #[default]
    Newest,
    /// This version; 0 is before all.
    Version(i64),
    /// The newest version of those that were asked for by then.
    At(Millis),
}

/// A version of a scope, found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionAt {
    /// The version.
    pub version: i64,
    /// When it was asked for; none of version 0.
    pub at: Option<Millis>,
    /// Its change set's place in the organization's history; 0 for version 0.
    pub number: i64,
}

/// A version in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedVersion {
    /// The version.
    pub version: i64,
    /// The id of the change set that made it.
    pub change_set: String,
    /// Who made it.
    pub actor: Actor,
    /// Why.
    pub comment: String,
    /// When it was asked for.
    pub at: Millis,
    /// What it changed, the first of it.
    pub items: Vec<VersionItem>,
    /// How many items it changed.
    pub item_count: i64,
}

/// An item that a version changed.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionItem {
    /// `flag`, `segment`, `sdkKey` or `setting`.
    pub kind: String,
    /// Its key.
    pub key: String,
    /// The parts that it changed.
    pub facets: Vec<Facet>,
}

impl Store {
    /// The version of a scope (an environment's, a project's or an organization's id) at a moment.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of `version`, where the scope has not had it.
    pub async fn version_at(&self, scope: &str, moment: Moment) -> Result<VersionAt, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        at(&mut connection, scope, moment).await
    }

    /// All versions of a scope, newest first.
    pub async fn versions(
        &self,
        organization: &Id<Organization>,
        scope: &str,
        page: &PageRequest,
    ) -> Result<Page<ListedVersion>, StoreError> {
        let before = page.cursor.as_deref().map(str::parse::<i64>).transpose();
        let before = before.map_err(|_| page::bad_cursor())?;
        let mut sql = Sql::new(
            "SELECT v.version, c.id, c.actor_kind, c.actor_id, c.actor_name, c.comment, c.at, \
             (SELECT COUNT(*) FROM change_log l WHERE l.scope_id = v.scope_id \
             AND l.version = v.version) FROM versions v JOIN change_sets c \
             ON c.organization_id = v.organization_id AND c.id = v.change_set_id \
             WHERE v.organization_id = ",
        );
        sql.bind(organization.as_str());
        sql.push(" AND v.scope_id = ").bind(scope);
        sql.push(" AND v.version < ")
            .bind(before.unwrap_or(i64::MAX));
        sql.push(" ORDER BY v.version DESC LIMIT ")
            .bind(page.size() + 1);
        let mut tx = self.begin_read().await?;
        let rows = sql.query()?.fetch_all(&mut *tx).await?;
        let listed = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let mut listed = Page::cut(listed, page.size(), |it| it.version.to_string());
        name_items(&mut tx, scope, &mut listed.items).await?;
        tx.rollback().await?;
        Ok(listed)
    }
}

fn read(found: &AnyRow) -> Result<ListedVersion, StoreError> {
    Ok(ListedVersion {
        version: row::number(found, 0)?,
        change_set: row::text(found, 1)?,
        actor: read_actor(found, 2)?,
        comment: row::text(found, 5)?,
        at: row::millis(found, 6)?,
        items: Vec::new(),
        item_count: row::number(found, 7)?,
    })
}

async fn name_items(
    connection: &mut AnyConnection,
    scope: &str,
    listed: &mut [ListedVersion],
) -> Result<(), StoreError> {
    let versions = listed.iter().map(|it| it.version);
    let Some((first, last)) = versions.clone().min().zip(versions.max()) else {
        return Ok(());
    };
    let mut sql = Sql::new("SELECT version, item_kind, item_key, facets FROM change_log");
    sql.push(" WHERE scope_id = ").bind(scope);
    sql.push(" AND version >= ").bind(first);
    sql.push(" AND version <= ").bind(last);
    sql.push(" AND ordinal < ").bind(NAMED);
    sql.push(" ORDER BY version DESC, ordinal");
    for found in sql.query()?.fetch_all(connection).await? {
        let version = row::number(&found, 0)?;
        let facets: serde_json::Value = row::json(&found, 3)?;
        let item = VersionItem {
            kind: row::text(&found, 1)?,
            key: row::text(&found, 2)?,
            // SDK keys and settings have none.
            facets: serde_json::from_value(facets).unwrap_or_default(),
        };
        let place = listed.binary_search_by(|it| version.cmp(&it.version));
        if let Some(listed) = place.ok().and_then(|place| listed.get_mut(place)) {
            listed.items.push(item);
        }
    }
    Ok(())
}

/// The version of a scope at a moment.
pub(crate) async fn at(
    connection: &mut AnyConnection,
    scope: &str,
    moment: Moment,
) -> Result<VersionAt, StoreError> {
    let (column, bound) = match moment {
        Moment::Newest => ("version", i64::MAX),
        Moment::Version(version) => ("version", version),
        Moment::At(at) => ("at", at.0),
    };
    let found = newest(connection, scope, column, bound).await?;
    match moment {
        Moment::Version(version) if version != found.version => {
            let newest = newest(connection, scope, "version", i64::MAX).await?;
            let message = format!("must be from 0 to {}, the newest version", newest.version);
            let field = "version";
            Err(StoreError::Invalid {
                field,
                code: "range".into(),
                message,
            })
        }
        _ => Ok(found),
    }
}

/// The newest version that an organization's history has up to one of its places.
pub(crate) async fn at_number(
    connection: &mut AnyConnection,
    scope: &str,
    number: i64,
) -> Result<i64, StoreError> {
    Ok(newest(connection, scope, "number", number).await?.version)
}

/// The newest version of which a column is at most this.
async fn newest(
    connection: &mut AnyConnection,
    scope: &str,
    column: &str,
    bound: i64,
) -> Result<VersionAt, StoreError> {
    let mut sql = Sql::new("SELECT version, at, number FROM versions WHERE scope_id = ");
    sql.bind(scope).push(" AND ").push(column).push(" <= ");
    sql.bind(bound).push(" ORDER BY version DESC LIMIT 1");
    let found = sql.query()?.fetch_optional(connection).await?;
    let found = found.map(|found| {
        Ok::<_, StoreError>(VersionAt {
            version: row::number(&found, 0)?,
            at: Some(row::millis(&found, 1)?),
            number: row::number(&found, 2)?,
        })
    });
    Ok(found.transpose()?.unwrap_or(VersionAt {
        version: 0,
        at: None,
        number: 0,
    }))
}
