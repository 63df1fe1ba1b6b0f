//! Environments.

mod administration;
mod edit;
mod manage;
pub(crate) mod rules;
mod user_acts;

use burgee_domain::access::{Kind, Marks, Resource, Rights};
use burgee_domain::colour::Colour;
use burgee_domain::decision_log::Sample;
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Organization, Project};
use burgee_domain::position::Position;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

pub(crate) use administration::{Act, Step};
pub use edit::EnvironmentEdit;
pub use user_acts::UserAct;

use crate::error::{StoreError, unique};
use crate::sql::Sql;
use crate::{Store, Tx, row};

const SELECT: &str = "SELECT id, project_id, key, name, description, sort, version, chain, \
                      last_stamp, created_at, protected, colour, decision_sample FROM environments \
                      WHERE deleted_at IS NULL";

fn read(found: &AnyRow) -> Result<Environment, StoreError> {
    let chain = row::hash(found, 7)?;
    Ok(Environment {
        id: row::id(found, 0)?,
        project: row::id(found, 1)?,
        key: row::key(found, 2)?,
        name: row::text(found, 3)?,
        description: row::text(found, 4)?,
        sort: row::number(found, 5)?,
        position: Position::new(row::number(found, 6)?, &chain),
        chain,
        last_stamp: row::millis(found, 8)?,
        created_at: row::millis(found, 9)?,
        protected: row::boolean(found, 10)?,
        colour: colour(&row::text(found, 11)?)?,
        decisions: decisions(row::number(found, 12)?)?,
    })
}

fn colour(text: &str) -> Result<Colour, StoreError> {
    Colour::new(text).map_err(|error| StoreError::Other(Box::new(error)))
}

fn decisions(millionths: i64) -> Result<Sample, StoreError> {
    Sample::of_millionths(millionths).map_err(|error| StoreError::Other(Box::new(error)))
}

/// An environment, as policies name it, and how far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedEnvironment {
    /// Its id.
    pub id: String,
    /// The key of its project.
    pub project: String,
    /// Its key.
    pub key: String,
    /// Whether it is protected.
    pub protected: bool,
    /// Its newest version.
    pub version: i64,
}

/// An environment to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEnvironment {
    /// Where.
    pub project: Id<Project>,
    /// Unique in the project, without regard to case.
    pub key: Key,
    /// The display name.
    pub name: String,
    /// A text for people.
    pub description: String,
}

/// Which environments of an organization are protected.
pub(crate) async fn marks(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
) -> Result<Marks, StoreError> {
    let rows = sqlx::query(
        "SELECT p.key, e.key, e.protected FROM environments e \
         JOIN projects p ON p.id = e.project_id \
         WHERE p.organization_id = $1 AND e.deleted_at IS NULL",
    )
    .bind(organization.as_str())
    .fetch_all(connection)
    .await?;
    let mark = |found: &AnyRow| {
        let keys = (row::text(found, 0)?, row::text(found, 1)?);
        Ok((keys.0, keys.1, row::boolean(found, 2)?))
    };
    rows.iter().map(mark).collect()
}

/// The flags and segments of an organization that have tags, with them. Of what was deleted, those
/// whose key nothing has now.
async fn tagged(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
) -> Result<Vec<Resource>, StoreError> {
    let mut items = Vec::new();
    for (kind, text) in [(Kind::Flag, TAGGED_FLAGS), (Kind::Segment, TAGGED_SEGMENTS)] {
        let rows = sqlx::query(text).bind(organization.as_str());
        for found in rows.fetch_all(&mut *connection).await? {
            let (project, environment) = (
                row::optional_text(&found, 0)?,
                row::optional_text(&found, 1)?,
            );
            let key = row::text(&found, 2)?;
            let item = match (project, environment) {
                (None, _) => Resource::new(kind, key),
                (Some(project), None) => Resource::project(project).with(kind, key),
                (Some(project), Some(environment)) => {
                    Resource::environment(project, environment, None).with(kind, key)
                }
            };
            let tags: Vec<String> = row::json(&found, 3)?;
            items.push(item.tagged(&tags));
        }
    }
    Ok(items)
}

