//! An environment as it was: at a version, or at a moment.
//!
//! What was is read from what the log keeps of each version; nothing is run again.

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Marks, Resource};
use burgee_domain::model::{Life, Project};
use burgee_eval::flag::{Fallthrough, Prerequisite, Rule, TargetUsers, Variation, VariationType};
use burgee_eval::segment::SegmentRule;
use burgee_store::page::PageRequest;
use burgee_store::{LoggedItem, Moment, VersionAt};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api;
use crate::api::page::PageQuery;
use crate::app::AppState;
use crate::auth::Caller;
use crate::params::{self, Path, Query};
use crate::problem::Problem;

/// Which state.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StateQuery {
    /// The environment's version; 0 is before all. Either this or `at`; the newest without both.
    pub version: Option<i64>,
    /// A moment, ISO 8601: the newest version that was asked for by then.
    pub at: Option<String>,
    /// `flags` (also where absent) or `segments`.
    #[param(inline)]
    pub of: Option<StateOf>,
    /// `next` of the page before; absent for the first.
    pub cursor: Option<String>,
    /// How many items, 1 to 500; 50 where absent.
    pub limit: Option<i64>,
}

/// What of a state is listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum StateOf {
    /// Its flags.
    #[default]
    Flags,
    /// Its segments, shared ones too.
    Segments,
}

/// Which version of a flag.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VersionQuery {
    /// The environment's version. Either this or `at`; the newest without both.
    pub version: Option<i64>,
    /// A moment, ISO 8601: the newest version that was asked for by then.
    pub at: Option<String>,
}

/// A page of an environment as it was.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatePage {
    /// The version.
    pub version: i64,
    /// When it was asked for, ISO 8601; null for version 0.
    pub at: Option<String>,
    /// The flags, by key, where these were asked for; those that were not released there, and those
    /// that were deleted, are not among them.
    pub flags: Vec<PastFlag>,
    /// The segments, by key, where these were asked for; those that were deleted are not among them.
    pub segments: Vec<PastSegment>,
    /// The cursor of the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A flag with its targeting, as it was in an environment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastFlag {
    /// Its id.
    pub id: String,
    /// Its key.
    pub key: String,
    /// The version that changed it last, by then.
    pub version: i64,
    /// Its display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// The type of its values.
    #[serde(rename = "type")]
    pub kind: VariationType,
    /// The values it could have.
    pub variations: Vec<Variation>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Whether it was archived.
    pub is_archived: bool,
    /// On or off.
    pub is_enabled: bool,
    /// What other flags had to serve first.
    pub prerequisites: Vec<Prerequisite>,
    /// Individual targets.
    pub targets: Vec<TargetUsers>,
    /// Tried in order.
    pub rules: Vec<Rule>,
    /// What everyone else got.
    pub default_rule: Fallthrough,
    /// What was served while off: a variation's id.
    pub off_variation: String,
    /// Whether all users, targets too, were part of an experiment.
    pub expt_include_all_targets: bool,
    /// Whether it was kept who got what.
    pub tracked: bool,
    /// The stamp of its last change there, by then, ISO 8601.
    pub updated_at: String,
}

/// A segment as it was in an environment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastSegment {
    /// Its id.
    pub id: String,
    /// Its key.
    pub key: String,
    /// The version that changed it last, by then.
    pub version: i64,
    /// Its display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// Members by key.
    pub included: Vec<String>,
    /// Not members, whatever else says so.
    pub excluded: Vec<String>,
    /// Any rule that holds makes a member.
    pub rules: Vec<SegmentRule>,
    /// Whether it was archived.
    pub is_archived: bool,
    /// The stamp of its last change there, by then, ISO 8601.
    pub updated_at: String,
}

/// The moment that two parameters name.
pub(super) fn moment(version: Option<i64>, at: Option<&str>) -> Result<Moment, Problem> {
    moment_of(["version", "at"], version, at)
}

/// The moment that fields of these names say.
pub(super) fn moment_of(
    [of_version, of_at]: [&str; 2],
    version: Option<i64>,
    at: Option<&str>,
) -> Result<Moment, Problem> {
    match (version, at) {
        (Some(_), Some(_)) => {
            let rule = "give either `version` or `at`";
            Err(Problem::invalid(of_at, "versionOrAt", rule))
        }
        (Some(version @ 0..), None) => Ok(Moment::Version(version)),
        (Some(_), None) => {
            let rule = "a version is 0 or more";
            Err(Problem::invalid(of_version, "range", rule))
        }
        (None, Some(text)) => Ok(Moment::At(params::moment(of_at, text)?)),
        (None, None) => Ok(Moment::Newest),
    }
}

/// An environment's flags (or segments) as they were at a version.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/state",
    tag = "history",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"), StateQuery),
    responses((status = 200, body = StatePage), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Query(query): Query<StateQuery>,
) -> Result<Json<StatePage>, Problem> {
    let (project, environment) = api::environment(&state, &caller, &project, &environment).await?;
    let moment = moment(query.version, query.at.as_deref())?;
    let of = query.of.unwrap_or_default();
    let page = PageQuery {
        cursor: query.cursor,
        limit: query.limit,
    };
    let page: PageRequest = page.try_into()?;
    let scope = environment.id.as_str();
    let found = state.store.version_at(scope, moment).await;
    let found = found.map_err(parameter)?;
    let kind = match of {
        StateOf::Flags => "flag",
        StateOf::Segments => "segment",
    };
    let items = state
        .store
        .items_page(scope, found.version, kind, None, &page)
        .await?;
    let next = items.next;
    let items = items.items;
    let shown = api::computed(move || shown(found, of, &items)).await??;
    let marks = state.store.marks(&caller.organization, &caller.rights);
    let (marks, place) = (marks.await?, Resource::of(&project, &environment));
    let shown = StatePage { next, ..shown };
    Ok(Json(shown.seen_by(&caller, &project, &place, &marks)))
}

