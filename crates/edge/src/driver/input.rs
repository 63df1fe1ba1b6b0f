//! Bytes that come in, and what the session wants done about them.

use std::io::{self, Read};

use mio::event::Event;
use mio::net::TcpStream;

use super::connection::{Phase, Speaks};
use super::counters::add;
use super::event_loop::EventLoop;
use super::mailbox::ConnectionId;
use crate::frame::deflate::Coding;
use crate::frame::write;
use crate::session::{Action, Close, Flow, Session};

/// Full buffers that one connection may have read in a turn.
const READS: usize = 4;

/// Answers are sent as soon as there is this much of them, and nothing more is read from a peer
/// that does not take them: what one read can make us keep is bounded.
const SPILL: usize = 64 * 1024;

/// There are too many incomplete messages.
const TOO_MUCH_KEPT: Close = Close {
    code: 1001,
    reason: "too much incomplete input",
};

/// What one read found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// Nothing, or the end.
    Nothing,
    /// Less than there was room for: at that moment the socket was empty.
    Part,
    /// As much as there was room for: there may be more.
    Full,
}

impl EventLoop {
    /// A socket became readable, writable, or ended.
    pub(super) fn socket_event(&mut self, connection: ConnectionId, event: &Event) {
        let Some(key) = self.find(connection) else {
            return;
        };
        if event.is_error() || event.is_write_closed() {
            return self.peer_gone(key);
        }
        if event.is_writable() && self.connections[key].is_blocked() {
            self.flush(key);
        }
        // Flushing may have ended it.
        if !event.is_readable() || self.find(connection).is_none() {
            return;
        }
        if self.connections[key].reads() {
            self.read(key, event.is_read_closed());
        } else if event.is_read_closed() {
            // Nobody half-closes a WebSocket: it would be kept in vain.
            self.peer_gone(key);
        } else {
            self.connections[key].readable = true;
        }
    }

    /// Reads until the socket is empty or the connection's share of the turn is used.
    /// `thoroughly`: until the socket says that it is empty, because the peer may have closed its
    /// side, which is seen only after its last byte; otherwise a short read is enough, which saves
    /// a call each time.
    pub(super) fn read(&mut self, key: usize, thoroughly: bool) {
        let connection = self.id(key);
        if self.greets(key) {
            return self.queue_greeting(key);
        }
        if self.connections[key].can_go_on() {
            // First what has been read: its turn comes.
            self.connections[key].readable = true;
            return;
        }
        self.connections[key].readable = false;
        let mut input = std::mem::take(&mut self.input);
        let mut share = READS;
        loop {
            let found = self.read_once(key, &mut input, thoroughly);
            if found == Found::Nothing || self.find(connection).is_none() {
                break;
            }
            if self.connections[key].can_go_on() {
                // There may be more behind it.
                self.connections[key].readable = true;
                break;
            }
            if found == Found::Part && !thoroughly {
                break;
            }
            if !self.connections[key].reads() {
                self.connections[key].readable = true;
                break;
            }
            share -= 1;
            if share == 0 {
                self.more_to_read.push_back(connection);
                break;
            }
        }
        self.input = input;
    }

    /// Reads what was left over in an earlier turn. Since then it may have been told to wait.
    pub(super) fn read_on(&mut self, key: usize) {
        let connection = &mut self.connections[key];
        if connection.can_go_on() {
            connection.readable = true;
            self.resume(key);
        } else if connection.reads() {
            self.read(key, true);
        } else {
            connection.readable = true;
        }
    }

    fn read_once(&mut self, key: usize, input: &mut [u8], thoroughly: bool) -> Found {
        let connection = &mut self.connections[key];
        let unread = connection.take_unread();
        let (kept, room) = input.split_at_mut(unread.len());
        kept.copy_from_slice(&unread);
        let mut counted = None;
        let read = match connection.split() {
            Some((stream, secure)) => {
                let read = secure.read(stream, room, thoroughly);
                counted = Some(secure.take_read());
                read
            }
            None => read(&connection.stream, room),
        };
        if let Some(counted) = counted {
            add(&self.counters.bytes_in, counted);
        }
        match read {
            Ok(Some(0)) | Err(_) => {
                self.peer_gone(key);
                Found::Nothing
            }
            Ok(Some(len)) => {
                // What is encrypted comes in pieces: there may be more of it decrypted already.
                let full = len == room.len() || counted.is_some();
                if counted.is_none() {
                    add(&self.counters.bytes_in, len);
                }
                self.received(key, &mut input[..unread.len() + len]);
                if full { Found::Full } else { Found::Part }
            }
            Ok(None) => {
                connection.keep_unread(&unread);
                let reads = connection.phase != Phase::Closing;
                if reads && counted.is_some_and(|counted| counted > 0) {
                    self.count_kept(key);
                    self.finish(key);
                }
                Found::Nothing
            }
        }
    }

