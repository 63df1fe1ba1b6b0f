//! Large answers. When everyone comes back at once they must not multiply: they are sent from where
//! they are shared, and only so many are on their way at once; others wait connected, in order.

use bytes::Bytes;

use super::connection::Phase;
use super::counters::{add, sub};
use super::event_loop::EventLoop;
use super::mailbox::ConnectionId;

/// Answers longer than this are sent from where they are shared, and only so many are on their way
/// at once. Shorter ones fit into the kernel's buffer for an idle connection.
const LARGE: usize = 64 * 1024;

impl EventLoop {
    /// Sends bytes that are the same for many: small ones with what has gathered, large ones
    /// without copying them.
    pub(super) fn send_shared(&mut self, key: usize, frames: Bytes) {
        if frames.len() <= LARGE {
            self.out.extend_from_slice(&frames);
            return;
        }
        self.transmit(key);
        let connection = &mut self.connections[key];
        match connection.send_shared(frames) {
            Ok(sent) => {
                add(&self.counters.bytes_out, sent);
                if connection.is_blocked() && !connection.large {
                    connection.large = true;
                    self.large_in_flight += 1;
                }
                self.watch_if_blocked(key);
            }
            Err(_) => connection.phase = Phase::Dropped,
        }
    }

    /// Whether these bytes have to wait for their turn.
    pub(super) fn must_wait(&self, frames: &Bytes) -> bool {
        let is_full = self.large_in_flight >= self.config.states_in_flight;
        frames.len() > LARGE && (is_full || !self.herd.is_empty())
    }

    /// Lets a connection wait for its turn with a large state.
    pub(super) fn wait(&mut self, key: usize, timestamp: i64) {
        let connection = &mut self.connections[key];
        connection.phase = Phase::Waiting;
        connection.stamp = timestamp;
        let id = self.id(key);
        self.herd.push_back(id);
        add(&self.counters.waiting, 1);
    }

    /// Whether somebody waits whose turn has come.
    pub(super) fn herd_moves(&self) -> bool {
        !self.herd.is_empty() && self.large_in_flight < self.config.states_in_flight
    }

    /// Answers those whose turn has come; at most as many at once as may be on their way.
    pub(super) fn serve_herd(&mut self) {
        for _ in 0..self.config.states_in_flight {
            if !self.herd_moves() {
                return;
            }
            if let Some(next) = self.herd.pop_front() {
                sub(&self.counters.waiting, 1);
                self.serve_waiting(next);
            }
        }
    }

    /// Answers one that waited, with what is newest now.
    fn serve_waiting(&mut self, waiting: ConnectionId) {
        let Some(key) = self.find(waiting) else {
            return;
        };
        let tick = self.tick;
        let connection = &mut self.connections[key];
        if connection.phase != Phase::Waiting {
            return;
        }
        connection.phase = Phase::Open;
        // It was not listened to.
        connection.since = tick;
        if let Some(state) = self.current(key) {
            let answer = state.server_sync(self.known(key, &state), self.now);
            self.send_answer(key, &state, answer);
            self.finish(key);
        }
        if self.find(waiting).is_some() {
            self.resume(key);
        }
    }
}
