//! What is made before anybody can ask for it: the first organization, tokens.

use anyhow::Context;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_store::people::accounts::{Account, NewPassword};
use burgee_store::{Actor, Grant, NewToken, Store, StoreError};

use crate::app::now;
use crate::auth::{password, totp};

/// Sets an empty database up. Says whether it was empty.
pub async fn first_start(store: &Store) -> anyhow::Result<bool> {
    let start = store
        .first_start(now())
        .await
        .context("the first set-up failed")?;
    Ok(start.created)
}

/// Gives the owner's account a password that must be changed, where nobody has one yet, and gives it
/// out: once, to whoever starts the server.
pub async fn first_password(store: &Store) -> anyhow::Result<Option<String>> {
    if store.has_password().await? {
        return Ok(None);
    }
    let (password, hash) = random_password().await?;
    Ok(store.first_password(&hash).await?.then_some(password))
}

/// Gives an account a random password that must be changed; all its sessions end.
pub async fn temporary_password(store: &Store, account: &Id<Account>) -> anyhow::Result<String> {
    let (password, hash) = random_password().await?;
    let new = NewPassword {
        hash: &hash,
        temporary: true,
    };
    let operator = Actor::operator();
    store
        .set_password(account, new, None, Some(&operator), now())
        .await?;
    Ok(password)
}

/// A random password, and its hash.
async fn random_password() -> anyhow::Result<(String, String)> {
    let password = totp::recovery_codes().swap_remove(0);
    let hash = password::hash(&password).await;
    let hash = hash.map_err(|_| anyhow::anyhow!("a password was not hashed"))?;
    Ok((password, hash))
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
    policies: &[String],
) -> Result<String, StoreError> {
    let new = NewToken {
        organization: organization.id.clone(),
        name: name.to_owned(),
        account: None,
        grant: Grant::Service {
            policies: policies.to_vec(),
            statements: Vec::new(),
        },
        networks: Vec::new(),
        expires_at: None,
    };
    let (_, text) = store.create_token(&new, &Actor::operator(), now()).await?;
    Ok(text)
}
