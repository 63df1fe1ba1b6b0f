//! Access tokens. Only a hash is stored: a token is shown once, when it is made. A plain SHA-256
//! will do, since a token is random and long; nobody can guess one from its hash.

use std::time::Duration;

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use sqlx::AnyPool;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::change_sets::Actor;
use crate::environments::Act;
use crate::error::StoreError;
use crate::{Store, digest, row, text};

/// What every token begins with, so that secret scanners know one.
pub const PREFIX: &str = "bgt_";

/// How many characters of a token are kept for people to recognise it by.
const SHOWN: usize = 12;

/// How old the recorded last use may be, in ms: not every request writes.
const LAST_USED_EVERY: i64 = 60_000;

/// How long the recording of a use may take.
const RECORDING: Duration = Duration::from_secs(2);

/// A token to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// Where it may act.
    pub organization: Id<Organization>,
    /// What it is for.
    pub name: String,
    /// The name of the policy that says what it may do.
    pub policy: String,
    /// When it stops working.
    pub expires_at: Option<Millis>,
}

/// An access token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Unique.
    pub id: Id<Token>,
    /// Where it may act.
    pub organization: Id<Organization>,
    /// What it is for.
    pub name: String,
    /// Its first characters.
    pub prefix: String,
    /// The name of the policy that says what it may do.
    pub policy: String,
    /// When it was made.
    pub created_at: Millis,
    /// When it stops working.
    pub expires_at: Option<Millis>,
    /// When it was last used, to about a minute.
    pub last_used_at: Option<Millis>,
    /// When it was revoked.
    pub revoked_at: Option<Millis>,
}

const SELECT: &str = "SELECT id, organization_id, name, prefix, policy, created_at, expires_at, \
                      last_used_at, revoked_at FROM tokens";

fn read(found: &AnyRow) -> Result<Token, StoreError> {
    Ok(Token {
        id: row::id(found, 0)?,
        organization: row::id(found, 1)?,
        name: row::text(found, 2)?,
        prefix: row::text(found, 3)?,
        policy: row::text(found, 4)?,
        created_at: row::millis(found, 5)?,
        expires_at: row::optional_millis(found, 6)?,
        last_used_at: row::optional_millis(found, 7)?,
        revoked_at: row::optional_millis(found, 8)?,
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
        let secret = new_secret();
        let token = Token {
            id: Id::new(Uuid::now_v7().to_string()),
            organization: new.organization.clone(),
            name: text::name(&new.name)?,
            prefix: secret[..SHOWN].to_owned(),
            policy: new.policy.clone(),
            created_at: now,
            expires_at: new.expires_at,
            last_used_at: None,
            revoked_at: None,
        };
        let mut tx = self.begin_write().await?;
        sqlx::query(
            "INSERT INTO tokens (id, organization_id, name, prefix, hash, policy, created_at, \
             expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(token.id.as_str())
        .bind(token.organization.as_str())
        .bind(token.name.as_str())
        .bind(token.prefix.as_str())
        .bind(digest::bytes(secret.as_bytes()).to_vec())
        .bind(token.policy.as_str())
        .bind(now.0)
        .bind(token.expires_at.map(|moment| moment.0))
        .execute(&mut *tx)
        .await?;
        let act = about(&token, actor, "createToken", "made");
        self.administer(&mut tx, &act, &mut [], now).await?;
        self.end(tx, false).await?;
        Ok((token, secret))
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
        let known = token.last_used_at.map_or(i64::MIN, |moment| moment.0);
        if known < now.0 - LAST_USED_EVERY {
            token.last_used_at = Some(now);
            tokio::spawn(record_use(
                self.shared.truth.write.clone(),
                token.id.clone(),
                now,
            ));
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
    Act {
        organization: &token.organization,
        actor,
        project: None,
        kind,
        params: vec![
            ("token", token.id.to_string()),
            ("name", token.name.clone()),
            ("policy", token.policy.clone()),
        ],
        text: format!("token \"{}\" {done}, policy {}", token.name, token.policy),
    }
}

/// Records a use, off the request: neither a busy writer nor its failure concerns who was let in.
/// What is not recorded now is at the token's next use.
async fn record_use(writer: AnyPool, id: Id<Token>, now: Millis) {
    let update = sqlx::query(
        "UPDATE tokens SET last_used_at = $1 \
         WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)",
    );
    let update = update.bind(now.0).bind(id.as_str()).execute(&writer);
    let _unrecorded = tokio::time::timeout(RECORDING, update).await;
}

/// 244 random bits as text.
fn new_secret() -> String {
    let [a, b] = [Uuid::new_v4(), Uuid::new_v4()];
    format!("{PREFIX}{}{}", a.simple(), b.simple())
}
