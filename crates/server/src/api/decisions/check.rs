//! Whether an explanation says of a decision what was decided.
//!
//! The state of that very version is read from the history, as for every explanation, and the flag is
//! explained for the user as they are known. Where that cannot tell (the user's properties are
//! younger than the decision, or were never reported; the history was replaced) it says so, rather
//! than compare with somebody else.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use burgee_domain::model::Environment;
use burgee_eval::explain::Why;
use burgee_eval::flag::Variation;
use burgee_eval::snapshot::Snapshot;
use burgee_eval::time::Millis;
use burgee_store::Moment;
use burgee_store::traffic::{EndUser, LoggedDecision};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::evaluate::{Compiled, Sight, past};
use crate::app::AppState;
use crate::audience::{PATIENCE, evaluated};
use crate::problem::Problem;

/// How long after an evaluation SDKs report it: most do every few seconds.
const REPORTED_WITHIN: i64 = 60_000;

/// How many states are kept at once: each has all flags and segments of the environment, and
/// decisions come in about the order of their versions.
const KEPT: usize = 2;

/// What comes of holding a decision against the explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
// A reviewer gives verdicts too.
#[schema(as = DecisionVerdict)]
pub enum Verdict {
    /// It says the same.
    Agrees,
    /// It says something else.
    Differs,
    /// It cannot be said.
    Unknown,
}

/// What the explanation says of a decision.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionCheck {
    /// Whether it is the same.
    pub verdict: Verdict,
    /// What differs: `variation`, `reason`, `rule`. Of what an SDK reports the variation alone is
    /// compared. Where nothing can be said, why: `userUnknown`, `propertiesChanged` (they are known as
    /// of a later moment), `historyReplaced` (the version was of a history that is not here),
    /// `flagUnknown` or `notChecked` (checking took too long; a smaller page gets further).
    pub codes: Vec<&'static str>,
    /// The version that was explained: the decision's; of what an SDK reports, the newest of that
    /// moment, which that SDK may not have had yet. Null where none was.
    pub version: Option<i64>,
    /// The explanation; null where there is none.
    pub explained: Option<Explained>,
    /// In English.
    pub text: String,
}

/// An explanation, in short.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explained {
    /// What the user gets; null: programs give the default in their code.
    pub variation: Option<Variation>,
    /// Why.
    pub reason: Why,
}

/// What the explanation says of each of these decisions.
pub(super) async fn checks(
    state: &AppState,
    environment: &Environment,
    sight: &Sight,
    decisions: impl Iterator<Item = &LoggedDecision>,
) -> Result<Vec<Option<DecisionCheck>>, Problem> {
    let mut checking = Checking {
        state,
        environment,
        sight,
        users: BTreeMap::new(),
        states: VecDeque::new(),
    };
    let until = Instant::now() + PATIENCE;
    let mut checks = Vec::new();
    for decision in decisions {
        // Each may be of another version, whose whole state is read: the first one always is.
        let checked = match checks.is_empty() || Instant::now() < until {
            true => checking.check(decision).await?,
            false => DecisionCheck::unknown("notChecked", "checking those before took too long"),
        };
        checks.push(Some(checked));
    }
    Ok(checks)
}

struct Checking<'a> {
    state: &'a AppState,
    environment: &'a Environment,
    sight: &'a Sight,
    users: BTreeMap<String, Option<EndUser>>,
    /// The last ones that were used, with their versions.
    states: VecDeque<(i64, Compiled)>,
}

