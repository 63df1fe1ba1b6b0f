//! A project as one file: taken out, brought in. And FeatBit's files.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use burgee_domain::access::{Kind, Resource};
use burgee_domain::admission::EnvironmentNeeds;
use burgee_domain::command::Command;
use burgee_domain::diff::DiffLine;
use burgee_domain::file::{self, Done, Format, Group, PlannedEnvironment};
use burgee_domain::import;
use burgee_domain::model::{Project, SegmentScope};
use burgee_domain::outcome::Warning;
use burgee_store::{Applied, FileError, FileRequest, Filed, ImportRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::api;
use crate::api::changes::{self, Override};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::{Path, Query};
use crate::problem::Problem;

/// How a file is written.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// For people.
    #[default]
    Yaml,
    /// For programs.
    Json,
}

/// Which form.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FormatQuery {
    /// `yaml` where absent.
    #[serde(default)]
    #[param(inline)]
    pub format: FileFormat,
}

/// A file to be brought in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewFile {
    /// The file as `GET …/export` gives it: its text (YAML or JSON), or its JSON as it is.
    #[schema(value_type = Object)]
    pub file: Value,
    /// Say what would happen, and change nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// Archive flags and segments of which the file says nothing.
    #[serde(default)]
    pub prune: bool,
    /// Why; kept in the history.
    #[serde(default)]
    pub comment: String,
    /// Apply it, in an emergency, though approvals are missing. Takes `change.override` wherever
    /// they are; the history shows it.
    #[serde(rename = "override")]
    pub over: Option<Override>,
}

/// What a file did, or would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileResult {
    /// Whether nothing was changed because only an answer was asked for.
    pub dry_run: bool,
    /// Every environment, segment and flag of the file, and those that are pruned.
    pub items: Vec<FileItem>,
    /// Of a dry run: the change sets that it comes to, in their order; else empty. One has at most
    /// 500 commands, and what belongs to one flag stays together.
    pub change_sets: Vec<FileChangeSet>,
    /// The ids of the change sets that were applied.
    pub applied: Vec<String>,
    /// The versions that moved, by scope.
    pub versions: BTreeMap<String, i64>,
    /// What changed, or would, in plain words and for programs.
    pub diff: Vec<DiffLine>,
    /// What the author should know.
    pub warnings: Vec<Warning>,
}

/// A change set that a file comes to: to be posted to `/requests` or `/changes`, with the comment,
/// when those before it are applied.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileChangeSet {
    /// Its commands, as `POST …/changes` takes them.
    #[schema(value_type = Vec<Command>)]
    pub commands: Value,
    /// The versions at which it was worked out: the `base` to send the commands with.
    pub base: BTreeMap<String, i64>,
    /// What the environments ask that it changes, where they ask something, and what is missing.
    pub needs: Vec<EnvironmentNeeds>,
}

/// What becomes of an environment, a segment or a flag.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileItem {
    /// `environment`, `segment` or `flag`.
    pub kind: &'static str,
    /// The environment of a segment of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// Its key.
    pub key: String,
    /// What becomes of it.
    pub result: Done,
    /// The kinds of the commands that do it. An environment is made or changed by an act of
    /// administration, before the change sets.
    pub commands: Vec<String>,
}

impl FileResult {
    fn of(filed: Filed, dry_run: bool) -> Self {
        let change_sets = match dry_run {
            true => FileChangeSet::all(&filed),
            false => Vec::new(),
        };
        let environments = filed.plan.environments.iter().map(FileItem::of_environment);
        let groups = filed.plan.groups.iter().map(FileItem::of_group);
        let items = environments.chain(groups);
        let mut result = Self {
            dry_run,
            items: items.collect(),
            change_sets,
            applied: Vec::new(),
            versions: BTreeMap::new(),
            diff: Vec::new(),
            warnings: Vec::new(),
        };
        for applied in filed.applied {
            if !dry_run {
                result.applied.push(applied.id);
            }
            result.versions.extend(applied.versions);
            result.diff.extend(applied.diff);
            result.warnings.extend(applied.warnings);
        }
        result
    }
}

impl FileItem {
    fn of_environment(planned: &PlannedEnvironment) -> Self {
        Self {
            kind: "environment",
            environment: None,
            key: planned.wanted.key.to_string(),
            result: planned.done,
            commands: planned.act().into_iter().map(str::to_owned).collect(),
        }
    }

