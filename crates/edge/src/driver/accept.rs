//! Taking new connections.

use std::io;

use mio::net::{TcpListener, TcpStream};
use mio::{Interest, Registry};

use super::connection::Connection;
use super::counters::add;
use super::event_loop::{EventLoop, LISTENER};
use super::spare::Spare;
use crate::http::answer;

/// Connections taken or refused in one turn, so that a rush of new ones does not starve those that are there.
const BATCH: usize = 64;

/// The listening socket and what is known of it.
pub(super) struct Acceptor {
    listener: TcpListener,
    spare: Spare,
    /// It may have connections for us.
    pub(super) ready: bool,
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
            match acceptor.next() {
                Some(Ok(stream)) => self.admit(stream),
                Some(Err(error)) => self.accept_failed(&error),
                None => return,
            }
        }
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
