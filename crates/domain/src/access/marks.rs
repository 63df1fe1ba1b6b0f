//! Which environments are protected and which tags items have, for what names them by their keys
//! alone.
//!
//! History, requests and conflicts name what they are about by keys. Statements may speak of
//! protected environments and of tags, so before rights are asked these have to be found: as they
//! are now, not as they were.

use std::collections::BTreeMap;

use super::resource::Resource;
use crate::workspace::Workspace;

/// The marks of environments, by the keys of project and environment; and the tags of items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    protected: BTreeMap<(String, String), bool>,
    /// By the item's path in lower case.
    tags: BTreeMap<String, Vec<String>>,
}

impl Marks {
    /// Those of all environments in a workspace.
    pub fn of(workspace: &Workspace) -> Self {
        let projects = workspace.projects.values();
        let all = projects.flat_map(|state| {
            let environments = state.environments.values();
            environments.map(|it| {
                let (project, key) = (state.project.key.as_str(), it.key.as_str());
                (project.to_owned(), key.to_owned(), it.protected)
            })
        });
        all.collect()
    }

    /// The environment of these keys, with its mark; that of one that is not there is not known.
    pub fn environment(&self, project: &str, key: &str) -> Resource {
        let folded = (project.to_ascii_lowercase(), key.to_ascii_lowercase());
        Resource::environment(project, key, self.protected.get(&folded).copied())
    }

    /// The same with the tags of these items.
    #[must_use]
    pub fn with_tags(mut self, items: impl Iterator<Item = Resource>) -> Self {
        self.tags = items.map(|it| (path(&it), it.tags)).collect();
        self
    }

    /// An item, with the tags that it is known to have.
    pub fn item(&self, resource: Resource) -> Resource {
        match self.tags.get(&path(&resource)) {
            Some(tags) => resource.tagged(tags),
            None => resource,
        }
    }

    /// What a scope's name means, as in the `base` of a change set: `web/prod`, `web`, or the empty
    /// text of the organization.
    pub fn scope(&self, name: &str) -> Resource {
        match name.split_once('/') {
            Some((project, environment)) => self.environment(project, environment),
            None if name.is_empty() => Resource::organization(),
            None => Resource::project(name),
        }
    }
}

/// Kinds and keys, in lower case. A key has no slash and no colon in it.
fn path(resource: &Resource) -> String {
    let parts = resource.path.iter();
    let parts = parts.map(|it| format!("{}/{}", it.kind.name(), it.key.to_ascii_lowercase()));
    parts.collect::<Vec<_>>().join(":")
}

/// Of project, environment, and whether that is protected.
impl FromIterator<(String, String, bool)> for Marks {
    fn from_iter<I: IntoIterator<Item = (String, String, bool)>>(all: I) -> Self {
        let all = all.into_iter();
        let folded = all.map(|(project, key, protected)| {
            let keys = (project.to_ascii_lowercase(), key.to_ascii_lowercase());
            (keys, protected)
        });
        Self {
            protected: folded.collect(),
            tags: BTreeMap::new(),
        }
    }
}
