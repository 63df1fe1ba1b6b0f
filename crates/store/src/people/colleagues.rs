//! What each member of an organization may do: to say whom to ask.

use std::collections::HashMap;
use std::sync::Arc;

use burgee_domain::access::{Policy, Rights};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;

use super::accounts::Account;
use super::members::folded;
use crate::Store;
use crate::error::StoreError;

/// A member, and what they may do.
#[derive(Clone, Debug)]
pub struct Colleague {
    /// Who it is.
    pub account: Account,
    /// What they may do.
    pub rights: Rights,
}

impl Store {
    /// The names of an organization's members, by account.
    pub async fn member_names(
        &self,
        organization: &Id<Organization>,
    ) -> Result<HashMap<Id<Account>, String>, StoreError> {
        let members = self.everybody(organization).await?.into_iter();
        Ok(members.map(|it| (it.account.id, it.account.name)).collect())
    }

    /// All members of an organization by address, in three questions however many there are.
    pub async fn colleagues(
        &self,
        organization: &Id<Organization>,
    ) -> Result<Vec<Colleague>, StoreError> {
        let members = self.everybody(organization).await?;
        let groups = self.groups(organization).await?.into_iter();
        let groups: HashMap<String, Vec<String>> =
            groups.map(|it| (it.key.folded(), it.policies)).collect();
        let policies = self.policies(organization).await?.into_iter();
        let policies: HashMap<String, Arc<Policy>> = policies
            .map(|it| (it.policy.key.to_ascii_lowercase(), it.policy))
            .collect();
        let colleagues = members.into_iter().map(|member| {
            let mut keys = member.policies;
            for group in folded(&member.groups) {
                keys.extend(groups.get(&group).into_iter().flatten().cloned());
            }
            let keys = folded(&keys);
            let has = keys.iter().filter_map(|key| policies.get(key).cloned());
            Colleague {
                rights: Rights::new(has.collect()),
                account: member.account,
            }
        });
        Ok(colleagues.collect())
    }
}
