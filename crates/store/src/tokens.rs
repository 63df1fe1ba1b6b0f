//! Access tokens. Only a hash is stored: a token is shown once, when it is made. A plain SHA-256
//! will do, since a token is random and long; nobody can guess one from its hash.

use std::net::IpAddr;
use std::sync::Arc;

use burgee_domain::access::{Policy, Rights, Statement};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use ipnet::IpNet;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::change_sets::Actor;
use crate::environments::Act;
use crate::error::StoreError;
use crate::people::accounts::Account;
use crate::people::{members, policies};
use crate::{Store, digest, row, text, used};

/// What every token begins with, so that secret scanners know one.
pub const PREFIX: &str = "bgt_";

/// How many characters of a token are kept for people to recognise it by.
const SHOWN: usize = 12;

/// Records a use.
const USED: &str = "UPDATE tokens SET last_used_at = $1 \
                    WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)";

/// What a token may do.
#[derive(Clone, Debug, PartialEq)]
pub enum Grant {
    /// What its member may do, whatever that is at the time.
    Personal,
    /// What these policies and statements allow, within what its maker may do at the time.
    Service {
        /// Keys of policies.
        policies: Vec<String>,
        /// Statements of its own.
        statements: Vec<Statement>,
    },
}

/// A token to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct NewToken {
    /// Where it may act.
    pub organization: Id<Organization>,
    /// What it is for.
    pub name: String,
    /// Whose it is, or who makes it; none for the operator, who may do everything.
    pub account: Option<Id<Account>>,
    /// What it may do.
    pub grant: Grant,
    /// From where it may be used, as CIDR; from everywhere where none is given.
    pub networks: Vec<String>,
    /// When it stops working.
    pub expires_at: Option<Millis>,
}

/// An access token, without its secret.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// Unique.
    pub id: Id<Token>,
    /// Where it may act.
    pub organization: Id<Organization>,
    /// What it is for.
    pub name: String,
    /// Its first characters.
    pub prefix: String,
    /// Whose it is, or who made it; none for the operator.
    pub account: Option<Id<Account>>,
    /// What it may do.
    pub grant: Grant,
    /// From where it may be used, as CIDR; from everywhere where there is none.
    pub networks: Vec<String>,
    /// When it was made.
    pub created_at: Millis,
    /// When it stops working.
    pub expires_at: Option<Millis>,
    /// When it was last used, to about a minute.
    pub last_used_at: Option<Millis>,
    /// When it was revoked.
    pub revoked_at: Option<Millis>,
}

impl Token {
    /// Whether it may be used from this address.
    pub fn allows_network(&self, address: IpAddr) -> bool {
        let networks = self
            .networks
            .iter()
            .filter_map(|it| it.parse::<IpNet>().ok());
        let mut networks = networks.peekable();
        networks.peek().is_none() && self.networks.is_empty()
            || networks.any(|network| network.contains(&address))
    }
}

const SELECT: &str = "SELECT id, organization_id, name, prefix, account_id, policies, statements, \
                      networks, created_at, expires_at, last_used_at, revoked_at FROM tokens";

fn read(found: &AnyRow) -> Result<Token, StoreError> {
    let statements: Option<String> = row::optional_text(found, 6)?;
    let grant = match statements {
        None => Grant::Personal,
        Some(statements) => Grant::Service {
            policies: row::json(found, 5)?,
            statements: serde_json::from_str(&statements)?,
        },
    };
    Ok(Token {
        id: row::id(found, 0)?,
        organization: row::id(found, 1)?,
        name: row::text(found, 2)?,
        prefix: row::text(found, 3)?,
        account: row::optional_id(found, 4)?,
        grant,
        networks: row::json(found, 7)?,
        created_at: row::millis(found, 8)?,
        expires_at: row::optional_millis(found, 9)?,
        last_used_at: row::optional_millis(found, 10)?,
        revoked_at: row::optional_millis(found, 11)?,
    })
}

impl Store {
    /// Makes a token, and gives its text, which cannot be had again.
    pub async fn create_token(
        &self,
        new: &NewToken,
        actor: &Actor,
        now: Millis,
    ) -> Result<(Token, String), StoreError> {
        let secret = text::secret(PREFIX);
        let mut token = Token {
            id: Id::new(Uuid::now_v7().to_string()),
            organization: new.organization.clone(),
            name: text::name(&new.name)?,
            prefix: secret[..SHOWN].to_owned(),
            account: new.account.clone(),
            grant: new.grant.clone(),
            networks: new.networks.clone(),
            created_at: now,
            expires_at: new.expires_at,
            last_used_at: None,
            revoked_at: None,
        };
        let mut tx = self.begin_write().await?;
        if let Grant::Service { policies, .. } = &mut token.grant {
            *policies = members::folded(policies);
            policies::must_exist(&mut tx, &token.organization, policies).await?;
        }
        insert(&mut tx, &token, &secret).await?;
        let act = about(&token, actor, "createToken", "made");
        self.administer(&mut tx, &act, &mut [], now).await?;
        self.end(tx, false).await?;
        Ok((token, secret))
    }

    /// One of an organization's tokens.
    pub async fn token(
        &self,
        organization: &Id<Organization>,
        id: &Id<Token>,
    ) -> Result<Token, StoreError> {
        let text = format!("{SELECT} WHERE id = $1 AND organization_id = $2");
        let found = sqlx::query(sqlx::AssertSqlSafe(text))
            .bind(id.as_str())
            .bind(organization.as_str())
            .fetch_optional(&self.shared.truth.read)
            .await?;
        read(&found.ok_or(StoreError::NotFound("token"))?)
    }

