//! Segments, to look at. Every edit is a command of a change set ([`super::changes`]).

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Resource, Rights};
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Life, Project, Segment, SegmentScope};
use burgee_domain::warnings::{self, ItemWarning};
use burgee_eval::segment::SegmentRule;
use burgee_store::{ListedSegment, SegmentFilter, SegmentUse};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api;
use crate::api::flag_index::ChangedView;
use crate::api::flags::FlagState;
use crate::api::page::{Page, PageQuery};
use crate::app::AppState;
use crate::auth::Caller;
use crate::params::{Path, Query};
use crate::problem::Problem;

/// What a segment is, apart from who is named in it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SegmentView {
    /// Its id: what rules name it by.
    pub id: String,
    /// Its key: unique in its scope, never changes.
    pub key: String,
    /// `organization`, `project` or `environment`.
    pub scope: &'static str,
    /// Its display name.
    pub name: String,
    /// A text for people.
    pub description: String,
    /// For filters.
    pub tags: Vec<String>,
    /// Any rule that holds makes a member.
    pub rules: Vec<SegmentRule>,
    /// `live` or `archived`.
    pub state: FlagState,
    /// When it was made, ISO 8601.
    pub created_at: String,
}

/// A segment with the keys that it names.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SegmentDetail {
    /// The segment.
    #[serde(flatten)]
    pub segment: SegmentView,
    /// Members by key.
    pub included: Vec<String>,
    /// Not members, whatever else says so.
    pub excluded: Vec<String>,
    /// What does not do everywhere what its author may think; pointers are into this segment.
    /// Empty for an archived one.
    pub warnings: Vec<ItemWarning>,
    /// The flags of which rules name it, live and archived, as far as the caller may see them. (Rules
    /// of segments name no segments.) While there are any it is not deleted.
    pub used_by: Vec<UsedBy>,
    /// In how many more places it is used, which the caller may not see: each a flag in an
    /// environment.
    pub used_by_hidden: usize,
    /// The version to give as `base` of a change set that edits this segment: of its scope.
    pub versions: BTreeMap<String, i64>,
}

/// A flag that uses a segment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsedBy {
    /// The project's key.
    pub project: String,
    /// The flag's key.
    pub flag: String,
    /// `live` or `archived`.
    pub state: FlagState,
    /// The keys of the environments where a rule names the segment.
    pub environments: Vec<String>,
}

/// A segment in a list: how many keys it names, not which.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedSegmentView {
    /// The segment.
    #[serde(flatten)]
    pub segment: SegmentView,
    /// How many keys are included.
    pub included_count: i64,
    /// How many keys are excluded.
    pub excluded_count: i64,
    /// Who changed it last, in its scope; absent where that was before there was a history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<ChangedView>,
    /// Of how many flags rules name it, live and archived, as far as you may see them; only where
    /// `usedBy` is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_by_count: Option<usize>,
    /// In how many more places it is used, which you may not see: each a flag in an environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_by_hidden: Option<usize>,
}

impl SegmentDetail {
    fn new(
        mut segment: Segment,
        version: (String, i64),
        uses: Vec<SegmentUse>,
        rights: &Rights,
    ) -> Self {
        let (used_by, used_by_hidden) = used_by(uses, rights);
        Self {
            warnings: warnings::of_segment(&segment),
            used_by,
            used_by_hidden,
            versions: BTreeMap::from([version]),
            included: std::mem::take(&mut segment.included),
            excluded: std::mem::take(&mut segment.excluded),
            segment: segment.into(),
        }
    }
}

/// The flags that somebody may see, each once, and in how many places others are.
fn used_by(uses: Vec<SegmentUse>, rights: &Rights) -> (Vec<UsedBy>, usize) {
    let (mut shown, mut hidden) = (BTreeMap::<(String, String), UsedBy>::new(), 0);
    for it in uses {
        let flag = Resource::project(&*it.project).with(Kind::Flag, it.flag.as_str());
        let place = Resource::environment(&*it.project, &*it.environment, Some(it.protected));
        if !rights.allow("flag.read", &flag.tagged(&it.tags))
            || !rights.allow("environment.read", &place)
        {
            hidden += 1;
            continue;
        }
        let name = (it.project.clone(), it.flag.clone());
        let of = shown.entry(name).or_insert_with(|| UsedBy {
            project: it.project,
            flag: it.flag,
            state: it.life.into(),
            environments: Vec::new(),
        });
        of.environments.push(it.environment);
    }
    (shown.into_values().collect(), hidden)
}

