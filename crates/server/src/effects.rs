//! What a change would do to real users, or did: for the end users that are known where it is served,
//! how many move from which variation to which, flag by flag.
//!
//! Of a draft it is worked out after the dry run was taken back, from the state before and what the dry run
//! made of it, so no lock is held meanwhile. Users are read in chunks, the flags that the change can
//! concern are evaluated for each, and nothing of a user is kept. What it may cost is bounded:
//! users, flags and time; where a bound is met, the answer says so, and it is a sample.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use burgee_eval::compile::CompiledFlag;
use burgee_eval::flag::{Flag, Variation};
use burgee_eval::segment::Segment;
use burgee_eval::snapshot::{Effect, Snapshot};
use burgee_store::Preview;
use burgee_store::traffic::EndUser;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api;
use crate::api::evaluate::Sight;
use crate::app::AppState;
use crate::audience::{self, Looked, PATIENCE, Sampled, USERS};
use crate::auth::Caller;
use crate::problem::Problem;

/// The most in all environments together: a change of a shared segment can concern fifty.
const ALL_USERS: i64 = 100_000;
/// The most flags that are evaluated in one environment.
const FLAGS: usize = 200;

/// What a change would do to the users known in an environment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentEffect {
    /// `project/environment`.
    pub environment: String,
    /// How many users were evaluated: all that are known, or a sample.
    pub users: i64,
    /// Of how many users they are a sample; absent where they are all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Sampled>,
    /// The flags whose answer may differ for somebody, by key.
    pub flags: Vec<FlagEffect>,
    /// How many more flags there are, which were not evaluated; 200 are.
    pub flags_left_out: usize,
    /// In English.
    pub text: Vec<String>,
}

/// What it would do to one flag.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlagEffect {
    /// The flag's key.
    pub flag: String,
    /// How many of the users get something else.
    pub moved: u64,
    /// From what to what, the most users first.
    pub moves: Vec<Move>,
}

/// Users who get one thing now and would get another.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Move {
    /// What they get now; null: nothing, programs give the default in their code.
    pub from: Option<Variation>,
    /// What they would get; null likewise.
    pub to: Option<Variation>,
    /// How many of the users.
    pub users: u64,
}

/// The effects of a dry run, in the environments whose users the caller may see, on the flags that they
/// may see: a change concerns those too that need what it changes.
pub async fn effects(
    state: &AppState,
    caller: &Caller,
    previews: &[Preview],
) -> Result<Vec<EnvironmentEffect>, Problem> {
    let seen: Vec<&Preview> = previews
        .iter()
        .filter(|it| sees_users(caller, it))
        .collect();
    let environments = i64::try_from(seen.len()).unwrap_or(i64::MAX).max(1);
    let most = (ALL_USERS / environments).clamp(1, USERS);
    let until = Instant::now() + PATIENCE;
    let mut effects = Vec::with_capacity(seen.len());
    for preview in seen {
        let project = preview.scope.split('/').next().unwrap_or_default();
        let sight = Sight::at(caller, project, preview.place.clone());
        effects.push(in_environment(state, &sight, preview, most, until).await?);
    }
    Ok(effects)
}

fn sees_users(caller: &Caller, preview: &Preview) -> bool {
    ["environment.read", "user.read"]
        .iter()
        .all(|action| caller.rights.allow(action, &preview.place))
}

async fn in_environment(
    state: &AppState,
    sight: &Sight,
    preview: &Preview,
    most: i64,
    until: Instant,
) -> Result<EnvironmentEffect, Problem> {
    let id = preview.environment.as_str();
    let (flags, segments) = preview.items()?;
    let found = state.store.edge().state(id).await?;
    let found = found.ok_or_else(|| Problem::not_found("such environment any more"))?;
    let compared = api::computed(move || {
        let before = Snapshot::build(found.flags, found.segments);
        compare(&before, flags, segments)
    });
    let mut tallies = compared.await?;
    tallies.retain(|it| it.is_seen(sight));
    count(state, (id, &preview.scope), tallies, most, until).await
}

/// What changes that were made did to the users known in an environment (its id, and how it is
/// called): the items that they changed, as they left them, over the state before. Of the flags
/// that may be seen.
pub(crate) async fn of_changes(
    state: &AppState,
    (id, scope): (&str, &str),
    before: Arc<Snapshot>,
    (flags, segments): (Vec<Flag>, Vec<Segment>),
    sight: &Sight,
) -> Result<EnvironmentEffect, Problem> {
    let compared = api::computed(move || compare(&before, flags, segments));
    let mut tallies = compared.await?;
    tallies.retain(|it| it.is_seen(sight));
    let until = Instant::now() + PATIENCE;
    count(state, (id, scope), tallies, USERS, until).await
}

