//! What a user gets, and why: at present, as it was at a version or a moment, or after edits that
//! nobody has applied yet; and since which change they get it.

mod sight;
mod state;
mod user;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::command::Command;
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Project};
use burgee_eval::compile::{CompiledFlag, Warning};
use burgee_eval::explain::{Step, Why};
use burgee_eval::flag::Variation;
use burgee_eval::outcome::Outcome;
use burgee_eval::snapshot::Snapshot;
use burgee_eval::user::{Type, User};
use burgee_store::Moment;
use burgee_store::page::PageRequest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::api;
use crate::api::page::PageQuery;
use crate::app::AppState;
use crate::auth::Caller;
use crate::body::{Body, once};
use crate::params::Path;
use crate::problem::Problem;
use crate::since::{Past, Since};

pub(crate) use sight::Sight;
pub(crate) use state::{Compiled, named, past, with_draft};
pub(crate) use user::check_user;

/// Whom to evaluate flags for, and in which state.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Question {
    /// The user's key. By itself it names a user who is known here (404 where none is).
    pub key: Option<String>,
    /// A name: then it is the user that is given here, known or not.
    pub name: Option<String>,
    /// Properties: likewise.
    #[serde(default, deserialize_with = "once::each_once_if")]
    pub properties: Option<BTreeMap<String, String>>,
    /// The types of those properties that are more than texts, as an answer's user has them; each
    /// one's text is its JSON.
    #[serde(default, deserialize_with = "once::each_once_if")]
    pub types: Option<BTreeMap<String, Type>>,
    /// The user as an OpenFeature context, with `targetingKey` and attributes of any type, as in
    /// OFREP. Instead of `key`, `name`, `properties` and `types`.
    #[schema(value_type = Option<std::collections::HashMap<String, Value>>)]
    pub context: Option<Box<RawValue>>,
    /// A flag's key; all live flags where absent.
    pub flag: Option<String>,
    /// A version of the environment that was; the present where absent.
    pub version: Option<i64>,
    /// A moment, ISO 8601: the newest version that was asked for by then. Not together with
    /// `version`.
    pub at: Option<String>,
    /// A draft: commands, as of a change set, that are applied for this answer alone; for whoever
    /// may look at what they are about. Not together with `version` or `at`.
    #[schema(value_type = Option<Vec<Command>>)]
    pub commands: Option<Vec<Value>>,
    /// Whether each flag comes with its steps: where absent, if one is asked for, or an explanation.
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
    /// When that version was asked for, ISO 8601; null for version 0.
    pub at: Option<String>,
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
    /// The types of those that are more than texts: OFREP's may be.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<String, Type>,
    /// Whether it is the user as known here; else as given.
    pub stored: bool,
    /// Of a user as known here: since when name and properties are so, ISO 8601. Where `at` is
    /// before that, they may have been others then, and so may the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties_since: Option<String>,
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
    /// What in the flag and its segments does not do what its author may think; where an
    /// explanation is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<WarningView>>,
    /// Since which change the user gets that, as they are in this answer; where one flag's
    /// explanation is asked for, and not of a draft.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Since>,
}

/// Something that does not do what its author may think.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WarningView {
    /// Whether it is in the flag or in a segment that the flag asks.
    pub of: WarningOf,
    /// The flag's key, or the segment's name.
    pub name: String,
    /// A stable code, e.g. `segmentUnknown`.
    pub code: String,
    /// Where, as an RFC 6901 pointer into the flag's targeting or the segment.
    pub pointer: String,
    /// What it is, in plain words.
    pub message: String,
}

/// What a warning is about.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum WarningOf {
    /// The flag.
    Flag,
    /// A segment.
    Segment,
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
    let place = Place::find(&state, &caller, &project, &environment).await?;
    let depth = match question.steps.unwrap_or(question.flag.is_some()) {
        true => Depth::Steps,
        false => Depth::Reason,
    };
    place.answer(&question, depth).await.map(|it| Json(it.0))
}

