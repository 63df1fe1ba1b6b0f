//! What a user gets, and why: at present, at an earlier version, or after edits that nobody has
//! applied yet.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::command::{self, Command};
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Project};
use burgee_eval::compile::CompiledFlag;
use burgee_eval::explain::{Step, Why};
use burgee_eval::flag::Variation;
use burgee_eval::snapshot::Snapshot;
use burgee_eval::user::User;
use burgee_store::page::PageRequest;
use burgee_store::{ChangeSetRequest, LoggedItem, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::page::PageQuery;
use crate::api::{self, users};
use crate::app::{AppState, now};
use crate::auth::Caller;
use crate::body::{Body, once};
use crate::params::Path;
use crate::problem::Problem;

/// What a user may be, as traffic has it: a key, a name, properties, name and value of each
/// together.
const MAX_KEY: usize = 512;
const MAX_NAME: usize = 256;
const MAX_PROPERTIES: usize = 100;
const MAX_PROPERTY: usize = 1024;

/// Whom to evaluate flags for, and in which state.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Question {
    /// The user's key. By itself it names a user who is known here (404 where none is).
    pub key: String,
    /// A name: then it is the user that is given here, known or not.
    pub name: Option<String>,
    /// Properties: likewise.
    #[serde(default, deserialize_with = "once::each_once_if")]
    pub properties: Option<BTreeMap<String, String>>,
    /// A flag's key; all live flags where absent.
    pub flag: Option<String>,
    /// A version of the environment that was; the present where absent.
    pub version: Option<i64>,
    /// A draft: commands, as of a change set, that are applied for this answer alone; for whoever
    /// may look at what they are about. Not together with `version`.
    #[schema(value_type = Option<Vec<Command>>)]
    pub commands: Option<Vec<Value>>,
    /// Whether each flag comes with its steps: where absent, if one is asked for.
    pub steps: Option<bool>,
    /// `next` of the page before; absent for the first.
    pub cursor: Option<String>,
    /// How many flags, 1 to 500; 50 where absent.
    pub limit: Option<i64>,
}

/// What a user gets.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evaluation {
    /// Whom flags were evaluated for.
    pub user: EvaluatedUser,
    /// The environment's version that they were evaluated at; of a draft, the one that it is based
    /// on.
    pub version: i64,
    /// Whether it is what a draft would give.
    pub draft: bool,
    /// By key.
    pub items: Vec<FlagEvaluation>,
    /// The cursor of the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Whom flags were evaluated for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvaluatedUser {
    /// The key.
    pub key: String,
    /// The name, perhaps empty.
    pub name: String,
    /// The properties.
    pub properties: BTreeMap<String, String>,
    /// Whether it is the user as known here; else as given.
    pub stored: bool,
}

/// What one flag gives.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlagEvaluation {
    /// The flag's key.
    pub flag: String,
    /// What the user gets; null: programs give the default in their code.
    pub variation: Option<Variation>,
    /// Why.
    pub reason: Why,
    /// Whether the answer is part of an experiment.
    pub send_to_experiment: bool,
    /// How it came to that, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<Step>>,
}

