//! `--demo`: a project to try things with.
//!
//! It is made once. Who deletes a flag of it does not find it again after a restart, and nothing
//! about the demo keeps a server from starting: it may have been edited beyond recognition, and
//! another process may be making it at the same moment.

use anyhow::Context;
use burgee_domain::access::Rights;
use burgee_domain::demo::{ENVIRONMENT, PROJECT, change_set};
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::{Organization, Project};
use burgee_store::{
    Actor, ApplyError, ChangeSetRequest, NewEnvironment, NewProject, Store, StoreError,
};

use crate::app::now;
use crate::setup;

/// Makes the demo project, where there is none or one in which nothing was ever made: a process
/// that ended while it made the project is made up for.
///
/// # Errors
/// The database cannot be reached.
pub async fn seed(store: &Store) -> anyhow::Result<()> {
    let organization = setup::organization(store).await?;
    let project = project(store, &organization.id).await?;
    if project.version > 0 {
        return Ok(());
    }
    for (key, name) in [(ENVIRONMENT, "Production"), ("dev", "Development")] {
        environment(store, &project, key, name).await?;
    }
    apply(store, &project).await
}

async fn project(store: &Store, organization: &Id<Organization>) -> anyhow::Result<Project> {
    let key = Key::new(PROJECT)?;
    let found = store.project(organization, &key).await;
    if !matches!(found, Err(StoreError::NotFound(_))) {
        return Ok(found?);
    }
    let new = NewProject {
        organization: organization.clone(),
        key: key.clone(),
        name: "Demo".to_owned(),
    };
    match store.create_project(&new, &Actor::system(), now()).await {
        // Another process came first.
        Err(StoreError::Conflict { .. }) => Ok(store.project(organization, &key).await?),
        made => Ok(made?),
    }
}

async fn environment(
    store: &Store,
    project: &Project,
    key: &str,
    name: &str,
) -> Result<(), anyhow::Error> {
    let new = NewEnvironment {
        project: project.id.clone(),
        key: Key::new(key)?,
        name: name.to_owned(),
        description: String::new(),
    };
    match store
        .create_environment(&new, &Actor::system(), now())
        .await
    {
        // It is there.
        Err(StoreError::Conflict { .. }) => Ok(()),
        made => Ok(made.map(drop)?),
    }
}

async fn apply(store: &Store, project: &Project) -> anyhow::Result<()> {
    let request = ChangeSetRequest {
        // The same for all processes that seed this project: it is applied once.
        id: Some(project.id.to_string()),
        organization: project.organization.clone(),
        actor: Actor::system(),
        rights: Rights::everything(),
        comment: "The demo data".to_owned(),
        base: Default::default(),
        commands: change_set().context("the demo data is no list of commands")?,
        override_reason: None,
        dry_run: false,
        now: now(),
    };
    match store.apply(&request).await {
        Ok(_) => Ok(()),
        Err(ApplyError::Store(error @ StoreError::Unavailable(_))) => Err(error.into()),
        Err(error) => {
            tracing::warn!(%error, "the demo data does not fit into the project `{PROJECT}`");
            Ok(())
        }
    }
}
