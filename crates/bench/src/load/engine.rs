//! The generator's loop: begins, reads and ends connections, and tells what happened.

mod config;
mod input;

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use mio::net::TcpStream;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use slab::Slab;

use super::addresses::Addresses;
use super::connection::{Begun, Connection};
use super::event::{Awaited, Event, Failure, Key, Micros, What};
use super::reader::Heard;
use super::shape::Searches;
use super::socket;
use super::user::{self, Voice};

pub use config::Config;

/// Events taken from the kernel at once.
const EVENTS: usize = 1024;

/// Bytes read at once.
const READ: usize = 256 * 1024;

/// Many SDKs in one thread. Whoever owns it calls [`Engine::turn`] again and again, and begins
/// things between the turns.
pub struct Engine {
    config: Config,
    poll: Poll,
    start: Instant,
    /// Ms since 1970 at `start`.
    epoch: u128,
    voice: Voice,
    addresses: Addresses,
    connections: Slab<Connection>,
    generation: u32,
    /// When requests have taken too long, in order.
    deadlines: VecDeque<(Micros, Key, Micros)>,
    happened: Vec<Event>,
    searches: Searches,
    /// Bytes that came, over all connections.
    received: u64,
    input: Vec<u8>,
    output: Vec<u8>,
    heard: Vec<Heard>,
    events: Option<Events>,
}