/// Evaluate flags for a user, with reasons and the steps that led to them.
#[utoipa::path(post, path = "/api/v1/projects/{project}/environments/{environment}/evaluate",
    tag = "users",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    request_body = Question,
    responses((status = 200, body = Evaluation), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn evaluate(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Body(question): Body<Question>,
) -> Result<Json<Evaluation>, Problem> {
    let (project, environment) = api::environment(&state, &caller, &project, &environment).await?;
    let user = user(&state, &caller, &project, &environment, &question).await?;
    let page: PageRequest = PageQuery {
        cursor: question.cursor.clone(),
        limit: question.limit,
    }
    .try_into()?;
    let (snapshot, version) = snapshot(&state, &caller, &project, &environment, &question).await?;
    let flags = flags(&state, &caller, &project, &snapshot, &question).await?;
    let draft = question.commands.is_some();
    let steps = question.steps.unwrap_or(question.flag.is_some());
    let answered = api::computed(move || {
        let work = Work {
            snapshot: &snapshot,
            user: &user,
            steps,
        };
        let (items, next) = work.page(flags, &page);
        Evaluation {
            user,
            version,
            draft,
            items,
            next,
        }
    });
    Ok(Json(answered.await?))
}

/// The user that is meant: known here, or as given.
async fn user(
    state: &AppState,
    caller: &Caller,
    project: &Project,
    environment: &Environment,
    question: &Question,
) -> Result<EvaluatedUser, Problem> {
    if question.name.is_none() && question.properties.is_none() {
        caller.may("user.read", &Resource::of(project, environment))?;
        let found = users::known(state, environment, &question.key).await?;
        let found = users::EndUserView::from(found);
        return Ok(EvaluatedUser {
            key: found.key,
            name: found.name,
            properties: found.properties,
            stored: true,
        });
    }
    let user = EvaluatedUser {
        key: question.key.clone(),
        name: question.name.clone().unwrap_or_default(),
        properties: question.properties.clone().unwrap_or_default(),
        stored: false,
    };
    check_user(&user.key, &user.name, &user.properties)?;
    Ok(user)
}

/// Refuses what no user of an SDK can be.
pub(super) fn check_user(
    key: &str,
    name: &str,
    properties: &BTreeMap<String, String>,
) -> Result<(), Problem> {
    let refuse = |pointer: &str, code: &str, rule: String| {
        Err(Problem::invalid(pointer.to_owned(), code, rule))
    };
    if key.trim().is_empty() || key.len() > MAX_KEY {
        let rule = format!("a user's key has 1 to {MAX_KEY} bytes, not only blanks");
        return refuse("/key", "userKey", rule);
    }
    if name.len() > MAX_NAME {
        let rule = format!("a user's name has at most {MAX_NAME} bytes");
        return refuse("/name", "tooLong", rule);
    }
    if properties.len() > MAX_PROPERTIES {
        let rule = format!("a user has at most {MAX_PROPERTIES} properties");
        return refuse("/properties", "listTooLong", rule);
    }
    for (property, value) in properties {
        let pointer = format!(
            "/properties/{}",
            property.replace('~', "~0").replace('/', "~1")
        );
        if property.is_empty() || property.len() + value.len() > MAX_PROPERTY {
            let rule =
                format!("a property has a name, and with its value at most {MAX_PROPERTY} bytes");
            return refuse(&pointer, "tooLong", rule);
        }
        if property.contains('\0') || value.contains('\0') {
            let rule = "the character U+0000 is in no text here".to_owned();
            return refuse(&pointer, "nulCharacter", rule);
        }
    }
    if key.contains('\0') || name.contains('\0') {
        let pointer = if key.contains('\0') { "/key" } else { "/name" };
        let rule = "the character U+0000 is in no text here".to_owned();
        return refuse(pointer, "nulCharacter", rule);
    }
    Ok(())
}

/// The state that is asked for, compiled, and its version.
async fn snapshot(
    state: &AppState,
    caller: &Caller,
    project: &Project,
    environment: &Environment,
    question: &Question,
) -> Result<(Arc<Snapshot>, i64), Problem> {
    if let Some(version) = question.version {
        let newest = environment.position.version;
        if question.commands.is_some() {
            let rule = "version and commands exclude each other";
            return Err(Problem::invalid("/version", "together", rule));
        }
        if !(0..=newest).contains(&version) {
            let rule = format!("must be from 0 to {newest}, the environment's version");
            return Err(Problem::invalid("/version", "range", rule));
        }
        let items = state
            .store
            .items_at(environment.id.as_str(), version)
            .await?;
        let built = api::computed(move || of_items(&items)).await?;
        return Ok((Arc::new(built?), version));
    }
    let commands = question.commands.as_deref();
    with_draft(state, caller, project, environment, commands).await
}

/// What an environment serves, or would after these commands, compiled; and its version.
pub(super) async fn with_draft(
    state: &AppState,
    caller: &Caller,
    project: &Project,
    environment: &Environment,
    commands: Option<&[Value]>,
) -> Result<(Arc<Snapshot>, i64), Problem> {
    let preview = match commands {
        None => None,
        Some(commands) => draft(state, caller, project, environment, commands).await?,
    };
    let (present, version) = present(state, environment).await?;
    let Some(preview) = preview else {
        return Ok((Arc::new(present), version));
    };
    let (flags, segments) = preview.items()?;
    let applied = api::computed(move || present.apply(flags, segments).0).await?;
    Ok((Arc::new(applied), version))
}

/// What an environment serves, compiled, and its version.
pub(crate) async fn present(
    state: &AppState,
    environment: &Environment,
) -> Result<(Snapshot, i64), Problem> {
    let found = state.store.edge().state(environment.id.as_str()).await?;
    let found = found.ok_or_else(|| Problem::not_found("such environment any more"))?;
    let version = found.environment.position.version;
    let built = api::computed(move || Snapshot::build(found.flags, found.segments)).await?;
    Ok((built, version))
}

/// What the commands would make the environment serve; none where that is the same.
async fn draft(
    state: &AppState,
    caller: &Caller,
    project: &Project,
    environment: &Environment,
    commands: &[Value],
) -> Result<Option<burgee_store::Preview>, Problem> {
    let request = ChangeSetRequest {
        id: None,
        organization: caller.organization.clone(),
        actor: caller.actor.clone(),
        rights: caller.rights.clone(),
        comment: String::new(),
        base: BTreeMap::new(),
        commands: command::parse(commands.to_vec(), Some(project.key.as_str()))?,
        override_reason: None,
        dry_run: true,
        now: now(),
    };
    let applied = state.store.apply(&request).await?;
    let mut previews = applied.preview.into_iter();
    Ok(previews.find(|preview| preview.environment == environment.id.as_str()))
}

/// The state that logged images are of.
fn of_items(items: &[LoggedItem]) -> Result<Snapshot, StoreError> {
    let (mut flags, mut segments) = (Vec::new(), Vec::new());
    for item in items {
        match item.kind.as_str() {
            "flag" => flags.push(read(&item.image)?),
            _ => segments.push(read(&item.image)?),
        }
    }
    Ok(Snapshot::build(flags, segments))
}

fn read<T: serde::de::DeserializeOwned>(image: &str) -> Result<T, StoreError> {
    serde_json::from_str(image).map_err(|error| StoreError::Other(Box::new(error)))
}

/// A flag to be evaluated: what is served, or a key under which nothing is.
enum Asked {
    Served(Arc<CompiledFlag>),
    NotReleased(String),
}

/// The flags that are asked for and that the caller may see, by key.
async fn flags(
    state: &AppState,
    caller: &Caller,
    project: &Project,
    snapshot: &Snapshot,
    question: &Question,
) -> Result<Vec<Asked>, Problem> {
    let resource = |key: &str, tags: &[String]| {
        let resource = Resource::project(project.key.as_str()).with(Kind::Flag, key);
        resource.tagged(tags)
    };
    let Some(key) = &question.flag else {
        let live = snapshot.flags().iter().filter(|it| !it.flag().is_archived);
        let seen = live.filter(|it| {
            let resource = resource(&it.flag().key, &it.flag().tags);
            caller.rights.allow("flag.read", &resource)
        });
        return Ok(seen.cloned().map(Asked::Served).collect());
    };
    let folded = key.to_lowercase();
    let served = snapshot.flag(key).or_else(|| {
        let mut flags = snapshot.flags().iter();
        flags.find(|it| it.flag().key.to_lowercase() == folded)
    });
    if let Some(found) = served {
        let flag = found.flag();
        caller.may("flag.read", &resource(&flag.key, &flag.tags))?;
        return Ok(vec![Asked::Served(Arc::clone(found))]);
    }
    let missing = || Problem::not_found(format!("flag `{key}` in `{}`", project.key));
    let typed = Key::new(&**key).map_err(|_| missing())?;
    let found = state.store.flag(&project.id, &typed).await;
    let flag = found.map_err(api::or_missing(missing))?.flag;
    caller.may("flag.read", &resource(flag.key.as_str(), &flag.tags))?;
    Ok(vec![Asked::NotReleased(flag.key.to_string())])
}

struct Work<'a> {
    snapshot: &'a Snapshot,
    user: &'a EvaluatedUser,
    steps: bool,
}

