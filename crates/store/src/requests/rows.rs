//! The tables of requests.

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::outcome::Scope;
use burgee_domain::request::Stage;
use serde_json::json;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use super::{Event, OPERATOR, Party, Request, Revision, RevisionHead, steps};
use crate::change_sets::{VOCABULARY, read_actor};
use crate::dialect::Dialect;
use crate::error::StoreError;
use crate::sql::Sql;
use crate::{Tx, row};

pub(super) const SELECT: &str = "SELECT r.id, r.title, r.description, r.stage, r.author_kind, \
    r.author_id, r.author_name, r.author_voice, r.revision, r.scopes, r.places, r.about, \
    r.change_set_id, r.created_at, r.changed_at, r.due_at, r.stopped FROM requests r \
    WHERE r.organization_id = ";

pub(super) fn read(found: &AnyRow) -> Result<Request, StoreError> {
    Ok(Request {
        id: row::text(found, 0)?,
        title: row::text(found, 1)?,
        description: row::text(found, 2)?,
        stage: row::name(found, 3)?,
        author: party(found, 4)?,
        revision: row::number(found, 8)?,
        scopes: row::json(found, 9)?,
        places: row::json(found, 10)?,
        about: row::json(found, 11)?,
        change_set: row::optional_text(found, 12)?,
        created_at: row::millis(found, 13)?,
        changed_at: row::millis(found, 14)?,
        due_at: row::optional_millis(found, 15)?,
        stopped: row::optional_text(found, 16)?
            .map(|text| serde_json::from_str(&text))
            .transpose()?,
    })
}

/// The four columns of a party from `column` on.
fn party(found: &AnyRow, column: usize) -> Result<Party, StoreError> {
    Ok(Party {
        actor: read_actor(found, column)?,
        voice: row::text(found, column + 3)?,
    })
}

/// Keeps requests that move a project or environment, by id.
pub(super) fn of_scope(sql: &mut Sql, organization: &Id<Organization>, scope: &str) {
    sql.push(" AND EXISTS (SELECT 1 FROM request_scopes c WHERE c.organization_id = ");
    sql.bind(organization.as_str());
    sql.push(" AND c.request_id = r.id AND (c.scope_id = ")
        .bind(scope);
    sql.push(" OR c.scope_id IN (SELECT e.id FROM environments e WHERE e.project_id = ");
    sql.bind(scope).push(")))");
}

/// Keeps requests that somebody made.
pub(super) fn of_author(sql: &mut Sql, author: &Party) {
    sql.push(" AND r.author_voice = ")
        .bind(author.voice.as_str());
    if author.voice == OPERATOR {
        sql.push(" AND r.author_id = ")
            .bind(author.actor.id.as_str());
    }
}

/// Reads a request.
pub(crate) async fn find(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    id: &str,
) -> Result<Request, StoreError> {
    find_with(connection, organization, id, "").await
}

/// Reads a request and locks its row: after all environments, before the history.
pub(crate) async fn lock(
    tx: &mut Tx,
    dialect: Dialect,
    organization: &Id<Organization>,
    id: &str,
) -> Result<Request, StoreError> {
    find_with(tx, organization, id, dialect.for_update()).await
}

async fn find_with(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    id: &str,
    lock: &str,
) -> Result<Request, StoreError> {
    let mut sql = Sql::new(SELECT);
    sql.bind(organization.as_str());
    sql.push(" AND r.id = ").bind(id).push(lock);
    let found = sql.query()?.fetch_optional(connection).await?;
    read(&found.ok_or(StoreError::NotFound("request"))?)
}

/// The digest of what was asked for under an id.
pub(super) async fn digest_of(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    id: &str,
) -> Result<Option<[u8; 32]>, StoreError> {
    let found =
        sqlx::query("SELECT request_digest FROM requests WHERE organization_id = $1 AND id = $2")
            .bind(organization.as_str())
            .bind(id)
            .fetch_optional(connection)
            .await?;
    found.map(|found| row::hash(&found, 0)).transpose()
}

