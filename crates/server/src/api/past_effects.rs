//! What changes that were made did to the users that are known: who moved, from what to what.

use axum::Json;
use axum::extract::State;
use burgee_store::LoggedItem;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::api::evaluate::{self, Sight};
use crate::api::state::moment_of;
use crate::api::users;
use crate::app::AppState;
use crate::auth::Caller;
use crate::effects::{self, EnvironmentEffect};
use crate::params::{Path, Query};
use crate::problem::Problem;

/// Between which states.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EffectsQuery {
    /// The environment's version before. Either this or `fromAt`.
    pub from: Option<i64>,
    /// A moment, ISO 8601: the newest version that was asked for by then.
    pub from_at: Option<String>,
    /// The version after. Either this or `toAt`; the newest without both.
    pub to: Option<i64>,
    /// A moment, likewise.
    pub to_at: Option<String>,
}

/// Compare two versions of an environment over the users that are known there: who moved, from
/// what to what.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/effects",
    tag = "history",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"), EffectsQuery),
    responses((status = 200, body = EnvironmentEffect), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Query(query): Query<EffectsQuery>,
) -> Result<Json<EnvironmentEffect>, Problem> {
    let (project, environment) =
        users::place(&state, &caller, "user.read", &project, &environment).await?;
    if query.from.is_none() && query.from_at.is_none() {
        let rule = "say the version before: `from` or `fromAt`";
        return Err(Problem::invalid("from", "required", rule));
    }
    let from = moment_of(["from", "fromAt"], query.from, query.from_at.as_deref())?;
    let to = moment_of(["to", "toAt"], query.to, query.to_at.as_deref())?;
    let before = evaluate::past(&state, &environment, "from", from).await?;
    let scope = environment.id.as_str();
    let to = state.store.version_at(scope, to).await;
    let to = to.map_err(|error| evaluate::named(error, "to"))?.version;
    if to < before.version {
        let rule = format!(
            "must not be before {}, the version that `from` is",
            before.version
        );
        return Err(Problem::invalid("to", "range", rule));
    }
    let mut changed: Vec<LoggedItem> = state.store.items_at(scope, to).await?;
    changed.retain(|item| item.version > before.version);
    let changed = LoggedItem::served(&changed)?;
    let sight = Sight::of(&state, &caller, &project, &environment).await?;
    let name = format!("{}/{}", project.key, environment.key);
    let told = effects::of_changes(&state, (scope, &name), before.snapshot, changed, &sight);
    told.await.map(Json)
}
