//! Requests over connections that are kept alive, as SDKs that poll and report make them: one
//! thread, one request at a time on each connection.

mod connection;

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Context;
use mio::{Events, Interest, Poll, Token};

use self::connection::{Connection, Progress};
use super::Micros;
use super::event::not_connected;

/// Where less time is left than epoll can wait, the generator looks again at once.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);

/// Sends requests to one server.
#[derive(Debug)]
pub struct Client {
    start: Instant,
    poll: Poll,
    events: Events,
    address: SocketAddr,
    /// `None`: the connection was lost, and is made again for the next request.
    connections: Vec<Option<Connection>>,
    idle: Vec<usize>,
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was answered.
    Answered {
        /// Since it was to be sent, in microseconds.
        took: u64,
        /// The answer's status.
        status: u16,
        /// Bytes of the answer's body.
        body: usize,
    },
    /// It was not.
    Failed(&'static str),
}

impl Client {
    /// Connects so many times.
    ///
    /// # Errors
    /// The server is not there.
    pub fn connect(address: SocketAddr, connections: usize) -> anyhow::Result<Self> {
        let mut client = Self {
            start: Instant::now(),
            poll: Poll::new()?,
            events: Events::with_capacity(1024),
            address,
            connections: Vec::new(),
            idle: Vec::new(),
        };
        for slot in 0..connections.max(1) {
            let connection = client.open(slot).with_context(|| address.to_string())?;
            client.connections.push(Some(connection));
            client.idle.push(slot);
        }
        Ok(client)
    }

    fn open(&self, slot: usize) -> io::Result<Connection> {
        let stream = std::net::TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut stream = mio::net::TcpStream::from_std(stream);
        let both = Interest::READABLE | Interest::WRITABLE;
        self.poll
            .registry()
            .register(&mut stream, Token(slot), both)?;
        Ok(Connection::new(stream))
    }

    /// Since it began.
    pub fn now(&self) -> Micros {
        self.start.elapsed().into()
    }

    /// Whether a request can be sent now.
    pub fn is_idle(&self) -> bool {
        !self.idle.is_empty()
    }

    /// How many requests wait for their answer.
    pub fn waiting(&self) -> usize {
        self.connections.len() - self.idle.len()
    }

    /// Sends a request that was to be sent at `due`. Gives what came of it where that is known
    /// already; the rest comes with [`Self::turn`].
    pub fn send(&mut self, request: &[u8], due: Micros) -> Option<Outcome> {
        let Some(slot) = self.idle.pop() else {
            return Some(Outcome::Failed("no connection left to send on"));
        };
        let connection = match self.connections[slot].take() {
            Some(connection) => Ok(connection),
            None => self.open(slot),
        };
        let connection = match connection {
            Ok(connection) => self.connections[slot].insert(connection),
            Err(error) => {
                self.idle.push(slot);
                return Some(Outcome::Failed(not_connected(&error)));
            }
        };
        let progress = connection.send(request, due);
        self.settle(slot, progress)
    }

    /// Lets things happen, at most until then; appends what came of requests.
    ///
    /// # Errors
    /// The kernel's.
    pub fn turn(&mut self, until: Micros, out: &mut Vec<Outcome>) -> io::Result<()> {
        let wait = Duration::from(Micros(self.now().until(until)));
        let wait = if wait < SHORTEST_WAIT {
            Duration::ZERO
        } else {
            wait
        };
        let mut events = std::mem::replace(&mut self.events, Events::with_capacity(0));
        let polled = self.poll.poll(&mut events, Some(wait));
        for event in &events {
            let slot = event.token().0;
            if let Some(connection) = &mut self.connections[slot] {
                let progress = connection.go_on();
                out.extend(self.settle(slot, progress));
            }
        }
        self.events = events;
        match polled {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }

    fn settle(&mut self, slot: usize, progress: Progress) -> Option<Outcome> {
        match progress {
            Progress::Waiting => None,
            Progress::Idle => None,
            Progress::Answered {
                due,
                status,
                body,
                last,
            } => {
                self.idle.push(slot);
                if last {
                    self.connections[slot] = None;
                }
                let took = due.until(self.now());
                Some(Outcome::Answered { took, status, body })
            }
            Progress::Lost { asked } => {
                self.connections[slot] = None;
                // The server may close a connection that has nothing to do.
                asked.then(|| {
                    self.idle.push(slot);
                    Outcome::Failed("the connection was lost")
                })
            }
        }
    }
}

#[cfg(test)]
mod tests;
