//! A socket some of which has been read already, and whose peer has to take what it is sent.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Sleep, sleep};

use super::wire::Wire;

/// What a peer has to take within the deadline while we wait for it.
const PROGRESS: usize = 64 * 1024;

pub(super) struct PeerStream {
    stream: Wire,
    read: Bytes,
    /// How long a peer may take for [`PROGRESS`].
    patience: Duration,
    stalled: Option<Stall>,
    /// How long the peer's end is waited for after ours.
    linger: Duration,
    lingers: Option<Pin<Box<Sleep>>>,
    served: Served,
}

/// Counts a connection among those that are served: given back when there is nothing more to say, or
/// when it is none of HTTP any more.
#[derive(Clone)]
pub(super) struct Served(Arc<Mutex<Option<OwnedSemaphorePermit>>>);

impl Served {
    pub(super) fn new(permit: OwnedSemaphorePermit) -> Self {
        Self(Arc::new(Mutex::new(Some(permit))))
    }

    pub(super) fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Begins when the peer does not take bytes.
struct Stall {
    deadline: Pin<Box<Sleep>>,
    taken: usize,
}

impl PeerStream {
    pub(super) fn new(
        stream: Wire,
        read: Bytes,
        patience: Duration,
        linger: Duration,
        served: Served,
    ) -> Self {
        Self {
            stream,
            read,
            patience,
            stalled: None,
            linger,
            lingers: None,
            served,
        }
    }

    /// Throws away what still comes, until the peer ends or the time is up. Closing a socket with
    /// bytes unread resets the connection, and the peer might never see an answer that was given
    /// before its request had come whole.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let linger = self.linger;
        let lingers = self.lingers.get_or_insert_with(|| Box::pin(sleep(linger)));
        let mut room = [0; 4096];
        while lingers.as_mut().poll(context).is_pending() {
            let mut room = ReadBuf::new(&mut room);
            let read = ready!(Pin::new(&mut self.stream).poll_read(context, &mut room));
            if read.is_err() || room.filled().is_empty() {
                break;
            }
        }
        Poll::Ready(())
    }

    /// Counts what the peer took; an error where it takes too long.
    fn watch(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(result) = written {
            if let (Ok(len), Some(stall)) = (&result, &mut self.stalled) {
                stall.taken += len;
                if stall.taken >= PROGRESS {
                    self.stalled = None;
                }
            }
            return Poll::Ready(result);
        }
        let stall = self.stalled.get_or_insert_with(|| Stall {
            deadline: Box::pin(sleep(self.patience)),
            taken: 0,
        });
        ready!(stall.deadline.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// The same where what was written before has to be taken.
    fn watch_end(
        &mut self,
        context: &mut Context<'_>,
        done: Poll<io::Result<()>>,
    ) -> Poll<io::Result<()>> {
        self.watch(context, done.map_ok(|()| 0)).map_ok(|_| ())
    }
}

impl AsyncRead for PeerStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read.is_empty() {
            let before = buffer.filled().len();
            let read = Pin::new(&mut self.stream).poll_read(context, buffer);
            if buffer.filled().len() > before {
                // The next request: the answer before it was taken.
                self.stalled = None;
            }
            return read;
        }
        let len = self.read.len().min(buffer.remaining());
        buffer.put_slice(&self.read[..len]);
        self.read.advance(len);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for PeerStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.watch(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.watch_end(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingers.is_none() {
            let ended = Pin::new(&mut self.stream).poll_shutdown(context);
            ready!(self.watch_end(context, ended))?;
            self.served.end();
        }
        self.poll_end(context).map(Ok)
    }
}
