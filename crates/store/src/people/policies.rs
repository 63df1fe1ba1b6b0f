//! An organization's own policies, beside the built-in ones.

use std::sync::Arc;

use burgee_domain::access::{self, Kind, Policy, Resource, Statement};
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use super::record::{Administration, Event};
use super::{holders, members};
use crate::change_sets::Actor;
use crate::error::{StoreError, unique};
use crate::sql::Sql;
use crate::{Store, room, row, text};

/// A policy with what people read of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPolicy {
    /// The display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// Whether every organization has it; it cannot be edited.
    pub builtin: bool,
    /// Its key and statements.
    pub policy: Arc<Policy>,
}

/// What a policy is made of, or becomes.
#[derive(Clone, Debug)]
pub struct PolicyText {
    /// The display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// What it says.
    pub statements: Vec<Statement>,
}

/// What it takes to make, change and delete them.
const WRITE: &str = "policy.write";

const SELECT: &str = "SELECT key, name, description, statements FROM policies";

fn read(found: &AnyRow) -> Result<StoredPolicy, StoreError> {
    Ok(StoredPolicy {
        name: row::text(found, 1)?,
        description: row::text(found, 2)?,
        builtin: false,
        policy: Arc::new(Policy {
            key: row::text(found, 0)?,
            statements: row::json(found, 3)?,
        }),
    })
}

fn of_builtin(policy: &Arc<Policy>) -> StoredPolicy {
    let mut name = policy.key.clone();
    name[..1].make_ascii_uppercase();
    StoredPolicy {
        name,
        description: String::new(),
        builtin: true,
        policy: Arc::clone(policy),
    }
}

impl Store {
    /// All policies of an organization: the built-in ones, then its own by key.
    pub async fn policies(
        &self,
        organization: &Id<Organization>,
    ) -> Result<Vec<StoredPolicy>, StoreError> {
        let query = format!("{SELECT} WHERE organization_id = $1 ORDER BY key_folded");
        let rows = sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(organization.as_str())
            .fetch_all(&self.shared.truth.read)
            .await?;
        let mut all: Vec<_> = access::builtins().iter().map(of_builtin).collect();
        for found in &rows {
            all.push(read(found)?);
        }
        Ok(all)
    }

    /// The policy of a key.
    pub async fn policy(
        &self,
        organization: &Id<Organization>,
        key: &str,
    ) -> Result<StoredPolicy, StoreError> {
        if let Some(policy) = access::builtin(key) {
            return Ok(of_builtin(&policy));
        }
        let mut connection = self.shared.truth.read.acquire().await?;
        let found = find(&mut connection, organization, key).await?;
        found.ok_or(StoreError::NotFound("policy"))
    }

    /// Makes a policy.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] of `key`.
    pub async fn create_policy(
        &self,
        organization: &Id<Organization>,
        key: &Key,
        new: &PolicyText,
        actor: &Actor,
        now: Millis,
    ) -> Result<StoredPolicy, StoreError> {
        const TAKEN: &str = "a policy with this key exists";
        if access::builtin(key.as_str()).is_some() {
            return Err(StoreError::conflict("key", TAKEN));
        }
        let stored = checked(key.as_str(), new)?;
        let mut at = self.administration(organization, actor, now).await?;
        at.may(WRITE, resource(key.as_str()))?;
        may_write(&mut at, key.as_str(), &[], &new.statements).await?;
        sqlx::query(
            "INSERT INTO policies (organization_id, key, key_folded, name, description, \
             statements, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(organization.as_str())
        .bind(key.as_str())
        .bind(key.folded())
        .bind(stored.name.as_str())
        .bind(stored.description.as_str())
        .bind(serde_json::to_string(&new.statements)?)
        .bind(now.0)
        .execute(&mut *at.tx)
        .await
        .map_err(unique("key", TAKEN))?;
        room::POLICIES
            .holds(&mut at.tx, &[organization.as_str()])
            .await?;
        at.done(event("createPolicy", "made", &stored)?).await?;
        Ok(stored)
    }

    /// Changes what a policy says.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] of `key` for a built-in one.
    pub async fn update_policy(
        &self,
        organization: &Id<Organization>,
        key: &str,
        new: &PolicyText,
        actor: &Actor,
        now: Millis,
    ) -> Result<StoredPolicy, StoreError> {
        not_builtin(key)?;
        let stored = checked(key, new)?;
        let mut at = self.administration(organization, actor, now).await?;
        at.may(WRITE, resource(key))?;
        let before = find(&mut at.tx, organization, key).await?;
        let before = before.ok_or(StoreError::NotFound("policy"))?.policy;
        may_write(&mut at, key, &before.statements, &new.statements).await?;
        sqlx::query(
            "UPDATE policies SET name = $1, description = $2, statements = $3 \
             WHERE organization_id = $4 AND key_folded = $5",
        )
        .bind(stored.name.as_str())
        .bind(stored.description.as_str())
        .bind(serde_json::to_string(&new.statements)?)
        .bind(organization.as_str())
        .bind(key.to_ascii_lowercase())
        .execute(&mut *at.tx)
        .await?;
        at.done(event("updatePolicy", "changed", &stored)?).await?;
        Ok(stored)
    }

    /// Deletes a policy that nobody has.
    ///
    /// # Errors
    /// [`StoreError::Refused`] where a member, a group, a token or an invitation has it;
    /// [`StoreError::Conflict`] of `key` where it is built in.
    pub async fn delete_policy(
        &self,
        organization: &Id<Organization>,
        key: &str,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        not_builtin(key)?;
        let mut at = self.administration(organization, actor, now).await?;
        at.may(WRITE, resource(key))?;
        if let Some(user) = holders::user_of_policy(&mut at.tx, organization, key).await? {
            let message = format!("{user} has this policy; take it away first");
            return Err(StoreError::refused("", "inUse", message));
        }
        let done =
            sqlx::query("DELETE FROM policies WHERE organization_id = $1 AND key_folded = $2")
                .bind(organization.as_str())
                .bind(key.to_ascii_lowercase())
                .execute(&mut *at.tx)
                .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::NotFound("policy"));
        }
        let event = Event {
            kind: "deletePolicy",
            params: vec![("policy", key.to_owned())],
            text: format!("policy `{key}` deleted"),
        };
        at.done(event).await
    }
}

