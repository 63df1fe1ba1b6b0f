//! The REST API: one file per resource, each with its routes and its shapes.
//!
//! A handler reads: extract → authorise → domain → store → respond. The rules of the API as a
//! whole (names, errors, pages) are in `docs/api.md`; the routes are the table in
//! [`crate::router`].

pub mod activity;
pub mod all_environments;
pub mod audience;
pub mod audit;
pub mod bulk;
pub mod changes;
pub mod compare;
pub mod connections;
pub mod decisions;
pub mod environments;
pub mod evaluate;
pub mod events;
pub mod flag_clone;
pub mod flag_index;
pub mod flags;
pub mod forget;
pub mod groups;
pub mod holders;
pub mod invitations;
pub mod me;
pub mod members;
pub mod oidc;
pub mod organization;
pub mod page;
pub mod past_effects;
pub mod permissions;
pub mod planned;
pub mod policies;
pub mod prerequisites;
pub mod project_files;
pub mod projects;
pub mod promote;
pub mod properties;
pub mod relay_agents;
pub mod relay_keys;
pub mod requests;
pub mod revert;
pub mod rules;
pub mod sdk_keys;
pub mod search;
pub mod segments;
pub mod session;
pub mod sign_in;
pub mod state;
pub mod tokens;
pub mod user_files;
pub mod user_properties;
pub mod users;
pub mod versions;

use burgee_domain::access::Resource;
use burgee_domain::key::{Key, KeyError};
use burgee_domain::model::{Environment, Project};
use burgee_store::StoreError;

use crate::app::AppState;
use crate::auth::Caller;
use crate::problem::Problem;

/// The longest text that is looked for in a list, in bytes.
const MAX_SEARCH: usize = 512;

/// Refuses a parameter that looks for more than what anything is called.
fn searched(name: &str, text: Option<&str>) -> Result<(), Problem> {
    match text.is_some_and(|text| text.len() > MAX_SEARCH) {
        false => Ok(()),
        true => {
            let rule = format!("has at most {MAX_SEARCH} bytes");
            Err(Problem::invalid(name, "tooLong", rule))
        }
    }
}

/// The project of that key in the caller's organization, or 404; 403 where the caller may not see
/// it, whether or not it is there.
async fn project(state: &AppState, caller: &Caller, key: &str) -> Result<Project, Problem> {
    caller.may("project.read", &Resource::project(key))?;
    let missing = || Problem::not_found(format!("project `{key}`"));
    let typed = Key::new(key).map_err(|_| missing())?;
    state
        .store
        .project(&caller.organization, &typed)
        .await
        .map_err(or_missing(missing))
}

/// The environment of that key in a project, or 404; 403 where the caller may not see it.
async fn environment(
    state: &AppState,
    caller: &Caller,
    project_key: &str,
    key: &str,
) -> Result<(Project, Environment), Problem> {
    environment_for(state, caller, project_key, key, &[]).await
}

/// As [`environment`], where the caller may do all of `actions` to it; 403 where they may not,
/// whether or not it is there.
async fn environment_for(
    state: &AppState,
    caller: &Caller,
    project_key: &str,
    key: &str,
    actions: &[&str],
) -> Result<(Project, Environment), Problem> {
    let found = look_up(state, caller, project_key, key).await;
    // What is not there, or not to be told of, has no protection that a statement could speak of.
    let place = match &found {
        Ok((project, environment)) => Resource::of(project, environment),
        Err(_) => Resource::environment(project_key, key, None),
    };
    let mut actions = actions.iter().chain(&["environment.read"]);
    actions.try_for_each(|action| caller.may(action, &place))?;
    found
}

async fn look_up(
    state: &AppState,
    caller: &Caller,
    project_key: &str,
    key: &str,
) -> Result<(Project, Environment), Problem> {
    let project = project(state, caller, project_key).await?;
    let missing = || Problem::not_found(format!("environment `{key}` in `{project_key}`"));
    let typed = Key::new(key).map_err(|_| missing())?;
    let found = state
        .store
        .environment(&project.id, &typed)
        .await
        .map_err(or_missing(missing))?;
    Ok((project, found))
}

/// Says what is missing in the caller's words, where the store says that something is.
fn or_missing(missing: impl FnOnce() -> Problem) -> impl FnOnce(StoreError) -> Problem {
    move |error| match error {
        StoreError::NotFound(_) => missing(),
        other => other.into(),
    }
}

/// Does what takes a processor for a while where it holds no other request up.
pub(crate) async fn computed<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| {
        tracing::error!(%error, "an answer could not be worked out");
        Problem::internal()
    })
}

/// Reads the key of a new object.
fn new_key(pointer: &str, text: String) -> Result<Key, Problem> {
    Key::new(text).map_err(key_refused(pointer))
}

fn key_refused(pointer: &str) -> impl FnOnce(KeyError) -> Problem {
    move |error| {
        let code = match error {
            KeyError::Reserved => "keyReserved",
            _ => "keyInvalid",
        };
        Problem::invalid(pointer, code, error.to_string())
    }
}

/// The most policies or groups that are given at once.
const MAX_GIVEN: usize = 100;

/// Refuses a list of more keys than anybody means.
fn few(pointer: &str, count: usize) -> Result<(), Problem> {
    match count {
        ..=MAX_GIVEN => Ok(()),
        _ => {
            let rule = format!("there are {count}; the limit is {MAX_GIVEN}");
            Err(Problem::invalid(pointer, "listTooLong", rule))
        }
    }
}

/// Reads a display name, by the rules of all names.
fn name(pointer: &str, text: &str) -> Result<String, Problem> {
    burgee_domain::check_name(text).map_err(|why| Problem::invalid(pointer, why.code, why.message))
}

/// Reads a description, by the rules of all descriptions.
fn description(pointer: &str, text: &str) -> Result<String, Problem> {
    burgee_domain::check_description(text)
        .map_err(|why| Problem::invalid(pointer, why.code, why.message))
}
