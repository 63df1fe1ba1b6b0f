//! The audit log. Nothing here changes it: entries come from what is done, and go by the
//! organization's retention alone.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::Json;
use axum::body::{Body as Stream, Bytes, HttpBody};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use burgee_domain::access::Resource;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use burgee_store::audit::{AuditEntry, AuditFilter};
use burgee_store::{Store, StoreError};
use http_body::Frame;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use utoipa::{IntoParams, ToSchema};

use crate::api::changes::view::ChangeView;
use crate::api::page::{Page, PageQuery};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::Query;
use crate::problem::Problem;

/// How long a text may be that is looked for, in bytes.
const MAX_TEXT: usize = 256;

/// Entries of an export that are read together.
const AT_ONCE: i64 = 200;

/// What is looked for. Every condition must hold.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditQuery {
    /// Who did it: an id, or a name as it was at the time (a member's address, a token's name,
    /// `operator`, `system`), without regard to case. 256 bytes at most.
    pub actor: Option<String>,
    /// A kind of command, e.g. `turnOn` or `signIn`.
    pub kind: Option<String>,
    /// The key of the project that it is about; also of one that was deleted.
    pub project: Option<String>,
    /// The key of the environment in `project` that it is about.
    pub environment: Option<String>,
    /// Asked for at this moment or later, ISO 8601.
    pub from: Option<String>,
    /// Asked for before this moment, ISO 8601.
    pub to: Option<String>,
    /// A text in who did it, the comment, or the words of what changed (the first 8 KiB of them),
    /// without regard to case. 256 bytes at most.
    pub text: Option<String>,
}

impl TryFrom<AuditQuery> for AuditFilter {
    type Error = Problem;

    fn try_from(query: AuditQuery) -> Result<Self, Problem> {
        if query.environment.is_some() && query.project.is_none() {
            let message = "name the project too";
            return Err(Problem::invalid("environment", "projectMissing", message));
        }
        if let Some(kind) = &query.kind
            && (kind.is_empty() || !kind.chars().all(|it| it.is_ascii_alphanumeric()))
        {
            let message = "a kind has letters only, e.g. turnOn";
            return Err(Problem::invalid("kind", "kindInvalid", message));
        }
        Ok(Self {
            actor: short("actor", query.actor)?,
            kind: short("kind", query.kind)?,
            project: short("project", query.project)?,
            environment: short("environment", query.environment)?,
            from: moment("from", query.from)?,
            to: moment("to", query.to)?,
            text: short("text", query.text)?,
        })
    }
}

fn short(name: &str, text: Option<String>) -> Result<Option<String>, Problem> {
    match text {
        Some(text) if text.len() > MAX_TEXT => {
            let message = format!("must have at most {MAX_TEXT} bytes");
            Err(Problem::invalid(name, "length", message))
        }
        Some(text) if text.contains('\0') => {
            let message = "the character U+0000 cannot be looked for";
            Err(Problem::invalid(name, "text", message))
        }
        text => Ok(text),
    }
}

fn moment(name: &str, text: Option<String>) -> Result<Option<Millis>, Problem> {
    let parse = |text: String| {
        let moment = Millis::parse(&text);
        let message = "must be a moment of ISO 8601, e.g. 2026-11-21T08:00:00Z";
        moment.ok_or_else(|| Problem::invalid(name, "moment", message))
    };
    text.map(parse).transpose()
}

/// An entry of the audit log.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditView {
    /// Its place in the organization's history, from 1 on, without gaps.
    pub number: i64,
    /// What was done.
    #[serde(flatten)]
    pub change: ChangeView,
    /// The chain's SHA-256 after it, in hexadecimal; absent within the second before it is sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<String>,
    /// Where something was taken out of it, for example a person who asked to be forgotten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redacted: Option<RedactedView>,
}

/// That something was taken out of an entry.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedactedView {
    /// When, ISO 8601.
    pub at: String,
    /// The id of the change set that ordered it.
    pub by: String,
    /// Why.
    pub why: String,
}

impl From<AuditEntry> for AuditView {
    fn from(entry: AuditEntry) -> Self {
        let hex = |link: [u8; 32]| link.iter().map(|byte| format!("{byte:02x}")).collect();
        Self {
            number: entry.number,
            change: entry.change.into(),
            chain: entry.chain.map(hex),
            redacted: entry.redacted.map(|redacted| RedactedView {
                at: redacted.at.to_string(),
                by: redacted.by,
                why: redacted.why,
            }),
        }
    }
}

/// How long the audit log is kept.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Retention {
    /// For so many days, 30 to 3,660; null: for ever.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required, minimum = 30, maximum = 3_660)]
    pub days: Option<i64>,
}

fn may_read(caller: &Caller) -> Result<(), Problem> {
    caller.may("audit.read", &Resource::organization())
}

