//! A WebSocket client on a plain socket: it sends what it is told, well-formed or not.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use burgee_edge::http::answer::BUSY_BODY;
use rustls::{ClientConfig, ClientConnection};
use serde_json::{Value, json};
use socket2::{Domain, Socket, Type};

use super::deflate::{deflated, inflated};
use super::edge::PATIENCE;
use super::records::Records;

/// What a server sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Received {
    Json(Value),
    Pong(Vec<u8>),
    /// The code, if there was one.
    Close(Option<u16>),
    /// The socket ended.
    End,
}

pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    /// What encrypts, if anything does.
    tls: Option<ClientConnection>,
    read: Vec<u8>,
    /// Messages may be deflated.
    deflates: bool,
    /// The last frame's first byte, and its length on the wire.
    pub(crate) last_frame: (u8, usize),
}

impl Client {
    /// A socket that has said nothing.
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).unwrap())
    }

    /// A socket that speaks TLS, or why it does not.
    pub(crate) fn secure(
        address: SocketAddr,
        config: &Arc<ClientConfig>,
    ) -> Result<Self, std::io::Error> {
        Self::connect(address).shake(config)
    }

    /// Shakes hands.
    pub(crate) fn shake(mut self, config: &Arc<ClientConfig>) -> Result<Self, std::io::Error> {
        let name = "localhost".try_into().unwrap();
        let mut tls = ClientConnection::new(Arc::clone(config), name).unwrap();
        while tls.is_handshaking() {
            tls.complete_io(&mut self.stream)?;
        }
        self.tls = Some(tls);
        Ok(self)
    }

    /// The TLS of the connection.
    pub(crate) fn tls(&self) -> &ClientConnection {
        self.tls.as_ref().unwrap()
    }

    /// Goes on with new keys, and says nothing else.
    pub(crate) fn renew_keys(&mut self) {
        let tls = self.tls.as_mut().unwrap();
        tls.refresh_traffic_keys().unwrap();
        while tls.wants_write() {
            tls.write_tls(&mut self.stream).unwrap();
        }
    }

    /// The socket, and the keys to go on without a library that keeps to the rules.
    pub(crate) fn into_records(self) -> Records {
        let secrets = self.tls.unwrap().dangerous_extract_secrets().unwrap();
        Records::new(self.stream, secrets.tx)
    }

    /// A socket that takes little before it is read.
    pub(crate) fn narrow(address: SocketAddr) -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_recv_buffer_size(16 * 1024).unwrap();
        socket.connect(&address.into()).unwrap();
        Self::over(socket.into())
    }

    fn over(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            tls: None,
            read: Vec::new(),
            deflates: false,
            last_frame: (0, 0),
        }
    }

    /// Upgraded, with a token for the secret.
    pub(crate) fn streaming(address: SocketAddr, kind: &str, secret: &str) -> Self {
        let token = token(secret, now());
        Self::upgraded(address, &format!("type={kind}&token={token}"))
    }

    /// Upgraded, with this query.
    pub(crate) fn upgraded(address: SocketAddr, query: &str) -> Self {
        let mut client = Self::connect(address);
        client.upgrade(query);
        client
    }

    /// Upgrades.
    pub(crate) fn upgrade(&mut self, query: &str) {
        self.send_raw(upgrade(query).as_bytes());
        let head = self.read_head();
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    }

    /// Upgraded, with a token for the secret and `permessage-deflate`; sends deflated messages.
    pub(crate) fn deflating(address: SocketAddr, kind: &str, secret: &str) -> Self {
        let mut client = Self::connect(address);
        client.upgrade_deflating(&format!("type={kind}&token={}", token(secret, now())));
        client
    }

    /// Upgrades, with `permessage-deflate`.
    pub(crate) fn upgrade_deflating(&mut self, query: &str) {
        let offer = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\nHost:";
        self.send_raw(upgrade(query).replace("Host:", offer).as_bytes());
        let head = self.read_head();
        let agreed = "\r\nSec-WebSocket-Extensions: permessage-deflate; \
            server_no_context_takeover; client_no_context_takeover\r\n\r\n";
        assert!(
            head.starts_with("HTTP/1.1 101 ") && head.ends_with(agreed),
            "{head}"
        );
        self.deflates = true;
    }

    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        self.try_send_raw(bytes).unwrap();
    }

    /// Sends what the server may refuse to read.
    pub(crate) fn try_send_raw(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match &mut self.tls {
            Some(tls) => rustls::Stream::new(tls, &mut self.stream).write_all(bytes),
            None => self.stream.write_all(bytes),
        }
    }

    pub(crate) fn send_text(&mut self, text: &str) {
        let frame = match self.deflates {
            true => frame(0xC1, &deflated(text.as_bytes())),
            false => frame(0x81, text.as_bytes()),
        };
        self.send_raw(&frame);
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    /// Says that the user is now this one; its answer.
    pub(crate) fn sync_client(&mut self, user: &str) -> Value {
        self.ask_as(user);
        self.json()
    }

    /// Asks for everything that this user gets.
    pub(crate) fn ask_as(&mut self, user: &str) {
        self.send(&json!({ "messageType": "data-sync", "data": {
            "timestamp": 0,
            "user": { "keyId": user, "name": user, "customizedProperties": [
                { "name": "country", "value": "fr" },
                { "name": "plan", "value": "pro" },
                { "name": "age", "value": "42" },
            ] },
        }}));
    }

    pub(crate) fn sync_server(&mut self, timestamp: i64) -> Value {
        self.ask_as_server(timestamp);
        self.json()
    }

    /// Asks for what is newer.
    pub(crate) fn ask_as_server(&mut self, timestamp: i64) {
        self.send(&json!({ "messageType": "data-sync", "data": { "timestamp": timestamp } }));
    }

    /// The connection is alive: a ping is answered.
    pub(crate) fn ping(&mut self) {
        self.send(&json!({ "messageType": "ping", "data": null }));
        assert_eq!(self.json(), json!({ "messageType": "pong", "data": {} }));
    }

    /// The next thing, which is a message.
    pub(crate) fn json(&mut self) -> Value {
        match self.next() {
            Received::Json(value) => value,
            other => panic!("a message was expected, not {other:?}"),
        }
    }

    /// Everything up to the close frame or the end is passed over.
    pub(crate) fn close_code(&mut self) -> Option<u16> {
        loop {
            match self.next() {
                Received::Close(code) => return code,
                Received::End => panic!("the connection ended without a close frame"),
                _ => {}
            }
        }
    }

    /// The socket ends, and nothing comes before.
    pub(crate) fn ends(&mut self) {
        assert_eq!(self.next(), Received::End);
    }

    /// The rest of an answer that there are too many, and the end.
    pub(crate) fn is_refused(&mut self) {
        self.read_exactly(std::str::from_utf8(BUSY_BODY).unwrap());
        self.ends();
    }

    /// The head of an HTTP answer.
    pub(crate) fn read_head(&mut self) -> String {
        let head = self.try_read_head();
        head.unwrap_or_else(|| panic!("the connection ended before an answer"))
    }

    /// The same, unless the connection ends before.
    pub(crate) fn try_read_head(&mut self) -> Option<String> {
        self.read_until("\r\n\r\n")
    }

    /// What comes up to this and with it, unless the connection ends before.
    pub(crate) fn read_until(&mut self, end: &str) -> Option<String> {
        loop {
            if let Some(at) = find(&self.read, end.as_bytes()) {
                let read: Vec<u8> = self.read.drain(..at + end.len()).collect();
                return Some(String::from_utf8(read).unwrap());
            }
            if !self.fill() {
                return None;
            }
        }
    }

    /// So many bytes that come next.
    pub(crate) fn read_bytes(&mut self, length: usize) -> Vec<u8> {
        while self.read.len() < length {
            assert!(self.fill(), "the connection ended before");
        }
        self.read.drain(..length).collect()
    }

    /// What comes until the end.
    pub(crate) fn read_to_end(&mut self) -> String {
        String::from_utf8(self.read_bytes_to_end()).unwrap()
    }

    /// The same, whatever it is.
    pub(crate) fn read_bytes_to_end(&mut self) -> Vec<u8> {
        while self.fill() {}
        std::mem::take(&mut self.read)
    }

    /// The socket ends, announced or not.
    pub(crate) fn is_dropped(&mut self) {
        let mut room = [0; 1024];
        while self.stream.read(&mut room).is_ok_and(|len| len > 0) {}
    }

    /// This text comes next.
    pub(crate) fn read_exactly(&mut self, text: &str) {
        while self.read.len() < text.len() {
            assert!(self.fill(), "the connection ended before {text:?}");
        }
        let read: Vec<u8> = self.read.drain(..text.len()).collect();
        assert_eq!(String::from_utf8_lossy(&read), text);
    }

    /// The next frame.
    pub(crate) fn next(&mut self) -> Received {
        loop {
            if let Some((opcode, payload)) = self.take_frame() {
                return match opcode {
                    1 => Received::Json(serde_json::from_slice(&payload).unwrap()),
                    8 => {
                        Received::Close(payload.first_chunk().map(|code| u16::from_be_bytes(*code)))
                    }
                    10 => Received::Pong(payload),
                    other => panic!("a frame with opcode {other}"),
                };
            }
            if !self.fill() {
                assert_eq!(self.read, b"", "half a frame");
                return Received::End;
            }
        }
    }

    fn take_frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let first = *self.read.first()?;
        let second = *self.read.get(1)?;
        let is_deflated = first & 0xF0 == 0xC0 && first & 0x0F == 1 && self.deflates;
        assert!(
            is_deflated || first & 0xF0 == 0x80,
            "whole frames as was agreed"
        );
        assert_eq!(second & 0x80, 0, "servers do not mask");
        let (len, at) = match second {
            126 => (
                u16::from_be_bytes(*self.read.get(2..)?.first_chunk()?).into(),
                4,
            ),
            127 => (u64::from_be_bytes(*self.read.get(2..)?.first_chunk()?), 10),
            short => (u64::from(short), 2),
        };
        let end = at + len as usize;
        if self.read.len() < end {
            return None;
        }
        let payload = match is_deflated {
            true => inflated(&self.read[at..end]),
            false => self.read[at..end].to_vec(),
        };
        self.last_frame = (first, end);
        self.read.drain(..end);
        Some((first & 0x0F, payload))
    }

    /// Reads some; false at the end.
    fn fill(&mut self) -> bool {
        let mut buffer = [0; 64 * 1024];
        // Over TLS an end that was not announced is an error.
        let read = match &mut self.tls {
            Some(tls) => rustls::Stream::new(tls, &mut self.stream).read(&mut buffer),
            None => self.stream.read(&mut buffer),
        };
        match read {
            Ok(len) => {
                self.read.extend_from_slice(&buffer[..len]);
                len > 0
            }
            Err(error) if error.kind() == ErrorKind::ConnectionReset => false,
            Err(error) => panic!("nothing came: {error}"),
        }
    }
}