const TAGGED_FLAGS: &str = "SELECT p.key, CAST(NULL AS TEXT), f.key, f.tags FROM flags f \
     JOIN projects p ON p.id = f.project_id \
     WHERE p.organization_id = $1 AND f.tags <> '[]' AND (f.life <> 'deleted' OR NOT EXISTS ( \
         SELECT 1 FROM flags n WHERE n.project_id = f.project_id \
         AND n.key_folded = f.key_folded AND n.life <> 'deleted'))";

const TAGGED_SEGMENTS: &str = "SELECT p.key, e.key, s.key, s.tags FROM segments s \
     LEFT JOIN projects p ON p.id = s.project_id \
     LEFT JOIN environments e ON e.id = s.environment_id \
     WHERE s.organization_id = $1 AND s.tags <> '[]' AND (s.life <> 'deleted' OR NOT EXISTS ( \
         SELECT 1 FROM segments n WHERE n.organization_id = s.organization_id \
         AND COALESCE(n.project_id, '') = COALESCE(s.project_id, '') \
         AND COALESCE(n.environment_id, '') = COALESCE(s.environment_id, '') \
         AND n.key_folded = s.key_folded AND n.life <> 'deleted'))";

impl Store {
    /// Which environments of an organization are protected, by their keys; and, where these rights
    /// depend on them, the tags of flags and segments.
    pub async fn marks(
        &self,
        organization: &Id<Organization>,
        rights: &Rights,
    ) -> Result<Marks, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let marks = marks(&mut connection, organization).await?;
        if !rights.depend_on_tags() {
            return Ok(marks);
        }
        let items = tagged(&mut connection, organization).await?;
        Ok(marks.with_tags(items.into_iter()))
    }

    /// A project's environments, in their order.
    pub async fn environments(
        &self,
        project: &Id<Project>,
    ) -> Result<Vec<Environment>, StoreError> {
        let mut sql = Sql::new(SELECT);
        sql.push(" AND project_id = ").bind(project.as_str());
        sql.push(" ORDER BY sort, key_folded");
        let rows = sql.query()?.fetch_all(&self.shared.truth.read).await?;
        rows.iter().map(read).collect()
    }

    /// All environments of an organization, those of a project in their order.
    pub async fn environments_of_all_projects(
        &self,
        organization: &Id<Organization>,
    ) -> Result<Vec<Environment>, StoreError> {
        let mut sql = Sql::new(SELECT);
        sql.push(" AND project_id IN (SELECT id FROM projects WHERE organization_id = ")
            .bind(organization.as_str());
        sql.push(") ORDER BY project_id, sort, key_folded");
        let rows = sql.query()?.fetch_all(&self.shared.truth.read).await?;
        rows.iter().map(read).collect()
    }

    /// How all environments of an organization are named, by id.
    pub async fn environments_of(
        &self,
        organization: &Id<Organization>,
    ) -> Result<Vec<NamedEnvironment>, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        of_organization(&mut connection, organization).await
    }

    /// The environment of this key.
    pub async fn environment(
        &self,
        project: &Id<Project>,
        key: &Key,
    ) -> Result<Environment, StoreError> {
        let mut sql = Sql::new(SELECT);
        sql.push(" AND project_id = ").bind(project.as_str());
        sql.push(" AND key_folded = ").bind(key.folded());
        let found = sql.query()?.fetch_optional(&self.shared.truth.read).await?;
        read(&found.ok_or(StoreError::NotFound("environment"))?)
    }

    /// Reads and locks an environment, and tells whose it is.
    pub(crate) async fn lock_environment(
        &self,
        tx: &mut Tx,
        id: &Id<Environment>,
    ) -> Result<Locked, StoreError> {
        let mut sql = Sql::new(SELECT);
        sql.push(" AND id = ").bind(id.as_str());
        sql.push(self.shared.dialect.for_update());
        let found = sql.query()?.fetch_optional(&mut **tx).await?;
        let environment = read(&found.ok_or(StoreError::NotFound("environment"))?)?;
        let above = sqlx::query("SELECT organization_id, key FROM projects WHERE id = $1")
            .bind(environment.project.as_str())
            .fetch_one(&mut **tx)
            .await?;
        Ok(Locked {
            organization: row::id(&above, 0)?,
            project: row::text(&above, 1)?,
            environment,
        })
    }
}

