//! Environments side by side.

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::compare::{Compared, compare};
use burgee_domain::model::{Environment, Project};
use burgee_domain::workspace::FlagState;
use burgee_store::FlagFilter;
use burgee_store::page::PageRequest;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api;
use crate::api::page::PageQuery;
use crate::app::AppState;
use crate::auth::Caller;
use crate::params::{Path, Query};
use crate::problem::Problem;

/// The most environments side by side: more fit no screen.
const MAX_ENVIRONMENTS: usize = 10;

/// The most flags of a page: each may have its targeting in ten environments.
const MAX_LIMIT: i64 = 100;

/// What is compared.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompareQuery {
    /// The keys of the environments, 2 to 10, with commas between.
    pub environments: String,
    /// A flag's key: only this one.
    pub flag: Option<String>,
    /// A text that the flag's key, name or description contains, whatever its case.
    pub search: Option<String>,
    /// A tag that the flag has.
    pub tag: Option<String>,
    /// Only flags that differ. Pages can hold fewer flags than asked for then.
    #[serde(default)]
    pub differing: bool,
    /// `next` of the page before; absent for the first.
    pub cursor: Option<String>,
    /// How many flags, 1 to 100; 50 where absent.
    pub limit: Option<i64>,
}

/// Flags, each compared over environments.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// The keys of the environments, in the order of all sides.
    pub environments: Vec<String>,
    /// The flags, by key.
    pub items: Vec<ComparedFlag>,
    /// The cursor of the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A flag, compared.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedFlag {
    /// Its key.
    pub flag: String,
    /// Its display name.
    pub name: String,
    /// Whether it is released in each environment, in their order.
    pub released: Vec<bool>,
    /// Whether it is the same in all: released in all or in none, and no part differs.
    pub equal: bool,
    /// The parts of its targeting.
    pub facets: Vec<Compared>,
}

/// Compare environments side by side, for one flag or for all live ones.
#[utoipa::path(get, path = "/api/v1/projects/{project}/compare", tag = "flags",
    params(("project", description = "The project's key"), CompareQuery),
    responses((status = 200, body = Comparison), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path(project): Path<String>,
    Query(query): Query<CompareQuery>,
) -> Result<Json<Comparison>, Problem> {
    let project = api::project(&state, &caller, &project).await?;
    let environments = environments(&state, &caller, &project, &query.environments).await?;
    let (flags, next) = match &query.flag {
        Some(key) => {
            let missing = || Problem::not_found(format!("flag `{key}`"));
            let typed = burgee_domain::key::Key::new(&**key).map_err(|_| missing())?;
            let found = state.store.flag(&project.id, &typed).await;
            (vec![found.map_err(api::or_missing(missing))?], None)
        }
        None => {
            let page = page(&query)?;
            let filter = FlagFilter {
                search: query.search,
                tag: query.tag,
                ..FlagFilter::default()
            };
            let found = state.store.flags_whole(&project.id, &filter, &page).await?;
            (found.items, found.next)
        }
    };
    let sees = |it: &FlagState| {
        let resource = Resource::project(project.key.as_str());
        let resource = resource.with(Kind::Flag, it.flag.key.as_str());
        caller
            .rights
            .allow("flag.read", &resource.tagged(&it.flag.tags))
    };
    let flags: Vec<FlagState> = flags.into_iter().filter(sees).collect();
    if query.flag.is_some() && flags.is_empty() {
        let key = query.flag.unwrap_or_default();
        let resource = Resource::project(project.key.as_str()).with(Kind::Flag, key);
        caller.may("flag.read", &resource)?;
    }
    let keys = environments.iter().map(|it| it.key.to_string()).collect();
    let compared = move || -> Vec<ComparedFlag> {
        flags
            .iter()
            .map(|it| side_by_side(it, &environments))
            .collect()
    };
    let mut items = api::computed(compared).await?;
    items.retain(|it| !(query.differing && it.equal));
    Ok(Json(Comparison {
        environments: keys,
        items,
        next,
    }))
}

fn side_by_side(state: &FlagState, environments: &[Environment]) -> ComparedFlag {
    let targetings = environments.iter().map(|it| state.targetings.get(&it.id));
    let targetings: Vec<_> = targetings.collect();
    let released: Vec<bool> = targetings.iter().map(Option::is_some).collect();
    let facets = compare(&state.flag, &targetings);
    let alike = released.windows(2).all(|pair| pair.first() == pair.last());
    ComparedFlag {
        flag: state.flag.key.to_string(),
        name: state.flag.name.clone(),
        equal: alike && facets.iter().all(|it| it.equal),
        released,
        facets,
    }
}

fn page(query: &CompareQuery) -> Result<PageRequest, Problem> {
    let page = PageQuery {
        cursor: query.cursor.clone(),
        limit: query.limit,
    };
    match query.limit {
        Some(limit) if limit > MAX_LIMIT => {
            let rule = format!("must be from 1 to {MAX_LIMIT}");
            Err(Problem::invalid("limit", "range", rule))
        }
        _ => page.try_into(),
    }
}

async fn environments(
    state: &AppState,
    caller: &Caller,
    project: &Project,
    keys: &str,
) -> Result<Vec<Environment>, Problem> {
    let keys: Vec<&str> = keys.split(',').map(str::trim).collect();
    if !(2..=MAX_ENVIRONMENTS).contains(&keys.len()) {
        let rule = format!("name 2 to {MAX_ENVIRONMENTS} environments, with commas between");
        return Err(Problem::invalid("environments", "count", rule));
    }
    let mut environments = Vec::with_capacity(keys.len());
    for key in keys {
        let (_, found) = api::environment(state, caller, project.key.as_str(), key).await?;
        environments.push(found);
    }
    Ok(environments)
}
