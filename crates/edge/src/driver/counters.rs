//! What the driver counts. Each loop has its own set, so that loops do not share a cache line;
//! whoever reads them adds them up.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::latency::Latency;
use super::pulse::Pulse;
use crate::delivery::PerLevel;
use crate::session::Close;
use crate::source::KeyKind;

/// Counters of one loop; all but the gauges only rise.
#[derive(Debug, Default)]
pub struct Counters {
    /// Whether the loop goes on.
    pub pulse: Pulse,
    /// Gauge: sockets that the loop holds now, in whatever phase.
    pub sockets: AtomicU64,
    /// Gauge: streaming connections whose key was good.
    pub connections: PerKind,
    /// Gauge: those of them that are event streams.
    pub listeners: AtomicU64,
    /// Gauge: connections that wait for their turn with a large state.
    pub waiting: AtomicU64,
    /// Sockets accepted.
    pub accepted: AtomicU64,
    /// Times that accepting failed for want of descriptors or memory.
    pub accept_errors: AtomicU64,
    /// Sockets refused with 503, or 1011 where that was too late.
    pub refused: Refusals,
    /// TLS handshakes.
    pub tls: Handshakes,
    /// Sockets handed to the HTTP server.
    pub handed_over: AtomicU64,
    /// Sockets refused with 503 because too many were handed over already; with HTTP/2, requests.
    pub http_refused: AtomicU64,
    /// Bytes read.
    pub bytes_in: AtomicU64,
    /// Bytes written.
    pub bytes_out: AtomicU64,
    /// Pushes to connections.
    pub pushes: PerKind,
    /// How long after their commit versions came to connections.
    pub delivered: PerLevel<Latency>,
    /// Pushes that a slow reader was not given: it gets the newest state when it has caught up.
    pub pushes_skipped: AtomicU64,
    /// Connections dropped because they did not take what we had for them.
    pub dropped_slow: AtomicU64,
    /// Connections dropped because no request head came.
    pub dropped_silent: AtomicU64,
    /// Our close frames with 1001: shutdown or silence.
    pub closed_1001: AtomicU64,
    /// With 1002: no WebSocket frames.
    pub closed_1002: AtomicU64,
    /// With 1003: not a text.
    pub closed_1003: AtomicU64,
    /// With 1007: not UTF-8.
    pub closed_1007: AtomicU64,
    /// With 1009: too long.
    pub closed_1009: AtomicU64,
    /// With 1011: a key could not be checked.
    pub closed_1011: AtomicU64,
    /// With 4003: refused or revoked.
    pub closed_4003: AtomicU64,
    /// Peers that closed or went away by themselves.
    pub closed_by_peer: AtomicU64,
    /// Connections that ended before their first data-sync was answered, however.
    pub unsynced: Unsynced,
}

/// Why connections ended before their first data-sync was answered. Ordinary HTTP is not among
/// them.
#[derive(Debug, Default)]
pub struct Unsynced {
    /// There was no room.
    pub busy: AtomicU64,
    /// The peer closed or went away.
    pub peer: AtomicU64,
    /// No request, no data-sync, or not the whole of it came in time.
    pub silent: AtomicU64,
    /// The peer did not take what it was sent.
    pub slow: AtomicU64,
    /// The key or the request was refused for good, or the key revoked.
    pub refused: AtomicU64,
    /// The key could not be checked.
    pub unavailable: AtomicU64,
    /// What came was neither a request nor frames that can be read.
    pub protocol: AtomicU64,
    /// We shut down.
    pub shutdown: AtomicU64,
}

impl Unsynced {
    /// The counter for a connection that we close.
    pub(super) fn by(&self, close: Close) -> &AtomicU64 {
        match close {
            Close::GOING_AWAY => &self.shutdown,
            Close::TOO_MANY => &self.busy,
            Close { code: 1001, .. } => &self.silent,
            Close { code: 1011, .. } => &self.unavailable,
            Close { code: 4003, .. } => &self.refused,
            Close { .. } => &self.protocol,
        }
    }
}

/// TLS handshakes that came to an end.
#[derive(Debug, Default)]
pub struct Handshakes {
    /// The connection is encrypted.
    pub done: AtomicU64,
    /// It was begun and is not: the peer spoke something else, or nothing that both understand, did not
    /// take the certificate, went away, or was too slow.
    pub failed: AtomicU64,
}

/// Why sockets are refused for a while.
#[derive(Debug, Default)]
pub struct Refusals {
    /// There were as many as there may be.
    pub sockets: AtomicU64,
    /// Their client key had as many as it may have.
    pub key: AtomicU64,
    /// They showed no key while too many others came.
    pub handshake: AtomicU64,
    /// The process had no descriptor left.
    pub descriptors: AtomicU64,
    /// More came than could be answered.
    pub overload: AtomicU64,
}

/// A counter for each kind of SDK.
#[derive(Debug, Default)]
pub struct PerKind {
    /// Those with client keys.
    pub client: AtomicU64,
    /// Those with server keys.
    pub server: AtomicU64,
}

impl PerKind {
    /// The one for a kind.
    pub fn of(&self, kind: KeyKind) -> &AtomicU64 {
        match kind {
            KeyKind::Client => &self.client,
            KeyKind::Server => &self.server,
        }
    }
}

impl Counters {
    /// How many streaming connections there are now.
    pub fn streaming(&self) -> u64 {
        let of = |kind| self.connections.of(kind).load(Relaxed);
        of(KeyKind::Client) + of(KeyKind::Server)
    }

    /// Counts our close frame.
    pub(super) fn closed(&self, code: u16) {
        let counter = match code {
            1001 => &self.closed_1001,
            1003 => &self.closed_1003,
            1007 => &self.closed_1007,
            1009 => &self.closed_1009,
            1011 => &self.closed_1011,
            4003 => &self.closed_4003,
            _ => &self.closed_1002,
        };
        add(counter, 1);
    }
}

/// Adds to a counter.
pub(super) fn add(counter: &AtomicU64, count: usize) {
    counter.fetch_add(count as u64, Relaxed);
}

/// Takes from a gauge what was added to it.
pub(super) fn sub(counter: &AtomicU64, count: usize) {
    counter.fetch_sub(count as u64, Relaxed);
}
