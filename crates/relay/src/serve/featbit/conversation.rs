//! What an agent is told, and when.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use burgee_edge::environment::Encoded;
use burgee_edge::source::SdkKey;
use futures_util::Sink;
use serde_json::json;
use sha1::{Digest, Sha1};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, interval, sleep_until};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::error::Error;

use super::Over;
use super::messages::Messages;
use super::said::{Said, Since, Status};
use crate::message::{Agent, AgentKind, Opened, Report, sent};
use crate::serve::agents::{Told, cut};
use crate::serve::line::Untaken;
use crate::serve::{Feeding, Peer};
use crate::traffic;

/// An agent that does not ask for anything within this has nothing to say.
const FIRST: Duration = Duration::from_secs(30);

/// How often it is noted that an agent is there: it tells how it is once a minute.
const REPORT: Duration = Duration::from_secs(10);

/// How long an environment that cannot be loaded keeps an agent from being told everything, and so
/// of keys of others that were revoked.
const PATIENCE: Duration = Duration::from_secs(10);

/// The same of an environment that the agent has from before: told everything without it, it refuses
/// that environment's SDKs with 4003, for good.
const LONG_PATIENCE: Duration = Duration::from_secs(300);

/// An environment as an agent was told it, or is to be.
#[derive(Clone)]
pub(super) struct State {
    pub(super) encoded: Arc<Encoded>,
    /// In the order of their secrets.
    pub(super) keys: Vec<SdkKey>,
}

/// A conversation with an agent.
pub(super) struct Conversation<'a, W> {
    feeding: &'a Feeding,
    peer: &'a Peer,
    messages: Messages<W>,
    /// What its key opens now.
    opens: watch::Receiver<Opened>,
    /// What that was when it was looked at.
    opened: Opened,
    /// Whether it asked, and is to be told of changes.
    synced: bool,
    /// What it was told, by environments' ids.
    told: BTreeMap<String, State>,
    /// Environments, by their ids, that it has from before and that are not here.
    kept: BTreeSet<String>,
    /// Whether it has to be told everything as soon as everything is here.
    due: bool,
    /// Since when not everything is here; none where it is.
    lacking: Option<Instant>,
}

