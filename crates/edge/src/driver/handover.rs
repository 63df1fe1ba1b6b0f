//! Ordinary HTTP on the streaming port: the socket and the bytes that a loop has read go to hyper
//! and the router, but for [plain] requests for evaluation. Only the socket of who asks to listen for
//! events comes back, to be held by a loop.

mod body;
mod plain;
mod request;
mod stream;
mod wire;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::response::Response;
use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::ServerConnection;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use self::body::{Patience, TimedBody};
use self::stream::{PeerStream, Served};
use self::wire::Wire;
use super::Config;
use super::connection::Phase;
use super::counters::{add, sub};
use super::event_loop::EventLoop;
use super::listeners::{self, Arrived, Listener};
use super::mailbox::{Mail, Mailbox};
use super::places::Place;
use crate::api::Api;
use crate::http::answer;
use crate::session::Flow;

/// A connection for the HTTP server.
pub(super) struct HandedOver {
    stream: std::net::TcpStream,
    /// What encrypts it, if anything does.
    session: Option<Box<ServerConnection>>,
    peer: SocketAddr,
    /// What has been read of it.
    read: Bytes,
    /// Whether it may go on after one request.
    keep_alive: bool,
    /// Counts it among those that are served.
    permit: OwnedSemaphorePermit,
    /// Counts its socket.
    place: Place,
}

/// A loop's way to the HTTP server.
#[derive(Clone)]
pub(super) struct ToHttp {
    queue: mpsc::UnboundedSender<HandedOver>,
    permits: Arc<Semaphore>,
    /// How many permits there are in all.
    all: usize,
}

/// The way to the HTTP server and its end. As many as the permits allow are queued or served.
pub(super) fn channel(config: &Config) -> (ToHttp, mpsc::UnboundedReceiver<HandedOver>) {
    let (queue, receiver) = mpsc::unbounded_channel();
    let all = config.http_limit();
    let permits = Arc::new(Semaphore::new(all));
    let to_http = ToHttp {
        queue,
        permits,
        all,
    };
    (to_http, receiver)
}

/// What all handed-over connections are served with.
struct Service {
    router: axum::Router,
    /// What plain requests for evaluation are answered with.
    api: Api,
    /// The loops, and which of them gets the next listener.
    loops: Vec<Arc<Mailbox>>,
    next: AtomicUsize,
    patience: Arc<Patience>,
    /// How long a peer may not take what it asked for.
    stall: Duration,
    /// Until the head of a further request on a kept connection is complete.
    idle: Duration,
    /// From our end of a connection until it is closed, whatever the peer does.
    linger: Duration,
}

impl Service {
    fn new(router: axum::Router, api: Api, loops: Vec<Arc<Mailbox>>, config: &Config) -> Self {
        let slow = (config.http_limit() / 2).max(1);
        Self {
            router,
            api,
            loops,
            next: AtomicUsize::new(0),
            patience: Arc::new(Patience {
                usual: config.body_timeout,
                short: config.body_timeout_when_busy,
                places: Arc::new(Semaphore::new(slow)),
            }),
            stall: config.stall_timeout,
            idle: config.http_idle_timeout,
            linger: config.linger,
        }
    }

