//! HTTP/1.1: one request after the other.

use std::error::Error;
use std::sync::Arc;

use hyper::StatusCode;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};

use super::super::listeners::{self, Arrived, Listener};
use super::stream::{PeerStream, Served};
use super::{Service, Visit, plain, request};

/// Bytes of a request's head and of what was read with it; of an answer that waits for the peer.
const BUFFER: usize = 64 * 1024;

/// The connection is a loop's: hyper has nothing to say on it.
#[derive(Debug, thiserror::Error)]
#[error("it is held by a loop")]
struct GivenBack;

/// Serves a connection until it ends, or is a loop's again.
pub(super) async fn serve(
    mut stream: PeerStream,
    served: Served,
    visit: Visit,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let Visit {
        service,
        peer,
        keep_alive,
        shutdown,
    } = visit;
    let idle = service.idle;
    if keep_alive && request::begins(stream.unread()) && !shutdown.is_cancelled() {
        match plain::serve(stream, &service.api, idle, &shutdown).await? {
            Some(unusual) => stream = unusual,
            None => return Ok(()),
        }
    }
    // In a shutdown there is one request that it came for, and no other.
    let stopping = shutdown.is_cancelled();
    let answer = service_fn(move |request| {
        let (service, served) = (Arc::clone(&service), served.clone());
        async move {
            let Ok(mut response) = service.answer(request, peer).await;
            if let Some(listener) = response.extensions_mut().remove::<Listener>() {
                let head = listeners::head(response.headers());
                give_back(&service, &served, listener, head).await;
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
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), answer)
        .with_upgrades();
    tokio::pin!(serving);
    tokio::select! {
        // A request that has come is looked at first.
        biased;
        result = &mut serving => Ok(result?),
        () = shutdown.cancelled(), if !stopping => {
            serving.as_mut().graceful_shutdown();
            Ok(serving.await?)
        }
    }
}

/// Gives the connection of somebody who listens to a loop, which says what the answer is.
async fn give_back(service: &Service, served: &Served, listener: Listener, head: Vec<u8>) {
    // Gone where the connection ended meanwhile.
    let Some((wire, place)) = served.take_back().await else {
        return;
    };
    match wire.into_parts() {
        Ok((stream, session)) => service.give(Arrived {
            stream,
            session,
            peer: None,
            place,
            head,
            listener,
        }),
        Err(error) => tracing::warn!(%error, "a connection cannot be given back"),
    }
}