/// Looks at the users, and tells.
async fn count(
    state: &AppState,
    (id, scope): (&str, &str),
    mut tallies: Vec<Tally>,
    most: i64,
    until: Instant,
) -> Result<EnvironmentEffect, Problem> {
    let flags_left_out = tallies.len().saturating_sub(FLAGS);
    tallies.truncate(FLAGS);
    // Nobody is looked at where nothing is asked of them.
    let most = if tallies.is_empty() { 0 } else { most };
    let (tallies, looked) = audience::look(state, id, most, until, tallies, tally).await?;
    Ok(told(scope, looked, tallies, flags_left_out))
}

/// A flag as it is and as it would be, and who moves.
struct Tally {
    flag: String,
    before: Option<Arc<CompiledFlag>>,
    after: Arc<CompiledFlag>,
    /// By the places of the variations.
    moves: BTreeMap<(Option<usize>, Option<usize>), u64>,
}

impl Tally {
    /// Whether the flag may be seen in both states: nobody sees one by a change that takes away
    /// what hides it.
    fn is_seen(&self, sight: &Sight) -> bool {
        let before = self.before.as_ref();
        sight.covers(self.after.flag()) && before.is_none_or(|it| sight.covers(it.flag()))
    }
}

/// The flags whose answer may differ for somebody, by key.
fn compare(before: &Snapshot, flags: Vec<Flag>, segments: Vec<Segment>) -> Vec<Tally> {
    let (after, affected) = before.apply(flags, segments);
    let touched = affected
        .flags
        .iter()
        .filter(|flag| flag.effect != Effect::None);
    let tallies = touched.filter_map(|flag| {
        let after = after.flags().get(flag.index)?;
        let key = after.flag().key.clone();
        Some(Tally {
            before: before.flag(&key).cloned(),
            after: Arc::clone(after),
            flag: key,
            moves: BTreeMap::new(),
        })
    });
    tallies.collect()
}

/// Counts what a change would do to a user.
fn tally(tallies: &mut Vec<Tally>, user: &EndUser) {
    let user = audience::evaluated(user);
    let place = |flag: &CompiledFlag| {
        let outcome = flag.outcome(flag.evaluate(&user)?)?;
        Some(outcome.variation)
    };
    for tally in tallies {
        let from = tally.before.as_deref().and_then(place);
        let to = place(&tally.after);
        *tally.moves.entry((from, to)).or_default() += 1;
    }
}

fn told(
    scope: &str,
    looked: Looked,
    tallies: Vec<Tally>,
    flags_left_out: usize,
) -> EnvironmentEffect {
    let (users, sampled) = (looked.users, looked.sampled());
    let flags: Vec<FlagEffect> = tallies.into_iter().map(effect).collect();
    let mut text = Vec::new();
    for flag in &flags {
        let moves = flag.moves.iter();
        text.extend(moves.map(|it| say(scope, flag, it, users, sampled)));
    }
    if text.is_empty() {
        text.push(match (flags.is_empty(), users) {
            (true, _) => format!("{scope}: no flag differs"),
            (_, 0) => format!("{scope}: no users are known here yet"),
            _ => format!("{scope}: none of {users} users gets anything else"),
        });
    }
    EnvironmentEffect {
        environment: scope.to_owned(),
        users,
        sampled,
        flags,
        flags_left_out,
        text,
    }
}

fn effect(tally: Tally) -> FlagEffect {
    let variation = |flag: Option<&CompiledFlag>, place: Option<usize>| {
        let found = flag?.flag().variations.get(place?);
        found.cloned()
    };
    let counted = tally.moves.into_iter().map(|((from, to), users)| Move {
        from: variation(tally.before.as_deref(), from),
        to: variation(Some(&tally.after), to),
        users,
    });
    let served = |it: &Option<Variation>| it.as_ref().map(|it| (it.id.clone(), it.value.clone()));
    let mut moves: Vec<Move> = counted
        .filter(|it| served(&it.from) != served(&it.to))
        .collect();
    moves.sort_by_key(|it| std::cmp::Reverse(it.users));
    FlagEffect {
        flag: tally.flag,
        moved: moves.iter().map(|it| it.users).sum(),
        moves,
    }
}

/// E.g. `web/prod, checkout: about 620 of 1,240 known users move from ‘false’ to ‘true’`.
fn say(scope: &str, flag: &FlagEffect, of: &Move, users: i64, sampled: Option<Sampled>) -> String {
    let name = |it: &Option<Variation>| match it {
        None => "the default in the code".to_owned(),
        Some(it) => {
            let name = it.name.as_ref().unwrap_or(&it.value);
            let shown: String = name.chars().take(60).collect();
            format!("‘{shown}’")
        }
    };
    let how = format!("move from {} to {}", name(&of.from), name(&of.to));
    let place = format!("{scope}, {}", flag.flag);
    match sampled {
        None => format!("{place}: {} of {users} known users {how}", of.users),
        Some(sampled) => {
            let share = of.users as f64 / users.max(1) as f64;
            let about = (share * sampled.of as f64).round();
            let least = if sampled.at_least { "at least " } else { "" };
            format!(
                "{place}: about {about} of {least}{} known users {how} (sample of {})",
                sampled.of, sampled.size
            )
        }
    }
}
