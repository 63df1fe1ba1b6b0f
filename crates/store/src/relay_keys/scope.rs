//! Which environments a key is for.

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::access::{ActionPattern, Decision, Pattern, Resource};
use burgee_domain::id::Id;
use burgee_domain::limits::MAX_RELAY_ENVIRONMENTS;
use burgee_domain::model::{Environment, Organization};
use burgee_domain::relay_key;
use sqlx::AnyConnection;

use super::RelayKey;
use crate::apply::Denied;
use crate::error::StoreError;
use crate::people::record::Administration;
use crate::sql::{LIST, Sql};
use crate::{NamedEnvironment, Store, digest, environments, row};

/// What it takes to give a relay an environment: it learns as much as a server SDK.
const REVEAL: &str = "sdkKey.reveal";

/// Every environment, as a pattern.
const EVERYWHERE: &str = "project/*:env/*";

/// Which environments a key is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelayKeyScope {
    /// All of the organization, also those that are made later.
    All,
    /// These, by id, in order of their ids; those of them that are deleted are left out of what is
    /// read.
    Chosen(Vec<Id<Environment>>),
}

impl RelayKeyScope {
    pub(super) fn is_all(&self) -> i16 {
        i16::from(*self == Self::All)
    }

    /// The same with each environment once.
    pub(super) fn checked(&self) -> Result<Self, StoreError> {
        let Self::Chosen(ids) = self else {
            return Ok(Self::All);
        };
        if ids.len() > MAX_RELAY_ENVIRONMENTS {
            let message =
                format!("a relay key names at most {MAX_RELAY_ENVIRONMENTS} environments");
            return Err(invalid("listTooLong", message));
        }
        let once: BTreeSet<&Id<Environment>> = ids.iter().collect();
        Ok(Self::Chosen(once.into_iter().cloned().collect()))
    }

    fn has(&self, environment: &str) -> bool {
        match self {
            Self::All => true,
            Self::Chosen(ids) => ids.iter().any(|id| id.as_str() == environment),
        }
    }
}

/// What a relay may be fed with now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelayScope {
    /// The key that it has.
    pub key: Id<RelayKey>,
    /// Whose environments they are.
    pub organization: Id<Organization>,
    /// By id, in order; none that is deleted.
    pub environments: Vec<Id<Environment>>,
    /// The keys of the project and of the environment, of each of them.
    pub names: BTreeMap<Id<Environment>, (String, String)>,
}

const SCOPE: &str = "SELECT k.id, k.organization_id, e.id, p.key, e.key FROM relay_keys k \
    LEFT JOIN projects p ON p.organization_id = k.organization_id AND p.deleted_at IS NULL \
    LEFT JOIN environments e ON e.project_id = p.id AND e.deleted_at IS NULL \
        AND (k.every_environment = 1 OR EXISTS (SELECT 1 FROM relay_key_environments r \
            WHERE r.relay_key_id = k.id AND r.environment_id = e.id)) \
    WHERE (k.hash = $1 OR k.previous_hash = $1) AND k.revoked_at IS NULL";

impl Store {
    /// What the relay may be fed with whose key has exactly this text; none where there is no such
    /// key, or it is revoked. One statement: to be asked again for each key that relays are connected
    /// with when that may have changed ([`Store::scopes_changed`]).
    pub async fn relay_scope(&self, secret: &str) -> Result<Option<RelayScope>, StoreError> {
        if !relay_key::is_well_formed(secret) {
            return Ok(None);
        }
        let rows = sqlx::query(SCOPE)
            .bind(digest::bytes(secret.as_bytes()).to_vec())
            .fetch_all(&self.shared.truth.read)
            .await?;
        let Some(first) = rows.first() else {
            return Ok(None);
        };
        let mut names = BTreeMap::new();
        for found in &rows {
            if let Some(environment) = row::optional_id(found, 2)? {
                names.insert(environment, (row::text(found, 3)?, row::text(found, 4)?));
            }
        }
        Ok(Some(RelayScope {
            key: row::id(first, 0)?,
            organization: row::id(first, 1)?,
            environments: names.keys().cloned().collect(),
            names,
        }))
    }
}

