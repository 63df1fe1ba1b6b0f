//! The connection to an upstream: made, used until it breaks, and made again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use burgee_edge::source::BoxFuture;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use rand::RngExt;
use rustls::ClientConfig;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, interval, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use super::connect::{self, Address, Socket};
use super::{FIRST_PAUSE, LONGEST_PAUSE, Status};
use super::{Line, Stored, Upstream, lock};
use crate::message::{MAX_TEXT, ToRelay, ToUpstream, Unreadable, pack, unpack_beside};
use crate::traffic::Batch;

/// How long connecting may take.
const CONNECTING: Duration = Duration::from_secs(15);
/// An upstream that says nothing for so long is gone: it pings every ten seconds.
const SILENCE: Duration = Duration::from_secs(30);
/// How often a relay tells how it is.
const STATUS: Duration = Duration::from_secs(10);
/// Messages that may wait to be sent.
const QUEUE: usize = 256;

/// The way to an upstream that is there.
pub(super) struct Link {
    out: mpsc::Sender<ToUpstream>,
    asked: Mutex<HashMap<u64, oneshot::Sender<ToRelay>>>,
    sent: Mutex<HashMap<BatchName, oneshot::Sender<Option<Stored>>>>,
}

/// A batch's sender and sequence.
type BatchName = (String, i64);

/// Why a connection ended.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error("it does not answer")]
    Late,
    #[error("it said nothing for {} s", SILENCE.as_secs())]
    Silent,
    #[error("it closed the connection{0}")]
    Closed(String),
    #[error(transparent)]
    Socket(#[from] tokio_tungstenite::tungstenite::Error),
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    #[error(transparent)]
    Misfit(#[from] crate::mirror::Misfit),
}

impl Link {
    fn new(out: mpsc::Sender<ToUpstream>) -> Arc<Self> {
        Arc::new(Self {
            out,
            asked: Mutex::default(),
            sent: Mutex::default(),
        })
    }
}

impl Line for Link {
    fn tell(&self, message: ToUpstream) -> bool {
        self.out.try_send(message).is_ok()
    }

    fn ask(&self, question: u64, message: ToUpstream) -> BoxFuture<'_, Option<ToRelay>> {
        Box::pin(async move {
            let (answered, answer) = oneshot::channel();
            lock(&self.asked).insert(question, answered);
            let _forgotten = Forget(|| lock(&self.asked).remove(&question));
            self.out.send(message).await.ok()?;
            answer.await.ok()
        })
    }

    fn store(&self, batch: Batch) -> BoxFuture<'_, Option<Stored>> {
        Box::pin(async move {
            let (answered, answer) = oneshot::channel();
            let name = (batch.sender.clone(), batch.sequence);
            lock(&self.sent).insert(name.clone(), answered);
            let _forgotten = Forget(|| lock(&self.sent).remove(&name));
            self.out.send(ToUpstream::Batch(batch)).await.ok()?;
            answer.await.ok().flatten()
        })
    }

    fn end(&self) {
        lock(&self.asked).clear();
        lock(&self.sent).clear();
    }
}

/// Does something when whoever waited does not wait any more.
struct Forget<T, F: Fn() -> T>(F);

