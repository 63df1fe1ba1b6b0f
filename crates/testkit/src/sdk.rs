//! An SDK as a server sees it: a token in the address, a data-sync, and a state that every further
//! message is put into.
//!
//! It blocks the thread that uses it: in an asynchronous test the server must have other threads.
#![allow(
    clippy::panic,
    clippy::expect_used,
    reason = "a test that cannot go on stops here"
)]

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use burgee_eval::time::Millis;
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Error, Message, WebSocket};

/// How long an SDK waits for a message before the test fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// What an SDK key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Values for one user.
    Client,
    /// Whole flags and segments.
    Server,
}

/// What came over a connection.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A data-sync's payload; it is in the state already.
    Data(Value),
    /// Any other message.
    Other(Value),
    /// The server closed with this code.
    Closed(u16),
    /// The connection ended without a word.
    Lost,
}

/// A connected SDK.
pub struct Sdk {
    socket: WebSocket<TcpStream>,
    kind: Kind,
    /// Flags by key, as they were sent last.
    pub flags: BTreeMap<String, Value>,
    /// Segments by id, as they were sent last (server keys).
    pub segments: BTreeMap<String, Value>,
}

impl Sdk {
    /// Connected, but silent.
    ///
    /// # Panics
    /// Where the server does not upgrade.
    pub fn connect(address: SocketAddr, kind: Kind, secret: &str) -> Self {
        Self::try_connect(address, kind, secret).expect("an upgraded connection")
    }

