//! Flags, to look at. Every edit is a command of a change set ([`super::changes`]).

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Flag, Life, Project, Segment, Targeting};
use burgee_domain::warnings::{self, ItemWarning};
use burgee_domain::workspace;
use burgee_eval::flag::{Fallthrough, Prerequisite, Rule, TargetUsers, Variation, VariationType};
use burgee_store::{FlagFilter, ListedFlag};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api;
use crate::api::activity::{Usage, UsageView};
use crate::api::page::{Page, PageQuery};
use crate::api::prerequisites::{self, NeededBy};
use crate::app::AppState;
use crate::auth::Caller;
use crate::params::{Path, Query};
use crate::problem::Problem;

/// A flag, the same in all environments of its project.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlagView {
    /// Its id.
    pub id: String,
    /// What programs ask for; never changes.
    pub key: String,
    /// Its display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// The type of its values; never changes.
    #[serde(rename = "type")]
    pub kind: VariationType,
    /// The values it can have.
    pub variations: Vec<Variation>,
    /// For filters.
    pub tags: Vec<String>,
    /// `live` or `archived`.
    pub state: FlagState,
    /// What a new environment's default rule serves: a variation's id.
    pub on_variation: String,
    /// What a new environment serves while the flag is off: a variation's id.
    pub off_variation: String,
    /// When it was made, ISO 8601.
    pub created_at: String,
}

/// Where a flag or a segment is in its life.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FlagState {
    /// In use.
    Live,
    /// Serves nothing; can be restored.
    Archived,
}

impl From<Life> for FlagState {
    fn from(life: Life) -> Self {
        match life {
            Life::Live => Self::Live,
            Life::Archived | Life::Deleted => Self::Archived,
        }
    }
}

impl From<FlagState> for Life {
    fn from(state: FlagState) -> Self {
        match state {
            FlagState::Live => Self::Live,
            FlagState::Archived => Self::Archived,
        }
    }
}

impl From<Flag> for FlagView {
    fn from(flag: Flag) -> Self {
        Self {
            id: flag.id.to_string(),
            key: flag.key.into(),
            name: flag.name,
            description: flag.description,
            kind: flag.kind,
            variations: flag.variations,
            tags: flag.tags,
            state: flag.life.into(),
            on_variation: flag.default_on,
            off_variation: flag.default_off,
            created_at: flag.created_at.to_string(),
        }
    }
}

/// What a flag does in one environment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TargetingView {
    /// On or off.
    pub is_enabled: bool,
    /// What other flags have to serve a user first; to whom one serves something else, this one
    /// serves its off variation.
    pub prerequisites: Vec<Prerequisite>,
    /// Individual targets; they win over rules.
    pub targets: Vec<TargetUsers>,
    /// Tried in order.
    pub rules: Vec<Rule>,
    /// What everyone else gets.
    pub default_rule: Fallthrough,
    /// What is served while off: a variation's id.
    pub off_variation: String,
    /// Whether all users, targets too, are part of an experiment.
    pub expt_include_all_targets: bool,
    /// Whether it is kept who got what, first and last.
    pub tracked: bool,
    /// The stamp of its last change here, ISO 8601: SDKs sync by it.
    pub updated_at: String,
    /// What does not do everywhere what its author may think; pointers are into this targeting.
    /// Empty for an archived flag.
    pub warnings: Vec<ItemWarning>,
}

impl TargetingView {
    fn new(targeting: Targeting, warnings: Vec<ItemWarning>) -> Self {
        Self {
            warnings,
            is_enabled: targeting.is_enabled,
            prerequisites: targeting.prerequisites,
            targets: targeting.target_users,
            rules: targeting.rules,
            default_rule: targeting.fallthrough,
            off_variation: targeting.off_variation,
            expt_include_all_targets: targeting.expt_include_all_targets,
            tracked: targeting.tracked,
            updated_at: targeting.stamp.to_string(),
        }
    }
}

/// A flag with its targeting in every environment where it is released.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlagDetail {
    /// The flag.
    #[serde(flatten)]
    pub flag: FlagView,
    /// By the environment's key. Where one is absent, the flag is not released: not sent there,
    /// programs get the default in their code.
    pub environments: BTreeMap<String, TargetingView>,
    /// The live flags that need this one, as far as the caller may see them. While there are any it
    /// is not archived, and keeps the variations that they need.
    pub needed_by: Vec<NeededBy>,
    /// In how many more places it is needed, which the caller may not see: each a flag in an
    /// environment.
    pub needed_by_hidden: usize,
    /// The versions to give as `base` of a change set that edits this flag.
    pub versions: BTreeMap<String, i64>,
}

/// A flag in a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedFlagView {
    /// The flag.
    #[serde(flatten)]
    pub flag: FlagView,
    /// On or off, by the key of each environment where it is released.
    pub enabled: BTreeMap<String, bool>,
    /// When it was evaluated, and whether it is stale, in all environments that the caller may see.
    #[serde(flatten)]
    pub usage: UsageView,
}

impl ListedFlagView {
    fn new(listed: ListedFlag, environments: &[Environment], usage: &Usage) -> Self {
        let enabled = environments.iter().filter_map(|environment| {
            let enabled = listed.enabled.get(&environment.id)?;
            Some((environment.key.to_string(), *enabled))
        });
        Self {
            enabled: enabled.collect(),
            usage: usage.of(&listed.flag),
            flag: listed.flag.into(),
        }
    }
}