impl Checking<'_> {
    async fn check(&mut self, decision: &LoggedDecision) -> Result<DecisionCheck, Problem> {
        let Some(user) = self.user(&decision.user).await? else {
            let why = "the user is not known here: no program has reported who they are";
            return Ok(DecisionCheck::unknown("userUnknown", why));
        };
        let since = known_since(&user, decision);
        if since > decision.at {
            let why = format!(
                "the user's properties are known as of {since}: they may have been others before"
            );
            return Ok(DecisionCheck::unknown("propertiesChanged", why));
        }
        let Some(version) = self.version(decision).await? else {
            let why = "the version was of a history that is not the database's";
            return Ok(DecisionCheck::unknown("historyReplaced", why));
        };
        let snapshot = &self.compiled(version).await?.snapshot;
        Ok(explained(self.sight, snapshot, version, &user, decision))
    }

    async fn user(&mut self, key: &str) -> Result<Option<EndUser>, Problem> {
        if let Some(known) = self.users.get(key) {
            return Ok(known.clone());
        }
        let traffic = self.state.store.traffic();
        let found = traffic.end_user(self.environment.id.as_str(), key).await?;
        self.users.insert(key.to_owned(), found.clone());
        Ok(found)
    }

    /// The version that is explained; none where the decision's is not in the history.
    async fn version(&self, decision: &LoggedDecision) -> Result<Option<i64>, Problem> {
        let (store, scope) = (&self.state.store, self.environment.id.as_str());
        let Some(position) = decision.position else {
            let found = store.version_at(scope, Moment::At(decision.at)).await?;
            return Ok(Some(found.version));
        };
        let had = store.edge().had(scope, position).await?;
        Ok(had.then_some(position.version))
    }

    async fn compiled(&mut self, version: i64) -> Result<Compiled, Problem> {
        let known = self.states.iter().position(|it| it.0 == version);
        let compiled = match known.and_then(|place| self.states.remove(place)) {
            Some((_, known)) => known,
            None => {
                let moment = Moment::Version(version);
                past(self.state, self.environment, "check", moment).await?
            }
        };
        self.states.truncate(KEPT - 1);
        self.states.push_front((version, compiled.clone()));
        Ok(compiled)
    }
}

/// Since when the user's properties are known to be so. Of what an SDK reports, they come with the
/// report, after the fact: who was not known before is taken as having been so a little earlier.
fn known_since(user: &EndUser, decision: &LoggedDecision) -> Millis {
    match (user.changed, decision.position) {
        (Some(changed), _) => changed,
        (None, Some(_)) => user.first_seen,
        (None, None) => Millis(user.first_seen.0 - REPORTED_WITHIN),
    }
}

fn explained(
    sight: &Sight,
    snapshot: &Snapshot,
    version: i64,
    user: &EndUser,
    decision: &LoggedDecision,
) -> DecisionCheck {
    let flag = snapshot.flag(&decision.flag);
    let Some(flag) = flag.filter(|it| it.flag().id == decision.flag_id) else {
        let why = format!("version {version} has no such flag");
        return DecisionCheck {
            version: Some(version),
            ..DecisionCheck::unknown("flagUnknown", why)
        };
    };
    let found = sight.explain(snapshot, flag, &evaluated(user));
    let variation = found
        .outcome
        .and_then(|it| flag.flag().variations.get(it.variation));
    let explained = Explained {
        variation: variation.cloned(),
        reason: found.reason,
    };
    let codes = differences(&explained, decision);
    let gives = variation.map_or("nothing".to_owned(), |it| {
        format!("‘{}’", it.name.as_ref().unwrap_or(&it.value))
    });
    let by = format!("version {version} gives {gives}: {}", explained.reason.text);
    let (verdict, text) = match codes.is_empty() {
        true => (Verdict::Agrees, format!("{by}; that is what was decided")),
        false => (
            Verdict::Differs,
            format!("{by}; that is not what was decided"),
        ),
    };
    DecisionCheck {
        verdict,
        codes,
        version: Some(version),
        explained: Some(explained),
        text,
    }
}

fn differences(explained: &Explained, decision: &LoggedDecision) -> Vec<&'static str> {
    let variation = explained.variation.as_ref().map(|it| it.id.as_str());
    let mut codes = Vec::new();
    if variation != Some(&*decision.variation) {
        codes.push("variation");
    }
    if let Some(reason) = &decision.reason {
        if *reason != explained.reason.code {
            codes.push("reason");
        }
        if decision.rule.as_ref() != explained.reason.params.get("rule") {
            codes.push("rule");
        }
    }
    codes
}

impl DecisionCheck {
    fn unknown(code: &'static str, why: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Unknown,
            codes: vec![code],
            version: None,
            explained: None,
            text: why.into(),
        }
    }
}
