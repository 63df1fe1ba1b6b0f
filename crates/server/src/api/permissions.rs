//! What somebody may do, and why.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{
    self, ACTIONS, By, Decision, Kind, Policy, Resource, Rights, StatementInput,
};
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_store::people::accounts::Account;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api;
use crate::app::AppState;
use crate::auth::Caller;
use crate::body::Body;
use crate::problem::Problem;

/// The most questions in one request: a page of flags with all that can be done to each.
const MAX_QUESTIONS: usize = 2_000;

/// The most actions and resources in one question about each of them: a list of 5,000 flags in
/// three environments, with all that a row offers.
const MAX_ACTIONS: usize = 20;
const MAX_RESOURCES: usize = 20_000;

/// Questions about what somebody may do.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Questions {
    /// A member, by the account's id; whoever asks where none is given.
    pub member: Option<String>,
    /// The questions; at most 2,000.
    #[serde(default)]
    pub questions: Vec<PermissionQuestion>,
    /// A policy as it may become: the answers are as if it said that, and as if they had it. For
    /// whoever may write it.
    pub policy: Option<PolicyDraft>,
    /// Whether each of some actions may be done to each of many resources.
    pub each: Option<EachQuestion>,
}

/// Whether each of these actions may be done to each of these resources: for a list of thousands.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EachQuestion {
    /// E.g. `flag.turnOn`; at most 20.
    pub actions: Vec<String>,
    /// E.g. `project/web:env/prod:flag/checkout;payment`, with the tags that it has; at most 20,000.
    pub resources: Vec<String>,
}

/// A policy as it may become.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyDraft {
    /// Its key; also one of a policy that there is not yet.
    pub key: String,
    /// What it would say.
    pub statements: Vec<StatementInput>,
}

/// Whether an action may be done to a resource.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PermissionQuestion {
    /// E.g. `flag.turnOn`.
    pub action: String,
    /// E.g. `project/web:env/prod:flag/checkout;payment`, with the tags that it has.
    pub resource: String,
}

/// The answers, in the order of the questions.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Answers {
    /// One for each question.
    pub answers: Vec<Answer>,
    /// For each resource of `each`, in order: whether each of the actions may be done. Absent where
    /// it was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each: Option<Vec<Vec<bool>>>,
}

/// Whether it may be done, and why.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// Whether it may be done.
    pub allowed: bool,
    /// The statement that decided; absent where none says anything of it, which denies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<DecidedBy>,
}

/// A statement.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecidedBy {
    /// The policy's key; `token` for a token's own statements.
    pub policy: String,
    /// The statement's index in it.
    pub statement: usize,
}

impl From<Decision> for Answer {
    fn from(decision: Decision) -> Self {
        let decided = |by: By| DecidedBy {
            policy: by.policy,
            statement: by.statement,
        };
        let (allowed, by) = match decision {
            Decision::Allowed(by) => (true, Some(by)),
            Decision::Denied(by) => (false, Some(by)),
            Decision::Unmentioned => (false, None),
        };
        Self {
            allowed,
            by: by.map(decided),
        }
    }
}

/// Ask what somebody may do, and which statement says so. Nothing is looked up: a resource is what
/// the question says it is.
#[utoipa::path(post, path = "/api/v1/permissions", tag = "people", request_body = Questions,
    responses((status = 200, body = Answers), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn ask(
    State(state): State<AppState>,
    caller: Caller,
    Body(asked): Body<Questions>,
) -> Result<Json<Answers>, Problem> {
    if asked.questions.len() > MAX_QUESTIONS {
        let message = format!("there are more than {MAX_QUESTIONS} questions");
        return Err(Problem::invalid("/questions", "listTooLong", message));
    }
    let rights = match &asked.member {
        Some(member) => rights_of(&state, &caller, member).await?,
        None => caller.rights.clone(),
    };
    let rights = match &asked.policy {
        Some(draft) => rights.with(Arc::new(drafted(&caller, draft)?)),
        None => rights,
    };
    // Thousands of decisions take a processor for a while.
    let answers = api::computed(move || {
        let answers = asked.questions.iter().enumerate();
        let answers = answers.map(|(index, question)| answer(&rights, index, question));
        Ok(Answers {
            answers: answers.collect::<Result<_, Problem>>()?,
            each: asked.each.map(|each| each_of(&rights, &each)).transpose()?,
        })
    });
    answers.await?.map(Json)
}

/// The policy that is asked about.
fn drafted(caller: &Caller, draft: &PolicyDraft) -> Result<Policy, Problem> {
    let resource = Resource::new(Kind::Policy, draft.key.as_str());
    caller.may("policy.write", &resource)?;
    let key = Key::new(&*draft.key)
        .map_err(|error| Problem::invalid("/policy/key", "keyInvalid", error.to_string()))?;
    let statements =
        access::statements(&draft.statements).map_err(|(pointer, code, message)| {
            Problem::invalid(format!("/policy/statements{pointer}"), code, message)
        })?;
    Ok(Policy {
        key: key.to_string(),
        statements,
    })
}

fn answer(rights: &Rights, index: usize, question: &PermissionQuestion) -> Result<Answer, Problem> {
    let at = |field: &str| format!("/questions/{index}/{field}");
    action(at("action"), &question.action)?;
    let resource = resource(at("resource"), &question.resource)?;
    Ok(Answer::from(rights.decide(&question.action, &resource)))
}

fn each_of(rights: &Rights, asked: &EachQuestion) -> Result<Vec<Vec<bool>>, Problem> {
    for (pointer, count, most) in [
        ("/each/actions", asked.actions.len(), MAX_ACTIONS),
        ("/each/resources", asked.resources.len(), MAX_RESOURCES),
    ] {
        if count > most {
            let message = format!("there are {count}; the limit is {most}");
            return Err(Problem::invalid(pointer, "listTooLong", message));
        }
    }
    for (index, name) in asked.actions.iter().enumerate() {
        action(format!("/each/actions/{index}"), name)?;
    }
    let rows = asked.resources.iter().enumerate().map(|(index, text)| {
        let resource = resource(format!("/each/resources/{index}"), text)?;
        let actions = asked.actions.iter();
        Ok(actions.map(|name| rights.allow(name, &resource)).collect())
    });
    rows.collect()
}

pub(super) fn action(pointer: String, name: &str) -> Result<(), Problem> {
    match ACTIONS.iter().any(|action| action.name == name) {
        true => Ok(()),
        false => {
            let message = format!("there is no action `{name}`");
            Err(Problem::invalid(pointer, "actionUnknown", message))
        }
    }
}

pub(super) fn resource(pointer: String, text: &str) -> Result<Resource, Problem> {
    let resource: Result<Resource, _> = text.parse();
    resource.map_err(|error| Problem::invalid(pointer, "resourceInvalid", error.to_string()))
}

async fn rights_of(state: &AppState, caller: &Caller, member: &str) -> Result<Rights, Problem> {
    let missing = || Problem::not_found(format!("member `{member}`"));
    let known = uuid::Uuid::parse_str(member).map_err(|_| missing())?;
    let account: Id<Account> = Id::new(known.to_string());
    caller.may(
        "member.read",
        &Resource::new(Kind::Member, account.as_str()),
    )?;
    let rights = state.store.rights(&caller.organization, &account).await;
    rights
        .map_err(api::or_missing(missing))?
        .ok_or_else(missing)
}
