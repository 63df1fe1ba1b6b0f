//! Requests: change sets that wait for approval, and for somebody to apply them.
//!
//! Who may see all that a request is about sees the request; its author does in any case. What is
//! done with it is decided by the store, in the transaction that does it.

pub mod calendar;
pub mod inbox;
mod view;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use burgee_domain::access::{Marks, Resource, Rights};
use burgee_domain::admission::Verdict;
use burgee_domain::request::{self, State as Shown, schedule};
use burgee_domain::{Rejected, command};
use burgee_eval::time::Millis;
use burgee_store::dialect::Clock;
use burgee_store::page::PageRequest;
use burgee_store::requests::{
    NewRequest, NewReview, NewRevision, NewStep, Party, Replan, RequestError, RequestFilter, Said,
    Seen,
};
use burgee_store::{ApplyRequest, Denied};
use serde::Deserialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::api;
use crate::api::changes::view::lacks;
use crate::api::changes::{ChangeResult, change_id, comment, reason, result};
use crate::api::page::{Page, PageQuery};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::{Path, Query, moment};
use crate::problem::Problem;
pub use view::{NewRequestBody, NewRevisionBody};
use view::{NewStepBody, RebaseResult, RequestDetail, RequestView, RescheduleBody};

/// Which requests.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RequestQuery {
    /// `next` of the page before; absent for the first.
    pub cursor: Option<String>,
    /// How many items, 1 to 500; 50 where absent. Where `state` or `forMe` is asked for, a page can
    /// hold fewer.
    pub limit: Option<i64>,
    /// Only those in this state.
    pub state: Option<Shown>,
    /// Only those that you made.
    #[serde(default)]
    pub mine: bool,
    /// Only those that wait for your review.
    #[serde(default)]
    pub for_me: bool,
    /// Only those that change something in this project, by key.
    pub project: Option<String>,
    /// Only those that change something in this environment of `project`, by key.
    pub environment: Option<String>,
}

/// What a reviewer thinks.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewReviewBody {
    /// Whether it shall be applied.
    pub verdict: Verdict,
    /// The revision that was looked at; 409 where there is a newer one.
    pub revision: i64,
    /// Why; at most 2,000 characters.
    #[serde(default)]
    pub text: String,
}

/// Something to be said.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewComment {
    /// 1 to 2,000 characters.
    pub text: String,
}

/// How a request is applied.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApplyBody {
    /// The revision that is meant, where only that one is; 409 where there is a newer one.
    pub revision: Option<i64>,
    /// The step that is meant, by its number; needed where there are several. 409 where another
    /// comes next; one that was applied is not applied again.
    pub step: Option<i64>,
    /// Apply it, in an emergency, though approvals are missing. Takes `change.override`.
    #[serde(rename = "override")]
    pub over: Option<super::changes::Override>,
}

/// Who the caller is in requests.
pub(crate) fn party(caller: &Caller) -> Party {
    Party::new(&caller.actor, caller.maker.as_ref())
}

fn missing(id: &str) -> Problem {
    Problem::not_found(format!("request `{id}`"))
}

/// The request of that id in the caller's organization, or 404; 403 where the caller may not see
/// all that it is about. With it, which environments are protected: for what else is asked of it.
async fn seen(state: &AppState, caller: &Caller, id: &str) -> Result<(Seen, Marks), Problem> {
    let typed = uuid::Uuid::parse_str(id).map_err(|_| missing(id))?;
    let (typed, viewer) = (typed.to_string(), party(caller));
    let found = state
        .store
        .request(&caller.organization, &typed, &viewer, now())
        .await
        .map_err(api::or_missing(|| missing(id)))?;
    let marks = state
        .store
        .marks(&caller.organization, &caller.rights)
        .await?;
    match unseen(&caller.rights, &viewer, &marks, &found.listed.request) {
        Some((action, resource)) => Err(caller
            .may(action, &resource)
            .err()
            .unwrap_or_else(|| missing(id))),
        None => Ok((found, marks)),
    }
}

/// What somebody lacks to see a request.
fn unseen(
    rights: &Rights,
    viewer: &Party,
    marks: &Marks,
    request: &burgee_store::requests::Request,
) -> Option<(&'static str, Resource)> {
    if request.author.is(viewer) {
        return None;
    }
    let mut about = request.about.iter();
    about.find_map(|names| lacks(rights, marks, &|name| names.get(name).cloned()))
}

