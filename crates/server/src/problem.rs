//! What went wrong, as RFC 9457 problem details: the one error type of the API.
//!
//! A handler returns `Result<_, Problem>`; each way to fail has a small constructor here. Faults of
//! the caller name the field by a JSON pointer (RFC 6901) into the request's body, or by the name
//! of the parameter. Faults of ours are logged where they become a `Problem`, once, and say nothing
//! of our insides.

mod sign_in;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use burgee_domain::Rejected;
use burgee_domain::access::{Decision, MayNotGive, Resource};
use burgee_domain::admission::EnvironmentNeeds;
use burgee_domain::outcome::Facet;
use burgee_domain::request::Closed;
use burgee_store::requests::RequestError;
use burgee_store::{ApplyError, ConflictFound, SetRulesError, StoreError};
use serde::Serialize;
use utoipa::ToSchema;

/// What is wrong with one field.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldError {
    /// A JSON pointer into the body (`/commands/0/keys/1`), or a parameter's name.
    pub pointer: String,
    /// A stable name of the broken rule.
    pub code: String,
    /// The rule in plain words.
    pub detail: String,
}

/// A change of somebody else's, that this one collides with.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Collision {
    /// Whose version moved: `project`, `project/environment`, or empty for the organization.
    pub scope: String,
    /// The version at which it was changed.
    pub version: i64,
    /// `flag` or `segment`.
    pub kind: String,
    /// The flag's or the segment's key.
    pub key: String,
    /// The parts that both change: a name (`onOff`), or an object of a name and an id.
    #[schema(value_type = Vec<Object>)]
    pub facets: Vec<Facet>,
    /// Who changed it.
    pub by: String,
    /// When, ISO 8601.
    pub at: String,
    /// Why.
    pub comment: String,
}

/// A permission that somebody has not.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lacks {
    /// E.g. `flag.turnOn`.
    pub action: String,
    /// On what, as `/permissions/holders` takes it.
    pub resource: String,
}

/// RFC 9457 problem details.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// `about:blank`: the status and `code` say what kind it is.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The status in words.
    pub title: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// A stable name for programs: of the kind of problem (`notFound`; `taken` and `idReused`, 409;
    /// `baseConflict`, `changedSince`, `rebaseNeeded` and `changedMeanwhile`, 412; `approvalRequired`, 403;
    /// `commentRequired`), or of the rule that a command breaks (`rolloutGap`).
    pub code: String,
    /// What happened, in plain words.
    pub detail: String,
    /// The fields that are wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// The changes that this one collides with (412).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Collision>,
    /// The environments that do not let it pass, and what they ask (`approvalRequired`,
    /// `commentRequired`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<EnvironmentNeeds>,
    /// The permission that is missing (403).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lacks: Option<Box<Lacks>>,
    /// After how many seconds it may be tried again; goes into the header.
    #[serde(skip)]
    pub retry_after: Option<i64>,
}

