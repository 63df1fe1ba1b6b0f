//! Environments, and the steps of their history that are not about flags: SDK keys and settings
//! are log rows of the same sequence, so that the feed sees them like any other change.

use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Organization, Project, SdkKeyKind};
use burgee_domain::position::{self, Position};
use burgee_eval::time::Millis;
use serde_json::{Value, json};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::change_sets::{self, Actor, NewChangeSet};
use crate::error::{StoreError, unique};
use crate::log::{self, LogRow, Version};
use crate::sdk_keys;
use crate::sql::Sql;
use crate::{Store, Tx, organizations, projects, row, segments, text};

const SELECT: &str = "SELECT id, project_id, key, name, description, sort, version, chain, \
                      last_stamp, created_at FROM environments WHERE deleted_at IS NULL";

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
    })
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

impl Store {
    /// A project's environments, in their order.
    pub async fn environments(
        &self,
        project: &Id<Project>,
    ) -> Result<Vec<Environment>, StoreError> {
        let mut sql = Sql::new(SELECT);
        sql.push(" AND project_id = ").bind(project.as_str());
        sql.push(" ORDER BY sort, key_folded");
        let rows = sql.query().fetch_all(&self.shared.truth.read).await?;
        rows.iter().map(read).collect()
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
        let found = sql.query().fetch_optional(&self.shared.truth.read).await?;
        read(&found.ok_or(StoreError::NotFound("environment"))?)
    }

    /// Makes an environment with one SDK key of each kind. Shared segments are served in it from
    /// the start.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] of `key`.
    pub async fn create_environment(
        &self,
        new: &NewEnvironment,
        actor: &Actor,
        now: Millis,
    ) -> Result<Environment, StoreError> {
        let mut tx = self.begin_write().await?;
        let environment = self.create_in(&mut tx, new, actor, now).await?;
        tx.commit().await?;
        self.shared.changed.tell();
        Ok(environment)
    }

    /// As [`Store::create_environment`], in the caller's transaction.
    pub(crate) async fn create_in(
        &self,
        tx: &mut Tx,
        new: &NewEnvironment,
        actor: &Actor,
        now: Millis,
    ) -> Result<Environment, StoreError> {
        let (organization, project) = self.lock_above(tx, &new.project).await?;
        text::storable("name", &new.name)?;
        text::storable("description", &new.description)?;
        let mut environment = insert(tx, new, now).await?;
        let (images, last_stamp) =
            segments::enter(tx, &organization, &project.id, &environment, now).await?;
        environment.last_stamp = last_stamp;
        let mut rows: Vec<LogRow<'_>> = images.iter().map(segments::Entered::log_row).collect();
        let mut keys = Vec::new();
        for kind in [SdkKeyKind::Client, SdkKeyKind::Server] {
            keys.push(sdk_keys::insert(tx, &environment.id, kind, None, None, now).await?);
        }
        let key_images: Vec<String> = keys.iter().map(sdk_keys::image).collect();
        for (key, image) in keys.iter().zip(&key_images) {
            rows.push(sdk_keys::log_row(key, image));
        }
        let command = json!({"kind": "createEnvironment", "project": project.key.as_str(),
            "environment": new.key.as_str(), "name": new.name});
        let step = Administration {
            organization: &organization,
            actor,
            command,
            rows,
        };
        self.administer(tx, environment, step, now).await
    }

    /// Changes an environment's name and description.
    pub async fn update_environment(
        &self,
        id: &Id<Environment>,
        name: &str,
        description: &str,
        actor: &Actor,
        now: Millis,
    ) -> Result<Environment, StoreError> {
        text::storable("name", name)?;
        text::storable("description", description)?;
        let mut tx = self.begin_write().await?;
        let (organization, mut environment) = self.lock_environment(&mut tx, id).await?;
        sqlx::query("UPDATE environments SET name = $1, description = $2 WHERE id = $3")
            .bind(name)
            .bind(description)
            .bind(id.as_str())
            .execute(&mut *tx)
            .await?;
        environment.name = name.to_owned();
        environment.description = description.to_owned();
        let image = json!({"name": name, "description": description}).to_string();
        let step = Administration {
            organization: &organization,
            actor,
            command: json!({"kind": "updateEnvironment", "environment": environment.key.as_str(),
                "name": name, "description": description}),
            rows: vec![setting("about", &image)],
        };
        let environment = self.administer(&mut tx, environment, step, now).await?;
        tx.commit().await?;
        self.shared.changed.tell();
        Ok(environment)
    }

    /// Deletes an environment: revokes its keys, keeps its history.
    pub async fn delete_environment(
        &self,
        id: &Id<Environment>,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin_write().await?;
        self.delete_in(&mut tx, id, actor, now).await?;
        tx.commit().await?;
        self.shared.changed.tell();
        Ok(())
    }

    /// Deletes a project with its environments; keeps its history.
    pub async fn delete_project(
        &self,
        id: &Id<Project>,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin_write().await?;
        self.lock_above(&mut tx, id).await?;
        let ids: Vec<Id<Environment>> =
            lock(&mut tx, &[id.as_str()], self.shared.dialect.for_update())
                .await?
                .into_iter()
                .map(|environment| environment.id)
                .collect();
        for environment in ids {
            self.delete_in(&mut tx, &environment, actor, now).await?;
        }
        sqlx::query("UPDATE projects SET deleted_at = $1 WHERE id = $2")
            .bind(now.0)
            .bind(id.as_str())
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        self.shared.changed.tell();
        Ok(())
    }