    /// Goes on with a connection that was not read for a while.
    pub(super) fn resume(&mut self, key: usize) {
        let connection = self.id(key);
        if !self.connections[key].reads() {
            return;
        }
        self.restart_message(key);
        let mut unread = self.connections[key].take_unread();
        if !unread.is_empty() {
            self.received(key, &mut unread);
        }
        if self.find(connection).is_some()
            && self.connections[key].readable
            && self.connections[key].reads()
        {
            self.read(key, true);
        }
    }

    /// Gives input to the session, and does what it says.
    fn received(&mut self, key: usize, input: &mut [u8]) {
        let tick = self.tick;
        let connection = &mut self.connections[key];
        if connection.phase == Phase::Closing {
            return;
        }
        if connection.listens() {
            // Who listens has nothing to say: it is thrown away.
            self.count_kept(key);
            return self.finish(key);
        }
        if connection.has_synced() {
            connection.since = tick;
            self.note_received(key);
        }
        let connection = &mut self.connections[key];
        let now = self.now;
        let mut session = std::mem::take(&mut connection.session);
        let mut is_new_message = false;
        let used = session.receive(input, now, &mut |action| {
            // A ping may come, and be answered, in the middle of a message.
            is_new_message |= !matches!(action, Action::Send(frame) if write::is_pong(frame));
            self.act(key, action)
        });
        let connection = &mut self.connections[key];
        connection.session = session;
        match connection.phase {
            Phase::HandedOver => return self.hand_over(key, input),
            Phase::Closing | Phase::Dropped => {}
            _ => {
                connection.keep_unread(&input[used..]);
                if is_new_message {
                    connection.message_since = 0;
                }
                self.count_kept(key);
            }
        }
        let id = self.id(key);
        self.finish(key);
        if self.find(id).is_some() && self.connections[key].can_go_on() {
            self.more_to_read.push_back(id);
        }
    }

    /// Counts what is kept of a connection's input, and since when it is in the middle of a
    /// message. Who asks for more than there is for all is closed.
    fn count_kept(&mut self, key: usize) {
        let tick = self.tick;
        let connection = &mut self.connections[key];
        match connection.is_in_message() {
            false => connection.message_since = 0,
            true if connection.message_since == 0 => connection.message_since = tick + 1,
            true => {}
        }
        let kept = connection.kept_input();
        let before = std::mem::replace(&mut connection.kept, kept as u32) as usize;
        self.kept_input = self.kept_input - before + kept;
        if kept > before && self.kept_input > self.config.kept_input {
            self.kept_input -= kept;
            connection.kept = 0;
            connection.take_unread();
            connection.session = Session::default();
            self.begin_close(key, TOO_MUCH_KEPT);
        }
    }

    /// While we did not read, nobody could go on with a message.
    fn restart_message(&mut self, key: usize) {
        let connection = &mut self.connections[key];
        if connection.message_since != 0 {
            connection.message_since = self.tick + 1;
        }
    }

    fn act(&mut self, key: usize, action: Action<'_>) -> Flow {
        match action {
            Action::Send(bytes) => {
                self.out.extend_from_slice(bytes);
                self.spill(key)
            }
            Action::Deflate => {
                self.connections[key].speaks = Speaks::Frames(Coding::Deflate);
                Flow::Go
            }
            Action::Agent(said) => {
                let agent = self.agents.join(said);
                self.connections[key].agent = agent;
                Flow::Go
            }
            Action::Admit(secret, kind) => self.admit_key(key, secret, kind),
            Action::SyncClient(user, timestamp) => self.sync_client(key, user, timestamp),
            Action::SyncServer(timestamp) => self.sync_server(key, timestamp),
            Action::PassedOver(reason, count) => {
                self.edge.metrics.refuse(reason, count);
                Flow::Go
            }
            Action::Close(close) => self.begin_close(key, close),
            Action::Closed(code) => {
                match code {
                    Some(code) => write::close(code, "", &mut self.out),
                    None => write::bare_close(&mut self.out),
                }
                add(&self.counters.closed_by_peer, 1);
                self.ends(key, |unsynced| &unsynced.peer);
                self.connections[key].phase = Phase::Dropped;
                Flow::Stop
            }
            Action::Refuse(answer) => {
                self.ends(key, |unsynced| &unsynced.protocol);
                self.out.extend_from_slice(answer);
                self.linger(key);
                Flow::Stop
            }
            Action::HandOver => {
                self.connections[key].phase = Phase::HandedOver;
                Flow::Stop
            }
        }
    }

    /// Sends what has gathered if it is much. Stops the session where the peer does not take it.
    pub(super) fn spill(&mut self, key: usize) -> Flow {
        if self.out.len() >= SPILL {
            self.transmit(key);
        }
        match self.connections[key].reads() {
            true => Flow::Go,
            false => Flow::Stop,
        }
    }
}

/// Reads once; `None` when there is nothing.
fn read(mut stream: &TcpStream, room: &mut [u8]) -> io::Result<Option<usize>> {
    loop {
        match stream.read(room) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            read => return read.map(Some),
        }
    }
}
