//! Bytes that go out, and how connections end.

use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use mio::{Interest, Token};

use super::connection::Phase;
use super::counters::{Unsynced, add, sub};
use super::event_loop::EventLoop;
use super::herd::LARGE;
use super::secure::PIECE;
use crate::environment::Environment;
use crate::frame::write;
use crate::hub::KeyId;
use crate::session::{Close, Flow};
use crate::source::KeyKind;

/// The shared output buffer is given back when a rare large answer made it larger than this.
const KEPT_OUT: usize = 1024 * 1024;

impl EventLoop {
    /// Sends what has gathered for a connection, and takes it out of the table if it is over.
    pub(super) fn finish(&mut self, key: usize) {
        self.transmit(key);
        self.note_written(key);
        let connection = &mut self.connections[key];
        match connection.phase {
            Phase::Dropped => self.drop_connection(key),
            Phase::Closing if !connection.is_blocked() => self.end_writing(key),
            _ => {}
        }
    }

    /// Sends what has gathered for a connection; keeps what its peer does not take now.
    pub(super) fn transmit(&mut self, key: usize) {
        if self.out.is_empty() {
            return;
        }
        let connection = &mut self.connections[key];
        let last = connection.phase == Phase::Dropped;
        let was_blocked = connection.is_blocked();
        let is_large = self.out.len() > LARGE;
        let copies = connection.copies();
        match connection.send(&mut self.out, last) {
            Ok(sent) => {
                add(&self.counters.bytes_out, sent);
                self.count_copies(key, copies);
                self.watch_if_blocked(key, was_blocked);
                self.count_large(key, is_large, true);
                self.keep_within_bounds(key);
            }
            Err(_) => {
                self.ends(key, |unsynced| &unsynced.peer);
                self.connections[key].phase = Phase::Dropped;
            }
        }
        self.out.clear();
        self.out.shrink_to(KEPT_OUT);
    }

    /// Counts what a connection has been given to keep, or was freed of.
    fn count_copies(&mut self, key: usize, before: usize) {
        let after = self.connections[key].copies();
        self.kept_output = self.kept_output - before + after;
    }

    /// Counts what TLS holds for a peer that does not take it, or was freed of.
    fn count_piece(&mut self, key: usize) {
        let Some(secure) = self.connections[key].secure() else {
            return;
        };
        let holds = secure.is_blocked();
        match (std::mem::replace(&mut secure.counted, holds), holds) {
            (false, true) => self.kept_output += PIECE,
            (true, false) => self.kept_output -= PIECE,
            _ => {}
        }
    }

    /// A peer that does not take its bytes may have them kept as long as there are not too many
    /// for all. A large answer is let through while others have no more than half, however long
    /// it is.
    fn keep_within_bounds(&mut self, key: usize) {
        let (most, own) = (self.config.kept_output, self.connections[key].kept_output());
        if own > 0 && self.kept_output > most && self.kept_output - own > most / 2 {
            add(&self.counters.dropped_slow, 1);
            self.ends(key, |unsynced| &unsynced.slow);
            self.connections[key].phase = Phase::Dropped;
        }
    }

    /// Has the loop told when a blocked connection can go on. What its peer has to take counts
    /// from now, unless there was something before.
    pub(super) fn watch_if_blocked(&mut self, key: usize, was_blocked: bool) {
        self.count_piece(key);
        let token = Token::from(self.id(key));
        let connection = &mut self.connections[key];
        if !connection.is_blocked() {
            return;
        }
        if !was_blocked {
            connection.since = self.tick;
        }
        if connection.watches_writes {
            return;
        }
        connection.watches_writes = true;
        let both = Interest::READABLE | Interest::WRITABLE;
        let registry = self.poll.registry();
        if registry
            .reregister(&mut connection.stream, token, both)
            .is_err()
        {
            connection.phase = Phase::Dropped;
        }
    }

    /// The peer takes bytes again.
    pub(super) fn flush(&mut self, key: usize) {
        let connection = &mut self.connections[key];
        let copies = connection.copies();
        let flushed = connection.flush();
        self.count_copies(key, copies);
        self.count_piece(key);
        let connection = &mut self.connections[key];
        match flushed {
            Ok(sent) => {
                add(&self.counters.bytes_out, sent);
                // A handshake has its time from the connect on, however slowly it is taken.
                if sent > 0 && connection.phase != Phase::Head {
                    connection.since = self.tick;
                }
                if !connection.is_blocked() {
                    self.unblocked(key);
                }
            }
            Err(_) => self.peer_gone(key),
        }
    }

