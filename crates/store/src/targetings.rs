//! Targetings: what a flag does in an environment. One exists where the flag is released.

use std::collections::BTreeMap;

use burgee_domain::id::Id;
use burgee_domain::key::fold;
use burgee_domain::model::{Environment, Flag, Project, Targeting};
use burgee_domain::outcome::TargetingEdit;
use burgee_eval::flag::Prerequisite;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::row;
use crate::sql::{LIST, Sql, rows};

/// How many rows a statement writes.
const ROWS: usize = rows(12);

/// The columns of a targeting, as [`read`] reads them.
pub(crate) const COLUMNS: &str = "t.is_enabled, t.target_users, t.rules, t.fallthrough, \
                                  t.off_variation, t.expt_include_all_targets, t.tracked, t.stamp, \
                                  t.prerequisites";

/// Reads a targeting from the columns from `first` on.
pub(crate) fn read(found: &AnyRow, first: usize) -> Result<Targeting, StoreError> {
    Ok(Targeting {
        is_enabled: row::boolean(found, first)?,
        prerequisites: row::json(found, first + 8)?,
        target_users: row::json(found, first + 1)?,
        rules: row::json(found, first + 2)?,
        fallthrough: row::json(found, first + 3)?,
        off_variation: row::text(found, first + 4)?,
        expt_include_all_targets: row::boolean(found, first + 5)?,
        tracked: row::boolean(found, first + 6)?,
        stamp: row::millis(found, first + 7)?,
    })
}

type ByFlag<T> = BTreeMap<Id<Flag>, BTreeMap<Id<Environment>, T>>;

/// Reads all targetings of flags.
pub(crate) async fn load(
    connection: &mut AnyConnection,
    project: &Id<Project>,
    flags: &[&str],
) -> Result<ByFlag<Targeting>, StoreError> {
    let mut targetings = ByFlag::new();
    for flags in flags.chunks(LIST) {
        let mut sql = Sql::new("SELECT t.flag_id, t.environment_id, ");
        sql.push(COLUMNS)
            .push(" FROM targetings t JOIN environments e");
        sql.push(" ON e.id = t.environment_id AND e.deleted_at IS NULL WHERE t.project_id = ");
        sql.bind(project.as_str());
        sql.push(" AND t.flag_id IN ").list(flags.iter().copied());
        for found in sql
            .query_for(connection.backend_name())?
            .fetch_all(&mut *connection)
            .await?
        {
            let by_environment: &mut BTreeMap<_, _> =
                targetings.entry(row::id(&found, 0)?).or_default();
            by_environment.insert(row::id(&found, 1)?, read(&found, 2)?);
        }
    }
    Ok(targetings)
}

/// What live flags of a project need of others, by environment and folded key of the flag.
pub(crate) type Needs = BTreeMap<Id<Environment>, BTreeMap<String, Vec<Prerequisite>>>;

/// Reads what live flags of a project need.
pub(crate) async fn needs(
    connection: &mut AnyConnection,
    project: &Id<Project>,
) -> Result<Needs, StoreError> {
    let mut sql = Sql::new(
        "SELECT t.environment_id, f.key, t.prerequisites FROM targetings t \
         JOIN flags f ON f.project_id = t.project_id AND f.id = t.flag_id AND f.life = 'live' \
         JOIN environments e ON e.id = t.environment_id AND e.deleted_at IS NULL \
         WHERE t.prerequisites <> '[]' AND t.project_id = ",
    );
    sql.bind(project.as_str());
    let mut needs = Needs::new();
    for found in sql
        .query_for(connection.backend_name())?
        .fetch_all(connection)
        .await?
    {
        let flag = fold(&row::text(&found, 1)?);
        let here = needs.entry(row::id(&found, 0)?).or_default();
        here.insert(flag, row::json(&found, 2)?);
    }
    Ok(needs)
}

