//! Relays that hang on this server: whom their keys let in, and how they are.
//!
//! Only translation happens here; what is said to them is `burgee-relay`'s, what they may have the
//! store decides.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use burgee_domain::id::Id;
use burgee_domain::limits::MAX_RELAY_AGENTS;
use burgee_domain::model::Organization;
use burgee_domain::position::Position;
use burgee_edge::delivery::NodeReport;
use burgee_edge::source::{BoxFuture, State, Unavailable};
use burgee_eval::time::Millis;
use burgee_relay::message::{AgentKind, Opened, Report, Whole};
use burgee_relay::serve::Access;
use burgee_store::relay_agents::{AgentConnection, AgentPosition, AgentSeen, RelayKind};
use burgee_store::{Store, StoreError};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::app::now;
use crate::delivery::RelayFigures;
use crate::feed::{state, unavailable};
use crate::late::LateStore;

/// How often what a relay tells of itself is written down. It tells every ten seconds.
const EVERY: Duration = Duration::from_secs(8);

/// Notes that may wait to be written down.
const QUEUE: usize = 1_024;

/// Relays that are known here of those that one key told of: as many as the list shows of it.
const MOST: usize = MAX_RELAY_AGENTS as usize;

/// Lets relays in by the keys in the store.
pub struct StoreAccess {
    store: LateStore,
    /// This server, as people know it.
    node: String,
    figures: Arc<RelayFigures>,
    known: Mutex<Known>,
    /// To the one who writes: however much relays tell, traffic is not kept from its database.
    notes: mpsc::Sender<Note>,
}

#[derive(Default)]
struct Known {
    /// Whose keys those are that came.
    keys: HashMap<String, Id<Organization>>,
    /// Agents that are connected.
    agents: HashMap<String, Agent>,
}

/// An agent that is connected, as it was last written down.
struct Agent {
    /// The id of the key of who told of it.
    told_by: String,
    connection: AgentConnection,
    written: Instant,
}

/// What is to be written down.
enum Note {
    Seen(AgentSeen),
    Gone(AgentConnection),
}

