//! Requests as they are sent and shown.

use std::collections::BTreeMap;

use burgee_domain::admission::EnvironmentNeeds;
use burgee_domain::command::Command;
use burgee_domain::diff::DiffLine;
use burgee_domain::outcome::Warning;
use burgee_domain::request::schedule::{StepState, Stop};
use burgee_domain::request::{Stage, State};
use burgee_store::requests::{
    Event, Listed, Outlook, RequestError, RevisionHead, Scheduled, Seen, Step, StepHead, StepWords,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::body::once;
use crate::problem::{Collision, Problem};

/// A change set that shall wait.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewRequestBody {
    /// A UUID of the caller's making: a request that is sent again is made once.
    pub id: Option<String>,
    /// What it is for, in a line: 1 to 256 characters.
    pub title: String,
    /// What it is for; at most 2,000 characters.
    #[serde(default)]
    pub description: String,
    /// The comment on the change set.
    #[serde(default)]
    pub comment: String,
    /// The versions that the author saw, as of a change set.
    #[serde(default, deserialize_with = "once::each_once")]
    pub base: BTreeMap<String, i64>,
    /// What to do, in order, when somebody applies it; each has a `kind`. See `docs/api.md` for all
    /// of them.
    #[serde(default)]
    #[schema(value_type = Vec<Command>)]
    pub commands: Vec<Value>,
    /// Instead of `commands`: what to do when, in order; 1 to 20 steps.
    #[serde(default)]
    pub steps: Vec<NewStepBody>,
    /// Show the request as it would be, and make none.
    #[serde(default)]
    pub dry_run: bool,
}

/// A step of a request: a change set that is applied at a moment.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewStepBody {
    /// When, ISO 8601: ahead, by a year at most, and after the step before.
    pub at: String,
    /// What to do, in order; each has a `kind`. See `docs/api.md` for all of them.
    #[schema(value_type = Vec<Command>)]
    pub commands: Vec<Value>,
}

/// What a request shall do instead.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewRevisionBody {
    /// The comment on the change set.
    #[serde(default)]
    pub comment: String,
    /// The versions that the author saw, as of a change set.
    #[serde(default, deserialize_with = "once::each_once")]
    pub base: BTreeMap<String, i64>,
    /// What to do, in order, when somebody applies it; each has a `kind`. See `docs/api.md` for all
    /// of them.
    #[serde(default)]
    #[schema(value_type = Vec<Command>)]
    pub commands: Vec<Value>,
    /// Instead of `commands`: what to do when, in order; 1 to 20 steps. Those that were applied
    /// stay.
    #[serde(default)]
    pub steps: Vec<NewStepBody>,
}

/// A change set that waits, or has waited.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestView {
    /// What it is.
    #[serde(flatten)]
    pub head: RequestHead,
    /// Its steps: those that were applied, and those of the newest revision.
    pub steps: Vec<StepView>,
}

/// What a request is, but for its steps.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestHead {
    /// Its id.
    pub id: String,
    /// What it is for, in a line.
    pub title: String,
    /// What it is for.
    pub description: String,
    /// Where it is.
    pub state: State,
    /// Who asked for it: a member's address or a token's name.
    pub author: String,
    /// What it is a name of: `member` or `token`.
    pub author_kind: &'static str,
    /// The newest revision, counted from 1.
    pub revision: i64,
    /// The scopes that it moves, as in the `versions` of a change set.
    pub scopes: Vec<String>,
    /// What the environments ask that it changes, and what is missing; empty where it does not wait
    /// any more.
    pub needs: Vec<EnvironmentNeeds>,
    /// Whether your review is one that is missing.
    pub awaits_you: bool,
    /// The id of the change set that it came to; of a series that of its last step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_set: Option<String>,
    /// When its next step is due, ISO 8601; absent where none waits for its moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<String>,
    /// Why it stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
    /// When it was made, ISO 8601.
    pub created_at: String,
    /// When it was last revised or reviewed, applied, withdrawn or stopped, ISO 8601.
    pub changed_at: String,
}

