//! Accounts, sessions, members, groups, policies, links and tokens, on both databases.

mod authority;
mod links;
mod members;
mod reviewers;
mod sessions;
mod sign_on;
mod tokens;

use burgee_domain::people::Email;
use burgee_eval::time::Millis;
use burgee_store::people::accounts::Account;
use burgee_store::people::members::Grants;
use burgee_store::{Actor, Store, StoreError};

use crate::kit::{House, NOW};

const DAY: i64 = 24 * 60 * 60 * 1_000;

fn at(millis: i64) -> Millis {
    Millis(NOW.0 + millis)
}

fn email(text: &str) -> Email {
    Email::new(text).unwrap()
}

fn grants(policies: &[&str], groups: &[&str]) -> Grants {
    let texts = |keys: &[&str]| keys.iter().map(ToString::to_string).collect();
    Grants {
        policies: texts(policies),
        groups: texts(groups),
    }
}

/// With a password, so that they can sign in.
async fn owner(store: &Store) -> Account {
    store.first_password("hash").await.unwrap();
    let found = store.account_by_email(&email("Owner@Localhost")).await;
    found.unwrap().unwrap()
}

/// Somebody who followed an invitation.
pub(crate) async fn joined(store: &Store, house: &House, address: &str, given: Grants) -> Account {
    let organization = &house.organization.id;
    let (_, text) = store
        .invite(organization, &email(address), &given, &Actor::system(), NOW)
        .await
        .unwrap();
    let account = store
        .follow_link(&text, address, Some("hash"), None, NOW)
        .await;
    account.unwrap().unwrap()
}

/// The field that is refused, or the rule that stands against it.
fn field(refused: Result<impl std::fmt::Debug, StoreError>) -> &'static str {
    match refused.unwrap_err() {
        StoreError::Conflict { field, .. } | StoreError::Invalid { field, .. } => field,
        StoreError::Refused { code, .. } => code,
        other => panic!("{other:?}"),
    }
}
