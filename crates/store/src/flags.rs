//! Flags: what a project knows of them.

pub(crate) mod index;
mod needs;

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Flag, Life, Project};
use burgee_domain::outcome::FlagEdit;
use burgee_domain::workspace::FlagState;
use burgee_eval::flag::VariationType;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::dialect::Dialect;
use crate::error::{StoreError, unique};
use crate::page::{Page, PageRequest};
use crate::sql::{LIST, Sql, containing, rows};
use crate::{Store, room, row, targetings};

pub use needs::NeedyFlag;

/// How many rows a statement writes.
const ROWS: usize = rows(14);

/// The columns of a flag, as [`read`] reads them.
pub(crate) const COLUMNS: &str = "f.id, f.key, f.name, f.description, f.kind, f.variations, \
                                  f.tags, f.default_on, f.default_off, f.life, f.created_at";

/// How many columns [`COLUMNS`] are.
pub(crate) const WIDTH: usize = 11;

/// Reads a flag from the columns from the first on.
pub(crate) fn read(found: &AnyRow) -> Result<Flag, StoreError> {
    Ok(Flag {
        id: row::id(found, 0)?,
        key: row::key(found, 1)?,
        name: row::text(found, 2)?,
        description: row::text(found, 3)?,
        kind: row::name::<VariationType>(found, 4)?,
        variations: row::json(found, 5)?,
        tags: row::json(found, 6)?,
        default_on: row::text(found, 7)?,
        default_off: row::text(found, 8)?,
        life: row::name::<Life>(found, 9)?,
        created_at: row::millis(found, 10)?,
    })
}

/// Which flags a list holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlagFilter {
    /// A part of key, name or description, without regard to case.
    pub search: Option<String>,
    /// A tag, exactly.
    pub tag: Option<String>,
    /// Where it is in its life: live where none is given. Deleted ones are never listed.
    pub life: Option<Life>,
    /// On (or off) in this environment; off includes not released.
    pub enabled: Option<(Id<Environment>, bool)>,
}

/// A flag in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedFlag {
    /// The flag.
    pub flag: Flag,
    /// On or off, in each environment where it is released.
    pub enabled: BTreeMap<Id<Environment>, bool>,
}

impl Store {
    /// A project's flags, by key.
    pub async fn flags(
        &self,
        project: &Id<Project>,
        filter: &FlagFilter,
        page: &PageRequest,
    ) -> Result<Page<ListedFlag>, StoreError> {
        let mut tx = self.begin_read().await?;
        let places = places(&mut tx, self.shared.dialect, project, filter, page).await?;
        let ids: Vec<&str> = places.items.iter().map(|place| place.id.as_str()).collect();
        let flags = by_id(&mut tx, project, &ids).await?;
        let mut enabled = targetings::enabled(&mut tx, project, &ids).await?;
        tx.rollback().await?;
        let items = flags.into_iter().map(|flag| ListedFlag {
            enabled: enabled.remove(&flag.id).unwrap_or_default(),
            flag,
        });
        Ok(Page {
            items: items.collect(),
            next: places.next,
        })
    }

    /// The live flags of a project that are released in one of its environments, by key.
    pub async fn released_flags(
        &self,
        project: &Id<Project>,
        environment: &Id<Environment>,
    ) -> Result<Vec<Flag>, StoreError> {
        let mut sql = Sql::new("SELECT ");
        sql.push(COLUMNS);
        sql.push(" FROM targetings t JOIN flags f");
        sql.push(" ON f.project_id = t.project_id AND f.id = t.flag_id");
        sql.push(" WHERE f.life = 'live' AND t.project_id = ");
        sql.bind(project.as_str());
        sql.push(" AND t.environment_id = ")
            .bind(environment.as_str());
        sql.push(" ORDER BY f.key_folded");
        let rows = sql.query()?.fetch_all(&self.shared.truth.read).await?;
        rows.iter().map(read).collect()
    }

    /// As [`Store::flags`], each with its targeting wherever it is released. Those may be large:
    /// ask for few.
    pub async fn flags_whole(
        &self,
        project: &Id<Project>,
        filter: &FlagFilter,
        page: &PageRequest,
    ) -> Result<Page<FlagState>, StoreError> {
        let mut tx = self.begin_read().await?;
        let places = places(&mut tx, self.shared.dialect, project, filter, page).await?;
        let ids: Vec<&str> = places.items.iter().map(|place| place.id.as_str()).collect();
        let found = load(&mut tx, project, &[], &ids).await?;
        tx.rollback().await?;
        Ok(Page {
            items: found.into_values().collect(),
            next: places.next,
        })
    }

