//! End users as files: JSON lines or CSV, both ways, streamed, so that a million of them pass
//! through without lying in memory.
//!
//! A cell of a CSV file that begins like a formula (`=`, `+`, `-`, `@`, a tab, a return) would be one
//! to a spreadsheet, and keys are made up by strangers. So it is written with an apostrophe before
//! it, as is one that begins with an apostrophe, which reading takes away again.
//!
//! Both ways are in the history before the first user goes: whoever took a million users away is
//! known, and whose file it was, even where the server ended in the middle of it.

mod read;
mod records;

use std::collections::BTreeMap;

use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use burgee_domain::model::{Environment, Project};
use burgee_store::traffic::UserSeen;
use burgee_store::{Actor, Store, UserAct};
use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::channel::{Channel, Sender};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::users::{self, EndUserView};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::params::{Path, Query};
use crate::problem::Problem;

use read::Reader;
use records::Records;

/// The largest file, in bytes.
const MAX_FILE: usize = 64 * 1024 * 1024;
/// The most users of a file.
const MAX_USERS: u64 = 200_000;
/// How many wrong lines are told one by one.
const MAX_ERRORS: usize = 100;
/// How many users are written at once.
const BATCH: usize = 500;
/// How many columns may be asked for.
const MAX_COLUMNS: usize = 100;

/// What became of a file.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Uploaded {
    /// How many users were written.
    pub written: u64,
    /// How many lines are wrong; they were left out.
    pub refused: u64,
    /// What is wrong with the first hundred of them.
    pub errors: Vec<LineError>,
}

/// What is wrong with a line.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineError {
    /// The line, from 1, in which the user begins.
    pub line: u64,
    /// A stable name of the broken rule.
    pub code: String,
    /// The rule in plain words, with the field.
    pub detail: String,
}

/// Upload end users: JSON lines (`application/x-ndjson`, an object with `key`, `name?` and
/// `properties?` in each line) or CSV (`text/csv`, with the columns `key`, `name?`, `properties?`
/// (JSON); any other column is a property). Users who are known get these names and properties. A
/// line that is wrong is left out and told; what comes before a fault of the whole file (413) is
/// written. The history has that it begins (`beginUserUpload`, before the first user is written)
/// and what came of it (`uploadUsers`).
#[utoipa::path(post, path = "/api/v1/projects/{project}/environments/{environment}/users",
    tag = "users",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    request_body(content((String = "application/x-ndjson"), (String = "text/csv")),
        description = "At most 64 MiB and 200,000 users; a line has at most 256 KiB"),
    responses((status = 200, body = Uploaded), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn upload(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    request: Request,
) -> Result<Json<Uploaded>, Problem> {
    let (project, environment) =
        users::place(&state, &caller, "user.write", &project, &environment).await?;
    let kind = request.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|it| it.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let csv = match kind.to_ascii_lowercase().as_str() {
        "text/csv" => true,
        "application/x-ndjson" | "application/jsonl" | "application/json" => false,
        _ => return Err(Problem::not_lines()),
    };
    let mut upload = Upload {
        store: &state.store,
        place: (&project, &environment),
        actor: &caller.actor,
        has_begun: false,
        reader: Reader::new(csv),
        waiting: Vec::with_capacity(BATCH),
        done: Uploaded::default(),
    };
    let taken = upload
        .take_all(request.into_body(), Records::new(csv))
        .await;
    upload.end().await?;
    taken?;
    Ok(Json(upload.done))
}

struct Upload<'a> {
    store: &'a Store,
    place: (&'a Project, &'a Environment),
    actor: &'a Actor,
    /// Whether the history has that it began.
    has_begun: bool,
    reader: Reader,
    waiting: Vec<UserSeen<'a>>,
    done: Uploaded,
}

