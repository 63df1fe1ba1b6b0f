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
use super::event_loop::{EVENTS, EventLoop, LISTENER};
use super::spare::{self, Spare};
use crate::http::answer;

/// Connections taken or refused in one turn, so that a rush of new ones does not starve those that
/// are there.
const BATCH: usize = 64;

/// Whole ticks for which connections may come faster than they can be taken. Everybody who comes
/// back after a restart should be waited for: 20,000 take less than a second of a core.
const PATIENCE: u32 = 1;

/// The same where each has its hand shaken, which takes ten times as long: 20,000 are four seconds of a
/// core. Whoever is refused has the way there and back in vain, and comes again.
const PATIENCE_WITH_TLS: u32 = 5;

/// The start of every request that asks for a stream.
const STREAM: &[u8] = b"GET /streaming";

/// Since when more connections wait than are taken in a turn.
///
/// They wait in the kernel's queue. When that is full the kernel drops who comes without a word,
/// and it tries again after one, three, seven seconds: nobody could tell why, and everybody would
/// be answered late. So when the queue was not empty for long, who waits in it is refused, which is
/// quicker than it fills, and then the next are taken again: whoever is answered is answered soon.
struct Backlog {
    since: Option<u32>,
    /// Whole ticks for which it may go on.
    patience: u32,
}

impl Backlog {
    fn new(is_secure: bool) -> Self {
        Self {
            since: None,
            patience: match is_secure {
                true => PATIENCE_WITH_TLS,
                false => PATIENCE,
            },
        }
    }

    /// Nobody waits.
    fn ends(&mut self) {
        self.since = None;
    }

    /// Some were taken, and others wait.
    fn goes_on(&mut self, tick: u32) {
        self.since.get_or_insert(tick);
    }

    /// How many are to be taken in a turn with so many events: as many, because the more there is
    /// to do, the more of them wait. Who is turned away makes no further event, so while there is a
    /// backlog it is a whole batch.
    fn batch(&mut self, is_ready: bool, events: usize) -> usize {
        match (is_ready, self.since) {
            (true, Some(_)) => BATCH,
            (true, None) => events.min(BATCH),
            // It is watched by level: without its event nobody waits, unless that is still to come.
            (false, _) if events < EVENTS => {
                self.ends();
                0
            }
            (false, _) => 0,
        }
    }

    /// Whether who waits is to be refused.
    fn lasts(&self, tick: u32) -> bool {
        self.since
            .is_some_and(|since| tick.wrapping_sub(since) > self.patience)
    }
}

/// The listening socket and what is known of it.
pub(super) struct Acceptor {
    listener: TcpListener,
    spare: Spare,
    /// Where it is watched.
    registry: Registry,
    /// It has connections for us, this turn.
    ready: bool,
    backlog: Backlog,
    /// Accepting failed for want of something: it is not watched, and tried again at the next tick.
    paused: bool,
    /// The last one could not be accepted: that is logged once.
    was_short: bool,
}

