//! A project as a file: what is there is read at one moment, and what a file wants of it is applied
//! as change sets, by the one way in.
//!
//! Planning takes no locks. The change sets name the versions that were seen, so that what somebody
//! else changes meanwhile is a conflict like any other. Large files come to several change sets,
//! each whole by itself; applying a file again goes on where it ended. A dry run tries them out one
//! after the other, so that it tells of each what it would do and what environments ask of it.

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::access::{Resource, Rights};
use burgee_domain::file::{self, Done, Plan, PlannedEnvironment, Present, ProjectFile};
use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Organization, Project};
use burgee_domain::workspace::ProjectState;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::apply::{Applied, ApplyError, ChangeSetRequest, Denied};
use crate::change_sets::Actor;
use crate::environments::{EnvironmentEdit, NewEnvironment};
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
    /// The versions at which that was worked out, by scope.
    pub base: BTreeMap<String, i64>,
    /// The environments that were made or changed, as they are; none of a dry run.
    pub environments: Vec<Environment>,
    /// The answers to the change sets of the plan, in order.
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
        let present = read(&mut tx, organization, project).await?;
        tx.rollback().await?;
        Ok(present)
    }

    /// Makes a project as a file says.
    ///
    /// # Errors
    /// [`FileError`]; where it is of a later change set, those before it were applied.
    pub async fn apply_file(&self, request: &FileRequest) -> Result<Filed, FileError> {
        let mut tx = self.begin_read().await?;
        let present = read(&mut tx, &request.organization, &request.project).await?;
        let mut new_id = || Uuid::now_v7().to_string();
        let plan = file::plan(&request.file, &present, request.prune, &mut new_id)?;
        let mut filed = Filed {
            base: base(&present),
            plan,
            environments: Vec::new(),
            applied: Vec::new(),
        };
        let sets = request.change_sets(&filed);
        if !request.dry_run {
            request.may_settle(&filed.plan, &present.project.project)?;
        }
        // Who may not do the rest makes no environments either.
        let settles = filed.plan.environments.iter().any(|it| it.act().is_some());
        if request.dry_run || settles {
            let made = made(&filed.plan);
            let tried = self.try_sets(tx, &request.organization, &sets, &made).await;
            let tried = tried.map_err(|(index, error)| filed.refused(sets.get(index), error))?;
            if request.dry_run {
                filed.applied = tried;
                return Ok(filed);
            }
        } else {
            tx.rollback().await.map_err(StoreError::from)?;
        }
        filed.environments = self.settle(request, &filed.plan).await?;
        self.apply_each(&present.project.project, sets, &mut filed)
            .await?;
        Ok(filed)
    }

    /// Applies the change sets of a file, each to what those before it left.
    async fn apply_each(
        &self,
        project: &Project,
        sets: Vec<ChangeSetRequest>,
        filed: &mut Filed,
    ) -> Result<(), FileError> {
        let mut seen = filed.base.clone();
        for environment in &filed.environments {
            let scope = format!("{}/{}", project.key, environment.key);
            let moved = (scope, environment.position.version);
            follow(&mut seen, &BTreeMap::from([moved]));
        }
        for mut set in sets {
            set.base = seen.clone();
            match self.apply(&set).await {
                Ok(applied) => {
                    follow(&mut seen, &applied.versions);
                    filed.applied.push(applied);
                }
                Err(error) => return Err(filed.refused(Some(&set), error)),
            }
        }
        Ok(())
    }

    /// Makes environments and changes what is said of them, as administration does it; those that
    /// it made or changed, as they are.
    async fn settle(
        &self,
        request: &FileRequest,
        plan: &Plan,
    ) -> Result<Vec<Environment>, StoreError> {
        let (actor, now) = (&request.actor, request.now);
        let mut settled = Vec::new();
        for PlannedEnvironment { wanted, done } in &plan.environments {
            let (name, description) = (wanted.name.clone(), wanted.description.clone());
            settled.push(match done {
                Done::Created => {
                    let new = NewEnvironment {
                        project: request.project.clone(),
                        key: wanted.key.clone(),
                        name,
                        description,
                    };
                    self.create_environment(&new, actor, now).await?
                }
                Done::Updated => {
                    let edit = EnvironmentEdit {
                        name: Some(name),
                        description: Some(description),
                        ..EnvironmentEdit::default()
                    };
                    self.update_environment(&wanted.id, &edit, actor, now)
                        .await?
                }
                Done::Restored | Done::Archived | Done::Unchanged => continue,
            });
        }
        Ok(settled)
    }
}

