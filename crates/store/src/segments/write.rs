//! Writing segments, and serving them in new environments.

use std::collections::BTreeSet;

use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Life, Organization, Project, Segment, SegmentScope};
use burgee_domain::outcome::SegmentEdit;
use burgee_domain::served::LoggedSegment;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;

use super::{COLUMNS, push_visible, read, scope_ids};
use crate::error::{StoreError, unique};
use crate::log::LogRow;
use crate::sql::{Sql, rows};
use crate::{room, row};

/// How many rows a statement writes.
const ROWS: usize = rows(4);

/// Writes segments that are new or changed. What is deleted frees its key for what is made in the
/// same change set.
pub(crate) async fn write_all(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    edits: &[SegmentEdit],
) -> Result<(), StoreError> {
    let deleted = |edit: &&SegmentEdit| edit.after.life == Life::Deleted;
    let (gone, kept): (Vec<_>, Vec<_>) = edits.iter().partition(deleted);
    for edit in gone.into_iter().chain(kept) {
        write(connection, organization, edit).await?;
    }
    let new = edits.iter().filter(|edit| edit.before.is_none());
    let scopes: BTreeSet<_> = new.map(|edit| scope_ids(&edit.after.scope)).collect();
    for (project, environment) in scopes {
        let of = [
            organization.as_str(),
            project.unwrap_or(""),
            environment.unwrap_or(""),
        ];
        room::SEGMENTS.holds(connection, &of).await?;
    }
    Ok(())
}

/// Writes a segment that is new or changed, with its stamps. A new one may take the id of a
/// deleted one.
async fn write(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    edit: &SegmentEdit,
) -> Result<(), StoreError> {
    let segment = &edit.after;
    let (project, environment) = scope_ids(&segment.scope);
    let mut sql = Sql::new(
        "INSERT INTO segments (organization_id, id, project_id, environment_id, key, key_folded, \
         name, description, tags, rules, life, search, created_at, included_count, excluded_count, \
         included, excluded) VALUES ",
    );
    sql.row(0).bind(organization.as_str());
    sql.next(segment.id.as_str());
    sql.next(project).next(environment);
    sql.next(segment.key.as_str()).next(segment.key.folded());
    sql.next(&segment.name).next(&segment.description);
    sql.next(serde_json::to_string(&segment.tags)?);
    sql.next(serde_json::to_string(&segment.rules)?);
    sql.next(row::life_name(segment.life));
    sql.next(searched(segment)).next(segment.created_at.0);
    sql.next(segment.included.len() as i64);
    sql.next(segment.excluded.len() as i64);
    sql.next(serde_json::to_string(&segment.included)?);
    sql.next(serde_json::to_string(&segment.excluded)?);
    sql.push(") ").push(UPDATE);
    if edit.before.is_none() {
        sql.push(" WHERE segments.life = 'deleted'");
    }
    let done = sql
        .query()?
        .execute(&mut *connection)
        .await
        .map_err(unique("key", "a segment with this key exists there"))?;
    if done.rows_affected() != 1 {
        return Err(StoreError::conflict("id", "a segment with this id exists"));
    }
    if edit.before.is_none() {
        forget_stamps(connection, organization, &segment.id).await?;
    }
    write_stamps(connection, organization, segment, &edit.stamps).await
}

const UPDATE: &str = "ON CONFLICT (organization_id, id) DO UPDATE SET \
    project_id = excluded.project_id, environment_id = excluded.environment_id, \
    key = excluded.key, key_folded = excluded.key_folded, name = excluded.name, \
    description = excluded.description, tags = excluded.tags, rules = excluded.rules, \
    life = excluded.life, search = excluded.search, created_at = excluded.created_at, \
    included_count = excluded.included_count, excluded_count = excluded.excluded_count, \
    included = excluded.included, excluded = excluded.excluded";

/// The stamps of a deleted segment whose id is used again, perhaps in another scope.
async fn forget_stamps(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    id: &Id<Segment>,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM segment_environments WHERE organization_id = $1 AND segment_id = $2")
        .bind(organization.as_str())
        .bind(id.as_str())
        .execute(connection)
        .await?;
    Ok(())
}

fn searched(segment: &Segment) -> String {
    [segment.key.as_str(), &segment.name, &segment.description]
        .join("\n")
        .to_lowercase()
}

async fn write_stamps(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    segment: &Segment,
    stamps: &[(Id<Environment>, Millis)],
) -> Result<(), StoreError> {
    for stamps in stamps.chunks(ROWS) {
        let mut sql = Sql::new(
            "INSERT INTO segment_environments \
             (environment_id, organization_id, segment_id, stamp) VALUES ",
        );
        for (index, (environment, stamp)) in stamps.iter().enumerate() {
            sql.row(index).bind(environment.as_str());
            sql.next(organization.as_str()).next(segment.id.as_str());
            sql.next(stamp.0).push(")");
        }
        sql.push(
            " ON CONFLICT (environment_id, segment_id) DO UPDATE SET \
             organization_id = excluded.organization_id, stamp = excluded.stamp",
        );
        sql.query_for(connection.backend_name())?
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// A shared segment as it enters a new environment.
pub(crate) struct Entered {
    segment: Segment,
    image: String,
}

impl Entered {
    pub(crate) fn log_row(&self) -> LogRow<'_> {
        LogRow {
            kind: "segment",
            id: self.segment.id.as_str(),
            key: self.segment.key.as_str(),
            facets: "[]".to_owned(),
            commands: "[0]".to_owned(),
            image: &self.image,
        }
    }
}

/// Serves all shared segments in a new environment, and tells the highest stamp given out.
pub(crate) async fn enter(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    project: &Id<Project>,
    environment: &Environment,
    now: Millis,
) -> Result<(Vec<Entered>, Millis), StoreError> {
    let mut sql = Sql::new("SELECT ");
    sql.push(COLUMNS)
        .push(" FROM segments s WHERE s.life <> 'deleted'");
    sql.push(" AND s.organization_id = ")
        .bind(organization.as_str());
    push_visible(&mut sql, &SegmentScope::Project(project.clone()));
    sql.push(" ORDER BY s.id");
    let rows = sql
        .query_for(connection.backend_name())?
        .fetch_all(&mut *connection)
        .await?;
    let mut entered = Vec::with_capacity(rows.len());
    let mut last = environment.last_stamp;
    for found in &rows {
        let segment = read(found)?;
        last = Millis(now.0.max(last.0 + 1));
        let stamps = [(environment.id.clone(), last)];
        write_stamps(connection, organization, &segment, &stamps).await?;
        let logged = LoggedSegment::new(&segment, last, environment);
        let image = serde_json::to_string(&logged)?;
        entered.push(Entered { segment, image });
    }
    Ok((entered, last))
}