impl From<ListedSegment> for ListedSegmentView {
    fn from(listed: ListedSegment) -> Self {
        Self {
            segment: listed.segment.into(),
            included_count: listed.included,
            excluded_count: listed.excluded,
            changed: listed.last_change.map(|it| ChangedView {
                at: it.at.to_string(),
                by: it.by,
                number: it.number,
                environment: None,
            }),
            used_by_count: None,
            used_by_hidden: None,
        }
    }
}

impl From<Segment> for SegmentView {
    fn from(segment: Segment) -> Self {
        Self {
            id: segment.id.to_string(),
            key: segment.key.into(),
            scope: match segment.scope {
                SegmentScope::Organization => "organization",
                SegmentScope::Project(_) => "project",
                SegmentScope::Environment(..) => "environment",
            },
            name: segment.name,
            description: segment.description,
            tags: segment.tags,
            rules: segment.rules,
            state: segment.life.into(),
            created_at: segment.created_at.to_string(),
        }
    }
}

/// Which segments.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SegmentQuery {
    /// A text that the key, the name or the description contains, whatever its case.
    pub search: Option<String>,
    /// A tag that the segment has.
    pub tag: Option<String>,
    /// `live` (also where absent) or `archived`.
    pub state: Option<FlagState>,
    /// Whether segments of the scopes above are listed too, since they can be used here.
    #[serde(default)]
    pub with_shared: bool,
    /// Whether to count the flags that use each: takes a look at the rules of all flags.
    #[serde(default)]
    pub used_by: bool,
    /// `next` of the page before; absent for the first.
    pub cursor: Option<String>,
    /// How many items, 1 to 500; 50 where absent.
    pub limit: Option<i64>,
}

/// A scope, and what is above its segments on a resource's path.
struct Place {
    scope: SegmentScope,
    above: Option<Resource>,
    /// Its name among scopes, and its version as it was before anything else was read.
    version: (String, i64),
}

impl Place {
    async fn organization(state: &AppState, caller: &Caller) -> Result<Self, Problem> {
        let found = state.store.organization_of(&caller.organization).await?;
        Ok(Self {
            version: (String::new(), found.version),
            scope: SegmentScope::Organization,
            above: None,
        })
    }

    fn project(project: Project) -> Self {
        Self {
            version: (project.key.to_string(), project.version),
            above: Some(Resource::project(project.key.as_str())),
            scope: SegmentScope::Project(project.id),
        }
    }

    fn environment(project: Project, environment: Environment) -> Self {
        let name = format!("{}/{}", project.key, environment.key);
        Self {
            version: (name, environment.position.version),
            above: Some(Resource::of(&project, &environment)),
            scope: SegmentScope::Environment(project.id, environment.id),
        }
    }

    /// A segment of a scope above (listed because it can be used here) is read as one of here.
    fn may_read(&self, caller: &Caller, segment: &Segment) -> Result<(), Problem> {
        let key = segment.key.as_str();
        let resource = match &self.above {
            Some(above) => above.clone().with(Kind::Segment, key),
            None => Resource::new(Kind::Segment, key),
        };
        caller.may("segment.read", &resource.tagged(&segment.tags))
    }
}

async fn page(
    state: &AppState,
    caller: &Caller,
    place: Place,
    query: SegmentQuery,
) -> Result<Json<Page<ListedSegmentView>>, Problem> {
    let page = PageQuery {
        cursor: query.cursor,
        limit: query.limit,
    }
    .try_into()?;
    api::searched("search", query.search.as_deref())?;
    let filter = SegmentFilter {
        search: query.search,
        tag: query.tag,
        life: query.state.map(Life::from),
        with_shared: query.with_shared,
    };
    let mut found = state
        .store
        .segments(&caller.organization, &place.scope, &filter, &page)
        .await?;
    found
        .items
        .retain(|listed| place.may_read(caller, &listed.segment).is_ok());
    let ids: Vec<Id<Segment>> = found.items.iter().map(|it| it.segment.id.clone()).collect();
    let mut listed: Page<ListedSegmentView> = Page::from_store(found);
    if query.used_by {
        let asked: Vec<&Id<Segment>> = ids.iter().collect();
        let uses = state.store.segments_uses(&caller.organization, &asked);
        let mut uses = uses.await?;
        for (id, listed) in ids.iter().zip(&mut listed.items) {
            let (shown, hidden) = used_by(uses.remove(id).unwrap_or_default(), &caller.rights);
            (listed.used_by_count, listed.used_by_hidden) = (Some(shown.len()), Some(hidden));
        }
    }
    Ok(Json(listed))
}

