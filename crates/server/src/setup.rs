//! What is made before anybody can ask for it: the first organization, tokens.

use anyhow::Context;
use burgee_domain::model::Organization;
use burgee_store::{Actor, NewToken, Store, StoreError};

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

/// Makes an access token, as the operator, and gives its text, which cannot be had again.
///
/// # Errors
/// [`StoreError::Invalid`] of `name`, by the rules of all names; where the database cannot be reached.
pub async fn create_token(
    store: &Store,
    organization: &Organization,
    name: &str,
    policy: Policy,
) -> Result<String, StoreError> {
    let new = NewToken {
        organization: organization.id.clone(),
        name: name.to_owned(),
        policy: policy.as_str().to_owned(),
        expires_at: None,
    };
    let (_, text) = store.create_token(&new, &Actor::operator(), now()).await?;
    Ok(text)
}