impl<'a, W> Conversation<'a, W>
where
    W: Sink<Message, Error = Error> + Unpin,
{
    pub(super) fn new(
        feeding: &'a Feeding,
        peer: &'a Peer,
        opens: watch::Receiver<Opened>,
        write: W,
    ) -> Self {
        Self {
            feeding,
            peer,
            messages: Messages::new(write),
            opens,
            opened: peer.opened.clone(),
            synced: false,
            told: BTreeMap::new(),
            kept: BTreeSet::new(),
            due: false,
            lacking: None,
        }
    }

    /// Answers what the agent says and tells it what is new; says why that ended. `listed` is who it
    /// is, once it told.
    pub(super) async fn run(
        &mut self,
        said: &mut mpsc::Receiver<Said>,
        listed: &mut Option<Told<'a>>,
    ) -> Over {
        match self.go_on(said, listed).await {
            Ok(over) => over,
            Err(untaken) => untaken.into(),
        }
    }

    async fn go_on(
        &mut self,
        said: &mut mpsc::Receiver<Said>,
        listed: &mut Option<Told<'a>>,
    ) -> Result<Over, Untaken> {
        let hub = &*self.feeding.hub;
        let (mut report, late) = (interval(REPORT), Instant::now() + FIRST);
        let mut asked: Option<Since> = None;
        loop {
            let mut progressed = std::pin::pin!(hub.progress());
            progressed.as_mut().enable();
            self.opened = self.opens.borrow_and_update().clone();
            let mut again = None;
            if hub.is_ready() {
                again = self.tell(asked.take()).await?;
            }
            loop {
                tokio::select! {
                    () = &mut progressed => break,
                    Ok(()) = self.opens.changed() => break,
                    next = said.recv() => match next {
                        Some(Said::Ping) => self.messages.say(PONG.to_owned()).await?,
                        Some(Said::Echo(data)) => self.messages.say(echo(&data)).await?,
                        Some(Said::Sync(since)) => {
                            asked = Some(since);
                            break;
                        }
                        Some(Said::Status(status)) => {
                            listed.get_or_insert_with(|| self.introduced(status));
                            self.report(listed.as_mut());
                        }
                        None => return Ok(Over::Closed),
                    },
                    _ = report.tick() => self.report(listed.as_mut()),
                    () = sleep_until(again.unwrap_or(late)), if again.is_some() => break,
                    () = sleep_until(late), if !self.synced && asked.is_none() => {
                        return Ok(Over::Silent);
                    }
                }
            }
        }
    }

    /// Tells what is new, and answers; says when there is more to be told though nothing happens.
    async fn tell(&mut self, asked: Option<Since>) -> Result<Option<Instant>, Untaken> {
        let now = self.now();
        self.lacking = match now.len() == self.opened.environments.len() {
            true => None,
            false => self.lacking.or_else(|| Some(Instant::now())),
        };
        self.kept.retain(|id| !now.contains_key(id));
        if self.synced {
            self.bring(&now).await?;
        }
        if let Some(since) = asked {
            self.answer(since, &now).await?;
        }
        if self.synced {
            self.told = now;
        }
        Ok(self.patience().filter(|_| self.due))
    }

    /// Tells what came since the agent was told last.
    async fn bring(&mut self, now: &BTreeMap<String, State>) -> Result<(), Untaken> {
        self.due |= self.told.keys().any(|id| !now.contains_key(id));
        for (id, state) in now {
            let Some(had) = self.told.get(id) else {
                self.due = true;
                continue;
            };
            self.due |= state.keys != had.keys;
            if !Arc::ptr_eq(&state.encoded, &had.encoded) {
                self.due |= !state.encoded.extends(&had.encoded);
                let after = state.encoded.known_from(&had.encoded);
                self.messages.news(id, &state.encoded, after).await?;
            }
        }
        self.everything_where_due(now).await
    }

    /// Answers a data-sync. An agent that comes with something may have missed other keys, which no
    /// patch can say: the first answer always ends with everything.
    async fn answer(&mut self, since: Since, now: &BTreeMap<String, State>) -> Result<(), Untaken> {
        let had = match since {
            // It has nothing that it could lose.
            Since::Nothing => {
                self.synced = true;
                return self.everything(now).await;
            }
            Since::These(had) => had,
        };
        let (mut any, clock) = (false, traffic::now());
        for (id, timestamp) in &had {
            if let Some(state) = now.get(id) {
                let after = state.encoded.known_up_to(*timestamp, clock);
                any |= self.messages.news(id, &state.encoded, after).await?;
            }
        }
        if !any {
            self.messages.nothing_new().await?;
        }
        if !self.synced {
            self.synced = true;
            self.due = true;
            self.kept = had.into_keys().filter(|id| !now.contains_key(id)).collect();
        }
        self.everything_where_due(now).await
    }

    /// What is not here yet is waited for before everything is told, but not for ever: keys that
    /// were revoked are to be heard of.
    async fn everything_where_due(&mut self, now: &BTreeMap<String, State>) -> Result<(), Untaken> {
        let waits = self.patience().is_some_and(|until| Instant::now() < until);
        match self.due && !waits {
            true => self.everything(now).await,
            false => Ok(()),
        }
    }

    async fn everything(&mut self, now: &BTreeMap<String, State>) -> Result<(), Untaken> {
        self.messages.everything(now, &self.opened.names).await?;
        self.due = false;
        self.kept.clear();
        Ok(())
    }

    /// Until when what is not here is waited for; none where everything is here.
    fn patience(&self) -> Option<Instant> {
        let patience = match self.kept.iter().any(|id| self.opened.opens(id)) {
            true => LONG_PATIENCE,
            false => PATIENCE,
        };
        self.lacking.map(|since| since + patience)
    }

    /// What its key opens, as far as it is here; what is not any more, as the agent was told it.
    fn now(&self) -> BTreeMap<String, State> {
        let hub = &self.feeding.hub;
        let here = |id: &String| {
            let encoded = hub.environment(id)?.current();
            let keys = hub.keys_of(id);
            Some(State { encoded, keys })
        };
        let ids = self.opened.environments.iter();
        let state = |id| here(id).or_else(|| self.told.get(id).cloned());
        ids.filter_map(|id| Some((id.clone(), state(id)?)))
            .collect()
    }

    fn introduced(&self, status: Status) -> Told<'a> {
        let agent = Agent {
            id: id(&self.opened.key, &status.agent),
            name: cut(&status.agent),
            version: cut(&status.version),
            kind: AgentKind::FeatBit,
        };
        let (name, address) = (&agent.name, &self.peer.address);
        tracing::info!(agent = name, address, "an agent of FeatBit's is fed");
        Told::new(&self.feeding.agents, agent, &self.peer.opened.key)
    }

    /// Has an agent listed that said who it is.
    fn report(&self, listed: Option<&mut Told<'a>>) {
        let Some(listed) = listed else { return };
        let told = self.told.iter();
        let report = Report {
            agent: listed.teller().clone(),
            connections: 0,
            environments: told
                .map(|(id, state)| (id.clone(), sent(state.encoded.position())))
                .collect(),
            key: String::new(),
            address: String::new(),
            via: None,
        };
        if let Some(report) = listed.signed(report, self.peer, &self.opened) {
            self.feeding.access.seen(&self.opened.key, report);
        }
    }
}

const PONG: &str = r#"{"messageType":"pong","data":{}}"#;

fn echo(data: &serde_json::Value) -> String {
    json!({"messageType": "echo", "data": data}).to_string()
}

/// The id by which an agent is listed. People name agents, and may name two alike.
fn id(key: &str, name: &str) -> String {
    let digest = Sha1::new_with_prefix(key)
        .chain_update([0])
        .chain_update(name);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.finalize()[..16]);
    let id = uuid::Builder::from_sha1_bytes(bytes).into_uuid();
    id.to_string()
}

#[cfg(test)]
mod tests;
