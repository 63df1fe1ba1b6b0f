//! Forgetting an end user everywhere: what a person may ask for by law.

use axum::Json;
use axum::extract::State;
use burgee_domain::access::Resource;
use burgee_domain::{command, forget};
use burgee_store::ChangeSetRequest;
use burgee_store::forget::RuleMention;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;

use crate::api::changes::{self, Override};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::problem::Problem;

/// The longest key, in bytes.
const MAX_KEY: usize = 512;
/// The most commands of a change set.
const COMMANDS: usize = 500;

/// Whom to forget.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForgetUser {
    /// The user's key, in all environments of the organization.
    pub key: String,
    /// Why, for the change set that takes the key out of flags and segments. It stays, so it should
    /// not name the person.
    #[serde(default)]
    pub comment: String,
    /// Forget them, in an emergency, though approvals are missing. Takes `change.override` wherever
    /// they are; the history shows it.
    #[serde(rename = "override")]
    pub over: Option<Override>,
}

/// Where an end user was, and is not any more.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Forgotten {
    /// The change sets that took the key out of targets and segments.
    pub changes: Vec<String>,
    /// How many requests named it. Those that wait and named it in a command are stopped, with the
    /// code `forgotten`.
    pub requests: u64,
    /// How many earlier states of flags and segments named it.
    pub images: u64,
    /// How many entries of the history did.
    pub entries: u64,
    /// How many rows of traffic were the user's.
    pub rows: u64,
    /// Rules that ask for the key still: what they shall ask instead, somebody must decide.
    pub rules: Vec<RuleThatAsks>,
}

/// A rule that asks for a key.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleThatAsks {
    /// The project's key; null for a segment of the organization.
    pub project: Option<String>,
    /// The environment's key; null for a shared segment.
    pub environment: Option<String>,
    /// `flag` or `segment`.
    pub kind: &'static str,
    /// Its key.
    pub key: String,
    /// The rule's id.
    pub rule: String,
}

impl From<RuleMention> for RuleThatAsks {
    fn from(found: RuleMention) -> Self {
        Self {
            project: found.project,
            environment: found.environment,
            kind: found.kind,
            key: found.key,
            rule: found.rule,
        }
    }
}

/// Forget an end user in the whole organization: out of individual targets and the lists of
/// segments by a change set (which takes the permissions for it, and approvals where an environment
/// asks for them: then nothing was done), out of requests (one that waits and named the user in a
/// command stops, until somebody revises it), out of earlier states and the bodies of the history,
/// and out of traffic. Counts stay, since they name nobody, and the chains still verify. What was cut
/// short is finished by asking once more. A program that asks for the user again brings them back.
#[utoipa::path(post, path = "/api/v1/users/forget", tag = "users", request_body = ForgetUser,
    responses((status = 200, body = Forgotten), (status = 400, body = Problem),
        (status = 409, body = Problem), (status = 412, body = Problem)))]
pub async fn forget(
    State(state): State<AppState>,
    caller: Caller,
    Body(asked): Body<ForgetUser>,
) -> Result<Json<Forgotten>, Problem> {
    caller.may("user.forget", &Resource::organization())?;
    let key = asked.key.as_str();
    if key.trim().is_empty() || key.len() > MAX_KEY || key.contains('\0') {
        let rule = format!("a user's key has 1 to {MAX_KEY} bytes, not only blanks, no U+0000");
        return Err(Problem::invalid("/key", "userKey", rule));
    }
    if names(&asked.comment, key) {
        let rule = "the comment stays: it must not name the user";
        return Err(Problem::invalid("/comment", "namesUser", rule));
    }
    let why = Why {
        comment: changes::comment(&asked.comment)?,
        override_reason: reason(asked.over, key)?,
    };
    let (store, organization) = (&state.store, &caller.organization);
    let (mut changes, _) = take_out(&state, &caller, key, &why).await?;
    let requests = store
        .forget_in_requests(organization, key, &caller.actor, now())
        .await?;
    // A request that was applied before it stopped may have put the key back.
    let (more, rules) = take_out(&state, &caller, key, &why).await?;
    changes.extend(more);
    let forgotten = Forgotten {
        changes,
        requests,
        images: store.forget_in_images(organization, key).await?,
        entries: store
            .forget_in_history(organization, key, &caller.actor, state.notary(), now())
            .await?,
        rows: store.forget_in_traffic(organization, key).await?,
        rules: rules.into_iter().map(Into::into).collect(),
    };
    if !store.leave_no_trace().await? {
        tracing::warn!(
            "what was forgotten stands in a write-ahead log until its readers are through"
        );
    }
    Ok(Json(forgotten))
}

/// Takes the key out of what is served now; the change sets that did, and the rules that ask for it
/// still.
async fn take_out(
    state: &AppState,
    caller: &Caller,
    key: &str,
    why: &Why,
) -> Result<(Vec<String>, Vec<RuleMention>), Problem> {
    let mentions = state.store.mentions(&caller.organization, key);
    let mentions = mentions.await?;
    let mut changes = Vec::new();
    for commands in mentions.commands.chunks(COMMANDS) {
        changes.push(apply(state, caller, why, commands).await?);
    }
    Ok((changes, mentions.rules))
}

/// What the change sets say of themselves.
struct Why {
    comment: String,
    override_reason: Option<String>,
}

/// The reason why approvals are gone without, which stays as the comment does.
fn reason(over: Option<Override>, key: &str) -> Result<Option<String>, Problem> {
    let reason = over.map(changes::reason).transpose()?;
    match reason {
        Some(reason) if names(&reason, key) => {
            let rule = "the reason stays: it must not name the user";
            Err(Problem::invalid("/override/reason", "namesUser", rule))
        }
        reason => Ok(reason),
    }
}

/// Whether a text names the user.
fn names(text: &str, key: &str) -> bool {
    forget::text(text, key) != text || text.trim() == key
}

/// Applies commands by the one way in; the change set's id.
async fn apply(
    state: &AppState,
    caller: &Caller,
    why: &Why,
    commands: &[Value],
) -> Result<String, Problem> {
    let request = ChangeSetRequest {
        id: None,
        organization: caller.organization.clone(),
        actor: caller.actor.clone(),
        rights: caller.rights.clone(),
        comment: why.comment.clone(),
        base: BTreeMap::new(),
        commands: command::parse(commands.to_vec(), None)?,
        override_reason: why.override_reason.clone(),
        dry_run: false,
        now: now(),
    };
    let applied = state.store.apply(&request).await?;
    let moved = applied.positions.iter();
    let moved = moved.map(|(environment, (version, _))| (environment.as_str(), *version));
    state.served(moved).await;
    Ok(applied.id)
}
