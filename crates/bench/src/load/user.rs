//! What an SDK sends.

use std::io::Write;
use std::net::SocketAddr;

/// Which SDK is played.
#[derive(Debug, Clone)]
pub enum Sdk {
    /// A client SDK with this key: each connection has a user of its own, with three properties.
    Client(String),
    /// A server SDK with this key.
    Server(String),
}

/// The mask of our frames. A fixed one: the server has the same work with it.
const MASK: [u8; 4] = [0x12, 0x34, 0x56, 0x78];

/// Writes what one kind of SDK sends to one server.
#[derive(Debug)]
pub(super) struct Voice {
    address: SocketAddr,
    sdk: Sdk,
    deflate: bool,
    payload: Vec<u8>,
}

impl Voice {
    pub(super) fn new(address: SocketAddr, sdk: Sdk, deflate: bool) -> Self {
        Self {
            address,
            sdk,
            deflate,
            payload: Vec::new(),
        }
    }

    /// Appends the request for an upgrade, with a token of `now` (ms since 1970).
    pub(super) fn upgrade(&self, now: u128, out: &mut Vec<u8>) {
        let (kind, key) = match &self.sdk {
            Sdk::Client(key) => ("client", key),
            Sdk::Server(key) => ("server", key),
        };
        let token = token(key, now);
        let offer = match self.deflate {
            true => "Sec-WebSocket-Extensions: permessage-deflate\r\n",
            false => "",
        };
        // Writing to memory cannot fail.
        let _ = write!(
            out,
            "GET /streaming?type={kind}&token={token} HTTP/1.1\r\nHost: {}\r\n\
             Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{offer}\r\n",
            self.address
        );
    }

    /// Appends a `data-sync` for everything; of the user with this number where it is a client's.
    pub(super) fn sync(&mut self, user: u32, out: &mut Vec<u8>) {
        self.payload.clear();
        let _ = match &self.sdk {
            Sdk::Client(_) => write!(
                self.payload,
                r#"{{"messageType":"data-sync","data":{{"user":{{"keyId":"user-{user}","name":"User {user}","customizedProperties":[{{"name":"country","value":"de"}},{{"name":"age","value":"{}"}},{{"name":"plan","value":"enterprise"}}]}},"timestamp":0}}}}"#,
                user % 90
            ),
            Sdk::Server(_) => self
                .payload
                .write_all(br#"{"messageType":"data-sync","data":{"timestamp":0}}"#),
        };
        frame(0x1, &self.payload, out);
    }
}

/// Appends an SDK's ping.
pub(super) fn ping(out: &mut Vec<u8>) {
    frame(0x1, br#"{"messageType":"ping","data":{}}"#, out);
}

/// Appends the answer to a WebSocket ping.
pub(super) fn pong(payload: &[u8], out: &mut Vec<u8>) {
    frame(0xA, payload, out);
}

/// Appends a close frame with 1000, as SDKs send it.
pub(super) fn goodbye(out: &mut Vec<u8>) {
    frame(0x8, &1000_u16.to_be_bytes(), out);
}

/// Appends a frame of at most 64 KiB, masked as clients must.
fn frame(opcode: u8, payload: &[u8], out: &mut Vec<u8>) {
    out.push(0x80 | opcode);
    match u8::try_from(payload.len()) {
        Ok(short) if short < 126 => out.push(0x80 | short),
        _ => {
            out.push(0x80 | 126);
            out.extend((payload.len() as u16).to_be_bytes());
        }
    }
    out.extend(MASK);
    let masked = payload.iter().zip(MASK.iter().cycle());
    out.extend(masked.map(|(byte, mask)| byte ^ mask));
}

/// The connection token around a secret, as SDKs make it at a moment (ms since 1970).
pub fn token(secret: &str, now: u128) -> String {
    let number = |value: u128, width: usize| -> String {
        let digits = format!("{value:0width$}");
        let letter = |digit: u8| char::from(b"QBWSPHDXZU"[usize::from(digit - b'0')]);
        digits.bytes().map(letter).collect()
    };
    let secret = secret.trim_end_matches('=');
    let (front, back) = secret.split_at(secret.len() / 2);
    let time = number(now, 1);
    let start = number(front.len() as u128, 3);
    let length = number(time.len() as u128, 2);
    format!("{start}{length}{front}{time}{back}")
}