/// One flag, as it was in an environment at a version.
#[utoipa::path(get,
    path = "/api/v1/projects/{project}/environments/{environment}/flags/{flag}", tag = "history",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"),
        ("flag", description = "The flag's key"), VersionQuery),
    responses((status = 200, body = PastFlag), (status = 400, body = Problem),
        (status = 404, description = "It was not released there then", body = Problem)))]
pub async fn get_flag(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment, key)): Path<(String, String, String)>,
    Query(query): Query<VersionQuery>,
) -> Result<Json<PastFlag>, Problem> {
    let (project, environment) = api::environment(&state, &caller, &project, &environment).await?;
    let moment = moment(query.version, query.at.as_deref())?;
    let scope = environment.id.as_str();
    let found = state.store.version_at(scope, moment).await;
    let version = found.map_err(parameter)?.version;
    let page = PageRequest::default();
    let items = state
        .store
        .items_page(scope, version, "flag", Some(&key), &page)
        .await?;
    let mut flags = api::computed(move || past_flags(&items.items)).await??;
    let marks = state.store.marks(&caller.organization, &caller.rights);
    let marks = marks.await?;
    flags.retain(|flag| may_read(&caller, &project, &marks, flag));
    // Of several (by case) one is there, and the others were deleted.
    let newest = flags.into_iter().max_by_key(|flag| flag.version);
    newest
        .map(Json)
        .ok_or_else(|| Problem::not_found(format!("flag `{key}` there at version {version}")))
}

/// What the store says of a parameter.
pub(super) fn parameter(error: burgee_store::StoreError) -> Problem {
    match error {
        burgee_store::StoreError::Invalid {
            field,
            code,
            message,
        } => Problem::invalid(field, code, message),
        other => other.into(),
    }
}

fn shown(found: VersionAt, of: StateOf, items: &[LoggedItem]) -> Result<StatePage, Problem> {
    let (flags, segments) = match of {
        StateOf::Flags => (past_flags(items)?, Vec::new()),
        StateOf::Segments => (Vec::new(), past_segments(items)?),
    };
    Ok(StatePage {
        version: found.version,
        at: found.at.map(|at| at.to_string()),
        flags,
        segments,
        next: None,
    })
}

fn past_flags(items: &[LoggedItem]) -> Result<Vec<PastFlag>, Problem> {
    let mut flags = Vec::with_capacity(items.len());
    for item in items {
        let logged = item.flag()?;
        if logged.life() == Life::Deleted {
            continue;
        }
        let served = logged.served;
        flags.push(PastFlag {
            id: served.id,
            key: served.key,
            version: item.version,
            name: served.name,
            description: served.description,
            kind: served.variation_type,
            variations: served.variations,
            tags: served.tags,
            is_archived: served.is_archived,
            is_enabled: served.is_enabled,
            prerequisites: served.prerequisites,
            targets: served.target_users,
            rules: served.rules,
            default_rule: served.fallthrough,
            off_variation: served.disabled_variation_id,
            expt_include_all_targets: served.expt_include_all_targets,
            tracked: served.tracked,
            updated_at: served.updated_at.to_string(),
        });
    }
    Ok(flags)
}

fn past_segments(items: &[LoggedItem]) -> Result<Vec<PastSegment>, Problem> {
    let mut segments = Vec::with_capacity(items.len());
    for item in items {
        let logged = item.segment()?;
        if logged.life() == Life::Deleted {
            continue;
        }
        let served = logged.served;
        segments.push(PastSegment {
            id: served.id,
            key: item.key.clone(),
            version: item.version,
            name: served.name,
            description: served.description,
            included: served.included,
            excluded: served.excluded,
            rules: served.rules,
            is_archived: served.is_archived,
            updated_at: served.updated_at.to_string(),
        });
    }
    Ok(segments)
}

/// Whether the flag may be read as it was, and as it is.
fn may_read(caller: &Caller, project: &Project, marks: &Marks, flag: &PastFlag) -> bool {
    let resource = Resource::project(project.key.as_str()).with(Kind::Flag, &*flag.key);
    let states = [
        resource.clone().tagged(&flag.tags),
        marks.item(resource.clone()),
    ];
    let mut states = states.iter();
    states.all(|it| caller.rights.allow("flag.read", it))
}

impl StatePage {
    fn seen_by(
        mut self,
        caller: &Caller,
        project: &Project,
        place: &Resource,
        marks: &Marks,
    ) -> Self {
        self.flags
            .retain(|flag| may_read(caller, project, marks, flag));
        self.segments.retain(|segment| {
            let resource = place.clone().with(Kind::Segment, &*segment.key);
            caller.rights.allow("segment.read", &marks.item(resource))
        });
        self
    }
}
