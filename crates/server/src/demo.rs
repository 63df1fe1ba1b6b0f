//! `--demo`: a project to try things with.

use anyhow::Context;
use burgee_domain::demo::{ENVIRONMENT, PROJECT, change_set};
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::{Organization, Project};
use burgee_store::page::PageRequest;
use burgee_store::{
    Actor, ChangeSetRequest, FlagFilter, NewEnvironment, NewProject, Store, StoreError,
};

use crate::app::now;
use crate::setup;

/// Makes what is missing of the demo project. What somebody changed in it stays.
pub async fn seed(store: &Store) -> anyhow::Result<()> {
    let organization = setup::organization(store).await?;
    let project = project(store, &organization.id).await?;
    for (key, name) in [(ENVIRONMENT, "Production"), ("dev", "Development")] {
        environment(store, &project, key, name).await?;
    }
    let first = PageRequest {
        cursor: None,
        limit: Some(1),
    };
    let flags = store
        .flags(&project.id, &FlagFilter::default(), &first)
        .await?;
    if flags.items.is_empty() {
        apply(store, &organization).await?;
    }
    Ok(())
}

async fn project(store: &Store, organization: &Id<Organization>) -> anyhow::Result<Project> {
    let key = Key::new(PROJECT)?;
    let found = store.project(organization, &key).await;
    if !matches!(found, Err(StoreError::NotFound(_))) {
        return Ok(found?);
    }
    let new = NewProject {
        organization: organization.clone(),
        key,
        name: "Demo".to_owned(),
    };
    Ok(store.create_project(&new, now()).await?)
}

async fn environment(
    store: &Store,
    project: &Project,
    key: &str,
    name: &str,
) -> anyhow::Result<()> {
    let key = Key::new(key)?;
    let found = store.environment(&project.id, &key).await;
    if !matches!(found, Err(StoreError::NotFound(_))) {
        return found.map(drop).map_err(Into::into);
    }
    let new = NewEnvironment {
        project: project.id.clone(),
        key,
        name: name.to_owned(),
        description: String::new(),
    };
    store
        .create_environment(&new, &Actor::system(), now())
        .await?;
    Ok(())
}

async fn apply(store: &Store, organization: &Organization) -> anyhow::Result<()> {
    let request = ChangeSetRequest {
        id: None,
        organization: organization.id.clone(),
        actor: Actor::system(),
        comment: "The demo data".to_owned(),
        base: Default::default(),
        commands: change_set().context("the demo data is no list of commands")?,
        dry_run: false,
        now: now(),
    };
    store.apply(&request).await?;
    Ok(())
}
