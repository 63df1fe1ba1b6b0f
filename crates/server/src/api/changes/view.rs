//! A change set as the history shows it, and what of it somebody may see.

use std::collections::BTreeMap;

use burgee_domain::access::{Decision, Kind, Marks, Resource, Rights};
use burgee_domain::diff::{DiffLine, ItemChange};
use burgee_store::{Applied, LoggedChangeSet, StepApplied};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::OverriddenView;
use crate::auth::Caller;

/// A change set in the history.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeView {
    /// Its id.
    pub id: String,
    /// Who applied it: a member's address, a token's name, `operator` (command line) or `system`.
    pub actor: String,
    /// What it is a name of: `token`, `operator`, `system` or `member`.
    pub actor_kind: &'static str,
    /// Why.
    pub comment: String,
    /// When it was asked for, ISO 8601.
    pub at: String,
    /// What was done; null in a list where it is large: the change set by its id has it.
    #[schema(value_type = Option<Vec<Object>>)]
    pub commands: Value,
    /// The versions that it moved, by scope.
    pub versions: BTreeMap<String, i64>,
    /// What changed, in plain words and for programs.
    pub diff: Vec<DiffLine>,
    /// What changed, as JSON: of each item the parts that differ, before and after.
    pub changes: Vec<ItemChange>,
    /// How many items `changes` leaves out, because it is large.
    pub changes_left_out: usize,
    /// The id of the request that it was, where it waited as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// Which step of the request it was, where that had a moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepAppliedView>,
    /// The approvals that were gone without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overridden: Option<OverriddenView>,
}

/// A step of a request, which was to be applied at a moment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepAppliedView {
    /// Counted from 1.
    pub step: i64,
    /// How many steps the request had then.
    pub of: i64,
    /// When it was due, ISO 8601.
    pub due_at: String,
    /// Whether it was applied, in its author's name, because it was due; else the actor applied it.
    pub by_schedule: bool,
}

impl From<StepApplied> for StepAppliedView {
    fn from(step: StepApplied) -> Self {
        Self {
            step: step.step,
            of: step.of,
            due_at: step.due_at.to_string(),
            by_schedule: step.by_schedule,
        }
    }
}

impl From<LoggedChangeSet> for ChangeView {
    fn from(change: LoggedChangeSet) -> Self {
        let answered = Applied::deserialize(&change.result).unwrap_or_default();
        Self {
            id: change.id,
            actor: change.actor.name,
            actor_kind: change.actor.kind.as_str(),
            comment: change.comment,
            at: change.at.to_string(),
            commands: change.commands,
            versions: answered.versions,
            diff: answered.diff,
            changes: answered.changes,
            changes_left_out: answered.changes_left_out,
            request: answered.request,
            step: answered.step.map(Into::into),
            overridden: answered.overridden.map(Into::into),
        }
    }
}

impl ChangeView {
    /// What somebody may see of it: all with `audit.read`, else what is about environments, flags'
    /// projects and segments that they may see. None: nothing.
    pub(in crate::api) fn seen_by(mut self, caller: &Caller, marks: &Marks) -> Option<Self> {
        if caller.rights.allow("audit.read", &Resource::organization()) {
            return Some(self);
        }
        let rights = &caller.rights;
        let sees = |about: &dyn Fn(&str) -> Option<String>| lacks(rights, marks, about).is_none();
        if let Some(overridden) = &mut self.overridden {
            overridden
                .environments
                .retain(|scope| sees(&|name| of_scope(scope, name)));
        }
        self.overridden = self.overridden.filter(|it| !it.environments.is_empty());
        self.diff
            .retain(|line| sees(&|name| line.params.get(name).cloned()));
        if let Value::Array(commands) = &mut self.commands {
            commands.retain(|command| sees(&|name| command.get(name)?.as_str().map(str::to_owned)));
        }
        self.changes.retain(|item| {
            sees(&|name| match name == item.kind {
                true => Some(item.key.clone()),
                false => of_scope(&item.scope, name),
            })
        });
        self.versions
            .retain(|scope, _| sees(&|name| of_scope(scope, name)));
        let nothing = self.diff.is_empty() && self.versions.is_empty();
        (!nothing).then_some(self)
    }
}

/// The key of the `project` or the `environment` that a scope's name holds.
fn of_scope(scope: &str, name: &str) -> Option<String> {
    let (project, environment) = match scope.split_once('/') {
        Some((project, environment)) => (project, Some(environment)),
        None => (scope, None),
    };
    match name {
        "project" => Some(project.to_owned()).filter(|key| !key.is_empty()),
        "environment" => environment.map(str::to_owned),
        _ => None,
    }
}

/// What somebody lacks to see what these names say it is about.
pub(in crate::api) fn lacks(
    rights: &Rights,
    marks: &Marks,
    about: &dyn Fn(&str) -> Option<String>,
) -> Option<(&'static str, Resource)> {
    let (action, resource) = match (about("project"), about("environment"), about("segment")) {
        (Some(project), Some(environment), _) => {
            let place = marks.environment(&project, &environment);
            ("environment.read", place)
        }
        (Some(project), None, _) => ("project.read", Resource::project(project)),
        (None, _, Some(segment)) => ("segment.read", Resource::new(Kind::Segment, segment)),
        (None, _, None) => return Some(("audit.read", Resource::organization())),
    };
    let resource = marks.item(resource);
    if !rights.allow(action, &resource) {
        return Some((action, resource));
    }
    match (about("project"), about("flag"), about("segment")) {
        (Some(project), Some(flag), _) => {
            let own = marks.item(Resource::project(project).with(Kind::Flag, flag.as_str()));
            (!sees_flag(rights, &own, resource, &flag)).then_some(("flag.read", own))
        }
        (Some(_), None, Some(segment)) => {
            let segment = marks.item(resource.with(Kind::Segment, segment));
            (!rights.allow("segment.read", &segment)).then_some(("segment.read", segment))
        }
        _ => None,
    }
}

/// Whether somebody may see what is said of a flag somewhere, e.g. in an environment: who may see it
/// there, or in its project, and is denied neither. `own`: the flag in its project, with its tags.
pub(in crate::api) fn sees_flag(
    rights: &Rights,
    own: &Resource,
    place: Resource,
    key: &str,
) -> bool {
    let there = place.with(Kind::Flag, key).tagged(own.tags());
    let decided = [own, &there].map(|it| rights.decide("flag.read", it));
    let denied = |it: &Decision| matches!(it, Decision::Denied(_));
    decided.iter().any(Decision::is_allowed) && !decided.iter().any(denied)
}