    fn unblocked(&mut self, key: usize) {
        self.note_written(key);
        let connection = &mut self.connections[key];
        if std::mem::take(&mut connection.large) {
            self.large_in_flight -= 1;
        }
        match connection.phase {
            Phase::Closing => self.end_writing(key),
            Phase::Open => {
                let id = self.id(key);
                if std::mem::take(&mut self.connections[key].behind) {
                    self.catch_up(key);
                    self.finish(key);
                }
                if self.find(id).is_some() {
                    self.resume(key);
                }
            }
            Phase::Waiting | Phase::Head => self.resume(key),
            _ => {}
        }
    }

    /// Closes a connection from our side.
    pub(super) fn close(&mut self, key: usize, close: Close) {
        if self.connections[key].phase != Phase::Closing {
            self.begin_close(key, close);
            self.finish(key);
        }
    }

    /// Puts a close frame behind what has gathered. Nothing is read any more.
    pub(super) fn begin_close(&mut self, key: usize, close: Close) -> Flow {
        self.counters.closed(close.code);
        self.ends(key, |unsynced| unsynced.by(close));
        // The end of a stream of events is its last word.
        if !self.connections[key].listens() {
            write::close(close.code, close.reason, &mut self.out);
        }
        self.linger(key);
        Flow::Stop
    }

    /// After what has gathered, only our end and the peer's are waited for. Closing the socket at
    /// once, with bytes of the peer unread, would make the kernel reset it, and the peer might
    /// never see our last words.
    pub(super) fn linger(&mut self, key: usize) {
        let tick = self.tick;
        self.end_handshake(key);
        self.count_out(key);
        let connection = &mut self.connections[key];
        connection.phase = Phase::Closing;
        connection.since = tick;
    }

    fn end_writing(&mut self, key: usize) {
        let connection = &mut self.connections[key];
        if let Some((stream, secure)) = connection.split() {
            let told = secure.close(stream);
            if told.is_ok() && secure.is_blocked() {
                // It goes on when the peer takes what is before it.
                return self.watch_if_blocked(key, true);
            }
        }
        if self.connections[key]
            .stream
            .shutdown(Shutdown::Write)
            .is_err()
        {
            self.drop_connection(key);
        }
    }

    /// Closes those members of an environment whose key is meant.
    pub(super) fn close_members(
        &mut self,
        environment: &Arc<Environment>,
        close: Close,
        meant: impl Fn(KeyId) -> bool,
    ) {
        let members = self.members.of(environment).to_vec();
        for key in members {
            let key = key as usize;
            let membership = self.connections.get(key).and_then(|found| found.membership);
            if membership.is_some_and(|membership| meant(membership.key)) {
                self.close(key, close);
            }
        }
    }

    /// The peer closed or reset the connection.
    pub(super) fn peer_gone(&mut self, key: usize) {
        if self.connections[key].phase != Phase::Closing {
            add(&self.counters.closed_by_peer, 1);
        }
        self.ends(key, |unsynced| &unsynced.peer);
        self.drop_connection(key);
    }

    /// Counts a connection that ends without having had an answer, once.
    pub(super) fn ends(&self, key: usize, why: impl Fn(&Unsynced) -> &AtomicU64) {
        let connection = &self.connections[key];
        let ended = matches!(
            connection.phase,
            Phase::Closing | Phase::Dropped | Phase::HandedOver
        );
        if !connection.has_synced() && !ended {
            add(why(&self.counters.unsynced), 1);
        }
    }

    /// Closes the socket and forgets the connection.
    pub(super) fn drop_connection(&mut self, key: usize) {
        self.end_handshake(key);
        self.count_out(key);
        let mut connection = self.connections.remove(key);
        if connection.secure().is_some_and(|secure| secure.broke_off()) {
            add(&self.counters.tls.failed, 1);
        }
        self.agents.leave(connection.agent);
        sub(&self.counters.sockets, 1);
        self.kept_input -= connection.kept as usize;
        self.kept_output -= connection.kept_output();
        match connection.refused {
            true => self.places.free_refused(),
            false => self.places.free(),
        }
        if connection.large {
            self.large_in_flight -= 1;
        }
        if let Some(membership) = connection.membership {
            sub(self.counters.connections.of(membership.kind), 1);
            sub(&self.counters.listeners, usize::from(connection.listens()));
            if membership.kind == KeyKind::Client {
                self.places.free_for(membership.key);
            }
            self.members.leave(membership, &mut self.connections);
        }
    }
}