impl<T, F: Fn() -> T> Drop for Forget<T, F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl Upstream {
    /// Keeps a connection to the upstream, and tells it how the relay is. Never ends.
    pub(crate) async fn follow(self: Arc<Self>, address: Address, key: String, status: Status) {
        let tls = connect::tls();
        let mut pause = FIRST_PAUSE;
        loop {
            let began = Instant::now();
            let ended = self.connection(&address, &key, &tls, &status).await;
            self.let_go();
            if began.elapsed() > LONGEST_PAUSE {
                pause = FIRST_PAUSE;
            }
            let share = rand::rng().random_range(0.5..=1.0);
            let wait = pause.mul_f64(share);
            tracing::warn!(upstream = %address, reason = %ended, again_in = ?wait,
                "the upstream is away");
            sleep(wait).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn connection(
        &self,
        address: &Address,
        key: &str,
        tls: &Arc<ClientConfig>,
        status: &Status,
    ) -> Ended {
        let connected = match timeout(CONNECTING, address.connect(key, tls)).await {
            Ok(Ok(socket)) => socket,
            Ok(Err(error)) => return error.into(),
            Err(_) => return Ended::Late,
        };
        let (mut write, mut read) = connected.split();
        let hello = ToUpstream::Hello {
            agent: self.agent.clone(),
            positions: self.mirror().positions(),
        };
        if let Err(error) = say(&mut write, &hello).await {
            return error;
        }
        let (out, queue) = mpsc::channel(QUEUE);
        let link = Link::new(out);
        let ended = tokio::select! {
            ended = self.listen(&mut read, &link) => ended,
            ended = speak(&mut write, queue, status) => ended,
            () = self.empty_spool() => Ok(()),
        };
        match ended {
            Ok(()) => Ended::Closed(String::new()),
            Err(error) => error,
        }
    }

    /// Takes what the upstream says.
    async fn listen(&self, read: &mut SplitStream<Socket>, link: &Arc<Link>) -> Result<(), Ended> {
        loop {
            let message = timeout(SILENCE, read.next()).await;
            let Some(message) = message.map_err(|_| Ended::Silent)? else {
                return Ok(());
            };
            let packed = match message? {
                Message::Binary(packed) => packed,
                Message::Close(frame) => {
                    let why = frame.map(|it| format!(": {} {}", it.code, it.reason));
                    return Err(Ended::Closed(why.unwrap_or_default()));
                }
                // The library answers pings.
                _ => continue,
            };
            match unpack_beside(packed, MAX_TEXT).await? {
                Some(message) => self.take(message, link)?,
                None => {
                    tracing::debug!("the upstream says what is not known here; it may be newer")
                }
            }
        }
    }

    fn take(&self, message: ToRelay, link: &Arc<Link>) -> Result<(), Ended> {
        match message {
            ToRelay::Scope(environments) => self.narrow(environments.into_iter().collect()),
            ToRelay::State(whole) => self.learn(whole),
            ToRelay::Delta(since) => {
                let id = since.environment.clone();
                self.mirror().advance(since)?;
                self.learned(id);
            }
            ToRelay::Level => {
                self.known.send_replace(true);
                self.told.send_modify(|count| *count += 1);
                self.link.send_if_modified(|known| {
                    let new = known.is_none();
                    known.get_or_insert_with(|| Arc::clone(link) as _);
                    new
                });
            }
            ToRelay::Found { question, .. } | ToRelay::FoundRelay { question, .. } => {
                if let Some(asker) = lock(&link.asked).remove(&question) {
                    let _gone = asker.send(message);
                }
            }
            ToRelay::Taken {
                sender,
                sequence,
                taken,
                refused,
            } => {
                if let Some(waiting) = lock(&link.sent).remove(&(sender, sequence)) {
                    let stored = taken.map(Stored::Taken);
                    let _gone = waiting.send(stored.or(refused.map(Stored::Refused)));
                }
            }
        }
        Ok(())
    }
}

/// Sends how the relay is, and what is to be said: it is not believed before it said who it is.
async fn speak(
    write: &mut SplitSink<Socket, Message>,
    mut queue: mpsc::Receiver<ToUpstream>,
    status: &Status,
) -> Result<(), Ended> {
    let mut due = interval(STATUS);
    loop {
        let message = tokio::select! {
            biased;
            _ = due.tick() => ToUpstream::Status(status()),
            Some(message) = queue.recv() => message,
        };
        say(write, &message).await?;
    }
}

async fn say(write: &mut SplitSink<Socket, Message>, message: &ToUpstream) -> Result<(), Ended> {
    let packed = pack(message)?;
    Ok(write.send(Message::Binary(packed.into())).await?)
}
