//! A project's flags in short, all in one answer: what a list of thousands needs to be searched,
//! filtered and drawn without asking again.
//!
//! Whoever has it asks with `If-None-Match`: the tag is made of the versions that the answer is
//! made of, so that nothing is read or written where nothing has changed.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use burgee_domain::access::{Kind, Resource, Rights};
use burgee_domain::model::{Environment, Project};
use burgee_domain::staleness::Stale;
use burgee_eval::flag::{Variation, VariationType};
use burgee_store::{Cell, IndexedFlag};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api;
use crate::api::activity::Usage;
use crate::api::flags::FlagState;
use crate::app::AppState;
use crate::auth::Caller;
use crate::params::{Path, Query};
use crate::problem::Problem;

/// The most environments in one answer: columns that a screen shows, and some.
const MAX_ENVIRONMENTS: usize = 20;

/// How many characters of a value are shown: what fits a cell.
const SHOWN: usize = 40;

/// Which environments.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IndexQuery {
    /// Keys of environments, with commas between them; at most 20, none where absent.
    pub environments: Option<String>,
    /// Whether to say of each flag if it is stale. That changes with time: it is looked up each time,
    /// `If-None-Match` or not.
    #[serde(default)]
    pub stale: bool,
    /// Whether to say of each flag in how many environments it is on. That is looked up each time,
    /// too.
    #[serde(default)]
    pub on_in: bool,
}

/// All flags of a project in short.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlagIndex {
    /// The versions of the project and of these environments, for the `base` of a change set.
    pub versions: BTreeMap<String, i64>,
    /// The environments' keys, in the order of `cells`.
    pub environments: Vec<String>,
    /// The flags that the caller may see, live and archived, by key.
    pub items: Vec<IndexedFlagView>,
}

/// A flag in short.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IndexedFlagView {
    /// What programs ask for.
    pub key: String,
    /// Its display name.
    pub name: String,
    /// For filters.
    pub tags: Vec<String>,
    /// The type of its values.
    #[serde(rename = "type")]
    pub kind: VariationType,
    /// `live` or `archived`.
    pub state: FlagState,
    /// When it was made, ISO 8601.
    pub created_at: String,
    /// Its variations: each one's name, or the first 40 characters of its value.
    pub variations: Vec<String>,
    /// What it does in each of `environments`; null where it is not released.
    pub cells: Vec<Option<CellView>>,
    /// The last change of the flag, or of what it does in one of `environments`; null where none
    /// is recorded.
    pub changed: Option<ChangedView>,
    /// Why nobody may need it any more, in all environments that the caller may see together, after
    /// the project's `effectiveStaleDays`; null where it is in use, or new. Absent where it was not
    /// asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Stale>)]
    pub stale: Option<Option<Stale>>,
    /// In how many environments that the caller may see it is on; absent where it was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_in: Option<i64>,
}

/// What a flag does in an environment, in short.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CellView {
    /// On or off.
    pub on: bool,
    /// What is served to whom no target and no rule takes: the share of each of `variations`, from
    /// 0 to 1. While it is off, all of the off variation.
    pub shares: Vec<f64>,
    /// Whether there are rules.
    pub rules: bool,
    /// Whether there are individual targets.
    pub targets: bool,
    /// Whether it needs other flags: where these serve something else, it serves its off variation.
    pub prerequisites: bool,
}

/// Who changed a flag or a segment last.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedView {
    /// When, ISO 8601.
    pub at: String,
    /// Who: their name at the time.
    pub by: String,
    /// The change set, by its place in the organization's history: `/changes/{number}` shows it.
    pub number: i64,
    /// The key of the environment where it was changed; absent where it was the flag itself,
    /// and of segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
}