/// List the segments that the whole organization shares.
#[utoipa::path(get, path = "/api/v1/segments", tag = "segments", params(SegmentQuery),
    responses((status = 200, body = Page<ListedSegmentView>), (status = 400, body = Problem)))]
pub async fn list_shared(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<SegmentQuery>,
) -> Result<Json<Page<ListedSegmentView>>, Problem> {
    let place = Place::organization(&state, &caller).await?;
    page(&state, &caller, place, query).await
}

/// List the segments that all environments of a project share.
#[utoipa::path(get, path = "/api/v1/projects/{project}/segments", tag = "segments",
    params(("project", description = "The project's key"), SegmentQuery),
    responses((status = 200, body = Page<ListedSegmentView>), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn list_of_project(
    State(state): State<AppState>,
    caller: Caller,
    Path(project): Path<String>,
    Query(query): Query<SegmentQuery>,
) -> Result<Json<Page<ListedSegmentView>>, Problem> {
    let project = api::project(&state, &caller, &project).await?;
    page(&state, &caller, Place::project(project), query).await
}

/// List the segments of one environment.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/segments",
    tag = "segments",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"), SegmentQuery),
    responses((status = 200, body = Page<ListedSegmentView>), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn list_of_environment(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Query(query): Query<SegmentQuery>,
) -> Result<Json<Page<ListedSegmentView>>, Problem> {
    let (project, environment) = api::environment(&state, &caller, &project, &environment).await?;
    let place = Place::environment(project, environment);
    page(&state, &caller, place, query).await
}

async fn one(
    state: &AppState,
    caller: &Caller,
    place: Place,
    key: &str,
) -> Result<Json<SegmentDetail>, Problem> {
    let missing = || Problem::not_found(format!("segment `{key}` in this scope"));
    let typed = Key::new(key).map_err(|_| missing())?;
    let found = state
        .store
        .segment(&caller.organization, &place.scope, &typed)
        .await;
    let found = found.map_err(api::or_missing(missing))?;
    place.may_read(caller, &found)?;
    let uses = state.store.segment_uses(&caller.organization, &found.id);
    let (uses, rights) = (uses.await?, caller.rights.clone());
    let shown = api::computed(move || SegmentDetail::new(found, place.version, uses, &rights));
    Ok(Json(shown.await?))
}

/// One segment of the organization.
#[utoipa::path(get, path = "/api/v1/segments/{segment}", tag = "segments",
    params(("segment", description = "The segment's key")),
    responses((status = 200, body = SegmentDetail), (status = 404, body = Problem)))]
pub async fn get_shared(
    State(state): State<AppState>,
    caller: Caller,
    Path(key): Path<String>,
) -> Result<Json<SegmentDetail>, Problem> {
    let place = Place::organization(&state, &caller).await?;
    one(&state, &caller, place, &key).await
}

/// One segment of a project.
#[utoipa::path(get, path = "/api/v1/projects/{project}/segments/{segment}", tag = "segments",
    params(("project", description = "The project's key"),
        ("segment", description = "The segment's key")),
    responses((status = 200, body = SegmentDetail), (status = 404, body = Problem)))]
pub async fn get_of_project(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, key)): Path<(String, String)>,
) -> Result<Json<SegmentDetail>, Problem> {
    let project = api::project(&state, &caller, &project).await?;
    one(&state, &caller, Place::project(project), &key).await
}

/// One segment of an environment.
#[utoipa::path(get,
    path = "/api/v1/projects/{project}/environments/{environment}/segments/{segment}",
    tag = "segments",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"),
        ("segment", description = "The segment's key")),
    responses((status = 200, body = SegmentDetail), (status = 404, body = Problem)))]
pub async fn get_of_environment(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment, key)): Path<(String, String, String)>,
) -> Result<Json<SegmentDetail>, Problem> {
    let (project, environment) = api::environment(&state, &caller, &project, &environment).await?;
    let place = Place::environment(project, environment);
    one(&state, &caller, place, &key).await
}
