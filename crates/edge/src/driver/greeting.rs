//! TLS's handshakes take their turns: one costs as much as hundreds of pings, so a loop spends only
//! so much on them before it looks after the connections that it has. While many wait nobody is
//! accepted: who comes waits in the kernel's queue, or is turned away where that lasts.
//!
//! How long a handshake may take, and how many may be at it, is bounded as for everybody who has
//! shown no key yet (`handshake.rs`, `sweep.rs`).

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::connection::Phase;
use super::counters::add;
use super::event_loop::EventLoop;
use super::mailbox::ConnectionId;
use super::secure::{Greeting, Secure};
use crate::http::answer;

/// What a turn may spend on handshakes; one is done in any case.
const SHARE: Duration = Duration::from_millis(1);

/// With so many that wait for their turn nobody is accepted.
const CROWD: usize = 64;

/// Connections whose handshake can go on, in order.
#[derive(Default)]
pub(super) struct Greetings(VecDeque<ConnectionId>);

impl Greetings {
    /// Whether somebody waits.
    pub(super) fn wait(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether many do.
    pub(super) fn are_many(&self) -> bool {
        self.0.len() >= CROWD
    }
}

impl EventLoop {
    /// A new connection speaks TLS, where that is asked for. False where it cannot.
    pub(super) fn secure(&mut self, key: usize) -> bool {
        let Some(tls) = &self.config.tls else {
            return true;
        };
        match Secure::new(tls.config()) {
            Ok(secure) => {
                self.connections[key].rest.get_or_insert_default().secure = Some(Box::new(secure));
                true
            }
            Err(error) => {
                tracing::warn!(%error, "a new connection cannot be encrypted");
                false
            }
        }
    }

    /// There is something to read for a handshake: its turn comes.
    pub(super) fn queue_greeting(&mut self, key: usize) {
        let id = self.id(key);
        if let Some(secure) = self.connections[key].secure()
            && !std::mem::replace(&mut secure.queued, true)
        {
            self.greetings.0.push_back(id);
        }
    }

    /// Goes on with those whose turn it is.
    pub(super) fn greet_some(&mut self) {
        if !self.greetings.wait() {
            return;
        }
        let begun = Instant::now();
        while let Some(id) = self.greetings.0.pop_front() {
            if let Some(key) = self.find(id) {
                self.greet(key);
            }
            if begun.elapsed() >= SHARE {
                return;
            }
        }
    }

    fn greet(&mut self, key: usize) {
        let connection = &mut self.connections[key];
        let Some((stream, secure)) = connection.split() else {
            return;
        };
        secure.queued = false;
        // Its time runs from the connect on: what it is slow to take gives it no more.
        let greeting = secure.greet(stream);
        add(&self.counters.bytes_in, secure.take_read());
        add(&self.counters.bytes_out, secure.take_written());
        match greeting {
            Ok(Greeting::Waits) => self.watch_if_blocked(key, true),
            Ok(Greeting::GoesOn) => self.queue_greeting(key),
            Ok(Greeting::Done) => {
                add(&self.counters.tls.done, 1);
                self.connections[key].readable = true;
                self.watch_if_blocked(key, true);
                self.resume(key);
            }
            Ok(Greeting::NotTls) => self.refuse_clear(key),
            Err(error) => {
                tracing::debug!(%error, "a TLS handshake failed");
                self.ends(key, |unsynced| &unsynced.protocol);
                self.drop_connection(key);
            }
        }
    }

    /// Somebody speaks HTTP, or anything, to a port for TLS: it is told so as it can read it.
    fn refuse_clear(&mut self, key: usize) {
        add(&self.counters.tls.failed, 1);
        self.ends(key, |unsynced| &unsynced.protocol);
        self.connections[key].rest = None;
        self.out.clear();
        self.out.extend_from_slice(answer::USE_TLS);
        self.linger(key);
        self.finish(key);
    }

    /// Whether a connection's handshake is not through: it can be told nothing.
    pub(super) fn greets(&mut self, key: usize) -> bool {
        let secure = self.connections[key].secure();
        secure.is_some_and(|secure| secure.greets())
    }

    /// Has a connection that cannot be told anything dropped.
    pub(super) fn refuse_unheard(&mut self, key: usize) {
        self.ends(key, |unsynced| &unsynced.busy);
        self.connections[key].phase = Phase::Dropped;
    }
}