impl Problem {
    fn new(status: StatusCode, code: &str, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            code: code.to_owned(),
            detail: detail.into(),
            errors: Vec::new(),
            conflicts: Vec::new(),
            needs: Vec::new(),
            lacks: None,
            retry_after: (status == StatusCode::SERVICE_UNAVAILABLE).then_some(2),
        }
    }

    /// 400: a field breaks a rule.
    pub fn invalid(
        pointer: impl Into<String>,
        code: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        let error = FieldError {
            pointer: pointer.into(),
            code: code.into(),
            detail: detail.into(),
        };
        let detail = match error.pointer.as_str() {
            "" => error.detail.clone(),
            named => format!("{named}: {}", error.detail),
        };
        let mut problem = Self::new(StatusCode::BAD_REQUEST, "invalid", detail);
        problem.errors.push(error);
        problem
    }

    /// 403: no statement allows it, or one denies it.
    pub fn not_allowed(action: &str, resource: &Resource, decision: &Decision) -> Self {
        let why = match decision {
            Decision::Denied(by) => format!(
                "statement {} of the policy `{}` denies it",
                by.statement, by.policy
            ),
            _ => "no statement allows it".to_owned(),
        };
        let mut problem = Self::forbidden(&format!("`{action}` on `{resource}`: {why}"));
        problem.lacks = Some(Box::new(Lacks {
            action: action.to_owned(),
            resource: resource.to_string(),
        }));
        problem
    }

    /// 403: nobody gives what they may not do themselves, unless a permission says so.
    pub fn may_not_give(refused: &MayNotGive) -> Self {
        let mut problem = Self::not_allowed(refused.action, &refused.resource, &refused.decision);
        if let Some((action, on)) = &refused.what {
            problem.detail = format!(
                "the policy `{}` lets others `{action}` on `{on}`, which you may not do \
                 everywhere there; {}",
                refused.policy, problem.detail
            );
        }
        problem
    }

    /// 429 with `Retry-After`: requests come too often.
    pub fn too_often(wait: std::time::Duration) -> Self {
        let seconds = wait.as_secs_f64().ceil().max(1.0) as i64;
        let detail = format!("requests come too often; try again in {seconds} s");
        let mut problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "tooManyRequests", detail);
        problem.retry_after = Some(seconds);
        problem
    }

    /// 429: so many streams of events are enough for one session or token.
    pub fn too_many_streams(most: usize) -> Self {
        let detail = format!(
            "there are too many streams of events already, {most} of one session or token at most"
        );
        let mut problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "tooManyStreams", detail);
        problem.retry_after = Some(10);
        problem
    }

    /// 403: the token is valid, but not for this.
    pub fn forbidden(detail: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", detail)
    }

    /// 404: no such thing in the caller's organization.
    pub fn not_found(what: impl std::fmt::Display) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "notFound",
            format!("there is no {what}"),
        )
    }

    /// 400: these environments ask for a comment.
    pub fn comment_required(needs: Vec<EnvironmentNeeds>) -> Self {
        let rule = format!("{} asks for a comment", places(&needs));
        let mut problem = Self::invalid("/comment", "commentRequired", rule);
        problem.code = "commentRequired".to_owned();
        problem.needs = needs;
        problem
    }

    /// 403: these environments ask for approvals that are missing, or somebody declined.
    pub fn approval_required(needs: Vec<EnvironmentNeeds>) -> Self {
        let detail = format!(
            "{} asks for the approval of others: make it a request (POST /api/v1/requests)",
            places(&needs)
        );
        let mut problem = Self::new(StatusCode::FORBIDDEN, "approvalRequired", detail);
        problem.needs = needs;
        problem
    }

    /// The same, of fields that the caller knows by other pointers.
    pub fn repointed(mut self, renamed: impl Fn(&str) -> Option<String>) -> Self {
        for error in &mut self.errors {
            if let Some(pointer) = renamed(&error.pointer) {
                self.detail = format!("{pointer}: {}", error.detail);
                error.pointer = pointer;
            }
        }
        self
    }

    /// The same, of the commands of a step that was asked for.
    fn in_step(mut self, index: usize) -> Self {
        for error in &mut self.errors {
            if error.pointer.starts_with("/commands") {
                error.pointer = format!("/steps/{index}{}", error.pointer);
            }
        }
        self.detail = match self.errors.as_slice() {
            [error] => format!("{}: {}", error.pointer, error.detail),
            _ => format!("/steps/{index}: {}", self.detail),
        };
        self
    }

    /// 405: the address is there, but not for this method.
    pub fn method_not_allowed() -> Self {
        let detail = "this address does not take this method";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "methodNotAllowed", detail)
    }

    /// 409: it is taken by something else.
    pub fn taken(pointer: &str, detail: impl Into<String>) -> Self {
        Self::conflict(pointer, "taken", detail.into())
    }

    /// 409: the change set's id was used for another one.
    pub fn id_reused() -> Self {
        let detail = "this id was used for a change set with other contents";
        Self::conflict("/id", "idReused", detail.to_owned())
    }

    /// 409: it collides with what is there.
    pub fn conflict(pointer: &str, code: &str, detail: String) -> Self {
        let mut problem = Self::new(StatusCode::CONFLICT, code, detail.clone());
        problem.errors.push(FieldError {
            pointer: pointer.to_owned(),
            code: code.to_owned(),
            detail,
        });
        problem
    }

    /// 413: the body is longer than `most` bytes.
    pub fn too_large(most: usize) -> Self {
        let detail = format!("a body has at most {} MiB", most / (1024 * 1024));
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "tooLarge", detail)
    }

    /// 415: the body is not said to be JSON.
    pub fn not_json() -> Self {
        let detail = "send the body with Content-Type: application/json";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "notJson", detail)
    }

    /// 415: the body is not said to be JSON lines or CSV.
    pub fn not_lines() -> Self {
        let detail = "send the file with Content-Type: application/x-ndjson or text/csv";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "notLines", detail)
    }

    /// 412: a resource is not any more what the caller's `If-Match` names, but this; or not there.
    pub fn changed_meanwhile(tag: Option<&str>) -> Self {
        let detail = match tag {
            Some(tag) => format!("it was changed since you looked at it; its ETag is {tag} now"),
            None => "it is not there, so it is not what you looked at".to_owned(),
        };
        Self::new(StatusCode::PRECONDITION_FAILED, "changedMeanwhile", detail)
    }

    /// 412: somebody else changed the same part after the caller's base.
    pub fn collides(conflicts: Vec<Collision>) -> Self {
        let detail = "somebody changed the same part after the versions in base";
        let mut problem = Self::new(StatusCode::PRECONDITION_FAILED, "baseConflict", detail);
        problem.conflicts = conflicts;
        problem
    }

    /// 412: somebody else changed again what was to be reverted.
    pub fn changed_since(conflicts: Vec<Collision>) -> Self {
        let detail = "parts of it were changed again since";
        let mut problem = Self::new(StatusCode::PRECONDITION_FAILED, "changedSince", detail);
        problem.conflicts = conflicts;
        problem
    }

    /// 503 with `Retry-After`: what is needed cannot be reached now, or has no room.
    pub fn unavailable() -> Self {
        let detail = "the database is not available now; nothing was changed";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail)
    }

    /// 500: a fault of ours. Log it before making this.
    pub fn internal() -> Self {
        let detail = "something went wrong on our side; it was logged";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail)
    }
}

