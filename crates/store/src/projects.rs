//! Projects.

use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::{Organization, Project};
use burgee_domain::staleness::{MAX_DAYS, StaleDays};
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::change_sets::Actor;
use crate::environments::Act;
use crate::error::{StoreError, unique};
use crate::page::{Page, PageRequest};
use crate::sql::Sql;
use crate::{Store, Tx, organizations, room, row, text};

const SELECT: &str = "SELECT id, organization_id, key, name, version, created_at, stale_days, \
     (SELECT o.stale_days FROM organizations o WHERE o.id = projects.organization_id) \
     FROM projects WHERE deleted_at IS NULL";

fn read(found: &AnyRow) -> Result<Project, StoreError> {
    Ok(Project {
        id: row::id(found, 0)?,
        organization: row::id(found, 1)?,
        key: row::key(found, 2)?,
        name: row::text(found, 3)?,
        version: row::number(found, 4)?,
        created_at: row::millis(found, 5)?,
        stale_days: StaleDays {
            own: row::optional_number(found, 6)?,
            organization: row::number(found, 7)?,
        },
    })
}

/// A project to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewProject {
    /// Whose it is.
    pub organization: Id<Organization>,
    /// Unique in the organization, without regard to case.
    pub key: Key,
    /// The display name.
    pub name: String,
}

/// What becomes of a project; what is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectEdit {
    /// The display name.
    pub name: Option<String>,
    /// After how many days its flags are stale, 1 to 3,650; none inside: as the organization says.
    pub stale_days: Option<Option<i64>>,
}

impl Store {
    /// An organization's projects, by key.
    pub async fn projects(
        &self,
        organization: &Id<Organization>,
        page: &PageRequest,
    ) -> Result<Page<Project>, StoreError> {
        let mut sql = Sql::new(SELECT);
        sql.push(" AND organization_id = ")
            .bind(organization.as_str());
        if let Some(cursor) = &page.cursor {
            sql.push(" AND key_folded > ").bind(cursor.as_str());
        }
        sql.push(" ORDER BY key_folded LIMIT ")
            .bind(page.size() + 1);
        let rows = sql.query()?.fetch_all(&self.shared.truth.read).await?;
        let items = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        Ok(Page::cut(items, page.size(), |item| item.key.folded()))
    }

    /// The project of this key.
    pub async fn project(
        &self,
        organization: &Id<Organization>,
        key: &Key,
    ) -> Result<Project, StoreError> {
        let mut sql = Sql::new(SELECT);
        sql.push(" AND organization_id = ")
            .bind(organization.as_str());
        sql.push(" AND key_folded = ").bind(key.folded());
        let found = sql.query()?.fetch_optional(&self.shared.truth.read).await?;
        read(&found.ok_or(StoreError::NotFound("project"))?)
    }

    /// Makes a project without environments.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] of `key`.
    pub async fn create_project(
        &self,
        new: &NewProject,
        actor: &Actor,
        now: Millis,
    ) -> Result<Project, StoreError> {
        let mut tx = self.begin_write().await?;
        let project = self.create_project_in(&mut tx, new, actor, now).await?;
        self.end(tx, false).await?;
        Ok(project)
    }

    /// As [`Store::create_project`], in the caller's transaction.
    pub(crate) async fn create_project_in(
        &self,
        tx: &mut Tx,
        new: &NewProject,
        actor: &Actor,
        now: Millis,
    ) -> Result<Project, StoreError> {
        // Others who make one wait: there are only so many.
        organizations::lock(tx, &new.organization, self.shared.dialect.for_update()).await?;
        let project = insert(tx, new, now).await?;
        room::PROJECTS
            .holds(tx, &[new.organization.as_str()])
            .await?;
        let act = about(&project, actor, "createProject", "project made");
        self.administer(tx, &act, &mut [], now).await?;
        Ok(project)
    }

    /// Changes what is set of a project. It is not served, so no version moves. Where it is so
    /// already, nothing is written.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of `name` or `staleDays`.
    pub async fn update_project(
        &self,
        id: &Id<Project>,
        edit: &ProjectEdit,
        actor: &Actor,
        now: Millis,
    ) -> Result<Project, StoreError> {
        let name = edit.name.as_deref().map(text::name).transpose()?;
        if let Some(Some(days)) = edit.stale_days {
            stale_days(days)?;
        }
        let mut tx = self.begin_write().await?;
        let (_, before) = self.lock_above(&mut tx, id).await?;
        let mut project = before.clone();
        project.name = name.unwrap_or(project.name);
        project.stale_days.own = edit.stale_days.unwrap_or(project.stale_days.own);
        if project == before {
            return Ok(before);
        }
        sqlx::query("UPDATE projects SET name = $1, stale_days = $2 WHERE id = $3")
            .bind(project.name.as_str())
            .bind(project.stale_days.own)
            .bind(id.as_str())
            .execute(&mut *tx)
            .await?;
        let act = if project.name == before.name {
            set_stale_days(&project, actor)
        } else {
            about(&project, actor, "renameProject", "project renamed")
        };
        if project.name != before.name && project.stale_days != before.stale_days {
            let act = set_stale_days(&project, actor);
            self.administer(&mut tx, &act, &mut [], now).await?;
        }
        self.administer(&mut tx, &act, &mut [], now).await?;
        self.end(tx, false).await?;
        Ok(project)
    }
}

