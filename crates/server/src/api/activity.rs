//! How often flags are evaluated, when they last were, and which of them nobody needs any more.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Flag, Project};
use burgee_domain::staleness::{self, Stale, Use};
use burgee_eval::time::Millis;
use burgee_store::IndexedFlag;
use burgee_store::traffic::{CountQuery, FlagActivity, Grain};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api;
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::params::{Path, Query, moment};
use crate::problem::Problem;

/// How many spans one answer may have.
const MAX_SPANS: i64 = 10_000;

/// Which counts.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CountsQuery {
    /// The environment's key.
    pub environment: String,
    /// From when, ISO 8601; a day before `to` where absent.
    pub from: Option<String>,
    /// Up to when, not included, ISO 8601; now where absent.
    pub to: Option<String>,
    /// In spans of a `minute` (kept for 48 hours), an `hour` (kept for 90 days, and where absent) or
    /// a `day` of UTC (kept for ever). What is not kept so finely any more lies at the beginning of
    /// its hour or day.
    pub by: Option<By>,
}

/// The length of spans.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Sixty seconds.
    Minute,
    /// Sixty minutes.
    Hour,
    /// A day of UTC.
    Day,
}

impl From<By> for Grain {
    fn from(by: By) -> Self {
        match by {
            By::Minute => Self::Minute,
            By::Hour => Self::Hour,
            By::Day => Self::Day,
        }
    }
}

/// How often a flag's variations were served.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// The length of the spans.
    pub by: By,
    /// From when, ISO 8601: the beginning of a span.
    pub from: String,
    /// Up to when, not included, ISO 8601.
    pub to: String,
    /// By time; spans without evaluations are not there.
    pub spans: Vec<SpanView>,
    /// All together, by the variation's id.
    pub totals: BTreeMap<String, i64>,
}

/// The evaluations of a span.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpanView {
    /// Its beginning, ISO 8601.
    pub at: String,
    /// How often each variation was served, by the variation's id.
    pub counts: BTreeMap<String, i64>,
}

/// How often a flag was evaluated in an environment, by time and variation.
#[utoipa::path(get, path = "/api/v1/projects/{project}/flags/{flag}/counts", tag = "flags",
    params(("project", description = "The project's key"),
        ("flag", description = "The flag's key"), CountsQuery),
    responses((status = 200, body = Counts), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn counts(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, key)): Path<(String, String)>,
    Query(query): Query<CountsQuery>,
) -> Result<Json<Counts>, Problem> {
    let (owner, environment) =
        api::environment(&state, &caller, &project, &query.environment).await?;
    let missing = || Problem::not_found(format!("flag `{key}` in `{project}`"));
    let typed = Key::new(&*key).map_err(|_| missing())?;
    let found = state.store.flag(&owner.id, &typed).await;
    let flag = found.map_err(api::or_missing(missing))?.flag;
    let resource = Resource::project(&project).with(Kind::Flag, flag.key.as_str());
    caller.may("flag.read", &resource.tagged(&flag.tags))?;
    let by = query.by.unwrap_or(By::Hour);
    let (from, to) = range(&query, by)?;
    let traffic = state.store.traffic();
    let counted = traffic
        .flag_counts(&CountQuery {
            environment: environment.id.as_str(),
            flag: flag.key.as_str(),
            flag_id: flag.id.as_str(),
            from,
            to,
            grain: by.into(),
        })
        .await?;
    let (mut spans, mut totals) = (Vec::<SpanView>::new(), BTreeMap::new());
    for count in counted {
        *totals.entry(count.variation.clone()).or_default() += count.count;
        let at = count.at.to_string();
        if spans.last().is_none_or(|last| last.at != at) {
            let counts = BTreeMap::new();
            spans.push(SpanView { at, counts });
        }
        if let Some(span) = spans.last_mut() {
            span.counts.insert(count.variation, count.count);
        }
    }
    Ok(Json(Counts {
        by,
        from: from.to_string(),
        to: to.to_string(),
        spans,
        totals,
    }))
}

/// From the beginning of a span to a moment.
fn range(query: &CountsQuery, by: By) -> Result<(Millis, Millis), Problem> {
    let read = |name, text: &Option<String>| {
        let text = text.as_deref();
        text.map(|it| moment(name, it)).transpose()
    };
    let span = Grain::from(by).millis();
    let to = read("to", &query.to)?.unwrap_or_else(now);
    let from = read("from", &query.from)?.unwrap_or(Millis(to.0 - 86_400_000));
    let from = Millis(from.0 - from.0.rem_euclid(span));
    if from >= to {
        let rule = "must be before `to`";
        return Err(Problem::invalid("from", "range", rule));
    }
    if (to.0 - from.0) / span > MAX_SPANS {
        let rule = format!("there are more than {MAX_SPANS} spans up to `to`; ask for longer ones");
        return Err(Problem::invalid("from", "range", rule));
    }
    Ok((from, to))
}

