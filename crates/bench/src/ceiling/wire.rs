//! Requests, as far as the ceiling reads them, and its fixed answers.

use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};

/// What a whole request, or a whole frame, is answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    /// Nothing: a frame that asks for nothing.
    Nothing,
    /// The 101.
    Upgrade,
    /// The state.
    State,
    /// A pong.
    Pong,
    /// 200 without a body.
    Accepted,
    /// 200 with fixed JSON.
    Value,
    /// The flag is turned, everybody hears of it, and then 200.
    Change {
        /// On, or off.
        on: bool,
    },
}

/// A request or frame, as its first bytes announce it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    /// The length of its head.
    pub(super) head: usize,
    /// How long what follows is.
    pub(super) body: usize,
    /// Its answer.
    pub(super) reply: Reply,
    /// Whether the connection ends with the answer.
    pub(super) last: bool,
}

const MAX_HEADERS: usize = 32;

/// Reads a request's head; `None` where it is not whole, or none.
///
/// With the head of an upgrade comes what the 101 has to say: that is `accept`'s.
pub(super) fn request(input: &[u8], accept: &mut [u8; 28]) -> Option<Unit> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(head) = request.parse(input).ok()? else {
        return None;
    };
    let header = |name: &str| {
        let mut all = request.headers.iter();
        let found = all.find(|header| header.name.eq_ignore_ascii_case(name))?;
        Some(found.value)
    };
    if let Some(key) = header("sec-websocket-key") {
        *accept = accept_of(key);
        return Some(Unit {
            head,
            body: 0,
            reply: Reply::Upgrade,
            last: false,
        });
    }
    let body = match header("content-length") {
        Some(length) => std::str::from_utf8(length).ok()?.parse().ok()?,
        None => 0,
    };
    let path = request.path?;
    let reply = if path.ends_with("/changes") {
        // The command itself comes with the head, or in a piece of its own and is not looked at.
        let off = input[head..]
            .windows(7)
            .any(|command| command == b"turnOff");
        Reply::Change { on: !off }
    } else if path.ends_with("/track") {
        Reply::Accepted
    } else {
        Reply::Value
    };
    let closes = header("connection").is_some_and(|value| value.eq_ignore_ascii_case(b"close"));
    Some(Unit {
        head,
        body,
        reply,
        last: closes,
    })
}

/// RFC 6455 §1.3.
fn accept_of(key: &[u8]) -> [u8; 28] {
    let hash = Sha1::new()
        .chain_update(key)
        .chain_update(b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
        .finalize();
    let mut accept = [0; 28];
    // 20 bytes are 28 characters, always.
    let _ = STANDARD.encode_slice(hash, &mut accept);
    accept
}

/// SDKs' pings are not longer, and their data-syncs are.
const LONGEST_PING: usize = 40;

/// Reads a frame's header; `None` where it is not whole, or is none that SDKs send. What it says
/// is told from its length: nothing is unmasked.
pub(super) fn frame(input: &[u8]) -> Option<Unit> {
    let (&[first, second], rest) = input.split_first_chunk()?;
    let (length, extended) = match second & 0x7F {
        126 => (usize::from(u16::from_be_bytes(*rest.first_chunk()?)), 2),
        127 => return None,
        short => (usize::from(short), 0),
    };
    let reply = match first {
        0x81 if length <= LONGEST_PING => Reply::Pong,
        0x81 => Reply::State,
        _ => Reply::Nothing,
    };
    Some(Unit {
        head: 2 + extended + 4,
        body: length,
        reply,
        last: first == 0x88,
    })
}

/// The 101.
pub(super) fn switching_protocols(accept: &[u8; 28]) -> Vec<u8> {
    let mut answer = Vec::with_capacity(160);
    answer.extend_from_slice(
        b"HTTP/1.1 101 Switching Protocols\r\n\
          Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ",
    );
    answer.extend_from_slice(accept);
    answer.extend_from_slice(b"\r\n\r\n");
    answer
}

/// Everything that is sent as it is. Made again at each change, so that its stamps are newer than
/// what was sent before.
#[derive(Debug)]
pub(super) struct Fixed {
    /// The answer to `data-sync`, framed.
    pub(super) state: Rc<[u8]>,
    /// What everybody hears of the change, framed.
    pub(super) patch: Rc<[u8]>,
    /// The answer to a ping, framed.
    pub(super) pong: Rc<[u8]>,
    /// 200 without a body.
    pub(super) accepted: Rc<[u8]>,
    /// 200 with JSON of the size of five flags' values.
    pub(super) value: Rc<[u8]>,
    /// 200 to a change.
    pub(super) changed: Rc<[u8]>,
}

impl Fixed {
    /// All of it, with a flag that is `on`, and `stamp` in milliseconds; the state is `size` bytes
    /// of JSON.
    pub(super) fn new(on: bool, stamp: u64, size: usize) -> Self {
        let flag = flag("returns-true", "boolean", &on.to_string(), stamp);
        let small = message("full", &[&flag, &filler(0, stamp)]);
        let filled = filler(size.saturating_sub(small.len()), stamp);
        let values: Vec<String> = (0..5).map(value).collect();
        Self {
            state: framed(&message("full", &[&flag, &filled])),
            patch: framed(&message("patch", &[&flag])),
            pong: framed(r#"{"messageType":"pong","data":{}}"#),
            accepted: ok(""),
            value: ok(&format!("[{}]", values.join(","))),
            changed: ok(&format!(
                r#"{{"id":"00000000-0000-4000-8000-000000000000","versions":{{"demo/prod":{stamp}}},"diff":[],"warnings":[]}}"#
            )),
        }
    }
}

const ID: &str = "35aca976-989e-4da2-81a1-b3f7c4bde090";

fn flag(key: &str, kind: &str, value: &str, stamp: u64) -> String {
    format!(
        r#"{{"id":"{key}","variationType":"{kind}","variationOptions":[{{"id":"{ID}","value":"true"}},{{"id":"{ID}","value":"false"}}],"timestamp":{stamp},"variation":"{value}","variationId":"{ID}","matchReason":"default","sendToExperiment":false}}"#
    )
}

/// A text flag that makes the state as long as it should be.
fn filler(more: usize, stamp: u64) -> String {
    flag("filler", "string", &"x".repeat(more), stamp)
}

fn message(event: &str, flags: &[&str]) -> String {
    format!(
        r#"{{"messageType":"data-sync","data":{{"eventType":"{event}","userKeyId":"somebody","featureFlags":[{}]}}}}"#,
        flags.join(",")
    )
}

fn value(number: usize) -> String {
    format!(
        r#"{{"key":"flag-of-the-ceiling-{number}","variation":{{"id":"{ID}","type":"boolean","value":"true","matchReason":"default","sendToExperiment":false}}}}"#
    )
}

fn framed(text: &str) -> Rc<[u8]> {
    let mut frame = vec![0x81];
    match (u8::try_from(text.len()), u16::try_from(text.len())) {
        (Ok(short @ 0..126), _) => frame.push(short),
        (_, Ok(length)) => {
            frame.push(126);
            frame.extend(length.to_be_bytes());
        }
        _ => {
            frame.push(127);
            frame.extend((text.len() as u64).to_be_bytes());
        }
    }
    frame.extend_from_slice(text.as_bytes());
    frame.into()
}

fn ok(body: &str) -> Rc<[u8]> {
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    answer.into_bytes().into()
}

#[cfg(test)]
mod tests;
