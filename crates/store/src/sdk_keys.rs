//! SDK keys. They are stored as they are: they must be shown again, and the edge compares them
//! whole.

use burgee_domain::id::Id;
use burgee_domain::model::{Environment, SdkKey, SdkKeyKind};
use burgee_domain::sdk_key;
use burgee_eval::time::Millis;
use serde_json::json;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::change_sets::Actor;
use crate::environments::{Act, Locked, Step};
use crate::error::{StoreError, unique};
use crate::log::LogRow;
use crate::{Store, Tx, room, row, text};

mod life;

pub use life::{FirstUse, MAX_GRACE};

const COLUMNS: &str = "id, environment_id, kind, name, secret, created_at, revoked_at, \
                       last_used_at, ends_at, successor_id, first_used_at";

fn read(found: &AnyRow) -> Result<SdkKey, StoreError> {
    Ok(SdkKey {
        id: row::id(found, 0)?,
        environment: row::id(found, 1)?,
        kind: row::name(found, 2)?,
        name: row::text(found, 3)?,
        secret: row::text(found, 4)?,
        created_at: row::millis(found, 5)?,
        revoked_at: row::optional_millis(found, 6)?,
        last_used_at: row::optional_millis(found, 7)?,
        ends_at: row::optional_millis(found, 8)?,
        successor: row::optional_id(found, 9)?,
        first_used_at: row::optional_millis(found, 10)?,
    })
}

/// What is done to keys: the command, and the word for it.
const CREATED: (&str, &str) = ("createSdkKey", "made");
const ADOPTED: (&str, &str) = ("adoptSdkKey", "adopted");
const REVOKED: (&str, &str) = ("revokeSdkKey", "revoked");

/// The name that a kind is stored by.
pub(crate) fn kind_name(kind: SdkKeyKind) -> &'static str {
    match kind {
        SdkKeyKind::Client => "client",
        SdkKeyKind::Server => "server",
    }
}

impl Store {
    /// An environment's keys, oldest first, revoked ones too.
    pub async fn sdk_keys(&self, id: &Id<Environment>) -> Result<Vec<SdkKey>, StoreError> {
        let text = format!(
            "SELECT {COLUMNS} FROM sdk_keys WHERE environment_id = $1 ORDER BY created_at, id"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(text))
            .bind(id.as_str())
            .fetch_all(&self.shared.truth.read)
            .await?;
        rows.iter().map(read).collect()
    }

    /// Makes a key.
    ///
    /// # Errors
    /// [`StoreError::Refused`] where there are [`MAX_SDK_KEYS`](burgee_domain::limits::MAX_SDK_KEYS).
    pub async fn create_sdk_key(
        &self,
        environment: &Id<Environment>,
        kind: SdkKeyKind,
        name: &str,
        actor: &Actor,
        now: Millis,
    ) -> Result<SdkKey, StoreError> {
        let name = text::name(name)?;
        let mut tx = self.begin_write().await?;
        let locked = self.lock_environment(&mut tx, environment).await?;
        let key = insert(&mut tx, environment, kind, Some(&name), None, now).await?;
        fits(&mut tx, environment).await?;
        self.log_keys(&mut tx, locked, &[&key], CREATED, actor, now)
            .await?;
        self.end(tx, false).await?;
        Ok(key)
    }

    /// Takes over a secret that programs are already configured with. Adopting it again changes
    /// nothing.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] of `secret` where another environment or kind uses it;
    /// [`StoreError::Invalid`] where it cannot be an SDK key.
    pub async fn adopt_sdk_key(
        &self,
        environment: &Id<Environment>,
        kind: SdkKeyKind,
        secret: &str,
        actor: &Actor,
        now: Millis,
    ) -> Result<SdkKey, StoreError> {
        if !sdk_key::is_well_formed(secret) {
            return Err(StoreError::Invalid {
                field: "secret",
                code: "sdkKeyForm".into(),
                message: format!("an SDK key has {} characters of base64", sdk_key::LENGTH),
            });
        }
        let mut tx = self.begin_write().await?;
        let locked = self.lock_environment(&mut tx, environment).await?;
        if let Some(key) = find(&mut tx, secret).await? {
            return match key.environment == *environment && key.kind == kind {
                true => Ok(key),
                false => Err(StoreError::conflict("secret", USED)),
            };
        }
        let key = insert(&mut tx, environment, kind, None, Some(secret), now).await?;
        fits(&mut tx, environment).await?;
        self.log_keys(&mut tx, locked, &[&key], ADOPTED, actor, now)
            .await?;
        self.end(tx, false).await?;
        Ok(key)
    }

    /// Revokes a key; a revoked one stays as it is.
    pub async fn revoke_sdk_key(
        &self,
        environment: &Id<Environment>,
        id: &Id<SdkKey>,
        actor: &Actor,
        now: Millis,
    ) -> Result<SdkKey, StoreError> {
        let mut tx = self.begin_write().await?;
        let locked = self.lock_environment(&mut tx, environment).await?;
        let mut key = of_id(&mut tx, environment, id).await?;
        if key.revoked_at.is_some() {
            return Ok(key);
        }
        sqlx::query("UPDATE sdk_keys SET revoked_at = $1 WHERE id = $2")
            .bind(now.0)
            .bind(id.as_str())
            .execute(&mut *tx)
            .await?;
        key.revoked_at = Some(now);
        self.log_keys(&mut tx, locked, &[&key], REVOKED, actor, now)
            .await?;
        self.end(tx, false).await?;
        Ok(key)
    }