impl Work<'_> {
    fn page(&self, flags: Vec<Asked>, page: &PageRequest) -> (Vec<FlagEvaluation>, Option<String>) {
        let limit = page.limit.unwrap_or(50);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let after = page.cursor.as_deref();
        let mut rest = flags
            .iter()
            .filter(|asked| after.is_none_or(|after| asked.key() > after));
        let properties = self.user.properties.iter();
        let user = User {
            key: self.user.key.as_str().into(),
            name: self.user.name.as_str().into(),
            properties: properties
                .map(|(name, value)| (name.as_str().into(), value.as_str().into()))
                .collect(),
        };
        let some = rest.by_ref().take(limit);
        let items: Vec<_> = some.map(|asked| self.evaluate(asked, &user)).collect();
        let next = rest.next().and(items.last().map(|item| item.flag.clone()));
        (items, next)
    }

    fn evaluate(&self, asked: &Asked, user: &User<'_>) -> FlagEvaluation {
        let flag = match asked {
            Asked::Served(flag) => flag,
            Asked::NotReleased(key) => return not_released(key, self.steps),
        };
        let explained = self.snapshot.explain(flag, user);
        let outcome = explained.outcome;
        let variation = outcome.and_then(|it| flag.flag().variations.get(it.variation));
        FlagEvaluation {
            flag: flag.flag().key.clone(),
            variation: variation.cloned(),
            reason: explained.reason,
            send_to_experiment: outcome.is_some_and(|it| it.send_to_experiment),
            steps: self.steps.then_some(explained.steps),
        }
    }
}

impl Asked {
    fn key(&self) -> &str {
        match self {
            Self::Served(flag) => &flag.flag().key,
            Self::NotReleased(key) => key,
        }
    }
}

fn not_released(key: &str, steps: bool) -> FlagEvaluation {
    FlagEvaluation {
        flag: key.to_owned(),
        variation: None,
        reason: Why {
            code: "notReleased".to_owned(),
            params: BTreeMap::new(),
            text: "the flag is not released here: programs get the default in their code"
                .to_owned(),
        },
        send_to_experiment: false,
        steps: steps.then(Vec::new),
    }
}