/// A step of a request.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    /// Counted from 1.
    pub step: i64,
    /// When it is due, ISO 8601; null: when somebody applies it.
    pub at: Option<String>,
    /// Where it is.
    pub state: StepState,
    /// The id of the change set that it came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_set: Option<String>,
    /// When it was applied, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_at: Option<String>,
}

impl StepView {
    /// A step of a request that is there.
    pub(super) fn new(step: StepHead, of: Stage) -> Self {
        let state = step.state(of);
        let (change_set, applied_at) = match step.done {
            Some(done) => (Some(done.change_set), Some(done.at.to_string())),
            None => (None, None),
        };
        Self {
            step: step.step,
            at: step.due_at.map(|at| at.to_string()),
            state,
            change_set,
            applied_at,
        }
    }
}

/// A step with what is in it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepDetail {
    /// As in a list.
    #[serde(flatten)]
    pub step: StepView,
    /// What it does.
    #[schema(value_type = Vec<Command>)]
    pub commands: Vec<Command>,
    /// What it changes, after the steps before it: what reviewers agree to.
    pub diff: Vec<DiffLine>,
}

impl StepDetail {
    fn new(step: Step, of: Stage) -> Self {
        Self {
            step: StepView::new(step.head, of),
            commands: step.commands,
            diff: step.diff,
        }
    }
}

/// A step that has a moment, with its request.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScheduledView {
    /// The step.
    #[serde(flatten)]
    pub step: StepView,
    /// How many steps the request has.
    pub of: i64,
    /// What the step does, as it was when it was asked for: the first ten differences.
    pub diff: Vec<DiffLine>,
    /// How many more differences there are.
    pub diff_left_out: usize,
    /// The request.
    pub request: RequestView,
}

/// How many differences of a step are listed.
const LISTED: usize = 10;

impl From<Scheduled> for ScheduledView {
    fn from(mut found: Scheduled) -> Self {
        let diff_left_out = found.diff.len().saturating_sub(LISTED);
        found.diff.truncate(LISTED);
        Self {
            diff: found.diff,
            diff_left_out,
            step: StepView::new(found.step, found.listed.request.stage),
            of: found.of,
            request: found.listed.into(),
        }
    }
}

/// Other moments for the steps that wait.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RescheduleBody {
    /// ISO 8601: one for each step that waits, in order.
    pub at: Vec<String>,
}

impl From<Listed> for RequestView {
    fn from(mut listed: Listed) -> Self {
        let stage = listed.request.stage;
        let steps = std::mem::take(&mut listed.steps).into_iter();
        Self {
            steps: steps.map(|it| StepView::new(it, stage)).collect(),
            head: listed.into(),
        }
    }
}

impl From<Listed> for RequestHead {
    fn from(listed: Listed) -> Self {
        let request = listed.request;
        Self {
            id: request.id,
            title: request.title,
            description: request.description,
            state: listed.state,
            author: request.author.actor.name,
            author_kind: request.author.actor.kind.as_str(),
            revision: request.revision,
            scopes: request.scopes,
            needs: listed.needs,
            awaits_you: listed.awaits_viewer,
            change_set: request.change_set,
            due_at: request.due_at.map(|at| at.to_string()),
            stopped: request.stopped,
            created_at: request.created_at.to_string(),
            changed_at: request.changed_at.to_string(),
        }
    }
}

/// A request with its newest revision and its discussion.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestDetail {
    /// As in a list, but for the steps, which are whole.
    #[serde(flatten)]
    pub request: RequestHead,
    /// The comment on the change set.
    pub comment: String,
    /// What the newest revision does: all its steps together.
    #[schema(value_type = Vec<Command>)]
    pub commands: Vec<Command>,
    /// What the newest revision changes, as it was when it was written: what reviewers agree to.
    pub diff: Vec<DiffLine>,
    /// The steps that were applied, and those of the newest revision.
    pub steps: Vec<StepDetail>,
    /// What would become now of the steps that wait; absent where it does not wait any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<OutlookView>,
    /// All revisions, from the first.
    pub revisions: Vec<RevisionView>,
    /// Reviews and comments, from the first.
    pub events: Vec<EventView>,
}

