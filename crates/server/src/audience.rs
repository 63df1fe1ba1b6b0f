//! The users known in an environment, looked at one after the other: those seen last first, and
//! within bounds of number and time. Nothing of a user is kept; where a bound is met, what was
//! looked at is a sample, and whoever tells of it says so.

use std::iter;
use std::time::{Duration, Instant};

use burgee_eval::user::{Kind, Type, User};
use burgee_store::traffic::{EndUser, Known};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api;
use crate::app::AppState;
use crate::problem::Problem;

/// The most users that are looked at in one environment.
pub const USERS: i64 = 20_000;

/// Up to which number users are counted.
pub const COUNTED: i64 = 1_000_000;

/// How long it may take; what was seen by then is the sample.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// That not all users were looked at, but those seen last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sampled {
    /// How many users there are.
    pub of: i64,
    /// Whether there are more: counting stops at a million.
    pub at_least: bool,
    /// How many were looked at.
    pub size: i64,
}

/// How many users were looked at, of how many.
#[derive(Debug, Clone, Copy)]
pub struct Looked {
    /// How many were.
    pub users: i64,
    known: Known,
}

impl Looked {
    /// That it was a sample; none where it was everybody.
    pub fn sampled(&self) -> Option<Sampled> {
        let whole = !self.known.at_least && self.users >= self.known.count;
        (!whole).then_some(Sampled {
            of: self.known.count,
            at_least: self.known.at_least,
            size: self.users,
        })
    }
}

/// Shows each user to `seen`, until so many were, or until then; some are always. What is made of
/// them takes a processor, so it is done where nothing waits for it.
pub async fn look<T: Send + 'static>(
    state: &AppState,
    environment: &str,
    most: i64,
    until: Instant,
    mut made: T,
    seen: fn(&mut T, &EndUser),
) -> Result<(T, Looked), Problem> {
    let traffic = state.store.traffic();
    let sample = traffic.recent_users(environment, most, COUNTED).await?;
    let (mut keys, mut users) = (&sample.keys[..], 0);
    while !keys.is_empty() && (users == 0 || Instant::now() < until) {
        let (some, read) = traffic.users_of(environment, keys).await?;
        users += i64::try_from(some.len()).unwrap_or_default();
        keys = &keys[read..];
        made = api::computed(move || {
            for user in &some {
                seen(&mut made, user);
            }
            made
        })
        .await?;
    }
    let known = sample.known;
    Ok((made, Looked { users, known }))
}

/// A user, as flags and segments take one.
pub fn evaluated(user: &EndUser) -> User<'_> {
    let types = Type::read(&user.types).chain(iter::repeat(None));
    let properties = user.properties.iter().zip(types);
    typed_user(
        &user.key,
        &user.name,
        properties.map(|((name, text), of)| (name.as_str(), text.as_str(), of)),
    )
}

/// A user whose properties are these texts, with their types.
pub fn typed_user<'a>(
    key: &'a str,
    name: &'a str,
    properties: impl Iterator<Item = (&'a str, &'a str, Option<Type>)>,
) -> User<'a> {
    let mut user = User {
        key: key.into(),
        name: name.into(),
        ..User::default()
    };
    for (name, text, of) in properties {
        let kind = of.map_or(Kind::Text, |it| it.of(text));
        user.push(name.into(), text.into(), kind);
    }
    user
}
