//! The table of steps.

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use serde_json::json;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use super::{Done, Step, StepHead, StepWords};
use crate::error::StoreError;
use crate::log::size;
use crate::sql::Sql;
use crate::{Tx, image, row};

/// The columns of a head.
pub(super) const HEAD: &str = "s.step, s.due_at, s.change_set_id, s.applied_at";

/// The columns of a step.
const STEP: &str = "step, due_at, change_set_id, applied_at, commands, commands_size, seed, held, \
    diff";

/// Which step of which revision.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) organization: &'a Id<Organization>,
    pub(crate) request: &'a str,
    pub(crate) revision: i64,
    pub(crate) step: i64,
}

/// Reads a head from the four columns from `column` on.
pub(super) fn read_head(found: &AnyRow, column: usize) -> Result<StepHead, StoreError> {
    let change_set = row::optional_text(found, column + 2)?;
    let at = row::optional_millis(found, column + 3)?;
    Ok(StepHead {
        step: row::number(found, column)?,
        due_at: row::optional_millis(found, column + 1)?,
        done: change_set
            .zip(at)
            .map(|(change_set, at)| Done { change_set, at }),
    })
}

/// Writes the steps of a new revision.
pub(super) async fn insert(
    tx: &mut Tx,
    organization: &Id<Organization>,
    request: &str,
    revision: i64,
    steps: &[Step],
) -> Result<(), StoreError> {
    for step in steps {
        let commands = json!(step.commands).to_string();
        sqlx::query(
            "INSERT INTO request_steps (organization_id, request_id, revision, step, due_at, \
             commands, commands_size, seed, held, diff) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        )
        .bind(organization.as_str())
        .bind(request)
        .bind(revision)
        .bind(step.head.step)
        .bind(step.head.due_at.map(|at| at.0))
        .bind(image::pack(commands.as_bytes())?)
        .bind(commands.len() as i64)
        .bind(step.seed.as_str())
        .bind(json!(step.held).to_string())
        .bind(json!(step.diff).to_string())
        .execute(&mut **tx)
        .await?;
    }
    Ok(())
}

/// The steps of a revision, in order.
pub(super) async fn of_revision(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    request: &str,
    revision: i64,
) -> Result<Vec<Step>, StoreError> {
    let query = format!(
        "SELECT {STEP} FROM request_steps WHERE organization_id = $1 AND request_id = $2 \
         AND revision = $3 ORDER BY step"
    );
    let found = sqlx::query(sqlx::AssertSqlSafe(query))
        .bind(organization.as_str())
        .bind(request)
        .bind(revision)
        .fetch_all(connection)
        .await?;
    found.iter().map(read).collect()
}

/// The steps of all revisions of a request, each with the number of its revision, in order; for who
/// rewrites them with a lock, which comes before all others, as that of who applies one.
pub(super) async fn of_request(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    request: &str,
    lock: &str,
) -> Result<Vec<(i64, Step)>, StoreError> {
    let query = format!(
        "SELECT {STEP}, revision FROM request_steps WHERE organization_id = $1 \
         AND request_id = $2 ORDER BY revision, step{lock}"
    );
    let found = sqlx::query(sqlx::AssertSqlSafe(query))
        .bind(organization.as_str())
        .bind(request)
        .fetch_all(connection)
        .await?;
    let with_revision = |found: &AnyRow| Ok((row::number(found, 9)?, read(found)?));
    found.iter().map(with_revision).collect()
}

/// What the steps of all revisions of a request were to do, in order.
pub(super) async fn words(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    request: &str,
) -> Result<Vec<StepWords>, StoreError> {
    let query = "SELECT revision, step, due_at, diff FROM request_steps \
         WHERE organization_id = $1 AND request_id = $2 ORDER BY revision, step";
    let found = sqlx::query(query)
        .bind(organization.as_str())
        .bind(request)
        .fetch_all(connection)
        .await?;
    let read = |found: &AnyRow| {
        Ok(StepWords {
            revision: row::number(found, 0)?,
            step: row::number(found, 1)?,
            due_at: row::optional_millis(found, 2)?,
            diff: row::json(found, 3)?,
        })
    };
    found.iter().map(read).collect()
}

fn read(found: &AnyRow) -> Result<Step, StoreError> {
    let commands = image::unpack(&row::blob(found, 4)?, size(found, 5)?)?;
    Ok(Step {
        head: read_head(found, 0)?,
        commands: serde_json::from_slice(&commands)?,
        seed: row::text(found, 6)?,
        held: row::json(found, 7)?,
        diff: row::json(found, 8)?,
    })
}

/// The steps of requests with the id of each request, in order: those that were applied, and those
/// of the newest revision.
pub(super) async fn heads(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    requests: &[&str],
) -> Result<Vec<(String, StepHead)>, StoreError> {
    let mut sql = Sql::new("SELECT ");
    sql.push(HEAD);
    sql.push(
        ", s.request_id FROM request_steps s JOIN requests r \
         ON r.organization_id = s.organization_id AND r.id = s.request_id \
         WHERE s.organization_id = ",
    );
    sql.bind(organization.as_str());
    sql.push(" AND s.request_id IN ")
        .list(requests.iter().copied());
    sql.push(" AND (s.revision = r.revision OR s.change_set_id IS NOT NULL)");
    sql.push(" ORDER BY s.request_id, s.step");
    let rows = sql.query()?.fetch_all(connection).await?;
    rows.iter()
        .map(|found| Ok((row::text(found, 4)?, read_head(found, 0)?)))
        .collect()
}

/// The revisions that have applied steps, but for `newest`.
pub(super) async fn applied_revisions(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    request: &str,
    newest: i64,
) -> Result<Vec<i64>, StoreError> {
    let found = sqlx::query(
        "SELECT DISTINCT revision FROM request_steps WHERE organization_id = $1 \
         AND request_id = $2 AND revision <> $3 AND change_set_id IS NOT NULL ORDER BY revision",
    )
    .bind(organization.as_str())
    .bind(request)
    .bind(newest)
    .fetch_all(connection)
    .await?;
    found.iter().map(|found| row::number(found, 0)).collect()
}

/// What a step came to that was applied, of whichever revision.
///
/// # Errors
/// [`StoreError::NotFound`] where there is none.
pub(crate) async fn find(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    request: &str,
    step: i64,
) -> Result<Done, StoreError> {
    let heads = heads(connection, organization, &[request]).await?;
    let mut heads = heads.into_iter().map(|(_, head)| head);
    let found = heads.find(|head| head.step == step);
    found
        .and_then(|head| head.done)
        .ok_or(StoreError::NotFound("step"))
}

/// Locks a step's row, before all other locks: whoever has it applies the step, and nobody else.
/// None where `lock` does not wait and another has it.
pub(crate) async fn claim(
    tx: &mut Tx,
    place: Place<'_>,
    lock: &str,
) -> Result<Option<StepHead>, StoreError> {
    let mut sql = Sql::new("SELECT ");
    sql.push(HEAD)
        .push(" FROM request_steps s WHERE s.organization_id = ");
    sql.bind(place.organization.as_str());
    sql.push(" AND s.request_id = ").bind(place.request);
    sql.push(" AND s.revision = ").bind(place.revision);
    sql.push(" AND s.step = ").bind(place.step).push(lock);
    let found = sql.query()?.fetch_optional(&mut **tx).await?;
    found.map(|found| read_head(&found, 0)).transpose()
}

/// Writes what a claimed step came to.
pub(crate) async fn done(
    tx: &mut Tx,
    place: Place<'_>,
    change_set: &str,
    now: Millis,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE request_steps SET change_set_id = $1, applied_at = $2 \
         WHERE organization_id = $3 AND request_id = $4 AND revision = $5 AND step = $6",
    )
    .bind(change_set)
    .bind(now.0)
    .bind(place.organization.as_str())
    .bind(place.request)
    .bind(place.revision)
    .bind(place.step)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Writes anew what a step does and shows, without somebody who was forgotten.
pub(super) async fn rewrite(tx: &mut Tx, place: Place<'_>, step: &Step) -> Result<(), StoreError> {
    let commands = json!(step.commands).to_string();
    sqlx::query(
        "UPDATE request_steps SET commands = $1, commands_size = $2, diff = $3 \
         WHERE organization_id = $4 AND request_id = $5 AND revision = $6 AND step = $7",
    )
    .bind(image::pack(commands.as_bytes())?)
    .bind(commands.len() as i64)
    .bind(json!(step.diff).to_string())
    .bind(place.organization.as_str())
    .bind(place.request)
    .bind(place.revision)
    .bind(place.step)
    .execute(&mut **tx)
    .await?;
    Ok(())
}