    /// As [`Self::connect`], where the server may be gone.
    ///
    /// # Errors
    /// It is not there, or does not upgrade.
    pub fn try_connect(
        address: SocketAddr,
        kind: Kind,
        secret: &str,
    ) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Self::try_connect_within(address, kind, secret, PATIENCE)
    }

    /// As [`Self::try_connect`]; it waits so long for whatever comes.
    ///
    /// # Errors
    /// The server is not there, or does not upgrade in time.
    pub fn try_connect_within(
        address: SocketAddr,
        kind: Kind,
        secret: &str,
        patience: Duration,
    ) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Self::upgrade(address, kind, secret, None, patience)
    }

    /// As [`Self::connect`]; it says that it is `agent` (`User-Agent`).
    ///
    /// # Panics
    /// Where the server does not upgrade.
    pub fn connect_as(address: SocketAddr, kind: Kind, secret: &str, agent: &str) -> Self {
        let connected = Self::upgrade(address, kind, secret, Some(agent), PATIENCE);
        connected.expect("an upgraded connection")
    }

    fn upgrade(
        address: SocketAddr,
        kind: Kind,
        secret: &str,
        agent: Option<&str>,
        patience: Duration,
    ) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let name = match kind {
            Kind::Client => "client",
            Kind::Server => "server",
        };
        let token = token(secret, now());
        let url = format!("ws://{address}/streaming?type={name}&token={token}");
        let stream = TcpStream::connect_timeout(&address, patience)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        stream.set_nodelay(true)?;
        let mut request = url.into_client_request()?;
        if let Some(agent) = agent {
            request.headers_mut().insert("user-agent", agent.parse()?);
        }
        let (socket, _) = tungstenite::client(request, stream)?;
        Ok(Self {
            socket,
            kind,
            flags: BTreeMap::new(),
            segments: BTreeMap::new(),
        })
    }

    /// A client SDK that has its user's values.
    pub fn client(address: SocketAddr, secret: &str, user: &Value) -> Self {
        let mut sdk = Self::connect(address, Kind::Client, secret);
        sdk.identify(user, 0);
        sdk
    }

    /// A server SDK that has everything.
    pub fn server(address: SocketAddr, secret: &str) -> Self {
        let mut sdk = Self::connect(address, Kind::Server, secret);
        sdk.sync(0);
        sdk
    }

    /// Asks as a client for what is newer than `timestamp`; gives the answer.
    pub fn identify(&mut self, user: &Value, timestamp: i64) -> Value {
        self.say(&json!({ "messageType": "data-sync",
            "data": { "user": user, "timestamp": timestamp } }));
        self.data()
    }

    /// Asks as a server SDK for what is newer than `timestamp`; gives the answer.
    pub fn sync(&mut self, timestamp: i64) -> Value {
        self.say(&json!({ "messageType": "data-sync", "data": { "timestamp": timestamp } }));
        self.data()
    }

    /// Takes the place of an SDK that lost its connection: it has what that one had.
    pub fn instead_of(self, before: &Self) -> Self {
        Self {
            flags: before.flags.clone(),
            segments: before.segments.clone(),
            ..self
        }
    }

    /// Sends a message.
    pub fn say(&mut self, message: &Value) {
        assert!(self.try_say(message), "a message is sent");
    }

    /// Sends a message; whether that worked.
    pub fn try_say(&mut self, message: &Value) -> bool {
        let text = Message::text(message.to_string());
        self.socket.send(text).is_ok()
    }

    /// Waits for the answer to a ping: whatever the server sent before has come by then. Pushes
    /// that come first go into the state.
    pub fn settle(&mut self) {
        self.say(&json!({ "messageType": "ping", "data": {} }));
        loop {
            match self.event() {
                Event::Other(message) if message["messageType"] == "pong" => return,
                Event::Data(_) => {}
                other => panic!("a pong was expected, not {other:?}"),
            }
        }
    }

    /// The next data-sync.
    pub fn data(&mut self) -> Value {
        match self.event() {
            Event::Data(data) => data,
            other => panic!("a data-sync was expected, not {other:?}"),
        }
    }

    /// Takes what comes until the state is as wanted.
    ///
    /// # Panics
    /// Where it never is.
    pub fn until(&mut self, wanted: impl Fn(&Self) -> bool) {
        let until = Instant::now() + PATIENCE * 4;
        while !wanted(self) {
            assert!(Instant::now() < until, "other states come");
            self.data();
        }
    }

    /// Takes what comes until the connection is closed; the code.
    pub fn close_code(&mut self) -> u16 {
        loop {
            match self.event() {
                Event::Closed(code) => return code,
                Event::Lost => panic!("the connection ended without a close frame"),
                Event::Data(_) | Event::Other(_) => {}
            }
        }
    }

    /// The next thing that comes.
    pub fn event(&mut self) -> Event {
        self.next().expect("something comes")
    }

    /// The next thing that comes in so long a time, which is kept to from now on.
    pub fn within(&mut self, patience: Duration) -> Option<Event> {
        let set = self.socket.get_ref().set_read_timeout(Some(patience));
        set.expect("a time-out");
        self.next()
    }

    fn next(&mut self) -> Option<Event> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Some(self.take(text.as_str())),
                Ok(Message::Close(frame)) => {
                    let code = frame.map_or(1005, |frame| frame.code.into());
                    return Some(Event::Closed(code));
                }
                Ok(_) => {}
                Err(Error::Io(error)) if is_timeout(&error) => return None,
                Err(_) => return Some(Event::Lost),
            }
        }
    }

    /// A flag's value for the user (client keys).
    pub fn value(&self, flag: &str) -> Option<&str> {
        self.flags.get(flag)?["variation"].as_str()
    }

    /// Whether a flag is on (server keys).
    pub fn is_on(&self, flag: &str) -> Option<bool> {
        self.flags.get(flag)?["isEnabled"].as_bool()
    }

    /// The newest stamp that it has, in ms since 1970: what an SDK asks with after it was away.
    pub fn newest(&self) -> i64 {
        let items = self.flags.values().chain(self.segments.values());
        let stamps = items.filter_map(|item| match self.kind {
            Kind::Client => item["timestamp"].as_i64(),
            Kind::Server => Some(Millis::parse(item["updatedAt"].as_str()?)?.0),
        });
        stamps.max().unwrap_or_default()
    }

    fn take(&mut self, text: &str) -> Event {
        let mut message: Value = serde_json::from_str(text).expect("a JSON message");
        if message["messageType"] != "data-sync" {
            return Event::Other(message);
        }
        let data = message["data"].take();
        if data["eventType"] == "full" {
            self.flags.clear();
            self.segments.clear();
        }
        let id = match self.kind {
            Kind::Client => "id",
            Kind::Server => "key",
        };
        store(&mut self.flags, &data["featureFlags"], id);
        store(&mut self.segments, &data["segments"], "id");
        Event::Data(data)
    }
}

fn store(into: &mut BTreeMap<String, Value>, items: &Value, id: &str) {
    for item in items.as_array().into_iter().flatten() {
        let key = item[id].as_str().expect("an item has an id");
        into.insert(key.to_owned(), item.clone());
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// A connection token for a secret at a moment, as SDKs make it.
pub fn token(secret: &str, at: i64) -> String {
    const CUT: usize = 7;
    let text = secret.trim_end_matches('=');
    let digits = at.to_string();
    let (front, back) = text.split_at(CUT.min(text.len()));
    let cut = number(&format!("{:03}", front.len()));
    let len = number(&format!("{:02}", digits.len()));
    format!("{cut}{len}{front}{}{back}", number(&digits))
}

fn number(digits: &str) -> String {
    let letter = |digit: u8| char::from(b"QBWSPHDXZU"[usize::from(digit - b'0')]);
    digits.bytes().map(letter).collect()
}

/// Ms since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}