/// Explain what a user gets: the same with all steps and warnings, and for one flag since which
/// change the user gets it, and what they got before.
#[utoipa::path(post,
    path = "/api/v1/projects/{project}/environments/{environment}/evaluate/explain",
    tag = "users",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    request_body = Question,
    responses((status = 200, body = Evaluation), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn explain(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Body(question): Body<Question>,
) -> Result<Json<Evaluation>, Problem> {
    let place = Place::find(&state, &caller, &project, &environment).await?;
    let (mut evaluation, compiled) = place.answer(&question, Depth::Everything).await?;
    let one = question.flag.is_some() && question.commands.is_none();
    if let (true, [answer]) = (one, evaluation.items.as_mut_slice())
        && let Some(flag) = compiled.snapshot.flag(&answer.flag)
    {
        let past = Past {
            store: &state.store,
            organization: &caller.organization,
            environment: place.environment.id.as_str(),
            sight: &Sight::of(&state, &caller, &place.project, &place.environment).await?,
        };
        let (user, version) = (evaluation.user.as_evaluated(), compiled.version);
        let gets = answer.variation.as_ref();
        answer.since = past.since(version, flag, &user, gets).await?;
    }
    Ok(Json(evaluation))
}

/// How much is told of each flag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// What the user gets, and the reason in short.
    Reason,
    /// Each step as well.
    Steps,
    /// Warnings as well.
    Everything,
}

/// Where flags are evaluated, and for which caller.
struct Place<'a> {
    state: &'a AppState,
    caller: &'a Caller,
    project: Project,
    environment: Environment,
}

impl<'a> Place<'a> {
    /// The environment of these keys, if the caller may know of it.
    async fn find(
        state: &'a AppState,
        caller: &'a Caller,
        project: &str,
        environment: &str,
    ) -> Result<Self, Problem> {
        let (project, environment) = api::environment(state, caller, project, environment).await?;
        Ok(Self {
            state,
            caller,
            project,
            environment,
        })
    }

    /// A page of flags, evaluated, and the state that they were evaluated in.
    async fn answer(
        &self,
        question: &Question,
        depth: Depth,
    ) -> Result<(Evaluation, Compiled), Problem> {
        let Self {
            state,
            caller,
            project,
            environment,
        } = self;
        let user = user::user(state, caller, project, environment, question).await?;
        let page: PageRequest = PageQuery {
            cursor: question.cursor.clone(),
            limit: question.limit,
        }
        .try_into()?;
        let compiled = state::asked(state, caller, project, environment, question).await?;
        let sight = Sight::of(state, caller, project, environment).await?;
        let sight = sight.over(compiled.before.clone());
        let flags = flags(state, caller, project, &compiled, &sight, question).await?;
        let unseen = match depth {
            Depth::Reason => BTreeSet::new(),
            _ => {
                let asked = flags.iter().filter_map(Asked::served);
                let ids = asked.flat_map(CompiledFlag::segment_ids);
                sight.unseen_segments(state, ids).await?
            }
        };
        let moment = Moment::Version(compiled.version);
        let at = state.store.version_at(environment.id.as_str(), moment);
        let at = at.await?.at.map(|at| at.to_string());
        let draft = question.commands.is_some();
        let (snapshot, version) = (Arc::clone(&compiled.snapshot), compiled.version);
        let answered = api::computed(move || {
            let work = Work {
                snapshot: &snapshot,
                user: &user,
                sight: &sight,
                unseen: &unseen,
                depth,
            };
            let (items, next) = work.page(flags, &page);
            Evaluation {
                user,
                version,
                at,
                draft,
                items,
                next,
            }
        });
        Ok((answered.await?, compiled))
    }
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
    compiled: &Compiled,
    sight: &Sight,
    question: &Question,
) -> Result<Vec<Asked>, Problem> {
    let snapshot = &compiled.snapshot;
    let Some(key) = &question.flag else {
        let live = snapshot.flags().iter().filter(|it| !it.flag().is_archived);
        let seen = live.filter(|it| sight.covers(it.flag()));
        return Ok(seen.cloned().map(Asked::Served).collect());
    };
    let folded = key.to_lowercase();
    let served = snapshot.flag(key).or_else(|| {
        let mut flags = snapshot.flags().iter();
        flags.find(|it| it.flag().key.to_lowercase() == folded)
    });
    if let Some(found) = served {
        sight.may_see(found.flag())?;
        return Ok(vec![Asked::Served(Arc::clone(found))]);
    }
    let missing = || Problem::not_found(format!("flag `{key}` in `{}`", project.key));
    let typed = Key::new(&**key).map_err(|_| missing())?;
    let found = state.store.flag(&project.id, &typed).await;
    let flag = found.map_err(api::or_missing(missing))?.flag;
    let resource = Resource::project(project.key.as_str()).with(Kind::Flag, flag.key.as_str());
    caller.may("flag.read", &resource.tagged(&flag.tags))?;
    Ok(vec![Asked::NotReleased(flag.key.to_string())])
}