/// Environments in words.
fn places(needs: &[EnvironmentNeeds]) -> String {
    let places = needs.iter();
    let places = places.map(|it| format!("{}/{}", it.project, it.environment));
    places.collect::<Vec<String>>().join(", ")
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.detail)
    }
}

/// So that the body of an answer that has begun can break off with it.
impl std::error::Error for Problem {}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(&self)).into_response();
        let headers = response.headers_mut();
        let json = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, json);
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound(what) => Self::not_found(format!("such {what}")),
            StoreError::Conflict { field, message } => Self::taken(&format!("/{field}"), message),
            StoreError::Refused {
                field,
                code,
                message,
            } => {
                let pointer = match field {
                    "" => String::new(),
                    field => format!("/{field}"),
                };
                Self::conflict(&pointer, code, message)
            }
            StoreError::Denied(it) => Self::not_allowed(it.action, &it.resource, &it.decision),
            StoreError::MayNotGive(refused) => Self::may_not_give(&refused),
            StoreError::ActorGone => {
                Self::unauthorized("you are no member any more, or your token does not work")
            }
            StoreError::Reused => Self::id_reused(),
            StoreError::Invalid {
                field,
                code,
                message,
            } => Self::invalid(format!("/{field}"), code, message),
            StoreError::Unavailable(reason) => {
                tracing::warn!(reason, "the database is not available");
                Self::unavailable()
            }
            StoreError::Unknown(reason) => {
                tracing::warn!(reason, "whether a change was committed is not known");
                let mut problem = Self::unavailable();
                problem.detail = "the change may or may not have been applied; sent again under \
                                  the same id it is applied once"
                    .to_owned();
                problem
            }
            StoreError::Other(error) => {
                tracing::error!(%error, "the database refused a statement");
                Self::internal()
            }
        }
    }
}

impl From<Rejected> for Problem {
    fn from(rejected: Rejected) -> Self {
        let pointer = format!("/commands/{}{}", rejected.command, rejected.pointer);
        let mut problem = Self::invalid(pointer, &*rejected.code, rejected.message);
        if rejected.code.ends_with("NotFound") {
            problem.status = StatusCode::NOT_FOUND.as_u16();
            problem.title = "Not Found";
        }
        problem.code = rejected.code;
        problem
    }
}