/// The request with what would become of it now.
async fn detail(
    state: &AppState,
    caller: &Caller,
    id: &str,
) -> Result<Json<RequestDetail>, Problem> {
    let (found, _) = seen(state, caller, id).await?;
    let (organization, request) = (&caller.organization, &found.listed.request);
    let outlook = match request.stage {
        request::Stage::Open | request::Stage::Stopped => {
            let (store, id) = (&state.store, &request.id);
            let outlook = store.outlook(organization, id, &caller.rights, now());
            Some(outlook.await)
        }
        _ => None,
    };
    Ok(Json(RequestDetail::new(found, outlook)))
}

/// List requests, newest first: those of which you may see all that they are about.
#[utoipa::path(get, path = "/api/v1/requests", tag = "requests", params(RequestQuery),
    responses((status = 200, body = Page<RequestView>), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<RequestQuery>,
) -> Result<Json<Page<RequestView>>, Problem> {
    let (project, environment) = (query.project.as_deref(), query.environment.as_deref());
    let scope = scope(&state, &caller, project, environment).await?;
    let filter = RequestFilter {
        state: query.state,
        scope,
        mine: query.mine,
        for_me: query.for_me,
    };
    let (cursor, limit) = (query.cursor, query.limit);
    let page = PageRequest::try_from(PageQuery { cursor, limit })?;
    let viewer = party(&caller);
    let found = state
        .store
        .requests(&caller.organization, &viewer, &filter, &page, now())
        .await?;
    let marks = state
        .store
        .marks(&caller.organization, &caller.rights)
        .await?;
    let items = found.items.into_iter();
    let sees = |it: &_| unseen(&caller.rights, &viewer, &marks, it).is_none();
    let items = items.filter(|it| sees(&it.request));
    Ok(Json(Page {
        items: items.map(RequestView::from).collect(),
        next: found.next,
    }))
}

/// The id of the project or environment that is named.
async fn scope(
    state: &AppState,
    caller: &Caller,
    project: Option<&str>,
    environment: Option<&str>,
) -> Result<Option<String>, Problem> {
    match (project, environment) {
        (Some(project), Some(key)) => {
            let (_, found) = api::environment(state, caller, project, key).await?;
            Ok(Some(found.id.to_string()))
        }
        (Some(key), None) => Ok(Some(api::project(state, caller, key).await?.id.to_string())),
        (None, None) => Ok(None),
        (None, Some(_)) => {
            let message = "name the project too";
            Err(Problem::invalid("environment", "projectMissing", message))
        }
    }
}

/// Make a request: a change set that waits, for somebody to apply it or (`steps`) for given moments.
/// You must be allowed all that it does. With `dryRun` it is shown, and not made.
#[utoipa::path(post, path = "/api/v1/requests", tag = "requests", request_body = NewRequestBody,
    responses((status = 201, body = RequestDetail),
        (status = 200, body = RequestDetail, description = "A dry run"),
        (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem)))]
pub async fn create(
    State(state): State<AppState>,
    caller: Caller,
    Body(new): Body<NewRequestBody>,
) -> Result<(StatusCode, Json<RequestDetail>), Problem> {
    let title = request::title(&new.title)
        .map_err(|it| Problem::invalid(it.pointer, it.code, it.message))?;
    let dry_run = new.dry_run;
    let request = NewRequest {
        id: change_id(new.id)?,
        title,
        description: api::description("/description", &new.description)?,
        content: content(
            &caller,
            NewRevisionBody {
                comment: new.comment,
                base: new.base,
                commands: new.commands,
                steps: new.steps,
            },
        )?,
    };
    if dry_run {
        let seen = state.store.try_request(&request).await?;
        return Ok((StatusCode::OK, Json(RequestDetail::new(seen, None))));
    }
    let id = state.store.create_request(&request).await?;
    Ok((StatusCode::CREATED, detail(&state, &caller, &id).await?))
}

fn content(caller: &Caller, new: NewRevisionBody) -> Result<NewRevision, Problem> {
    Ok(NewRevision {
        organization: caller.organization.clone(),
        author: party(caller),
        rights: caller.rights.clone(),
        comment: comment(&new.comment)?,
        base: new.base,
        steps: steps(new.commands, new.steps)?,
        clock: Clock::Shared(now()),
    })
}