/// Reads the environments that keys name; those that are deleted are left out.
pub(super) async fn fill(
    connection: &mut AnyConnection,
    keys: &mut [RelayKey],
) -> Result<(), StoreError> {
    let mut named: BTreeMap<String, Vec<Id<Environment>>> = BTreeMap::new();
    for keys in keys.chunks(LIST) {
        let mut sql = Sql::new(
            "SELECT r.relay_key_id, r.environment_id FROM relay_key_environments r \
             JOIN environments e ON e.id = r.environment_id AND e.deleted_at IS NULL \
             WHERE r.relay_key_id IN ",
        );
        sql.list(keys.iter().map(|key| key.id.as_str()));
        for found in sql.query()?.fetch_all(&mut *connection).await? {
            let of_key = named.entry(row::text(&found, 0)?).or_default();
            of_key.push(row::id(&found, 1)?);
        }
    }
    for key in keys {
        if let RelayKeyScope::Chosen(ids) = &mut key.scope {
            *ids = named.remove(key.id.as_str()).unwrap_or_default();
            ids.sort_unstable();
        }
    }
    Ok(())
}

/// Writes which environments a key names, in place of those that it named.
pub(super) async fn write(
    connection: &mut AnyConnection,
    key: &RelayKey,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM relay_key_environments WHERE relay_key_id = $1")
        .bind(key.id.as_str())
        .execute(&mut *connection)
        .await?;
    let RelayKeyScope::Chosen(ids) = &key.scope else {
        return Ok(());
    };
    for ids in ids.chunks(LIST / 2) {
        let mut sql =
            Sql::new("INSERT INTO relay_key_environments (relay_key_id, environment_id) VALUES ");
        for (index, id) in ids.iter().enumerate() {
            sql.row(index).bind(key.id.as_str()).next(id.as_str());
            sql.push(")");
        }
        sql.query()?.execute(&mut *connection).await?;
    }
    Ok(())
}

/// The environments of a scope as they are now.
pub(super) enum Named {
    All(Vec<NamedEnvironment>),
    Chosen(Vec<NamedEnvironment>),
}

/// Finds the environments of a scope among those of the organization that is locked.
///
/// # Errors
/// [`StoreError::Invalid`] of `environments` where one is not there.
pub(super) async fn named(
    at: &mut Administration<'_>,
    scope: &RelayKeyScope,
) -> Result<Named, StoreError> {
    let mut all = environments::of_organization(&mut at.tx, at.organization).await?;
    let RelayKeyScope::Chosen(ids) = scope else {
        return Ok(Named::All(all));
    };
    all.retain(|environment| scope.has(&environment.id));
    match all.len() == ids.len() {
        true => Ok(Named::Chosen(all)),
        false => {
            let message = "one of the environments is not there any more";
            Err(invalid("environmentNotFound", message.to_owned()))
        }
    }
}

/// Refuses to give a relay what the author may not see.
pub(super) fn may_reveal(
    at: &Administration<'_>,
    scope: &RelayKeyScope,
    named: &Named,
) -> Result<(), StoreError> {
    may_widen(at, &RelayKeyScope::Chosen(Vec::new()), scope, named)
}

/// Refuses to give a relay more than it had of what the author may not see.
pub(super) fn may_widen(
    at: &Administration<'_>,
    before: &RelayKeyScope,
    after: &RelayKeyScope,
    named: &Named,
) -> Result<(), StoreError> {
    let (Named::All(environments) | Named::Chosen(environments)) = named;
    for it in environments.iter().filter(|it| !before.has(&it.id)) {
        let (project, key) = (it.project.as_str(), it.key.as_str());
        at.may(
            REVEAL,
            Resource::environment(project, key, Some(it.protected)),
        )?;
    }
    match (before, after) {
        (RelayKeyScope::Chosen(_), RelayKeyScope::All) => may_everywhere(at),
        _ => Ok(()),
    }
}

/// Also in environments that are made later.
fn may_everywhere(at: &Administration<'_>) -> Result<(), StoreError> {
    let pattern = Pattern::new(EVERYWHERE).map_err(|error| StoreError::Other(Box::new(error)))?;
    let action = ActionPattern::new(REVEAL).ok_or_else(|| StoreError::corrupt(REVEAL))?;
    at.may_to_all(&action, &pattern, || Denied {
        action: REVEAL,
        resource: Resource::environment("*", "*", None),
        decision: Decision::Unmentioned,
    })
}

/// A scope as the history tells it: `all`, or `web/dev, web/prod`.
pub(super) fn words(named: &Named) -> String {
    let Named::Chosen(environments) = named else {
        return "all".to_owned();
    };
    let names = environments.iter();
    let mut names: Vec<String> = names
        .map(|it| format!("{}/{}", it.project, it.key))
        .collect();
    names.sort_unstable();
    names.join(", ")
}

fn invalid(code: &'static str, message: String) -> StoreError {
    StoreError::Invalid {
        field: "environments",
        code: code.into(),
        message,
    }
}
