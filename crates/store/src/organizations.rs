//! Organizations, and what is set of them.

use burgee_domain::access::{OWNER, Resource};
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::Organization;
use burgee_domain::people::Email;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::change_sets::Actor;
use crate::environments::Act;
use crate::error::{StoreError, unique};
use crate::people::accounts::{self, Account};
use crate::people::members::{self, Grants};
use crate::people::record::Event;
use crate::{Store, projects, row, text};

const SELECT: &str = "SELECT id, key, name, version FROM organizations";

fn read(found: &AnyRow) -> Result<Organization, StoreError> {
    Ok(Organization {
        id: row::id(found, 0)?,
        key: row::key(found, 1)?,
        name: row::text(found, 2)?,
        version: row::number(found, 3)?,
    })
}

impl Store {
    /// All organizations, by key.
    pub async fn organizations(&self) -> Result<Vec<Organization>, StoreError> {
        let text = format!("{SELECT} ORDER BY key_folded");
        let rows = sqlx::query(sqlx::AssertSqlSafe(text))
            .fetch_all(&self.shared.truth.read)
            .await?;
        rows.iter().map(read).collect()
    }

    /// The organization of this key.
    pub async fn organization(&self, key: &Key) -> Result<Organization, StoreError> {
        let text = format!("{SELECT} WHERE key_folded = $1");
        let found = sqlx::query(sqlx::AssertSqlSafe(text))
            .bind(key.folded())
            .fetch_optional(&self.shared.truth.read)
            .await?;
        read(&found.ok_or(StoreError::NotFound("organization"))?)
    }

    /// The organization of this id.
    pub async fn organization_of(&self, id: &Id<Organization>) -> Result<Organization, StoreError> {
        let text = format!("{SELECT} WHERE id = $1");
        let found = sqlx::query(sqlx::AssertSqlSafe(text))
            .bind(id.as_str())
            .fetch_optional(&self.shared.truth.read)
            .await?;
        read(&found.ok_or(StoreError::NotFound("organization"))?)
    }
}

/// An organization to be made.
#[derive(Clone, Debug)]
pub struct NewOrganization {
    /// Unique without regard to case; never changes.
    pub key: Key,
    /// The display name.
    pub name: String,
    /// By which address its owner signs in: an account that there is, or a new one.
    pub owner: Email,
}

impl Store {
    /// Makes an organization with an owner and nothing else. The owner's account has no password
    /// where it is new.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] of `key`, [`StoreError::Invalid`] of `name`.
    pub async fn create_organization(
        &self,
        new: &NewOrganization,
        actor: &Actor,
        now: Millis,
    ) -> Result<(Organization, Account), StoreError> {
        let mut tx = self.begin_write().await?;
        let (organization, owner) = create_in(&mut tx, new, "Owner", now).await?;
        let act = Act {
            organization: &organization.id,
            actor,
            project: None,
            kind: "createOrganization",
            params: vec![
                ("organization", organization.key.to_string()),
                ("name", organization.name.clone()),
                ("owner", owner.email.clone()),
            ],
            text: format!("organization made, of which {} is the owner", owner.email),
        };
        self.administer(&mut tx, &act, &mut [], now).await?;
        self.end(tx, false).await?;
        Ok((organization, owner))
    }
}

/// Makes an organization and its owner, who is named so where the account is new.
pub(crate) async fn create_in(
    connection: &mut AnyConnection,
    new: &NewOrganization,
    owner_name: &str,
    now: Millis,
) -> Result<(Organization, Account), StoreError> {
    let organization = Organization {
        id: Id::new(uuid::Uuid::now_v7().to_string()),
        key: new.key.clone(),
        name: text::name(&new.name)?,
        version: 0,
    };
    insert(connection, &organization, now).await?;
    let (owner, _) = accounts::find_or_insert(connection, &new.owner, owner_name, now).await?;
    let grants = Grants {
        policies: vec![OWNER.to_owned()],
        groups: Vec::new(),
    };
    members::insert(connection, &organization.id, &owner.id, &grants, now).await?;
    Ok((organization, owner))
}

/// What is set of an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrganizationSettings {
    /// Unique without regard to case; never changes.
    pub key: Key,
    /// The display name.
    pub name: String,
    /// Whether its members must have a second factor.
    pub second_factor_required: bool,
    /// After how many days flags are stale, where their project says nothing.
    pub stale_days: i64,
}

/// What becomes of an organization; what is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrganizationEdit {
    /// The display name.
    pub name: Option<String>,
    /// Whether its members must have a second factor.
    pub second_factor_required: Option<bool>,
    /// After how many days flags are stale, 1 to 3,650.
    pub stale_days: Option<i64>,
}

