//! Access tokens. Only a hash is stored: a token is shown once, when it is made. A plain SHA-256
//! will do, since a token is random and long; nobody can guess one from its hash.

use std::net::IpAddr;
use std::sync::Arc;

use burgee_domain::access::{Kind, OWN, Policy, Resource, Rights, Statement};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use ipnet::IpNet;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::change_sets::{Actor, ActorKind};
use crate::error::StoreError;
use crate::people::accounts::Account;
use crate::people::members::{self, Grants};
use crate::people::membership;
use crate::people::policies;
use crate::people::record::{Administration, Event};
use crate::{Store, digest, room, row, text, used};

/// What every token begins with, so that secret scanners know one.
pub const PREFIX: &str = "bgt_";

/// How many characters of a token are kept for people to recognise it by.
const SHOWN: usize = 12;

/// What it takes to make and revoke what is not one's own.
const WRITE: &str = "token.write";

/// Records a use.
const USED: &str = "UPDATE tokens SET last_used_at = $1 \
                    WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)";

const LACKS_SECOND_FACTOR: &str = "SELECT 1 FROM organizations \
    JOIN accounts ON accounts.id = $2 AND accounts.second_factor IS NULL \
    WHERE organizations.id = $1 AND organizations.second_factor_required = 1 \
    AND NOT EXISTS (SELECT 1 FROM sign_on JOIN identities \
        ON identities.organization_id = sign_on.organization_id \
        AND identities.issuer = sign_on.issuer \
        WHERE sign_on.organization_id = $1 AND identities.account_id = $2)";

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
    /// The token that it was made with, if it was one.
    pub made_by: Option<Id<Token>>,
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
    /// Whether it can be used at a moment.
    pub fn works_at(&self, now: Millis) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| end > now)
    }

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
                      networks, created_at, expires_at, last_used_at, revoked_at, made_by FROM tokens";

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
        made_by: row::optional_id(found, 12)?,
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
            made_by: (actor.kind == ActorKind::Token).then(|| Id::new(actor.id.as_str())),
            grant: new.grant.clone(),
            networks: new.networks.clone(),
            created_at: now,
            expires_at: new.expires_at,
            last_used_at: None,
            revoked_at: None,
        };
        let mut at = self.administration(&new.organization, actor, now).await?;
        if let Grant::Service { policies, .. } = &mut token.grant {
            *policies = members::folded(policies);
            policies::must_exist(&mut at.tx, &token.organization, policies).await?;
        }
        may_make(&mut at, &token).await?;
        insert(&mut at.tx, &token, &secret).await?;
        fits(&mut at, &token).await?;
        at.done(about(&token, "createToken", "made")).await?;
        Ok((token, secret))
    }

    /// One of an organization's tokens.
    pub async fn token(
        &self,
        organization: &Id<Organization>,
        id: &Id<Token>,
    ) -> Result<Token, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let found = find(&mut connection, organization, id).await?;
        found.ok_or(StoreError::NotFound("token"))
    }

    /// What a token may do now. None: whoever it acts for, or made it, is no member any more.
    pub async fn token_rights(&self, token: &Token) -> Result<Option<Rights>, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        rights(&mut connection, token).await
    }

    /// Whether the organization asks for a second factor and the member whose token it is has none.
    /// Whoever signs in by the organization's provider is that provider's business.
    pub async fn lacks_second_factor(&self, token: &Token) -> Result<bool, StoreError> {
        let Some(account) = &token.account else {
            return Ok(false);
        };
        let found = sqlx::query(LACKS_SECOND_FACTOR)
            .bind(token.organization.as_str())
            .bind(account.as_str())
            .fetch_optional(&self.shared.truth.read)
            .await?;
        Ok(found.is_some())
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
        let mut at = self.administration(organization, actor, now).await?;
        let token = find(&mut at.tx, organization, id).await?;
        let token = token.ok_or(StoreError::NotFound("token"))?;
        if !is_own(&mut at, &token).await? {
            at.may(WRITE, resource(id.as_str()))?;
        }
        if token.revoked_at.is_some() {
            return Ok(());
        }
        sqlx::query("UPDATE tokens SET revoked_at = $1 WHERE id = $2")
            .bind(now.0)
            .bind(id.as_str())
            .execute(&mut *at.tx)
            .await?;
        at.done(about(&token, "revokeToken", "revoked")).await
    }
}

