//! Members of an organization: who they are, and what they were given.

use burgee_domain::access::{Kind, Resource};
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use super::accounts::{self, Account};
use super::holders::must_have_owner;
use super::membership::policies_of;
use super::record::{Event, keys};
use super::{groups, links, policies, reviewers, sign_on};
use crate::change_sets::Actor;
use crate::error::{StoreError, unique};
use crate::page::{Page, PageRequest};
use crate::sql::{Sql, containing};
use crate::{Store, room, row};

/// Somebody in an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Who it is.
    pub account: Account,
    /// Keys of the policies given to them directly.
    pub policies: Vec<String>,
    /// Keys of the groups that they are in.
    pub groups: Vec<String>,
    /// Since when.
    pub joined_at: Millis,
}

impl Member {
    /// What they have.
    pub fn grants(&self) -> Grants {
        Grants {
            policies: self.policies.clone(),
            groups: self.groups.clone(),
        }
    }
}

/// Which members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberFilter {
    /// A part of the name or the address, without regard to case.
    pub search: Option<String>,
    /// The key of a group that they are in.
    pub group: Option<String>,
    /// The key of a policy that they were given directly.
    pub policy: Option<String>,
}

/// What a member has: keys of policies and groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// Policies given directly.
    pub policies: Vec<String>,
    /// Groups.
    pub groups: Vec<String>,
}

impl Grants {
    /// In the form in which they are stored: each once, in lower case.
    #[must_use]
    pub(super) fn folded(&self) -> Self {
        Self {
            policies: folded(&self.policies),
            groups: folded(&self.groups),
        }
    }
}

impl Grants {
    /// Somebody is given these.
    pub(super) fn event(&self, kind: &'static str, email: &str, done: &str) -> Event {
        let (policies, groups) = (keys(&self.policies), keys(&self.groups));
        Event {
            kind,
            text: format!("{email} {done} policies: {policies}; groups: {groups}"),
            params: vec![
                ("email", email.to_owned()),
                ("policies", policies),
                ("groups", groups),
            ],
        }
    }
}

/// Keys in lower case, each once, in their order.
pub(crate) fn folded(keys: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(keys.len());
    for key in keys {
        let key = key.to_ascii_lowercase();
        if !all.contains(&key) {
            all.push(key);
        }
    }
    all
}

fn select() -> String {
    format!(
        "SELECT {}, members.policies, members.groups, members.joined_at FROM members \
         JOIN accounts ON accounts.id = members.account_id",
        accounts::COLUMNS
    )
}

fn read(found: &AnyRow) -> Result<Member, StoreError> {
    Ok(Member {
        account: accounts::read(found)?,
        policies: row::json(found, accounts::WIDTH)?,
        groups: row::json(found, accounts::WIDTH + 1)?,
        joined_at: row::millis(found, accounts::WIDTH + 2)?,
    })
}

impl Store {
    /// An organization's members by address.
    pub async fn members(
        &self,
        organization: &Id<Organization>,
        filter: &MemberFilter,
        page: &PageRequest,
    ) -> Result<Page<Member>, StoreError> {
        let mut sql = Sql::new(&select());
        sql.push(" WHERE members.organization_id = ")
            .bind(organization.as_str());
        // As JSON lists of keys in lower case.
        let listed = [("groups", &filter.group), ("policies", &filter.policy)];
        for (column, key) in listed {
            if let Some(key) = key {
                let condition = format!(" AND members.{column} LIKE ");
                let quoted = format!("\"{}\"", key.to_ascii_lowercase());
                sql.push(&condition)
                    .bind(containing(&quoted))
                    .push(" ESCAPE '\\'");
            }
        }
        if let Some(search) = &filter.search {
            let pattern = containing(&search.to_lowercase());
            sql.push(" AND (accounts.email_folded LIKE ")
                .bind(pattern.as_str())
                .push(" ESCAPE '\\' OR LOWER(accounts.name) LIKE ")
                .bind(pattern)
                .push(" ESCAPE '\\')");
        }
        if let Some(cursor) = &page.cursor {
            sql.push(" AND accounts.email_folded > ")
                .bind(cursor.as_str());
        }
        sql.push(" ORDER BY accounts.email_folded LIMIT ")
            .bind(page.size() + 1);
        let rows = sql.query()?.fetch_all(&self.shared.truth.read).await?;
        let items = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        Ok(Page::cut(items, page.size(), |item| {
            item.account.email.to_lowercase()
        }))
    }

    /// All members of an organization by address.
    pub(super) async fn everybody(
        &self,
        organization: &Id<Organization>,
    ) -> Result<Vec<Member>, StoreError> {
        let mut sql = Sql::new(&select());
        sql.push(" WHERE members.organization_id = ")
            .bind(organization.as_str())
            .push(" ORDER BY accounts.email_folded");
        let rows = sql.query()?.fetch_all(&self.shared.truth.read).await?;
        rows.iter().map(read).collect()
    }