/// What is asked for, as steps: one without a moment, or those that are given.
fn steps(commands: Vec<Value>, steps: Vec<NewStepBody>) -> Result<Vec<NewStep>, Problem> {
    if steps.is_empty() {
        let commands = command::parse(commands, None)?;
        let due_at = None;
        return Ok(vec![NewStep { due_at, commands }]);
    }
    if !commands.is_empty() {
        let rule = "send `commands`, or `steps` that each have theirs";
        return Err(Problem::invalid("/steps", "together", rule));
    }
    // Before anything of them is read.
    schedule::check_size(&vec![0; steps.len()]).map_err(RequestError::from)?;
    let steps = steps.into_iter().enumerate();
    steps
        .map(|(index, step)| {
            let at = moment(&format!("/steps/{index}/at"), &step.at)?;
            let commands = command::parse(step.commands, None);
            let in_step = |error: Rejected| RequestError::InStep(index, Box::new(error.into()));
            Ok(NewStep {
                due_at: Some(at),
                commands: commands.map_err(in_step)?,
            })
        })
        .collect()
}

/// One request, with its discussion, and with what would become of it now.
#[utoipa::path(get, path = "/api/v1/requests/{id}", tag = "requests",
    params(("id", description = "The request's id")),
    responses((status = 200, body = RequestDetail), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<RequestDetail>, Problem> {
    detail(&state, &caller, &id).await
}

/// Write another revision: nobody has approved it. You must be allowed all that it does, and do not
/// review this request any more.
#[utoipa::path(post, path = "/api/v1/requests/{id}/revisions", tag = "requests",
    params(("id", description = "The request's id")), request_body = NewRevisionBody,
    responses((status = 200, body = RequestDetail), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem)))]
pub async fn revise(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    Body(new): Body<NewRevisionBody>,
) -> Result<Json<RequestDetail>, Problem> {
    let (found, _) = seen(&state, &caller, &id).await?;
    let id = found.listed.request.id;
    let content = content(&caller, new)?;
    state.store.revise_request(&id, &content).await?;
    detail(&state, &caller, &id).await
}

/// Try the commands out on what is there now, and write that down as another revision, which nobody
/// has approved.
#[utoipa::path(post, path = "/api/v1/requests/{id}/rebase", tag = "requests",
    params(("id", description = "The request's id")),
    responses((status = 200, body = RebaseResult), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem)))]
pub async fn rebase(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<RebaseResult>, Problem> {
    replan(&state, &caller, &id, &Replan::Same).await
}

/// Give the steps that wait other moments. That is another revision, which nobody has approved: its
/// commands are tried out on what is there now. Gives a request without a moment one.
#[utoipa::path(post, path = "/api/v1/requests/{id}/reschedule", tag = "requests",
    params(("id", description = "The request's id")), request_body = RescheduleBody,
    responses((status = 200, body = RebaseResult), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem)))]
pub async fn reschedule(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<RescheduleBody>,
) -> Result<Json<RebaseResult>, Problem> {
    let moments = body.at.iter().enumerate();
    let moments = moments.map(|(index, text)| moment(&format!("/at/{index}"), text));
    let moments = moments.collect::<Result<Vec<Millis>, Problem>>()?;
    let replanned = replan(&state, &caller, &id, &Replan::At(moments)).await;
    replanned.map_err(|problem| {
        let renamed = |it: &str| {
            Some(format!(
                "/at/{}",
                it.strip_prefix("/steps/")?.strip_suffix("/at")?
            ))
        };
        problem.repointed(renamed)
    })
}

/// Leave out a step that waits. That is another revision, which nobody has approved: the steps that
/// are left are tried out on what is there now.
#[utoipa::path(delete, path = "/api/v1/requests/{id}/steps/{step}", tag = "requests",
    params(("id", description = "The request's id"),
        ("step", description = "The step's number")),
    responses((status = 200, body = RebaseResult), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem)))]
pub async fn leave_out(
    State(state): State<AppState>,
    caller: Caller,
    Path((id, step)): Path<(String, String)>,
) -> Result<Json<RebaseResult>, Problem> {
    let number = step.parse();
    let number = number.map_err(|_| Problem::not_found(format!("step `{step}`")))?;
    replan(&state, &caller, &id, &Replan::Without(number)).await
}

async fn replan(
    state: &AppState,
    caller: &Caller,
    id: &str,
    replan: &Replan,
) -> Result<Json<RebaseResult>, Problem> {
    let id = seen(state, caller, id).await?.0.listed.request.id;
    let (organization, author) = (&caller.organization, party(caller));
    let author = (&author, &caller.rights);
    let rebased = state
        .store
        .rebase_request(organization, &id, author, replan, Clock::Shared(now()))
        .await?;
    let differences = rebased.differences.into_iter().map(Into::into);
    Ok(Json(RebaseResult {
        differences: differences.collect(),
        request: detail(state, caller, &id).await?.0,
    }))
}

