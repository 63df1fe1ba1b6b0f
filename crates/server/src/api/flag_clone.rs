//! Making a flag like another one.

use axum::Json;
use axum::extract::State;
use burgee_domain::key::Key;
use burgee_store::CloneRequest;
use serde_json::json;

use crate::api;
use crate::api::planned::{PlannedResult, asking, carry_out};
use crate::api::promote::TargetsOf;
use crate::app::AppState;
use crate::auth::Caller;
use crate::body::Body;
use crate::params::Path;
use crate::problem::Problem;

asking! {
    /// What the copy shall be.
    pub struct CloneFlag {
        /// Its key.
        pub key: String,
        /// Its display name; that of the flag that it is made like where absent.
        pub name: Option<String>,
        /// The keys of the environments whose targeting it gets; none where absent: it is released
        /// nowhere then.
        #[serde(default)]
        pub environments: Vec<String>,
        /// Whether individual targets are copied too; `copy` where absent.
        pub targets: Option<TargetsOf>,
    }
}

/// Make a flag like this one: its definition, and its targeting in some environments.
#[utoipa::path(post, path = "/api/v1/projects/{project}/flags/{flag}/clone", tag = "flags",
    params(("project", description = "The project's key"), ("flag", description = "The flag's key")),
    request_body = CloneFlag,
    responses((status = 200, body = PlannedResult), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem), (status = 503, body = Problem)))]
pub async fn clone(
    State(state): State<AppState>,
    caller: Caller,
    Path((project_key, flag)): Path<(String, String)>,
    Body(mut new): Body<CloneFlag>,
) -> Result<Json<PlannedResult>, Problem> {
    let common = new.common();
    let project = api::project(&state, &caller, &project_key).await?;
    let missing = || Problem::not_found(format!("flag `{flag}` in `{project_key}`"));
    let of = Key::new(&*flag).map_err(|_| missing())?;
    let key = api::new_key("/key", new.key)?;
    let name = new.name.map(|name| api::name("/name", &name)).transpose()?;
    api::few("/environments", new.environments.len())?;
    let mut environments = Vec::new();
    for environment in &new.environments {
        let found = api::environment(&state, &caller, project.key.as_str(), environment).await?;
        environments.push(found.1.id);
    }
    let targets = new.targets != Some(TargetsOf::Skip);
    let what = json!({"clone": of, "project": project.id, "key": key, "name": name,
        "environments": environments, "targets": targets});
    let request = CloneRequest {
        organization: caller.organization.clone(),
        project: project.id,
        flag: of,
        key,
        name,
        environments,
        targets,
    };
    let plan = async {
        let planned = state.store.plan_clone(&request).await;
        planned.map_err(api::or_missing(missing))
    };
    carry_out(&state, &caller, common, &what, plan).await
}
