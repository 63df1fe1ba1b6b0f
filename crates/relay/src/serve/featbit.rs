//! FeatBit's agents: FeatBit's relay proxies, fed as FeatBit feeds them (`docs/protocol.md`).
//!
//! An agent keeps the SDK keys and items of its environments. What comes in an `rp_patch` it also
//! tells the SDKs that hang on it; an `rp_full` replaces all that it has, keys too, and they hear
//! nothing of it. So what is new goes out in patches, always the newest, and after them everything
//! where patches cannot say it: other keys, other environments, another history.
//!
//! Nothing is queued for an agent. A message goes out in pieces, written from what all connections
//! share, so that a slow one costs a piece, and at most the state that it was being told.

mod conversation;
mod messages;
mod register;
mod said;

pub(super) use register::register;

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::SplitStream;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::error::{CapacityError, Error, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};

use super::agents::Told;
use super::line::{Untaken, leave};
use super::{Ended, Feeding, Peer, SILENCE, Socket};
use conversation::Conversation;
use said::Said;

/// The longest message of an agent: it names each of its environments in some 80 bytes.
const LONGEST: usize = 1 << 20;

/// What an agent said and nobody looked at yet; it waits with more.
const QUEUE: usize = 16;

/// Why an agent is fed no more.
#[derive(Debug, thiserror::Error)]
pub(super) enum Over {
    #[error("it closed the connection")]
    Closed,
    #[error("its key is not one of a relay, or was revoked")]
    NoKey,
    #[error("relay keys cannot be checked now")]
    Unchecked,
    #[error("as many relays are here with this key as may be")]
    Crowded,
    #[error("it said nothing for too long")]
    Silent,
    #[error("it does not take what it is sent")]
    Stalled,
    #[error("the server shuts down")]
    ShutDown,
    #[error(transparent)]
    Socket(#[from] Error),
}

impl Over {
    /// What the agent is told. After 4003 and 1000 it stays away for good.
    fn close(&self) -> Option<CloseFrame> {
        let code = match self {
            Self::NoKey => CloseCode::Library(4003),
            Self::Unchecked | Self::Crowded => CloseCode::Error,
            Self::Silent | Self::ShutDown => CloseCode::Away,
            Self::Socket(Error::Capacity(CapacityError::MessageTooLong { .. })) => CloseCode::Size,
            Self::Socket(Error::Utf8(_)) => CloseCode::Invalid,
            Self::Socket(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => {
                return None;
            }
            Self::Socket(Error::Protocol(_)) => CloseCode::Protocol,
            Self::Closed | Self::Stalled | Self::Socket(_) => return None,
        };
        let reason = match self {
            Self::Socket(_) => String::new(),
            other => other.to_string(),
        };
        let reason = reason.into();
        Some(CloseFrame { code, reason })
    }
}

impl From<Untaken> for Over {
    fn from(untaken: Untaken) -> Self {
        match untaken {
            Untaken::Stalled => Self::Stalled,
            Untaken::Socket(error) => Self::Socket(error),
        }
    }
}

/// What is read of an agent at once.
pub(super) fn limits() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(LONGEST))
        .max_frame_size(Some(LONGEST))
}

impl Feeding {
    /// Feeds an agent until either side is done.
    pub(super) async fn feed_agent(self: Arc<Self>, mut socket: Socket, peer: Peer) {
        let mut listed = None;
        let over = self.talk_to_agent(&mut socket, &peer, &mut listed).await;
        if let Some(listed) = listed {
            let agent = &listed.teller().name;
            tracing::info!(agent, %over, "an agent of FeatBit's is gone");
            listed.end(|agent| self.access.gone(agent));
        }
        refuse(socket, over).await;
    }

    async fn talk_to_agent<'a>(
        &'a self,
        socket: &mut Socket,
        peer: &'a Peer,
        listed: &mut Option<Told<'a>>,
    ) -> Over {
        let (write, mut read) = socket.split();
        let (say, mut said) = mpsc::channel(QUEUE);
        let opened = watch::Sender::new(peer.opened.clone());
        let mut conversation = Conversation::new(self, peer, opened.subscribe(), write);
        tokio::select! {
            over = listen(&mut read, say) => over,
            over = conversation.run(&mut said, listed) => over,
            ended = self.watch(&peer.secret, &opened) => match ended {
                Ended::Revoked => Over::NoKey,
                _ => Over::Unchecked,
            },
            () = self.shutdown.cancelled() => Over::ShutDown,
        }
    }
}

/// Reads what an agent says.
async fn listen(read: &mut SplitStream<&mut Socket>, say: mpsc::Sender<Said>) -> Over {
    loop {
        let said = match timeout(SILENCE, read.next()).await {
            Ok(Some(Ok(Message::Text(text)))) => Said::read(&text),
            Ok(Some(Ok(Message::Close(_))) | None) => return Over::Closed,
            Ok(Some(Ok(_))) => None,
            Ok(Some(Err(error))) => return error.into(),
            Err(_) => return Over::Silent,
        };
        if let Some(said) = said
            && say.send(said).await.is_err()
        {
            return Over::Closed;
        }
    }
}

/// Says why an agent is fed no more, or not at all.
pub(super) async fn refuse(socket: Socket, over: Over) {
    leave(socket, over.close()).await;
}

#[cfg(test)]
mod tests;
