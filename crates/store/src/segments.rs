//! Segments, in their three scopes, and their stamps in the environments that serve them.

mod named;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::{Life, Organization, Segment, SegmentScope};
use burgee_domain::workspace::SegmentState;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

pub(crate) use named::named;
pub(crate) use write::{Entered, enter, write_all};

use crate::error::StoreError;
use crate::log::{LastChange, last_changes};
use crate::page::{self, Page, PageRequest};
use crate::sql::{LIST, Sql, containing};
use crate::{Store, row};

/// The columns of a segment, as [`read`] reads them.
pub(crate) const COLUMNS: &str = "s.id, s.project_id, s.environment_id, s.key, s.name, \
     s.description, s.tags, s.included, s.excluded, s.rules, s.life, s.created_at";

/// How many columns [`COLUMNS`] are.
pub(crate) const WIDTH: usize = 12;

/// Reads a segment from the columns from the first on.
pub(crate) fn read(found: &AnyRow) -> Result<Segment, StoreError> {
    Ok(Segment {
        id: row::id(found, 0)?,
        scope: scope(found)?,
        key: row::key(found, 3)?,
        name: row::text(found, 4)?,
        description: row::text(found, 5)?,
        tags: row::json(found, 6)?,
        included: row::json(found, 7)?,
        excluded: row::json(found, 8)?,
        rules: row::json(found, 9)?,
        life: row::name::<Life>(found, 10)?,
        created_at: row::millis(found, 11)?,
    })
}

/// Reads a scope from the columns 1 and 2.
fn scope(found: &AnyRow) -> Result<SegmentScope, StoreError> {
    let ids = (row::optional_id(found, 1)?, row::optional_id(found, 2)?);
    Ok(match ids {
        (None, _) => SegmentScope::Organization,
        (Some(project), None) => SegmentScope::Project(project),
        (Some(project), Some(environment)) => SegmentScope::Environment(project, environment),
    })
}

/// The ids of a scope as they are stored.
fn scope_ids(scope: &SegmentScope) -> (Option<&str>, Option<&str>) {
    match scope {
        SegmentScope::Organization => (None, None),
        SegmentScope::Project(project) => (Some(project.as_str()), None),
        SegmentScope::Environment(project, environment) => {
            (Some(project.as_str()), Some(environment.as_str()))
        }
    }
}

/// Appends that a segment is of exactly this scope.
fn push_scope(sql: &mut Sql, scope: &SegmentScope) {
    let (project, environment) = scope_ids(scope);
    for (column, id) in [("project_id", project), ("environment_id", environment)] {
        sql.push(" AND s.").push(column);
        match id {
            Some(id) => sql.push(" = ").bind(id),
            None => sql.push(" IS NULL"),
        };
    }
}

/// A segment in a list: how many members it names rather than who they are.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedSegment {
    /// The segment, with `included` and `excluded` left empty: they may have a million keys.
    pub segment: Segment,
    /// How many keys are included.
    pub included: i64,
    /// How many keys are excluded.
    pub excluded: i64,
    /// Who changed it last in its own scope.
    pub last_change: Option<LastChange>,
}

/// Which segments a list holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SegmentFilter {
    /// A part of key, name or description, without regard to case.
    pub search: Option<String>,
    /// A tag, exactly.
    pub tag: Option<String>,
    /// Where it is in its life: live where none is given. Deleted ones are never listed.
    pub life: Option<Life>,
    /// Whether segments of the scopes above are listed too, since they can be used there.
    pub with_shared: bool,
}

impl Store {
    /// The segments of a scope, by key, without their members ([`Store::segment`] has them).
    pub async fn segments(
        &self,
        organization: &Id<Organization>,
        scope: &SegmentScope,
        filter: &SegmentFilter,
        page: &PageRequest,
    ) -> Result<Page<ListedSegment>, StoreError> {
        let mut tx = self.begin_read().await?;
        let sql = self.list(organization, scope, filter, page)?;
        let rows = sql.query()?.fetch_all(&mut *tx).await?;
        let places = rows.iter().map(read_place).collect::<Result<Vec<_>, _>>()?;
        let places = Page::fit(
            places,
            page.size(),
            |place| place.bytes,
            |place| format!("{}/{}", place.key_folded, place.id),
        );
        let ids = places.items.iter().map(|place| place.id.as_str());
        let mut items = listed(&mut tx, organization, ids).await?;
        remember(&mut tx, organization, &mut items).await?;
        tx.rollback().await?;
        Ok(Page {
            items,
            next: places.next,
        })
    }

