//! Relays that hang on this server: whom their keys let in, and how they are.
//!
//! Only translation happens here; what is said to them is `burgee-relay`'s, what they may have the
//! store decides.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::position::Position;
use burgee_edge::delivery::NodeReport;
use burgee_edge::source::{BoxFuture, State, Unavailable};
use burgee_eval::time::Millis;
use burgee_relay::message::{Opened, Report, Whole};
use burgee_relay::serve::Access;
use burgee_store::relay_agents::{AgentPosition, AgentSeen};
use burgee_store::{Store, StoreError};

use crate::app::now;
use crate::delivery::RelayFigures;
use crate::feed::{state, unavailable};
use crate::late::LateStore;

/// How often what a relay tells of itself is written down, in ms. It tells every ten seconds.
const EVERY: i64 = 8_000;

/// Lets relays in by the keys in the store.
pub struct StoreAccess {
    store: LateStore,
    /// This server, as people know it.
    node: String,
    figures: Arc<RelayFigures>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Whose keys those are that came.
    keys: HashMap<String, Id<Organization>>,
    /// Agents that are connected: since when, and when that was last written down.
    agents: HashMap<String, (Millis, Millis)>,
}

impl StoreAccess {
    /// Access by the keys of `store`, at this machine; `figures` takes what relays tell of their
    /// connections.
    pub fn new(store: LateStore, figures: Arc<RelayFigures>) -> Self {
        let node = rustix::system::uname();
        Self {
            store,
            figures,
            node: node.nodename().to_string_lossy().into_owned(),
            known: Mutex::default(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be written down of a report; nothing where that was done a moment ago, or where
    /// nobody came with that key.
    fn noted(&self, report: Report, at: Millis) -> Option<AgentSeen> {
        let mut known = self.known();
        let organization = known.keys.get(&report.key)?.clone();
        let (since, written) = known
            .agents
            .entry(report.agent.id.clone())
            .or_insert((at, Millis(0)));
        if at.0 - written.0 < EVERY {
            return None;
        }
        *written = at;
        Some(AgentSeen {
            connected_at: *since,
            agent: report.agent.id,
            key: Id::new(report.key),
            organization,
            name: report.agent.name,
            version: report.agent.version,
            address: report.address,
            node: report.via.unwrap_or_else(|| self.node.clone()),
            connections: i64::try_from(report.connections).unwrap_or(i64::MAX),
            environments: report.environments.into_iter().map(position).collect(),
            at,
        })
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
                Opened {
                    key,
                    environments: environments.map(ToString::to_string).collect(),
                }
            });
            Ok(opened)
        })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        let commits = self.store.get().map(|store| store.changed());
        Box::pin(async move {
            let Some(mut commits) = commits else {
                self.store.opened().await;
                return;
            };
            // An error means that the store is gone, and with it everything that could change.
            if commits.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }

    fn seen(&self, report: Report) {
        let seen = self.noted(report, now());
        let Some((seen, store)) = seen.zip(self.store.get()) else {
            return;
        };
        tokio::spawn(async move {
            if let Err(error) = store.relay_agent_seen(&seen).await {
                tracing::warn!(agent = seen.agent, %error, "how a relay is was not written down");
            }
        });
    }

    fn gone(&self, agent: &str) {
        if self.known().agents.remove(agent).is_none() {
            return;
        }
        let Some(store) = self.store.get() else {
            return;
        };
        let agent = agent.to_owned();
        tokio::spawn(async move {
            if let Err(error) = store.relay_agent_gone(&agent, now()).await {
                tracing::warn!(agent, %error, "that a relay is gone was not written down");
            }
        });
    }

    fn delivered(&self, key: Option<&str>, report: NodeReport) {
        let Some(key) = key else {
            return self.figures.take(None, report);
        };
        let organization = self.known().keys.get(key).cloned();
        if let Some(organization) = organization {
            self.figures.take(Some(organization.as_str()), report);
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
