//! Flags that need flags: for who looks at them.

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::id::Id;
use burgee_domain::key::fold;
use burgee_domain::model::{Environment, Project};
use burgee_domain::workspace::FlagState;
use burgee_eval::compile::LONGEST_CHAIN;
use burgee_eval::flag::Prerequisite;

use crate::error::StoreError;
use crate::sql::Sql;
use crate::{Store, row};

/// A live flag that needs others in an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeedyFlag {
    /// Where.
    pub environment: Id<Environment>,
    /// Its key.
    pub flag: String,
    /// Its display name.
    pub name: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// What it needs.
    pub prerequisites: Vec<Prerequisite>,
}

impl Store {
    /// The live flags of a project that need others, by environment and key.
    pub async fn needy_flags(&self, project: &Id<Project>) -> Result<Vec<NeedyFlag>, StoreError> {
        let mut sql = Sql::new(
            "SELECT t.environment_id, f.key, f.name, f.tags, t.prerequisites FROM targetings t \
             JOIN flags f ON f.project_id = t.project_id AND f.id = t.flag_id AND f.life = 'live' \
             JOIN environments e ON e.id = t.environment_id AND e.deleted_at IS NULL \
             WHERE t.prerequisites <> '[]' AND t.project_id = ",
        );
        sql.bind(project.as_str());
        sql.push(" ORDER BY t.environment_id, f.key");
        let mut connection = self.shared.truth.read.acquire().await?;
        let found = sql.query()?.fetch_all(&mut *connection).await?;
        let flags = found.iter().map(|found| {
            Ok(NeedyFlag {
                environment: row::id(found, 0)?,
                flag: row::text(found, 1)?,
                name: row::text(found, 2)?,
                tags: row::json(found, 3)?,
                prerequisites: row::json(found, 4)?,
            })
        });
        flags.collect()
    }

    /// The flags that a flag needs in some environment, and those that those need, by folded key;
    /// without those that are deleted.
    pub async fn flags_needed(
        &self,
        project: &Id<Project>,
        flag: &FlagState,
    ) -> Result<BTreeMap<String, FlagState>, StoreError> {
        let mut needed = BTreeMap::new();
        let mut wanted = keys(flag);
        for _ in 0..LONGEST_CHAIN {
            if wanted.is_empty() {
                break;
            }
            let mut connection = self.shared.truth.read.acquire().await?;
            let keys_wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
            let found = super::load(&mut connection, project, &keys_wanted, &[]).await?;
            let next: BTreeSet<String> = found.values().flat_map(keys).collect();
            needed.extend(found);
            wanted = next
                .into_iter()
                .filter(|it| !needed.contains_key(it))
                .collect();
        }
        Ok(needed)
    }
}

/// The folded keys of what a flag needs in some environment.
fn keys(flag: &FlagState) -> BTreeSet<String> {
    let needs = flag.targetings.values().flat_map(|it| &it.prerequisites);
    needs.map(|it| fold(&it.flag)).collect()
}
