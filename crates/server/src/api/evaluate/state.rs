//! The state that flags are evaluated in: what an environment serves, served, or would serve.

use std::collections::BTreeMap;
use std::sync::Arc;

use burgee_domain::command;
use burgee_domain::model::{Environment, Project};
use burgee_eval::snapshot::Snapshot;
use burgee_store::{ChangeSetRequest, LoggedItem, Moment, StoreError};
use serde_json::Value;

use super::Question;
use crate::api;
use crate::api::state::moment_of;
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::problem::Problem;

/// A state of an environment, compiled.
#[derive(Clone)]
pub(crate) struct Compiled {
    pub(crate) snapshot: Arc<Snapshot>,
    /// Of a draft: what is served without it.
    pub(crate) before: Option<Arc<Snapshot>>,
    /// Its version; of a draft, the one that it is based on.
    pub(crate) version: i64,
}

/// The state that is asked for.
pub(super) async fn asked(
    state: &AppState,
    caller: &Caller,
    project: &Project,
    environment: &Environment,
    question: &Question,
) -> Result<Compiled, Problem> {
    let moment = moment_of(
        ["/version", "/at"],
        question.version,
        question.at.as_deref(),
    )?;
    let commands = question.commands.as_deref();
    match (moment, commands) {
        (Moment::Newest, _) => with_draft(state, caller, project, environment, commands).await,
        (_, Some(_)) => {
            let field = if question.at.is_some() {
                "/at"
            } else {
                "/version"
            };
            let rule = "commands are applied to the present: give no `version` and no `at`";
            Err(Problem::invalid(field, "together", rule))
        }
        (moment, None) => past(state, environment, "/version", moment).await,
    }
}

/// What an environment served at a moment; `field` is named where it had no such version.
pub(crate) async fn past(
    state: &AppState,
    environment: &Environment,
    field: &str,
    moment: Moment,
) -> Result<Compiled, Problem> {
    let scope = environment.id.as_str();
    let found = state.store.version_at(scope, moment).await;
    let version = found.map_err(|error| named(error, field))?.version;
    let items = state.store.items_at(scope, version).await?;
    let built = api::computed(move || {
        let (flags, segments) = LoggedItem::served(&items)?;
        Ok::<_, StoreError>(Snapshot::build(flags, segments))
    });
    let built = built.await??;
    Ok(Compiled {
        snapshot: Arc::new(built),
        before: None,
        version,
    })
}

/// What the store says of a version, said of the field that it came in.
pub(crate) fn named(error: StoreError, field: &str) -> Problem {
    match error {
        StoreError::Invalid { code, message, .. } => Problem::invalid(field, code, message),
        other => other.into(),
    }
}

/// What an environment serves, or would after these commands, compiled; and its version.
pub(crate) async fn with_draft(
    state: &AppState,
    caller: &Caller,
    project: &Project,
    environment: &Environment,
    commands: Option<&[Value]>,
) -> Result<Compiled, Problem> {
    let preview = match commands {
        None => None,
        Some(commands) => draft(state, caller, project, environment, commands).await?,
    };
    let (present, version) = present(state, environment).await?;
    let present = Arc::new(present);
    let Some(preview) = preview else {
        return Ok(Compiled {
            snapshot: present,
            before: None,
            version,
        });
    };
    let (flags, segments) = preview.items()?;
    let before = Arc::clone(&present);
    let after = api::computed(move || present.apply(flags, segments).0).await?;
    Ok(Compiled {
        snapshot: Arc::new(after),
        before: Some(before),
        version,
    })
}

/// What an environment serves, compiled, and its version.
async fn present(state: &AppState, environment: &Environment) -> Result<(Snapshot, i64), Problem> {
    let found = state.store.edge().state(environment.id.as_str()).await?;
    let found = found.ok_or_else(|| Problem::not_found("such environment any more"))?;
    let version = found.environment.position.version;
    let built = api::computed(move || Snapshot::build(found.flags, found.segments)).await?;
    Ok((built, version))
}

/// What the commands would make the environment serve; none where that is the same.
async fn draft(
    state: &AppState,
    caller: &Caller,
    project: &Project,
    environment: &Environment,
    commands: &[Value],
) -> Result<Option<burgee_store::Preview>, Problem> {
    let request = ChangeSetRequest {
        id: None,
        organization: caller.organization.clone(),
        actor: caller.actor.clone(),
        rights: caller.rights.clone(),
        comment: String::new(),
        base: BTreeMap::new(),
        commands: command::parse(commands.to_vec(), Some(project.key.as_str()))?,
        override_reason: None,
        dry_run: true,
        now: now(),
    };
    let applied = state.store.apply(&request).await?;
    let mut previews = applied.preview.into_iter();
    Ok(previews.find(|preview| preview.environment == environment.id.as_str()))
}
