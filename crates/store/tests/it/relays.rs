//! Relays: their keys, and those that were seen; on both databases.

mod agents;
mod keys;
mod looks;

use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Organization};
use burgee_store::{Actor, NewRelayKey, RelayKey, RelayKeyScope, RelayScope, Store, StoreError};

use crate::kit::{House, NOW};

fn new(organization: &Id<Organization>, name: &str, scope: RelayKeyScope) -> NewRelayKey {
    NewRelayKey {
        organization: organization.clone(),
        name: name.into(),
        description: String::new(),
        scope,
    }
}

fn chosen(environments: &[&Environment]) -> RelayKeyScope {
    RelayKeyScope::Chosen(ids(environments))
}

fn ids(environments: &[&Environment]) -> Vec<Id<Environment>> {
    environments.iter().map(|it| it.id.clone()).collect()
}

/// Ids in their order.
fn sorted(environments: &[&Environment]) -> Vec<Id<Environment>> {
    let mut ids = ids(environments);
    ids.sort();
    ids
}

/// A key by the operator, and its secret.
async fn key(store: &Store, house: &House, scope: RelayKeyScope) -> (RelayKey, String) {
    let new = new(&house.organization.id, "eu", scope);
    let operator = Actor::operator();
    store.create_relay_key(&new, &operator, NOW).await.unwrap()
}

/// What a relay with this secret is fed with.
async fn scope(store: &Store, secret: &str) -> Option<RelayScope> {
    store.relay_scope(secret).await.unwrap()
}

async fn environments(store: &Store, secret: &str) -> Option<Vec<Id<Environment>>> {
    scope(store, secret).await.map(|it| it.environments)
}

/// The field that is refused, or the rule, or the permission that lacks and where.
fn why<T: std::fmt::Debug>(refused: Result<T, StoreError>) -> String {
    match refused.unwrap_err() {
        StoreError::Conflict { field, .. } => field.to_owned(),
        StoreError::Invalid { field, code, .. } => format!("{field} {code}"),
        StoreError::Refused { code, .. } => code.to_owned(),
        StoreError::Denied(it) => format!("{} {}", it.action, it.resource),
        StoreError::NotFound(what) => what.to_owned(),
        other => panic!("{other:?}"),
    }
}
