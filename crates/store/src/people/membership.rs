//! What an account is in an organization, and what it may do there: asked by each of its requests.

use std::sync::Arc;

use burgee_domain::access::{Policy, Rights};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use sqlx::AnyConnection;

use super::accounts::Account;
use super::members::{Grants, Member, find, folded};
use super::{groups, policies};
use crate::error::StoreError;
use crate::sql::Sql;
use crate::{Store, row};

/// What an account is in an organization.
#[derive(Clone, Debug)]
pub enum Membership {
    /// A member.
    Of(InOrganization),
    /// Not a member of the organization that was named.
    None,
    /// No organization was named, and the account is not in exactly one.
    Unnamed,
}

/// A member, as their requests go.
#[derive(Clone, Debug)]
pub struct InOrganization {
    /// The organization.
    pub organization: Id<Organization>,
    /// Whether it asks for a second factor.
    pub second_factor_required: bool,
    /// Whether it refuses sessions that began with a password, but for owners'.
    pub passwords_off: bool,
    /// What they may do.
    pub rights: Rights,
}

const MEMBERSHIPS: &str = "SELECT organizations.id, organizations.second_factor_required, \
                           COALESCE(sign_on.passwords_off, 0), members.policies, members.groups \
                           FROM members \
                           JOIN organizations ON organizations.id = members.organization_id \
                           LEFT JOIN sign_on ON sign_on.organization_id = organizations.id \
                           WHERE members.account_id = ";

impl Store {
    /// The organizations that an account is a member of, by key.
    pub async fn organizations_of(
        &self,
        account: &Id<Account>,
    ) -> Result<Vec<Organization>, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        crate::organizations::of_account(&mut connection, account.as_str()).await
    }

    /// What a member may do: their own policies and those of their groups. None: not a member.
    pub async fn rights(
        &self,
        organization: &Id<Organization>,
        account: &Id<Account>,
    ) -> Result<Option<Rights>, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        rights(&mut connection, organization, account).await
    }

    /// What an account is in the organization of a key, or in its only one where none is named: what
    /// a request of theirs needs to know, in few questions.
    pub async fn membership(
        &self,
        account: &Id<Account>,
        key: Option<&str>,
    ) -> Result<Membership, StoreError> {
        let folded = key.map(str::to_ascii_lowercase);
        let by = folded.as_deref().map(|key| ("key_folded", key));
        self.membership_by(account, by).await
    }

    /// What an account is in an organization.
    pub async fn membership_in(
        &self,
        account: &Id<Account>,
        organization: &Id<Organization>,
    ) -> Result<Membership, StoreError> {
        self.membership_by(account, Some(("id", organization.as_str())))
            .await
    }

    async fn membership_by(
        &self,
        account: &Id<Account>,
        by: Option<(&str, &str)>,
    ) -> Result<Membership, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let mut sql = Sql::new(MEMBERSHIPS);
        sql.bind(account.as_str());
        if let Some((column, value)) = by {
            let condition = format!(" AND organizations.{column} = ");
            sql.push(&condition).bind(value);
        }
        sql.push(" LIMIT 2");
        let rows = sql.query()?.fetch_all(&mut *connection).await?;
        let [found] = rows.as_slice() else {
            return Ok(by.map_or(Membership::Unnamed, |_| Membership::None));
        };
        let organization = row::id(found, 0)?;
        let (mut policies, groups): (Vec<_>, Vec<_>) = (row::json(found, 3)?, row::json(found, 4)?);
        policies.extend(groups::policies_of(&mut connection, &organization, &groups).await?);
        let policies =
            policies::of_keys(&mut connection, &organization, &folded(&policies)).await?;
        Ok(Membership::Of(InOrganization {
            organization,
            second_factor_required: row::boolean(found, 1)?,
            passwords_off: row::boolean(found, 2)?,
            rights: Rights::new(policies),
        }))
    }
}

/// What a member may do. None: not a member.
pub(crate) async fn rights(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    account: &Id<Account>,
) -> Result<Option<Rights>, StoreError> {
    let Some(member) = find(connection, organization, account).await? else {
        return Ok(None);
    };
    let policies = policies_of(connection, organization, &member).await?;
    Ok(Some(Rights::new(policies)))
}

/// The policies that a member has, those of groups too.
pub(super) async fn policies_of(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    member: &Member,
) -> Result<Vec<Arc<Policy>>, StoreError> {
    policies_given(connection, organization, &member.grants()).await
}

/// The policies that these give together, those of groups too. What is not there gives nothing.
pub(super) async fn policies_given(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    grants: &Grants,
) -> Result<Vec<Arc<Policy>>, StoreError> {
    let mut keys = grants.policies.clone();
    keys.extend(groups::policies_of(connection, organization, &grants.groups).await?);
    policies::of_keys(connection, organization, &folded(&keys)).await
}
