//! `burgee organization`: who shares an instance without seeing each other.

use std::process::ExitCode;

use anyhow::Context;
use burgee_domain::key::Key;
use burgee_domain::people::Email;
use burgee_server::{now, setup};
use burgee_store::{Actor, NewOrganization, StoreError};
use serde_json::json;

use crate::admin::open;
use crate::args::people::{OrganizationCreateArgs, OrganizationListArgs};

/// `burgee organization create`.
pub(crate) async fn create(args: OrganizationCreateArgs) -> anyhow::Result<ExitCode> {
    let new = NewOrganization {
        key: Key::new(&*args.key).context("--key")?,
        name: args.name.unwrap_or_else(|| args.key.clone()),
        owner: Email::new(&args.owner).context("--owner")?,
    };
    let store = open(&args.data).await?;
    let operator = Actor::operator();
    let made = store.create_organization(&new, &operator, now());
    let (organization, owner) = match made.await {
        Err(StoreError::Conflict { message, .. }) => anyhow::bail!("--key: {message}"),
        Err(StoreError::Invalid { message, .. }) => anyhow::bail!("--name: {message}"),
        made => made?,
    };
    if owner.password.is_none() {
        println!("{}", setup::temporary_password(&store, &owner.id).await?);
        eprintln!("It must be changed when {} signs in.", owner.email);
    }
    eprintln!("The organization `{}` is made.", organization.key);
    Ok(ExitCode::SUCCESS)
}

/// `burgee organization list`.
pub(crate) async fn list(args: OrganizationListArgs) -> anyhow::Result<ExitCode> {
    let store = open(&args.data).await?;
    let found = store.organizations().await?;
    if args.json {
        let shown: Vec<_> = found
            .iter()
            .map(|it| json!({ "key": it.key.as_str(), "name": it.name }))
            .collect();
        println!("{}", serde_json::to_string_pretty(&shown)?);
        return Ok(ExitCode::SUCCESS);
    }
    for organization in &found {
        println!("{}  {}", organization.key, organization.name);
    }
    Ok(ExitCode::SUCCESS)
}
