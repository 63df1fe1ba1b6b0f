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
use burgee_store::audit::AuditEntry;
use burgee_store::{HistoryFilter, Store, StoreError};
use http_body::Frame;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use utoipa::ToSchema;

use crate::api::changes::filter::{FilterQuery, HistoryQuery, PlaceQuery};
use crate::api::changes::view::ChangeView;
use crate::api::page::{Page, PageQuery};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::Query;
use crate::problem::Problem;

/// Entries of an export that are read together.
const AT_ONCE: i64 = 200;

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
#[utoipa::path(get, path = "/api/v1/audit", tag = "audit", params(PlaceQuery, HistoryQuery, PageQuery),
    responses((status = 200, body = Page<AuditView>), (status = 400, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<FilterQuery>,
) -> Result<Json<Page<AuditView>>, Problem> {
    may_read(&caller)?;
    let (filter, page) = query.split()?;
    let found = state.store.audit(&caller.organization, &filter, &page);
    Ok(Json(Page::from_store(found.await?)))
}

/// Export the audit log as JSON lines, oldest first: one entry a line, whole, as the list shows it.
/// It is sent while it is read; an answer that ends without its last line's end was cut off. That
/// it was asked for is an entry itself (`exportAudit`), before anything is sent.
#[utoipa::path(get, path = "/api/v1/audit/export", tag = "audit", params(PlaceQuery, HistoryQuery),
    responses((status = 200, body = String, content_type = "application/x-ndjson",
            description = "One entry a line"),
        (status = 400, body = Problem)))]
pub async fn export(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<FilterQuery>,
) -> Result<Response, Problem> {
    may_read(&caller)?;
    let filter = query.unpaged()?;
    let (organization, actor) = (&caller.organization, &caller.actor);
    state
        .store
        .record_audit_export(organization, &filter, actor, now())
        .await?;
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
    filter: HistoryFilter,
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
