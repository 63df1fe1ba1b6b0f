//! What a relay says: questions about keys, traffic, and how it is.
//!
//! A relay is believed within what its key opens, and no further.

use std::sync::Arc;
use std::time::Duration;

use burgee_edge::hub::Hub;
use futures_util::StreamExt;
use futures_util::stream::SplitStream;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use super::agents::{Told, agent};
use super::figures::believe;
use super::storing::{Work, not_now};
use super::telling::Have;
use super::{Ended, Feeding, Peer, SILENCE, Socket};
use crate::message::{
    Agent, Answer, Kind, MAX_TEXT_UP, Opened, ToRelay, ToUpstream, place, unpack_beside,
};

/// How long a relay has to say who it is.
const HELLO: Duration = Duration::from_secs(15);

/// Questions of one relay under way at once; it waits with the next.
const QUESTIONS: usize = 32;

type Read = SplitStream<Socket>;

/// Waits for a relay to say who it is and what it has.
pub(super) async fn hello(read: &mut Read) -> Result<(Agent, Have), Ended> {
    let first = timeout(HELLO, next(read)).await;
    let first = first.map_err(|_| Ended::NoHello)??;
    let Some(ToUpstream::Hello {
        agent: said,
        positions,
    }) = first
    else {
        return Err(Ended::NoHello);
    };
    let have = positions.into_iter().map(|(id, at)| (id, place(at)));
    Ok((agent(said).ok_or(Ended::NoHello)?, have.collect()))
}

/// The next message; none where the relay closed.
async fn next(read: &mut Read) -> Result<Option<ToUpstream>, Ended> {
    while let Some(message) = read.next().await {
        match message? {
            Message::Binary(packed) => match unpack_beside(packed, MAX_TEXT_UP).await? {
                Some(message) => return Ok(Some(message)),
                None => tracing::debug!("a relay says what is not known here; it may be newer"),
            },
            Message::Close(_) => return Ok(None),
            _ => {}
        }
    }
    Ok(None)
}

impl Feeding {
    /// Takes what a relay says: questions and reports here, the rest goes to those who store it.
    pub(super) async fn listen(
        self: &Arc<Self>,
        read: &mut Read,
        peer: &Peer,
        told: &mut Told<'_>,
        opened: &watch::Sender<Opened>,
        (say, work): (mpsc::Sender<ToRelay>, mpsc::Sender<Work>),
    ) -> Result<(), Ended> {
        let questions = Arc::new(Semaphore::new(QUESTIONS));
        loop {
            let message = timeout(SILENCE, next(read)).await;
            let Some(message) = message.map_err(|_| Ended::Silent)?? else {
                return Ok(());
            };
            let within = opened.borrow().clone();
            match message {
                ToUpstream::Hello { .. } => return Err(Ended::NoHello),
                question @ (ToUpstream::Find { .. } | ToUpstream::FindRelay { .. }) => {
                    let permit = Arc::clone(&questions).acquire_owned().await;
                    let (feeding, say) = (Arc::clone(self), say.clone());
                    tokio::spawn(async move {
                        let _permit = permit;
                        if let Some(answer) = feeding.answer(question, &within).await {
                            let _gone = say.send(answer).await;
                        }
                    });
                }
                ToUpstream::Batch(batch) => match work.try_send(Work::Batch(batch)) {
                    Err(TrySendError::Full(Work::Batch(batch))) => {
                        let _gone = say.send(not_now(&batch)).await;
                    }
                    _taken_or_gone => {}
                },
                ToUpstream::KeysUsed(secrets) => {
                    let _full_or_gone = work.try_send(Work::KeysUsed(secrets));
                }
                ToUpstream::Status(report) => {
                    if let Some(report) = told.signed(report, peer, &within) {
                        self.access.seen(&peer.opened.key, report);
                    }
                }
                ToUpstream::Gone(agent) => {
                    if told.is_gone(&agent) {
                        self.access.gone(&agent);
                    }
                }
                ToUpstream::Delivery(report) => {
                    if let Some(report) = believe(report, told, &within) {
                        self.access.delivered(Some(&peer.opened.key), report);
                    }
                }
            }
        }
    }

    /// The answer to a question; none to what is none.
    async fn answer(&self, question: ToUpstream, within: &Opened) -> Option<ToRelay> {
        match question {
            ToUpstream::Find { question, secret } => Some(ToRelay::Found {
                question,
                answer: find(&self.hub, &secret.0, |id| within.opens(id)).await,
            }),
            ToUpstream::FindRelay { question, secret } => Some(ToRelay::FoundRelay {
                question,
                answer: self.find_relay(&secret.0, within).await,
            }),
            _ => None,
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
