//! What can be set on the driver. The defaults are right for production; tests shorten deadlines.

use std::time::Duration;

/// Settings of the driver.
#[derive(Clone, Debug)]
pub struct Config {
    /// Event loops, each with a thread and a listening socket of its own.
    pub loops: usize,
    /// Lets other processes listen on the same port, connections being spread over all. Several
    /// loops need it anyway; for one loop it is off, so that a port in use is noticed.
    pub share_port: bool,
    /// Until a request head is complete.
    pub head_timeout: Duration,
    /// From the connect until the first data-sync.
    pub sync_timeout: Duration,
    /// Without a byte from a peer that has synced: SDKs ping every 10–18 s, hidden browser tabs
    /// every 60 s.
    pub silence_timeout: Duration,
    /// Without a byte taken by a peer that we have something for.
    pub stall_timeout: Duration,
    /// The same while others wait for their turn with a large state.
    pub stall_timeout_in_herd: Duration,
    /// From our close frame until the socket is closed, whatever the peer says.
    pub linger: Duration,
    /// How long a shutdown may take.
    pub drain: Duration,
    /// What the deadlines are counted in: they are late by up to four of these.
    pub tick: Duration,
    /// Bytes that the kernel may hold for a peer (it counts double). Bounds what a herd costs.
    pub send_buffer: usize,
    /// Large states on their way at once, per loop.
    pub states_in_flight: usize,
    /// Connections with ordinary HTTP at once.
    pub http_connections: usize,
}

impl Default for Config {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            loops: (cores / 2).max(1),
            share_port: false,
            head_timeout: Duration::from_secs(10),
            sync_timeout: Duration::from_secs(30),
            silence_timeout: Duration::from_secs(150),
            stall_timeout: Duration::from_secs(30),
            stall_timeout_in_herd: Duration::from_secs(10),
            linger: Duration::from_secs(1),
            drain: Duration::from_secs(5),
            tick: Duration::from_secs(1),
            send_buffer: 128 * 1024,
            states_in_flight: 64,
            http_connections: 4096,
        }
    }
}
