//! Groups: policies for several members at once. They do not nest.

use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use super::record::{Event, keys};
use super::{members, policies};
use crate::change_sets::Actor;
use crate::error::{StoreError, unique};
use crate::{Store, row, text};

/// A group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Unique in the organization, without regard to case.
    pub key: Key,
    /// The display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// Keys of the policies that its members have.
    pub policies: Vec<String>,
}

const SELECT: &str = "SELECT key, name, description, policies FROM member_groups";

fn read(found: &AnyRow) -> Result<Group, StoreError> {
    Ok(Group {
        key: row::key(found, 0)?,
        name: row::text(found, 1)?,
        description: row::text(found, 2)?,
        policies: row::json(found, 3)?,
    })
}

impl Store {
    /// An organization's groups, by key.
    pub async fn groups(&self, organization: &Id<Organization>) -> Result<Vec<Group>, StoreError> {
        let query = format!("{SELECT} WHERE organization_id = $1 ORDER BY key_folded");
        let rows = sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(organization.as_str())
            .fetch_all(&self.shared.truth.read)
            .await?;
        rows.iter().map(read).collect()
    }

    /// The group of a key.
    pub async fn group(
        &self,
        organization: &Id<Organization>,
        key: &str,
    ) -> Result<Group, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let found = find(&mut connection, organization, key).await?;
        found.ok_or(StoreError::NotFound("group"))
    }

    /// Makes a group.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] of `key`; [`StoreError::Invalid`] of `policies`.
    pub async fn create_group(
        &self,
        organization: &Id<Organization>,
        group: &Group,
        actor: &Actor,
        now: Millis,
    ) -> Result<Group, StoreError> {
        let group = checked(group)?;
        let mut tx = self.begin_write().await?;
        self.lock_organization(&mut tx, organization).await?;
        policies::must_exist(&mut tx, organization, &group.policies).await?;
        sqlx::query(
            "INSERT INTO member_groups (organization_id, key, key_folded, name, description, \
             policies, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(organization.as_str())
        .bind(group.key.as_str())
        .bind(group.key.folded())
        .bind(group.name.as_str())
        .bind(group.description.as_str())
        .bind(serde_json::to_string(&group.policies)?)
        .bind(now.0)
        .execute(&mut *tx)
        .await
        .map_err(unique("key", "a group with this key exists"))?;
        self.record(
            &mut tx,
            organization,
            actor,
            event("createGroup", "made", &group),
            now,
        )
        .await?;
        self.end(tx, false).await?;
        Ok(group)
    }

    /// Changes a group's name, description and policies.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of `policies`; [`StoreError::Conflict`] of `policies` where nobody
    /// would own the organization any more.
    pub async fn update_group(
        &self,
        organization: &Id<Organization>,
        group: &Group,
        actor: &Actor,
        now: Millis,
    ) -> Result<Group, StoreError> {
        let group = checked(group)?;
        let mut tx = self.begin_write().await?;
        self.lock_organization(&mut tx, organization).await?;
        policies::must_exist(&mut tx, organization, &group.policies).await?;
        let done = sqlx::query(
            "UPDATE member_groups SET name = $1, description = $2, policies = $3 \
             WHERE organization_id = $4 AND key_folded = $5",
        )
        .bind(group.name.as_str())
        .bind(group.description.as_str())
        .bind(serde_json::to_string(&group.policies)?)
        .bind(organization.as_str())
        .bind(group.key.folded())
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::NotFound("group"));
        }
        members::must_have_owner(&mut tx, organization).await?;
        self.record(
            &mut tx,
            organization,
            actor,
            event("updateGroup", "changed", &group),
            now,
        )
        .await?;
        self.end(tx, false).await?;
        Ok(group)
    }

    /// Deletes a group; who was in it no longer is.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] of `policies` where nobody would own the organization any more.
    pub async fn delete_group(
        &self,
        organization: &Id<Organization>,
        key: &Key,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin_write().await?;
        self.lock_organization(&mut tx, organization).await?;
        let done =
            sqlx::query("DELETE FROM member_groups WHERE organization_id = $1 AND key_folded = $2")
                .bind(organization.as_str())
                .bind(key.folded())
                .execute(&mut *tx)
                .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::NotFound("group"));
        }
        members::leave_group(&mut tx, organization, key).await?;
        members::must_have_owner(&mut tx, organization).await?;
        let event = Event {
            kind: "deleteGroup",
            params: vec![("group", key.to_string())],
            text: format!("group `{key}` deleted"),
        };
        self.record(&mut tx, organization, actor, event, now)
            .await?;
        self.end(tx, false).await
    }
}

fn checked(group: &Group) -> Result<Group, StoreError> {
    Ok(Group {
        key: group.key.clone(),
        name: text::name(&group.name)?,
        description: text::description(&group.description)?,
        policies: members::folded(&group.policies),
    })
}

fn event(kind: &'static str, done: &str, group: &Group) -> Event {
    let policies = keys(&group.policies);
    Event {
        kind,
        text: format!("group `{}` {done}, policies: {policies}", group.key),
        params: vec![
            ("group", group.key.to_string()),
            ("name", group.name.clone()),
            ("policies", policies),
        ],
    }
}

pub(crate) async fn find(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    key: &str,
) -> Result<Option<Group>, StoreError> {
    if Key::new(key).is_err() {
        return Ok(None);
    }
    let query = format!("{SELECT} WHERE organization_id = $1 AND key_folded = $2");
    let found = sqlx::query(sqlx::AssertSqlSafe(query))
        .bind(organization.as_str())
        .bind(key.to_ascii_lowercase())
        .fetch_optional(connection)
        .await?;
    found.as_ref().map(read).transpose()
}

/// The policies that these groups give, by key; each may come more than once.
pub(super) async fn policies_of(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    groups: &[String],
) -> Result<Vec<String>, StoreError> {
    let mut keys = Vec::new();
    for group in groups {
        let found = find(connection, organization, group).await?;
        keys.extend(found.into_iter().flat_map(|it| it.policies));
    }
    Ok(keys)
}

/// Refuses keys of groups that there are not.
pub(super) async fn must_exist(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    keys: &[String],
) -> Result<(), StoreError> {
    for key in keys {
        if find(connection, organization, key).await?.is_none() {
            return Err(StoreError::Invalid {
                field: "groups",
                message: format!("there is no group `{key}`"),
            });
        }
    }
    Ok(())
}
