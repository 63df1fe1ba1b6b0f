//! FeatBit's agent as a server sees it: the relay key in the address, and a store that messages are
//! put into as it does that. The agent itself is a .NET program, which does not run here.
//!
//! It blocks the thread that uses it: in an asynchronous test the server must have other threads.
#![allow(
    clippy::panic,
    clippy::expect_used,
    reason = "a test that cannot go on stops here"
)]

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use burgee_eval::time::Millis;
use serde_json::{Value, json};
use tungstenite::{Error, Message, WebSocket};

/// How long an agent waits for a message before the test fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// How much of what it did not read waits on its side, in bytes; the kernel would let it grow to
/// megabytes.
const UNREAD: usize = 64 * 1024;

/// What an agent has. It keeps it when its connection ends.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// SDK keys: `{type, projectKey, envId, envKey, value}`.
    pub secrets: Vec<Value>,
    /// Flags and segments by environment and id.
    items: BTreeMap<(String, String), Item>,
    /// The newest timestamp of each environment; those that it lost stay in it.
    versions: BTreeMap<String, i64>,
    /// What it told the SDKs of an environment, in that order: (environment, item).
    pub pushed: Vec<(String, Value)>,
}

#[derive(Clone, Debug)]
struct Item {
    is_flag: bool,
    json: Value,
}

impl Kept {
    /// The items of an environment, by `key` of flags and `id` of segments.
    fn of(&self, environment: &str, flags: bool) -> BTreeMap<String, Value> {
        let name = if flags { "key" } else { "id" };
        let items = self.items.iter();
        let these = items.filter(|((of, _), it)| of == environment && it.is_flag == flags);
        let named = |item: &Item| (text(&item.json, name), item.json.clone());
        these.map(|(_, item)| named(item)).collect()
    }

    /// The flags of an environment, by key.
    pub fn flags(&self, environment: &str) -> BTreeMap<String, Value> {
        self.of(environment, true)
    }

    /// The segments of an environment, by id.
    pub fn segments(&self, environment: &str) -> BTreeMap<String, Value> {
        self.of(environment, false)
    }

    /// Whether a flag is on in an environment.
    pub fn is_on(&self, environment: &str, flag: &str) -> Option<bool> {
        self.flags(environment).get(flag)?["isEnabled"].as_bool()
    }

    /// Whether SDKs with this key are let in.
    pub fn knows(&self, secret: &str) -> bool {
        self.secrets.iter().any(|it| it["value"] == secret)
    }

    /// How many items it has.
    pub fn items(&self) -> usize {
        self.items.len()
    }

    fn replace(&mut self, items: &[Value]) {
        self.secrets.clear();
        self.items.clear();
        for of in items {
            let environment = text(of, "envId");
            self.secrets.extend(list(of, "secrets"));
            let mut newest = 0;
            for (is_flag, json) in both(of) {
                assert_eq!(json["envId"], environment.as_str());
                newest = newest.max(stamp(&json));
                let key = (environment.clone(), text(&json, "id"));
                self.items.insert(key, Item { is_flag, json });
            }
            self.versions.insert(environment, newest);
        }
    }

    fn update(&mut self, items: &[Value]) {
        for (is_flag, json) in items.iter().flat_map(both) {
            let (environment, at) = (text(&json, "envId"), stamp(&json));
            let key = (environment.clone(), text(&json, "id"));
            let had = self.items.get(&key);
            if had.is_none_or(|had| stamp(&had.json) <= at) {
                let json = json.clone();
                self.items.insert(key, Item { is_flag, json });
            }
            let version = self.versions.entry(environment.clone()).or_default();
            *version = at.max(*version);
            self.pushed.push((environment, json));
        }
    }

    /// What it asks with when it connects.
    fn request(&self) -> Value {
        let newest = self.versions.values().max().copied().unwrap_or_default();
        let data = match newest {
            0 => json!({ "timestamp": 0 }),
            newest => {
                let env = |(id, at): (&String, &i64)| json!({"envId": id, "timestamp": at});
                let envs: Vec<Value> = self.versions.iter().map(env).collect();
                json!({ "timestamp": newest, "envs": envs })
            }
        };
        json!({ "messageType": "data-sync", "data": data })
    }
}

/// A connected agent.
pub struct Agent {
    socket: WebSocket<TcpStream>,
    /// What it has.
    pub kept: Kept,
}

impl Agent {
    /// Connected, but silent.
    ///
    /// # Panics
    /// Where the server does not upgrade.
    pub fn connect(address: SocketAddr, key: &str) -> Self {
        Self::come_back(address, key, Kept::default())
    }

