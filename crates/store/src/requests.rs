//! Requests: change sets that wait. What may be done with one is decided by `burgee-domain`
//! ([`burgee_domain::request`]); here is where they are kept.
//!
//! What a request would do is tried out under the same locks as a change set when it is written
//! down, and again when it is applied ([`Store::apply_request`]). Its row is locked after all
//! environments and before the organization's history, so that reviewing, revising and applying
//! one wait for each other and never in a circle. Who applies a step has its row locked before all
//! of that ([`steps::claim`]), so that of several servers one does.

mod due;
mod forget;
mod inbox;
mod list;
mod review;
mod rows;
mod schedule;
mod scopes;
pub(crate) mod series;
pub(crate) mod steps;
mod stop;
pub(crate) mod voices;
mod weighed;
mod write;

use std::collections::BTreeMap;

use burgee_domain::Rejected;
use burgee_domain::access::{Decision, Marks, Need, Resource};
use burgee_domain::admission::Place;
use burgee_domain::command::Command;
use burgee_domain::diff::DiffLine;
use burgee_domain::id::Id;
use burgee_domain::outcome::Scope;
use burgee_domain::request::held::Held;
use burgee_domain::request::schedule::{BadSchedule, StepState, Stop};
use burgee_domain::request::{Closed, Stage};
use burgee_eval::time::Millis;

pub use inbox::{Viewer, Waiting};
pub use list::{Listed, RequestFilter, Seen};
pub use review::{NewReview, Said};
pub(crate) use rows::{find, lock, revision, update};
pub use schedule::{ScheduleFilter, Scheduled};
pub(crate) use scopes::resources;
pub use series::Outlook;
pub use write::{NewRequest, NewRevision, NewStep, Rebased, Replan};

use crate::apply::{ApplyError, ConflictFound};
use crate::change_sets::{Actor, ActorKind};
use crate::error::StoreError;
use crate::people::accounts::Account;

/// Somebody who takes part in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// In the history.
    pub actor: Actor,
    /// Whose voice it is: an account's id, also for its tokens; of all tokens that stand for nobody
    /// the operator's, since whoever has one that may do everything makes others with it. Nobody
    /// reviews their own request by way of a token.
    pub voice: String,
}

/// The voice of the operator, and of all tokens that the operator made or that were made by those.
const OPERATOR: &str = "operator";

impl Party {
    /// An actor, and the account that is bound by what they do.
    pub fn new(actor: &Actor, maker: Option<&Id<Account>>) -> Self {
        let voice = match (maker, actor.kind) {
            (Some(account), _) => account.to_string(),
            (None, ActorKind::Member) => actor.id.clone(),
            (None, ActorKind::Operator | ActorKind::Token) => OPERATOR.to_owned(),
            (None, ActorKind::System) => actor.kind.as_str().to_owned(),
        };
        Self {
            actor: actor.clone(),
            voice,
        }
    }

    /// Whether it is the same one: an account, whatever it acts by; or one and the same token of
    /// the operator's, whose tokens share a voice and nothing else.
    pub fn is(&self, other: &Self) -> bool {
        self.voice == other.voice
            && (self.voice != OPERATOR
                || (self.actor.kind, &self.actor.id) == (other.actor.kind, &other.actor.id))
    }
}

/// A change set that waits, or has waited.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Unique in the organization.
    pub id: String,
    /// What it is for, in a line.
    pub title: String,
    /// What it is for.
    pub description: String,
    /// Where it is.
    pub stage: Stage,
    /// Who asked for it first.
    pub author: Party,
    /// The newest revision, counted from 1.
    pub revision: i64,
    /// The scopes that it moves, as in the base of a change set.
    pub scopes: Vec<String>,
    /// Where it changes what is served.
    pub places: Vec<Place>,
    /// What it is about, by the keys in its diff: `project`, `environment`, `flag`, `segment`.
    pub about: Vec<BTreeMap<String, String>>,
    /// The change set that it came to.
    pub change_set: Option<String>,
    /// When it was made.
    pub created_at: Millis,
    /// When it was last revised or reviewed, applied, withdrawn or stopped.
    pub changed_at: Millis,
    /// When its next step is due; none where none waits for its moment.
    pub due_at: Option<Millis>,
    /// Why it stopped.
    pub stopped: Option<Stop>,
}

impl Request {
    /// What permissions on it are asked of: the environments that it moves; where there are none,
    /// the projects, or the organization.
    pub fn resources(&self, marks: &Marks) -> Vec<Resource> {
        scopes::resources(&self.scopes, marks)
    }
}

/// What a request would do. It never changes, but for an end user who is forgotten.
#[derive(Clone, Debug, PartialEq)]
pub struct Revision {
    /// What is shown of it in a list.
    pub head: RevisionHead,
    /// The versions that it was tried out at.
    pub base: Vec<(Scope, i64)>,
    /// Change sets that are applied one after the other; at least one.
    pub steps: Vec<Step>,
}