/// Which flags.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FlagQuery {
    /// A text that the key, the name or the description contains, whatever its case.
    pub search: Option<String>,
    /// A tag that the flag has.
    pub tag: Option<String>,
    /// `live` (also where absent) or `archived`.
    pub state: Option<FlagState>,
    /// An environment's key: only flags that are on or off there, as `enabled` says.
    pub environment: Option<String>,
    /// With `environment`: on (`true`) or off (`false`, which includes not released).
    pub enabled: Option<bool>,
    /// Only flags that are stale (`true`) or are not; a page may then hold fewer than `limit`, and
    /// still have a `next`.
    pub stale: Option<bool>,
    /// After how many days without evaluation, or with one value, a flag is stale, 1 to 3,650; the
    /// project's number where absent.
    pub stale_days: Option<i64>,
    /// `next` of the page before; absent for the first.
    pub cursor: Option<String>,
    /// How many items, 1 to 500; 50 where absent.
    pub limit: Option<i64>,
}

/// List a project's flags, by key.
#[utoipa::path(get, path = "/api/v1/projects/{project}/flags", tag = "flags",
    params(("project", description = "The project's key"), FlagQuery),
    responses((status = 200, body = Page<ListedFlagView>), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path(key): Path<String>,
    Query(query): Query<FlagQuery>,
) -> Result<Json<Page<ListedFlagView>>, Problem> {
    let project = api::project(&state, &caller, &key).await?;
    let enabled = match (&query.environment, query.enabled) {
        (Some(environment), Some(enabled)) => {
            let (_, found) = api::environment(&state, &caller, &key, environment).await?;
            Some((found.id, enabled))
        }
        (None, None) => None,
        _ => {
            let rule = "environment and enabled go together";
            return Err(Problem::invalid("enabled", "together", rule));
        }
    };
    let page = PageQuery {
        cursor: query.cursor,
        limit: query.limit,
    }
    .try_into()?;
    api::searched("search", query.search.as_deref())?;
    let filter = FlagFilter {
        search: query.search,
        tag: query.tag,
        life: query.state.map(Life::from),
        enabled,
    };
    let found = state.store.flags(&project.id, &filter, &page).await?;
    let environments = state.store.environments(&project.id).await?;
    let environments = environments.into_iter();
    let environments: Vec<_> = environments
        .filter(|it| caller.sees(&project, it))
        .collect();
    let seen = |listed: &ListedFlag| may_read(&caller, &project, &listed.flag).is_ok();
    let keys: Vec<&str> = found.items.iter().map(|it| it.flag.key.as_str()).collect();
    let usage = Usage::read(
        &state,
        &project,
        &environments,
        Some(&keys),
        query.stale_days,
    )
    .await?;
    let items = found.items.iter().filter(|it| seen(it));
    let items = items.map(|it| ListedFlagView::new(it.clone(), &environments, &usage));
    let wanted = |it: &ListedFlagView| {
        let stale = it.usage.stale.is_some();
        query.stale.is_none_or(|wanted| wanted == stale)
    };
    Ok(Json(Page {
        items: items.filter(wanted).collect(),
        next: found.next,
    }))
}

/// One flag, with its targeting in every environment.
#[utoipa::path(get, path = "/api/v1/projects/{project}/flags/{flag}", tag = "flags",
    params(("project", description = "The project's key"), ("flag", description = "The flag's key")),
    responses((status = 200, body = FlagDetail), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path((project_key, key)): Path<(String, String)>,
) -> Result<Json<FlagDetail>, Problem> {
    let project = api::project(&state, &caller, &project_key).await?;
    let environments = state.store.environments(&project.id).await?;
    let missing = || Problem::not_found(format!("flag `{key}` in `{project_key}`"));
    let typed = Key::new(&*key).map_err(|_| missing())?;
    let found = state.store.flag(&project.id, &typed).await;
    let found = found.map_err(api::or_missing(missing))?;
    may_read(&caller, &project, &found.flag)?;
    let named = state
        .store
        .segments_named(&caller.organization, &found.segment_ids())
        .await?;
    let environments: Vec<_> = environments
        .into_iter()
        .filter(|it| caller.sees(&project, it))
        .collect();
    let needed = state.store.flags_needed(&project.id, &found).await?;
    let needy = state.store.needy_flags(&project.id).await?;
    let (needed_by, hidden) =
        prerequisites::needed_by(&found.flag.key, needy, &project, &environments, &caller);
    let shown = api::computed(move || {
        let mut shown = detail(found, &project, environments, &named, &needed);
        shown.needed_by = needed_by;
        shown.needed_by_hidden = hidden;
        shown
    });
    Ok(Json(shown.await?))
}

/// A flag as it is shown in these environments, given the segments that its rules name and the
/// flags that it needs.
fn detail(
    found: workspace::FlagState,
    project: &Project,
    environments: Vec<Environment>,
    named: &BTreeMap<Id<Segment>, Segment>,
    needed: &BTreeMap<String, workspace::FlagState>,
) -> FlagDetail {
    let workspace::FlagState {
        flag,
        mut targetings,
    } = found;
    let mut shown = BTreeMap::new();
    let mut versions = BTreeMap::from([(project.key.to_string(), project.version)]);
    for environment in environments {
        let scope = format!("{}/{}", project.key, environment.key);
        versions.insert(scope, environment.position.version);
        if let Some(targeting) = targetings.remove(&environment.id) {
            let warnings = warnings::of_flag(&flag, &targeting, &environment, named, needed);
            let view = TargetingView::new(targeting, warnings);
            shown.insert(environment.key.into(), view);
        }
    }
    FlagDetail {
        flag: flag.into(),
        environments: shown,
        needed_by: Vec::new(),
        needed_by_hidden: 0,
        versions,
    }
}

fn may_read(caller: &Caller, project: &Project, flag: &Flag) -> Result<(), Problem> {
    let resource = Resource::project(project.key.as_str()).with(Kind::Flag, flag.key.as_str());
    caller.may("flag.read", &resource.tagged(&flag.tags))
}