    async fn delete_in(
        &self,
        tx: &mut Tx,
        id: &Id<Environment>,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let (organization, environment) = self.lock_environment(tx, id).await?;
        let keys = sdk_keys::revoke_all(tx, id, now).await?;
        let images: Vec<String> = keys.iter().map(sdk_keys::image).collect();
        let mut rows: Vec<LogRow<'_>> = keys
            .iter()
            .zip(&images)
            .map(|(key, image)| sdk_keys::log_row(key, image))
            .collect();
        rows.push(setting("deleted", "true"));
        let step = Administration {
            organization: &organization,
            actor,
            command: json!({"kind": "deleteEnvironment", "environment": environment.key.as_str()}),
            rows,
        };
        self.administer(tx, environment, step, now).await?;
        sqlx::query("UPDATE environments SET deleted_at = $1 WHERE id = $2")
            .bind(now.0)
            .bind(id.as_str())
            .execute(&mut **tx)
            .await?;
        Ok(())
    }

    /// Locks what stands above a project's environments: nothing shared changes meanwhile.
    async fn lock_above(
        &self,
        tx: &mut Tx,
        project: &Id<Project>,
    ) -> Result<(Id<Organization>, Project), StoreError> {
        let dialect = self.shared.dialect;
        let organization = sqlx::query("SELECT organization_id FROM projects WHERE id = $1")
            .bind(project.as_str())
            .fetch_optional(&mut **tx)
            .await?
            .ok_or(StoreError::NotFound("project"))?;
        let organization: Id<Organization> = row::id(&organization, 0)?;
        organizations::lock(tx, &organization, dialect.for_share()).await?;
        let project = projects::lock_id(tx, project, dialect.for_update()).await?;
        Ok((organization, project))
    }

    /// Reads and locks an environment, and tells whose it is.
    pub(crate) async fn lock_environment(
        &self,
        tx: &mut Tx,
        id: &Id<Environment>,
    ) -> Result<(Id<Organization>, Environment), StoreError> {
        let mut sql = Sql::new(SELECT);
        sql.push(" AND id = ").bind(id.as_str());
        sql.push(self.shared.dialect.for_update());
        let found = sql.query().fetch_optional(&mut **tx).await?;
        let environment = read(&found.ok_or(StoreError::NotFound("environment"))?)?;
        let organization = sqlx::query("SELECT organization_id FROM projects WHERE id = $1")
            .bind(environment.project.as_str())
            .fetch_one(&mut **tx)
            .await?;
        Ok((row::id(&organization, 0)?, environment))
    }

    /// Moves a locked environment by one version with rows about keys and settings.
    pub(crate) async fn administer(
        &self,
        tx: &mut Tx,
        mut environment: Environment,
        step: Administration<'_>,
        now: Millis,
    ) -> Result<Environment, StoreError> {
        let chained = step.rows.iter().map(LogRow::chained);
        environment.chain = position::chain_rows(environment.chain, chained);
        let version = environment.position.version + 1;
        environment.position = Position::new(version, &environment.chain);
        let id = uuid::Uuid::now_v7().to_string();
        let commands = Value::Array(vec![step.command]).to_string();
        let change_set = NewChangeSet {
            organization: step.organization,
            id: &id,
            actor: step.actor,
            comment: "",
            base: &json!({}),
            request_digest: change_sets::request_digest("", &json!({}), &commands),
            commands: &commands,
            result: &Value::Null,
            at: now,
        };
        change_sets::insert(tx, &change_set).await?;
        let version = Version {
            scope_kind: "environment",
            scope: environment.id.as_str(),
            version,
            chain: environment.chain,
            rows: step.rows,
        };
        log::write(tx, &change_set.reference(), &version, now).await?;
        let moved = advance(tx, &environment).await?;
        if moved != 1 {
            return Err(StoreError::corrupt("an environment moved while locked"));
        }
        self.shared
            .dialect
            .notify(tx, environment.id.as_str())
            .await?;
        Ok(environment)
    }
}

/// A step of an environment that is not about flags or segments.
pub(crate) struct Administration<'a> {
    pub(crate) organization: &'a Id<Organization>,
    pub(crate) actor: &'a Actor,
    /// In the form of a command, for the history.
    pub(crate) command: Value,
    pub(crate) rows: Vec<LogRow<'a>>,
}

/// The log row of a setting.
fn setting<'a>(name: &'a str, image: &'a str) -> LogRow<'a> {
    LogRow {
        kind: "setting",
        id: name,
        key: name,
        facets: "[]".to_owned(),
        commands: "[0]".to_owned(),
        image,
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
    let rows = sql.query().fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

/// Reads an environment that is not deleted.
pub(crate) async fn find(
    connection: &mut AnyConnection,
    id: &str,
) -> Result<Option<Environment>, StoreError> {
    let mut sql = Sql::new(SELECT);
    sql.push(" AND id = ").bind(id);
    let found = sql.query().fetch_optional(connection).await?;
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
    let environment = Environment {
        id: Id::new(uuid::Uuid::new_v4().to_string()),
        project: new.project.clone(),
        key: new.key.clone(),
        name: new.name.clone(),
        description: new.description.clone(),
        sort: last.map_or(0, |last| last.0 + 1),
        position: Position::default(),
        chain: [0; 32],
        last_stamp: Millis(0),
        created_at: now,
    };
    sqlx::query(
        "INSERT INTO environments (id, project_id, key, key_folded, name, description, sort, \
         version, chain, last_stamp, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, 0, $9)",
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
