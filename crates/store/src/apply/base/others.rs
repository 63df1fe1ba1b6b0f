//! Scopes that a base names and that the change set does not touch. They are looked up inside the
//! caller's organization, without locks: their versions only rise.

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::access::{Resource, Rights};
use burgee_domain::id::Id;
use burgee_domain::model::{Organization, Project};

use crate::error::StoreError;
use crate::sql::LIST;
use crate::{Tx, environments, projects};

/// The newest versions of scopes by folded name; without those that are not there, or that somebody
/// with these rights may not see.
pub(super) async fn newest(
    tx: &mut Tx,
    organization: &Id<Organization>,
    rights: Option<&Rights>,
    names: impl Iterator<Item = &str>,
) -> Result<BTreeMap<String, i64>, StoreError> {
    let project = |name: &str| name.split('/').next().map(str::to_ascii_lowercase);
    let keys: BTreeSet<String> = names.filter_map(project).collect();
    let keys: Vec<String> = keys.into_iter().collect();
    let mut newest = BTreeMap::new();
    for keys in keys.chunks(LIST) {
        let mut found = projects::lock(tx, organization, Some(keys), "").await?;
        let may = |action: &str, resource: &Resource| {
            rights.is_none_or(|rights| rights.allow(action, resource))
        };
        found.retain(|it| may("project.read", &Resource::project(it.key.as_str())));
        let by_id: BTreeMap<&Id<Project>, &Project> = found.iter().map(|it| (&it.id, it)).collect();
        let ids: Vec<&str> = found.iter().map(|project| project.id.as_str()).collect();
        for environment in environments::lock(tx, &ids, "").await? {
            let Some(project) = by_id.get(&environment.project) else {
                continue;
            };
            if may("environment.read", &Resource::of(project, &environment)) {
                let name = format!("{}/{}", project.key.folded(), environment.key.folded());
                newest.insert(name, environment.position.version);
            }
        }
        newest.extend(found.iter().map(|it| (it.key.folded(), it.version)));
    }
    Ok(newest)
}