impl Upload<'_> {
    async fn take_all(&mut self, mut body: Body, mut records: Records) -> Result<(), Problem> {
        let mut length = 0;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| Problem::invalid("", "body", error.to_string()))?;
            let data = frame.into_data().unwrap_or_default();
            length += data.len();
            if length > MAX_FILE {
                return Err(Problem::too_large(MAX_FILE));
            }
            records.feed(&data)?;
            self.take(&mut records).await?;
        }
        records.end();
        self.take(&mut records).await?;
        self.write().await
    }

    async fn take(&mut self, records: &mut Records) -> Result<(), Problem> {
        while let Some((line, record)) = records.next() {
            match self.reader.read(&record) {
                Ok(None) => {}
                Ok(Some(user)) => self.waiting.push(UserSeen {
                    types: "".into(),
                    environment: self.place.1.id.as_str().into(),
                    key: user.key.into(),
                    name: user.name.into(),
                    properties: pairs(user.properties),
                    at: now(),
                }),
                Err(wrong) => self.refuse(line, wrong)?,
            }
            if self.waiting.len() >= BATCH {
                self.write().await?;
            }
        }
        Ok(())
    }

    /// Notes a wrong line. Without a header nothing can be read.
    fn refuse(&mut self, line: u64, wrong: Problem) -> Result<(), Problem> {
        if !self.reader.is_ready() {
            return Err(wrong);
        }
        self.done.refused += 1;
        if self.done.errors.len() < MAX_ERRORS {
            let code = wrong.errors.first().map(|error| error.code.clone());
            self.done.errors.push(LineError {
                line,
                code: code.unwrap_or(wrong.code),
                detail: wrong.detail,
            });
        }
        Ok(())
    }

    async fn write(&mut self) -> Result<(), Problem> {
        let count = self.waiting.len() as u64;
        if self.done.written + count > MAX_USERS {
            let rule = format!("a file has at most {MAX_USERS} users; those before are written");
            return Err(Problem::invalid("", "tooManyUsers", rule));
        }
        if count > 0 {
            if !self.has_begun {
                self.record(UserAct::BeginUpload).await?;
                self.has_begun = true;
            }
            let refused = self.store.traffic().put_users(&self.waiting).await?;
            self.done.written += count - refused.min(count);
            self.done.refused += refused;
            self.waiting.clear();
        }
        Ok(())
    }

    /// Says what came of it, also where the file broke off.
    async fn end(&self) -> Result<(), Problem> {
        let (written, refused) = (self.done.written, self.done.refused);
        match self.has_begun {
            true => self.record(UserAct::Upload { written, refused }).await,
            false => Ok(()),
        }
    }

    async fn record(&self, act: UserAct) -> Result<(), Problem> {
        let recorded = self
            .store
            .record_user_act(self.place, act, self.actor, now());
        Ok(recorded.await?)
    }
}

fn pairs<'a>(
    properties: BTreeMap<String, String>,
) -> Vec<(std::borrow::Cow<'a, str>, std::borrow::Cow<'a, str>)> {
    let pairs = properties.into_iter();
    pairs
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

/// As which file.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DownloadQuery {
    /// `jsonLines` (also where absent) or `csv`.
    #[param(inline)]
    pub format: Option<Format>,
    /// Properties that get a column of their own, joined by commas, in place of one column with all
    /// of them as JSON; of `csv`.
    pub columns: Option<String>,
}

/// A kind of file.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Format {
    /// A JSON object in each line.
    JsonLines,
    /// Comma-separated values, with a header.
    Csv,
}

/// Download all end users of an environment, by key. The history has that they are taken
/// (`exportUsers`), before anything is sent.
#[utoipa::path(get, path = "/api/v1/projects/{project}/environments/{environment}/user-export",
    tag = "users",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"), DownloadQuery),
    responses((status = 200, description = "The file, streamed",
            content((String = "application/x-ndjson"), (String = "text/csv"))),
        (status = 400, body = Problem), (status = 404, body = Problem)))]
