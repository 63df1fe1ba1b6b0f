//! What is made before anybody can ask for it: the first organization, tokens.

use anyhow::{Context, ensure};
use burgee_domain::model::Organization;
use burgee_store::{NewToken, Store};

use crate::app::now;
use crate::auth::Policy;

/// Sets an empty database up. Says whether it was empty.
pub async fn first_start(store: &Store) -> anyhow::Result<bool> {
    let start = store
        .first_start(now())
        .await
        .context("the first set-up failed")?;
    Ok(start.created)
}

/// The organization that commands on the database work in: the first one.
pub async fn organization(store: &Store) -> anyhow::Result<Organization> {
    let start = store
        .first_start(now())
        .await
        .context("the first set-up failed")?;
    Ok(start.organization)
}

/// Makes an access token and gives its text, which cannot be had again.
///
/// # Errors
/// The name is empty or longer than display names may be, or the database cannot be reached.
pub async fn create_token(
    store: &Store,
    organization: &Organization,
    name: &str,
    policy: Policy,
) -> anyhow::Result<String> {
    let (name, most) = (name.trim(), burgee_domain::limits::MAX_NAME);
    ensure!(
        (1..=most).contains(&name.chars().count()),
        "the name of a token must have 1 to {most} characters"
    );
    let new = NewToken {
        organization: organization.id.clone(),
        name: name.to_owned(),
        policy: policy.as_str().to_owned(),
        expires_at: None,
    };
    let (_, text) = store.create_token(&new, now()).await?;
    Ok(text)
}
