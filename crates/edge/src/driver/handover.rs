//! Ordinary HTTP on the streaming port: the socket and the bytes that a loop has read go to hyper
//! and the router, and do not come back.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::ConnectInfo;
use bytes::{Buf, Bytes};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use super::Config;
use super::connection::Connection;
use super::counters::{add, sub};
use super::event_loop::EventLoop;
use crate::http::answer;

/// Until the head of a further request on a kept connection is complete.
const NEXT_REQUEST: Duration = Duration::from_secs(75);

/// A connection for the HTTP server.
pub(super) struct HandedOver {
    stream: std::net::TcpStream,
    peer: SocketAddr,
    /// What has been read of it.
    read: Bytes,
    /// Whether it may go on after one request.
    keep_alive: bool,
    /// Counts it among those that are served.
    permit: OwnedSemaphorePermit,
}

/// A loop's way to the HTTP server.
#[derive(Clone)]
pub(super) struct ToHttp {
    queue: mpsc::UnboundedSender<HandedOver>,
    permits: Arc<Semaphore>,
}

/// The way to the HTTP server and its end. As many as the permits allow are queued or served.
pub(super) fn channel(config: &Config) -> (ToHttp, mpsc::UnboundedReceiver<HandedOver>) {
    let (queue, receiver) = mpsc::unbounded_channel();
    let permits = Arc::new(Semaphore::new(config.http_connections));
    (ToHttp { queue, permits }, receiver)
}

/// Serves what is handed over until `shutdown`, and what is there then for at most `drain` more.
pub(super) async fn run(
    mut queue: mpsc::UnboundedReceiver<HandedOver>,
    router: axum::Router,
    shutdown: CancellationToken,
    drain: Duration,
) {
    let tasks = TaskTracker::new();
    let abort = CancellationToken::new();
    while let Some(Some(connection)) = shutdown.run_until_cancelled(queue.recv()).await {
        let serving = serve(connection, router.clone(), shutdown.clone());
        tasks.spawn(abort.clone().run_until_cancelled_owned(serving));
    }
    tasks.close();
    if tokio::time::timeout(drain, tasks.wait()).await.is_err() {
        abort.cancel();
        tasks.wait().await;
    }
}

async fn serve(connection: HandedOver, router: axum::Router, shutdown: CancellationToken) {
    let HandedOver {
        stream,
        peer,
        read,
        keep_alive,
        permit: _permit,
    } = connection;
    let stream = match TcpStream::from_std(stream) {
        Ok(stream) => stream,
        Err(error) => return tracing::warn!(%error, "a connection cannot be taken over"),
    };
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .keep_alive(keep_alive)
        .header_read_timeout(NEXT_REQUEST)
        .serve_connection(TokioIo::new(Rewound { read, stream }), service)
        .with_upgrades();
    tokio::pin!(serving);
    let result = tokio::select! {
        result = &mut serving => result,
        () = shutdown.cancelled() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%error, %peer, "an HTTP connection ended");
    }
}

impl EventLoop {
    /// Gives a connection away, with what was read of it.
    pub(super) fn hand_over(&mut self, key: usize, read: &[u8]) {
        let connection = self.connections.remove(key);
        sub(&self.counters.sockets, 1);
        let Ok(permit) = Arc::clone(&self.to_http.permits).try_acquire_owned() else {
            return self.refuse_http(connection);
        };
        let mut stream = connection.stream;
        // It goes to another epoll; closing is not what ends our interest in it.
        let _ = self.poll.registry().deregister(&mut stream);
        let stream = std::net::TcpStream::from(stream);
        // Without a peer it has been reset already.
        let Ok(peer) = stream.peer_addr() else {
            return;
        };
        add(&self.counters.handed_over, 1);
        let read = Bytes::copy_from_slice(read);
        // Fails only during a shutdown.
        let _ = self.to_http.queue.send(HandedOver {
            stream,
            peer,
            read,
            keep_alive: self.to_http.permits.available_permits() * 2
                >= self.config.http_connections,
            permit,
        });
    }

    fn refuse_http(&mut self, mut connection: Connection) {
        add(&self.counters.http_refused, 1);
        let _ = connection.send(answer::BUSY, true);
    }
}

/// A stream some of which has been read already.
struct Rewound {
    read: Bytes,
    stream: TcpStream,
}

impl AsyncRead for Rewound {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read.is_empty() {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        let len = self.read.len().min(buffer.remaining());
        buffer.put_slice(&self.read[..len]);
        self.read.advance(len);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Rewound {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