fn resource(id: &str) -> Resource {
    Resource::new(Kind::Token, id)
}

/// Refuses a token that may do what its maker may not give. At use it is bounded by what its maker
/// may do; a token that stands for nobody bounds nothing, so only who may do everything makes one.
async fn may_make(at: &mut Administration<'_>, token: &Token) -> Result<(), StoreError> {
    let Grant::Service {
        policies,
        statements,
    } = &token.grant
    else {
        return Ok(());
    };
    at.may(WRITE, resource("*"))?;
    if token.account.is_none() {
        at.may(OWN, Resource::organization())?;
    }
    let given = Grants {
        policies: policies.clone(),
        groups: Vec::new(),
    };
    at.may_give(&Grants::default(), &given).await?;
    let own = Arc::new(of_statements(statements));
    at.may_give_policies(vec![own], Vec::new()).await
}

/// Refuses a token where there are enough that work.
async fn fits(at: &mut Administration<'_>, token: &Token) -> Result<(), StoreError> {
    let organization = token.organization.as_str();
    let (limit, account) = match (&token.grant, &token.account) {
        (Grant::Personal, Some(account)) => (room::PERSONAL_TOKENS, Some(account.as_str())),
        _ => (room::SERVICE_TOKENS, None),
    };
    let of: Vec<&str> = std::iter::once(organization).chain(account).collect();
    limit.holds_at(&mut at.tx, &of, at.now).await
}

/// Whether it is the personal token of whoever asks: in a session, or by a personal token.
async fn is_own(at: &mut Administration<'_>, token: &Token) -> Result<bool, StoreError> {
    let (Grant::Personal, Some(account)) = (&token.grant, &token.account) else {
        return Ok(false);
    };
    Ok(match at.actor.kind {
        ActorKind::Member => at.actor.id == account.as_str(),
        ActorKind::Token => {
            let id = Id::new(at.actor.id.as_str());
            let asks = find(&mut at.tx, at.organization, &id).await?;
            asks.is_some_and(|it| it.grant == Grant::Personal && it.account == token.account)
        }
        ActorKind::Operator | ActorKind::System => true,
    })
}

/// A token's own statements, as a policy.
fn of_statements(statements: &[Statement]) -> Policy {
    Policy {
        key: "token".to_owned(),
        statements: statements.to_vec(),
    }
}

/// One of an organization's tokens.
pub(crate) async fn find(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    id: &Id<Token>,
) -> Result<Option<Token>, StoreError> {
    let text = format!("{SELECT} WHERE id = $1 AND organization_id = $2");
    let found = sqlx::query(sqlx::AssertSqlSafe(text))
        .bind(id.as_str())
        .bind(organization.as_str())
        .fetch_optional(connection)
        .await?;
    found.as_ref().map(read).transpose()
}

/// What a token may do now. None: whoever it acts for, or made it, is no member any more.
pub(crate) async fn rights(
    connection: &mut AnyConnection,
    token: &Token,
) -> Result<Option<Rights>, StoreError> {
    let organization = &token.organization;
    let of_account = match &token.account {
        Some(account) => match membership::rights(connection, organization, account).await? {
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
    let mut all = policies::of_keys(connection, organization, keys).await?;
    all.push(Arc::new(of_statements(statements)));
    let own = Rights::new(all);
    Ok(Some(match of_account {
        Some(maker) => own.within(maker),
        None => own,
    }))
}

/// Something that is done with a token.
fn about(token: &Token, kind: &'static str, done: &str) -> Event {
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
    Event {
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
         statements, networks, created_at, expires_at, made_by) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
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
    .bind(token.made_by.as_ref().map(Id::as_str))
    .execute(connection)
    .await?;
    Ok(())
}
