//! A flag that is made like another.

use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Organization, Project};
use burgee_domain::plan::{self, TargetingPlan};

use super::Planned;
use super::state::{Projects, note};
use crate::error::StoreError;
use crate::{Store, flags};

/// What the copy shall be.
#[derive(Clone, Debug)]
pub struct CloneRequest {
    /// In which organization.
    pub organization: Id<Organization>,
    /// In which project.
    pub project: Id<Project>,
    /// The flag that it is made like, by key.
    pub flag: Key,
    /// Its own key.
    pub key: Key,
    /// Its display name; the other's where none is given.
    pub name: Option<String>,
    /// The environments whose targeting it gets.
    pub environments: Vec<Id<Environment>>,
    /// Whether individual targets are copied too.
    pub targets: bool,
}

impl Store {
    /// The commands that make a flag like another one.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] of the flag.
    pub async fn plan_clone(&self, request: &CloneRequest) -> Result<Planned, StoreError> {
        let mut tx = self.begin_read().await?;
        let projects = Projects::load(&mut tx, &request.organization).await?;
        let state = projects.project(&request.project);
        let state = state.ok_or(StoreError::NotFound("project"))?;
        let key = request.flag.folded();
        let found = flags::load(&mut tx, &request.project, &[&key], &[]).await?;
        tx.rollback().await?;
        let mut of = found
            .into_values()
            .next()
            .ok_or(StoreError::NotFound("flag"))?;
        if !request.targets {
            for targeting in of.targetings.values_mut() {
                targeting.target_users.clear();
            }
        }
        let wanted = |it: &&Environment| request.environments.contains(&it.id);
        let environments = state.environments.values().filter(wanted);
        let plans = environments.map(|environment| TargetingPlan {
            environment: environment.key.as_str(),
            now: None,
            then: of.targetings.get(&environment.id),
        });
        let plans: Vec<TargetingPlan<'_>> = plans.collect();
        let name = request.name.as_deref();
        let project = state.project.key.as_str();
        let mut planned = Planned::default();
        note(&mut planned.base, state);
        planned.reads(&state.project, &of.flag);
        planned.extend(plan::clone_flag(
            project,
            &of.flag,
            &request.key,
            name,
            &plans,
        ));
        Ok(planned)
    }
}
