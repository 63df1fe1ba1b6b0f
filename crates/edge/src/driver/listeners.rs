//! Streams of OFREP's events (server-sent events), held as WebSockets are.
//!
//! A request for a stream is ordinary HTTP: hyper reads it, often on a connection that had others
//! before, and the router says whether there is a stream. Then the socket comes back from hyper to a
//! loop, and takes a place in its table as any connection: a member of its environment, found when
//! its key is revoked, swept, drained, counted, let go when it is slow. It is never more than told
//! that there is something newer, in a line. What it may say is thrown away.
//!
//! An event costs who hears it a question for all flags, so nobody gets more than one in a tick of
//! the clock: what comes right after another is told once, in the next.

use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;

use axum::http::{HeaderMap, header};
use rustls::ServerConnection;

use super::connection::{Phase, Speaks};
use super::counters::add;
use super::event_loop::EventLoop;
use super::places::Place;
use super::secure::Secure;
use crate::credential::Credential;
use crate::environment::{Encoded, Update};
use crate::source::Position;

/// In the extensions of a router's answer: the connection is to be held, and told of changes.
#[derive(Clone, Debug)]
pub struct Listener {
    /// What it showed.
    pub credential: Credential,
    /// The last event that it heard of (`Last-Event-ID`).
    pub has: Option<Position>,
    /// What it says that it is.
    pub agent: String,
}

/// A connection that comes back from the HTTP server.
pub(super) struct Arrived {
    pub(super) stream: std::net::TcpStream,
    /// What encrypts it, if anything does.
    pub(super) session: Option<Box<ServerConnection>>,
    /// Who it is, where its socket is one of a pair.
    pub(super) peer: Option<SocketAddr>,
    pub(super) place: Place,
    /// What it is answered, up to the first event; empty where somebody else says that.
    pub(super) head: Vec<u8>,
    pub(super) listener: Listener,
}

/// Listeners told between two looks at the sockets.
const TURN: usize = 256;

/// After how many ms programs come back to a stream that ended: between so many and twice as many,
/// so that those of a process that ended do not all come at one moment.
const COME_BACK: u64 = 1_500;

/// A line that means nothing.
const HEARTBEAT: &[u8] = b":\n\n";

/// The head of the answer, with these headers, but for how long the router's own answer was. Where
/// the stream ends is where the connection does.
pub(super) fn head(headers: &HeaderMap) -> Vec<u8> {
    let mut head = b"HTTP/1.1 200 OK\r\nconnection: close\r\n".to_vec();
    let headers = headers.iter();
    for (name, value) in headers.filter(|(name, _)| **name != header::CONTENT_LENGTH) {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            head.extend_from_slice(part);
        }
    }
    head.extend_from_slice(b"\r\n");
    head
}

impl EventLoop {
    /// Takes a listener into the table, and answers it.
    pub(super) fn listen_in(&mut self, arrived: Arrived) {
        if self.drain.is_some() {
            // It comes back to somebody who stays.
            return;
        }
        let mut connection = self.connection(arrived.stream);
        connection.speaks = Speaks::Events;
        if let Some(session) = arrived.session {
            let secure = Secure::resume(*session);
            connection.rest.get_or_insert_default().secure = Some(Box::new(secure));
        }
        if arrived.peer.is_some() {
            connection.rest.get_or_insert_default().peer = arrived.peer;
        }
        connection.agent = self.agents.join(&arrived.listener.agent);
        arrived.place.pass_on();
        add(&self.counters.sockets, 1);
        let key = self.connections.insert(connection);
        if let Err(error) = self.register(key) {
            tracing::warn!(%error, "a listener cannot be watched");
            return self.drop_connection(key);
        }
        // Looked up again: the key may have been revoked on the way. Its next question says so.
        let opened = self.edge.hub.opened(&arrived.listener.credential, self.now);
        let Ok(access) = opened else {
            return self.drop_connection(key);
        };
        if !self.join(key, &access) {
            return match arrived.head.is_empty() {
                true => self.drop_connection(key),
                false => self.refuse(key),
            };
        }
        add(&self.counters.listeners, 1);
        self.out.extend_from_slice(&arrived.head);
        self.begin_events(key, arrived.listener.has);
        self.finish(key);
    }

