//! A way to a relay or an agent, which gets so much time for each part of what it is sent, and no
//! longer: who stops reading keeps a connection, and with it whatever it was being told.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{Sink, SinkExt};
use tokio::io::{AsyncWriteExt, copy, sink};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::error::Error;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::Socket;

/// A large message is sent in parts of so many bytes, each a frame: so a slow line is told from a
/// dead one, and no copy of all of it waits in the socket.
pub(super) const PART: usize = 64 * 1024;

/// How long a peer may take for a part.
const TAKING: Duration = Duration::from_secs(30);

/// How long a peer is waited for to take the reason why a conversation ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// Why a peer is sent no more.
#[derive(Debug, thiserror::Error)]
pub(super) enum Untaken {
    #[error("it does not take what it is sent")]
    Stalled,
    #[error(transparent)]
    Socket(#[from] Error),
}

/// A way to a peer.
pub(super) struct Line<W> {
    write: W,
    /// Whether a part of the message under way is sent.
    begun: bool,
}

impl<W> Line<W>
where
    W: Sink<Message, Error = Error> + Unpin,
{
    pub(super) fn new(write: W) -> Self {
        let begun = false;
        Self { write, begun }
    }

    /// Sends a short message.
    pub(super) async fn send(&mut self, message: Message) -> Result<(), Untaken> {
        let sent = timeout(TAKING, self.write.send(message)).await;
        Ok(sent.map_err(|_| Untaken::Stalled)??)
    }

    /// Sends the next part, of at most [`PART`] bytes, of a message of this kind.
    pub(super) async fn part(
        &mut self,
        kind: Data,
        part: Bytes,
        is_last: bool,
    ) -> Result<(), Untaken> {
        let kind = match std::mem::replace(&mut self.begun, !is_last) {
            true => Data::Continue,
            false => kind,
        };
        let frame = Frame::message(part, OpCode::Data(kind), is_last);
        self.send(Message::Frame(frame)).await
    }
}

/// Says why a conversation ends, if there is something to be said, ends our side, and waits for the
/// peer's end: closing with bytes of it unread would take the reason away from it. All that within a
/// moment: it may have stopped reading long ago.
pub(super) async fn leave(mut socket: Socket, reason: Option<CloseFrame>) {
    let parting = async {
        match reason {
            Some(reason) => socket.send(Message::Close(Some(reason))).await?,
            None => socket.flush().await?,
        }
        let bytes = socket.get_mut();
        bytes.shutdown().await?;
        copy(bytes, &mut sink()).await?;
        Ok::<_, Error>(())
    };
    if !matches!(timeout(FAREWELL, parting).await, Ok(Ok(()))) {
        tracing::debug!("a peer did not take leave");
    }
}

#[cfg(test)]
mod tests;