/// List the audit log, newest first: everything that was done in the organization, signing in
/// included. Large `commands` are left out (null): the change set by its id has them.
#[utoipa::path(get, path = "/api/v1/audit", tag = "audit", params(AuditQuery, PageQuery),
    responses((status = 200, body = Page<AuditView>), (status = 400, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<AuditView>>, Problem> {
    may_read(&caller)?;
    let (filter, page) = query.split()?;
    let found = state.store.audit(&caller.organization, &filter, &page);
    Ok(Json(Page::from_store(found.await?)))
}

/// Both halves of a list's query; serde cannot flatten where unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListQuery {
    actor: Option<String>,
    kind: Option<String>,
    project: Option<String>,
    environment: Option<String>,
    from: Option<String>,
    to: Option<String>,
    text: Option<String>,
    cursor: Option<String>,
    limit: Option<i64>,
}

impl ListQuery {
    fn split(self) -> Result<(AuditFilter, burgee_store::page::PageRequest), Problem> {
        let filter = AuditQuery {
            actor: self.actor,
            kind: self.kind,
            project: self.project,
            environment: self.environment,
            from: self.from,
            to: self.to,
            text: self.text,
        };
        let page = PageQuery {
            cursor: self.cursor,
            limit: self.limit,
        };
        Ok((filter.try_into()?, page.try_into()?))
    }
}

/// Export the audit log as JSON lines, oldest first: one entry a line, whole, as the list shows it.
/// It is sent while it is read; an answer that ends without its last line's end was cut off.
#[utoipa::path(get, path = "/api/v1/audit/export", tag = "audit", params(AuditQuery),
    responses((status = 200, body = String, content_type = "application/x-ndjson",
            description = "One entry a line"),
        (status = 400, body = Problem)))]
pub async fn export(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<AuditQuery>,
) -> Result<Response, Problem> {
    may_read(&caller)?;
    let filter = AuditFilter::try_from(query)?;
    let (lines, stream) = mpsc::channel(2);
    tokio::spawn(send_all(
        state.store.clone(),
        caller.organization,
        filter,
        lines,
    ));
    let headers = [
        (header::CONTENT_TYPE, "application/x-ndjson"),
        (
            header::CONTENT_DISPOSITION,
            "attachment; filename=\"audit.jsonl\"",
        ),
    ];
    Ok((headers, Stream::new(Chunks(stream))).into_response())
}

type Chunk = Result<Bytes, StoreError>;

/// Reads on as fast as the client takes it.
async fn send_all(
    store: Store,
    organization: Id<Organization>,
    filter: AuditFilter,
    lines: mpsc::Sender<Chunk>,
) {
    let mut after = 0;
    loop {
        let entries = store
            .audit_after(&organization, &filter, after, AT_ONCE)
            .await;
        let chunk = match entries {
            Ok(entries) => match entries.last() {
                Some(last) => {
                    after = last.number;
                    as_lines(entries)
                }
                None => return,
            },
            Err(error) => Err(error),
        };
        let is_over = chunk.is_err();
        // Where nobody listens any more, nobody is told.
        if lines.send(chunk).await.is_err() || is_over {
            return;
        }
    }
}

fn as_lines(entries: Vec<AuditEntry>) -> Chunk {
    let mut text = Vec::new();
    for entry in entries {
        serde_json::to_writer(&mut text, &AuditView::from(entry))?;
        text.push(b'\n');
    }
    Ok(Bytes::from(text))
}

/// A body of chunks as they come.
struct Chunks(mpsc::Receiver<Chunk>);

impl HttpBody for Chunks {
    type Data = Bytes;
    type Error = StoreError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, StoreError>>> {
        let chunk = self.0.poll_recv(context);
        chunk.map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)))
    }
}

/// How long the audit log is kept.
#[utoipa::path(get, path = "/api/v1/audit/retention", tag = "audit",
    responses((status = 200, body = Retention)))]
pub async fn retention(
    State(state): State<AppState>,
    caller: Caller,
) -> Result<Json<Retention>, Problem> {
    may_read(&caller)?;
    let days = state.store.audit_days(&caller.organization).await?;
    Ok(Json(Retention { days }))
}

/// Choose how long the audit log is kept. Older entries are pruned within minutes, for good; what
/// is served keeps its history.
#[utoipa::path(put, path = "/api/v1/audit/retention", tag = "audit", request_body = Retention,
    responses((status = 200, body = Retention), (status = 400, body = Problem)))]
pub async fn set_retention(
    State(state): State<AppState>,
    caller: Caller,
    Body(retention): Body<Retention>,
) -> Result<Json<Retention>, Problem> {
    caller.may("audit.retain", &Resource::organization())?;
    let (organization, actor) = (&caller.organization, &caller.actor);
    state
        .store
        .set_audit_days(organization, retention.days, actor, now())
        .await?;
    Ok(Json(retention))
}