/// A masked frame with this first byte.
pub(crate) fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    const MASK: [u8; 4] = [0x37, 0xFA, 0x21, 0x3D];
    let mut frame = vec![first];
    match payload.len() {
        len @ 0..126 => frame.push(0x80 | len as u8),
        len @ 126..65_536 => {
            frame.push(0x80 | 126);
            frame.extend((len as u16).to_be_bytes());
        }
        len => {
            frame.push(0x80 | 127);
            frame.extend((len as u64).to_be_bytes());
        }
    }
    frame.extend(MASK);
    frame.extend(
        payload
            .iter()
            .zip(MASK.iter().cycle())
            .map(|(byte, mask)| byte ^ mask),
    );
    frame
}

/// An upgrade of `/streaming`.
pub(crate) fn upgrade(query: &str) -> String {
    format!(
        "GET /streaming?{query} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\
         Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
}

/// A connection token, as SDKs make it.
pub(crate) fn token(secret: &str, at: i64) -> String {
    let text = secret.trim_end_matches('=');
    let digits = at.to_string();
    let (front, back) = text.split_at(7);
    let number = |text: &str| -> String {
        text.bytes()
            .map(|digit| char::from(b"QBWSPHDXZU"[usize::from(digit - b'0')]))
            .collect()
    };
    let len = number(&format!("{:02}", digits.len()));
    format!("{}{len}{front}{}{back}", number("007"), number(&digits))
}

/// Ms since 1970.
pub(crate) fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_millis() as i64
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}
