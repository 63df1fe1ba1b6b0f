//! Reverting: a change set, or an environment (or some of its flags) to a version.

use axum::Json;
use axum::extract::State;
use burgee_store::{RevertRequest, StoreError};
use serde_json::json;

use crate::api;
use crate::api::changes::view::ChangeView;
use crate::api::planned::{PlannedResult, asking, carry_out};
use crate::api::state::moment_of;
use crate::app::AppState;
use crate::auth::Caller;
use crate::body::Body;
use crate::params::Path;
use crate::problem::Problem;

/// The most flags that are named.
pub(super) const MAX_FLAGS: usize = 500;

asking! {
    /// How a change set is reverted.
    pub struct Undo {}
}

asking! {
    /// Where an environment goes back to.
    pub struct Revert {
        /// The environment's version. Either this or `at`.
        pub version: Option<i64>,
        /// A moment, ISO 8601: the newest version that was asked for by then.
        pub at: Option<String>,
        /// The keys of the flags that go back, 500 at most; all flags that were touched since, and the
        /// segments of this environment alone, where absent.
        pub flags: Option<Vec<String>>,
        /// Whether the definitions of the flags named (name, description, tags, variations, archived or
        /// not) go back too. They are the same in all environments.
        #[serde(default)]
        pub definitions: bool,
    }
}

/// Revert a change set: each part that it changed goes back to what it was, by a new change set.
#[utoipa::path(post, path = "/api/v1/changes/{id}/revert", tag = "history",
    params(("id", description = "The change set's id")), request_body = Undo,
    responses((status = 200, body = PlannedResult),
        (status = 400, description = "Or it changed nothing that can be reverted", body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, description = "Parts of it were changed again since", body = Problem),
        (status = 503, body = Problem)))]
pub async fn change_set(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    Body(mut new): Body<Undo>,
) -> Result<Json<PlannedResult>, Problem> {
    let missing = || Problem::not_found(format!("change set `{id}`"));
    let typed = uuid::Uuid::parse_str(&id)
        .map_err(|_| missing())?
        .to_string();
    let found = state.store.change_set(&caller.organization, &typed).await;
    let found = found.map_err(api::or_missing(missing))?;
    let marks = state
        .store
        .marks(&caller.organization, &caller.rights)
        .await?;
    ChangeView::from(found)
        .seen_by(&caller, &marks)
        .ok_or_else(missing)?;
    let what = json!({ "revert": typed });
    let plan = async {
        let planned = state.store.plan_undo(&caller.organization, &typed).await;
        planned.map_err(|error| match error {
            StoreError::Invalid { message, .. } => {
                Problem::invalid("id", "nothingToRevert", message)
            }
            other => other.into(),
        })
    };
    carry_out(&state, &caller, new.common(), &what, plan).await
}

/// Revert an environment, or some of its flags, to a version, by a new change set.
#[utoipa::path(post, path = "/api/v1/projects/{project}/environments/{environment}/revert",
    tag = "history",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    request_body = Revert,
    responses((status = 200, body = PlannedResult), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, description = "What a flag served then is no longer among its variations",
            body = Problem),
        (status = 503, body = Problem)))]
pub async fn environment(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Body(mut new): Body<Revert>,
) -> Result<Json<PlannedResult>, Problem> {
    let (project, environment) = api::environment(&state, &caller, &project, &environment).await?;
    check(&new)?;
    let what = json!({"environment": environment.id, "version": new.version, "at": new.at,
        "flags": new.flags, "definitions": new.definitions});
    let to = moment_of(["/version", "/at"], new.version, new.at.as_deref())?;
    let common = new.common();
    let request = RevertRequest {
        organization: caller.organization.clone(),
        project: project.id,
        environment: environment.id,
        to,
        flags: new.flags,
        definitions: new.definitions,
    };
    let plan = async {
        let (planned, _) = state.store.plan_revert(&request).await?;
        Ok(planned)
    };
    carry_out(&state, &caller, common, &what, plan).await
}

fn check(new: &Revert) -> Result<(), Problem> {
    if new.version.is_none() && new.at.is_none() {
        let rule = "say to which `version`, or with `at` to when";
        return Err(Problem::invalid("/version", "versionMissing", rule));
    }
    if new.definitions && new.flags.is_none() {
        let rule = "name the `flags` whose definitions go back: they are the same everywhere";
        return Err(Problem::invalid("/definitions", "flagsMissing", rule));
    }
    few_flags(new.flags.as_deref().unwrap_or_default())
}

/// Refuses more flags than a change set can be about.
pub(super) fn few_flags(flags: &[String]) -> Result<(), Problem> {
    match flags.len() {
        ..=MAX_FLAGS => Ok(()),
        count => {
            let rule = format!("there are {count} flags; the limit is {MAX_FLAGS}");
            Err(Problem::invalid("/flags", "listTooLong", rule))
        }
    }
}