    async fn answer(
        &self,
        request: Request<Incoming>,
        peer: SocketAddr,
    ) -> Result<Response, Infallible> {
        let late = Arc::new(AtomicBool::new(false));
        let mut request =
            request.map(|body| TimedBody::new(body, Arc::clone(&self.patience), Arc::clone(&late)));
        request.extensions_mut().insert(ConnectInfo(peer));
        let mut response = self.router.clone().oneshot(request).await?;
        if late.load(Relaxed) {
            // Whatever the router made of a body that broke off; its words may stay.
            *response.status_mut() = StatusCode::REQUEST_TIMEOUT;
            let headers = response.headers_mut();
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(response)
    }

    /// Gives the connection of somebody who listens to a loop, which says what the answer is.
    async fn give_back(&self, served: &Served, listener: Listener, head: Vec<u8>) {
        // Gone where the connection ended meanwhile.
        if let Some((wire, place)) = served.take_back().await {
            let next = self.next.fetch_add(1, Relaxed) % self.loops.len().max(1);
            match (wire.into_parts(), self.loops.get(next)) {
                (Ok((stream, session)), Some(mailbox)) => {
                    mailbox.post(Mail::Listens(Box::new(Arrived {
                        stream,
                        session,
                        place,
                        head,
                        listener,
                    })));
                }
                (Err(error), _) => tracing::warn!(%error, "a connection cannot be given back"),
                _ => {}
            }
        }
    }
}

/// The connection is a loop's: hyper has nothing to say on it.
#[derive(Debug, thiserror::Error)]
#[error("it is held by a loop")]
struct GivenBack;

/// Serves what is handed over, until the loops have ended and all is answered; at most until a
/// shutdown is over.
pub(super) async fn run(
    mut queue: mpsc::UnboundedReceiver<HandedOver>,
    router: axum::Router,
    api: Api,
    loops: Vec<Arc<Mailbox>>,
    shutdown: CancellationToken,
    config: Config,
) {
    let service = Arc::new(Service::new(router, api, loops, &config));
    let tasks = TaskTracker::new();
    let abort = CancellationToken::new();
    let serving = async {
        while let Some(connection) = queue.recv().await {
            let serving = serve(connection, Arc::clone(&service), shutdown.clone());
            tasks.spawn(abort.clone().run_until_cancelled_owned(serving));
        }
        tasks.close();
        tasks.wait().await;
    };
    let over = async {
        shutdown.cancelled().await;
        tokio::time::sleep(config.drain + config.farewell).await;
    };
    tokio::select! {
        () = serving => {}
        () = over => {
            abort.cancel();
            tasks.close();
            tasks.wait().await;
        }
    }
}

async fn serve(connection: HandedOver, service: Arc<Service>, shutdown: CancellationToken) {
    let HandedOver {
        stream,
        session,
        peer,
        read,
        keep_alive,
        permit,
        place,
    } = connection;
    let stream = match TcpStream::from_std(stream) {
        Ok(stream) => stream,
        Err(error) => return tracing::warn!(%error, "a connection cannot be taken over"),
    };
    probe(&stream);
    let served = Served::new(permit, place);
    let stream = Wire::new(stream, session);
    let is_plain = keep_alive && request::begins(&read) && !shutdown.is_cancelled();
    let mut stream = PeerStream::new(stream, read, service.stall, service.linger, served.clone());
    let idle = service.idle;
    if is_plain {
        stream = match plain::serve(stream, &service.api, idle, &shutdown).await {
            Ok(Some(stream)) => stream,
            Ok(None) => return,
            Err(error) => return tracing::debug!(%error, %peer, "an HTTP connection ended"),
        };
    }
    // In a shutdown there is one request that it came for, and no other.
    let stopping = shutdown.is_cancelled();
    let answer = service_fn(move |request| {
        let (service, served) = (Arc::clone(&service), served.clone());
        async move {
            let Ok(mut response) = service.answer(request, peer).await;
            if let Some(listener) = response.extensions_mut().remove::<Listener>() {
                let head = listeners::head(response.headers());
                service.give_back(&served, listener, head).await;
                return Err(GivenBack);
            }
            if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                // A relay stays for as long as it lives: whoever let it in counts it.
                served.leave();
            }
            Ok(response)
        }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .keep_alive(keep_alive && !stopping)
        .header_read_timeout(idle)
        .serve_connection(TokioIo::new(stream), answer)
        .with_upgrades();
    tokio::pin!(serving);
    let result = tokio::select! {
        // A request that has come is looked at first.
        biased;
        result = &mut serving => result,
        () = shutdown.cancelled(), if !stopping => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%error, %peer, "an HTTP connection ended");
    }
}

/// Has the kernel ask whether the peer is still there: nothing else tells while a request is
/// being worked on.
fn probe(stream: &TcpStream) {
    let keepalive = TcpKeepalive::new()
        .with_time(Duration::from_secs(60))
        .with_interval(Duration::from_secs(15))
        .with_retries(4);
    if let Err(error) = SockRef::from(stream).set_tcp_keepalive(&keepalive) {
        tracing::debug!(%error, "a peer cannot be probed");
    }
}

impl EventLoop {
    /// Gives a connection away, with what was read of it.
    pub(super) fn hand_over(&mut self, key: usize, read: &[u8]) {
        let Ok(permit) = Arc::clone(&self.to_http.permits).try_acquire_owned() else {
            add(&self.counters.http_refused, 1);
            return self.refuse(key);
        };
        self.end_handshake(key);
        let connection = self.connections.remove(key);
        sub(&self.counters.sockets, 1);
        self.kept_input -= connection.kept as usize;
        self.kept_output -= connection.kept_output();
        let place = Place::taken(&self.places);
        let secure = connection.rest.and_then(|rest| rest.secure);
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
            session: secure.map(|secure| Box::new(secure.into_session())),
            peer,
            read,
            keep_alive: self.to_http.permits.available_permits() * 2 >= self.to_http.all,
            permit,
            place,
        });
    }

    /// Says that there are too many. SDKs read it as "try again later", and wait longer each time.
    pub(super) fn refuse(&mut self, key: usize) {
        self.begin_refuse(key);
        self.finish(key);
    }

    /// The same in the middle of its input. What has gathered for it is no more than the upgrade.
    /// Its place is another's from now on.
    pub(super) fn begin_refuse(&mut self, key: usize) -> Flow {
        if self.greets(key) {
            self.refuse_unheard(key);
            return Flow::Stop;
        }
        self.ends(key, |unsynced| &unsynced.busy);
        self.out.clear();
        self.out.extend_from_slice(answer::BUSY);
        self.linger(key);
        let connection = &mut self.connections[key];
        if !connection.refused {
            match self.places.take_to_refuse() {
                true => {
                    self.places.free();
                    connection.refused = true;
                }
                false => connection.phase = Phase::Dropped,
            }
        }
        Flow::Stop
    }
}
