//! Change sets that are worked out from something else: a revert, a promotion, a copy, a selection.
//!
//! They go the one way of all change sets, with the versions at which they were worked out as their
//! base. With `dryRun` the answer has the commands too, to be looked at, left out in part, or put
//! into a request or a schedule.

use std::collections::BTreeMap;

use axum::Json;
use burgee_domain::access::Marks;
use burgee_domain::command::Command;
use burgee_domain::outcome::Warning;
use burgee_store::{ChangeSetRequest, ConflictFound, Planned};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::api::changes::{self, ChangeResult, Override};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::problem::{Collision, Problem};

/// A change set that was worked out, and what it did or would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannedResult {
    /// Its commands, as `POST …/changes` takes them.
    #[schema(value_type = Vec<Command>)]
    pub commands: Value,
    /// The versions at which it was worked out: the `base` to send the commands with.
    pub base: BTreeMap<String, i64>,
    /// What it does not reach, and what else its author should know; besides those of `result`.
    pub warnings: Vec<Warning>,
    /// What it did, or would do.
    pub result: ChangeResult,
}

/// What all such requests have.
pub(super) struct Common {
    pub(super) id: Option<String>,
    pub(super) comment: String,
    pub(super) dry_run: bool,
    pub(super) over: Option<Override>,
}

/// The body of such a request: fields of its own, and those that all have. A macro because a struct
/// that is flattened into another (serde) loses the pointer to the field that is wrong.
macro_rules! asking {
    ($(#[$about:meta])* pub struct $name:ident {
        $($(#[$of_field:meta])* pub $field:ident: $kind:ty,)*
    }) => {
        $(#[$about])*
        #[derive(Debug, serde::Deserialize, utoipa::ToSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $($(#[$of_field])* pub $field: $kind,)*
            /// A UUID of the caller's making: a request that is sent again changes nothing again.
            pub id: Option<String>,
            /// Why; kept in the history.
            #[serde(default)]
            pub comment: String,
            /// Say what would happen, and with which commands, and change nothing.
            #[serde(default)]
            pub dry_run: bool,
            /// Apply it, in an emergency, though approvals are missing.
            #[serde(rename = "override")]
            pub over: Option<$crate::api::changes::Override>,
        }

        impl $name {
            /// Takes what all such requests have.
            fn common(&mut self) -> $crate::api::planned::Common {
                $crate::api::planned::Common {
                    id: self.id.take(),
                    comment: std::mem::take(&mut self.comment),
                    dry_run: self.dry_run,
                    over: self.over.take(),
                }
            }
        }
    };
}
pub(super) use asking;

/// Does what is asked: answers as the same request was answered before, else makes the `plan` and
/// applies it. `what` tells this request from others: under one id, the same is asked.
pub(super) async fn carry_out(
    state: &AppState,
    caller: &Caller,
    common: Common,
    what: &Value,
    plan: impl Future<Output = Result<Planned, Problem>>,
) -> Result<Json<PlannedResult>, Problem> {
    let asked = Asked {
        id: changes::change_id(common.id)?,
        comment: changes::comment(&common.comment)?,
        dry_run: common.dry_run,
        override_reason: common.over.map(changes::reason).transpose()?,
        what: what.to_string(),
    };
    match asked.answered(state, caller).await? {
        Some(answered) => Ok(Json(answered)),
        None => asked.apply(state, caller, plan.await?).await.map(Json),
    }
}

/// What is asked for, checked.
struct Asked {
    id: Option<String>,
    comment: String,
    dry_run: bool,
    override_reason: Option<String>,
    /// What is asked for: the same under the same id.
    what: String,
}

impl Asked {
    /// The answer that the same request got before.
    async fn answered(
        &self,
        state: &AppState,
        caller: &Caller,
    ) -> Result<Option<PlannedResult>, Problem> {
        let Some(id) = &self.id else {
            return Ok(None);
        };
        let organization = &caller.organization;
        let store = &state.store;
        let reason = self.override_reason.as_deref();
        let first = store.first_answer(organization, id, &self.comment, reason, &self.what);
        let Some(applied) = first.await? else {
            return Ok(None);
        };
        let done = store.change_set(organization, id).await?;
        Ok(Some(PlannedResult {
            commands: done.commands,
            base: BTreeMap::new(),
            warnings: Vec::new(),
            result: ChangeResult::new(applied, false),
        }))
    }

    /// Applies what was worked out.
    async fn apply(
        self,
        state: &AppState,
        caller: &Caller,
        planned: Planned,
    ) -> Result<PlannedResult, Problem> {
        if !planned.conflicts.is_empty() {
            let marks = state
                .store
                .marks(&caller.organization, &caller.rights)
                .await?;
            let conflicts = planned.conflicts.into_iter();
            let seen = conflicts.filter(|it| sees(caller, &marks, it));
            return Err(Problem::changed_since(seen.map(Collision::from).collect()));
        }
        for flag in &planned.read {
            caller.may("flag.read", flag)?;
        }
        let request = ChangeSetRequest {
            id: self.id,
            organization: caller.organization.clone(),
            actor: caller.actor.clone(),
            rights: caller.rights.clone(),
            comment: self.comment,
            base: planned.base,
            commands: planned.commands,
            dry_run: self.dry_run,
            override_reason: self.override_reason,
            now: now(),
        };
        let applied = state.store.apply_planned(&request, &self.what).await?;
        let Json(result) = changes::result(state, applied, self.dry_run).await;
        Ok(PlannedResult {
            commands: json!(request.commands),
            base: request.base,
            warnings: planned.warnings,
            result,
        })
    }
}

/// Whether somebody may see the place of a conflict.
fn sees(caller: &Caller, marks: &Marks, conflict: &ConflictFound) -> bool {
    let scope = conflict.scope.as_str();
    let action = match scope.contains('/') {
        true => "environment.read",
        false => "project.read",
    };
    scope.is_empty() || caller.rights.allow(action, &marks.scope(scope))
}
