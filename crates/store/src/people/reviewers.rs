//! Who gets to be a reviewer by way of people.
//!
//! Whom an environment's rules name as reviewers is as much of what it asks as how many of them must
//! agree. A group that is named gets more of them by whoever puts people into it; so that takes what
//! naming more people takes. What those may do who are named is said by policies, and follows the
//! rules of giving.

use burgee_domain::access::{Resource, Rights};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use sqlx::AnyConnection;

use super::accounts::Account;
use super::record::Administration;
use crate::environments::rules;
use crate::error::StoreError;

/// What it takes to let others review where only some may.
const LOOSEN: &str = "environment.loosenRules";

/// Refuses to put somebody who is in some groups into others, where those review and the author may
/// not say who does.
pub(super) async fn may_join(
    at: &mut Administration<'_>,
    before: &[String],
    after: &[String],
) -> Result<(), StoreError> {
    let joined = after.iter().filter(|it| !before.contains(it));
    let joined: Vec<String> = joined.cloned().collect();
    for place in places(&mut at.tx, at.organization, None, &joined).await? {
        at.may(LOOSEN, place)?;
    }
    Ok(())
}

/// Refuses to let others act as a member, where that one reviews and the author may not say who
/// does.
pub(super) async fn may_act_as(
    at: &mut Administration<'_>,
    account: &Id<Account>,
    groups: &[String],
) -> Result<(), StoreError> {
    for place in places(&mut at.tx, at.organization, Some(account), groups).await? {
        at.may(LOOSEN, place)?;
    }
    Ok(())
}

/// Whether somebody with these rights may put others into groups.
pub(super) async fn lets_join(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    rights: &Rights,
    groups: &[String],
) -> Result<bool, StoreError> {
    let places = places(connection, organization, None, groups).await?;
    Ok(places.iter().all(|place| rights.allow(LOOSEN, place)))
}

/// The environments that ask for approvals of named reviewers, and name an account or one of these
/// groups (by folded keys).
async fn places(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    account: Option<&Id<Account>>,
    groups: &[String],
) -> Result<Vec<Resource>, StoreError> {
    if account.is_none() && groups.is_empty() {
        return Ok(Vec::new());
    }
    let account = account.map(Id::as_str);
    let all = rules::of_organization(connection, organization).await?;
    let named = all
        .into_iter()
        .filter(|it| it.rules.name_reviewer(account, groups));
    Ok(named.map(|it| it.resource).collect())
}