    /// What a token may do now. None: whoever it acts for, or made it, is no member any more.
    pub async fn token_rights(&self, token: &Token) -> Result<Option<Rights>, StoreError> {
        let of_account = match &token.account {
            Some(account) => match self.rights(&token.organization, account).await? {
                Some(rights) => Some(rights),
                None => return Ok(None),
            },
            None => None,
        };
        let Grant::Service {
            policies: keys,
            statements,
        } = &token.grant
        else {
            return Ok(of_account);
        };
        let mut connection = self.shared.truth.read.acquire().await?;
        let organization = &token.organization;
        let mut all = policies::of_keys(&mut connection, organization, keys).await?;
        all.push(Arc::new(Policy {
            key: "token".to_owned(),
            statements: statements.clone(),
        }));
        let own = Rights::new(all);
        Ok(Some(match of_account {
            Some(maker) => own.within(maker),
            None => own,
        }))
    }

    /// An organization's tokens, oldest first, revoked ones too.
    pub async fn tokens(&self, organization: &Id<Organization>) -> Result<Vec<Token>, StoreError> {
        let text = format!("{SELECT} WHERE organization_id = $1 ORDER BY created_at, id");
        let rows = sqlx::query(sqlx::AssertSqlSafe(text))
            .bind(organization.as_str())
            .fetch_all(&self.shared.truth.read)
            .await?;
        rows.iter().map(read).collect()
    }

    /// The token of this text, if it works at `now`. Its use is recorded, to about a minute.
    pub async fn find_token(&self, secret: &str, now: Millis) -> Result<Option<Token>, StoreError> {
        let text = format!(
            "{SELECT} WHERE hash = $1 AND revoked_at IS NULL \
             AND (expires_at IS NULL OR expires_at > $2)"
        );
        let found = sqlx::query(sqlx::AssertSqlSafe(text))
            .bind(digest::bytes(secret.as_bytes()).to_vec())
            .bind(now.0)
            .fetch_optional(&self.shared.truth.read)
            .await?;
        let Some(mut token) = found.as_ref().map(read).transpose()? else {
            return Ok(None);
        };
        if used::is_news(token.last_used_at, now) {
            token.last_used_at = Some(now);
            used::record(&self.shared.truth.write, USED, token.id.as_str(), now);
        }
        Ok(Some(token))
    }

    /// Revokes a token of an organization; a revoked one stays as it is.
    pub async fn revoke_token(
        &self,
        organization: &Id<Organization>,
        id: &Id<Token>,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin_write().await?;
        let lock = self.shared.dialect.for_update();
        let text = format!("{SELECT} WHERE id = $1 AND organization_id = $2{lock}");
        let found = sqlx::query(sqlx::AssertSqlSafe(text))
            .bind(id.as_str())
            .bind(organization.as_str())
            .fetch_optional(&mut *tx)
            .await?;
        let token = read(&found.ok_or(StoreError::NotFound("token"))?)?;
        if token.revoked_at.is_some() {
            return Ok(());
        }
        sqlx::query("UPDATE tokens SET revoked_at = $1 WHERE id = $2")
            .bind(now.0)
            .bind(id.as_str())
            .execute(&mut *tx)
            .await?;
        let act = about(&token, actor, "revokeToken", "revoked");
        self.administer(&mut tx, &act, &mut [], now).await?;
        self.end(tx, false).await
    }
}

/// An act on a token.
fn about<'a>(token: &'a Token, actor: &'a Actor, kind: &'static str, done: &str) -> Act<'a> {
    let may = match &token.grant {
        Grant::Personal => "personal".to_owned(),
        Grant::Service {
            policies,
            statements,
        } => match statements.len() {
            0 => format!("policies: {}", policies.join(", ")),
            count => format!("policies: {}; {count} statements", policies.join(", ")),
        },
    };
    Act {
        organization: &token.organization,
        actor,
        project: None,
        kind,
        text: format!("token \"{}\" {done}, {may}", token.name),
        params: vec![
            ("token", token.id.to_string()),
            ("name", token.name.clone()),
            ("may", may),
        ],
    }
}

async fn insert(
    connection: &mut AnyConnection,
    token: &Token,
    secret: &str,
) -> Result<(), StoreError> {
    let (policies, statements) = match &token.grant {
        Grant::Personal => (Vec::new(), None),
        Grant::Service {
            policies,
            statements,
        } => (policies.clone(), Some(serde_json::to_string(statements)?)),
    };
    sqlx::query(
        "INSERT INTO tokens (id, organization_id, name, prefix, hash, account_id, policies, \
         statements, networks, created_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(token.id.as_str())
    .bind(token.organization.as_str())
    .bind(token.name.as_str())
    .bind(token.prefix.as_str())
    .bind(digest::bytes(secret.as_bytes()).to_vec())
    .bind(token.account.as_ref().map(Id::as_str))
    .bind(serde_json::to_string(&policies)?)
    .bind(statements)
    .bind(serde_json::to_string(&token.networks)?)
    .bind(token.created_at.0)
    .bind(token.expires_at.map(|moment| moment.0))
    .execute(connection)
    .await?;
    Ok(())
}
