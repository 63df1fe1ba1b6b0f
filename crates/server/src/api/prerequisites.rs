//! Flags that need flags, to look at: by environment, and who needs one.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::key::{Key, fold};
use burgee_domain::model::{Environment, Project};
use burgee_eval::flag::Prerequisite;
use burgee_store::NeedyFlag;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api;
use crate::app::AppState;
use crate::auth::Caller;
use crate::params::Path;
use crate::problem::Problem;

/// A live flag that needs another one.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeededBy {
    /// The environment's key.
    pub environment: String,
    /// The flag's key.
    pub flag: String,
    /// Its display name.
    pub name: String,
    /// The variation that it needs: an id.
    pub variation: String,
}

/// Which flags of an environment need which.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrerequisiteGraph {
    /// The live flags that need others and that the caller may see, by key.
    pub items: Vec<NeedyFlagView>,
    /// How many more there are, which the caller may not see.
    pub hidden: usize,
}

/// A flag that needs others.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeedyFlagView {
    /// Its key.
    pub flag: String,
    /// Its display name.
    pub name: String,
    /// What it needs, in the order in which it is asked.
    pub prerequisites: Vec<Prerequisite>,
}

/// The graph of an environment: which flags need which.
#[utoipa::path(get,
    path = "/api/v1/projects/{project}/environments/{environment}/prerequisites", tag = "flags",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    responses((status = 200, body = PrerequisiteGraph), (status = 404, body = Problem)))]
pub async fn graph(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
) -> Result<Json<PrerequisiteGraph>, Problem> {
    let (project, environment) = api::environment(&state, &caller, &project, &environment).await?;
    let needy = state.store.needy_flags(&project.id).await?;
    let here = needy
        .into_iter()
        .filter(|it| it.environment == environment.id);
    let (seen, unseen): (Vec<_>, Vec<_>) = here.partition(|it| reads(&caller, &project, it));
    let items = seen.into_iter().map(|it| NeedyFlagView {
        flag: it.flag,
        name: it.name,
        prerequisites: it.prerequisites,
    });
    Ok(Json(PrerequisiteGraph {
        items: items.collect(),
        hidden: unseen.len(),
    }))
}

/// Who needs a flag, in the environments that the caller sees; and in how many more places it is
/// needed.
pub(super) fn needed_by(
    flag: &Key,
    needy: Vec<NeedyFlag>,
    project: &Project,
    environments: &[Environment],
    caller: &Caller,
) -> (Vec<NeededBy>, usize) {
    let by_id: BTreeMap<_, _> = environments.iter().map(|it| (&it.id, it)).collect();
    let (mut shown, mut hidden) = (Vec::new(), 0);
    for by in needy {
        let mut needs = by.prerequisites.iter();
        let Some(needs) = needs.find(|it| fold(&it.flag) == flag.folded()) else {
            continue;
        };
        match by_id.get(&by.environment) {
            Some(environment) if reads(caller, project, &by) => shown.push(NeededBy {
                environment: environment.key.to_string(),
                variation: needs.variation.clone(),
                flag: by.flag,
                name: by.name,
            }),
            _ => hidden += 1,
        }
    }
    (shown, hidden)
}

fn reads(caller: &Caller, project: &Project, flag: &NeedyFlag) -> bool {
    let resource = Resource::project(project.key.as_str()).with(Kind::Flag, flag.flag.as_str());
    caller
        .rights
        .allow("flag.read", &resource.tagged(&flag.tags))
}
