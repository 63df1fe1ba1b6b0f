//! `burgee token`: who may use the API.

use std::process::ExitCode;

use burgee_domain::access::StatementInput;
use burgee_domain::id::Id;
use burgee_server::{now, setup};
use burgee_store::{Actor, Grant, Store, StoreError, Token};
use serde_json::json;

use crate::admin::{open, open_or_make, organization};
use crate::args::people::{TokenCreateArgs, TokenListArgs, TokenRevokeArgs};

/// `burgee token create`.
pub(crate) async fn create(args: TokenCreateArgs) -> anyhow::Result<ExitCode> {
    let store = open_or_make(&args.data).await?;
    let organization = organization(&store, &args.of).await?;
    let made = setup::create_token(&store, &organization, &args.name, &args.policy).await;
    let token = match made {
        Err(StoreError::Invalid {
            field: "policies",
            message,
            ..
        }) => anyhow::bail!("--policy: {message}"),
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
    let organization = organization(&store, &args.of).await?;
    let tokens = store.tokens(&organization.id).await?;
    if args.json {
        let shown: Vec<_> = tokens.iter().map(shown).collect();
        println!("{}", serde_json::to_string_pretty(&shown)?);
        return Ok(ExitCode::SUCCESS);
    }
    let now = now();
    let is_valid =
        |token: &&Token| token.revoked_at.is_none() && token.expires_at.is_none_or(|at| at > now);
    for token in tokens.iter().filter(is_valid) {
        let used = token.last_used_at.map(|at| format!("last used {at}"));
        println!(
            "{}  {}…  {}  {}  {}",
            token.id,
            token.prefix,
            may(&store, token).await?,
            used.as_deref().unwrap_or("never used"),
            token.name,
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// What a token may do, in a word or two: a personal one what its member may.
async fn may(store: &Store, token: &Token) -> Result<String, StoreError> {
    Ok(match (&token.grant, &token.account) {
        (Grant::Personal, Some(id)) => format!("as {}", store.account(id).await?.email),
        (Grant::Personal, None) => "as nobody".to_owned(),
        (Grant::Service { policies, .. }, _) if policies.is_empty() => "statements".to_owned(),
        (Grant::Service { policies, .. }, _) => policies.join(","),
    })
}

fn shown(token: &Token) -> serde_json::Value {
    let (kind, policies, statements) = match &token.grant {
        Grant::Personal => ("personal", &[][..], &[][..]),
        Grant::Service {
            policies,
            statements,
        } => ("service", &policies[..], &statements[..]),
    };
    let statements: Vec<StatementInput> = statements.iter().map(Into::into).collect();
    json!({
        "kind": kind,
        "account": token.account.as_ref().map(Id::as_str),
        "networks": token.networks,
        "statements": statements,
        "id": token.id.as_str(),
        "name": token.name,
        "prefix": token.prefix,
        "policies": policies,
        "createdAt": token.created_at.to_string(),
        "expiresAt": token.expires_at.map(|at| at.to_string()),
        "lastUsedAt": token.last_used_at.map(|at| at.to_string()),
        "revokedAt": token.revoked_at.map(|at| at.to_string()),
    })
}

/// `burgee token revoke`.
pub(crate) async fn revoke(args: TokenRevokeArgs) -> anyhow::Result<ExitCode> {
    let store = open(&args.data).await?;
    let organization = organization(&store, &args.of).await?;
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
