//! Large answers. When everyone comes back at once they must not multiply: they are sent from where
//! they are shared, and only so many are on their way at once; others wait connected, in order.
//!
//! A reader may be slow without being dead, and must not hold up those behind it. Of a shared state
//! it costs no more than the kernel's buffers: after a few seconds it does not count any more. What
//! was made for a client alone costs its length until it is taken: while others wait, that has to
//! be done in time.

use bytes::Bytes;

use super::connection::Phase;
use super::counters::{add, sub};
use super::event_loop::EventLoop;
use super::mailbox::ConnectionId;

/// Answers longer than this are sent from where they are shared, and only so many are on their way
/// at once. Shorter ones fit into the kernel's buffer for an idle connection.
pub(super) const LARGE: usize = 64 * 1024;

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
        let was_blocked = connection.is_blocked();
        match connection.send_shared(frames) {
            Ok(sent) => {
                add(&self.counters.bytes_out, sent);
                self.watch_if_blocked(key, was_blocked);
                self.count_large(key, true, false);
            }
            Err(_) => connection.phase = Phase::Dropped,
        }
    }

    /// Counts an answer among those on their way if it is large and was not taken at once.
    /// `copied`: it is this connection's alone.
    pub(super) fn count_large(&mut self, key: usize, is_large: bool, copied: bool) {
        let (tick, id) = (self.tick, self.id(key));
        let connection = &mut self.connections[key];
        if !is_large || !connection.is_blocked() || connection.large {
            return;
        }
        connection.large = true;
        let rest = connection.rest.get_or_insert_default();
        rest.copied = copied;
        rest.large_since = tick;
        self.large_in_flight += 1;
        if !copied {
            self.shared_in_flight.push_back((id, tick));
        }
    }

    /// Those that have been at a shared state for long are not counted any more.
    pub(super) fn pass_slow_readers(&mut self) {
        let limit = self.clock.deadline(self.config.state_turn);
        while let Some(&(id, since)) = self.shared_in_flight.front()
            && self.tick.saturating_sub(since) > limit
        {
            self.shared_in_flight.pop_front();
            let Some(key) = self.find(id) else {
                continue;
            };
            let connection = &mut self.connections[key];
            // It may have finished, and be at something else by now.
            let is_it = connection
                .rest
                .as_ref()
                .is_some_and(|rest| !rest.copied && rest.large_since == since);
            if is_it && std::mem::take(&mut connection.large) {
                self.large_in_flight -= 1;
            }
        }
    }

    /// Whether an answer of this length has to wait for its turn.
    pub(super) fn must_wait(&self, len: usize) -> bool {
        len > LARGE && (!self.has_turn() || !self.herd.is_empty())
    }

    /// Whether one more large answer may be on its way.
    fn has_turn(&self) -> bool {
        self.large_in_flight < self.config.states_in_flight
            && self.kept_output <= self.config.kept_output / 2
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
        !self.herd.is_empty() && self.has_turn()
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
        // From here on its silence counts.
        connection.since = tick;
        if let Some(state) = self.current(key) {
            let known = self.known(key, &state);
            match self.connections[key].user.take() {
                Some(user) => {
                    let start = self.out.len();
                    let sync = self.write_client(&state, &user.user(), known);
                    self.pack_own(key, start);
                    self.gave_client(key, &state, sync);
                    self.decided(key, &state, &user.user(), state.synced(sync, known));
                    self.connections[key].user = Some(user);
                }
                None => {
                    let coding = self.connections[key].coding();
                    let answer = state.server_sync(known, self.now, coding);
                    self.send_answer(key, &state, answer);
                }
            }
            self.finish(key);
        }
        if self.find(waiting).is_some() {
            self.resume(key);
        }
    }
}