pub async fn download(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Query(query): Query<DownloadQuery>,
) -> Result<Response, Problem> {
    let (project, environment) =
        users::place(&state, &caller, "user.read", &project, &environment).await?;
    let format = query.format.unwrap_or(Format::JsonLines);
    let columns = query.columns.as_deref().unwrap_or_default().split(',');
    let columns: Vec<String> = columns
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    if columns.len() > MAX_COLUMNS {
        let rule = format!("there are at most {MAX_COLUMNS} columns");
        return Err(Problem::invalid("columns", "listTooLong", rule));
    }
    let (kind, ending, said) = match format {
        Format::JsonLines => ("application/x-ndjson", "jsonl", "jsonLines"),
        Format::Csv => ("text/csv; charset=utf-8", "csv", "csv"),
    };
    let (at, act) = ((&project, &environment), UserAct::Export(said));
    let recorded = state.store.record_user_act(at, act, &caller.actor, now());
    recorded.await?;
    let name = format!(
        "attachment; filename=\"users-{}-{}.{ending}\"",
        project.key, environment.key
    );
    let (sender, body) = Channel::<Bytes, Problem>::new(2);
    let writer = Writer { format, columns };
    let id = environment.id.as_str().to_owned();
    tokio::spawn(async move { send(state.store, id, writer, sender).await });
    let headers = [(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, name)];
    // Fused: compression asks once more after the end, which a channel does not take.
    Ok((headers, Body::new(body.fuse())).into_response())
}

/// Sends all users, chunk by chunk, as fast as they are taken. Where the database fails, the file
/// ends broken, so that nobody takes it for whole.
async fn send(
    store: Store,
    environment: String,
    writer: Writer,
    mut sender: Sender<Bytes, Problem>,
) {
    let mut after = String::new();
    let mut text = writer.head();
    loop {
        let users = match store.traffic().users_after(&environment, &after).await {
            Ok(users) => users,
            Err(error) => return sender.abort(error.into()),
        };
        let Some(last) = users.last() else { break };
        after.clone_from(&last.key);
        for user in users {
            writer.write(&mut text, EndUserView::from(user));
        }
        if sender
            .send_data(std::mem::take(&mut text).into())
            .await
            .is_err()
        {
            return;
        }
    }
    // Nobody may be left to take it.
    let _ = sender.send_data(text.into()).await;
}

struct Writer {
    format: Format,
    columns: Vec<String>,
}

impl Writer {
    fn head(&self) -> String {
        let Format::Csv = self.format else {
            return String::new();
        };
        let mut head = "key,name,firstSeen,lastSeen".to_owned();
        match self.columns.is_empty() {
            true => head.push_str(",properties"),
            false => self.columns.iter().for_each(|name| cell(&mut head, name)),
        }
        head + "\r\n"
    }

    fn write(&self, text: &mut String, user: EndUserView) {
        match self.format {
            Format::JsonLines => {
                text.push_str(&serde_json::json!(user).to_string());
                text.push('\n');
            }
            Format::Csv => {
                let mut line = String::new();
                for value in [&user.key, &user.name, &user.first_seen, &user.last_seen] {
                    cell(&mut line, value);
                }
                match self.columns.is_empty() {
                    true => cell(&mut line, &serde_json::json!(user.properties).to_string()),
                    false => {
                        for name in &self.columns {
                            let value = user.properties.get(name).map_or("", String::as_str);
                            cell(&mut line, value);
                        }
                    }
                }
                text.push_str(&line[1..]);
                text.push_str("\r\n");
            }
        }
    }
}

/// Appends a comma and a cell.
fn cell(line: &mut String, value: &str) {
    line.push(',');
    let marked = value.starts_with(read::MARKED);
    let mark = if marked { "'" } else { "" };
    if value.contains([',', '"', '\r', '\n']) {
        line.push('"');
        line.push_str(mark);
        line.push_str(&value.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(mark);
        line.push_str(value);
    }
}
