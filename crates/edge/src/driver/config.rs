//! What can be set on the driver. The defaults are right for production; tests shorten deadlines.

use std::time::Duration;

use std::sync::Arc;

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::tls::Tls;

/// Over how long servers and relays spread telling connections to come back, where nothing else is
/// said.
pub const DRAIN: Duration = Duration::from_secs(10);

/// Settings of the driver.
#[derive(Clone, Debug)]
pub struct Config {
    /// Event loops, each with a thread and a listening socket of its own.
    pub loops: usize,
    /// Lets other processes listen on the same port, connections being spread over all. Several
    /// loops need it anyway; for one loop it is off, so that a port in use is noticed.
    pub share_port: bool,
    /// Sockets held at once, over all loops and ordinary HTTP; further ones are refused with 503.
    /// `None`: as many as the process may open, less those for its files.
    pub max_sockets: Option<usize>,
    /// Encrypts all connections; none is otherwise.
    pub tls: Option<Arc<Tls>>,
    /// How often its files are looked at.
    pub tls_look: Duration,
    /// From the connect until a request's head is complete, a TLS handshake included.
    pub head_timeout: Duration,
    /// From the connect until the first data-sync.
    pub sync_timeout: Duration,
    /// Without a byte from a peer that has synced: SDKs ping every 10–18 s, hidden browser tabs
    /// every 60 s.
    pub silence_timeout: Duration,
    /// Without a byte to a listener; then it gets one, so that nobody in between takes the stream
    /// for dead. Proxies often wait for a minute, some for half of one.
    pub heartbeat: Duration,
    /// From the first byte of a message to its last.
    pub message_timeout: Duration,
    /// Without a byte taken by a peer that we have something for.
    pub stall_timeout: Duration,
    /// The same while others wait for their turn with a large state. A large answer that was made
    /// for the peer alone has to be taken whole within this.
    pub stall_timeout_in_herd: Duration,
    /// How long a reader of a large shared state counts among those on their way.
    pub state_turn: Duration,
    /// From our close frame until the socket is closed, whatever the peer says.
    pub linger: Duration,
    /// The window over which a shutdown tells connections to come back. None here: all at once.
    pub drain: Duration,
    /// Between two portions of them. Where there are fewer connections than steps, one is told at
    /// each, and the window is not used up.
    pub drain_step: Duration,
    /// How long a shutdown waits after the window for those who were told to go, and for requests
    /// to be answered.
    pub farewell: Duration,
    /// What the deadlines are counted in: they are late by up to four of these.
    pub tick: Duration,
    /// Bytes that the kernel may hold for a peer (it counts double). Bounds what a herd costs.
    pub send_buffer: usize,
    /// Bytes of incomplete messages and other input kept at once, per loop.
    pub kept_input: usize,
    /// Bytes of answers and pushes that were made for one connection each and not taken yet, kept
    /// at once, per loop. Large ones wait for their turn from half of it on; who would have more
    /// kept beyond it is dropped.
    pub kept_output: usize,
    /// Large answers on their way at once, per loop: longer than 64 KiB, and not taken at once.
    pub states_in_flight: usize,
    /// Connections with ordinary HTTP at once. When half of them are taken, further ones are closed
    /// after one request, so that who is idle does not keep out who has something to say. Never
    /// more than half of all sockets.
    pub http_connections: usize,
    /// Until the body of an ordinary request is complete.
    pub body_timeout: Duration,
    /// The same when half of the HTTP connections wait for bodies already.
    pub body_timeout_when_busy: Duration,
    /// Until the head of a further request on a kept HTTP connection is complete.
    pub http_idle_timeout: Duration,
}

impl Default for Config {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            loops: (cores / 2).max(1),
            share_port: false,
            max_sockets: None,
            tls: None,
            tls_look: Duration::from_secs(5),
            head_timeout: Duration::from_secs(10),
            sync_timeout: Duration::from_secs(30),
            silence_timeout: Duration::from_secs(150),
            heartbeat: Duration::from_secs(20),
            message_timeout: Duration::from_secs(30),
            stall_timeout: Duration::from_secs(30),
            stall_timeout_in_herd: Duration::from_secs(10),
            state_turn: Duration::from_secs(2),
            linger: Duration::from_secs(1),
            drain: Duration::ZERO,
            drain_step: Duration::from_millis(100),
            farewell: Duration::from_secs(5),
            tick: Duration::from_secs(1),
            send_buffer: 128 * 1024,
            kept_input: 64 * 1024 * 1024,
            kept_output: 64 * 1024 * 1024,
            states_in_flight: 64,
            http_connections: 1024,
            body_timeout: Duration::from_secs(30),
            body_timeout_when_busy: Duration::from_secs(2),
            http_idle_timeout: Duration::from_secs(75),
        }
    }
}

/// Descriptors left to databases, logs, questions to the store, and sockets that are being refused.
const RESERVE: usize = 512;

impl Config {
    /// How many sockets there may be.
    pub(super) fn socket_limit(&self) -> usize {
        self.max_sockets.unwrap_or_else(|| {
            let files = open_files();
            files.saturating_sub(RESERVE).max(files / 2)
        })
    }

    /// How many of them may be with ordinary HTTP.
    pub(super) fn http_limit(&self) -> usize {
        self.http_connections.min(self.socket_limit() / 2).max(1)
    }
}

/// How many files this process may have open, after raising that as far as it may: the usual
/// first limit, 1,024, is meant for programs that use `select`.
fn open_files() -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // Where it cannot be raised, what it is counts.
    let _ = setrlimit(Resource::Nofile, limit);
    getrlimit(Resource::Nofile)
        .current
        .map_or(usize::MAX, |files| {
            usize::try_from(files).unwrap_or(usize::MAX)
        })
}