impl StoreAccess {
    /// Access by the keys of `store`, at this machine; `figures` takes what relays tell of their
    /// connections. To be called inside a runtime: what relays tell is written down by a task, which
    /// ends with this.
    pub fn new(store: LateStore, figures: Arc<RelayFigures>) -> Self {
        let node = rustix::system::uname();
        let (notes, to_write) = mpsc::channel(QUEUE);
        tokio::spawn(write(store.clone(), to_write));
        Self {
            store,
            figures,
            node: node.nodename().to_string_lossy().into_owned(),
            known: Mutex::default(),
            notes,
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be written down of a report; nothing where that was done a moment ago, or where
    /// nobody of the teller's organization came with that key.
    fn noted(&self, by: &str, report: Report, at: Millis) -> Option<AgentSeen> {
        let known = self.known();
        let organization = known.keys.get(&report.key)?;
        let teller = known.keys.get(by)?;
        let before = known.agents.get(&report.agent.id);
        let foreign = before.is_some_and(|it| it.told_by != by);
        let early = before.is_some_and(|it| it.written.elapsed() < EVERY);
        let of_teller = |it: &&Agent| it.told_by == by;
        let crowded = || known.agents.values().filter(of_teller).count() >= MOST;
        if organization != teller || foreign || early || (before.is_none() && crowded()) {
            return None;
        }
        Some(AgentSeen {
            connected_at: before.map_or(at, |it| it.connection.connected_at),
            agent: report.agent.id,
            key: Id::new(report.key),
            told_by: Id::new(by),
            organization: organization.clone(),
            name: report.agent.name,
            version: report.agent.version,
            kind: match report.agent.kind {
                AgentKind::Burgee => RelayKind::Burgee,
                AgentKind::FeatBit => RelayKind::FeatBit,
            },
            address: report.address,
            node: report.via.unwrap_or_else(|| self.node.clone()),
            connections: i64::try_from(report.connections).unwrap_or(i64::MAX),
            environments: report.environments.into_iter().map(position).collect(),
            at,
        })
    }
}

/// Writes down how relays are, one after the other.
async fn write(store: LateStore, mut notes: mpsc::Receiver<Note>) {
    while let Some(note) = notes.recv().await {
        let Some(store) = store.get() else { continue };
        let (agent, written) = match &note {
            Note::Seen(seen) => (&seen.agent, store.relay_agent_seen(seen).await),
            Note::Gone(gone) => (&gone.agent, store.relay_agent_gone(gone, now()).await),
        };
        if let Err(error) = written {
            tracing::warn!(agent, %error, "how a relay is was not written down");
        }
    }
}

fn position((id, (version, digest)): (String, (i64, u64))) -> AgentPosition {
    AgentPosition {
        environment: Id::new(id),
        position: Position { version, digest },
    }
}

impl Access for StoreAccess {
    fn open<'a>(&'a self, secret: &'a str) -> BoxFuture<'a, Result<Option<Opened>, Unavailable>> {
        Box::pin(async {
            let scope = self.store.there()?.relay_scope(secret).await;
            let scope = scope.map_err(unavailable)?;
            let opened = scope.map(|scope| {
                let key = scope.key.to_string();
                self.known().keys.insert(key.clone(), scope.organization);
                let environments = scope.environments.iter();
                let names = scope.names.into_iter();
                Opened {
                    key,
                    environments: environments.map(ToString::to_string).collect(),
                    names: names.map(|(id, names)| (id.to_string(), names)).collect(),
                }
            });
            Ok(opened)
        })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        let scopes = self.store.get().map(|store| store.scopes_changed());
        Box::pin(async move {
            let Some(mut scopes) = scopes else {
                self.store.opened().await;
                return;
            };
            // An error means that the store is gone, and with it everything that could change.
            if scopes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }

    fn seen(&self, by: &str, report: Report) {
        let Some(seen) = self.noted(by, report, now()) else {
            return;
        };
        let agent = Agent {
            told_by: by.to_owned(),
            connection: seen.connection(),
            written: Instant::now(),
        };
        // One that finds no place is told again in ten seconds.
        if self.notes.try_send(Note::Seen(seen)).is_ok() {
            let id = agent.connection.agent.clone();
            self.known().agents.insert(id, agent);
        }
    }

    fn gone(&self, agent: &str) {
        if let Some(gone) = self.known().agents.remove(agent) {
            // One that finds no place is taken for gone when it has been silent for a minute.
            let _full = self.notes.try_send(Note::Gone(gone.connection));
        }
    }

    fn delivered(&self, key: Option<&str>, report: NodeReport) {
        let Some(key) = key else {
            return self.figures.take(None, report);
        };
        // Of no more relays than are listed, and of nobody else's.
        let told = |known: &Known| Some(known.agents.get(&report.node)?.told_by == key);
        if told(&self.known()).unwrap_or_default() {
            self.figures.take(Some(key), report);
        }
    }
}

/// All that these environments serve, by their ids, as relays take it from a file.
///
/// # Errors
/// Those of the store; [`StoreError::NotFound`] of one that does not exist.
pub async fn whole(store: &Store, environments: &[String]) -> Result<Vec<Whole>, StoreError> {
    let mut all = Vec::with_capacity(environments.len());
    for id in environments {
        let found: Option<State> = store.edge().state(id).await?.map(state);
        let found = found.ok_or(StoreError::NotFound("environment"))?;
        all.push(found.into());
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use burgee_relay::message::{Agent as Said, AgentKind};

    use super::*;

    fn report(agent: &str, key: &str) -> Report {
        Report {
            agent: Said {
                id: agent.into(),
                name: "near".into(),
                version: "1".into(),
                kind: AgentKind::default(),
            },
            connections: u64::MAX,
            environments: Default::default(),
            key: key.into(),
            address: String::new(),
            via: None,
        }
    }

    /// Two organizations' relays have come with their keys.
    fn access() -> StoreAccess {
        let access = StoreAccess::new(
            LateStore::default(),
            Arc::new(RelayFigures::new("here".into())),
        );
        for (key, organization) in [("mine", "me"), ("mine-2", "me"), ("theirs", "them")] {
            let organization = Id::new(organization);
            access.known().keys.insert(key.into(), organization);
        }
        access
    }

    #[tokio::test]
    async fn a_relay_speaks_for_those_of_its_own_organization() {
        let access = access();
        let noted = |by, agent, key| access.noted(by, report(agent, key), Millis(1));
        let seen = noted("mine", "behind", "mine-2").unwrap();
        assert_eq!(
            (seen.organization, seen.connections),
            (Id::new("me"), i64::MAX)
        );
        assert_eq!(noted("mine", "behind", "theirs"), None);
        assert_eq!(noted("mine", "behind", "nobody's"), None);
        // Nor does it take one over that comes with another key.
        access.seen("theirs", report("their-relay", "theirs"));
        assert_eq!(noted("mine", "their-relay", "mine"), None);
        access.seen("mine", report("my-relay", "mine"));
        assert_eq!(noted("mine-2", "my-relay", "mine-2"), None);
    }

    #[tokio::test]
    async fn who_tells_all_the_time_is_written_down_now_and_then_and_no_more_than_fit() {
        let access = access();
        access.seen("mine", report("near", "mine"));
        assert_eq!(
            access.noted("mine", report("near", "mine"), Millis(1)),
            None
        );
        for number in 0..2 * QUEUE {
            access.seen("mine", report(&format!("made-up-{number}"), "mine"));
        }
        assert_eq!(access.known().agents.len(), QUEUE);
        // What one key makes up leaves the others their places.
        for number in 0..2 * MOST {
            let seen = access.noted("mine", report(&format!("more-{number}"), "mine"), Millis(1));
            let Some(seen) = seen else { break };
            let agent = Agent {
                told_by: "mine".to_owned(),
                connection: seen.connection(),
                written: Instant::now(),
            };
            access.known().agents.insert(seen.agent, agent);
        }
        assert_eq!(access.known().agents.len(), MOST);
        for other in ["mine-2", "theirs"] {
            let other = access.noted(other, report(other, other), Millis(1));
            assert!(other.is_some());
        }
    }
}
