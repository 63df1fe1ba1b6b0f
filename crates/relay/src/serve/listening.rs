//! What a relay says: questions about keys, traffic, and how it is.
//!
//! A relay is believed within what its key opens, and no further.

use std::sync::Arc;
use std::time::Duration;

use burgee_edge::hub::Hub;
use burgee_edge::hub::Lookup;
use burgee_edge::sink;
use futures_util::StreamExt;
use futures_util::stream::SplitStream;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use super::figures::Behind;
use super::telling::Have;
use super::{Ended, Feeding, Peer, SILENCE, Socket};
use crate::message::{
    Agent, Answer, Kind, Opened, Report, Taken, ToRelay, ToUpstream, place, unpack_within,
};
use crate::traffic::Batch;

/// How long a relay has to say who it is.
const HELLO: Duration = Duration::from_secs(15);

/// Text that a message of a relay may have: a batch is a few megabytes.
const MAX_TEXT: u64 = 256 << 20;

/// Questions of one relay under way at once; it waits with the next.
const QUESTIONS: usize = 32;

/// Texts of a relay about itself are cut to so many characters.
pub(super) const LONGEST: usize = 200;

type Read = SplitStream<Socket>;

/// Waits for a relay to say who it is and what it has.
pub(super) async fn hello(read: &mut Read) -> Result<(Agent, Have), Ended> {
    let first = timeout(HELLO, next(read)).await;
    let first = first.map_err(|_| Ended::NoHello)??;
    let Some(ToUpstream::Hello { agent, positions }) = first else {
        return Err(Ended::NoHello);
    };
    let have = positions.into_iter().map(|(id, at)| (id, place(at)));
    Ok((cut(agent), have.collect()))
}

/// The next message; none where the relay closed.
async fn next(read: &mut Read) -> Result<Option<ToUpstream>, Ended> {
    while let Some(message) = read.next().await {
        match message? {
            Message::Binary(packed) => return Ok(Some(unpack_within(&packed, MAX_TEXT)?)),
            Message::Close(_) => return Ok(None),
            _ => {}
        }
    }
    Ok(None)
}

fn cut(mut agent: Agent) -> Agent {
    for text in [&mut agent.id, &mut agent.name, &mut agent.version] {
        *text = text
            .chars()
            .filter(|it| !it.is_control())
            .take(LONGEST)
            .collect();
    }
    agent
}

impl Feeding {
    /// Takes what a relay says, and says what is to be answered.
    pub(super) async fn listen(
        &self,
        read: &mut Read,
        peer: &Peer,
        agent: &Agent,
        opened: &watch::Sender<Opened>,
        say: mpsc::Sender<ToRelay>,
    ) -> Result<(), Ended> {
        let questions = Arc::new(Semaphore::new(QUESTIONS));
        let mut behind = Behind::default();
        loop {
            let message = timeout(SILENCE, next(read)).await;
            let Some(message) = message.map_err(|_| Ended::Silent)?? else {
                return Ok(());
            };
            let within = opened.borrow().clone();
            match message {
                ToUpstream::Hello { .. } => return Err(Ended::NoHello),
                ToUpstream::Find { question, secret } => {
                    let permit = Arc::clone(&questions).acquire_owned().await;
                    let (hub, say) = (Arc::clone(&self.hub), say.clone());
                    tokio::spawn(async move {
                        let _permit = permit;
                        let answer = find(&hub, &secret, |id| within.opens(id)).await;
                        let _gone = say.send(ToRelay::Found { question, answer }).await;
                    });
                }
                ToUpstream::FindRelay { question, secret } => {
                    let answer = self.find_relay(&secret, &within).await;
                    let _gone = say.send(ToRelay::FoundRelay { question, answer }).await;
                }
                ToUpstream::Batch(batch) => {
                    let _gone = say.send(self.store(batch, &within).await).await;
                }
                ToUpstream::KeysUsed(secrets) => self.keys_used(secrets, &within).await,
                ToUpstream::Status(report) => {
                    let report = signed(report, peer, agent);
                    behind.learn(&report.agent);
                    self.access.seen(report);
                }
                ToUpstream::Gone(agent) => {
                    behind.forget(&agent);
                    self.access.gone(&agent);
                }
                ToUpstream::Delivery(report) => {
                    if let Some(report) = behind.believe(report, agent, &within) {
                        self.access.delivered(Some(&peer.opened.key), report);
                    }
                }
            }
        }
    }

    /// What another relay's key opens of what this relay's does.
    async fn find_relay(&self, secret: &str, within: &Opened) -> Answer<Opened> {
        match self.access.open(secret).await {
            Ok(Some(mut opened)) => {
                opened
                    .environments
                    .retain(|id| within.environments.contains(id));
                Answer::Is(opened)
            }
            Ok(None) => Answer::None,
            Err(_) => Answer::Unavailable,
        }
    }

    async fn store(&self, batch: Batch, within: &Opened) -> ToRelay {
        let (sender, sequence) = (batch.sender.clone(), batch.sequence);
        let (batch, places) = batch.within(|id| within.opens(id));
        let written = self.sink.write(&batch).await;
        if let Err(unavailable) = &written {
            tracing::warn!(%unavailable, "a relay's batch cannot be stored now");
        }
        ToRelay::Taken {
            sender,
            sequence,
            taken: written.ok().map(|taken| in_places(taken, &places)),
        }
    }

    async fn keys_used(&self, secrets: Vec<String>, within: &Opened) {
        let ours = |secret: &String| match self.hub.lookup(secret) {
            Lookup::Known(access) => within.opens(access.environment.id()),
            Lookup::Unknown | Lookup::Ask => false,
        };
        let secrets = secrets.into_iter().filter(ours).map(String::into_boxed_str);
        let secrets: Vec<Box<str>> = secrets.collect();
        if let Err(unavailable) = self.sink.keys_used(&secrets).await {
            tracing::debug!(%unavailable, "the use of SDK keys is not noted");
        }
    }
}

/// The environment and kind of an SDK key. Of one outside of what the relay's key opens it is not
/// said that there is none: that would stop SDKs for good (design §5).
pub(crate) async fn find(
    hub: &Hub,
    secret: &str,
    within: impl Fn(&str) -> bool,
) -> Answer<(String, Kind)> {
    match hub.ask(secret).await {
        Ok(Some(access)) if within(access.environment.id()) => {
            Answer::Is((access.environment.id().to_string(), access.kind.into()))
        }
        Ok(None) => Answer::None,
        Ok(Some(_)) | Err(_) => Answer::Unavailable,
    }
}

/// What became of a batch, with the places that its users had before some were left out.
fn in_places(taken: sink::Taken, places: &[usize]) -> Taken {
    let known = taken.known_users.iter();
    Taken {
        known_users: known.filter_map(|it| places.get(*it).copied()).collect(),
        event_names: taken.event_names,
    }
}

/// A report with what only its receiver knows. One about a relay behind the one that tells is
/// marked as such: it may have come with another key.
fn signed(mut report: Report, peer: &Peer, teller: &Agent) -> Report {
    report.agent = cut(report.agent);
    if report.agent.id == teller.id {
        report.key.clone_from(&peer.opened.key);
        report.address.clone_from(&peer.address);
        report.via = None;
    } else if report.via.is_none() {
        report.via = Some(teller.id.clone());
    }
    report
}
