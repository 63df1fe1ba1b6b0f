//! `burgee token`: who may use the API.

use std::process::ExitCode;

use burgee_domain::id::Id;
use burgee_server::{now, setup};
use burgee_store::{Actor, StoreError, Token};
use serde_json::json;

use crate::admin::{open, open_or_make};
use crate::args::{TokenCreateArgs, TokenListArgs, TokenRevokeArgs};

/// `burgee token create`.
pub(crate) async fn create(args: TokenCreateArgs) -> anyhow::Result<ExitCode> {
    let store = open_or_make(&args.data).await?;
    let organization = setup::organization(&store).await?;
    let made = setup::create_token(&store, &organization, &args.name, args.policy).await;
    let token = match made {
        Err(StoreError::Invalid { message, .. }) => anyhow::bail!("--name: {message}"),
        made => made?,
    };
    if args.json {
        println!("{}", json!({ "token": token }));
    } else {
        println!("{token}");
        eprintln!("It is not shown again.");
    }
    Ok(ExitCode::SUCCESS)
}

/// `burgee token list`: for people, those that are valid.
pub(crate) async fn list(args: TokenListArgs) -> anyhow::Result<ExitCode> {
    let store = open(&args.data).await?;
    let organization = setup::organization(&store).await?;
    let tokens = store.tokens(&organization.id).await?;
    if args.json {
        let shown: Vec<_> = tokens.iter().map(shown).collect();
        println!("{}", serde_json::to_string_pretty(&shown)?);
        return Ok(ExitCode::SUCCESS);
    }
    for token in tokens.iter().filter(|token| token.revoked_at.is_none()) {
        let used = token.last_used_at.map(|at| format!("last used {at}"));
        println!(
            "{}  {}…  {}  {}  {}",
            token.id,
            token.prefix,
            token.policy,
            used.as_deref().unwrap_or("never used"),
            token.name,
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(token: &Token) -> serde_json::Value {
    json!({
        "id": token.id.as_str(),
        "name": token.name,
        "prefix": token.prefix,
        "policy": token.policy,
        "createdAt": token.created_at.to_string(),
        "expiresAt": token.expires_at.map(|at| at.to_string()),
        "lastUsedAt": token.last_used_at.map(|at| at.to_string()),
        "revokedAt": token.revoked_at.map(|at| at.to_string()),
    })
}

/// `burgee token revoke`.
pub(crate) async fn revoke(args: TokenRevokeArgs) -> anyhow::Result<ExitCode> {
    let store = open(&args.data).await?;
    let organization = setup::organization(&store).await?;
    let id = Id::new(&*args.id);
    let operator = Actor::operator();
    let revoked = store.revoke_token(&organization.id, &id, &operator, now());
    match revoked.await {
        Ok(()) => println!("The token {} is revoked.", args.id),
        Err(StoreError::NotFound(_)) => {
            anyhow::bail!(
                "there is no token with the id `{}`; `burgee token list` shows them",
                args.id
            )
        }
        Err(error) => return Err(error.into()),
    }
    Ok(ExitCode::SUCCESS)
}