    /// The flag of this key, live or archived, with its targeting wherever it is released.
    pub async fn flag(&self, project: &Id<Project>, key: &Key) -> Result<FlagState, StoreError> {
        let mut tx = self.begin_read().await?;
        let found = load(&mut tx, project, &[&key.folded()], &[]).await?;
        tx.rollback().await?;
        found
            .into_values()
            .next()
            .ok_or(StoreError::NotFound("flag"))
    }
}

/// A flag's place in a list.
struct Place {
    id: String,
    key_folded: String,
    /// Of the texts that can be large.
    bytes: i64,
}

/// Where the flags of a page are.
async fn places(
    connection: &mut AnyConnection,
    dialect: Dialect,
    project: &Id<Project>,
    filter: &FlagFilter,
    page: &PageRequest,
) -> Result<Page<Place>, StoreError> {
    let sql = list(dialect, project, filter, page);
    let rows = sql
        .query_for(connection.backend_name())?
        .fetch_all(connection)
        .await?;
    let place = |found: &AnyRow| {
        Ok(Place {
            id: row::text(found, 0)?,
            key_folded: row::text(found, 1)?,
            bytes: row::number(found, 2)?,
        })
    };
    let places: Result<Vec<Place>, StoreError> = rows.iter().map(place).collect();
    Ok(Page::fit(
        places?,
        page.size(),
        |place| place.bytes,
        |place| place.key_folded.clone(),
    ))
}

/// Reads flags by id, by key.
async fn by_id(
    connection: &mut AnyConnection,
    project: &Id<Project>,
    ids: &[&str],
) -> Result<Vec<Flag>, StoreError> {
    let mut sql = Sql::new("SELECT ");
    sql.push(COLUMNS)
        .push(" FROM flags f WHERE f.project_id = ")
        .bind(project.as_str());
    sql.push(" AND f.id IN ").list(ids.iter().copied());
    sql.push(" ORDER BY f.key_folded");
    let rows = sql
        .query_for(connection.backend_name())?
        .fetch_all(connection)
        .await?;
    rows.iter().map(read).collect()
}

fn list(dialect: Dialect, project: &Id<Project>, filter: &FlagFilter, page: &PageRequest) -> Sql {
    let mut sql = Sql::new(
        "SELECT f.id, f.key_folded, CAST(OCTET_LENGTH(f.variations) \
         + OCTET_LENGTH(f.description) + OCTET_LENGTH(f.tags) AS BIGINT) \
         FROM flags f WHERE f.project_id = ",
    );
    sql.bind(project.as_str());
    let life = match filter.life {
        Some(Life::Archived) => Life::Archived,
        _ => Life::Live,
    };
    sql.push(" AND f.life = ").bind(row::life_name(life));
    if let Some(search) = &filter.search {
        let pattern = containing(&search.to_lowercase());
        sql.push(" AND f.search LIKE ")
            .bind(pattern)
            .push(" ESCAPE '\\'");
    }
    if let Some(tag) = &filter.tag {
        sql.push(" AND EXISTS (SELECT 1 FROM ")
            .push(&dialect.each_text("f.tags"));
        sql.push(" WHERE value = ").bind(tag.as_str()).push(")");
    }
    if let Some((environment, enabled)) = &filter.enabled {
        sql.push(if *enabled {
            " AND EXISTS"
        } else {
            " AND NOT EXISTS"
        });
        sql.push(" (SELECT 1 FROM targetings t WHERE t.flag_id = f.id AND t.is_enabled = 1");
        sql.push(" AND t.environment_id = ")
            .bind(environment.as_str())
            .push(")");
    }
    if let Some(cursor) = &page.cursor {
        sql.push(" AND f.key_folded > ").bind(cursor.as_str());
    }
    sql.push(" ORDER BY f.key_folded LIMIT ")
        .bind(page.size() + 1);
    sql
}