impl Acceptor {
    /// `is_secure`: who comes has its hand shaken first.
    pub(super) fn new(
        listener: TcpListener,
        registry: &Registry,
        is_secure: bool,
    ) -> io::Result<Self> {
        let acceptor = Self {
            spare: Spare::of(&listener),
            listener,
            registry: registry.try_clone()?,
            ready: false,
            backlog: Backlog::new(is_secure),
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
                Err(Errno::AGAIN) => {
                    self.ready = false;
                    self.backlog.ends();
                    None
                }
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

/// Whether the peer has asked for a stream already. Others are not turned away in an overload: they
/// are few, and one may be the change that ends it.
fn asks_for_stream(stream: &TcpStream) -> bool {
    let mut start = [0; STREAM.len()];
    matches!(stream.peek(&mut start), Ok(read) if start[..read] == *STREAM)
}

impl EventLoop {
    /// The listening socket has new connections.
    pub(super) fn can_accept(&mut self) {
        if let Some(acceptor) = &mut self.acceptor {
            acceptor.ready = true;
        }
    }

    /// Takes new connections after a turn with so many events.
    pub(super) fn accept(&mut self, events: usize) {
        let Some(acceptor) = &mut self.acceptor else {
            return;
        };
        let most = acceptor.backlog.batch(acceptor.ready, events);
        let (crowded, is_secure) = (self.greetings.are_many(), self.config.tls.is_some());
        for _ in 0..most {
            let Some(acceptor) = self.acceptor.as_mut().filter(|acceptor| acceptor.ready) else {
                return;
            };
            let overloaded = acceptor.backlog.lasts(self.tick);
            if crowded && !overloaded {
                acceptor.backlog.goes_on(self.tick);
                acceptor.ready = false;
                return;
            }
            match acceptor.next() {
                Some(Ok(stream)) if overloaded && (is_secure || asks_for_stream(&stream)) => {
                    self.turn_away(&stream);
                }
                Some(Ok(stream)) => self.admit(stream),
                Some(Err(error)) => self.accept_failed(&error),
                None => return,
            }
        }
        if let Some(acceptor) = &mut self.acceptor {
            acceptor.ready = false;
            if most == BATCH {
                acceptor.backlog.goes_on(self.tick);
            }
        }
    }

    /// More come than can be answered.
    fn turn_away(&self, stream: &TcpStream) {
        // Words would cost what there is too little of.
        let heard = self.config.tls.is_none();
        add(&self.counters.accepted, 1);
        add(&self.counters.refused.overload, 1);
        add(&self.counters.unsynced.busy, 1);
        if heard {
            spare::refuse(stream);
        }
    }

    /// A connection that has a name of its own.
    pub(super) fn connection(&mut self, stream: TcpStream) -> Connection {
        let generation = self.next_generation;
        // Never all bits: those tokens are taken.
        self.next_generation = (generation + 1) & 0x7FFF_FFFF;
        let stream = mio::net::TcpStream::from_std(stream);
        Connection::new(stream, generation, self.tick)
    }

    fn admit(&mut self, stream: TcpStream) {
        add(&self.counters.accepted, 1);
        self.make_room();
        let mut connection = self.connection(stream);
        let is_secure = self.config.tls.is_some();
        if !self.places.take() {
            add(&self.counters.refused.sockets, 1);
            connection.refused = true;
            if !self.places.take_to_refuse() {
                add(&self.counters.unsynced.busy, 1);
                if !is_secure {
                    let _ = connection.send(&mut answer::BUSY.to_vec(), true);
                }
                return;
            }
        }
        add(&self.counters.sockets, 1);
        let refused = connection.refused;
        let key = self.connections.insert(connection);
        if let Err(error) = self.register(key) {
            tracing::warn!(%error, "a new connection cannot be watched");
            self.drop_connection(key);
        } else if !self.secure(key) {
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

#[cfg(test)]
mod tests {
    use super::{BATCH, Backlog, EVENTS};

    #[test]
    fn a_backlog_lasts_when_it_was_not_empty_for_a_whole_tick() {
        let mut backlog = Backlog::new(false);
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

    #[test]
    fn who_has_to_have_a_hand_shaken_is_waited_for_longer() {
        let mut backlog = Backlog::new(true);
        backlog.goes_on(10);
        // 20,000 hands at 5,000 a second.
        assert!(!backlog.lasts(14));
        assert!(backlog.lasts(16));
    }

    #[test]
    fn a_turn_takes_a_batch_while_there_is_a_backlog_and_none_lasts_when_nobody_waits() {
        let mut backlog = Backlog::new(false);
        assert_eq!(backlog.batch(true, 1), 1);
        assert_eq!(backlog.batch(true, EVENTS), BATCH);
        backlog.goes_on(1);
        assert_eq!(backlog.batch(true, 1), BATCH);
        // So many events that the listening socket's may not be among them.
        assert_eq!(backlog.batch(false, EVENTS), 0);
        assert!(backlog.lasts(3));
        assert_eq!(backlog.batch(false, 3), 0);
        assert!(!backlog.lasts(3));
    }
}
