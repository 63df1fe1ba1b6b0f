//! What is asked for and what is answered.

use std::collections::BTreeMap;

use burgee_domain::Rejected;
use burgee_domain::access::{Decision, Need, Resource, Rights};
use burgee_domain::admission::EnvironmentNeeds;
use burgee_domain::command::Command;
use burgee_domain::diff::{DiffLine, ItemChange};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::outcome::{Facet, Warning};
use burgee_eval::time::Millis;
use serde::{Deserialize, Serialize};

use super::admission::Overridden;
use super::preview::Preview;
use crate::change_sets::Actor;
use crate::error::StoreError;

/// Commands to be applied, all or nothing.
#[derive(Clone, Debug)]
pub struct ChangeSetRequest {
    /// The client's id for it (a UUID), so that a repeated request does nothing twice; made where
    /// none is given.
    pub id: Option<String>,
    /// In which organization.
    pub organization: Id<Organization>,
    /// By whom.
    pub actor: Actor,
    /// What they may do.
    pub rights: Rights,
    /// Why.
    pub comment: String,
    /// The versions that it was made against, by scope: `project/environment`, `project`, or the
    /// empty text for the organization. Scopes without one are not checked.
    pub base: BTreeMap<String, i64>,
    /// What to do, in order.
    pub commands: Vec<Command>,
    /// Why approvals are gone without, in an emergency: takes `change.override` wherever some are
    /// missing.
    pub override_reason: Option<String>,
    /// Whether to only show what it would do.
    pub dry_run: bool,
    /// The moment of the change.
    pub now: Millis,
}

/// What a change set did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Applied {
    /// The change set's id.
    pub id: String,
    /// The new version of each scope that moved, named as in [`ChangeSetRequest::base`].
    pub versions: BTreeMap<String, i64>,
    /// The new position of each environment that moved, by id: version and digest.
    pub positions: BTreeMap<String, (i64, u64)>,
    /// What changed, in plain words and for programs.
    pub diff: Vec<DiffLine>,
    /// What changed, as JSON: of each item the parts that differ.
    #[serde(default)]
    pub changes: Vec<ItemChange>,
    /// How many items `changes` leaves out, because it is large.
    #[serde(default)]
    pub changes_left_out: usize,
    /// What the author should know.
    pub warnings: Vec<Warning>,
    /// What others changed of the same after its base, where it was rebased.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<ConflictFound>,
    /// The request that it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// Which step of the request it was, where that had a moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepApplied>,
    /// Of a dry run: what the environments that move would serve.
    #[serde(skip)]
    pub preview: Vec<Preview>,
    /// The approvals that were gone without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overridden: Option<Overridden>,
    /// What the environments ask that it changes; not kept.
    #[serde(skip)]
    pub needs: Vec<EnvironmentNeeds>,
    /// Of a dry run: what it takes; what is lacking first. It is not kept.
    #[serde(skip)]
    pub permissions: Vec<PermissionFound>,
}

/// A step of a request, which was to be applied at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepApplied {
    /// Counted from 1.
    pub step: i64,
    /// How many steps the request had then.
    pub of: i64,
    /// When it was due.
    pub due_at: Millis,
    /// Whether it was applied because it was due; else somebody applied it.
    pub by_schedule: bool,
}

/// A permission that a change set takes, and whether its author has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionFound {
    /// The first command that takes it.
    pub command: usize,
    /// E.g. `flag.turnOn`.
    pub action: String,
    /// On what, e.g. `project/web:env/prod:flag/checkout`.
    pub resource: String,
    /// Whether the author may.
    pub allowed: bool,
    /// The policy that says so, or denies it; none where no statement mentions it.
    pub policy: Option<String>,
    /// The statement's index in the policy.
    pub statement: Option<usize>,
}

/// A permission that somebody does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// E.g. `change.override`.
    pub action: &'static str,
    /// On what.
    pub resource: Resource,
    /// By which statement, if any.
    pub decision: Decision,
}

impl Denied {
    /// Refuses the first place where the action is not allowed.
    ///
    /// # Errors
    /// [`ApplyError::Denied`], of that place.
    pub fn unless_all(
        rights: &Rights,
        action: &'static str,
        places: impl IntoIterator<Item = Resource>,
    ) -> Result<(), ApplyError> {
        for resource in places {
            let decision = rights.decide(action, &resource);
            if !decision.is_allowed() {
                return Err(ApplyError::Denied(Box::new(Self {
                    action,
                    resource,
                    decision,
                })));
            }
        }
        Ok(())
    }
}

/// A facet that somebody else changed after the base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConflictFound {
    /// The scope, named as in [`ChangeSetRequest::base`].
    pub scope: String,
    /// The version that changed it.
    pub version: i64,
    /// `flag` or `segment`.
    pub kind: String,
    /// The flag's or segment's key.
    pub key: String,
    /// What both changed.
    pub facets: Vec<Facet>,
    /// Who changed it.
    pub by: Actor,
    /// When.
    pub at: Millis,
    /// Why.
    pub comment: String,
}

/// Why a change set was not applied. Nothing of it was.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// A command cannot be applied.
    #[error(transparent)]
    Rejected(#[from] Rejected),
    /// A command needs a permission that its author does not have.
    #[error("command {}: {} on {} is not allowed", .0.command, .0.action, .0.resource)]
    Forbidden(Box<Need>, Decision),
    /// What is done with the change set, rather than by it, needs a permission.
    #[error("{} on {} is not allowed", .0.action, .0.resource)]
    Denied(Box<Denied>),
    /// These environments ask for a comment.
    #[error("a comment is required in {} environments", .0.len())]
    CommentRequired(Vec<EnvironmentNeeds>),
    /// These environments ask for approvals that are missing, or somebody declined.
    #[error("approval is required in {} environments", .0.len())]
    ApprovalRequired(Vec<EnvironmentNeeds>),
    /// The base names a scope that does not exist, or a version that it has not had: it would check
    /// nothing.
    #[error("base, {scope}: {message}")]
    Base {
        /// The name, as it was given.
        scope: String,
        /// In plain words.
        message: String,
    },
    /// Others changed the same after the base.
    #[error("{} of its facets were changed by others", .0.len())]
    Conflict(Vec<ConflictFound>),
    /// The store could not.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for ApplyError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<serde_json::Error> for ApplyError {
    fn from(error: serde_json::Error) -> Self {
        Self::Store(error.into())
    }
}