fn resource(key: &str) -> Resource {
    Resource::new(Kind::Policy, key)
}

/// Whether the author may write a policy anew: whoever has it gets what is new, and loses what is
/// gone. Else whoever may write policies could give themselves everything.
async fn may_write(
    at: &mut Administration<'_>,
    key: &str,
    before: &[Statement],
    after: &[Statement],
) -> Result<(), StoreError> {
    let without = |all: &[Statement], others: &[Statement]| {
        let statements = all.iter().filter(|it| !others.contains(it));
        vec![Arc::new(Policy {
            key: key.to_owned(),
            statements: statements.cloned().collect(),
        })]
    };
    let (given, taken) = (without(after, before), without(before, after));
    at.may_give_policies(given, taken).await
}

fn checked(key: &str, new: &PolicyText) -> Result<StoredPolicy, StoreError> {
    Ok(StoredPolicy {
        name: text::name(&new.name)?,
        description: text::description(&new.description)?,
        builtin: false,
        policy: Arc::new(Policy {
            key: key.to_owned(),
            statements: new.statements.clone(),
        }),
    })
}

fn event(kind: &'static str, done: &str, stored: &StoredPolicy) -> Result<Event, StoreError> {
    let statements: Vec<_> = stored.policy.statements.iter().collect();
    let key = &stored.policy.key;
    Ok(Event {
        kind,
        params: vec![
            ("policy", key.clone()),
            ("name", stored.name.clone()),
            ("statements", serde_json::to_string(&statements)?),
        ],
        text: format!("policy `{key}` {done}, \"{}\"", stored.name),
    })
}

fn not_builtin(key: &str) -> Result<(), StoreError> {
    match access::builtin(key) {
        Some(_) => {
            let message = "a built-in policy cannot be changed; make one of your own";
            Err(StoreError::conflict("key", message))
        }
        None => Ok(()),
    }
}

async fn find(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    key: &str,
) -> Result<Option<StoredPolicy>, StoreError> {
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

/// The policies of these keys. One that is not there gives nothing: it was deleted meanwhile.
pub(crate) async fn of_keys(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    keys: &[String],
) -> Result<Vec<Arc<Policy>>, StoreError> {
    let mut policies: Vec<_> = keys.iter().filter_map(|key| access::builtin(key)).collect();
    let own: Vec<_> = members::folded(keys)
        .into_iter()
        .filter(|key| access::builtin(key).is_none() && Key::new(key.as_str()).is_ok())
        .collect();
    if own.is_empty() {
        return Ok(policies);
    }
    let mut sql = Sql::new(SELECT);
    sql.push(" WHERE organization_id = ")
        .bind(organization.as_str())
        .push(" AND key_folded IN ")
        .list(own.iter().map(String::as_str));
    for found in &sql.query()?.fetch_all(connection).await? {
        policies.push(read(found)?.policy);
    }
    Ok(policies)
}

/// Refuses keys of policies that there are not.
pub(crate) async fn must_exist(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    keys: &[String],
) -> Result<(), StoreError> {
    let found = of_keys(connection, organization, keys).await?;
    let known = |key: &str| found.iter().any(|it| it.key.eq_ignore_ascii_case(key));
    match keys.iter().find(|key| !known(key)) {
        None => Ok(()),
        Some(key) => Err(StoreError::Invalid {
            field: "policies",
            code: "policyNotFound".into(),
            message: format!("there is no policy `{key}`"),
        }),
    }
}
