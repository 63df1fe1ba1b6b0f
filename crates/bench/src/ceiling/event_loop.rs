//! The one thread.
//!
//! The listening socket is watched by level and a turn accepts as many connections as it had
//! events: at a low rate that spares the second `accept` that only finds nothing. Connections are
//! watched by edge and read until a read is short. It is rustix's epoll and not mio's because mio
//! watches everything by edge.

use std::io;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};
use slab::Slab;

use super::connection::Connection;
use super::wire::{self, Fixed, Reply};

/// The listening socket's token; no slab grows so large.
const LISTENER: u64 = u64::MAX;

/// Most connections accepted in a turn.
const BATCH: usize = 64;

/// Events taken at once.
const EVENTS: usize = 1024;

/// The buffer that everything is read into: a batch of events for `track` fits.
const READ: usize = 64 * 1024;

pub(super) struct EventLoop {
    epoll: OwnedFd,
    listener: TcpListener,
    /// Whether new connections are watched for: not while files are short.
    accepting: bool,
    connections: Slab<Connection>,
    buffer: Vec<u8>,
    fixed: Fixed,
    stamp: u64,
    answer: usize,
}

impl EventLoop {
    pub(super) fn new(listener: TcpListener, answer: usize) -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let stamp = now();
        let mut new = Self {
            epoll,
            listener,
            accepting: false,
            connections: Slab::new(),
            buffer: vec![0; READ],
            fixed: Fixed::new(true, stamp, answer),
            stamp,
            answer,
        };
        new.watch_listener()?;
        Ok(new)
    }

    pub(super) fn run(mut self) -> io::Result<()> {
        let mut events = Vec::with_capacity(EVENTS);
        loop {
            match epoll::wait(&self.epoll, spare_capacity(&mut events), None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let batch = events.len().min(BATCH);
            for event in events.drain(..) {
                match event.data.u64() {
                    LISTENER => self.accept(batch)?,
                    // A token is a key of the slab.
                    token => self.ready(token as usize, event.flags),
                }
            }
        }
    }

    fn watch_listener(&mut self) -> io::Result<()> {
        let token = EventData::new_u64(LISTENER);
        epoll::add(&self.epoll, &self.listener, token, EventFlags::IN)?;
        self.accepting = true;
        Ok(())
    }

    fn accept(&mut self, batch: usize) -> io::Result<()> {
        for _ in 0..batch {
            match accept_with(&self.listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(socket) => self.admit(socket)?,
                Err(Errno::AGAIN) => break,
                Err(Errno::MFILE | Errno::NFILE) => {
                    // Until one goes: those that wait would wake us again at once.
                    epoll::delete(&self.epoll, &self.listener)?;
                    self.accepting = false;
                    break;
                }
                // The peer went away while it waited.
                Err(_) => {}
            }
        }
        Ok(())
    }

    fn admit(&mut self, socket: OwnedFd) -> io::Result<()> {
        let entry = self.connections.vacant_entry();
        let token = EventData::new_u64(entry.key() as u64);
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        epoll::add(&self.epoll, &socket, token, flags)?;
        entry.insert(Connection::new(socket));
        Ok(())
    }

    /// Something happened to a connection. An event may be for one that is gone and whose place
    /// another has taken: that one is read in vain.
    fn ready(&mut self, key: usize, flags: EventFlags) {
        let ended = EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR;
        let go_on = self.flush(key) && self.read(key, flags.intersects(ended));
        if !go_on {
            self.drop_connection(key);
        }
    }

    fn flush(&mut self, key: usize) -> bool {
        let Some(connection) = self.connections.get_mut(key) else {
            return true;
        };
        connection.flush().is_ok() && !connection.is_over()
    }

    fn drop_connection(&mut self, key: usize) {
        if self.connections.try_remove(key).is_some() && !self.accepting {
            // Where this fails, no new connection is ever taken; there is nobody to tell.
            let _ = self.watch_listener();
        }
    }

    /// Reads until there is nothing more; whether the connection goes on.
    fn read(&mut self, key: usize, to_its_end: bool) -> bool {
        // The buffer is lent out, so that what is in it can be answered from the rest of `self`.
        let mut buffer = std::mem::take(&mut self.buffer);
        let goes_on = loop {
            let Some(connection) = self.connections.get(key) else {
                break true;
            };
            match rustix::io::read(&connection.socket, &mut buffer[..]) {
                Ok(0) => break false,
                Ok(read) => {
                    if !self.take(key, &buffer[..read]) {
                        break false;
                    }
                    if read < buffer.len() && !to_its_end {
                        break true;
                    }
                }
                Err(Errno::AGAIN) => break true,
                Err(Errno::INTR) => {}
                Err(_) => break false,
            }
        };
        self.buffer = buffer;
        goes_on
    }

    /// Takes what was read; whether the connection goes on.
    fn take(&mut self, key: usize, mut input: &[u8]) -> bool {
        let mut accept = [0; 28];
        while !input.is_empty() {
            let Some(connection) = self.connections.get_mut(key) else {
                return true;
            };
            if connection.left == 0 {
                let unit = if connection.upgraded {
                    wire::frame(input)
                } else {
                    wire::request(input, &mut accept)
                };
                let Some(unit) = unit.filter(|unit| unit.head <= input.len()) else {
                    return false;
                };
                let Ok(left) = u32::try_from(unit.body) else {
                    return false;
                };
                connection.reply = unit.reply;
                connection.last = unit.last;
                connection.left = left;
                input = &input[unit.head..];
            }
            let some = input.len().min(connection.left as usize);
            connection.left -= some as u32;
            input = &input[some..];
            if connection.left == 0 && !self.reply(key, &accept) {
                return false;
            }
        }
        true
    }

    /// Answers what has come whole; whether the connection goes on.
    fn reply(&mut self, key: usize, accept: &[u8; 28]) -> bool {
        let Some(connection) = self.connections.get_mut(key) else {
            return true;
        };
        let fixed = &self.fixed;
        let sent = match connection.reply {
            Reply::Nothing => Ok(()),
            Reply::Upgrade => {
                connection.upgraded = true;
                connection.send_first(&wire::switching_protocols(accept))
            }
            Reply::State => {
                connection.synced = true;
                connection.send(&fixed.state)
            }
            Reply::Pong => connection.send(&fixed.pong),
            Reply::Accepted => connection.send(&fixed.accepted),
            Reply::Value => connection.send(&fixed.value),
            Reply::Change { on } => {
                self.turn(on);
                self.answer_change(key)
            }
        };
        let over = |connection: &Connection| connection.is_over();
        sent.is_ok() && !self.connections.get(key).is_some_and(over)
    }

    fn answer_change(&mut self, key: usize) -> io::Result<()> {
        match self.connections.get_mut(key) {
            Some(connection) => connection.send(&self.fixed.changed),
            None => Ok(()),
        }
    }

    /// Turns the flag, and tells everybody.
    fn turn(&mut self, on: bool) {
        self.stamp = now().max(self.stamp + 1);
        self.fixed = Fixed::new(on, self.stamp, self.answer);
        let patch = Rc::clone(&self.fixed.patch);
        for (_, connection) in &mut self.connections {
            if connection.synced {
                // Who is gone is noticed by its own event.
                let _ = connection.send(&patch);
            }
        }
    }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
