//! HTTP/2 (RFC 9113): many requests at once on one connection, as browsers ask by TLS (ALPN), and
//! proxies of who begins with it in the clear.
//!
//! The router answers as it does by HTTP/1.1. What one connection may cost there, one request may
//! here ([`Turns`]). Who listens for events does so through a pair of sockets: a loop holds one end
//! as it holds any listener, and what comes out at the other is the answer's body. So there is one
//! place that decides what a listener is told and when it has to go, at the price of two sockets.

use std::error::Error;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;
use std::{convert::Infallible, io};

use axum::body::Body;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CONTENT_LENGTH, CONTENT_TYPE, HOST,
    HeaderValue, RETRY_AFTER,
};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use socket2::SockRef;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};
use tokio_util::io::ReaderStream;

use super::super::counters::add;
use super::super::listeners::{Arrived, Listener};
use super::super::places::Place;
use super::paced::Paced;
use super::stream::PeerStream;
use super::turns::{Turn, Turns};
use super::{Service, Visit};
use crate::http::answer;

/// What a client begins with. It is no request of HTTP/1.1's.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\n";

/// Requests at once on a connection: as few as the standard would have.
const REQUESTS: u32 = 100;

/// Bytes of a request's headers, as large as a head of HTTP/1.1 may be.
const HEADERS: u32 = 16 * 1024;

/// Bytes of bodies that a peer may send before somebody reads them: of one request, of all.
const UNREAD: (u32, u32) = (64 * 1024, 256 * 1024);

/// Bytes of an answer that wait for the peer within hyper.
const UNSENT: usize = 32 * 1024;

/// Bytes in the pair of who listens, about: a few events. Who is slow is told once of what came
/// meanwhile.
const UNHEARD: usize = 4 * 1024;

/// Read at once of what a listener is told.
const LINE: usize = 256;

/// How often a connection is looked at while there is something to answer on it, in parts of the
/// time that a peer has.
const LOOKS: u32 = 4;

/// Whether this is how HTTP/2 begins.
pub(super) fn begins(input: &[u8]) -> bool {
    input.starts_with(PREFACE)
}

/// Serves a connection until it ends.
pub(super) async fn serve(
    stream: PeerStream,
    turns: Turns,
    visit: Visit,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let Visit {
        service,
        peer,
        keep_alive,
        shutdown,
    } = visit;
    let first = Arc::new(Notify::new());
    let answer = service_fn({
        let (service, turns, first) = (Arc::clone(&service), turns.clone(), Arc::clone(&first));
        move |request: Request<Incoming>| {
            let (service, turn) = (Arc::clone(&service), turns.begin());
            first.notify_one();
            async move {
                let Some(turn) = turn else {
                    return Ok::<_, Infallible>(busy(&service, request.method()));
                };
                let method = request.method().clone();
                let Ok(response) = service.answer(with_host(request), peer).await;
                let heard = answered(&service, response, turn, peer);
                Ok(heard.unwrap_or_else(|| busy(&service, &method)))
            }
        }
    });
    let serving = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_concurrent_streams(REQUESTS)
        .max_header_list_size(HEADERS)
        .initial_stream_window_size(UNREAD.0)
        .initial_connection_window_size(UNREAD.1)
        .max_send_buf_size(UNSENT)
        .serve_connection(TokioIo::new(stream), answer);
    tokio::pin!(serving);
    // In a shutdown, and while there are many, there is what it came for, and no other.
    let (mut keep, mut stopping) = (keep_alive && !shutdown.is_cancelled(), false);
    loop {
        tokio::select! {
            // A request that has come is looked at first.
            biased;
            result = &mut serving => return Ok(result?),
            () = shutdown.cancelled(), if keep => keep = false,
            () = first.notified(), if !keep && !stopping => {}
            () = sleep(next_look(&turns, &service)) => {
                if turns.are_overdue() {
                    return Err("the peer does not take its answers".into());
                }
                if !is_idle(&turns, &service) {
                    continue;
                }
                if stopping || !turns.were_asked_for() {
                    return Err("the peer says nothing, or does not end".into());
                }
                keep = false;
            }
        }
        if !keep && !stopping {
            stopping = true;
            serving.as_mut().graceful_shutdown();
        }
    }
}

/// How long nothing may be asked.
fn patience(turns: &Turns, service: &Service) -> Duration {
    match turns.were_asked_for() {
        true => service.idle,
        false => service.first,
    }
}

fn is_idle(turns: &Turns, service: &Service) -> bool {
    let patience = patience(turns, service);
    turns
        .quiet_since()
        .is_some_and(|since| since.elapsed() >= patience)
}

/// How long until there may be something to see to.
fn next_look(turns: &Turns, service: &Service) -> Duration {
    let look = service.stall / LOOKS;
    match turns.quiet_since() {
        Some(since) => {
            let end = since + patience(turns, service);
            let left = end.saturating_duration_since(Instant::now());
            // Past it, while the peer ends. Before it, a request may come that is not answered.
            if left.is_zero() { look } else { left.min(look) }
        }
        None => look,
    }
}

/// The request with the header that HTTP/1.1 has for what is asked (RFC 9113, 8.3.1).
fn with_host<B>(mut request: Request<B>) -> Request<B> {
    let authority = request.uri().authority();
    let host = authority.and_then(|it| HeaderValue::from_str(it.as_str()).ok());
    if let Some(host) = host {
        request.headers_mut().insert(HOST, host);
    }
    request
}

/// What the router said, or the events that it says are to be heard; none where there is no room
/// for them.
fn answered(
    service: &Service,
    mut response: Response,
    mut turn: Turn,
    peer: SocketAddr,
) -> Option<Response<Paced>> {
    if let Some(listener) = response.extensions_mut().remove::<Listener>() {
        match listen(service, listener, peer) {
            Ok(Some((end, place))) => {
                turn.listens(place);
                let events = ReaderStream::with_capacity(end, LINE);
                *response.body_mut() = Body::from_stream(events);
                response.headers_mut().remove(CONTENT_LENGTH);
            }
            Ok(None) => return None,
            Err(error) => {
                tracing::warn!(%error, "nobody can listen");
                return None;
            }
        }
    }
    Some(response.map(|body| Paced::new(body, Some(turn))))
}

/// Gives one end of a pair to a loop. The other, with its place; none where there are no places.
fn listen(
    service: &Service,
    listener: Listener,
    peer: SocketAddr,
) -> io::Result<Option<(tokio::net::UnixStream, Place)>> {
    let take = || service.places.take().then(|| Place::taken(&service.places));
    let (Some(here), Some(there)) = (take(), take()) else {
        return Ok(None);
    };
    let (end, other) = UnixStream::pair()?;
    SockRef::from(&other).set_send_buffer_size(UNHEARD)?;
    other.set_nonblocking(true)?;
    end.set_nonblocking(true)?;
    let end = tokio::net::UnixStream::from_std(end)?;
    service.give(Arrived {
        stream: OwnedFd::from(other).into(),
        session: None,
        peer: Some(peer),
        place: there,
        head: Vec::new(),
        listener,
    });
    Ok(Some((end, here)))
}

/// There are too many: what HTTP/1.1 is told by [`answer::BUSY`].
fn busy(service: &Service, method: &Method) -> Response<Paced> {
    add(&service.counters.http_refused, 1);
    let body = match *method {
        Method::HEAD => Body::empty(),
        _ => Body::from(answer::BUSY_BODY),
    };
    let mut response = Response::new(Paced::new(body, None));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    let headers = response.headers_mut();
    headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    let told = HeaderValue::from_static("retry-after");
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, told);
    response
}
