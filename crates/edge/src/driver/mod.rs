//! Moves the bytes of the streaming protocol: event loops of our own, one thread each.
//!
//! A loop accepts on a socket of its own, reads into one buffer that all its connections share,
//! lets the [`crate::session`] say what to do, and writes straight to the socket. A connection
//! that is silent costs its record, its user and nothing else: no task, no timer, no buffer. Why
//! a loop and not a runtime's tasks: `docs/adr/0001-streaming-driver.md`.
//!
//! Rules that all parts of it keep:
//! - Readiness is edge-triggered, but for the listening socket's. Whoever stops reading before the
//!   socket is empty remembers it (`readable`, or the list of those to go on with) and goes on
//!   later.
//! - A peer that does not take its bytes is not read, and is not pushed to: it gets the newest
//!   state when it has caught up, and is dropped when it does not.
//! - A connection remembers the generation of the state that it was answered from. Updates come
//!   in order; one that it has is skipped, a gap is filled with the newest state. So it never
//!   loses a change and never goes back.
//! - Anything that takes long is done in turns, between which the sockets are looked after.
//! - No lock is held while doing IO, or while waiting: what loops share with other threads is looked
//!   up or written, and released.

mod accept;
mod agents;
mod answer;
mod clock;
mod collector;
mod config;
mod connection;
mod counters;
mod delivery;
mod drain;
mod event_loop;
mod greeting;
mod handover;
mod handshake;
mod herd;
mod input;
mod latency;
mod listen;
mod listeners;
mod mailbox;
mod members;
mod output;
mod outstanding;
mod places;
mod progress;
mod pulse;
mod push;
mod secure;
mod spare;
mod sweep;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub use collector::{DeliveryTimes, Loops};
pub use config::{Config, DRAIN};
pub use counters::{Counters, PerKind, Refusals, Unsynced};
pub use latency::Latency;
pub use listeners::Listener;

use crate::api::Api;
use crate::hub::Hub;
use crate::tls::{TlsError, Validity};
use event_loop::EventLoop;
use mailbox::{Mail, Mailbox};
use places::Places;

/// The size of what a loop keeps for each connection, in bytes, its user not counted.
pub const CONNECTION_SIZE: usize = size_of::<connection::Connection>();

/// A running edge.
pub struct Handle {
    local_addr: SocketAddr,
    counters: Vec<Arc<Counters>>,
    ended: JoinHandle<()>,
}

impl Handle {
    /// Where it listens; the real port where port 0 was asked for.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// The counters of all loops, and of what is counted beside them.
    pub fn counters(&self) -> &[Arc<Counters>] {
        &self.counters
    }

    /// Resolves once everything is closed after a shutdown.
    pub async fn ended(self) {
        if let Err(error) = self.ended.await {
            tracing::error!(%error, "the streaming driver ended badly");
        }
    }
}

/// Sockets that listen: whoever connects waits to be [served](serve).
pub struct Listening {
    sockets: Vec<std::net::TcpListener>,
    local_addr: SocketAddr,
}

impl Listening {
    /// Where; the real port where port 0 was asked for.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }
}

/// Listens on `address`.
pub fn listen(address: SocketAddr, config: &Config) -> io::Result<Listening> {
    let sockets = listen::bind(address, config)?;
    let first = sockets.first().ok_or(io::ErrorKind::AddrNotAvailable)?;
    let local_addr = first.local_addr()?;
    Ok(Listening {
        sockets,
        local_addr,
    })
}

/// Serves who connects: `/streaming` by itself, everything else by `router`, whose requests carry
/// `axum::extract::ConnectInfo<SocketAddr>`. Where an answer of its carries a [`Listener`], the
/// loops hold the connection from then on. At `shutdown` nobody is taken any more, and connections
/// are told to come back over [`Config::drain`]; ends when all are gone, at most
/// [`Config::farewell`] after that. Must be called on a tokio runtime. `config` is the one that it
/// [listens](listen) by.
pub fn serve(
    listening: Listening,
    edge: &Api,
    router: axum::Router,
    shutdown: CancellationToken,
    config: Config,
) -> io::Result<Handle> {
    let Listening {
        sockets,
        local_addr,
    } = listening;
    let (to_http, handed_over) = handover::channel(&config);
    if let Some(tls) = &config.tls {
        let metrics = Arc::clone(&edge.metrics);
        metrics.serves(tls.validity());
        let note = move |looked: Result<Validity, TlsError>| {
            metrics.tls_refused.set(i64::from(looked.is_err()));
            if let Ok(validity) = looked {
                metrics.serves(validity);
            }
        };
        let following = Arc::clone(tls).follow(config.tls_look, note);
        tokio::spawn(shutdown.clone().run_until_cancelled_owned(following));
    }
    let places = Places::new(config.socket_limit());
    let mut loops = Vec::new();
    for listener in sockets {
        loops.push(EventLoop::new(
            listener,
            edge,
            to_http.clone(),
            &places,
            &config,
        )?);
    }
    let beside_loops = Arc::<Counters>::default();
    let counters = loops.iter().map(EventLoop::counters);
    let counters: Vec<_> = counters.chain([Arc::clone(&beside_loops)]).collect();
    for counters in &counters {
        edge.metrics.loops.add(Arc::clone(counters));
    }
    for event_loop in &loops {
        let mailbox = event_loop.mailbox();
        let ask = move |survey| mailbox.post(Mail::Survey(survey));
        edge.metrics.delivery.add(ask, event_loop.figures_moved());
    }
    let mailboxes: Vec<_> = loops.iter().map(EventLoop::mailbox).collect();
    let http = tokio::spawn(handover::run(
        handed_over,
        router,
        edge.clone(),
        (mailboxes.clone(), Arc::clone(&places), beside_loops),
        shutdown.clone(),
        config.clone(),
    ));
    for mailbox in &mailboxes {
        let mailbox = Arc::clone(mailbox);
        edge.hub
            .subscribe(move |event| mailbox.post(Mail::Event(event)));
    }
    let threads = start(loops, &shutdown)?;
    let hub = Arc::clone(&edge.hub);
    let ended = tokio::spawn(end(shutdown, hub, mailboxes, threads, http));
    Ok(Handle {
        local_addr,
        counters,
        ended,
    })
}

fn start(
    loops: Vec<EventLoop>,
    shutdown: &CancellationToken,
) -> io::Result<Vec<std::thread::JoinHandle<()>>> {
    loops
        .into_iter()
        .enumerate()
        .map(|(index, event_loop)| {
            // A loop ends before a shutdown only if it panicked. Without it nobody would be
            // answered any more: the process ends, and is started again.
            let ends_all = shutdown.clone().drop_guard();
            std::thread::Builder::new()
                .name(format!("edge-{index}"))
                .spawn(move || {
                    let _ends_all = ends_all;
                    event_loop.run();
                })
        })
        .collect()
}

/// Waits for the shutdown, passes it on, and waits for all parts.
async fn end(
    shutdown: CancellationToken,
    hub: Arc<Hub>,
    mailboxes: Vec<Arc<Mailbox>>,
    threads: Vec<std::thread::JoinHandle<()>>,
    http: JoinHandle<()>,
) {
    shutdown.cancelled().await;
    hub.stop();
    for mailbox in mailboxes {
        mailbox.post(Mail::Shutdown);
    }
    let joined = tokio::task::spawn_blocking(move || {
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!("a streaming loop panicked");
            }
        }
    });
    let _ = tokio::join!(joined, http);
}
