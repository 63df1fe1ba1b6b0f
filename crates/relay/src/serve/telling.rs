//! What a relay is told.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use burgee_edge::source::Position;
use bytes::Bytes;
use futures_util::Sink;
use futures_util::stream::SplitSink;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::Data;

use super::frames::Made;
use super::line::{Line, PART};
use super::{Ended, Feeding, Socket};
use crate::message::{Opened, ToRelay, pack};

/// How often a relay is pinged, also between the parts of a large message: it takes silence for an
/// upstream that is gone.
const PING: Duration = Duration::from_secs(10);

/// How soon what could not be read is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// How long a relay that comes waits for what cannot be read now, before it is told that this is all;
/// and how long one that knows a later version than is known here is left with it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a relay's environments stand.
pub(super) type Have = BTreeMap<String, Position>;

/// What a relay is told through.
pub(super) struct Telling<W> {
    line: Line<W>,
    answers: mpsc::Receiver<ToRelay>,
    pinged: Instant,
}

impl<W> Telling<W>
where
    W: Sink<Message, Error = tokio_tungstenite::tungstenite::Error> + Unpin,
{
    pub(super) fn new(write: W, answers: mpsc::Receiver<ToRelay>) -> Self {
        Self {
            line: Line::new(write),
            answers,
            pinged: Instant::now(),
        }
    }

    /// Waits for something, and meanwhile sends answers and pings.
    async fn until<T>(&mut self, something: impl Future<Output = T>) -> Result<T, Ended> {
        let mut something = std::pin::pin!(something);
        loop {
            tokio::select! {
                done = &mut something => return Ok(done),
                Some(answer) = self.answers.recv() => self.say(&answer).await?,
                () = sleep_until(self.pinged + PING) => self.ping().await?,
            }
        }
    }

    async fn say(&mut self, message: &ToRelay) -> Result<(), Ended> {
        self.send(pack(message)?.into()).await
    }

    async fn ping(&mut self) -> Result<(), Ended> {
        self.pinged = Instant::now();
        Ok(self.line.send(Message::Ping(Bytes::new())).await?)
    }

    /// Sends a packed message.
    pub(super) async fn send(&mut self, packed: Bytes) -> Result<(), Ended> {
        for from in (0..packed.len()).step_by(PART) {
            let to = packed.len().min(from + PART);
            let (part, is_last) = (packed.slice(from..to), to == packed.len());
            self.line.part(Data::Binary, part, is_last).await?;
            if self.pinged.elapsed() >= PING {
                self.ping().await?;
            }
        }
        Ok(())
    }
}

type Write = SplitSink<Socket, Message>;

/// What became of bringing a relay what it does not have.
#[derive(Default)]
struct Brought {
    /// Something was sent.
    sent: bool,
    /// Something has to wait.
    missed: bool,
}

impl Feeding {
    /// Tells a relay whatever is new, and the answers to what it asks.
    pub(super) async fn tell(
        &self,
        write: &mut Write,
        mut have: Have,
        mut opened: watch::Receiver<Opened>,
        answers: mpsc::Receiver<ToRelay>,
    ) -> Result<(), Ended> {
        let mut telling = Telling::new(write, answers);
        let began = Instant::now();
        let mut ahead = HashMap::new();
        let (mut in_scope, mut is_level) = (None, false);
        loop {
            let mut progressed = std::pin::pin!(self.hub.progress());
            progressed.as_mut().enable();
            let environments = opened.borrow_and_update().environments.clone();
            have.retain(|id, _| environments.contains(id));
            if in_scope.as_ref() != Some(&environments) {
                telling.say(&ToRelay::Scope(environments.clone())).await?;
                is_level = false;
            }
            let brought = self.bring(&mut telling, &environments, &mut have, &mut ahead);
            let Brought { sent, missed } = brought.await?;
            in_scope = Some(environments);
            // Who comes anew is level when it has all, or all but what takes too long.
            let whole = self.hub.is_ready() && (!missed || began.elapsed() > PATIENCE);
            if (is_level && sent) || (!is_level && whole) {
                telling.say(&ToRelay::Level).await?;
                is_level = true;
            }
            let again = (missed || !is_level).then(|| Instant::now() + RETRY);
            let news = async {
                tokio::select! {
                    () = progressed => {}
                    _changed_or_gone = opened.changed() => {}
                    () = sleep_until(again.unwrap_or(began)), if again.is_some() => {}
                }
            };
            telling.until(news).await?;
        }
    }

    /// Sends what a relay does not have.
    async fn bring(
        &self,
        telling: &mut Telling<&mut Write>,
        environments: &[String],
        have: &mut Have,
        ahead: &mut HashMap<String, Instant>,
    ) -> Result<Brought, Ended> {
        let mut brought = Brought::default();
        for id in environments {
            // What is not here yet comes with the next progress.
            let Some(environment) = self.hub.environment(id) else {
                continue;
            };
            let to = environment.current().position();
            let from = have.get(id).copied().unwrap_or_default();
            if from == to {
                ahead.remove(id);
                continue;
            }
            if self.is_ahead(id, from, to, ahead) {
                brought.missed = true;
                continue;
            }
            let asked = self.frames.get(&*self.source, id, from, to);
            match telling.until(asked).await?? {
                // Its source is further than what is served here.
                Made::Frame(frame) if frame.to == from => {}
                Made::Frame(frame) => {
                    telling.send(frame.packed.clone()).await?;
                    have.insert(id.clone(), frame.to);
                    brought.sent = true;
                }
                Made::Gone => {}
                Made::Unavailable(unavailable) => {
                    tracing::debug!(environment = id, %unavailable, "a relay has to wait");
                    brought.missed = true;
                }
            }
        }
        Ok(brought)
    }

    /// Whether a relay comes with a version that is only on its way here. Only the store of record
    /// knows at once that such a version is not to be; a relay waits for it a while, so that nobody
    /// who changes from one relay to another goes back.
    fn is_ahead(
        &self,
        id: &str,
        from: Position,
        to: Position,
        ahead: &mut HashMap<String, Instant>,
    ) -> bool {
        if self.source.is_record() || from.version <= to.version {
            return false;
        }
        let since = ahead.entry(id.to_owned()).or_insert_with(Instant::now);
        since.elapsed() < PATIENCE
    }
}

#[cfg(test)]
mod tests;
