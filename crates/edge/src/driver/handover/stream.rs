//! A socket some of which has been read already, and whose peer has to take what it is sent.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::time::{Sleep, sleep};

use super::super::places::Place;
use super::wire::Wire;

/// What a peer has to take within the deadline while we wait for it.
pub(super) const PROGRESS: usize = 64 * 1024;

pub(super) struct PeerStream {
    /// None: it was taken back, and nothing happens here any more.
    stream: Option<Wire>,
    read: Bytes,
    /// How long a peer may take for [`PROGRESS`].
    patience: Duration,
    stalled: Option<Stall>,
    /// How long the peer's end is waited for after ours.
    linger: Duration,
    lingers: Option<Pin<Box<Sleep>>>,
    served: Served,
}

/// What is counted of a connection that is served, and whether somebody wants it back.
#[derive(Clone)]
pub(super) struct Served(Arc<Mutex<Counted>>);

struct Counted {
    /// Counts it among those that are served.
    permit: Option<OwnedSemaphorePermit>,
    /// Counts its socket.
    place: Option<Place>,
    /// Who wants it back.
    wanted: Option<oneshot::Sender<Wire>>,
}

impl Served {
    /// `permit`: none where each request has its own.
    pub(super) fn new(permit: Option<OwnedSemaphorePermit>, place: Place) -> Self {
        Self(Arc::new(Mutex::new(Counted {
            permit,
            place: Some(place),
            wanted: None,
        })))
    }

    /// There is nothing more to say.
    pub(super) fn end(&self) {
        self.counted().permit = None;
    }

    /// It is none of HTTP any more: somebody else counts it.
    pub(super) fn leave(&self) {
        let mut counted = self.counted();
        counted.permit = None;
        counted.place = None;
    }

    /// Takes the connection, in the middle of a request, as soon as all that was said before is
    /// out. None where it ends before.
    pub(super) async fn take_back(&self) -> Option<(Wire, Place)> {
        let (sender, receiver) = oneshot::channel();
        self.counted().wanted = Some(sender);
        let wire = receiver.await.ok()?;
        let mut counted = self.counted();
        counted.permit = None;
        Some((wire, counted.place.take()?))
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
            stream: Some(stream),
            read,
            patience,
            stalled: None,
            linger,
            lingers: None,
            served,
        }
    }

    /// What has been read and not used.
    pub(super) fn unread(&self) -> &[u8] {
        &self.read
    }

    /// Has these bytes read once more, before what else there is.
    pub(super) fn with_unread(mut self, bytes: Bytes) -> Self {
        self.read = match self.read.is_empty() {
            true => bytes,
            false => [bytes, self.read].concat().into(),
        };
        self
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
            let Some(stream) = &mut self.stream else {
                break;
            };
            let read = ready!(Pin::new(stream).poll_read(context, &mut room));
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
            let Some(stream) = &mut self.stream else {
                return Poll::Pending;
            };
            return Pin::new(stream).poll_read(context, buffer);
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
        let Some(stream) = &mut self.stream else {
            return Poll::Pending;
        };
        let written = Pin::new(stream).poll_write(context, bytes);
        self.watch(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let Some(stream) = &mut self.stream else {
            return Poll::Pending;
        };
        let written = Pin::new(stream).poll_write_vectored(context, bytes);
        self.watch(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.as_ref().is_some_and(Wire::is_write_vectored)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(stream) = &mut self.stream else {
            return Poll::Pending;
        };
        let flushed = Pin::new(stream).poll_flush(context);
        ready!(self.watch_end(context, flushed))?;
        // Whoever flushes has written all that there was. (That the peer says more tells nothing: it
        // may ask on and on, and take no answer.)
        self.stalled = None;
        let wanted = self.served.counted().wanted.take();
        if let Some(wanted) = wanted
            && let Some(stream) = self.stream.take()
        {
            // Nobody is there any more where the request was given up: it ends with that.
            let _ = wanted.send(stream);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingers.is_none() {
            if let Some(stream) = &mut self.stream {
                let ended = Pin::new(stream).poll_shutdown(context);
                ready!(self.watch_end(context, ended))?;
            }
            self.served.end();
        }
        self.poll_end(context).map(Ok)
    }
}
