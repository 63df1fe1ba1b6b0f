//! What an agent is told, and when.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use burgee_edge::environment::Encoded;
use burgee_edge::source::SdkKey;
use serde_json::json;
use sha1::{Digest, Sha1};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, interval, sleep_until};
use tokio_tungstenite::tungstenite::error::Error;

use super::Over;
use super::line::Line;
use super::said::{Said, Since, Status};
use crate::message::{Agent, AgentKind, Opened, Report, sent};
use crate::serve::agents::{Told, cut};
use crate::serve::{Feeding, Peer};

/// An agent that does not ask for anything within this has nothing to say.
const FIRST: Duration = Duration::from_secs(30);

/// How often it is noted that an agent is there: it tells how it is once a minute.
const REPORT: Duration = Duration::from_secs(10);

/// An environment as an agent was told it, or is to be.
pub(super) struct State {
    pub(super) encoded: Arc<Encoded>,
    /// In the order of their secrets.
    pub(super) keys: Vec<SdkKey>,
}

/// A conversation with an agent.
pub(super) struct Telling<'a, 'p> {
    feeding: &'a Feeding,
    peer: &'p Peer,
    line: Line<'p>,
    /// What its key opens now.
    opens: watch::Receiver<Opened>,
    /// What that was when it was looked at.
    opened: Opened,
    /// Whether it asked, and is to be told of changes.
    synced: bool,
    /// What it was told, by environments' ids.
    told: BTreeMap<String, State>,
    /// Whether it has to be told everything as soon as everything is here.
    due: bool,
}

impl<'a, 'p> Telling<'a, 'p> {
    pub(super) fn new(
        feeding: &'a Feeding,
        peer: &'p Peer,
        opens: watch::Receiver<Opened>,
        line: Line<'p>,
    ) -> Self {
        Self {
            feeding,
            peer,
            line,
            opens,
            opened: peer.opened.clone(),
            synced: false,
            told: BTreeMap::new(),
            due: false,
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
            Err(error) => error.into(),
        }
    }

    async fn go_on(
        &mut self,
        said: &mut mpsc::Receiver<Said>,
        listed: &mut Option<Told<'a>>,
    ) -> Result<Over, Error> {
        let feeding = self.feeding;
        let (mut report, late) = (interval(REPORT), Instant::now() + FIRST);
        let mut asked: Option<Since> = None;
        loop {
            let mut progressed = std::pin::pin!(feeding.hub.progress());
            progressed.as_mut().enable();
            self.opened = self.opens.borrow_and_update().clone();
            if feeding.hub.is_ready() {
                self.tell(asked.take()).await?;
            }
            loop {
                tokio::select! {
                    () = &mut progressed => break,
                    Ok(()) = self.opens.changed() => break,
                    next = said.recv() => match next {
                        Some(Said::Ping) => self.line.say(PONG.to_owned()).await?,
                        Some(Said::Echo(data)) => self.line.say(echo(&data)).await?,
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
                    () = sleep_until(late), if !self.synced && asked.is_none() => {
                        return Ok(Over::Silent);
                    }
                    () = feeding.shutdown.cancelled() => return Ok(Over::ShutDown),
                }
            }
        }
    }

    async fn tell(&mut self, asked: Option<Since>) -> Result<(), Error> {
        if self.synced {
            self.bring().await?;
        }
        match asked {
            Some(since) => self.answer(since).await,
            None => Ok(()),
        }
    }

    /// Tells what came since the agent was told last.
    async fn bring(&mut self) -> Result<(), Error> {
        let now = self.now();
        self.due |= self.told.keys().any(|id| !now.contains_key(id));
        for (id, state) in &now {
            let Some(had) = self.told.get(id) else {
                self.due = true;
                continue;
            };
            self.due |= state.keys != had.keys;
            if !Arc::ptr_eq(&state.encoded, &had.encoded) {
                self.due |= !state.encoded.extends(&had.encoded);
                let after = state.encoded.known_from(&had.encoded);
                self.line.news(id, &state.encoded, after).await?;
            }
        }
        if self.due && self.is_whole(&now) {
            self.line.everything(&now, &self.opened.names).await?;
            self.due = false;
        }
        self.told = now;
        Ok(())
    }

    /// Answers a data-sync. An agent that comes with something may have missed other keys, which no
    /// patch can say: the first answer always ends with everything. What is not here yet is not left
    /// out of it, unless the agent has nothing that it could lose.
    async fn answer(&mut self, since: Since) -> Result<(), Error> {
        let now = self.now();
        let lacks_all = matches!(since, Since::Nothing);
        if let Since::These(had) = since {
            let (mut any, clock) = (false, clock());
            for (id, timestamp) in had {
                if let Some(state) = now.get(&id) {
                    let after = state.encoded.known_up_to(timestamp, clock);
                    any |= self.line.news(&id, &state.encoded, after).await?;
                }
            }
            if !any {
                self.line.nothing_new().await?;
            }
        }
        self.due |= lacks_all || !self.synced;
        if self.due && (lacks_all || self.is_whole(&now)) {
            self.line.everything(&now, &self.opened.names).await?;
            self.due = false;
        }
        if !self.synced {
            self.synced = true;
            self.told = now;
        }
        Ok(())
    }

    /// What the agent's key opens, as far as it is here.
    fn now(&self) -> BTreeMap<String, State> {
        let hub = &self.feeding.hub;
        let state = |id: &String| {
            let encoded = hub.environment(id)?.current();
            let keys = hub.keys_of(id);
            Some((id.clone(), State { encoded, keys }))
        };
        self.opened.environments.iter().filter_map(state).collect()
    }

    fn is_whole(&self, now: &BTreeMap<String, State>) -> bool {
        now.len() == self.opened.environments.len()
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
        Told::new(&self.feeding.agents, agent)
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

/// Milliseconds since 1970.
fn clock() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}
