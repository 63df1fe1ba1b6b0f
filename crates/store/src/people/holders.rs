//! Who has a policy: whether anybody owns an organization, and who would lose a policy that goes.

use std::collections::HashSet;

use burgee_domain::access::OWNER;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use sqlx::AnyConnection;

use super::members::all;
use super::sign_on;
use crate::error::StoreError;
use crate::row;

/// Refuses a state in which nobody could give anybody rights any more.
pub(super) async fn must_have_owner(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
) -> Result<(), StoreError> {
    match has_owner(connection, organization).await? {
        true => Ok(()),
        false => {
            let message =
                "somebody must own the organization: give `owner` to another member first";
            Err(StoreError::conflict("policies", message))
        }
    }
}

/// Whether somebody is an owner, directly or by a group.
pub(super) async fn has_owner(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
) -> Result<bool, StoreError> {
    // Members first, then groups; both name policies and groups by folded keys.
    let rows = sqlx::query(
        "SELECT CAST('' AS TEXT), policies, groups FROM members WHERE organization_id = $1 \
         UNION ALL \
         SELECT key_folded, policies, '[]' FROM member_groups WHERE organization_id = $1",
    )
    .bind(organization.as_str())
    .fetch_all(connection)
    .await?;
    let (mut in_groups, mut owning_groups) = (HashSet::new(), Vec::new());
    for found in &rows {
        let (group, policies): (String, Vec<String>) = (row::text(found, 0)?, row::json(found, 1)?);
        let owns = policies.iter().any(|it| it == OWNER);
        match (group.is_empty(), owns) {
            (true, true) => return Ok(true),
            (true, false) => in_groups.extend(row::json::<Vec<String>>(found, 2)?),
            (false, true) => owning_groups.push(group),
            (false, false) => {}
        }
    }
    Ok(owning_groups.iter().any(|group| in_groups.contains(group)))
}

/// Who has a policy directly, in words: a member's address or a group's key.
pub(super) async fn user_of_policy(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    key: &str,
) -> Result<Option<String>, StoreError> {
    let key = key.to_ascii_lowercase();
    let members = all(connection, organization).await?;
    let mut members = members.into_iter();
    if let Some(member) = members.find(|it| it.policies.contains(&key)) {
        return Ok(Some(member.account.email));
    }
    let query = "SELECT key, policies FROM member_groups WHERE organization_id = $1 \
                 ORDER BY key_folded";
    let rows = sqlx::query(query)
        .bind(organization.as_str())
        .fetch_all(&mut *connection)
        .await?;
    for found in &rows {
        let policies: Vec<String> = row::json(found, 1)?;
        if policies.contains(&key) {
            return Ok(Some(format!("the group `{}`", row::text(found, 0)?)));
        }
    }
    let named = [
        (
            "SELECT name, policies FROM tokens WHERE organization_id = $1 AND revoked_at IS NULL \
             ORDER BY created_at, id",
            "the token",
        ),
        (
            "SELECT email, grants FROM links WHERE organization_id = $1 ORDER BY created_at, id",
            "the invitation of",
        ),
    ];
    for (query, what) in named {
        let rows = sqlx::query(query).bind(organization.as_str());
        for found in &rows.fetch_all(&mut *connection).await? {
            // An invitation's grants are a list of lists, of which the first has policies.
            let keys: serde_json::Value = row::json(found, 1)?;
            let keys = keys.get(0).filter(|it| it.is_array()).unwrap_or(&keys);
            let names = |keys: &Vec<serde_json::Value>| keys.iter().any(|it| *it == key);
            if keys.as_array().is_some_and(names) {
                return Ok(Some(format!("{what} `{}`", row::text(found, 0)?)));
            }
        }
    }
    let newcomers = sign_on::gives_policy(connection, organization, &key).await?;
    Ok(newcomers.then(|| "whoever joins by single sign-on".to_owned()))
}