/// Approve or decline the newest revision. Your last word on it counts. Takes `change.review` in an
/// environment that it changes, then and when it is counted.
#[utoipa::path(post, path = "/api/v1/requests/{id}/reviews", tag = "requests",
    params(("id", description = "The request's id")), request_body = NewReviewBody,
    responses((status = 200, body = RequestDetail), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn review(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    Body(new): Body<NewReviewBody>,
) -> Result<Json<RequestDetail>, Problem> {
    let (found, marks) = seen(&state, &caller, &id).await?;
    let request = found.listed.request;
    may_somewhere(&caller, "change.review", request.resources(&marks))?;
    let said = match new.verdict {
        Verdict::Approve => Said::Approve,
        Verdict::Decline => Said::Decline,
    };
    let review = NewReview {
        revision: Some(new.revision),
        text: said_text(&new.text)?,
        ..to_say(&caller, &request.id, said)
    };
    state.store.review_request(&review).await?;
    detail(&state, &caller, &request.id).await
}

/// Say something. Takes `change.comment` where it changes something; its author may.
#[utoipa::path(post, path = "/api/v1/requests/{id}/comments", tag = "requests",
    params(("id", description = "The request's id")), request_body = NewComment,
    responses((status = 200, body = RequestDetail), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn comment_on(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    Body(new): Body<NewComment>,
) -> Result<Json<RequestDetail>, Problem> {
    let (found, marks) = seen(&state, &caller, &id).await?;
    let request = found.listed.request;
    if !request.author.is(&party(&caller)) {
        may_somewhere(&caller, "change.comment", request.resources(&marks))?;
    }
    let text = said_text(&new.text)?;
    if text.is_empty() {
        return Err(Problem::invalid("/text", "textEmpty", "say something"));
    }
    let comment = NewReview {
        text,
        ..to_say(&caller, &request.id, Said::Comment)
    };
    state.store.review_request(&comment).await?;
    detail(&state, &caller, &request.id).await
}

fn to_say(caller: &Caller, id: &str, said: Said) -> NewReview {
    NewReview {
        organization: caller.organization.clone(),
        request: id.to_owned(),
        revision: None,
        said,
        by: party(caller),
        text: String::new(),
        now: now(),
    }
}

fn said_text(text: &str) -> Result<String, Problem> {
    burgee_domain::change::comment(text)
        .map_err(|it| Problem::invalid("/text", it.code, it.message))
}

/// Refuses who may not do it in any of these places.
fn may_somewhere(caller: &Caller, action: &str, places: Vec<Resource>) -> Result<(), Problem> {
    let mut refused = Ok(());
    for place in places {
        match caller.may(action, &place) {
            Ok(()) => return Ok(()),
            Err(problem) => refused = Err(problem),
        }
    }
    refused
}

/// Take a request back: one's own, or any for who may `change.withdraw` wherever it changes
/// something.
#[utoipa::path(post, path = "/api/v1/requests/{id}/withdraw", tag = "requests",
    params(("id", description = "The request's id")),
    responses((status = 200, body = RequestDetail), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
pub async fn withdraw(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<RequestDetail>, Problem> {
    let (found, marks) = seen(&state, &caller, &id).await?;
    let request = found.listed.request;
    let by = party(&caller);
    if !request.author.is(&by) {
        let places = request.resources(&marks);
        Denied::unless_all(&caller.rights, "change.withdraw", places)?;
    }
    let organization = &caller.organization;
    state
        .store
        .withdraw_request(organization, &request.id, &by, now())
        .await?;
    detail(&state, &caller, &request.id).await
}

/// Apply a request that is approved, or its next step, without waiting for its moment. Takes
/// `change.apply` wherever it does something; its author must still be allowed what it does. One that
/// was applied is not applied again; the answer is the first one.
#[utoipa::path(post, path = "/api/v1/requests/{id}/apply", tag = "requests",
    params(("id", description = "The request's id")), request_body = ApplyBody,
    responses((status = 200, body = ChangeResult), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem)))]
pub async fn apply(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<ApplyBody>,
) -> Result<Json<ChangeResult>, Problem> {
    let (found, marks) = seen(&state, &caller, &id).await?;
    let request = found.listed.request;
    Denied::unless_all(&caller.rights, "change.apply", request.resources(&marks))?;
    let asked = ApplyRequest {
        organization: caller.organization.clone(),
        request: request.id,
        revision: body.revision,
        step: body.step,
        applier: (caller.actor.clone(), caller.rights.clone()),
        override_reason: body.over.map(reason).transpose()?,
        now: now(),
    };
    let applied = state.store.apply_request(&asked).await?;
    Ok(result(&state, applied, false).await)
}