/// Reads flags by folded key or by id, those that are not deleted, with all their targetings.
pub(crate) async fn load(
    connection: &mut AnyConnection,
    project: &Id<Project>,
    keys: &[&str],
    ids: &[&str],
) -> Result<BTreeMap<String, FlagState>, StoreError> {
    let mut flags = BTreeMap::new();
    for (column, values) in [("f.key_folded", keys), ("f.id", ids)] {
        for values in values.chunks(LIST) {
            let mut sql = Sql::new("SELECT ");
            sql.push(COLUMNS)
                .push(" FROM flags f WHERE f.life <> 'deleted' AND f.project_id = ");
            sql.bind(project.as_str());
            sql.push(" AND ").push(column).push(" IN ");
            sql.list(values.iter().copied());
            for found in sql
                .query_for(connection.backend_name())?
                .fetch_all(&mut *connection)
                .await?
            {
                let flag = read(&found)?;
                flags.insert(flag.key.folded(), flag);
            }
        }
    }
    let ids: Vec<&str> = flags.values().map(|flag| flag.id.as_str()).collect();
    let mut targetings = targetings::load(connection, project, &ids).await?;
    let states = flags.into_iter().map(|(key, flag)| {
        let targetings = targetings.remove(&flag.id).unwrap_or_default();
        (key, FlagState { flag, targetings })
    });
    Ok(states.collect())
}

/// Writes flags that are new or changed.
///
/// A new one may come with the id of a deleted one (by an import); that one gets another, so that
/// its tombstones stay.
pub(crate) async fn write(
    connection: &mut AnyConnection,
    edits: &[FlagEdit],
) -> Result<(), StoreError> {
    let (changed, new): (Vec<_>, Vec<_>) = edits.iter().partition(|edit| edit.before.is_some());
    for edits in changed.chunks(ROWS) {
        upsert(connection, edits, UPDATE).await?;
    }
    for edits in new.chunks(ROWS) {
        free_ids(connection, edits).await?;
        upsert(
            connection,
            edits,
            " ON CONFLICT (project_id, id) DO NOTHING",
        )
        .await?;
    }
    let projects: BTreeSet<&str> = new.iter().map(|edit| edit.project.as_str()).collect();
    for project in projects {
        room::FLAGS.holds(connection, &[project]).await?;
    }
    Ok(())
}

const UPDATE: &str = " ON CONFLICT (project_id, id) DO UPDATE SET key = excluded.key, \
    key_folded = excluded.key_folded, name = excluded.name, description = excluded.description, \
    kind = excluded.kind, variations = excluded.variations, tags = excluded.tags, \
    default_on = excluded.default_on, default_off = excluded.default_off, life = excluded.life, \
    search = excluded.search, created_at = excluded.created_at";

async fn upsert(
    connection: &mut AnyConnection,
    edits: &[&FlagEdit],
    on_conflict: &str,
) -> Result<(), StoreError> {
    let mut sql = Sql::new(
        "INSERT INTO flags (project_id, id, key, key_folded, name, description, kind, \
         variations, tags, default_on, default_off, life, search, created_at) VALUES ",
    );
    for (index, edit) in edits.iter().enumerate() {
        let flag = &edit.after;
        sql.row(index).bind(edit.project.as_str());
        sql.next(flag.id.as_str());
        sql.next(flag.key.as_str()).next(flag.key.folded());
        sql.next(&flag.name).next(&flag.description);
        sql.next(flag.kind.as_str());
        sql.next(serde_json::to_string(&flag.variations)?);
        sql.next(serde_json::to_string(&flag.tags)?);
        sql.next(&flag.default_on).next(&flag.default_off);
        sql.next(row::life_name(flag.life)).next(searched(flag));
        sql.next(flag.created_at.0).push(")");
    }
    sql.push(on_conflict);
    let done = sql
        .query()?
        .execute(connection)
        .await
        .map_err(unique("key", "a flag with this key exists in the project"))?;
    if done.rows_affected() != edits.len() as u64 {
        return Err(StoreError::conflict(
            "id",
            "a flag with this id exists in the project",
        ));
    }
    Ok(())
}

async fn free_ids(connection: &mut AnyConnection, edits: &[&FlagEdit]) -> Result<(), StoreError> {
    let Some(project) = edits.first().map(|edit| &edit.project) else {
        return Ok(());
    };
    let mut sql = Sql::new("UPDATE flags SET id = id || ");
    sql.bind(format!("~{}", uuid::Uuid::now_v7()));
    sql.push(" WHERE life = 'deleted' AND project_id = ")
        .bind(project.as_str());
    sql.push(" AND id IN ")
        .list(edits.iter().map(|edit| edit.after.id.as_str()));
    sql.query_for(connection.backend_name())?
        .execute(connection)
        .await?;
    Ok(())
}

fn searched(flag: &Flag) -> String {
    [flag.key.as_str(), &flag.name, &flag.description]
        .join("\n")
        .to_lowercase()
}
