//! Finding things of the organization by a few letters.
//!
//! First what holds the letters is asked for, which the database finds; only where that is little,
//! and the letters may be misspelt, keys and names are compared one by one.

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Resource, Rights};
use burgee_domain::search::{self, Query as Wanted};
use burgee_store::search::{Candidate, FindKind};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api;
use crate::app::AppState;
use crate::auth::Caller;
use crate::params::Query;
use crate::problem::Problem;

/// How many are found where nothing is said, and at most.
const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;

/// How many of a kind that hold the letters are looked at.
const HOLDING: i64 = 1_000;

/// How many of a kind are compared one by one: some tens of milliseconds.
const COMPARED: i64 = 20_000;

/// What is looked for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchQuery {
    /// Letters of a key or a name, 1 to 100; with spaces between words, of which each is looked for.
    pub q: String,
    /// Which kinds, with commas between them: `project`, `flag`, `segment`, `member`; all where
    /// absent.
    pub kinds: Option<String>,
    /// How many, 1 to 100; 20 where absent.
    pub limit: Option<usize>,
}

/// What was found.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchAnswer {
    /// The best first.
    pub items: Vec<FoundView>,
    /// Whether there is so much that not everything was looked at: more letters find it.
    pub partial: bool,
}

/// Something that was found.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundView {
    /// What it is.
    pub kind: FoundKind,
    /// Its key; a member's address of mail.
    pub key: String,
    /// Its display name.
    pub name: String,
    /// Its id; a member's is the account's.
    pub id: String,
    /// The key of the project that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The key of the environment that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// Whether it is archived.
    pub archived: bool,
}

/// Kinds of what can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FoundKind {
    /// A project.
    Project,
    /// A flag.
    Flag,
    /// A segment.
    Segment,
    /// A member.
    Member,
}

impl From<FindKind> for FoundKind {
    fn from(kind: FindKind) -> Self {
        match kind {
            FindKind::Project => Self::Project,
            FindKind::Flag => Self::Flag,
            FindKind::Segment => Self::Segment,
            FindKind::Member => Self::Member,
        }
    }
}

/// Find projects, flags, segments and members by a few letters of their key or name; a wrong letter
/// is forgiven in words of four letters or more. Only what the caller may see is found.
#[utoipa::path(get, path = "/api/v1/search", tag = "search", params(SearchQuery),
    responses((status = 200, body = SearchAnswer), (status = 400, body = Problem)))]
pub async fn find(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<SearchQuery>,
) -> Result<Json<SearchAnswer>, Problem> {
    let wanted = wanted(&query.q)?;
    let kinds = kinds(query.kinds.as_deref())?;
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        let rule = format!("must be from 1 to {MAX_LIMIT}");
        return Err(Problem::invalid("limit", "range", rule));
    }
    let holding = candidates(&state, &caller, &kinds, Some(wanted.longest()), HOLDING).await?;
    let mut answer = best(holding, &wanted, &caller.rights, limit).await?;
    if answer.items.len() < limit && wanted.forgives() {
        let all = candidates(&state, &caller, &kinds, None, COMPARED).await?;
        answer = best(all, &wanted, &caller.rights, limit).await?;
    }
    Ok(Json(answer))
}

fn wanted(text: &str) -> Result<Wanted, Problem> {
    let count = text.chars().count();
    if count > search::MAX_QUERY {
        let rule = format!("has {count} characters; the limit is {}", search::MAX_QUERY);
        return Err(Problem::invalid("q", "textTooLong", rule));
    }
    Wanted::new(text).ok_or_else(|| Problem::invalid("q", "empty", "must not be empty"))
}

fn kinds(named: Option<&str>) -> Result<Vec<FindKind>, Problem> {
    let all = [
        ("project", FindKind::Project),
        ("flag", FindKind::Flag),
        ("segment", FindKind::Segment),
        ("member", FindKind::Member),
    ];
    let Some(named) = named else {
        return Ok(all.map(|(_, kind)| kind).to_vec());
    };
    let mut kinds = Vec::new();
    for name in named.split(',') {
        let Some((_, kind)) = all.iter().find(|(known, _)| *known == name) else {
            let rule = "must be of project, flag, segment and member, with commas between them";
            return Err(Problem::invalid("kinds", "kindUnknown", rule));
        };
        if !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    Ok(kinds)
}

/// What may be found, and whether there was more than `most` of a kind.
async fn candidates(
    state: &AppState,
    caller: &Caller,
    kinds: &[FindKind],
    part: Option<&str>,
    most: i64,
) -> Result<(Vec<Candidate>, bool), Problem> {
    let (mut all, mut more) = (Vec::new(), false);
    for kind in kinds {
        let found = state
            .store
            .candidates(&caller.organization, *kind, part, most);
        let found = found.await?;
        more |= found.len() as i64 >= most;
        all.extend(found);
    }
    Ok((all, more))
}

/// The best of these that somebody may see.
async fn best(
    (candidates, partial): (Vec<Candidate>, bool),
    wanted: &Wanted,
    rights: &Rights,
    limit: usize,
) -> Result<SearchAnswer, Problem> {
    let (wanted, rights) = (wanted.clone(), rights.clone());
    api::computed(move || {
        let scored = candidates.into_iter().filter_map(|it| {
            let score = wanted.score(&it.key, &it.name)?;
            sees(&rights, &it).then_some((score, it))
        });
        let mut scored: Vec<_> = scored.collect();
        // The sort is stable: of what is equally good, by kind, then by key.
        scored.sort_by_key(|(score, it)| (it.archived, std::cmp::Reverse(*score)));
        scored.truncate(limit);
        SearchAnswer {
            items: scored.into_iter().map(|(_, it)| view(it)).collect(),
            partial,
        }
    })
    .await
}

fn sees(rights: &Rights, it: &Candidate) -> bool {
    let place = it
        .project
        .as_deref()
        .map(|project| match it.environment.as_deref() {
            Some(environment) => Resource::environment(project, environment, Some(it.protected)),
            None => Resource::project(project),
        });
    let place_seen = place.as_ref().is_none_or(|place| {
        let action = match it.environment {
            Some(_) => "environment.read",
            None => "project.read",
        };
        rights.allow(action, place)
    });
    let within = |kind: Kind| match &place {
        Some(place) => place.clone().with(kind, it.key.as_str()),
        None => Resource::new(kind, it.key.as_str()),
    };
    let (action, resource) = match it.kind {
        FindKind::Project => ("project.read", Resource::project(it.key.as_str())),
        FindKind::Flag => ("flag.read", within(Kind::Flag).tagged(&it.tags)),
        FindKind::Segment => ("segment.read", within(Kind::Segment).tagged(&it.tags)),
        FindKind::Member => ("member.read", Resource::new(Kind::Member, it.id.as_str())),
    };
    place_seen && rights.allow(action, &resource)
}

fn view(it: Candidate) -> FoundView {
    FoundView {
        kind: it.kind.into(),
        key: it.key,
        name: it.name,
        id: it.id,
        project: it.project,
        environment: it.environment,
        archived: it.archived,
    }
}