    /// As [`Self::connect`], with what it had.
    ///
    /// # Panics
    /// Where the server does not upgrade.
    pub fn come_back(address: SocketAddr, key: &str, kept: Kept) -> Self {
        let url = format!("ws://{address}/streaming?type=relay-proxy&token={key}");
        let stream = TcpStream::connect_timeout(&address, PATIENCE).expect("a connection");
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a time limit");
        socket2::SockRef::from(&stream)
            .set_recv_buffer_size(UNREAD)
            .expect("a buffer of this size");
        let (socket, _) = tungstenite::client(url, stream).expect("an upgraded connection");
        Self { socket, kept }
    }

    /// An agent that was fed.
    pub fn fed(address: SocketAddr, key: &str) -> Self {
        let mut agent = Self::connect(address, key);
        agent.ask();
        assert_eq!(agent.event(), "rp_full");
        agent
    }

    /// Asks for what it does not have.
    pub fn ask(&mut self) {
        self.say(&self.kept.request().to_string());
    }

    /// Tells how it is, as it does once a minute.
    pub fn tell(&mut self, name: &str) {
        let status = json!({"serves": "", "dataVersion": 1, "syncState": "Stable",
            "lastSyncedAt": null, "reportedAt": "2026-11-22T16:00:00Z"});
        let data = json!({"agentId": name, "status": status.to_string()});
        self.say(&json!({"messageType": "rp-agent-status", "data": data}).to_string());
    }

    /// Sends a text, whatever it is.
    pub fn say(&mut self, text: &str) {
        self.send(Message::text(text));
    }

    /// Sends bytes, whatever they are.
    pub fn say_bytes(&mut self, bytes: Vec<u8>) {
        self.send(Message::binary(bytes));
    }

    fn send(&mut self, message: Message) {
        self.socket.send(message).expect("a message is sent");
    }

    /// The next message.
    ///
    /// # Panics
    /// Where the connection ends before.
    pub fn message(&mut self) -> Value {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    return serde_json::from_str(&text).expect("a JSON message");
                }
                Ok(Message::Close(frame)) => panic!("closed: {frame:?}"),
                Ok(_) => {}
                Err(error) => panic!("nothing came: {error}"),
            }
        }
    }

    /// Takes the next data-sync; gives its event.
    pub fn event(&mut self) -> String {
        let message = self.message();
        assert_eq!(message["messageType"], "data-sync", "{message}");
        let (data, items) = (&message["data"], list(&message["data"], "items"));
        match data["eventType"].as_str() {
            Some("rp_full") => self.kept.replace(&items),
            Some("rp_patch") => self.kept.update(&items),
            other => panic!("{other:?} is not for agents"),
        }
        text(data, "eventType")
    }

    /// Takes what comes until it is as wanted.
    pub fn until(&mut self, wanted: impl Fn(&Kept) -> bool) {
        while !wanted(&self.kept) {
            self.event();
        }
    }

    /// Waits for the answer to a ping: it came last, after `between` data-syncs, which are taken.
    pub fn settle(&mut self) -> usize {
        self.say(r#"{"messageType":"ping","data":{}}"#);
        let mut between = 0;
        loop {
            let message = self.message();
            if message["messageType"] == "pong" {
                return between;
            }
            between += 1;
            let items = list(&message["data"], "items");
            match message["data"]["eventType"] == "rp_full" {
                true => self.kept.replace(&items),
                false => self.kept.update(&items),
            }
        }
    }

    /// The code that the connection is closed with; what comes before is let go.
    pub fn close_code(&mut self) -> u16 {
        loop {
            match self.socket.read() {
                Ok(Message::Close(frame)) => {
                    return frame.map_or(1005, |frame| frame.code.into());
                }
                Ok(_) => {}
                Err(Error::ConnectionClosed) => panic!("closed without a word"),
                Err(error) => panic!("no close frame came: {error}"),
            }
        }
    }
}

/// The flags of an environment's part of a message, then its segments: as an agent takes them.
fn both(of: &Value) -> Vec<(bool, Value)> {
    let flags = list(of, "featureFlags").into_iter().map(|it| (true, it));
    let segments = list(of, "segments").into_iter().map(|it| (false, it));
    flags.chain(segments).collect()
}

fn list(of: &Value, field: &str) -> Vec<Value> {
    of[field].as_array().cloned().expect("a list")
}

fn text(of: &Value, field: &str) -> String {
    of[field].as_str().expect("a text").to_owned()
}

fn stamp(item: &Value) -> i64 {
    let at = Millis::parse(item["updatedAt"].as_str().expect("a text"));
    at.expect("a moment").0
}