    /// The places of a page's segments, and of one more.
    fn list(
        &self,
        organization: &Id<Organization>,
        scope: &SegmentScope,
        filter: &SegmentFilter,
        page: &PageRequest,
    ) -> Result<Sql, StoreError> {
        let mut sql = Sql::new(
            "SELECT s.id, s.key_folded, CAST(OCTET_LENGTH(s.rules) \
             + OCTET_LENGTH(s.description) + OCTET_LENGTH(s.tags) AS BIGINT) \
             FROM segments s WHERE s.organization_id = ",
        );
        sql.bind(organization.as_str());
        match filter.with_shared {
            true => push_visible(&mut sql, scope),
            false => push_scope(&mut sql, scope),
        }
        self.push_filter(&mut sql, filter);
        if let Some(cursor) = &page.cursor {
            let cursor = cursor.split_once('/').ok_or_else(page::bad_cursor)?;
            sql.push(" AND (s.key_folded, s.id) > (").bind(cursor.0);
            sql.push(", ").bind(cursor.1).push(")");
        }
        sql.push(" ORDER BY s.key_folded, s.id LIMIT ")
            .bind(page.size() + 1);
        Ok(sql)
    }

    fn push_filter(&self, sql: &mut Sql, filter: &SegmentFilter) {
        let life = match filter.life {
            Some(Life::Archived) => Life::Archived,
            _ => Life::Live,
        };
        sql.push(" AND s.life = ").bind(row::life_name(life));
        if let Some(search) = &filter.search {
            let pattern = containing(&search.to_lowercase());
            sql.push(" AND s.search LIKE ")
                .bind(pattern)
                .push(" ESCAPE '\\'");
        }
        if let Some(tag) = &filter.tag {
            let tags = self.shared.dialect.each_text("s.tags");
            sql.push(" AND EXISTS (SELECT 1 FROM ").push(&tags);
            sql.push(" WHERE value = ").bind(tag.as_str()).push(")");
        }
    }

    /// The segment of this key in exactly this scope, live or archived.
    pub async fn segment(
        &self,
        organization: &Id<Organization>,
        scope: &SegmentScope,
        key: &Key,
    ) -> Result<Segment, StoreError> {
        let mut sql = Sql::new("SELECT ");
        sql.push(COLUMNS)
            .push(" FROM segments s WHERE s.life <> 'deleted'");
        sql.push(" AND s.organization_id = ")
            .bind(organization.as_str());
        push_scope(&mut sql, scope);
        sql.push(" AND s.key_folded = ").bind(key.folded());
        let found = sql.query()?.fetch_optional(&self.shared.truth.read).await?;
        read(&found.ok_or(StoreError::NotFound("segment"))?)
    }
}

/// A segment's place in a list.
struct Place {
    id: String,
    key_folded: String,
    /// Of the texts that can be large.
    bytes: i64,
}

fn read_place(found: &AnyRow) -> Result<Place, StoreError> {
    Ok(Place {
        id: row::text(found, 0)?,
        key_folded: row::text(found, 1)?,
        bytes: row::number(found, 2)?,
    })
}

/// Reads segments by id, by key. Their members are not read at all.
async fn listed<'a>(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    ids: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<ListedSegment>, StoreError> {
    let mut sql = Sql::new(
        "SELECT s.id, s.project_id, s.environment_id, s.key, s.name, s.description, s.tags, \
         '[]', '[]', s.rules, s.life, s.created_at, s.included_count, s.excluded_count \
         FROM segments s WHERE s.organization_id = ",
    );
    sql.bind(organization.as_str());
    sql.push(" AND s.id IN ").list(ids);
    sql.push(" ORDER BY s.key_folded, s.id");
    let rows = sql.query()?.fetch_all(connection).await?;
    rows.iter()
        .map(|found| {
            Ok(ListedSegment {
                segment: read(found)?,
                included: row::number(found, WIDTH)?,
                excluded: row::number(found, WIDTH + 1)?,
                last_change: None,
            })
        })
        .collect()
}