impl Store {
    /// What is set of an organization.
    pub async fn organization_settings(
        &self,
        id: &Id<Organization>,
    ) -> Result<OrganizationSettings, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        settings(&mut connection, id).await
    }

    /// Changes an organization's settings. Where nothing differs, nothing is written.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of `name` or `staleDays`.
    pub async fn update_organization(
        &self,
        id: &Id<Organization>,
        edit: &OrganizationEdit,
        actor: &Actor,
        now: Millis,
    ) -> Result<OrganizationSettings, StoreError> {
        let name = edit.name.as_deref().map(text::name).transpose()?;
        edit.stale_days.map(projects::stale_days).transpose()?;
        let mut at = self.administration(id, actor, now).await?;
        at.may("organization.update", Resource::organization())?;
        let before = settings(&mut at.tx, id).await?;
        let required = edit.second_factor_required;
        let after = OrganizationSettings {
            key: before.key.clone(),
            name: name.unwrap_or_else(|| before.name.clone()),
            second_factor_required: required.unwrap_or(before.second_factor_required),
            stale_days: edit.stale_days.unwrap_or(before.stale_days),
        };
        if after == before {
            return Ok(after);
        }
        sqlx::query(
            "UPDATE organizations SET name = $1, second_factor_required = $2, stale_days = $3 \
             WHERE id = $4",
        )
        .bind(after.name.as_str())
        .bind(i16::from(after.second_factor_required))
        .bind(after.stale_days)
        .bind(id.as_str())
        .execute(&mut *at.tx)
        .await?;
        let mut done = Vec::new();
        if after.name != before.name {
            done.push(format!("named \"{}\"", after.name));
        }
        if after.second_factor_required != before.second_factor_required {
            let asks = match after.second_factor_required {
                true => "asks its members for a second factor",
                false => "asks its members for no second factor",
            };
            done.push(asks.to_owned());
        }
        if after.stale_days != before.stale_days {
            let days = after.stale_days;
            done.push(format!("has flags stale after {days} days"));
        }
        at.done(Event {
            kind: "updateOrganization",
            params: vec![
                ("name", after.name.clone()),
                (
                    "secondFactorRequired",
                    after.second_factor_required.to_string(),
                ),
                ("staleDays", after.stale_days.to_string()),
            ],
            text: format!("organization {}", done.join(", ")),
        })
        .await?;
        Ok(after)
    }
}

async fn settings(
    connection: &mut AnyConnection,
    id: &Id<Organization>,
) -> Result<OrganizationSettings, StoreError> {
    let found = sqlx::query(
        "SELECT key, name, second_factor_required, stale_days FROM organizations WHERE id = $1",
    )
    .bind(id.as_str())
    .fetch_optional(connection)
    .await?;
    let found = found.ok_or(StoreError::NotFound("organization"))?;
    Ok(OrganizationSettings {
        key: row::key(&found, 0)?,
        name: row::text(&found, 1)?,
        second_factor_required: row::boolean(&found, 2)?,
        stale_days: row::number(&found, 3)?,
    })
}

/// After how many days flags of the organization are stale.
pub(crate) async fn stale_days(
    connection: &mut AnyConnection,
    id: &Id<Organization>,
) -> Result<i64, StoreError> {
    Ok(settings(connection, id).await?.stale_days)
}

/// Reads and locks an organization.
pub(crate) async fn lock(
    connection: &mut AnyConnection,
    id: &Id<Organization>,
    lock: &str,
) -> Result<Organization, StoreError> {
    let text = format!("{SELECT} WHERE id = $1{lock}");
    let found = sqlx::query(sqlx::AssertSqlSafe(text))
        .bind(id.as_str())
        .fetch_optional(connection)
        .await?;
    read(&found.ok_or(StoreError::NotFound("organization"))?)
}

/// The oldest organization.
pub(crate) async fn first(
    connection: &mut AnyConnection,
) -> Result<Option<Organization>, StoreError> {
    let text = format!("{SELECT} ORDER BY created_at, id LIMIT 1");
    let found = sqlx::query(sqlx::AssertSqlSafe(text))
        .fetch_optional(connection)
        .await?;
    found.as_ref().map(read).transpose()
}

/// The organizations that an account is a member of, by key.
pub(crate) async fn of_account(
    connection: &mut AnyConnection,
    account: &str,
) -> Result<Vec<Organization>, StoreError> {
    let text = format!(
        "{SELECT} WHERE id IN (SELECT organization_id FROM members WHERE account_id = $1) \
         ORDER BY key_folded"
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(text))
        .bind(account)
        .fetch_all(connection)
        .await?;
    rows.iter().map(read).collect()
}

async fn insert(
    connection: &mut AnyConnection,
    organization: &Organization,
    now: Millis,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO organizations (id, key, key_folded, name, version, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(organization.id.as_str())
    .bind(organization.key.as_str())
    .bind(organization.key.folded())
    .bind(organization.name.as_str())
    .bind(organization.version)
    .bind(now.0)
    .execute(connection)
    .await
    .map_err(unique("key", "an organization with this key exists"))?;
    Ok(())
}

/// Moves the version by one; an organization of another version is not touched.
pub(crate) async fn advance(
    connection: &mut AnyConnection,
    id: &Id<Organization>,
    version: i64,
) -> Result<u64, StoreError> {
    let done = sqlx::query("UPDATE organizations SET version = $1 WHERE id = $2 AND version = $3")
        .bind(version)
        .bind(id.as_str())
        .bind(version - 1)
        .execute(connection)
        .await?;
    Ok(done.rows_affected())
}
