//! Ordinary HTTP on the streaming port: the socket and the bytes that a loop has read go to hyper
//! and the router, but for [plain] requests for evaluation. Only the socket of who asks to listen for
//! events comes back, to be held by a loop; with [HTTP/2](http2), one end of a pair.

mod body;
mod http1;
mod http2;
mod paced;
mod plain;
mod request;
mod stream;
mod turns;
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
use hyper::{Request, StatusCode};
use rustls::ServerConnection;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use self::body::{Patience, TimedBody};
use self::stream::{PeerStream, Served};
use self::turns::Turns;
use self::wire::Wire;
use super::Config;
use super::connection::Phase;
use super::counters::{Counters, add, sub};
use super::event_loop::EventLoop;
use super::listeners::Arrived;
use super::mailbox::{Mail, Mailbox};
use super::places::{Place, Places};
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

/// How many newcomers there may be with HTTP/2 for each that may be served: each takes some 24 kB,
/// before it has said who it is.
const NEWCOMERS: usize = 2;

/// What all handed-over connections are served with.
struct Service {
    router: axum::Router,
    /// What plain requests for evaluation are answered with.
    api: Api,
    /// The loops, and which of them gets the next listener.
    loops: Vec<Arc<Mailbox>>,
    next: AtomicUsize,
    places: Arc<Places>,
    counters: Arc<Counters>,
    patience: Arc<Patience>,
    /// As many connections with HTTP/2 may wait for their first turn.
    newcomers: Arc<Semaphore>,
    /// How long a peer may not take what it asked for.
    stall: Duration,
    /// Until the head of a further request on a kept connection is complete.
    idle: Duration,
    /// Until that of the first one is, where the loop has not waited for it: with HTTP/2.
    first: Duration,
    /// From our end of a connection until it is closed, whatever the peer does.
    linger: Duration,
}

impl Service {
    fn new(
        router: axum::Router,
        api: Api,
        loops: Vec<Arc<Mailbox>>,
        places: Arc<Places>,
        counters: Arc<Counters>,
        config: &Config,
    ) -> Self {
        let slow = (config.http_limit() / 2).max(1);
        Self {
            router,
            api,
            loops,
            next: AtomicUsize::new(0),
            places,
            counters,
            patience: Arc::new(Patience {
                usual: config.body_timeout,
                short: config.body_timeout_when_busy,
                places: Arc::new(Semaphore::new(slow)),
            }),
            newcomers: Arc::new(Semaphore::new(NEWCOMERS * config.http_limit())),
            stall: config.stall_timeout,
            idle: config.http_idle_timeout,
            first: config.head_timeout,
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

    /// Gives somebody who listens to a loop.
    fn give(&self, listener: Arrived) {
        let next = self.next.fetch_add(1, Relaxed) % self.loops.len().max(1);
        if let Some(mailbox) = self.loops.get(next) {
            mailbox.post(Mail::Listens(Box::new(listener)));
        }
    }
}

/// Serves what is handed over, until the loops have ended and all is answered; at most until a
/// shutdown is over.
pub(super) async fn run(
    mut queue: mpsc::UnboundedReceiver<HandedOver>,
    router: axum::Router,
    api: Api,
    (loops, places, counters): (Vec<Arc<Mailbox>>, Arc<Places>, Arc<Counters>),
    shutdown: CancellationToken,
    config: Config,
) {
    let service = Arc::new(Service::new(router, api, loops, places, counters, &config));
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

/// Somebody who is served.
struct Visit {
    service: Arc<Service>,
    peer: SocketAddr,
    /// Whether the connection may go on after one request.
    keep_alive: bool,
    shutdown: CancellationToken,
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
    let is_http2 = http2::begins(&read);
    let (stall, linger) = (service.stall, service.linger);
    let (newcomers, counters) = (
        Arc::clone(&service.newcomers),
        Arc::clone(&service.counters),
    );
    let visit = Visit {
        service,
        peer,
        keep_alive,
        shutdown,
    };
    let stream = |served| PeerStream::new(Wire::new(stream, session), read, stall, linger, served);
    let result = if is_http2 {
        let Ok(newcomer) = newcomers.try_acquire_owned() else {
            return add(&counters.http_refused, 1);
        };
        let turns = Turns::new(Arc::clone(permit.semaphore()), newcomer, stall);
        drop(permit);
        http2::serve(stream(Served::new(None, place)), turns, visit).await
    } else {
        let served = Served::new(Some(permit), place);
        http1::serve(stream(served.clone()), served, visit).await
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
