//! What environments ask of change sets.

use axum::Json;
use axum::extract::State;
use burgee_domain::admission::EnvironmentRules;
use burgee_store::RulesAuthor;

use crate::api;
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::Path;
use crate::problem::Problem;

/// What an environment asks of every change set that changes what it serves.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/rules",
    tag = "environments",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    responses((status = 200, body = EnvironmentRules), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, key)): Path<(String, String)>,
) -> Result<Json<EnvironmentRules>, Problem> {
    let (_, environment) = api::environment(&state, &caller, &project, &key).await?;
    Ok(Json(state.store.environment_rules(&environment.id).await?))
}

/// Change what an environment asks. What is not given is asked no more; to ask for less than before
/// takes `environment.loosenRules` too.
#[utoipa::path(put, path = "/api/v1/projects/{project}/environments/{environment}/rules",
    tag = "environments",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    request_body = EnvironmentRules,
    responses((status = 200, body = EnvironmentRules), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn set(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, key)): Path<(String, String)>,
    Body(rules): Body<EnvironmentRules>,
) -> Result<Json<EnvironmentRules>, Problem> {
    let may = &["environment.setRules"];
    let found = api::environment_for(&state, &caller, &project, &key, may).await;
    let (_, environment) = found?;
    let author = RulesAuthor {
        actor: &caller.actor,
        rights: &caller.rights,
    };
    let kept = state
        .store
        .set_environment_rules(&environment.id, &rules, author, now())
        .await?;
    Ok(Json(kept))
}