/// All environments of an organization, by id.
pub(crate) async fn of_organization(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
) -> Result<Vec<NamedEnvironment>, StoreError> {
    let rows = sqlx::query(
        "SELECT e.id, p.key, e.key, e.protected, e.version FROM environments e \
         JOIN projects p ON p.id = e.project_id \
         WHERE p.organization_id = $1 AND e.deleted_at IS NULL ORDER BY e.id",
    )
    .bind(organization.as_str())
    .fetch_all(connection)
    .await?;
    let named = |found: &AnyRow| {
        Ok(NamedEnvironment {
            id: row::text(found, 0)?,
            project: row::text(found, 1)?,
            key: row::text(found, 2)?,
            protected: row::boolean(found, 3)?,
            version: row::number(found, 4)?,
        })
    };
    rows.iter().map(named).collect()
}

/// An environment whose row is locked.
pub(crate) struct Locked {
    pub(crate) organization: Id<Organization>,
    /// The key of its project.
    pub(crate) project: String,
    pub(crate) environment: Environment,
}

impl Locked {
    /// How people name it: `project/environment`.
    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.project, self.environment.key)
    }

    /// Its names as parameters of an act.
    pub(crate) fn params(&self) -> Vec<(&'static str, String)> {
        let key = self.environment.key.to_string();
        vec![("project", self.project.clone()), ("environment", key)]
    }
}

/// Reads and locks all environments of projects, in id order.
pub(crate) async fn lock(
    connection: &mut AnyConnection,
    projects: &[&str],
    lock: &str,
) -> Result<Vec<Environment>, StoreError> {
    let mut sql = Sql::new(SELECT);
    sql.push(" AND project_id IN ")
        .list(projects.iter().copied());
    sql.push(" ORDER BY id").push(lock);
    let rows = sql.query()?.fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

/// Reads an environment that is not deleted.
pub(crate) async fn find(
    connection: &mut AnyConnection,
    id: &str,
) -> Result<Option<Environment>, StoreError> {
    let mut sql = Sql::new(SELECT);
    sql.push(" AND id = ").bind(id);
    let found = sql.query()?.fetch_optional(connection).await?;
    found.as_ref().map(read).transpose()
}

async fn insert(
    connection: &mut AnyConnection,
    new: &NewEnvironment,
    now: Millis,
) -> Result<Environment, StoreError> {
    let last = sqlx::query("SELECT MAX(sort) FROM environments WHERE project_id = $1")
        .bind(new.project.as_str())
        .fetch_one(&mut *connection)
        .await?;
    let last = row::optional_millis(&last, 0)?;
    let others = lock(&mut *connection, &[new.project.as_str()], "").await?;
    let taken: Vec<Colour> = others.iter().map(|it| it.colour).collect();
    let sort = last.map_or(0, |last| last.0 + 1);
    let environment = Environment {
        id: Id::new(uuid::Uuid::new_v4().to_string()),
        project: new.project.clone(),
        key: new.key.clone(),
        name: new.name.clone(),
        description: new.description.clone(),
        protected: false,
        colour: Colour::given(&new.key, &taken),
        decisions: Sample::NONE,
        sort,
        position: Position::default(),
        chain: [0; 32],
        last_stamp: Millis(0),
        created_at: now,
    };
    sqlx::query(
        "INSERT INTO environments (id, project_id, key, key_folded, name, description, sort, \
         version, chain, last_stamp, created_at, colour) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, 0, $9, $10)",
    )
    .bind(environment.id.as_str())
    .bind(environment.project.as_str())
    .bind(environment.key.as_str())
    .bind(environment.key.folded())
    .bind(environment.name.as_str())
    .bind(environment.description.as_str())
    .bind(environment.sort)
    .bind(environment.chain.to_vec())
    .bind(now.0)
    .bind(environment.colour.to_string())
    .execute(connection)
    .await
    .map_err(unique("key", "an environment with this key exists"))?;
    Ok(environment)
}

/// Writes the position, chain and last stamp of an environment that moves by one version; one
/// that is elsewhere is not touched.
pub(crate) async fn advance(
    connection: &mut AnyConnection,
    to: &Environment,
) -> Result<u64, StoreError> {
    let done = sqlx::query(
        "UPDATE environments SET version = $1, chain = $2, last_stamp = $3 \
         WHERE id = $4 AND version = $5",
    )
    .bind(to.position.version)
    .bind(to.chain.to_vec())
    .bind(to.last_stamp.0)
    .bind(to.id.as_str())
    .bind(to.position.version - 1)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}
