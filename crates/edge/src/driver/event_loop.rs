//! A loop: waits for sockets, mail and time, and has each looked after in turns.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

use mio::{Events, Interest, Poll, Token, Waker};
use slab::Slab;
use tokio::runtime;

use super::accept::Acceptor;
use super::agents::Agents;
use super::clock::Clock;
use super::config::Config;
use super::connection::Connection;
use super::counters::Counters;
use super::drain::Drain;
use super::greeting::Greetings;
use super::handover::ToHttp;
use super::handshake::Handshakes;
use super::mailbox::{ConnectionId, Mail, Mailbox};
use super::members::Members;
use super::places::Places;
use super::push::Walk;
use crate::api::Api;
use crate::hub::{Event, KeyId};
use crate::session::Close;

pub(super) const LISTENER: Token = Token(usize::MAX);
const WAKER: Token = Token(usize::MAX - 1);
const CLOCK: Token = Token(usize::MAX - 2);

/// Events taken at once.
pub(super) const EVENTS: usize = 1024;

/// The buffer that everything is read into: several full messages, or hundreds of pings.
const INPUT: usize = 64 * 1024;

/// One event loop and all it owns. Its methods stand in this module's siblings, by what they do.
pub(super) struct EventLoop {
    pub(super) config: Config,
    /// How many sockets there are, over all loops.
    pub(super) places: Arc<Places>,
    pub(super) poll: Poll,
    pub(super) acceptor: Option<Acceptor>,
    pub(super) mailbox: Arc<Mailbox>,
    pub(super) edge: Api,
    pub(super) runtime: runtime::Handle,
    pub(super) to_http: ToHttp,
    pub(super) counters: Arc<Counters>,
    pub(super) connections: Slab<Connection>,
    pub(super) next_generation: u32,
    pub(super) members: Members,
    pub(super) agents: Agents,
    /// Whether how far connections have come changed since somebody asked for what changed.
    pub(super) figures_moved: Arc<AtomicBool>,
    /// The keys of connections that were swept since the hub was told.
    pub(super) keys_in_use: HashSet<KeyId>,
    pub(super) handshakes: Handshakes,
    /// Whose TLS handshake can go on.
    pub(super) greetings: Greetings,
    /// What is read into; empty while it is lent out.
    pub(super) input: Box<[u8]>,
    /// What is to be written to the connection that is being served; empty between connections.
    pub(super) out: Vec<u8>,
    /// Connections that may have more to read than their share of a turn.
    pub(super) more_to_read: VecDeque<ConnectionId>,
    /// Bytes of input that are kept for all connections.
    pub(super) kept_input: usize,
    /// Bytes of output that are kept for all connections and not shared.
    pub(super) kept_output: usize,
    /// Pushes under way and waiting, in order.
    pub(super) walks: VecDeque<Walk>,
    /// Connections that wait for their turn with a large state, in order.
    pub(super) herd: VecDeque<ConnectionId>,
    /// Listeners that were told of something and have missed what came right after it, since which
    /// tick.
    pub(super) late: VecDeque<(ConnectionId, u32)>,
    /// Large answers on their way.
    pub(super) large_in_flight: usize,
    /// Those of them that are shared, and since which tick; some have arrived.
    pub(super) shared_in_flight: VecDeque<(ConnectionId, u32)>,
    pub(super) clock: Clock,
    /// The tick of this turn.
    pub(super) tick: u32,
    /// The time of this turn, in ms since 1970.
    pub(super) now: i64,
    /// The time of this turn, or of the last few pushes.
    pub(super) moment: Instant,
    /// The shutdown, from its beginning.
    pub(super) drain: Option<Drain>,
}

impl EventLoop {
    pub(super) fn new(
        listener: TcpListener,
        edge: &Api,
        to_http: ToHttp,
        places: &Arc<Places>,
        config: &Config,
    ) -> io::Result<Self> {
        let poll = Poll::new()?;
        let waker = Waker::new(poll.registry(), WAKER)?;
        let clock = Clock::start(config.tick, poll.registry(), CLOCK)?;
        let acceptor = Acceptor::new(listener, poll.registry(), config.tls.is_some())?;
        Ok(Self {
            places: Arc::clone(places),
            config: config.clone(),
            poll,
            acceptor: Some(acceptor),
            mailbox: Mailbox::new(waker),
            edge: edge.clone(),
            runtime: runtime::Handle::try_current().map_err(io::Error::other)?,
            to_http,
            counters: Arc::default(),
            connections: Slab::new(),
            next_generation: 1,
            members: Members::default(),
            agents: Agents::default(),
            figures_moved: Arc::default(),
            keys_in_use: HashSet::new(),
            handshakes: Handshakes::new(config.socket_limit(), config.loops),
            greetings: Greetings::default(),
            input: vec![0; INPUT].into(),
            out: Vec::new(),
            more_to_read: VecDeque::new(),
            kept_input: 0,
            kept_output: 0,
            walks: VecDeque::new(),
            herd: VecDeque::new(),
            late: VecDeque::new(),
            large_in_flight: 0,
            shared_in_flight: VecDeque::new(),
            clock,
            tick: 0,
            now: 0,
            moment: Instant::now(),
            drain: None,
        })
    }