/// All flags of a project in short, in one answer. With `If-None-Match` it is 304 where nothing of
/// it has changed.
#[utoipa::path(get, path = "/api/v1/projects/{project}/flag-index", tag = "flags",
    params(("project", description = "The project's key"), IndexQuery,
        ("If-None-Match" = Option<String>, Header, description = "The `ETag` of an answer before")),
    responses((status = 200, body = FlagIndex,
            headers(("ETag" = String, description = "Changes with the versions and with what the caller may see"))),
        (status = 304, description = "Nothing of it has changed"),
        (status = 400, body = Problem), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
    Path(key): Path<String>,
    Query(query): Query<IndexQuery>,
) -> Result<Response, Problem> {
    let project = api::project(&state, &caller, &key).await?;
    let environments = chosen(&state, &caller, &project, query.environments).await?;
    let known = |tag: &str| {
        let lines = headers.get_all(header::IF_NONE_MATCH).iter();
        let mut lines = lines.filter_map(|it| it.to_str().ok());
        lines.any(|it| names(it, tag))
    };
    let mut tag = tag(&project, &environments, &caller.rights);
    if !query.stale && !query.on_in && known(&tag) {
        return Ok((StatusCode::NOT_MODIFIED, described(tag)?).into_response());
    }
    let ids: Vec<_> = environments.iter().map(|it| it.id.clone()).collect();
    let flags = state.store.flag_index(&project.id, &ids, shorten).await?;
    let stale = match query.stale {
        true => Some(stale(&state, &caller, &project, &flags).await?),
        false => None,
    };
    let on_in = match query.on_in {
        true => Some(on_in(&state, &caller, &project, &flags).await?),
        false => None,
    };
    if stale.is_some() || on_in.is_some() {
        tag = with(&tag, &(&stale, &on_in));
        if known(&tag) {
            return Ok((StatusCode::NOT_MODIFIED, described(tag)?).into_response());
        }
    }
    let more = More { stale, on_in };
    let rights = caller.rights;
    let shown = api::computed(move || index(flags, more, &project, &environments, &rights));
    Ok((described(tag)?, Json(shown.await?)).into_response())
}

/// The headers of an answer.
fn described(tag: String) -> Result<[(HeaderName, HeaderValue); 2], Problem> {
    let tag = HeaderValue::try_from(tag).map_err(|_| Problem::internal())?;
    let fresh = HeaderValue::from_static("private, no-cache");
    Ok([(header::ETAG, tag), (header::CACHE_CONTROL, fresh)])
}

/// Why each of the flags is stale.
async fn stale(
    state: &AppState,
    caller: &Caller,
    project: &Project,
    flags: &[IndexedFlag],
) -> Result<Vec<Option<Stale>>, Problem> {
    let mut environments = state.store.environments(&project.id).await?;
    environments.retain(|it| caller.sees(project, it));
    let usage = Usage::read(state, project, &environments, None, None).await?;
    Ok(flags.iter().map(|flag| usage.stale(flag)).collect())
}

/// In how many environments each of the flags is on.
async fn on_in(
    state: &AppState,
    caller: &Caller,
    project: &Project,
    flags: &[IndexedFlag],
) -> Result<Vec<i64>, Problem> {
    let mut environments = state.store.environments(&project.id).await?;
    environments.retain(|it| caller.sees(project, it));
    let ids: Vec<_> = environments.into_iter().map(|it| it.id).collect();
    let on = state.store.flags_on(&ids).await?;
    let of = |flag: &IndexedFlag| on.get(&flag.id).copied().unwrap_or_default();
    Ok(flags.iter().map(of).collect())
}

/// What is told of flags besides where it is asked for: one for each flag.
struct More {
    stale: Option<Vec<Option<Stale>>>,
    on_in: Option<Vec<i64>>,
}

/// The environments of these keys, each once.
async fn chosen(
    state: &AppState,
    caller: &Caller,
    project: &Project,
    keys: Option<String>,
) -> Result<Vec<Environment>, Problem> {
    let keys = keys.unwrap_or_default();
    let keys: Vec<&str> = keys.split(',').filter(|key| !key.is_empty()).collect();
    if keys.len() > MAX_ENVIRONMENTS {
        let rule = format!("there are {}; the limit is {MAX_ENVIRONMENTS}", keys.len());
        return Err(Problem::invalid("environments", "listTooLong", rule));
    }
    let mut all = state.store.environments(&project.id).await?;
    let mut chosen: Vec<Environment> = Vec::new();
    for key in keys {
        let known = |it: &Environment| it.key.as_str().eq_ignore_ascii_case(key);
        if chosen.iter().any(known) {
            continue;
        }
        let at = all.iter().position(known);
        let place = match at {
            Some(at) => Resource::of(project, &all[at]),
            None => Resource::environment(project.key.as_str(), key, None),
        };
        caller.may("environment.read", &place)?;
        let missing = || Problem::not_found(format!("environment `{key}` in `{}`", project.key));
        chosen.push(all.swap_remove(at.ok_or_else(missing)?));
    }
    Ok(chosen)
}

