//! What a relay is told.

use std::collections::BTreeMap;
use std::time::Duration;

use burgee_edge::source::Position;
use futures_util::SinkExt;
use futures_util::stream::SplitSink;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, interval, sleep_until};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::frames::Asked;
use super::{Ended, Feeding, Peer, Socket};
use crate::message::{Opened, ToRelay, pack};

/// How often a relay is pinged: it takes silence for an upstream that is gone.
const PING: Duration = Duration::from_secs(10);

/// How soon what could not be read is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Where a relay's environments stand.
pub(super) type Have = BTreeMap<String, Position>;

type Write = SplitSink<Socket, Message>;

impl Feeding {
    /// Tells a relay whatever is new, and the answers to what it asks.
    pub(super) async fn tell(
        &self,
        write: &mut Write,
        peer: &Peer,
        mut have: Have,
        opened: &watch::Sender<Opened>,
        mut answers: mpsc::Receiver<ToRelay>,
    ) -> Result<(), Ended> {
        let mut ping = interval(PING);
        let mut told: Option<Vec<String>> = None;
        loop {
            let mut progressed = std::pin::pin!(self.hub.progress());
            progressed.as_mut().enable();
            let mut changed = self.access.changed();
            match self.access.open(&peer.secret).await {
                Ok(Some(now)) => {
                    opened.send_replace(now);
                }
                Ok(None) => {
                    close(write, CloseCode::Library(4003), "the relay key was revoked").await?;
                    return Err(Ended::Revoked);
                }
                // Nothing is known to be wrong with it.
                Err(unavailable) => tracing::debug!(%unavailable, "a relay key is not checked"),
            }
            let environments = opened.borrow().environments.clone();
            have.retain(|id, _| environments.contains(id));
            let level = told.as_ref() == Some(&environments);
            if !level {
                say(write, &ToRelay::Scope(environments.clone())).await?;
            }
            let (sent, missed) = self.bring(write, &environments, &mut have).await?;
            if sent || !level {
                say(write, &ToRelay::Level).await?;
                told = Some(environments);
            }
            let again = Instant::now() + RETRY;
            loop {
                tokio::select! {
                    () = &mut progressed => break,
                    () = &mut changed => break,
                    () = sleep_until(again), if missed => break,
                    Some(answer) = answers.recv() => say(write, &answer).await?,
                    _ = ping.tick() => write.send(Message::Ping(Default::default())).await?,
                    () = self.shutdown.cancelled() => {
                        return close(write, CloseCode::Away, "the server shuts down").await;
                    }
                }
            }
        }
    }

    /// Sends what a relay does not have. Says whether there was something, and whether something
    /// could not be read.
    async fn bring(
        &self,
        write: &mut Write,
        environments: &[String],
        have: &mut Have,
    ) -> Result<(bool, bool), Ended> {
        let (mut sent, mut missed) = (false, false);
        for id in environments {
            // What is not here yet comes with the next progress.
            let Some(environment) = self.hub.environment(id) else {
                continue;
            };
            let to = environment.current().position();
            let from = have.get(id).copied().unwrap_or_default();
            if from == to {
                continue;
            }
            match self.frames.get(&*self.source, id, from, to).await? {
                Asked::Frame(frame) => {
                    write.send(Message::Binary(frame.packed.clone())).await?;
                    have.insert(id.clone(), frame.to);
                    sent = true;
                }
                Asked::Gone => {}
                Asked::Unavailable(unavailable) => {
                    tracing::debug!(environment = id, %unavailable, "a relay has to wait");
                    missed = true;
                }
            }
        }
        Ok((sent, missed))
    }
}

async fn say(write: &mut Write, message: &ToRelay) -> Result<(), Ended> {
    let packed = pack(message)?;
    Ok(write.send(Message::Binary(packed.into())).await?)
}

async fn close(write: &mut Write, code: CloseCode, reason: &'static str) -> Result<(), Ended> {
    let reason = reason.into();
    let frame = CloseFrame { code, reason };
    Ok(write.send(Message::Close(Some(frame))).await?)
}