    /// Writes into the history what was done to keys; it is told of the first.
    async fn log_keys(
        &self,
        tx: &mut Tx,
        locked: Locked,
        keys: &[&SdkKey],
        (kind, done): (&'static str, &str),
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let Some(first) = keys.first() else {
            return Ok(());
        };
        let images: Vec<String> = keys.iter().map(|key| image(key)).collect();
        let of = kind_name(first.kind);
        let mut params = locked.params();
        params.extend([
            ("sdkKey", first.id.to_string()),
            ("type", of.to_owned()),
            ("name", first.name.clone()),
        ]);
        let rows = keys.iter().zip(&images);
        let act = Act {
            organization: &locked.organization,
            actor,
            project: None,
            kind,
            params,
            text: format!("{}: {of} key \"{}\" {done}", locked.name(), first.name),
        };
        let step = Step {
            project: &locked.project,
            environment: locked.environment.clone(),
            rows: rows.map(|(key, image)| log_row(key, image)).collect(),
        };
        self.administer(tx, &act, &mut [step], now).await?;
        Ok(())
    }
}

/// A key of an environment.
async fn of_id(
    connection: &mut AnyConnection,
    environment: &Id<Environment>,
    id: &Id<SdkKey>,
) -> Result<SdkKey, StoreError> {
    let text = format!("SELECT {COLUMNS} FROM sdk_keys WHERE id = $1 AND environment_id = $2");
    let found = sqlx::query(sqlx::AssertSqlSafe(text))
        .bind(id.as_str())
        .bind(environment.as_str())
        .fetch_optional(connection)
        .await?;
    read(&found.ok_or(StoreError::NotFound("SDK key"))?)
}

/// Refuses one more than there may be.
async fn fits(
    connection: &mut AnyConnection,
    environment: &Id<Environment>,
) -> Result<(), StoreError> {
    room::SDK_KEYS
        .holds(connection, &[environment.as_str()])
        .await
}

/// What the log keeps of a key: everything but the secret.
pub(crate) fn image(key: &SdkKey) -> String {
    json!({"id": key.id.as_str(), "type": kind_name(key.kind), "name": key.name,
        "createdAt": key.created_at, "endsAt": key.ends_at, "revokedAt": key.revoked_at})
    .to_string()
}

/// The log row of a key that was made or revoked.
pub(crate) fn log_row<'a>(key: &'a SdkKey, image: &'a str) -> LogRow<'a> {
    LogRow {
        kind: "sdkKey",
        id: key.id.as_str(),
        key: kind_name(key.kind),
        facets: "[]".to_owned(),
        commands: "[0]".to_owned(),
        image,
    }
}

const USED: &str = "this secret is in use by another environment or as another kind of key";

/// Writes a key, with a new secret where none is given.
pub(crate) async fn insert(
    connection: &mut AnyConnection,
    environment: &Id<Environment>,
    kind: SdkKeyKind,
    name: Option<&str>,
    secret: Option<&str>,
    now: Millis,
) -> Result<SdkKey, StoreError> {
    let secret = match secret {
        Some(secret) => secret.to_owned(),
        None => new_secret(environment)?,
    };
    let key = SdkKey {
        id: Id::new(Uuid::now_v7().to_string()),
        environment: environment.clone(),
        kind,
        name: name.unwrap_or(kind_name(kind)).to_owned(),
        secret,
        created_at: now,
        first_used_at: None,
        last_used_at: None,
        ends_at: None,
        successor: None,
        revoked_at: None,
    };
    sqlx::query(
        "INSERT INTO sdk_keys (id, environment_id, kind, name, secret, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(key.id.as_str())
    .bind(key.environment.as_str())
    .bind(kind_name(kind))
    .bind(key.name.as_str())
    .bind(key.secret.as_str())
    .bind(now.0)
    .execute(connection)
    .await
    .map_err(unique("secret", USED))?;
    Ok(key)
}

fn new_secret(environment: &Id<Environment>) -> Result<String, StoreError> {
    let id = Uuid::parse_str(environment.as_str())
        .map_err(|error| StoreError::Other(Box::new(error)))?;
    Ok(sdk_key::make(id, *Uuid::new_v4().as_bytes()))
}

/// The key of this exact text that is valid now.
pub(crate) async fn find(
    connection: &mut AnyConnection,
    secret: &str,
) -> Result<Option<SdkKey>, StoreError> {
    let text = format!("SELECT {COLUMNS} FROM sdk_keys WHERE secret = $1 AND revoked_at IS NULL");
    let found = sqlx::query(sqlx::AssertSqlSafe(text))
        .bind(secret)
        .fetch_optional(connection)
        .await?;
    found.as_ref().map(read).transpose()
}

/// An environment's keys that are valid now, oldest first.
pub(crate) async fn valid(
    connection: &mut AnyConnection,
    environment: &str,
) -> Result<Vec<SdkKey>, StoreError> {
    let text = format!(
        "SELECT {COLUMNS} FROM sdk_keys WHERE environment_id = $1 AND revoked_at IS NULL \
         ORDER BY created_at, id"
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(text))
        .bind(environment)
        .fetch_all(connection)
        .await?;
    rows.iter().map(read).collect()
}

/// Revokes all of an environment's keys, and tells which.
pub(crate) async fn revoke_all(
    connection: &mut AnyConnection,
    environment: &Id<Environment>,
    now: Millis,
) -> Result<Vec<SdkKey>, StoreError> {
    let mut keys = valid(connection, environment.as_str()).await?;
    sqlx::query(
        "UPDATE sdk_keys SET revoked_at = $1 WHERE environment_id = $2 AND revoked_at IS NULL",
    )
    .bind(now.0)
    .bind(environment.as_str())
    .execute(connection)
    .await?;
    for key in &mut keys {
        key.revoked_at = Some(now);
    }
    Ok(keys)
}