impl FileRequest {
    /// Environments are made and described by whoever may.
    fn may_settle(&self, plan: &Plan, project: &Project) -> Result<(), FileError> {
        for PlannedEnvironment { wanted, done } in &plan.environments {
            let action = match done {
                Done::Created => "environment.create",
                Done::Updated => "environment.update",
                Done::Restored | Done::Archived | Done::Unchanged => continue,
            };
            let place = Resource::of(project, wanted);
            let refused = |error| FileError::Refused {
                applied: 0,
                item: Some(format!("environment {}", wanted.key)),
                error: Box::new(error),
            };
            Denied::unless_all(&self.rights, action, [place]).map_err(refused)?;
        }
        Ok(())
    }

    fn change_sets(&self, filed: &Filed) -> Vec<ChangeSetRequest> {
        let sets = filed.plan.change_sets().into_iter();
        sets.map(|commands| ChangeSetRequest {
            id: None,
            organization: self.organization.clone(),
            actor: self.actor.clone(),
            rights: self.rights.clone(),
            comment: self.comment.clone(),
            base: filed.base.clone(),
            commands,
            override_reason: self.override_reason.clone(),
            dry_run: self.dry_run,
            now: self.now,
        })
        .collect()
    }
}

impl Filed {
    fn refused(&self, change_set: Option<&ChangeSetRequest>, error: ApplyError) -> FileError {
        let index = match &error {
            ApplyError::Rejected(rejected) => Some(rejected.command),
            ApplyError::Forbidden(need, _) => Some(need.command),
            _ => None,
        };
        let commands = change_set.map(|it| it.commands.as_slice());
        let command = index.and_then(|index| commands?.get(index));
        let mut groups = self.plan.groups.iter();
        let group = command.and_then(|it| groups.find(|group| group.commands.contains(it)));
        FileError::Refused {
            applied: self.applied.len(),
            item: group.map(|it| format!("{} {}", it.kind, it.key)),
            error: Box::new(error),
        }
    }
}

/// The environments that a plan makes.
fn made(plan: &Plan) -> Vec<Environment> {
    let planned = plan.environments.iter();
    let made = planned.filter(|it| it.done == Done::Created);
    made.map(|it| it.wanted.clone()).collect()
}

/// What the file moved was seen as well, unless somebody else came between.
fn follow(seen: &mut BTreeMap<String, i64>, moved: &BTreeMap<String, i64>) {
    for (scope, version) in moved {
        if let Some(at) = seen.get_mut(scope)
            && *version == *at + 1
        {
            *at = *version;
        }
    }
}

/// Reads a project with everything that its file holds or names.
async fn read(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    project: &Id<Project>,
) -> Result<Present, StoreError> {
    let found = projects::lock_id(connection, project, "").await?;
    let environments = environments::lock(connection, &[project.as_str()], "").await?;
    let keys = flag_keys(connection, project).await?;
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let flags = flags::load(connection, project, &keys, &[]).await?;
    let (ids, taken_segments) = segment_ids(connection, organization, project).await?;
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let segments = segments::load(connection, organization, &ids).await?;
    let taken_flags = deleted_flags(connection, project).await?;
    let environments = environments.into_iter();
    Ok(Present {
        project: ProjectState {
            project: found,
            environments: environments.map(|it| (it.key.folded(), it)).collect(),
            flags,
            // All flags are in it by themselves.
            prerequisites: BTreeMap::new(),
        },
        segments: segments.into_values().map(|it| it.segment).collect(),
        taken_flags,
        taken_segments,
    })
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