/// What would become of a request now.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutlookView {
    /// What it would change.
    pub diff: Vec<DiffLine>,
    /// What is not as it was when the revision was written: it needs a rebase.
    pub conflicts: Vec<Collision>,
    /// What its author and its reviewers should know.
    pub warnings: Vec<Warning>,
    /// Why it cannot be applied as it is, approvals and conflicts apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Problem>,
}

impl From<Result<Outlook, RequestError>> for OutlookView {
    fn from(outlook: Result<Outlook, RequestError>) -> Self {
        match outlook {
            Ok(outlook) => Self {
                diff: outlook.diff,
                warnings: outlook.warnings,
                conflicts: outlook.conflicts.into_iter().map(Into::into).collect(),
                refused: None,
            },
            Err(refused) => Self {
                refused: Some(refused.into()),
                ..Self::default()
            },
        }
    }
}

impl RequestDetail {
    /// A request with what would become of it.
    pub(super) fn new(seen: Seen, outlook: Option<Result<Outlook, RequestError>>) -> Self {
        let (stage, newest) = (seen.listed.request.stage, seen.newest);
        let of_newest = newest.steps.iter();
        let commands = of_newest.clone().flat_map(|it| it.commands.clone());
        let diff = of_newest.flat_map(|it| it.diff.clone()).collect();
        let (commands, steps) = (commands.collect(), seen.before.into_iter());
        let steps = steps.chain(newest.steps);
        let revisions = seen.revisions.into_iter();
        let revisions = revisions.map(|head| RevisionView::new(head, &seen.words));
        Self {
            request: seen.listed.into(),
            comment: newest.head.comment,
            commands,
            diff,
            steps: steps.map(|it| StepDetail::new(it, stage)).collect(),
            now: outlook.map(Into::into),
            revisions: revisions.collect(),
            events: seen.events.into_iter().map(Into::into).collect(),
        }
    }
}

/// A revision of a request.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevisionView {
    /// Counted from 1.
    pub revision: i64,
    /// Who wrote it: a member's address or a token's name.
    pub author: String,
    /// Whether it is the one before, tried out anew.
    pub rebased: bool,
    /// The comment on the change set.
    pub comment: String,
    /// When, ISO 8601.
    pub at: String,
    /// What it was to do, step for step.
    pub steps: Vec<RevisionStep>,
}

/// What a step of a revision was to do, as it was when the revision was written.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevisionStep {
    /// Its number.
    pub step: i64,
    /// When it was to be applied, ISO 8601; absent: by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What it was to change: the first hundred differences.
    pub diff: Vec<DiffLine>,
    /// How many more differences there were.
    pub diff_left_out: usize,
}

/// How many differences of a step of a revision are listed.
const OF_REVISION: usize = 100;

impl From<StepWords> for RevisionStep {
    fn from(mut found: StepWords) -> Self {
        let diff_left_out = found.diff.len().saturating_sub(OF_REVISION);
        found.diff.truncate(OF_REVISION);
        Self {
            step: found.step,
            at: found.due_at.map(|at| at.to_string()),
            diff: found.diff,
            diff_left_out,
        }
    }
}

impl RevisionView {
    fn new(head: RevisionHead, words: &[StepWords]) -> Self {
        let steps = words.iter().filter(|it| it.revision == head.revision);
        Self {
            steps: steps.cloned().map(Into::into).collect(),
            revision: head.revision,
            author: head.author.actor.name,
            rebased: head.rebased,
            comment: head.comment,
            at: head.at.to_string(),
        }
    }
}

/// A review or a comment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventView {
    /// `approve`, `decline` or `comment`.
    pub kind: &'static str,
    /// Who says it: a member's address or a token's name.
    pub by: String,
    /// The newest revision at the time. Reviews of an older one count no more.
    pub revision: i64,
    /// In their words.
    pub text: String,
    /// When, ISO 8601.
    pub at: String,
}

impl From<Event> for EventView {
    fn from(event: Event) -> Self {
        Self {
            kind: event.said.as_str(),
            by: event.by.actor.name,
            revision: event.revision,
            text: event.text,
            at: event.at.to_string(),
        }
    }
}

/// What a rebase came to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RebaseResult {
    /// What others had changed since the revision before.
    pub differences: Vec<Collision>,
    /// The request, with the new revision.
    pub request: RequestDetail,
}
