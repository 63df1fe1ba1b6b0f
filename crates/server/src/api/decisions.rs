//! The log of decisions: what users were really given, and whether the explanation says the same.

mod check;

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Flag, Project};
use burgee_eval::flag::Variation;
use burgee_store::StoreError;
use burgee_store::page::PageRequest;
use burgee_store::traffic::{DecisionQuery, LoggedDecision};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::changes::view::sees_flag;
use crate::api::evaluate::Sight;
use crate::api::page::{Page, PageQuery};
use crate::api::users;
use crate::app::AppState;
use crate::auth::Caller;
use crate::params::{Path, Query, moment};
use crate::problem::Problem;

pub use check::{DecisionCheck, Explained, Verdict};

/// How many decisions are checked at once: each may be of another version, which has to be read from
/// the history whole.
const MOST_CHECKED: i64 = 50;

/// Which decisions.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecisionsQuery {
    /// The user's exact key; everybody where absent.
    pub user: Option<String>,
    /// The flag's key; all where absent.
    pub flag: Option<String>,
    /// From when, ISO 8601.
    pub from: Option<String>,
    /// Up to when, not included, ISO 8601.
    pub to: Option<String>,
    /// Whether each comes with what the explanation says of it. Then a page has 50 at most.
    #[serde(default)]
    pub check: bool,
    /// `next` of the page before; absent for the first.
    pub cursor: Option<String>,
    /// How many items, 1 to 500 (50 with `check`); 50 where absent.
    pub limit: Option<i64>,
}

impl DecisionsQuery {
    fn page(&self) -> Result<PageRequest, Problem> {
        if self.check && self.limit.is_some_and(|it| it > MOST_CHECKED) {
            let rule = format!("must be from 1 to {MOST_CHECKED} together with `check`");
            return Err(Problem::invalid("limit", "range", rule));
        }
        let page = PageQuery {
            cursor: self.cursor.clone(),
            limit: self.limit,
        };
        page.try_into()
    }

    fn of<'a>(&'a self, environment: &'a Environment) -> Result<DecisionQuery<'a>, Problem> {
        let at = |name, text: &Option<String>| {
            let text = text.as_deref();
            text.map(|text| moment(name, text)).transpose()
        };
        Ok(DecisionQuery {
            environment: environment.id.as_str(),
            user: self.user.as_deref(),
            flag: self.flag.as_deref(),
            from: at("from", &self.from)?,
            to: at("to", &self.to)?,
        })
    }
}

/// What a user was given of a flag.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionView {
    /// Unique.
    pub id: String,
    /// When, ISO 8601.
    pub at: String,
    /// The user's key.
    pub user: String,
    /// The flag's key.
    pub flag: String,
    /// The id of the variation that the user got.
    pub variation: String,
    /// That variation as the flag has it today; null where it has none of that id any more.
    pub today: Option<Variation>,
    /// How: `stream` or `poll` (a client SDK), `ofrep`, `evaluate`; or `track`, where an SDK says so.
    pub surface: String,
    /// Whether an SDK decided it and says so. It says neither why nor at which version.
    pub reported: bool,
    /// Why: `off`, `prerequisite`, `targeted`, `rule` or `default`; null where an SDK says it.
    pub reason: Option<String>,
    /// The rule's id, where it was one.
    pub rule: Option<String>,
    /// The environment's version; null where an SDK says it.
    pub version: Option<i64>,
    /// The position, `<version>.<digest>`; null where an SDK says it.
    pub position: Option<String>,
    /// What the explanation says of it, where that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<DecisionCheck>,
}

impl DecisionView {
    fn new(Seen { decision, today }: Seen, check: Option<DecisionCheck>) -> Self {
        Self {
            today,
            reported: decision.position.is_none(),
            id: decision.id,
            at: decision.at.to_string(),
            user: decision.user,
            flag: decision.flag,
            variation: decision.variation,
            surface: decision.surface,
            reason: decision.reason,
            rule: decision.rule,
            version: decision.position.map(|it| it.version),
            position: decision.position.map(|it| it.to_string()),
            check,
        }
    }
}

/// List what users were given, the newest first, of the share of users that the environment logs it
/// of (`decisionLog`). Decisions of flags that the caller may not read are left out of their page.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/decisions",
    tag = "users",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"), DecisionsQuery),
    responses((status = 200, body = Page<DecisionView>), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Query(query): Query<DecisionsQuery>,
) -> Result<Json<Page<DecisionView>>, Problem> {
    let place = users::place(&state, &caller, "user.read", &project, &environment).await?;
    let (project, environment) = place;
    let (asked, page) = (query.of(&environment)?, query.page()?);
    let found = state.store.traffic().decisions(&asked, &page).await?;
    let seen = seen(&state, &caller, (&project, &environment), found.items).await?;
    let checks = match query.check {
        true => {
            let sight = Sight::of(&state, &caller, &project, &environment).await?;
            let decisions = seen.iter().map(|it| &it.decision);
            check::checks(&state, &environment, &sight, decisions).await?
        }
        false => seen.iter().map(|_| None).collect(),
    };
    let items = seen.into_iter().zip(checks);
    Ok(Json(Page {
        items: items
            .map(|(it, check)| DecisionView::new(it, check))
            .collect(),
        next: found.next,
    }))
}

/// A decision that the caller may see, and what its variation is today.
struct Seen {
    decision: LoggedDecision,
    today: Option<Variation>,
}

/// Those of flags that the caller may read; of one that is gone, as it was.
async fn seen(
    state: &AppState,
    caller: &Caller,
    (project, environment): (&Project, &Environment),
    decisions: Vec<LoggedDecision>,
) -> Result<Vec<Seen>, Problem> {
    let marks = state.store.marks(&caller.organization, &caller.rights);
    let marks = marks.await?;
    let place = marks.environment(project.key.as_str(), environment.key.as_str());
    // Each flag that may be read, as far as there is one.
    let mut flags: BTreeMap<String, Option<Option<Flag>>> = BTreeMap::new();
    for decision in &decisions {
        if flags.contains_key(&decision.flag) {
            continue;
        }
        let found = match Key::new(&*decision.flag) {
            Ok(key) => state.store.flag(&project.id, &key).await.map(Some),
            Err(_) => Ok(None),
        };
        let found = match found {
            Err(StoreError::NotFound(_)) => None,
            other => other?,
        };
        let own = Resource::project(project.key.as_str()).with(Kind::Flag, &*decision.flag);
        let own = marks.item(own);
        let allowed = sees_flag(&caller.rights, &own, place.clone(), &decision.flag);
        let flag = allowed.then(|| found.map(|it| it.flag));
        flags.insert(decision.flag.clone(), flag);
    }
    let by_tags = caller.rights.depend_on_tags();
    let allowed = |decision: LoggedDecision| {
        let flag = flags.get(&decision.flag)?.as_ref()?.as_ref();
        let same = flag.filter(|it| *it.id.as_str() == *decision.flag_id);
        // The key is another flag's by now: which tags this one had is not known.
        if by_tags && flag.is_some() && same.is_none() {
            return None;
        }
        let mut variations = same.into_iter().flat_map(|it| &it.variations);
        let today = variations.find(|it| *it.id == *decision.variation);
        Some(Seen {
            today: today.cloned(),
            decision,
        })
    };
    Ok(decisions.into_iter().filter_map(allowed).collect())
}