/// Refuses a number of days that no flag can be stale after.
pub(crate) fn stale_days(days: i64) -> Result<i64, StoreError> {
    match days {
        1..=MAX_DAYS => Ok(days),
        _ => Err(StoreError::Invalid {
            field: "staleDays",
            code: "range".into(),
            message: format!("must be from 1 to {MAX_DAYS}"),
        }),
    }
}

/// The act of saying when a project's flags are stale.
fn set_stale_days<'a>(project: &'a Project, actor: &'a Actor) -> Act<'a> {
    let key = &project.key;
    let own = project.stale_days.own;
    let days = own.map_or_else(|| "default".to_owned(), |days| days.to_string());
    let text = match own {
        Some(days) => format!("{key}: flags are stale after {days} days"),
        None => format!("{key}: flags are stale when the organization says so"),
    };
    Act {
        organization: &project.organization,
        actor,
        project: Some(&project.id),
        kind: "setStaleDays",
        params: vec![("project", key.to_string()), ("days", days)],
        text,
    }
}

/// An act that gives a project its name.
fn about<'a>(project: &'a Project, actor: &'a Actor, kind: &'static str, done: &str) -> Act<'a> {
    let Project { key, name, .. } = project;
    Act {
        organization: &project.organization,
        actor,
        project: Some(&project.id),
        kind,
        params: vec![("project", key.to_string()), ("name", name.clone())],
        text: format!("{key}: {done}, \"{name}\""),
    }
}

/// Reads and locks projects by folded key, all of the organization's where none are given, in id
/// order.
pub(crate) async fn lock(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    keys: Option<&[String]>,
    lock: &str,
) -> Result<Vec<Project>, StoreError> {
    let mut sql = Sql::new(SELECT);
    sql.push(" AND organization_id = ")
        .bind(organization.as_str());
    if let Some(keys) = keys {
        sql.push(" AND key_folded IN ")
            .list(keys.iter().map(String::as_str));
    }
    sql.push(" ORDER BY id").push(lock);
    let rows = sql.query()?.fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

/// Reads and locks one project by id.
pub(crate) async fn lock_id(
    connection: &mut AnyConnection,
    id: &Id<Project>,
    lock: &str,
) -> Result<Project, StoreError> {
    let mut sql = Sql::new(SELECT);
    sql.push(" AND id = ").bind(id.as_str()).push(lock);
    let found = sql.query()?.fetch_optional(connection).await?;
    read(&found.ok_or(StoreError::NotFound("project"))?)
}

async fn insert(
    connection: &mut AnyConnection,
    new: &NewProject,
    now: Millis,
) -> Result<Project, StoreError> {
    let name = text::name(&new.name)?;
    let id: Id<Project> = Id::new(uuid::Uuid::now_v7().to_string());
    sqlx::query(
        "INSERT INTO projects (id, organization_id, key, key_folded, name, version, created_at) \
         VALUES ($1, $2, $3, $4, $5, 0, $6)",
    )
    .bind(id.as_str())
    .bind(new.organization.as_str())
    .bind(new.key.as_str())
    .bind(new.key.folded())
    .bind(name.as_str())
    .bind(now.0)
    .execute(&mut *connection)
    .await
    .map_err(unique("key", "a project with this key exists"))?;
    Ok(Project {
        id,
        organization: new.organization.clone(),
        key: new.key.clone(),
        name,
        version: 0,
        created_at: now,
        stale_days: StaleDays {
            own: None,
            organization: organizations::stale_days(connection, &new.organization).await?,
        },
    })
}

/// Moves the version by one; a project of another version is not touched.
pub(crate) async fn advance(
    connection: &mut AnyConnection,
    id: &Id<Project>,
    version: i64,
) -> Result<u64, StoreError> {
    let done = sqlx::query("UPDATE projects SET version = $1 WHERE id = $2 AND version = $3")
        .bind(version)
        .bind(id.as_str())
        .bind(version - 1)
        .execute(connection)
        .await?;
    Ok(done.rows_affected())
}