impl From<RequestError> for Problem {
    fn from(error: RequestError) -> Self {
        let forbidden = |code: &str, detail: String| Self::new(StatusCode::FORBIDDEN, code, detail);
        match error {
            RequestError::Apply(error) => error.into(),
            RequestError::Closed(Closed(stage)) => {
                let detail = format!("the request is {}", stage.as_str());
                Self::new(StatusCode::CONFLICT, "requestClosed", detail)
            }
            RequestError::NoEffect => {
                Self::invalid("/commands", "noEffect", "everything is so already")
            }
            RequestError::Revised(newest) => {
                let detail = format!("the newest revision is {newest}");
                Self::new(StatusCode::CONFLICT, "revised", detail)
            }
            RequestError::Moved(found) => {
                let detail = "others changed what the request touches since its newest revision \
                              was written; rebase it";
                let mut problem =
                    Self::new(StatusCode::PRECONDITION_FAILED, "rebaseNeeded", detail);
                problem.conflicts = found.into_iter().map(Collision::from).collect();
                problem
            }
            RequestError::InStep(index, error) => Self::from(*error).in_step(index),
            RequestError::Schedule(bad) => Self::invalid(bad.pointer, bad.code, bad.message),
            RequestError::StepUnnamed(next) => {
                let rule = format!("the request has several steps: name one; the next is {next}");
                Self::invalid("/step", "stepMissing", rule)
            }
            RequestError::NotNext(next) => {
                let detail = format!("the next step is {next}");
                Self::conflict("/step", "notNext", detail)
            }
            RequestError::Own => {
                forbidden("ownRequest", "nobody reviews what they wrote".to_owned())
            }
            RequestError::Full(most, what) => {
                let detail = format!("there are {most} {what}, which is the limit");
                Self::new(StatusCode::CONFLICT, "limitReached", detail)
            }
            RequestError::AuthorGone => {
                let detail = "its author is no member any more, or their token does not work; \
                              somebody else can rebase it";
                forbidden("authorGone", detail.to_owned())
            }
            RequestError::AuthorForbidden(need, decision) => {
                let denied = Self::not_allowed(need.action, &need.resource, &decision);
                let detail = format!("its author may not do it any more: {}", denied.detail);
                forbidden("authorForbidden", detail)
            }
        }
    }
}

impl From<SetRulesError> for Problem {
    fn from(error: SetRulesError) -> Self {
        match error {
            SetRulesError::Rejected(it) => Self::invalid(it.pointer, it.code, it.message),
            SetRulesError::Loosening(place, decision) => {
                Self::not_allowed("environment.loosenRules", &place, &decision)
            }
            SetRulesError::Store(error) => error.into(),
        }
    }
}

impl From<ApplyError> for Problem {
    fn from(error: ApplyError) -> Self {
        match error {
            ApplyError::Rejected(rejected) => rejected.into(),
            ApplyError::Base { scope, message } => {
                let scope = scope.replace('~', "~0").replace('/', "~1");
                Self::invalid(format!("/base/{scope}"), "base", message)
            }
            ApplyError::Conflict(found) => {
                Self::collides(found.into_iter().map(Collision::from).collect())
            }
            ApplyError::Forbidden(need, decision) => {
                let mut problem = Self::not_allowed(need.action, &need.resource, &decision);
                problem.errors.push(FieldError {
                    pointer: format!("/commands/{}", need.command),
                    code: "forbidden".to_owned(),
                    detail: problem.detail.clone(),
                });
                problem
            }
            ApplyError::Denied(it) => StoreError::Denied(it).into(),
            ApplyError::CommentRequired(needs) => Self::comment_required(needs),
            ApplyError::ApprovalRequired(needs) => Self::approval_required(needs),
            ApplyError::Store(error) => error.into(),
        }
    }
}

impl From<ConflictFound> for Collision {
    fn from(found: ConflictFound) -> Self {
        Self {
            scope: found.scope,
            version: found.version,
            kind: found.kind,
            key: found.key,
            facets: found.facets,
            by: found.by.name,
            at: found.at.to_string(),
            comment: found.comment,
        }
    }
}
