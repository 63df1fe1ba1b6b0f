//! What the edge learns of users and evaluations, on its way to a [`Sink`].
//!
//! Taking something in is a few hashes and a push under a lock that nobody holds for longer than
//! that: the request path never waits for the sink. What waits is bounded; past the bound it is
//! dropped and counted, as is whatever breaks a rule of [`limits`].

mod buffer;
mod counters;
mod decisions;
pub mod limits;
mod queue;
mod record;
mod sender;
mod track;
mod users;

use std::hash::RandomState;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use burgee_eval::user::{Type, User};
use tokio::sync::Notify;

use crate::hub::{Access, KeyId};
use crate::metrics::{Metrics, Reason, Traffic as Sort};
use crate::session::user::KeptUser;
use crate::sink::UserSeen;
use counters::Counters;
pub use decisions::Given;
use decisions::Recent;
use limits::fits;
use queue::Queue;
use record::Record;
use users::{Print, Users, Verdict};

/// The buffer between the request path and the sink.
pub struct Traffic {
    sender: String,
    metrics: Arc<Metrics>,
    counters: Counters,
    hasher: RandomState,
    state: Mutex<State>,
    /// There is enough for a batch.
    enough: Notify,
}

#[derive(Default)]
struct State {
    users: Users,
    queue: Queue,
    recent: Recent,
}

/// The body of a track request is no JSON list: what the parser says.
#[derive(Debug, thiserror::Error)]
#[error("the body is not a JSON list: {0}")]
pub struct NotAList(#[from] serde_json::Error);

impl Traffic {
    /// An empty buffer. `sender` names this process start in batches (unique, e.g. a UUID).
    pub fn new(sender: String, metrics: Arc<Metrics>) -> Arc<Self> {
        let (hasher, state, enough) = (RandomState::new(), Mutex::default(), Notify::new());
        Arc::new(Self {
            sender,
            counters: Counters::new(&metrics),
            metrics,
            hasher,
            state,
            enough,
        })
    }

    /// A user was there, with this SDK key. `now` in ms since 1970. Cheap where nothing is new.
    pub fn seen(&self, environment: &Arc<str>, key: KeyId, user: &User<'_>, now: i64) {
        if user.key.trim().is_empty() || !fits(&user.key, limits::USER_KEY) {
            return self.refuse(Reason::UserKey);
        }
        let print = Print::new(&self.hasher, environment, user);
        let verdict = self.state().users.judge(print, key, now);
        match verdict {
            Verdict::Known => return,
            Verdict::TooMany => return self.refuse(Reason::NewUsers),
            Verdict::Write => {}
        }
        // Copied while nobody waits for the lock. Two who bring one user at this moment both write
        // it, which does no harm.
        let mut seen = self.keep(environment, user, now);
        let mut state = self.state();
        let room = state.queue.room_for_user(&seen);
        if room {
            let new = state.users.written(print, key, now);
            seen.new_by = new.then_some(key);
            state.queue.user(seen);
        }
        self.taken(&state, Sort::User, room);
    }

    /// Takes in the body of a track request. Entries that are wrong are counted and passed over.
    pub fn track(&self, access: &Access, body: &[u8], now: i64) -> Result<(), NotAList> {
        let mut pass_over = |reason, count| self.metrics.refuse(reason, count);
        let entries = track::parse(body, &mut pass_over).map_err(|error| {
            self.refuse(Reason::Body);
            NotAList(error)
        })?;
        let (environment, encoded) = (access.environment.id(), access.environment.current());
        for entry in entries {
            let Some(entry) = entry else {
                self.refuse(Reason::Entry);
                continue;
            };
            match &entry.user {
                Some(user) if fits(&user.key, limits::USER_KEY) => {
                    self.seen(environment, access.key, user, now);
                    let encoded = &encoded;
                    Record {
                        traffic: self,
                        environment,
                        encoded,
                        user,
                        now,
                    }
                    .entry(&entry);
                }
                _ => self.refuse(Reason::UserKey),
            }
        }
        Ok(())
    }

    /// What is kept of a user: parts beyond their limits are left out.
    fn keep(&self, environment: &Arc<str>, user: &User<'_>, now: i64) -> UserSeen {
        let name = if fits(&user.name, limits::USER_NAME) {
            user.name.as_ref()
        } else {
            self.refuse(Reason::UserName);
            ""
        };
        let kept = user.typed();
        let kept = kept
            .filter(|(name, value, _)| property_fits(name, value))
            .take(limits::PROPERTIES);
        for _ in kept.clone().count()..user.properties.len() {
            self.refuse(Reason::Property);
        }
        let types = Type::write(kept.clone().map(|it| it.2));
        let properties = kept.map(|(name, value, _)| (name, value));
        UserSeen {
            environment: Arc::clone(environment),
            user: KeptUser::from_parts(&user.key, name, properties, &types),
            new_by: None,
            at: now,
        }
    }

    fn taken(&self, state: &State, what: Sort, room: bool) {
        self.counters.taken(what, room);
        if state.queue.has_complete() {
            self.enough.notify_one();
        }
    }

    /// Counts something that broke a rule.
    pub(crate) fn refuse(&self, reason: Reason) {
        self.metrics.refuse(reason, 1);
    }

    /// The state is whole between any two statements, so a panic elsewhere does not spoil it.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn property_fits(name: &str, value: &str) -> bool {
    fits(name, limits::PROPERTY) && fits(value, limits::PROPERTY - name.len())
}

#[cfg(test)]
mod tests;
