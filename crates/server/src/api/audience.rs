//! Whom the parts of a flag decide for, and whom a segment takes in, of the users that are known:
//! what stands beside a rule while it is written.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::extract::State;
use burgee_domain::access::{Kind, Resource};
use burgee_domain::key::Key;
use burgee_eval::compile::{self, CompiledFlag, CompiledSegment};
use burgee_eval::flag::Flag;
use burgee_eval::outcome::{Outcome, Reason};
use burgee_eval::segment::{Segment, SegmentRule};
use burgee_eval::snapshot::Snapshot;
use burgee_eval::time::Millis;
use burgee_store::traffic::EndUser;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::{self, evaluate, users};
use crate::app::AppState;
use crate::audience::{self, PATIENCE, Sampled, USERS};
use crate::auth::Caller;
use crate::body::Body;
use crate::params::Path;
use crate::problem::Problem;

/// So many keys are looked for before the clock is looked at.
const AT_ONCE: usize = 1_000;

/// Of which state of a flag.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AudienceQuestion {
    /// A draft: commands, as of a change set, that are applied for this answer alone; the present
    /// state where absent.
    #[schema(value_type = Option<Vec<burgee_domain::command::Command>>)]
    pub commands: Option<Vec<Value>>,
}

/// Whom each part of a flag decides for, as if the flag were on.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlagAudience {
    /// How many users were looked at.
    pub users: i64,
    /// Of how many users they are a sample; absent where they are all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Sampled>,
    /// How many are individual targets, by the variation's id.
    pub targets: BTreeMap<String, u64>,
    /// For each rule, in order: how many it decides for, since none before it does.
    pub rules: Vec<RuleAudience>,
    /// How many the default rule decides for.
    pub default_rule: u64,
    /// How many get nothing: what decides for them covers nobody like them, or the flag is not
    /// released here.
    pub nothing: u64,
}

/// Whom a rule decides for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleAudience {
    /// The rule's id.
    pub rule: String,
    /// How many of the users.
    pub users: u64,
}

/// A segment: one that is there, or one that is being written.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SegmentQuestion {
    /// Keys of members.
    #[serde(default)]
    pub included: Vec<String>,
    /// Keys of who are none.
    #[serde(default)]
    pub excluded: Vec<String>,
    /// Any rule that holds makes a member.
    #[serde(default)]
    pub rules: Vec<SegmentRule>,
}

/// Whom a segment takes in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SegmentAudience {
    /// How many users were looked at.
    pub users: i64,
    /// Of how many users they are a sample; absent where they are all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Sampled>,
    /// How many of the users are members.
    pub members: u64,
    /// How many of the included keys no known user has; null where there was no time to look for all
    /// of them.
    pub unknown_keys: Option<usize>,
}

/// Count whom each part of a flag decides for in an environment, of the users known there.
#[utoipa::path(post,
    path = "/api/v1/projects/{project}/environments/{environment}/flags/{flag}/audience",
    tag = "users",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key"),
        ("flag", description = "The flag's key")),
    request_body = AudienceQuestion,
    responses((status = 200, body = FlagAudience), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn of_flag(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment, flag)): Path<(String, String, String)>,
    Body(question): Body<AudienceQuestion>,
) -> Result<Json<FlagAudience>, Problem> {
    let (project, environment) =
        users::place(&state, &caller, "user.read", &project, &environment).await?;
    let commands = question.commands.as_deref();
    let snapshot = evaluate::with_draft(&state, &caller, &project, &environment, commands);
    let snapshot = snapshot.await?.snapshot;
    let missing = || Problem::not_found(format!("flag `{flag}` in `{}`", project.key));
    let key = Key::new(&*flag).map_err(|_| missing())?;
    let found = state.store.flag(&project.id, &key).await;
    let found = found.map_err(api::or_missing(missing))?.flag;
    let resource = Resource::project(project.key.as_str()).with(Kind::Flag, found.key.as_str());
    caller.may("flag.read", &resource.tagged(&found.tags))?;
    let tally = api::computed(move || Tally::new(&snapshot, found.key.as_str())).await?;
    let (id, until) = (environment.id.as_str(), Instant::now() + PATIENCE);
    let (tally, looked) = audience::look(&state, id, USERS, until, tally, Tally::count).await?;
    Ok(Json(tally.told(looked.users, looked.sampled())))
}

/// Whom the parts of a flag decided for so far.
struct Tally {
    /// None where it is not released.
    flag: Option<Arc<CompiledFlag>>,
    targets: BTreeMap<String, u64>,
    rules: Vec<u64>,
    default_rule: u64,
    nothing: u64,
}

