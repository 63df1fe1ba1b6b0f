//! What the driver counts. Each loop has its own set, so that loops do not share a cache line;
//! whoever reads them adds them up.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counters of one loop; all but the gauges only rise.
#[derive(Debug, Default)]
pub struct Counters {
    /// Gauge: sockets that the loop holds now, in whatever phase.
    pub connections: AtomicU64,
    /// Gauge: streaming connections of client SDKs whose key was good.
    pub clients: AtomicU64,
    /// Gauge: streaming connections of server SDKs whose key was good.
    pub servers: AtomicU64,
    /// Gauge: connections that wait for their turn with a large state.
    pub waiting: AtomicU64,
    /// Sockets accepted.
    pub accepted: AtomicU64,
    /// Times that accepting failed for want of descriptors or memory.
    pub accept_errors: AtomicU64,
    /// Sockets handed to the HTTP server.
    pub handed_over: AtomicU64,
    /// Sockets refused with 503 because too many were handed over already.
    pub http_refused: AtomicU64,
    /// Bytes read.
    pub bytes_in: AtomicU64,
    /// Bytes written.
    pub bytes_out: AtomicU64,
    /// Data-syncs answered.
    pub syncs: AtomicU64,
    /// Messages pushed.
    pub pushes: AtomicU64,
    /// Pushes that a slow reader was not given: it gets the newest state when it has caught up.
    pub pushes_skipped: AtomicU64,
    /// Connections dropped because they did not take what we had for them.
    pub dropped_slow: AtomicU64,
    /// Connections dropped because no request head came.
    pub dropped_silent: AtomicU64,
    /// Our close frames with 1001: shutdown or silence.
    pub closed_1001: AtomicU64,
    /// With 1002, 1003, 1007 or 1009: against the protocol.
    pub closed_protocol: AtomicU64,
    /// With 1011: a key could not be checked.
    pub closed_1011: AtomicU64,
    /// With 4003: refused or revoked.
    pub closed_4003: AtomicU64,
    /// Peers that closed or went away by themselves.
    pub closed_by_peer: AtomicU64,
}

impl Counters {
    /// Counts our close frame.
    pub(super) fn closed(&self, code: u16) {
        let counter = match code {
            1001 => &self.closed_1001,
            1011 => &self.closed_1011,
            4003 => &self.closed_4003,
            _ => &self.closed_protocol,
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