/// Names the answer by what it is made of. Weak: it is the same whether it is compressed or not.
fn tag(project: &Project, environments: &[Environment], rights: &Rights) -> String {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    (project.id.as_str(), project.version).hash(&mut hasher);
    for environment in environments {
        environment.id.as_str().hash(&mut hasher);
        environment.chain.hash(&mut hasher);
    }
    rights.hash(&mut hasher);
    format!("W/\"{:016x}\"", hasher.finish())
}

/// Names the answer by what is told besides, too.
fn with(tag: &str, more: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    (tag, more).hash(&mut hasher);
    format!("W/\"{:016x}\"", hasher.finish())
}

/// Whether a line of `If-None-Match` names the tag.
fn names(line: &str, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    line.trim() == "*" || line.split(',').any(|it| opaque(it) == opaque(tag))
}

/// Cuts values to what is shown of them.
fn shorten(mut variations: Vec<Variation>) -> Vec<Variation> {
    for variation in &mut variations {
        if let Some((end, _)) = variation.value.char_indices().nth(SHOWN) {
            variation.value.truncate(end);
            variation.value.shrink_to_fit();
        }
    }
    variations
}

fn index(
    flags: Vec<IndexedFlag>,
    more: More,
    project: &Project,
    environments: &[Environment],
    rights: &Rights,
) -> FlagIndex {
    let mut versions = BTreeMap::from([(project.key.to_string(), project.version)]);
    versions.extend(environments.iter().map(|it| {
        let scope = format!("{}/{}", project.key, it.key);
        (scope, it.position.version)
    }));
    let of_project = Resource::project(project.key.as_str());
    let seen = |flag: &IndexedFlag| {
        let resource = of_project.clone().with(Kind::Flag, flag.key.as_str());
        rights.allow("flag.read", &resource.tagged(&flag.tags))
    };
    let mut stale = more.stale.map(Vec::into_iter);
    let mut on_in = more.on_in.map(Vec::into_iter);
    let items = flags.into_iter().map(|flag| {
        let stale = stale.as_mut().map(|it| it.next().flatten());
        (flag, stale, on_in.as_mut().and_then(Iterator::next))
    });
    let items = items.filter(|(flag, ..)| seen(flag));
    FlagIndex {
        versions,
        environments: environments.iter().map(|it| it.key.to_string()).collect(),
        items: items
            .map(|(flag, stale, on_in)| IndexedFlagView {
                stale,
                on_in,
                ..view(flag, environments)
            })
            .collect(),
    }
}

fn view(flag: IndexedFlag, environments: &[Environment]) -> IndexedFlagView {
    let cell = |environment: &Environment| {
        let cell = flag.cells.get(&environment.id)?;
        Some(cell_view(cell, &flag.variations))
    };
    let key_of = |scope: &str| {
        let environment = environments.iter().find(|it| it.id.as_str() == scope)?;
        Some(environment.key.to_string())
    };
    IndexedFlagView {
        stale: None,
        on_in: None,
        cells: environments.iter().map(cell).collect(),
        changed: flag.last_change.as_ref().map(|it| ChangedView {
            at: it.at.to_string(),
            by: it.by.clone(),
            number: it.number,
            environment: key_of(&it.scope),
        }),
        key: flag.key.into(),
        name: flag.name,
        tags: flag.tags,
        kind: flag.kind,
        state: flag.life.into(),
        created_at: flag.created_at.to_string(),
        variations: flag
            .variations
            .into_iter()
            .map(|it| it.name.unwrap_or(it.value))
            .collect(),
    }
}

fn cell_view(cell: &Cell, variations: &[Variation]) -> CellView {
    let share = |variation: &Variation| match cell.is_enabled {
        true => {
            let parts = cell.fallthrough.variations.iter();
            let parts = parts.filter(|part| part.id == variation.id);
            let share: f64 = parts.map(|part| part.rollout[1] - part.rollout[0]).sum();
            // What decimal fractions leave behind would be said with sixteen digits.
            (share * 1e6).round() / 1e6
        }
        false if variation.id == cell.off_variation => 1.0,
        false => 0.0,
    };
    CellView {
        on: cell.is_enabled,
        shares: variations.iter().map(share).collect(),
        rules: cell.has_rules,
        targets: cell.has_targets,
        prerequisites: cell.has_prerequisites,
    }
}
