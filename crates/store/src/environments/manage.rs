//! Making and deleting environments (and projects with them).

use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Organization, Project, SdkKey, SdkKeyKind};
use burgee_eval::time::Millis;

use super::administration::setting;
use super::{Act, Locked, NewEnvironment, Step, insert, lock, rules};
use crate::change_sets::Actor;
use crate::error::StoreError;
use crate::log::LogRow;
use crate::relay_keys::looks;
use crate::segments::{self, Entered};
use crate::{Store, Tx, organizations, projects, room, row, sdk_keys, text};

impl Store {
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
        self.end(tx, false).await?;
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
        let new = NewEnvironment {
            name: text::name(&new.name)?,
            description: text::description(&new.description)?,
            ..new.clone()
        };
        let mut environment = insert(tx, &new, now).await?;
        room::ENVIRONMENTS.holds(tx, &[project.id.as_str()]).await?;
        let (entered, last_stamp) =
            segments::enter(tx, &organization, &project.id, &environment, now).await?;
        environment.last_stamp = last_stamp;
        let mut keys = Vec::new();
        for kind in [SdkKeyKind::Client, SdkKeyKind::Server] {
            keys.push(sdk_keys::insert(tx, &environment.id, kind, None, None, now).await?);
        }
        let key_images: Vec<String> = keys.iter().map(sdk_keys::image).collect();
        let segment_rows = entered.iter().map(Entered::log_row);
        let act = Act {
            organization: &organization,
            actor,
            project: None,
            kind: "createEnvironment",
            params: vec![
                ("project", project.key.to_string()),
                ("environment", new.key.to_string()),
                ("name", new.name.clone()),
            ],
            text: format!("{}/{}: environment made", project.key, new.key),
        };
        let mut step = Step {
            project: project.key.as_str(),
            environment,
            rows: segment_rows.chain(key_rows(&keys, &key_images)).collect(),
        };
        self.administer(tx, &act, std::slice::from_mut(&mut step), now)
            .await?;
        looks::count(tx, &organization).await?;
        Ok(step.environment)
    }

    /// Deletes an environment: revokes its keys, keeps its history.
    ///
    /// # Errors
    /// [`StoreError::Refused`] where it is protected, or asks for approvals.
    pub async fn delete_environment(
        &self,
        id: &Id<Environment>,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin_write().await?;
        let locked = self.lock_environment(&mut tx, id).await?;
        may_go(&mut tx, std::slice::from_ref(&locked.environment)).await?;
        let act = Act {
            organization: &locked.organization,
            actor,
            project: None,
            kind: "deleteEnvironment",
            params: locked.params(),
            text: format!("{}: environment deleted", locked.name()),
        };
        let Locked {
            project,
            environment,
            ..
        } = &locked;
        self.delete_in(&mut tx, &act, project, vec![environment.clone()], now)
            .await?;
        self.end(tx, false).await?;
        self.forget_decisions_of(std::slice::from_ref(environment))
            .await;
        Ok(())
    }

    /// Deletes a project with its environments; keeps its history.
    ///
    /// # Errors
    /// [`StoreError::Refused`] where one of its environments is protected, or asks for approvals.
    pub async fn delete_project(
        &self,
        id: &Id<Project>,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin_write().await?;
        let (organization, project) = self.lock_above(&mut tx, id).await?;
        let lock_rows = self.shared.dialect.for_update();
        let environments = lock(&mut tx, &[id.as_str()], lock_rows).await?;
        may_go(&mut tx, &environments).await?;
        let key = project.key.to_string();
        let act = Act {
            organization: &organization,
            actor,
            project: Some(id),
            kind: "deleteProject",
            params: vec![("project", key.clone())],
            text: format!("{key}: project deleted"),
        };
        self.delete_in(&mut tx, &act, &key, environments.clone(), now)
            .await?;
        sqlx::query("UPDATE projects SET deleted_at = $1 WHERE id = $2")
            .bind(now.0)
            .bind(id.as_str())
            .execute(&mut *tx)
            .await?;
        self.end(tx, false).await?;
        self.forget_decisions_of(&environments).await;
        Ok(())
    }

    /// Forgets what was logged of environments that are deleted. What cannot be reached now, and what
    /// relays bring later, goes when the traffic is rolled up.
    async fn forget_decisions_of(&self, environments: &[Environment]) {
        for environment in environments {
            let id = environment.id.as_str();
            let _later = self.traffic().forget_decisions(id).await;
        }
    }

    /// Deletes locked environments of a project, and revokes their keys.
    async fn delete_in(
        &self,
        tx: &mut Tx,
        act: &Act<'_>,
        project: &str,
        environments: Vec<Environment>,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut revoked = Vec::with_capacity(environments.len());
        for environment in &environments {
            let keys = sdk_keys::revoke_all(tx, &environment.id, now).await?;
            let images: Vec<String> = keys.iter().map(sdk_keys::image).collect();
            revoked.push((keys, images));
        }
        let gone = environments.into_iter().zip(&revoked);
        let steps = gone.map(|(environment, (keys, images))| {
            let rows = key_rows(keys, images).chain([setting("deleted", "true")]);
            Step {
                project,
                environment,
                rows: rows.collect(),
            }
        });
        let mut steps: Vec<Step<'_>> = steps.collect();
        self.administer(tx, act, &mut steps, now).await?;
        looks::count(tx, act.organization).await?;
        for Step { environment, .. } in &steps {
            sqlx::query("UPDATE environments SET deleted_at = $1 WHERE id = $2")
                .bind(now.0)
                .bind(environment.id.as_str())
                .execute(&mut **tx)
                .await?;
        }
        Ok(())
    }

    /// Locks what stands above a project's environments: nothing shared changes meanwhile.
    pub(crate) async fn lock_above(
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
}

/// Refuses to delete what is protected, or asks for approvals: that is taken away first, by whoever
/// may. Otherwise deleting would be a way round both.
async fn may_go(tx: &mut Tx, environments: &[Environment]) -> Result<(), StoreError> {
    let refused = |code, key: &Key, why: &str| {
        StoreError::refused("", code, format!("`{key}` {why} away first"))
    };
    if let Some(found) = environments.iter().find(|it| it.protected) {
        let why = "is protected; take its protection";
        return Err(refused("protected", &found.key, why));
    }
    let rules = rules::load(tx, environments.iter().map(|it| &it.id)).await?;
    let asks = |it: &&Environment| {
        let rules = rules.get(&it.id);
        rules.is_some_and(|rules| rules.approvals.required > 0)
    };
    match environments.iter().find(asks) {
        Some(found) => {
            let why = "asks for approvals; take its rules";
            Err(refused("asksApprovals", &found.key, why))
        }
        None => Ok(()),
    }
}

fn key_rows<'a>(keys: &'a [SdkKey], images: &'a [String]) -> impl Iterator<Item = LogRow<'a>> {
    keys.iter()
        .zip(images)
        .map(|(key, image)| sdk_keys::log_row(key, image))
}
