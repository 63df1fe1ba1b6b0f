//! Which environments a relay serves, as people name them: by the keys of projects and environments.

use burgee_domain::access::Resource;
use burgee_domain::id::Id;
use burgee_domain::limits::MAX_RELAY_ENVIRONMENTS;
use burgee_domain::model::Environment;
use burgee_store::{NamedEnvironment, RelayKeyScope};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::AppState;
use crate::auth::Caller;
use crate::problem::Problem;

/// An environment, by keys.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlaceName {
    /// The project's key.
    pub project: String,
    /// The environment's key.
    pub environment: String,
}

/// Which environments a key is to be for: all, or these.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScopeInput {
    /// All of the organization, also those that are made later.
    #[serde(default)]
    pub all: bool,
    /// These alone, at least one, where it is not for all.
    #[serde(default)]
    pub environments: Vec<PlaceName>,
}

/// Which environments a key is for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScopeView {
    /// All of the organization, also those that are made later.
    pub all: bool,
    /// Those that it names, as far as the caller may see them, by key; empty where it is for all.
    pub environments: Vec<PlaceName>,
    /// How many it names besides, which the caller may not see.
    pub hidden: usize,
}

/// The environments of the caller's organization, to tell ids by keys and keys by ids.
pub(in crate::api) struct Places<'a> {
    caller: &'a Caller,
    /// By id.
    all: Vec<NamedEnvironment>,
}

impl<'a> Places<'a> {
    /// Those that there are now.
    pub(in crate::api) async fn seen(
        state: &AppState,
        caller: &'a Caller,
    ) -> Result<Self, Problem> {
        let all = state.store.environments_of(&caller.organization).await?;
        Ok(Self { caller, all })
    }

    /// The environment of this id, where it is there and the caller may see it.
    pub(in crate::api) fn of_id(&self, id: &Id<Environment>) -> Option<&NamedEnvironment> {
        let place = self
            .all
            .binary_search_by(|it| it.id.as_str().cmp(id.as_str()));
        let found = self.all.get(place.ok()?)?;
        let may =
            |it: &&NamedEnvironment| self.caller.rights.allow("environment.read", &resource(it));
        Some(found).filter(may)
    }

    /// Reads a scope.
    ///
    /// # Errors
    /// 403 where the caller may not give a relay that environment, whether or not it is there.
    pub(super) fn read(&self, scope: &ScopeInput) -> Result<RelayKeyScope, Problem> {
        let refused =
            |code, message: String| Problem::invalid("/scope/environments", code, message);
        match (scope.all, scope.environments.len()) {
            (true, 0) => Ok(RelayKeyScope::All),
            (true, _) => {
                let message = "a key for all environments names none";
                Err(refused("listNotEmpty", message.to_owned()))
            }
            (false, 0) => {
                let message = "name at least one environment, or say `\"all\": true`";
                Err(refused("listEmpty", message.to_owned()))
            }
            (false, 1..=MAX_RELAY_ENVIRONMENTS) => {
                let named = scope.environments.iter().enumerate();
                let ids: Result<_, Problem> = named.map(|(n, it)| self.id_of(n, it)).collect();
                Ok(RelayKeyScope::Chosen(ids?))
            }
            (false, count) => {
                let message = format!("there are {count}; the limit is {MAX_RELAY_ENVIRONMENTS}");
                Err(refused("listTooLong", message))
            }
        }
    }

    fn id_of(&self, index: usize, name: &PlaceName) -> Result<Id<Environment>, Problem> {
        let found = self.all.iter().find(|it| {
            it.project.eq_ignore_ascii_case(&name.project)
                && it.key.eq_ignore_ascii_case(&name.environment)
        });
        let PlaceName {
            project,
            environment,
        } = name;
        let protected = found.map(|it| it.protected);
        let place = Resource::environment(project.as_str(), environment.as_str(), protected);
        self.caller.may("sdkKey.reveal", &place)?;
        match found {
            Some(found) => Ok(Id::new(found.id.as_str())),
            None => Err(Problem::invalid(
                format!("/scope/environments/{index}"),
                "environmentNotFound",
                format!("there is no environment `{environment}` in `{project}`"),
            )),
        }
    }

    /// A scope as the caller may see it.
    pub(super) fn view(&self, scope: &RelayKeyScope) -> ScopeView {
        let RelayKeyScope::Chosen(ids) = scope else {
            return ScopeView {
                all: true,
                environments: Vec::new(),
                hidden: 0,
            };
        };
        let seen = ids.iter().filter_map(|id| self.of_id(id));
        let mut environments: Vec<PlaceName> = seen.map(PlaceName::from).collect();
        environments.sort_unstable();
        ScopeView {
            all: false,
            hidden: ids.len() - environments.len(),
            environments,
        }
    }
}

impl From<&NamedEnvironment> for PlaceName {
    fn from(of: &NamedEnvironment) -> Self {
        Self {
            project: of.project.clone(),
            environment: of.key.clone(),
        }
    }
}

fn resource(of: &NamedEnvironment) -> Resource {
    Resource::environment(of.project.as_str(), of.key.as_str(), Some(of.protected))
}