/// When a flag was evaluated, in one environment or in several together.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageView {
    /// When it was evaluated for the first time, to a minute, ISO 8601; null: never.
    pub first_evaluated_at: Option<String>,
    /// When it was evaluated for the last time, to some minutes, ISO 8601; null: never.
    pub last_evaluated_at: Option<String>,
    /// Why nobody may need it any more; null where it is in use, or new.
    pub stale: Option<Stale>,
}

/// What is known of the use of flags.
pub(super) struct Usage {
    by_flag: BTreeMap<(String, String), Vec<FlagActivity>>,
    days: i64,
    now: Millis,
}

impl Usage {
    /// Reads it, of flags or of all. After so many `days` they are stale, where the caller says so,
    /// else as the project does.
    pub(super) async fn read(
        state: &AppState,
        project: &Project,
        environments: &[Environment],
        flags: Option<&[&str]>,
        days: Option<i64>,
    ) -> Result<Self, Problem> {
        let days = match days.unwrap_or(project.stale_days.days()) {
            days @ 1..=staleness::MAX_DAYS => days,
            _ => {
                let rule = format!("must be from 1 to {}", staleness::MAX_DAYS);
                return Err(Problem::invalid("staleDays", "range", rule));
            }
        };
        let ids: Vec<&str> = environments.iter().map(|it| it.id.as_str()).collect();
        let mut by_flag: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for found in state.store.traffic().activity(&ids, flags).await? {
            let key = (found.flag.clone(), found.flag_id.clone());
            by_flag.entry(key).or_default().push(found);
        }
        Ok(Self {
            by_flag,
            days,
            now: now(),
        })
    }

    /// A flag's, in all environments that were read together.
    pub(super) fn of(&self, flag: &Flag) -> UsageView {
        self.view(&flag.key, &flag.id, flag.created_at, |_| true)
    }

    /// Why a flag of an index is stale, in all environments that were read together.
    pub(super) fn stale(&self, flag: &IndexedFlag) -> Option<Stale> {
        let usage = self.view(&flag.key, &flag.id, flag.created_at, |_| true);
        usage.stale
    }

    /// A flag's in one of them, where it is released since a moment.
    fn within(&self, flag: &Flag, environment: &Environment) -> UsageView {
        let since = flag.created_at.max(environment.created_at);
        self.view(&flag.key, &flag.id, since, |found| {
            found.environment == environment.id.as_str()
        })
    }

    fn view(
        &self,
        key: &Key,
        id: &Id<Flag>,
        since: Millis,
        counts: impl Fn(&FlagActivity) -> bool,
    ) -> UsageView {
        let key = (key.as_str().to_owned(), id.as_str().to_owned());
        let found = self.by_flag.get(&key).into_iter().flatten();
        let variations = found.filter(|it| counts(it)).flat_map(|it| &it.variations);
        let uses: Vec<Use> = variations
            .map(|it| Use {
                variation: it.variation.clone(),
                first: it.first,
                last: it.last,
            })
            .collect();
        let first = uses.iter().map(|it| it.first).min();
        let last = uses.iter().map(|it| it.last).max();
        UsageView {
            first_evaluated_at: first.map(|moment| moment.to_string()),
            last_evaluated_at: last.map(|moment| moment.to_string()),
            stale: staleness::stale(since, &uses, self.days, self.now),
        }
    }
}

/// After how long a flag is stale.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ActivityQuery {
    /// After how many days without evaluation, or with one value, a flag is stale, 1 to 3,650; the project's
    /// number where absent.
    pub stale_days: Option<i64>,
}

/// When an environment's flags were evaluated.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// When any flag was evaluated here for the first time, ISO 8601; null: none ever was.
    pub first_evaluated_at: Option<String>,
    /// When any flag was evaluated here for the last time, ISO 8601; null: none ever was.
    pub last_evaluated_at: Option<String>,
    /// By the key of each live flag that is released here.
    pub flags: BTreeMap<String, UsageView>,
}

/// When the flags that are released in an environment were evaluated, and which are stale.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/activity",
    tag = "flags",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"), ActivityQuery),
    responses((status = 200, body = Activity), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn activity(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, key)): Path<(String, String)>,
    Query(query): Query<ActivityQuery>,
) -> Result<Json<Activity>, Problem> {
    let (owner, environment) = api::environment(&state, &caller, &project, &key).await?;
    let only = std::slice::from_ref(&environment);
    let usage = Usage::read(&state, &owner, only, None, query.stale_days).await?;
    let released = state
        .store
        .released_flags(&owner.id, &environment.id)
        .await?;
    let flags = released.into_iter().filter(|flag| {
        let resource = Resource::project(&project).with(Kind::Flag, flag.key.as_str());
        caller
            .rights
            .allow("flag.read", &resource.tagged(&flag.tags))
    });
    let flags: BTreeMap<String, UsageView> = flags
        .map(|flag| (flag.key.to_string(), usage.within(&flag, &environment)))
        .collect();
    let first = flags
        .values()
        .filter_map(|it| it.first_evaluated_at.as_ref());
    let last = flags
        .values()
        .filter_map(|it| it.last_evaluated_at.as_ref());
    Ok(Json(Activity {
        first_evaluated_at: first.min().cloned(),
        last_evaluated_at: last.max().cloned(),
        flags,
    }))
}