/// Adds who changed each segment last in its scope.
async fn remember(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    segments: &mut [ListedSegment],
) -> Result<(), StoreError> {
    let own = |it: &ListedSegment| it.segment.scope.id(organization).to_owned();
    let scopes: BTreeSet<String> = segments.iter().map(own).collect();
    let scopes = scopes.iter().map(String::as_str);
    let changes = last_changes(connection, "segment", scopes).await?;
    let mut changes: BTreeMap<(String, String), LastChange> = changes
        .into_iter()
        .map(|(id, change)| ((id, change.scope.clone()), change))
        .collect();
    for listed in segments {
        let place = (listed.segment.id.to_string(), own(listed));
        listed.last_change = changes.remove(&place);
    }
    Ok(())
}

/// Appends that a segment can be used in a scope.
fn push_visible(sql: &mut Sql, scope: &SegmentScope) {
    let (project, environment) = scope_ids(scope);
    sql.push(" AND (s.project_id IS NULL");
    if let Some(project) = project {
        sql.push(" OR (s.project_id = ").bind(project);
        sql.push(" AND (s.environment_id IS NULL");
        if let Some(environment) = environment {
            sql.push(" OR s.environment_id = ").bind(environment);
        }
        sql.push("))");
    }
    sql.push(")");
}

/// Reads the ids of segments by folded key, in any scope, those that are not deleted.
pub(crate) async fn find_ids(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    keys: &[&str],
) -> Result<BTreeMap<(SegmentScope, String), Id<Segment>>, StoreError> {
    let mut ids = BTreeMap::new();
    for keys in keys.chunks(LIST) {
        let mut sql = Sql::new("SELECT s.id, s.project_id, s.environment_id, s.key_folded");
        sql.push(" FROM segments s WHERE s.life <> 'deleted' AND s.organization_id = ");
        sql.bind(organization.as_str());
        sql.push(" AND s.key_folded IN ").list(keys.iter().copied());
        for found in sql.query()?.fetch_all(&mut *connection).await? {
            let place = (scope(&found)?, row::text(&found, 3)?);
            ids.insert(place, row::id(&found, 0)?);
        }
    }
    Ok(ids)
}

/// Reads segments by id, those that are not deleted, with their stamps.
pub(crate) async fn load(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    ids: &[&str],
) -> Result<BTreeMap<Id<Segment>, SegmentState>, StoreError> {
    let mut segments = BTreeMap::new();
    for ids in ids.chunks(LIST) {
        let mut sql = Sql::new("SELECT ");
        sql.push(COLUMNS)
            .push(" FROM segments s WHERE s.life <> 'deleted'");
        sql.push(" AND s.organization_id = ")
            .bind(organization.as_str());
        sql.push(" AND s.id IN ").list(ids.iter().copied());
        for found in sql.query()?.fetch_all(&mut *connection).await? {
            let segment = read(&found)?;
            let stamps = BTreeMap::new();
            segments.insert(segment.id.clone(), SegmentState { segment, stamps });
        }
        let mut sql = Sql::new("SELECT p.segment_id, p.environment_id, p.stamp");
        sql.push(" FROM segment_environments p JOIN environments e ON e.id = p.environment_id");
        sql.push(" AND e.deleted_at IS NULL WHERE p.organization_id = ");
        sql.bind(organization.as_str());
        sql.push(" AND p.segment_id IN ").list(ids.iter().copied());
        for found in sql.query()?.fetch_all(&mut *connection).await? {
            if let Some(state) = segments.get_mut(&row::id(&found, 0)?) {
                let stamp = row::millis(&found, 2)?;
                state.stamps.insert(row::id(&found, 1)?, stamp);
            }
        }
    }
    Ok(segments)
}