/// Reads where flags are on.
pub(crate) async fn enabled(
    connection: &mut AnyConnection,
    project: &Id<Project>,
    flags: &[&str],
) -> Result<ByFlag<bool>, StoreError> {
    let mut enabled = ByFlag::new();
    let mut sql = Sql::new("SELECT t.flag_id, t.environment_id, t.is_enabled FROM targetings t");
    sql.push(" JOIN environments e ON e.id = t.environment_id AND e.deleted_at IS NULL");
    sql.push(" WHERE t.project_id = ").bind(project.as_str());
    sql.push(" AND t.flag_id IN ").list(flags.iter().copied());
    for found in sql
        .query_for(connection.backend_name())?
        .fetch_all(connection)
        .await?
    {
        let by_environment: &mut BTreeMap<_, _> = enabled.entry(row::id(&found, 0)?).or_default();
        by_environment.insert(row::id(&found, 1)?, row::boolean(&found, 2)?);
    }
    Ok(enabled)
}

/// Writes a project's targetings that are new or changed. Where a flag is released, the tombstone
/// that an earlier flag of the same key left there goes: an environment has one item per key.
pub(crate) async fn write(
    connection: &mut AnyConnection,
    project: &Id<Project>,
    edits: &[&TargetingEdit],
) -> Result<(), StoreError> {
    let mut released: BTreeMap<&Id<Environment>, Vec<&str>> = BTreeMap::new();
    for edit in edits.iter().filter(|edit| edit.before.is_none()) {
        let flags = released.entry(&edit.environment).or_default();
        flags.push(edit.flag.as_str());
    }
    for (environment, flags) in released {
        for flags in flags.chunks(LIST) {
            bury(connection, project, environment, flags).await?;
        }
    }
    for edits in edits.chunks(ROWS) {
        upsert(connection, project, edits).await?;
    }
    Ok(())
}

async fn upsert(
    connection: &mut AnyConnection,
    project: &Id<Project>,
    edits: &[&TargetingEdit],
) -> Result<(), StoreError> {
    let mut sql = Sql::new(
        "INSERT INTO targetings (environment_id, project_id, flag_id, is_enabled, target_users, \
         rules, fallthrough, off_variation, expt_include_all_targets, tracked, stamp, \
         prerequisites) VALUES ",
    );
    for (index, edit) in edits.iter().enumerate() {
        let targeting = &edit.after;
        sql.row(index).bind(edit.environment.as_str());
        sql.next(project.as_str()).next(edit.flag.as_str());
        sql.next(i16::from(targeting.is_enabled));
        sql.next(serde_json::to_string(&targeting.target_users)?);
        sql.next(serde_json::to_string(&targeting.rules)?);
        sql.next(serde_json::to_string(&targeting.fallthrough)?);
        sql.next(&targeting.off_variation);
        sql.next(i16::from(targeting.expt_include_all_targets));
        sql.next(i16::from(targeting.tracked));
        sql.next(targeting.stamp.0);
        sql.next(serde_json::to_string(&targeting.prerequisites)?)
            .push(")");
    }
    sql.push(
        " ON CONFLICT (environment_id, flag_id) DO UPDATE SET is_enabled = excluded.is_enabled, \
         target_users = excluded.target_users, rules = excluded.rules, \
         fallthrough = excluded.fallthrough, off_variation = excluded.off_variation, \
         expt_include_all_targets = excluded.expt_include_all_targets, \
         tracked = excluded.tracked, stamp = excluded.stamp, \
         prerequisites = excluded.prerequisites",
    );
    sql.query_for(connection.backend_name())?
        .execute(connection)
        .await?;
    Ok(())
}

async fn bury(
    connection: &mut AnyConnection,
    project: &Id<Project>,
    environment: &Id<Environment>,
    flags: &[&str],
) -> Result<(), StoreError> {
    // SDKs know flags by their exact key: one of another case is another item to them.
    let mut sql = Sql::new("DELETE FROM targetings WHERE environment_id = ");
    sql.bind(environment.as_str());
    sql.push(
        " AND flag_id IN (SELECT old.id FROM flags old JOIN flags new \
         ON new.project_id = old.project_id AND new.key = old.key AND new.id <> old.id \
         WHERE old.life = 'deleted' AND old.project_id = ",
    );
    sql.bind(project.as_str());
    sql.push(" AND new.id IN ")
        .list(flags.iter().copied())
        .push(")");
    sql.query_for(connection.backend_name())?
        .execute(connection)
        .await?;
    Ok(())
}