struct Work<'a> {
    snapshot: &'a Snapshot,
    user: &'a EvaluatedUser,
    sight: &'a Sight,
    /// Ids of segments of which nothing is told.
    unseen: &'a BTreeSet<String>,
    depth: Depth,
}

impl Work<'_> {
    fn page(&self, flags: Vec<Asked>, page: &PageRequest) -> (Vec<FlagEvaluation>, Option<String>) {
        let limit = page.limit.unwrap_or(50);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let after = page.cursor.as_deref();
        let mut rest = flags
            .iter()
            .filter(|asked| after.is_none_or(|after| asked.key() > after));
        let user = self.user.as_evaluated();
        let some = rest.by_ref().take(limit);
        let items: Vec<_> = some.map(|asked| self.evaluate(asked, &user)).collect();
        let next = rest.next().and(items.last().map(|item| item.flag.clone()));
        (items, next)
    }

    fn evaluate(&self, asked: &Asked, user: &User<'_>) -> FlagEvaluation {
        let flag = match asked {
            Asked::Served(flag) => flag,
            Asked::NotReleased(key) => return not_released(key, self.depth),
        };
        let mut explained = self.sight.explain(self.snapshot, flag, user);
        explained.hide_segments(|id| self.unseen.contains(id));
        let outcome = explained.outcome;
        FlagEvaluation {
            flag: flag.flag().key.clone(),
            variation: served(flag, outcome),
            reason: explained.reason,
            send_to_experiment: outcome.is_some_and(|it| it.send_to_experiment),
            steps: (self.depth != Depth::Reason).then_some(explained.steps),
            warnings: (self.depth == Depth::Everything).then(|| self.warnings(flag)),
            since: None,
        }
    }

    /// What does not do what its author may think, in the flag and in the segments that it asks and
    /// that may be seen.
    fn warnings(&self, flag: &CompiledFlag) -> Vec<WarningView> {
        let view = |of: WarningOf, name: &str, warning: &Warning| WarningView {
            of,
            name: name.to_owned(),
            code: warning.code.as_str().to_owned(),
            pointer: warning.pointer.clone(),
            message: warning.message.clone(),
        };
        let own = flag.warnings().iter();
        let own = own.map(|it| view(WarningOf::Flag, &flag.flag().key, it));
        let seen = flag.segment_ids().filter(|id| !self.unseen.contains(*id));
        let segments = seen.filter_map(|id| self.snapshot.segment(id));
        let of_segments = segments.flat_map(|segment| {
            let name = &segment.segment().name;
            let warnings = segment.warnings().iter();
            warnings.map(move |it| view(WarningOf::Segment, name, it))
        });
        own.chain(of_segments).collect()
    }
}

/// The variation that an outcome is.
fn served(flag: &CompiledFlag, outcome: Option<Outcome>) -> Option<Variation> {
    flag.flag().variations.get(outcome?.variation).cloned()
}

impl Asked {
    fn served(&self) -> Option<&CompiledFlag> {
        match self {
            Self::Served(flag) => Some(flag),
            Self::NotReleased(_) => None,
        }
    }

    fn key(&self) -> &str {
        match self {
            Self::Served(flag) => &flag.flag().key,
            Self::NotReleased(key) => key,
        }
    }
}

fn not_released(key: &str, depth: Depth) -> FlagEvaluation {
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
        steps: (depth != Depth::Reason).then(Vec::new),
        warnings: (depth == Depth::Everything).then(Vec::new),
        since: None,
    }
}
