//! Who tells of which relay: a report is believed about the relay that sends it and about those that
//! hang on it, a goodbye only of whom the same connection told last, and nothing of whom somebody tells
//! who came with another key: whoever knows the id of a relay does not speak for it.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use super::Peer;
use crate::message::{Agent, Opened, Report};

/// How many relays may hang on one, by way of others too.
const BEHIND: usize = 1_024;

/// Texts of a relay about itself are cut to so many characters.
const LONGEST: usize = 200;

/// Which conversation told of an agent last.
#[derive(Default)]
pub(super) struct Agents {
    conversations: AtomicU64,
    told: Mutex<HashMap<String, Teller>>,
}

/// A conversation, and the id of the key that it began with.
#[derive(Clone, PartialEq, Eq)]
struct Teller {
    conversation: u64,
    key: Arc<str>,
}

impl Agents {
    fn told(&self) -> MutexGuard<'_, HashMap<String, Teller>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The agents that a conversation told of.
pub(super) struct Told<'a> {
    agents: &'a Agents,
    this: Teller,
    /// Who is at the other end.
    teller: Agent,
    ids: BTreeSet<String>,
}

impl<'a> Told<'a> {
    /// A conversation with an agent begins, which came with a key of this id.
    pub(super) fn new(agents: &'a Agents, teller: Agent, key: &str) -> Self {
        let this = Teller {
            conversation: agents.conversations.fetch_add(1, Ordering::Relaxed),
            key: key.into(),
        };
        Self {
            agents,
            this,
            teller,
            ids: BTreeSet::new(),
        }
    }

    /// A report with what only its receiver knows, within what the teller's key opens. None of one
    /// that is not believed: its agent's id can be no relay's or is one that comes with another key, or
    /// more hang on it than may. A report
    /// about a relay behind the one that tells is marked as such: it may have come with another key.
    pub(super) fn signed(
        &mut self,
        report: Report,
        peer: &Peer,
        within: &Opened,
    ) -> Option<Report> {
        let agent = agent(report.agent)?;
        if !self.learn(&agent.id) {
            return None;
        }
        let is_own = agent.id == self.teller.id;
        let environments = report.environments.into_iter();
        let environments = environments.filter(|(id, _)| within.opens(id)).collect();
        Some(Report {
            environments,
            key: match is_own {
                true => peer.opened.key.clone(),
                false => report.key,
            },
            address: match is_own {
                true => peer.address.clone(),
                false => cut(&report.address),
            },
            via: match is_own {
                true => None,
                false => Some(self.between(report.via)),
            },
            connections: report.connections,
            agent,
        })
    }

    /// On whom a relay hangs that hangs on the teller.
    fn between(&self, via: Option<String>) -> String {
        via.filter(|it| self.ids.contains(it))
            .unwrap_or_else(|| self.teller.id.clone())
    }

    /// Who is at the other end.
    pub(super) fn teller(&self) -> &Agent {
        &self.teller
    }

    /// Whether this conversation told of an agent.
    pub(super) fn of(&self, agent: &str) -> bool {
        self.ids.contains(agent)
    }

    /// It tells of an agent; whether that may be one more, and is nobody else's.
    pub(super) fn learn(&mut self, agent: &str) -> bool {
        if !self.of(agent) && self.ids.len() > BEHIND {
            return false;
        }
        let mut told = self.agents.told();
        if told.get(agent).is_some_and(|it| it.key != self.this.key) {
            self.ids.remove(agent);
            return false;
        }
        self.ids.insert(agent.to_owned());
        told.insert(agent.to_owned(), self.this.clone());
        true
    }

    /// Whether an agent is gone of which this conversation says so.
    pub(super) fn is_gone(&mut self, agent: &str) -> bool {
        if !self.ids.remove(agent) {
            return false;
        }
        let mut told = self.agents.told();
        let is_ours = told.get(agent) == Some(&self.this);
        if is_ours {
            told.remove(agent);
        }
        is_ours
    }

    /// The conversation is over, and with it what is known of those that it told of.
    pub(super) fn end(mut self, gone: impl Fn(&str)) {
        for agent in self.ids.clone() {
            if self.is_gone(&agent) {
                gone(&agent);
            }
        }
    }
}

/// Who a relay says that it is; none where its id can be no relay's.
pub(super) fn agent(said: Agent) -> Option<Agent> {
    let id = Uuid::parse_str(&said.id).ok()?;
    Some(Agent {
        id: id.to_string(),
        name: cut(&said.name),
        version: cut(&said.version),
        kind: said.kind,
    })
}

/// A text as it is shown.
pub(super) fn cut(text: &str) -> String {
    let shown = text.chars().filter(|it| !it.is_control());
    shown.take(LONGEST).collect()
}

#[cfg(test)]
mod tests;