    fn of_group(group: &Group) -> Self {
        Self {
            kind: group.kind,
            environment: group.environment.clone(),
            key: group.key.clone(),
            result: group.done,
            commands: group.commands.iter().map(kind).collect(),
        }
    }
}

impl FileChangeSet {
    fn all(filed: &Filed) -> Vec<Self> {
        let sets = filed.plan.change_sets().into_iter().zip(&filed.applied);
        sets.map(|(commands, answer)| Self {
            commands: json!(commands),
            base: filed.base.clone(),
            needs: answer.needs.clone(),
        })
        .collect()
    }
}

/// The kind of a command, as it is written.
fn kind(command: &Command) -> String {
    let value = serde_json::to_value(command).unwrap_or_default();
    value["kind"].as_str().unwrap_or_default().to_owned()
}

/// Export a project as one file: flags, segments and environments with all targeting, in a stable
/// order, defaults left out. What the caller may not see of it is refused, not left out.
#[utoipa::path(get, path = "/api/v1/projects/{project}/export", tag = "projects",
    params(("project", description = "The project's key"), FormatQuery),
    responses((status = 200, description = "The file",
            content((Value = "application/yaml"), (Value = "application/json"))),
        (status = 400, body = Problem), (status = 404, body = Problem)))]
pub async fn export(
    State(state): State<AppState>,
    caller: Caller,
    Path(project): Path<String>,
    Query(query): Query<FormatQuery>,
) -> Result<Response, Problem> {
    let project = api::project(&state, &caller, &project).await?;
    let present = seen(&state, &caller, &project).await?;
    let (format, kind) = match query.format {
        FileFormat::Yaml => (Format::Yaml, "application/yaml"),
        FileFormat::Json => (Format::Json, "application/json"),
    };
    let text = api::computed(move || file::write(&file::export(&present), format)).await?;
    Ok(([(header::CONTENT_TYPE, kind)], text.map_err(fault)?).into_response())
}

/// What is there, if the caller may see all of it.
async fn seen(
    state: &AppState,
    caller: &Caller,
    project: &Project,
) -> Result<file::Present, Problem> {
    let present = state.store.present(&caller.organization, &project.id);
    let present = present.await?;
    may_see_all(caller, &present)?;
    Ok(present)
}

/// A file that lacks what its reader may not see would archive it where it is brought back.
fn may_see_all(caller: &Caller, present: &file::Present) -> Result<(), Problem> {
    let project = &present.project.project;
    let whole = Resource::project(project.key.as_str());
    for state in present.project.flags.values() {
        let flag = whole.clone().with(Kind::Flag, state.flag.key.as_str());
        caller.may("flag.read", &flag.tagged(&state.flag.tags))?;
    }
    for environment in present.project.environments.values() {
        caller.may("environment.read", &Resource::of(project, environment))?;
    }
    for segment in &present.segments {
        let place = match &segment.scope {
            SegmentScope::Organization => continue,
            SegmentScope::Project(_) => whole.clone(),
            SegmentScope::Environment(_, id) => {
                let mut environments = present.project.environments.values();
                let found = environments.find(|it| it.id == *id);
                found.map_or_else(|| whole.clone(), |it| Resource::of(project, it))
            }
        };
        let segment = place
            .with(Kind::Segment, segment.key.as_str())
            .tagged(&segment.tags);
        caller.may("segment.read", &segment)?;
    }
    Ok(())
}

/// Make a project as a file says, by change sets: what differs is changed, what the file does not
/// name stays. Environments that it describes are made or described first, where the change sets can
/// be applied (`environment.create`, `environment.update`). A large file comes to several change
/// sets; where one is refused, those before it were applied, and sending the file again goes on from
/// there.
#[utoipa::path(post, path = "/api/v1/projects/{project}/import", tag = "projects",
    params(("project", description = "The project's key")), request_body = NewFile,
    responses((status = 200, body = FileResult), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem), (status = 503, body = Problem)))]
pub async fn import(
    State(state): State<AppState>,
    caller: Caller,
    Path(project): Path<String>,
    Body(new): Body<NewFile>,
) -> Result<Json<FileResult>, Problem> {
    let comment = changes::comment(&new.comment)?;
    let override_reason = new.over.map(changes::reason).transpose()?;
    let project = api::project(&state, &caller, &project).await?;
    // The answer tells what is there.
    seen(&state, &caller, &project).await?;
    let given = new.file;
    let read = api::computed(move || match given {
        Value::String(text) => file::read(&text),
        value => file::read(&value.to_string()),
    });
    let request = FileRequest {
        organization: caller.organization,
        actor: caller.actor,
        rights: caller.rights,
        project: project.id,
        file: read.await?.map_err(fault)?,
        prune: new.prune,
        comment,
        override_reason,
        dry_run: new.dry_run,
        now: now(),
    };
    let filed = state.store.apply_file(&request).await.map_err(refused)?;
    if !new.dry_run {
        for environment in &filed.environments {
            state.served_as(environment).await;
        }
        serve(&state, &filed.applied).await;
    }
    Ok(Json(FileResult::of(filed, new.dry_run)))
}

