//! What somebody may do, and why.

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{ACTIONS, By, Decision, Kind, Resource, Rights};
use burgee_domain::id::Id;
use burgee_store::people::accounts::Account;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::{self};
use crate::app::AppState;
use crate::auth::Caller;
use crate::body::Body;
use crate::problem::Problem;

/// The most questions in one request: a page of flags with all that can be done to each.
const MAX_QUESTIONS: usize = 2_000;

/// Questions about what somebody may do.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Questions {
    /// A member, by the account's id; whoever asks where none is given.
    pub member: Option<String>,
    /// The questions.
    pub questions: Vec<Question>,
}

/// Whether an action may be done to a resource.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Question {
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
        None => caller.rights,
    };
    let answer = |(index, question): (usize, &Question)| {
        let at = |field: &str| format!("/questions/{index}/{field}");
        if !ACTIONS.iter().any(|action| action.name == question.action) {
            let message = format!("there is no action `{}`", question.action);
            return Err(Problem::invalid(at("action"), "actionUnknown", message));
        }
        let resource: Result<Resource, _> = question.resource.parse();
        let resource = resource.map_err(|error| {
            Problem::invalid(at("resource"), "resourceInvalid", error.to_string())
        })?;
        Ok(Answer::from(rights.decide(&question.action, &resource)))
    };
    let answers = asked.questions.iter().enumerate().map(answer);
    Ok(Json(Answers {
        answers: answers.collect::<Result<_, Problem>>()?,
    }))
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
