//! A project as a file: what is there is read at one moment, and what a file wants of it is applied
//! as change sets, by the one way in.
//!
//! Planning takes no locks. The change sets name the versions that were seen, so that what somebody
//! else changes meanwhile is a conflict like any other. Large files come to several change sets,
//! each whole by itself; applying a file again goes on where it ended.

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::access::Rights;
use burgee_domain::file::{self, Plan, Present, ProjectFile};
use burgee_domain::id::Id;
use burgee_domain::model::{Organization, Project};
use burgee_domain::workspace::ProjectState;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::apply::{Applied, ApplyError, ChangeSetRequest};
use crate::change_sets::Actor;
use crate::error::StoreError;
use crate::sql::Sql;
use crate::{Store, environments, flags, projects, row, segments};

/// A file to be brought into a project.
#[derive(Clone, Debug)]
pub struct FileRequest {
    /// In which organization.
    pub organization: Id<Organization>,
    /// By whom.
    pub actor: Actor,
    /// What they may do.
    pub rights: Rights,
    /// Which project.
    pub project: Id<Project>,
    /// What it shall be.
    pub file: ProjectFile,
    /// Whether flags and segments of which the file says nothing are archived.
    pub prune: bool,
    /// Why.
    pub comment: String,
    /// Why approvals are gone without, in an emergency.
    pub override_reason: Option<String>,
    /// Whether to only show what it would do.
    pub dry_run: bool,
    /// The moment.
    pub now: Millis,
}

/// What a file did, or would do.
#[derive(Clone, Debug)]
pub struct Filed {
    /// What was to be done.
    pub plan: Plan,
    /// The change sets, in order. Of a dry run the first alone: the others stand on it.
    pub applied: Vec<Applied>,
}

/// Why a file was not brought in, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file cannot be meant; nothing was changed.
    #[error(transparent)]
    File(#[from] file::FileFault),
    /// A change set was refused. Those before it were applied.
    #[error("{}: {error}", .item.as_deref().unwrap_or("the file"))]
    Refused {
        /// How many were applied before.
        applied: usize,
        /// The flag or segment that was refused, where it is known.
        item: Option<String>,
        /// Why.
        error: Box<ApplyError>,
    },
    /// The store could not.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// Reads a project with everything that its file holds or names, at one moment.
    pub async fn present(
        &self,
        organization: &Id<Organization>,
        project: &Id<Project>,
    ) -> Result<Present, StoreError> {
        let mut tx = self.begin_read().await?;
        let found = projects::lock_id(&mut tx, project, "").await?;
        let environments = environments::lock(&mut tx, &[project.as_str()], "").await?;
        let keys = flag_keys(&mut tx, project).await?;
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let flags = flags::load(&mut tx, project, &keys, &[]).await?;
        let (ids, taken_segments) = segment_ids(&mut tx, organization, project).await?;
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let segments = segments::load(&mut tx, organization, &ids).await?;
        let taken_flags = deleted_flags(&mut tx, project).await?;
        tx.rollback().await?;
        let environments = environments.into_iter();
        Ok(Present {
            project: ProjectState {
                project: found,
                environments: environments.map(|it| (it.key.folded(), it)).collect(),
                flags,
            },
            segments: segments.into_values().map(|it| it.segment).collect(),
            taken_flags,
            taken_segments,
        })
    }

    /// Makes a project as a file says.
    ///
    /// # Errors
    /// [`FileError`]; where it is of a later change set, those before it were applied.
    pub async fn apply_file(&self, request: &FileRequest) -> Result<Filed, FileError> {
        let present = self
            .present(&request.organization, &request.project)
            .await?;
        let mut new_id = || Uuid::now_v7().to_string();
        let plan = file::plan(&request.file, &present, request.prune, &mut new_id)?;
        let base = base(&present);
        let mut filed = Filed {
            plan,
            applied: Vec::new(),
        };
        for commands in filed.plan.change_sets() {
            let change_set = ChangeSetRequest {
                id: None,
                organization: request.organization.clone(),
                actor: request.actor.clone(),
                rights: request.rights.clone(),
                comment: request.comment.clone(),
                base: base.clone(),
                commands,
                override_reason: request.override_reason.clone(),
                dry_run: request.dry_run,
                now: request.now,
            };
            match self.apply(&change_set).await {
                Ok(applied) => filed.applied.push(applied),
                Err(error) => return Err(filed.refused(&change_set, error)),
            }
            if request.dry_run {
                break;
            }
        }
        Ok(filed)
    }
}

impl Filed {
    fn refused(&self, change_set: &ChangeSetRequest, error: ApplyError) -> FileError {
        let index = match &error {
            ApplyError::Rejected(rejected) => Some(rejected.command),
            ApplyError::Forbidden(need, _) => Some(need.command),
            _ => None,
        };
        let command = index.and_then(|index| change_set.commands.get(index));
        let mut groups = self.plan.groups.iter();
        let group = command.and_then(|it| groups.find(|group| group.commands.contains(it)));
        FileError::Refused {
            applied: self.applied.len(),
            item: group.map(|it| format!("{} {}", it.kind, it.key)),
            error: Box::new(error),
        }
    }
}

/// The versions that were seen.
fn base(present: &Present) -> BTreeMap<String, i64> {
    let project = &present.project.project;
    let environments = present.project.environments.values();
    let environments = environments.map(|it| {
        let scope = format!("{}/{}", project.key, it.key);
        (scope, it.position.version)
    });
    let of_project = (project.key.to_string(), project.version);
    environments.chain([of_project]).collect()
}

async fn flag_keys(
    connection: &mut AnyConnection,
    project: &Id<Project>,
) -> Result<Vec<String>, StoreError> {
    let rows = sqlx::query(
        "SELECT key_folded FROM flags WHERE project_id = $1 AND life <> 'deleted' \
         ORDER BY key_folded",
    )
    .bind(project.as_str())
    .fetch_all(connection)
    .await?;
    rows.iter().map(|found| row::text(found, 0)).collect()
}

async fn deleted_flags(
    connection: &mut AnyConnection,
    project: &Id<Project>,
) -> Result<BTreeSet<String>, StoreError> {
    let rows = sqlx::query("SELECT id FROM flags WHERE project_id = $1 AND life = 'deleted'")
        .bind(project.as_str())
        .fetch_all(connection)
        .await?;
    rows.iter().map(|found| row::text(found, 0)).collect()
}

/// The ids of the segments that a project's file holds or names, and all of the organization's.
async fn segment_ids(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    project: &Id<Project>,
) -> Result<(Vec<String>, BTreeSet<String>), StoreError> {
    let mut sql = Sql::new("SELECT id, CASE WHEN project_id IS NULL OR project_id = ");
    sql.bind(project.as_str());
    sql.push(" THEN life ELSE 'deleted' END FROM segments WHERE organization_id = ");
    sql.bind(organization.as_str()).push(" ORDER BY id");
    let rows = sql.query()?.fetch_all(connection).await?;
    let (mut near, mut taken) = (Vec::new(), BTreeSet::new());
    for found in &rows {
        let id = row::text(found, 0)?;
        if row::text(found, 1)? != "deleted" {
            near.push(id.clone());
        }
        taken.insert(id);
    }
    Ok((near, taken))
}