/// How many requests wait.
pub(super) async fn count_open(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
) -> Result<i64, StoreError> {
    let query = "SELECT COUNT(*) FROM requests WHERE organization_id = $1 AND stage = $2";
    let found = sqlx::query(query)
        .bind(organization.as_str())
        .bind(Stage::Open.as_str())
        .fetch_one(connection)
        .await?;
    row::number(&found, 0)
}

/// Writes a new request; false where its id was used.
pub(super) async fn insert(
    tx: &mut Tx,
    organization: &Id<Organization>,
    request: &Request,
    digest: [u8; 32],
) -> Result<bool, StoreError> {
    let author = &request.author;
    let done = sqlx::query(
        "INSERT INTO requests (organization_id, id, title, description, stage, author_kind, \
         author_id, author_name, author_voice, revision, scopes, places, about, request_digest, \
         created_at, changed_at, due_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15, $16) \
         ON CONFLICT (organization_id, id) DO NOTHING",
    )
    .bind(organization.as_str())
    .bind(request.id.as_str())
    .bind(request.title.as_str())
    .bind(request.description.as_str())
    .bind(request.stage.as_str())
    .bind(author.actor.kind.as_str())
    .bind(author.actor.id.as_str())
    .bind(author.actor.name.as_str())
    .bind(author.voice.as_str())
    .bind(request.revision)
    .bind(json!(request.scopes).to_string())
    .bind(json!(request.places).to_string())
    .bind(json!(request.about).to_string())
    .bind(digest.to_vec())
    .bind(request.created_at.0)
    .bind(request.due_at.map(|at| at.0))
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Writes where a locked request is now, with what its newest revision says.
pub(crate) async fn update(
    tx: &mut Tx,
    organization: &Id<Organization>,
    request: &Request,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE requests SET stage = $1, revision = $2, scopes = $3, places = $4, about = $5, \
         change_set_id = $6, changed_at = $7, due_at = $8, stopped = $9 \
         WHERE organization_id = $10 AND id = $11",
    )
    .bind(request.stage.as_str())
    .bind(request.revision)
    .bind(json!(request.scopes).to_string())
    .bind(json!(request.places).to_string())
    .bind(json!(request.about).to_string())
    .bind(request.change_set.as_deref())
    .bind(request.changed_at.0)
    .bind(request.due_at.map(|at| at.0))
    .bind(request.stopped.as_ref().map(|it| json!(it).to_string()))
    .bind(organization.as_str())
    .bind(request.id.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Writes a revision, and which scopes the request moves now.
pub(super) async fn insert_revision(
    tx: &mut Tx,
    organization: &Id<Organization>,
    id: &str,
    revision: &Revision,
    moved: &[Scope],
) -> Result<(), StoreError> {
    let (head, author) = (&revision.head, &revision.head.author);
    sqlx::query(
        "INSERT INTO request_revisions (organization_id, request_id, revision, author_kind, \
         author_id, author_name, author_voice, rebased, comment, vocabulary, base, at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    )
    .bind(organization.as_str())
    .bind(id)
    .bind(head.revision)
    .bind(author.actor.kind.as_str())
    .bind(author.actor.id.as_str())
    .bind(author.actor.name.as_str())
    .bind(author.voice.as_str())
    .bind(i16::from(head.rebased))
    .bind(head.comment.as_str())
    .bind(VOCABULARY)
    .bind(json!(revision.base).to_string())
    .bind(head.at.0)
    .execute(&mut **tx)
    .await?;
    steps::insert(tx, organization, id, head.revision, &revision.steps).await?;
    sqlx::query("DELETE FROM request_scopes WHERE organization_id = $1 AND request_id = $2")
        .bind(organization.as_str())
        .bind(id)
        .execute(&mut **tx)
        .await?;
    for scope in moved {
        let scope = match scope {
            Scope::Organization(id) => id.as_str(),
            Scope::Project(id) => id.as_str(),
            Scope::Environment(id) => id.as_str(),
        };
        sqlx::query(
            "INSERT INTO request_scopes (organization_id, request_id, scope_id) VALUES ($1, $2, $3)",
        )
        .bind(organization.as_str())
        .bind(id)
        .bind(scope)
        .execute(&mut **tx)
        .await?;
    }
    Ok(())
}

/// A revision of a request, with its steps.
pub(crate) async fn revision(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    id: &str,
    number: i64,
) -> Result<Revision, StoreError> {
    let found = sqlx::query(
        "SELECT revision, author_kind, author_id, author_name, author_voice, rebased, comment, at, \
         base FROM request_revisions WHERE organization_id = $1 AND request_id = $2 AND revision = $3",
    )
    .bind(organization.as_str())
    .bind(id)
    .bind(number)
    .fetch_optional(&mut *connection)
    .await?;
    let found = found.ok_or(StoreError::NotFound("revision"))?;
    Ok(Revision {
        head: head(&found)?,
        base: row::json(&found, 8)?,
        steps: steps::of_revision(connection, organization, id, number).await?,
    })
}

fn head(found: &AnyRow) -> Result<RevisionHead, StoreError> {
    Ok(RevisionHead {
        revision: row::number(found, 0)?,
        author: party(found, 1)?,
        rebased: row::number(found, 5)? != 0,
        comment: row::text(found, 6)?,
        at: row::millis(found, 7)?,
    })
}

/// The revisions of requests with the id of each request, in order.
pub(super) async fn heads(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    ids: &[&str],
) -> Result<Vec<(String, RevisionHead)>, StoreError> {
    let mut sql = Sql::new(
        "SELECT revision, author_kind, author_id, author_name, author_voice, rebased, comment, at, \
         request_id FROM request_revisions WHERE organization_id = ",
    );
    sql.bind(organization.as_str());
    sql.push(" AND request_id IN ").list(ids.iter().copied());
    sql.push(" ORDER BY request_id, revision");
    let rows = sql.query()?.fetch_all(connection).await?;
    rows.iter()
        .map(|found| Ok((row::text(found, 8)?, head(found)?)))
        .collect()
}

/// Reviews and comments of requests with the id of each request, in order.
pub(super) async fn events(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    ids: &[&str],
    kinds: &[&str],
) -> Result<Vec<(String, Event)>, StoreError> {
    let mut sql = Sql::new(
        "SELECT revision, kind, actor_kind, actor_id, actor_name, voice, text, at, request_id \
         FROM request_events WHERE organization_id = ",
    );
    sql.bind(organization.as_str());
    sql.push(" AND request_id IN ").list(ids.iter().copied());
    sql.push(" AND kind IN ").list(kinds.iter().copied());
    sql.push(" ORDER BY request_id, ordinal");
    let rows = sql.query()?.fetch_all(connection).await?;
    rows.iter()
        .map(|found| {
            let event = Event {
                revision: row::number(found, 0)?,
                said: row::name(found, 1)?,
                by: party(found, 2)?,
                text: row::text(found, 6)?,
                at: row::millis(found, 7)?,
            };
            Ok((row::text(found, 8)?, event))
        })
        .collect()
}

/// Adds an event to a locked request; gives how many there were.
pub(super) async fn insert_event(
    tx: &mut Tx,
    organization: &Id<Organization>,
    id: &str,
    event: &Event,
) -> Result<i64, StoreError> {
    let query =
        "SELECT COUNT(*) FROM request_events WHERE organization_id = $1 AND request_id = $2";
    let found = sqlx::query(query)
        .bind(organization.as_str())
        .bind(id)
        .fetch_one(&mut **tx)
        .await?;
    let ordinal = row::number(&found, 0)?;
    sqlx::query(
        "INSERT INTO request_events (organization_id, request_id, ordinal, revision, kind, \
         actor_kind, actor_id, actor_name, voice, text, at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(organization.as_str())
    .bind(id)
    .bind(ordinal)
    .bind(event.revision)
    .bind(event.said.as_str())
    .bind(event.by.actor.kind.as_str())
    .bind(event.by.actor.id.as_str())
    .bind(event.by.actor.name.as_str())
    .bind(event.by.voice.as_str())
    .bind(event.text.as_str())
    .bind(event.at.0)
    .execute(&mut **tx)
    .await?;
    Ok(ordinal)
}
