//! Taking new connections.
//!
//! Unlike all other sockets the listening one is watched by level, and a turn takes as many
//! connections as it has events: watched by edge it would have to be asked until it says that there
//! is none left, and at any usual rate that is a second call for each connection.

use std::io;
use std::net::{TcpListener, TcpStream};

use mio::Registry;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};

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
    /// Where it is watched.
    registry: Registry,
    /// It has connections for us, this turn.
    ready: bool,
    /// Accepting failed for want of something: it is not watched, and tried again at the next tick.
    paused: bool,
    /// The last one could not be accepted: that is logged once.
    was_short: bool,
}

impl Acceptor {
    pub(super) fn new(listener: TcpListener, registry: &Registry) -> io::Result<Self> {
        let acceptor = Self {
            spare: Spare::of(&listener),
            listener,
            registry: registry.try_clone()?,
            ready: false,
            paused: false,
            was_short: false,
        };
        acceptor.watch()?;
        Ok(acceptor)
    }

    fn watch(&self) -> io::Result<()> {
        let token = EventData::new_u64(LISTENER.0 as u64);
        Ok(epoll::add(
            &self.registry,
            &self.listener,
            token,
            EventFlags::IN,
        )?)
    }

    /// Tries again after a failure.
    pub(super) fn retry(&mut self) {
        if self.paused && self.watch().is_ok() {
            self.paused = false;
        }
    }

    /// The next connection; `None` when there is none, or none can be taken now.
    fn next(&mut self) -> Option<Result<TcpStream, io::Error>> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        loop {
            return match accept_with(&self.listener, flags) {
                Ok(socket) => {
                    self.was_short = false;
                    Some(Ok(socket.into()))
                }
                Err(Errno::AGAIN) => None,
                // The peer went away while it waited for us.
                Err(Errno::INTR | Errno::CONNABORTED | Errno::CONNRESET) => continue,
                Err(error) => Some(Err(error.into())),
            };
        }
    }

    /// Refuses the next connection where accepting it failed for want of a descriptor. There may
    /// be more behind it.
    fn refuse_one(&mut self, error: &io::Error) -> bool {
        Spare::would_help(error) && self.spare.refuse_one(&self.listener)
    }

    /// Does not look at it until the next tick: those that wait would wake us again at once.
    fn pause(&mut self) {
        // Where this fails it is watched on, which does no harm but costs.
        let _ = epoll::delete(&self.registry, &self.listener);
        (self.paused, self.ready) = (true, false);
    }
}

impl EventLoop {
    /// The listening socket has new connections.
    pub(super) fn can_accept(&mut self) {
        if let Some(acceptor) = &mut self.acceptor {
            acceptor.ready = true;
        }
    }

    /// Takes new connections, as many as the turn had events: the more there is to do, the more
    /// of them wait.
    pub(super) fn accept(&mut self, events: usize) {
        for _ in 0..events.min(BATCH) {
            let Some(acceptor) = self.acceptor.as_mut().filter(|acceptor| acceptor.ready) else {
                return;
            };
            match acceptor.next() {
                Some(Ok(stream)) => self.admit(stream),
                Some(Err(error)) => self.accept_failed(&error),
                None => break,
            }
        }
        if let Some(acceptor) = &mut self.acceptor {
            acceptor.ready = false;
        }
    }

    fn admit(&mut self, stream: TcpStream) {
        add(&self.counters.accepted, 1);
        self.make_room();
        let generation = self.next_generation;
        // Never all bits: those tokens are taken.
        self.next_generation = (generation + 1) & 0x7FFF_FFFF;
        let stream = mio::net::TcpStream::from_std(stream);
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
        if !acceptor.was_short {
            acceptor.was_short = true;
            tracing::error!(%error, "new connections cannot be accepted");
        }
        if acceptor.refuse_one(error) {
            add(&self.counters.refused.descriptors, 1);
            add(&self.counters.unsynced.busy, 1);
        } else {
            acceptor.pause();
        }
    }
}