impl Tally {
    /// Of the flag as if it were on.
    fn new(snapshot: &Snapshot, key: &str) -> Self {
        let flag = snapshot.flag(key).and_then(|served| {
            let flag = Flag {
                is_enabled: true,
                ..Flag::clone(served.flag())
            };
            let on = snapshot.apply(vec![flag], Vec::new()).0;
            on.flag(key).cloned()
        });
        let rules = flag.as_ref().map_or(0, |it| it.flag().rules.len());
        Self {
            flag,
            rules: vec![0; rules],
            targets: BTreeMap::new(),
            default_rule: 0,
            nothing: 0,
        }
    }

    fn count(&mut self, user: &EndUser) {
        let Some((flag, outcome)) = self.outcome(user) else {
            self.nothing += 1;
            return;
        };
        match outcome.reason {
            Reason::Targeted => {
                let variation = flag.flag().variations.get(outcome.variation);
                let id = variation.map(|it| it.id.clone()).unwrap_or_default();
                *self.targets.entry(id).or_default() += 1;
            }
            Reason::Rule(place) => {
                if let Some(rule) = self.rules.get_mut(place) {
                    *rule += 1;
                }
            }
            Reason::Default | Reason::Disabled | Reason::Prerequisite(_) => self.default_rule += 1,
        }
    }

    fn outcome(&self, user: &EndUser) -> Option<(Arc<CompiledFlag>, Outcome)> {
        let flag = self.flag.as_ref()?;
        let place = flag.evaluate(&audience::evaluated(user))?;
        Some((Arc::clone(flag), flag.outcome(place)?))
    }

    fn told(self, users: i64, sampled: Option<Sampled>) -> FlagAudience {
        let rules = self.flag.iter().flat_map(|it| &it.flag().rules);
        let rules = rules.zip(self.rules);
        FlagAudience {
            users,
            sampled,
            targets: self.targets,
            rules: rules
                .map(|(rule, users)| RuleAudience {
                    rule: rule.id.clone(),
                    users,
                })
                .collect(),
            default_rule: self.default_rule,
            nothing: self.nothing,
        }
    }
}

/// Count whom a segment would take in, of the users known in an environment, and how many of its keys
/// are nobody's there.
#[utoipa::path(post,
    path = "/api/v1/projects/{project}/environments/{environment}/segment-audience",
    tag = "users",
    params(("project", description = "The project's key"),
        ("environment", description = "The environment's key")),
    request_body = SegmentQuestion,
    responses((status = 200, body = SegmentAudience), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub async fn of_segment(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Body(question): Body<SegmentQuestion>,
) -> Result<Json<SegmentAudience>, Problem> {
    let (_, environment) =
        users::place(&state, &caller, "user.read", &project, &environment).await?;
    let keys: Vec<String> = unique(&question.included);
    let compiled = api::computed(move || compile::segment(Arc::new(segment(question)))).await?;
    let (id, until) = (environment.id.as_str(), Instant::now() + PATIENCE);
    let unknown_keys = unknown(&state, id, &keys, until).await?;
    let ((_, members), looked) =
        audience::look(&state, id, USERS, until, (compiled, 0), count).await?;
    Ok(Json(SegmentAudience {
        users: looked.users,
        sampled: looked.sampled(),
        members,
        unknown_keys,
    }))
}

fn count((segment, members): &mut (CompiledSegment, u64), user: &EndUser) {
    if segment.contains(&audience::evaluated(user)) {
        *members += 1;
    }
}

fn segment(question: SegmentQuestion) -> Segment {
    Segment {
        id: String::new(),
        created_at: Millis(0),
        updated_at: Millis(0),
        env_id: String::new(),
        name: String::new(),
        description: String::new(),
        included: question.included,
        excluded: question.excluded,
        rules: question.rules,
        is_archived: false,
    }
}

fn unique(keys: &[String]) -> Vec<String> {
    let mut seen = HashSet::new();
    let once = keys.iter().filter(|it| seen.insert(it.as_str()));
    once.cloned().collect()
}

/// How many of these keys no known user has; none where there was no time.
async fn unknown(
    state: &AppState,
    environment: &str,
    keys: &[String],
    until: Instant,
) -> Result<Option<usize>, Problem> {
    let traffic = state.store.traffic();
    let (mut rest, mut known) = (keys, 0);
    while !rest.is_empty() {
        if Instant::now() >= until {
            return Ok(None);
        }
        let some = &rest[..rest.len().min(AT_ONCE)];
        let (found, read) = traffic.users_of(environment, some).await?;
        known += found.len();
        rest = &rest[read..];
    }
    Ok(Some(keys.len() - known))
}