    /// One member.
    pub async fn member(
        &self,
        organization: &Id<Organization>,
        account: &Id<Account>,
    ) -> Result<Member, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let found = find(&mut connection, organization, account).await?;
        found.ok_or(StoreError::NotFound("member"))
    }

    /// Gives a member these policies and groups, in place of what they had. A group that an
    /// environment's rules name as reviewers is joined by who may loosen those.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of `policies` or `groups` that there are not;
    /// [`StoreError::Conflict`] of `policies` where nobody would own the organization any more.
    pub async fn set_member(
        &self,
        organization: &Id<Organization>,
        account: &Id<Account>,
        grants: &Grants,
        actor: &Actor,
        now: Millis,
    ) -> Result<Member, StoreError> {
        let grants = grants.folded();
        let mut at = self.administration(organization, actor, now).await?;
        at.may("member.update", resource(account))?;
        let before = find(&mut at.tx, organization, account).await?;
        let before = before.ok_or(StoreError::NotFound("member"))?;
        at.may_give(&before.grants(), &grants).await?;
        reviewers::may_join(&mut at, &before.groups, &grants.groups).await?;
        must_exist(&mut at.tx, organization, &grants).await?;
        sqlx::query(
            "UPDATE members SET policies = $1, groups = $2 \
             WHERE organization_id = $3 AND account_id = $4",
        )
        .bind(serde_json::to_string(&grants.policies)?)
        .bind(serde_json::to_string(&grants.groups)?)
        .bind(organization.as_str())
        .bind(account.as_str())
        .execute(&mut *at.tx)
        .await?;
        must_have_owner(&mut at.tx, organization).await?;
        links::delete_of_account(&mut at.tx, account).await?;
        let member = find(&mut at.tx, organization, account).await?;
        let member = member.ok_or(StoreError::NotFound("member"))?;
        let event = grants.event("updateMember", &member.account.email, "has now");
        at.done(event).await?;
        Ok(member)
    }

    /// Takes somebody out of an organization. Their account stays.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] of `policies` where nobody would own the organization any more.
    pub async fn remove_member(
        &self,
        organization: &Id<Organization>,
        account: &Id<Account>,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut at = self.administration(organization, actor, now).await?;
        at.may("member.remove", resource(account))?;
        let member = find(&mut at.tx, organization, account).await?;
        let member = member.ok_or(StoreError::NotFound("member"))?;
        // Nobody gets anything by it; an owner is unmade by an owner.
        let mut taken = policies_of(&mut at.tx, organization, &member).await?;
        taken.retain(|policy| policy.makes_owners());
        at.may_give_policies(Vec::new(), taken).await?;
        sqlx::query("DELETE FROM members WHERE organization_id = $1 AND account_id = $2")
            .bind(organization.as_str())
            .bind(account.as_str())
            .execute(&mut *at.tx)
            .await?;
        must_have_owner(&mut at.tx, organization).await?;
        links::delete_of_account(&mut at.tx, account).await?;
        sign_on::forget(&mut at.tx, organization, account).await?;
        // Else they would work again when the person comes back.
        sqlx::query(
            "UPDATE tokens SET revoked_at = $1 \
             WHERE organization_id = $2 AND account_id = $3 AND revoked_at IS NULL",
        )
        .bind(now.0)
        .bind(organization.as_str())
        .bind(account.as_str())
        .execute(&mut *at.tx)
        .await?;
        let event = Event {
            kind: "removeMember",
            text: format!("{} removed", member.account.email),
            params: vec![("email", member.account.email)],
        };
        at.done(event).await
    }
}

pub(super) fn resource(account: &Id<Account>) -> Resource {
    Resource::new(Kind::Member, account.as_str())
}

pub(crate) async fn find(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    account: &Id<Account>,
) -> Result<Option<Member>, StoreError> {
    let query = format!(
        "{} WHERE members.organization_id = $1 AND members.account_id = $2",
        select()
    );
    let found = sqlx::query(sqlx::AssertSqlSafe(query))
        .bind(organization.as_str())
        .bind(account.as_str())
        .fetch_optional(connection)
        .await?;
    found.as_ref().map(read).transpose()
}

pub(super) async fn all(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
) -> Result<Vec<Member>, StoreError> {
    let query = format!(
        "{} WHERE members.organization_id = $1 ORDER BY accounts.email_folded",
        select()
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(query))
        .bind(organization.as_str())
        .fetch_all(connection)
        .await?;
    rows.iter().map(read).collect()
}

/// Makes an account a member; one who is keeps what they have.
pub(crate) async fn insert(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    account: &Id<Account>,
    grants: &Grants,
    now: Millis,
) -> Result<(), StoreError> {
    let grants = grants.folded();
    sqlx::query(
        "INSERT INTO members (organization_id, account_id, policies, groups, joined_at) \
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(organization.as_str())
    .bind(account.as_str())
    .bind(serde_json::to_string(&grants.policies)?)
    .bind(serde_json::to_string(&grants.groups)?)
    .bind(now.0)
    .execute(&mut *connection)
    .await
    .map_err(unique("email", "this person is a member already"))?;
    room::MEMBERS
        .holds(connection, &[organization.as_str()])
        .await
}

/// Refuses keys of policies and groups that there are not.
pub(super) async fn must_exist(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    grants: &Grants,
) -> Result<(), StoreError> {
    policies::must_exist(connection, organization, &grants.policies).await?;
    groups::must_exist(connection, organization, &grants.groups).await
}

/// Takes everybody out of a group.
pub(super) async fn leave_group(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    group: &Key,
) -> Result<(), StoreError> {
    let group = group.folded();
    for mut member in all(&mut *connection, organization).await? {
        if !member.groups.contains(&group) {
            continue;
        }
        member.groups.retain(|it| *it != group);
        set_groups(connection, organization, &member.account.id, &member.groups).await?;
    }
    Ok(())
}

/// Puts a member into these groups, in place of those before.
pub(super) async fn set_groups(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    account: &Id<Account>,
    groups: &[String],
) -> Result<(), StoreError> {
    sqlx::query("UPDATE members SET groups = $1 WHERE organization_id = $2 AND account_id = $3")
        .bind(serde_json::to_string(groups)?)
        .bind(organization.as_str())
        .bind(account.as_str())
        .execute(connection)
        .await?;
    Ok(())
}
