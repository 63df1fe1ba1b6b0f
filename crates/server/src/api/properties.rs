//! Which properties users have, and which values: what an editor of rules offers.

use std::collections::BTreeMap;
use std::time::Instant;

use axum::Json;
use axum::extract::State;
use burgee_domain::properties::{SeenProperty, Tallies};
use burgee_domain::user_property::UserProperty;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::users;
use crate::app::AppState;
use crate::audience::{self, PATIENCE, Sampled, USERS};
use crate::auth::Caller;
use crate::params::Path;
use crate::problem::Problem;

/// Properties and values that users have.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeenProperties {
    /// How many of all users were looked at; absent where it was all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Sampled>,
    /// How many users were looked at.
    pub users: i64,
    /// The properties that most of them have first, 500 at most; then those that the project knows
    /// and nobody has.
    pub items: Vec<PropertyView>,
}

/// A property: what users have of it, and what the project knows of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PropertyView {
    /// What users have.
    #[serde(flatten)]
    pub seen: SeenProperty,
    /// What the project knows; absent where it is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<UserProperty>,
}

/// The properties that an environment's users have, with their most frequent values.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/properties",
    tag = "users",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    responses((status = 200, body = SeenProperties), (status = 404, body = Problem)))]
pub async fn seen(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
) -> Result<Json<SeenProperties>, Problem> {
    let (project, environment) =
        users::place(&state, &caller, "user.read", &project, &environment).await?;
    let id = environment.id.as_str();
    let until = Instant::now() + PATIENCE;
    let (tallies, looked) = audience::look(
        &state,
        id,
        USERS,
        until,
        Tallies::default(),
        |tallies, user| {
            tallies.count(&user.properties);
        },
    )
    .await?;
    let known = state.store.user_properties(&project.id).await?;
    Ok(Json(SeenProperties {
        sampled: looked.sampled(),
        users: looked.users,
        items: joined(tallies.finish(), known.into_iter().collect()),
    }))
}

/// What users have with what is known of it, and what is known besides.
fn joined(seen: Vec<SeenProperty>, mut known: BTreeMap<String, UserProperty>) -> Vec<PropertyView> {
    let seen = seen.into_iter().map(|seen| PropertyView {
        known: known.remove(&seen.name),
        seen,
    });
    let mut all: Vec<PropertyView> = seen.collect();
    all.extend(known.into_iter().map(|(name, property)| PropertyView {
        seen: SeenProperty {
            name,
            users: 0,
            values: Vec::new(),
            more_values: false,
        },
        known: Some(property),
    }));
    all
}