async fn serve(state: &AppState, applied: &[Applied]) {
    let moved = applied.iter().flat_map(|it| &it.positions);
    let moved = moved.map(|(environment, (version, _))| (environment.as_str(), *version));
    state.served(moved).await;
}

fn fault(fault: file::FileFault) -> Problem {
    Problem::invalid(format!("/file{}", fault.pointer), fault.code, fault.message)
}

fn refused(error: FileError) -> Problem {
    match error {
        FileError::File(of_file) => fault(of_file),
        FileError::Store(error) => error.into(),
        FileError::Refused {
            applied,
            item,
            error,
        } => {
            let mut problem = Problem::from(*error);
            if let Some(item) = item {
                problem.detail = format!("{item}: {}", problem.detail);
            }
            if applied > 0 {
                problem.detail += &format!(" ({applied} change sets before it were applied)");
            }
            problem
        }
    }
}

/// FeatBit's files.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FeatbitFiles {
    /// FeatBit's flags: a list of the objects that it serves to server SDKs.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub flags: Vec<Value>,
    /// FeatBit's segments, likewise.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub segments: Vec<Value>,
    /// Why, for the history: required where the environment asks for a comment. That it was
    /// imported, where absent.
    pub comment: Option<String>,
    /// Say what would happen, and change nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// Apply it, in an emergency, though approvals are missing. Takes `change.override` wherever
    /// they are; the history shows it.
    #[serde(rename = "override")]
    pub over: Option<Override>,
}

/// What became of FeatBit's files.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeatbitResult {
    /// The change set's id.
    pub id: String,
    /// Whether nothing was changed because only an answer was asked for.
    pub dry_run: bool,
    /// Every segment and flag of the files, and what became of it: `kind`, `name`, `result`
    /// (`created`, `updated`, `unchanged`, `refused` with its `reason`), `warnings`.
    #[schema(value_type = Vec<Object>)]
    pub items: Vec<import::ReportItem>,
    /// The versions that moved, by scope.
    pub versions: BTreeMap<String, i64>,
    /// What changed, in plain words and for programs.
    pub diff: Vec<DiffLine>,
    /// What the environments ask that it changes, where they ask something. A dry run is told what
    /// is missing.
    pub needs: Vec<EnvironmentNeeds>,
}

/// Import flags and segments of a FeatBit environment, with their ids. What cannot be taken over is
/// left out, and the answer says why; importing the same again changes nothing. Takes `flag.import`
/// and `segment.import` for what the files hold.
#[utoipa::path(post,
    path = "/api/v1/projects/{project}/environments/{environment}/import/featbit",
    tag = "environments",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    request_body = FeatbitFiles,
    responses((status = 200, body = FeatbitResult), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 503, body = Problem)))]
pub async fn featbit(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Body(files): Body<FeatbitFiles>,
) -> Result<Json<FeatbitResult>, Problem> {
    let override_reason = files.over.map(changes::reason).transpose()?;
    let comment = match &files.comment {
        Some(comment) => changes::comment(comment)?,
        None => "Imported from FeatBit".to_owned(),
    };
    let (project, environment) = api::environment(&state, &caller, &project, &environment).await?;
    let request = ImportRequest {
        organization: caller.organization,
        actor: caller.actor,
        rights: Some(caller.rights),
        project: project.key.to_string(),
        environment: environment.key.to_string(),
        input: import::read_values(files.flags, files.segments),
        comment,
        override_reason,
        dry_run: files.dry_run,
        now: now(),
    };
    let imported = state.store.import(&request).await?;
    let applied = imported.applied;
    if !files.dry_run {
        serve(&state, std::slice::from_ref(&applied)).await;
    }
    Ok(Json(FeatbitResult {
        id: applied.id,
        dry_run: files.dry_run,
        items: imported.report.items,
        versions: applied.versions,
        diff: applied.diff,
        needs: applied.needs,
    }))
}