impl Engine {
    /// With no connections yet.
    ///
    /// # Errors
    /// The kernel gives no epoll.
    pub fn new(config: Config) -> io::Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Ok(Self {
            poll: Poll::new()?,
            start: Instant::now(),
            epoch: now.unwrap_or_default().as_millis(),
            voice: Voice::new(config.server, config.sdk.clone(), config.deflate),
            addresses: Addresses::to(config.server),
            connections: Slab::new(),
            generation: 0,
            deadlines: VecDeque::new(),
            happened: Vec::new(),
            searches: Searches::new(),
            received: 0,
            input: vec![0; READ],
            output: Vec::new(),
            heard: Vec::new(),
            events: Some(Events::with_capacity(EVENTS)),
            config,
        })
    }

    /// Now.
    pub fn now(&self) -> Micros {
        Micros::from(self.start.elapsed())
    }

    /// The moment of an instant; zero for one before the engine was made.
    pub fn at(&self, instant: Instant) -> Micros {
        Micros::from(instant.saturating_duration_since(self.start))
    }

    /// Sockets that are open.
    pub fn open_sockets(&self) -> usize {
        self.connections.len()
    }

    /// Bytes that have come, over all connections.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// What every full answer must hold from now on.
    pub fn expect_flags(&mut self, flags: u32) {
        self.config.flags = Some(flags);
    }

    /// The newest version that a connection has; `None` where it is over.
    pub fn newest(&self, key: Key) -> Option<i64> {
        self.find(key).map(|connection| connection.newest)
    }

    /// Whether a connection is there, synced, and waits for nothing.
    pub fn is_idle(&self, key: Key) -> bool {
        let connection = self.find(key);
        connection.is_some_and(|connection| connection.is_synced && connection.awaited.is_none())
    }

    /// Begins a connection that was to begin at `intended`; it syncs as soon as it is upgraded.
    /// Where it cannot begin, that is an event.
    pub fn open(&mut self, user: u32, intended: Micros) -> Key {
        let slot = self.connections.vacant_key() as u32;
        self.generation = (self.generation + 1) & 0x7FFF_FFFF;
        let key = Key {
            slot,
            generation: self.generation,
        };
        let begun = match self.connections.len() < self.config.most {
            true => self.begin(key, user, intended),
            false => Err(io::Error::from_raw_os_error(libc::EMFILE)),
        };
        if let Err(error) = begun {
            self.tell(key, What::Failed(Failure::connect(&error)));
        }
        key
    }

    fn begin(&mut self, key: Key, user: u32, intended: Micros) -> io::Result<()> {
        let source = self.addresses.turn();
        let server = self.config.server;
        let mut stream = socket::connect(server, source, self.config.receive_buffer)?;
        // On loopback it is connected by now: the upgrade goes out without waiting for an event.
        self.write_upgrade();
        let is_unsent = !send_upgrade(&mut stream, &self.output)?;
        let interest = match is_unsent {
            true => Interest::READABLE | Interest::WRITABLE,
            false => Interest::READABLE,
        };
        self.poll.registry().register(
            &mut SourceFd(&stream.as_raw_fd()),
            Token(token(key)),
            interest,
        )?;
        self.connections.insert(Connection {
            stream,
            generation: key.generation,
            user,
            awaited: Some(Awaited::Upgrade),
            is_open: false,
            is_unsent,
            is_synced: false,
            intended,
            asked: intended,
            newest: 0,
            begun: Begun::Nothing,
        });
        self.set_deadline(key, intended);
        Ok(())
    }

    fn write_upgrade(&mut self) {
        self.output.clear();
        let now = self.epoch + self.start.elapsed().as_millis();
        self.voice.upgrade(now, &mut self.output);
    }

    /// Sends an SDK's ping that was to be sent at `intended`. Only where [`Self::is_idle`].
    pub fn ping(&mut self, key: Key, intended: Micros) {
        self.output.clear();
        user::ping(&mut self.output);
        self.ask(key, Awaited::Pong, intended);
    }

    /// Sends a further `data-sync`, of another user. Only where [`Self::is_idle`].
    pub fn identify(&mut self, key: Key, user: u32, intended: Micros) {
        if let Some(connection) = self.find_mut(key) {
            connection.user = user;
        }
        self.output.clear();
        self.voice.sync(user, &mut self.output);
        self.ask(key, Awaited::Sync, intended);
    }

    /// Says goodbye; [`What::Closed`] follows when the server did, too.
    pub fn close(&mut self, key: Key) {
        self.output.clear();
        user::goodbye(&mut self.output);
        let now = self.now();
        self.ask(key, Awaited::Goodbye, now);
    }

    /// Ends a connection with a reset.
    pub fn abort(&mut self, key: Key) {
        if self.find(key).is_some() {
            socket::abort(self.connections.remove(key.slot as usize).stream);
        }
    }

    /// Ends all of them with resets.
    pub fn abort_all(&mut self) {
        for connection in self.connections.drain() {
            socket::abort(connection.stream);
        }
    }

    /// Sends `output`, and waits for its answer from now on.
    fn ask(&mut self, key: Key, awaited: Awaited, asked: Micros) {
        let Some(connection) = self.connections.get_mut(key.slot as usize) else {
            return;
        };
        if connection.generation != key.generation {
            return;
        }
        let sent = connection.stream.write(&self.output);
        connection.awaited = Some(awaited);
        connection.asked = asked;
        match sent {
            // Questions are shorter than any socket's buffer, and there is one at a time.
            Ok(sent) if sent == self.output.len() => self.set_deadline(key, asked),
            Ok(_) => self.fail(key, Failure::Broken(ErrorKind::WriteZero)),
            Err(error) => self.fail(key, Failure::Broken(error.kind())),
        }
    }

    fn set_deadline(&mut self, key: Key, asked: Micros) {
        let deadline = self.now().after(self.config.patience);
        self.deadlines.push_back((deadline, key, asked));
    }

    /// Waits for what comes, at most until the moment given, and reads it. A wait of less than a
    /// millisecond is none, since the kernel counts waits in those: the loop spins.
    ///
    /// # Errors
    /// The kernel's, of waiting.
    pub fn turn(&mut self, until: Micros, happened: &mut Vec<Event>) -> io::Result<()> {
        let wait = Duration::from_millis(self.now().until(until) / 1000);
        let mut events = self
            .events
            .take()
            .unwrap_or_else(|| Events::with_capacity(EVENTS));
        let polled = self.poll.poll(&mut events, Some(wait));
        for event in &events {
            let key = key(event.token().0);
            if event.is_writable() {
                self.writable(key);
            }
            if event.is_readable() || event.is_read_closed() || event.is_error() {
                self.readable(key, event.is_read_closed() || event.is_error());
            }
        }
        self.events = Some(events);
        self.expire();
        happened.append(&mut self.happened);
        match polled {
            Err(error) if error.kind() != ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }

    /// Fails what waited for too long.
    fn expire(&mut self) {
        let now = self.now();
        while let Some((deadline, key, asked)) = self.deadlines.front().copied() {
            let found = self.find(key).map(|found| (found.awaited, found.asked));
            let is_pending = matches!(found, Some((Some(_), since)) if since == asked);
            if is_pending && deadline > now {
                return;
            }
            self.deadlines.pop_front();
            if let (true, Some((Some(awaited), _))) = (is_pending, found) {
                self.fail(key, Failure::NoAnswer(awaited));
            }
        }
    }

    fn tell(&mut self, key: Key, what: What) {
        let at = self.now();
        self.happened.push(Event { key, at, what });
    }

    fn find(&self, key: Key) -> Option<&Connection> {
        let found = self.connections.get(key.slot as usize)?;
        (found.generation == key.generation).then_some(found)
    }

    fn find_mut(&mut self, key: Key) -> Option<&mut Connection> {
        let found = self.connections.get_mut(key.slot as usize)?;
        (found.generation == key.generation).then_some(found)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.abort_all();
    }
}

fn token(key: Key) -> usize {
    (key.generation as usize) << 32 | key.slot as usize
}

fn key(token: usize) -> Key {
    Key {
        slot: token as u32,
        generation: (token >> 32) as u32,
    }
}

/// Whether it could be sent; not, where the connect is still going on.
fn send_upgrade(stream: &mut TcpStream, upgrade: &[u8]) -> io::Result<bool> {
    match stream.write(upgrade) {
        Ok(sent) if sent == upgrade.len() => Ok(true),
        Ok(_) => Err(ErrorKind::WriteZero.into()),
        Err(error) => match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::NotConnected => Ok(false),
            _ => Err(error),
        },
    }
}
