//! Feeding relays: the other end of [`crate::upstream`], inside a server or a relay.
//!
//! A connection tells one relay what its key opens: whatever of it the relay does not have, in one
//! message an environment, always the newest. So a slow relay is never sent what is old, and nothing
//! is queued for it. What all relays need after a change is read and packed once.
//!
//! What a relay is told waits for nothing else: its questions ([`listening`]), the traffic that it
//! sends ([`storing`]) and what its key opens ([`scope`]) are beside it.

mod agents;
mod featbit;
mod figures;
mod frames;
mod line;
mod listening;
mod scope;
mod storing;
mod telling;
mod upgrade;

pub(crate) use figures::credible;
pub(crate) use listening::find;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use burgee_edge::delivery::NodeReport;
use burgee_edge::hub::{Asking, Hub};
use burgee_edge::sink::Sink;
use burgee_edge::source::{BoxFuture, Source, Unavailable};
use futures_util::StreamExt;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::sync::{mpsc, watch};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_util::sync::CancellationToken;

use crate::message::{Opened, Report, ToRelay};
use agents::{Agents, Told};
use frames::Frames;
use line::{Untaken, leave};
use scope::Keys;
use upgrade::Places;

/// A relay that says nothing for so long is gone: it tells how it is every ten seconds.
const SILENCE: Duration = Duration::from_secs(45);

/// Answers that may wait to be sent to a relay.
const QUEUE: usize = 64;

/// Bytes of a request with the name of an agent.
const NAME: usize = 4 * 1024;

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// Who may be fed with what, and where it is told how relays are. Implemented by the server over
/// its store; by a relay over its upstream.
pub trait Access: Send + Sync + 'static {
    /// What a relay key opens now; `None` where the store of record says that there is no such key.
    fn open<'a>(&'a self, secret: &'a str) -> BoxFuture<'a, Result<Option<Opened>, Unavailable>>;

    /// Resolves when keys or what they open may have changed since this was called.
    fn changed(&self) -> BoxFuture<'_, ()>;

    /// How a relay is, as one says whose key has the id `by`: itself, or of one that hangs on it,
    /// with the key that it is said to have come with. Must not wait.
    fn seen(&self, by: &str, report: Report);

    /// A relay that was seen is gone, by its agent's id. Must not wait.
    fn gone(&self, agent: &str);

    /// How far versions came among a relay's connections, told by one that came with this key (by
    /// its id), or by NATS, where there are none. No `parent`: it was the relay itself that told it
    /// here. Must not wait.
    fn delivered(&self, key: Option<&str>, report: NodeReport);
}

/// What feeds relays.
pub struct Feeding {
    hub: Arc<Hub>,
    source: Arc<dyn Source>,
    sink: Arc<dyn Sink>,
    access: Arc<dyn Access>,
    asking: Asking<Opened>,
    keys: Keys,
    frames: Frames,
    agents: Agents,
    places: Places,
    shutdown: CancellationToken,
}

impl Feeding {
    /// Feeds relays from what `hub` serves, read whole from `source`; what they send goes into
    /// `sink`. Connections are told to come back at `shutdown`.
    pub fn new(
        hub: Arc<Hub>,
        source: Arc<dyn Source>,
        sink: Arc<dyn Sink>,
        access: Arc<dyn Access>,
        shutdown: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            hub,
            source,
            sink,
            access,
            asking: Asking::default(),
            keys: Keys::default(),
            frames: Frames::default(),
            agents: Agents::default(),
            places: Places::default(),
            shutdown,
        })
    }

    /// The endpoints: upgrades of `/streaming` by relays, which the streaming driver hands over, and
    /// what agents of FeatBit's ask before.
    pub fn router(self: Arc<Self>) -> Router {
        Router::new()
            .route("/streaming", get(upgrade::upgrade))
            .route(
                "/api/public/agent/register",
                post(featbit::register).layer(DefaultBodyLimit::max(NAME)),
            )
            .with_state(self)
    }

    /// Talks to a relay until either side is done.
    async fn converse(self: Arc<Self>, socket: Socket, peer: Peer) {
        let name = peer.address.clone();
        match self.talk(socket, peer).await {
            Ok(()) => tracing::info!(relay = name, "a relay is gone"),
            Err(reason) => tracing::info!(relay = name, %reason, "a relay is gone"),
        }
    }

    async fn talk(self: &Arc<Self>, socket: Socket, peer: Peer) -> Result<(), Ended> {
        let (mut write, mut read) = socket.split();
        let (agent, have) = listening::hello(&mut read).await?;
        tracing::info!(
            relay = peer.address,
            agent = agent.id,
            name = agent.name,
            version = agent.version,
            "a relay is fed"
        );
        let (say, answers) = mpsc::channel::<ToRelay>(QUEUE);
        let (work, to_store) = mpsc::channel(storing::QUEUE);
        let opened = watch::Sender::new(peer.opened.clone());
        let mut told = Told::new(&self.agents, agent, &peer.opened.key);
        let ended = tokio::select! {
            ended = self.listen(&mut read, &peer, &mut told, &opened, (say.clone(), work)) => ended,
            ended = self.tell(&mut write, have, opened.subscribe(), answers) => ended,
            ended = self.store(to_store, opened.subscribe(), say) => ended,
            ended = self.watch(&peer.secret, &opened) => Err(ended),
            () = self.shutdown.cancelled() => Err(Ended::Stopping),
        };
        told.end(|agent| self.access.gone(agent));
        if let Ok(socket) = write.reunite(read) {
            let reason = ended.as_ref().err().and_then(Ended::close);
            leave(socket, reason).await;
        }
        ended
    }
}

/// A relay that is connected.
struct Peer {
    /// Where from.
    address: String,
    /// Its key.
    secret: String,
    /// What that opened when it came.
    opened: Opened,
    /// Its place among those that came with the same key.
    _place: upgrade::Place,
}

/// Why a conversation ended.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error("it said nothing for too long")]
    Silent,
    #[error("it does not take what it is sent")]
    Stalled,
    #[error("it did not say who it is")]
    NoHello,
    #[error("its key was revoked")]
    Revoked,
    #[error("its key is not looked at any more")]
    Unchecked,
    #[error("this end stops")]
    Stopping,
    #[error(transparent)]
    Socket(#[from] tokio_tungstenite::tungstenite::Error),
    #[error(transparent)]
    Unreadable(#[from] crate::message::Unreadable),
    #[error("a message could not be packed: {0}")]
    Panicked(#[from] tokio::task::JoinError),
}

impl Ended {
    /// What a relay is told.
    fn close(&self) -> Option<CloseFrame> {
        let (code, reason) = match self {
            Self::Revoked => (CloseCode::Library(4003), "the relay key was revoked"),
            Self::Stopping => (CloseCode::Away, "the server shuts down"),
            _ => return None,
        };
        let reason = reason.into();
        Some(CloseFrame { code, reason })
    }
}

impl From<Untaken> for Ended {
    fn from(untaken: Untaken) -> Self {
        match untaken {
            Untaken::Stalled => Self::Stalled,
            Untaken::Socket(error) => Self::Socket(error),
        }
    }
}

#[cfg(test)]
mod tests;