    pub(super) fn counters(&self) -> Arc<Counters> {
        Arc::clone(&self.counters)
    }

    pub(super) fn figures_moved(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.figures_moved)
    }

    pub(super) fn mailbox(&self) -> Arc<Mailbox> {
        Arc::clone(&self.mailbox)
    }

    /// Runs until it is shut down.
    pub(super) fn run(mut self) {
        let mut events = Events::with_capacity(EVENTS);
        while !self.is_over() {
            match self.poll.poll(&mut events, self.patience()) {
                Ok(()) => self.turn(&events),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    tracing::error!(%error, "a streaming loop cannot wait for its sockets");
                    break;
                }
            }
        }
        self.mailbox.close();
    }

    fn turn(&mut self, events: &Events) {
        self.now = now_ms();
        self.moment = Instant::now();
        let going_on = std::mem::take(&mut self.more_to_read);
        for event in events {
            match event.token() {
                WAKER => self.read_mail(),
                CLOCK => self.keep_time(),
                LISTENER => self.can_accept(),
                token => self.socket_event(ConnectionId::from(token), event),
            }
        }
        for connection in going_on {
            if let Some(key) = self.find(connection) {
                self.read_on(key);
            }
        }
        self.accept(events.iter().count());
        self.push_some();
        self.tell_late();
        self.serve_herd();
        self.greet_some();
        self.tell_some();
    }

    fn read_mail(&mut self) {
        for mail in self.mailbox.take() {
            match mail {
                Mail::Event(Event::Update(update)) => {
                    self.hear(&update);
                    self.begin_walk(update);
                }
                Mail::Event(Event::Revoked { environment, keys }) => {
                    self.close_members(&environment, Close::REVOKED, |key| keys.contains(&key));
                }
                Mail::Event(Event::Gone {
                    environment,
                    deleted,
                }) => {
                    let close = match deleted {
                        true => Close::REVOKED,
                        false => Close::GOING_AWAY,
                    };
                    self.close_members(&environment, close, |_| true);
                }
                Mail::Key {
                    connection,
                    secret,
                    kind,
                    answer,
                } => self.key_answered(connection, &secret, kind, answer),
                Mail::Listens(arrived) => self.listen_in(*arrived),
                Mail::Survey(survey) => self.answer_survey(survey),
                Mail::Shutdown => self.shut_down(),
            }
        }
    }

    /// How long to wait: not at all while there is something left to do.
    fn patience(&self) -> Option<Duration> {
        let pushes = !self.walks.is_empty() || self.late_are_due();
        let busy =
            pushes || self.greetings.wait() || !self.more_to_read.is_empty() || self.herd_moves();
        match busy {
            true => Some(Duration::ZERO),
            false => self.drain_patience(),
        }
    }

    /// The place of a connection, if it still lives.
    pub(super) fn find(&self, connection: ConnectionId) -> Option<usize> {
        let key = connection.key as usize;
        self.connections
            .get(key)
            .filter(|found| found.generation == connection.generation)
            .map(|_| key)
    }

    /// The name of the connection at a place.
    pub(super) fn id(&self, key: usize) -> ConnectionId {
        ConnectionId {
            key: key as u32,
            generation: self.connections[key].generation,
        }
    }

    /// Has the socket watched from now on.
    pub(super) fn register(&mut self, key: usize) -> io::Result<()> {
        let token = Token::from(self.id(key));
        let stream = &mut self.connections[key].stream;
        self.poll
            .registry()
            .register(stream, token, Interest::READABLE)
    }
}

impl From<Token> for ConnectionId {
    fn from(token: Token) -> Self {
        Self {
            key: token.0 as u32,
            generation: (token.0 >> 32) as u32,
        }
    }
}

impl From<ConnectionId> for Token {
    fn from(connection: ConnectionId) -> Self {
        Self((connection.generation as usize) << 32 | connection.key as usize)
    }
}

/// The wall clock, in ms since 1970.
fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64)
}
