//! Projects and their environments as they are, without locks.

use std::collections::BTreeMap;

use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Organization, Project};
use burgee_domain::workspace::ProjectState;

use crate::error::StoreError;
use crate::{Tx, environments, projects};

/// All projects of an organization, still without flags.
pub(super) struct Projects {
    by_id: BTreeMap<Id<Project>, ProjectState>,
}

impl Projects {
    pub(super) async fn load(
        tx: &mut Tx,
        organization: &Id<Organization>,
    ) -> Result<Self, StoreError> {
        let found = projects::lock(tx, organization, None, "").await?;
        let ids: Vec<&str> = found.iter().map(|project| project.id.as_str()).collect();
        let mut of_project: BTreeMap<Id<Project>, BTreeMap<String, Environment>> = BTreeMap::new();
        for environment in environments::lock(tx, &ids, "").await? {
            let environments = of_project.entry(environment.project.clone()).or_default();
            environments.insert(environment.key.folded(), environment);
        }
        let states = found.into_iter().map(|project| {
            let state = ProjectState {
                environments: of_project.remove(&project.id).unwrap_or_default(),
                flags: BTreeMap::new(),
                prerequisites: BTreeMap::new(),
                project,
            };
            (state.project.id.clone(), state)
        });
        Ok(Self {
            by_id: states.collect(),
        })
    }

    pub(super) fn project(&self, id: &Id<Project>) -> Option<&ProjectState> {
        self.by_id.get(id)
    }

    /// An environment by id, with its project.
    pub(super) fn environment(&self, id: &str) -> Option<(&ProjectState, &Environment)> {
        self.by_id.values().find_map(|state| {
            let mut environments = state.environments.values();
            let found = environments.find(|it| it.id.as_str() == id)?;
            Some((state, found))
        })
    }

    /// The name of a scope in requests and answers, where it is still there.
    pub(super) fn name(&self, scope: &str) -> Option<String> {
        if let Some(state) = self.by_id.get(&Id::new(scope)) {
            return Some(state.project.key.to_string());
        }
        let (state, environment) = self.environment(scope)?;
        Some(format!("{}/{}", state.project.key, environment.key))
    }
}

/// Notes the present versions of a project and its environments.
pub(super) fn note(base: &mut BTreeMap<String, i64>, state: &ProjectState) {
    let key = &state.project.key;
    base.insert(key.to_string(), state.project.version);
    for environment in state.environments.values() {
        let name = format!("{key}/{}", environment.key);
        base.insert(name, environment.position.version);
    }
}
