//! Taking new connections.

use std::io;

use mio::net::{TcpListener, TcpStream};
use mio::{Interest, Registry};

use super::connection::Connection;
use super::counters::add;
use super::event_loop::{EventLoop, LISTENER};
use super::spare::{self, Spare};
use crate::http::answer;

/// Connections taken or refused in one turn, so that a rush of new ones does not starve those that are there.
const BATCH: usize = 64;

/// Whole ticks for which connections may come faster than they can be taken. Everybody who comes back
/// after a restart should be waited for: 20,000 take less than a second of a core.
const PATIENCE: u32 = 1;

/// The start of every request that asks for a stream.
const STREAM: &[u8] = b"GET /streaming";

/// Since when more connections wait than are taken in a turn.
///
/// They wait in the kernel's queue. When that is full the kernel drops who comes without a word, and
/// it tries again after one, three, seven seconds: nobody could tell why, and everybody would be
/// answered late. So when the queue was not empty for long, who waits in it is refused, which is
/// quicker than it fills, and then the next are taken again: whoever is answered is answered soon.
#[derive(Default)]
struct Backlog {
    since: Option<u32>,
}

impl Backlog {
    /// Nobody waits.
    fn ends(&mut self) {
        self.since = None;
    }

    /// Some were taken, and others wait.
    fn goes_on(&mut self, tick: u32) {
        self.since.get_or_insert(tick);
    }

    /// Whether who waits is to be refused.
    fn lasts(&self, tick: u32) -> bool {
        self.since
            .is_some_and(|since| tick.wrapping_sub(since) > PATIENCE)
    }
}

/// The listening socket and what is known of it.
pub(super) struct Acceptor {
    listener: TcpListener,
    spare: Spare,
    /// It may have connections for us.
    pub(super) ready: bool,
    backlog: Backlog,
    /// Accepting failed for want of something; it is tried again at the next tick.
    failed: bool,
}

impl Acceptor {
    pub(super) fn new(listener: std::net::TcpListener, registry: &Registry) -> io::Result<Self> {
        let mut listener = TcpListener::from_std(listener);
        registry.register(&mut listener, LISTENER, Interest::READABLE)?;
        Ok(Self {
            spare: Spare::of(&listener),
            listener,
            ready: false,
            backlog: Backlog::default(),
            failed: false,
        })
    }

    /// Tries again after a failure.
    pub(super) fn retry(&mut self) {
        self.ready |= self.failed;
    }

    /// The next connection; `None` when there is none, or none can be taken now.
    fn next(&mut self) -> Option<Result<TcpStream, io::Error>> {
        loop {
            return match self.listener.accept() {
                Ok((stream, _)) => {
                    self.failed = false;
                    Some(Ok(stream))
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.ready = false;
                    self.backlog.ends();
                    None
                }
                // The peer went away while it waited for us.
                Err(error) if is_peers_fault(&error) => continue,
                Err(error) => {
                    self.ready = false;
                    Some(Err(error))
                }
            };
        }
    }

    /// Refuses the next connection where accepting it failed for want of a descriptor. There may
    /// be more behind it.
    fn refuse_one(&mut self, error: &io::Error) -> bool {
        let refused = Spare::would_help(error) && self.spare.refuse_one(&self.listener);
        self.ready |= refused;
        refused
    }
}

fn is_peers_fault(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Interrupted
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

/// Whether the peer has asked for a stream already. Others are not turned away in an overload: they
/// are few, and one may be the change that ends it.
fn asks_for_stream(stream: &TcpStream) -> bool {
    let mut start = [0; STREAM.len()];
    matches!(stream.peek(&mut start), Ok(read) if start[..read] == *STREAM)
}

impl EventLoop {
    /// Takes a batch of new connections.
    pub(super) fn accept(&mut self) {
        for _ in 0..BATCH {
            let Some(acceptor) = &mut self.acceptor else {
                return;
            };
            if !acceptor.ready {
                return;
            }
            let overloaded = acceptor.backlog.lasts(self.tick);
            match acceptor.next() {
                Some(Ok(stream)) if overloaded && asks_for_stream(&stream) => {
                    self.turn_away(&stream);
                }
                Some(Ok(stream)) => self.admit(stream),
                Some(Err(error)) => self.accept_failed(&error),
                None => return,
            }
        }
        if let Some(acceptor) = &mut self.acceptor {
            acceptor.backlog.goes_on(self.tick);
        }
    }

    /// More come than can be answered.
    fn turn_away(&self, stream: &TcpStream) {
        add(&self.counters.accepted, 1);
        add(&self.counters.refused.overload, 1);
        add(&self.counters.unsynced.busy, 1);
        spare::refuse(stream);
    }

    fn admit(&mut self, stream: TcpStream) {
        add(&self.counters.accepted, 1);
        self.make_room();
        let generation = self.next_generation;
        // Never all bits: those tokens are taken.
        self.next_generation = (generation + 1) & 0x7FFF_FFFF;
        let mut connection = Connection::new(stream, generation, self.tick);
        if !self.places.take() {
            add(&self.counters.refused.sockets, 1);
            connection.refused = true;
            if !self.places.take_to_refuse() {
                add(&self.counters.unsynced.busy, 1);
                let _ = connection.send(&mut answer::BUSY.to_vec(), true);
                return;
            }
        }
        add(&self.counters.sockets, 1);
        let refused = connection.refused;
        let key = self.connections.insert(connection);
        if let Err(error) = self.register(key) {
            tracing::warn!(%error, "a new connection cannot be watched");
            self.drop_connection(key);
        } else if refused {
            self.refuse(key);
        } else {
            self.begin_handshake(key);
        }
    }

    /// Descriptors or memory are short: who comes is refused, or goes on waiting until the next
    /// tick.
    fn accept_failed(&mut self, error: &io::Error) {
        add(&self.counters.accept_errors, 1);
        let Some(acceptor) = &mut self.acceptor else {
            return;
        };
        if !acceptor.failed {
            acceptor.failed = true;
            tracing::error!(%error, "new connections cannot be accepted");
        }
        if acceptor.refuse_one(error) {
            add(&self.counters.refused.descriptors, 1);
            add(&self.counters.unsynced.busy, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Backlog;

    #[test]
    fn a_backlog_lasts_when_it_was_not_empty_for_a_whole_tick() {
        let mut backlog = Backlog::default();
        assert!(!backlog.lasts(9));
        backlog.goes_on(u32::MAX);
        backlog.goes_on(0);
        assert!(!backlog.lasts(0), "less than a whole tick");
        assert!(backlog.lasts(1));
        backlog.ends();
        assert!(!backlog.lasts(1));
        backlog.goes_on(1);
        assert!(!backlog.lasts(2));
    }
}
