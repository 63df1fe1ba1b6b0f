//! Groups: policies for several members at once. They do not nest.

use burgee_domain::access::{Kind, Resource};
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use super::members::{self, Grants};
use super::record::{Event, keys};
use super::{holders, policies, sign_on};
use crate::change_sets::Actor;
use crate::environments::rules::{self, RulesAt};
use crate::error::{StoreError, unique};
use crate::sql::Sql;
use crate::{Store, room, row, text};

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

/// What it takes to make, change and delete them.
const WRITE: &str = "group.write";

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
        let mut at = self.administration(organization, actor, now).await?;
        at.may(WRITE, resource(&group.key))?;
        at.may_give(&Grants::default(), &giving(&group)).await?;
        policies::must_exist(&mut at.tx, organization, &group.policies).await?;
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
        .execute(&mut *at.tx)
        .await
        .map_err(unique("key", "a group with this key exists"))?;
        room::GROUPS
            .holds(&mut at.tx, &[organization.as_str()])
            .await?;
        at.done(event("createGroup", "made", &group)).await?;
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
        let mut at = self.administration(organization, actor, now).await?;
        at.may(WRITE, resource(&group.key))?;
        let before = find(&mut at.tx, organization, group.key.as_str()).await?;
        let before = before.ok_or(StoreError::NotFound("group"))?;
        at.may_give(&giving(&before), &giving(&group)).await?;
        policies::must_exist(&mut at.tx, organization, &group.policies).await?;
        sqlx::query(
            "UPDATE member_groups SET name = $1, description = $2, policies = $3 \
             WHERE organization_id = $4 AND key_folded = $5",
        )
        .bind(group.name.as_str())
        .bind(group.description.as_str())
        .bind(serde_json::to_string(&group.policies)?)
        .bind(organization.as_str())
        .bind(group.key.folded())
        .execute(&mut *at.tx)
        .await?;
        holders::must_have_owner(&mut at.tx, organization).await?;
        at.done(event("updateGroup", "changed", &group)).await?;
        Ok(group)
    }

    /// Deletes a group that no environment's rules name; who was in it no longer is.
    ///
    /// # Errors
    /// [`StoreError::Refused`] where rules name it as reviewers; [`StoreError::Conflict`] of
    /// `policies` where nobody would own the organization any more.
    pub async fn delete_group(
        &self,
        organization: &Id<Organization>,
        key: &Key,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut at = self.administration(organization, actor, now).await?;
        at.may(WRITE, resource(key))?;
        let before = Grants {
            groups: vec![key.as_str().to_owned()],
            ..Grants::default()
        };
        at.may_give(&before, &Grants::default()).await?;
        let done =
            sqlx::query("DELETE FROM member_groups WHERE organization_id = $1 AND key_folded = $2")
                .bind(organization.as_str())
                .bind(key.folded())
                .execute(&mut *at.tx)
                .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::NotFound("group"));
        }
        not_in_rules(&mut at.tx, organization, key).await?;
        members::leave_group(&mut at.tx, organization, key).await?;
        sign_on::forget_group(&mut at.tx, organization, key, now).await?;
        holders::must_have_owner(&mut at.tx, organization).await?;
        let event = Event {
            kind: "deleteGroup",
            params: vec![("group", key.to_string())],
            text: format!("group `{key}` deleted"),
        };
        at.done(event).await
    }
}

/// Refuses a group that rules name as reviewers, whether or not they ask for approvals now: nobody
/// could give those, or whoever makes another group of this key would say who can.
async fn not_in_rules(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    key: &Key,
) -> Result<(), StoreError> {
    let folded = key.folded();
    let all = rules::of_organization(connection, organization).await?;
    let names = |it: &&RulesAt| it.rules.approvals.reviewers.groups.contains(&folded);
    match all.iter().find(names) {
        None => Ok(()),
        Some(found) => {
            let message = format!(
                "the rules of {} name this group as reviewers; take it out of them first",
                found.name
            );
            Err(StoreError::refused("", "inUse", message))
        }
    }
}

fn resource(key: &Key) -> Resource {
    Resource::new(Kind::Group, key.as_str())
}

/// What whoever is in a group has by it.
fn giving(group: &Group) -> Grants {
    Grants {
        policies: group.policies.clone(),
        groups: Vec::new(),
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
    let found = of_keys(connection, organization, groups).await?;
    Ok(found.into_iter().flat_map(|it| it.policies).collect())
}

/// Refuses keys of groups that there are not.
pub(super) async fn must_exist(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    keys: &[String],
) -> Result<(), StoreError> {
    let found = of_keys(connection, organization, keys).await?;
    let known = |key: &str| {
        found
            .iter()
            .any(|it| it.key.as_str().eq_ignore_ascii_case(key))
    };
    match keys.iter().find(|key| !known(key)) {
        None => Ok(()),
        Some(key) => Err(StoreError::Invalid {
            field: "groups",
            code: "groupNotFound".into(),
            message: format!("there is no group `{key}`"),
        }),
    }
}

/// The groups of these keys, in one question; those that there are not are left out.
async fn of_keys(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    keys: &[String],
) -> Result<Vec<Group>, StoreError> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let folded = members::folded(keys);
    let known = folded.iter().filter(|key| Key::new(key.as_str()).is_ok());
    let mut sql = Sql::new(SELECT);
    sql.push(" WHERE organization_id = ")
        .bind(organization.as_str())
        .push(" AND key_folded IN ")
        .list(known.map(String::as_str));
    let rows = sql.query()?.fetch_all(connection).await?;
    rows.iter().map(read).collect()
}
