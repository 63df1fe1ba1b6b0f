//! Large answers. When everyone comes back at once they must not multiply: they are sent from where
//! they are shared, and only so many are on their way at once; others wait connected, in order.

use bytes::Bytes;

use super::connection::Phase;
use super::counters::{add, sub};
use super::event_loop::EventLoop;

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

    /// Answers those whose turn has come, with what is newest now.
    pub(super) fn serve_herd(&mut self) {
        while self.large_in_flight < self.config.states_in_flight {
            let Some(next) = self.herd.pop_front() else {
                return;
            };
            sub(&self.counters.waiting, 1);
            let Some(key) = self.find(next) else {
                continue;
            };
            if self.connections[key].phase != Phase::Waiting {
                continue;
            }
            let tick = self.tick;
            let connection = &mut self.connections[key];
            connection.phase = Phase::Open;
            // It was not asked whether it lives.
            connection.since = tick;
            let Some(state) = self.current(key) else {
                continue;
            };
            let answer = state.server_sync(self.known(key, &state), self.now);
            self.send_answer(key, &state, answer);
            self.finish(key);
            if self.find(next).is_some() {
                self.resume(key);
            }
        }
    }
}