    /// Says when to come back, and, unless it has heard of what is served, that there is something:
    /// it may have changed between the answer that it has and now.
    fn begin_events(&mut self, key: usize, has: Option<Position>) {
        let Some(state) = self.current(key) else {
            return;
        };
        let chance = RandomState::new().hash_one(key) % COME_BACK;
        self.write_out(format_args!("retry: {}\n\n", COME_BACK + chance));
        let served = state.position();
        match has {
            Some(has) if has == served => self.passes(key, &state),
            // Another node was further, or the history it had is no more: a beat will tell.
            Some(has) if has.version > served.version => {
                self.connections[key].stamp = has.version;
                self.passes(key, &state);
            }
            _ => self.tell(key, &state),
        }
    }

    /// A step that its environment made.
    pub(super) fn push_to_listener(&mut self, key: usize, update: &Update) {
        let connection = &mut self.connections[key];
        if !update.continues() {
            // Versions of another history.
            connection.stamp = 0;
        }
        let missed_none = connection.answered >= update.from().generation();
        match missed_none && !update.matters() {
            true => self.passes(key, update.to()),
            false => self.tell_soon(key),
        }
    }

    /// Tells it of what is newest, unless it was told something in this tick: then in the next.
    pub(super) fn tell_soon(&mut self, key: usize) {
        let Some(state) = self.current(key) else {
            return;
        };
        let (id, tick) = (self.id(key), self.tick);
        let connection = &mut self.connections[key];
        if connection.answered >= state.generation() {
            return;
        }
        if state.position().version < connection.stamp {
            self.passes(key, &state);
        } else if connection.since == tick {
            if !std::mem::replace(&mut connection.behind, true) {
                self.late.push_back((id, tick));
            }
        } else {
            connection.behind = false;
            self.tell(key, &state);
        }
    }

    /// Gathers an event.
    fn tell(&mut self, key: usize, state: &Encoded) {
        let position = state.position();
        self.write_out(format_args!(
            "event: message\nid: {position}\n\
             data: {{\"type\":\"refetchEvaluation\",\"etag\":\"{position}\"}}\n\n"
        ));
        self.has(key, state);
        let connection = &mut self.connections[key];
        connection.stamp = 0;
        connection.since = self.tick;
        if let Some(membership) = connection.membership {
            add(self.counters.pushes.of(membership.kind), 1);
        }
    }

    /// It has what is served, without having been told; a version that it awaits is awaited on.
    fn passes(&mut self, key: usize, state: &Encoded) {
        self.has(key, state);
        let connection = &mut self.connections[key];
        if state.position().version >= connection.stamp {
            connection.stamp = 0;
        }
    }

    /// Whether somebody is to be told now of what came right after another event.
    pub(super) fn late_are_due(&self) -> bool {
        let first = self.late.front();
        first.is_some_and(|&(_, since)| since != self.tick)
    }

    /// Tells some of them.
    pub(super) fn tell_late(&mut self) {
        for _ in 0..TURN {
            if !self.late_are_due() {
                return;
            }
            let late = self.late.pop_front();
            let Some(key) = late.and_then(|(id, _)| self.find(id)) else {
                continue;
            };
            let connection = &mut self.connections[key];
            // Who is slow is told when it has caught up.
            if connection.phase == Phase::Open
                && !connection.is_blocked()
                && std::mem::take(&mut connection.behind)
            {
                self.tell_soon(key);
                self.finish(key);
            }
        }
    }

    /// Sends something to a listener that has heard nothing for a while: that there is something
    /// other than what it has heard of, where it has awaited that in vain.
    pub(super) fn beat(&mut self, key: usize) {
        self.note_received(key);
        match (self.connections[key].stamp, self.current(key)) {
            (1.., Some(state)) => self.tell(key, &state),
            _ => self.out.extend_from_slice(HEARTBEAT),
        }
        self.connections[key].since = self.tick;
        self.finish(key);
    }

    fn write_out(&mut self, text: std::fmt::Arguments<'_>) {
        let mut line = String::with_capacity(128);
        // Writing to memory cannot fail.
        let _ = line.write_fmt(text);
        self.out.extend_from_slice(line.as_bytes());
    }
}