impl Revision {
    /// The index of the next step that waits.
    pub(crate) fn next(&self) -> Option<usize> {
        self.steps.iter().position(|it| it.head.done.is_none())
    }

    /// How many steps of the request were applied by the time of this revision, and since.
    pub(crate) fn applied(&self) -> i64 {
        let next = self.next().and_then(|index| self.steps.get(index));
        next.map_or(self.of(), |it| it.head.step - 1)
    }

    /// How many steps the request has, with those that were applied of earlier revisions.
    pub(crate) fn of(&self) -> i64 {
        self.steps.last().map_or(0, |it| it.head.step)
    }
}

/// A change set of a request, which is applied by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What is shown of it in a list.
    pub head: StepHead,
    /// What to do.
    pub commands: Vec<Command>,
    /// What ids are made from.
    pub seed: String,
    /// What it touches, as the steps before it leave that.
    pub held: Vec<Held>,
    /// What it would change, as it was shown to reviewers.
    pub diff: Vec<DiffLine>,
}

/// A step, without what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepHead {
    /// Counted from 1; the first of a revision comes after those that were applied by then.
    pub step: i64,
    /// When it is due; none: when somebody applies it.
    pub due_at: Option<Millis>,
    /// What it came to.
    pub done: Option<Done>,
}

impl StepHead {
    /// Where it is, of a request that is there.
    pub fn state(&self, of: Stage) -> StepState {
        of.of_step(self.done.is_some())
    }
}

/// That a step was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The change set's id.
    pub change_set: String,
    /// When.
    pub at: Millis,
}

/// A revision, without what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionHead {
    /// Counted from 1.
    pub revision: i64,
    /// Who wrote it.
    pub author: Party,
    /// Whether it is the one before, tried out anew.
    pub rebased: bool,
    /// The comment on the change set.
    pub comment: String,
    /// When.
    pub at: Millis,
}

/// What a step of a revision was to do, in words, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct StepWords {
    /// The revision.
    pub revision: i64,
    /// Counted as [`StepHead::step`] is.
    pub step: i64,
    /// When it was to be due; none: when somebody applied it.
    pub due_at: Option<Millis>,
    /// What it would have changed, as it was shown to reviewers.
    pub diff: Vec<DiffLine>,
}

/// A review or a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The newest revision at the time.
    pub revision: i64,
    /// What it says.
    pub said: Said,
    /// Who says it.
    pub by: Party,
    /// In their words.
    pub text: String,
    /// When.
    pub at: Millis,
}

/// Why something was not done with a request.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// As for change sets.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// It does not wait any more.
    #[error(transparent)]
    Closed(#[from] Closed),
    /// It would change nothing.
    #[error("it would change nothing")]
    NoEffect,
    /// There is another revision than the one that was meant, or something became of it meanwhile;
    /// this is the newest one's number.
    #[error("the newest revision is {0}")]
    Revised(i64),
    /// What it touches is not as it was when the newest revision was written.
    #[error("{} of its parts were changed by others", .0.len())]
    Moved(Vec<ConflictFound>),
    /// A step cannot be as it is asked for; its index, and why.
    #[error("step {0} of those asked for: {1}")]
    InStep(usize, Box<RequestError>),
    /// There are too many steps, or their moments cannot be.
    #[error(transparent)]
    Schedule(#[from] BadSchedule),
    /// Another step comes next: this one.
    #[error("the next step is {0}")]
    NotNext(i64),
    /// It has several steps, and none was named; this one comes next.
    #[error("name the step; the next is {0}")]
    StepUnnamed(i64),
    /// Authors do not review what they wrote.
    #[error("authors do not review what they wrote")]
    Own,
    /// There are as many as there may be.
    #[error("there are {0} {1}, which is the limit")]
    Full(i64, &'static str),
    /// Whoever wrote it is no member any more, or their token does not work.
    #[error("its author is gone")]
    AuthorGone,
    /// Whoever wrote it may not do it any more.
    #[error("its author may not {} on {}", .0.action, .0.resource)]
    AuthorForbidden(Box<Need>, Decision),
}

impl From<StoreError> for RequestError {
    fn from(error: StoreError) -> Self {
        Self::Apply(error.into())
    }
}

impl From<Rejected> for RequestError {
    fn from(rejected: Rejected) -> Self {
        Self::Apply(rejected.into())
    }
}

impl From<sqlx::Error> for RequestError {
    fn from(error: sqlx::Error) -> Self {
        Self::Apply(error.into())
    }
}

impl From<serde_json::Error> for RequestError {
    fn from(error: serde_json::Error) -> Self {
        Self::Apply(error.into())
    }
}
