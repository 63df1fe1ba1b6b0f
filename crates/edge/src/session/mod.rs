//! The streaming protocol of one connection, without IO: bytes in, actions out.
//!
//! A [`Session`] reads a request head, a token, frames and messages, answers what needs no state,
//! and says what it needs from outside as an [`Action`]. Whoever drives it moves the bytes, looks
//! keys up and answers syncs. How the input is cut into pieces makes no difference to the actions.

pub mod user;

use burgee_eval::user::User;

use crate::frame::deflate::Coding;
use crate::frame::read::{Event, Reader};
use crate::frame::write;
use crate::http::head::{self, Head, Upgrade};
use crate::http::{answer, query};
use crate::message::{self, Message};
use crate::metrics::Reason;
use crate::source::KeyKind;
use crate::token::{self, Refused, Secret};

/// What to do now, in this order.
#[derive(Debug, PartialEq, Eq)]
pub enum Action<'a> {
    /// Send these bytes.
    Send(&'a [u8]),
    /// From now on messages may be sent deflated.
    Deflate,
    /// It says that it is this (`X-User-Agent`, `User-Agent`): only for people.
    Agent(&'a str),
    /// Look the secret up. If it is known to be good, go on at once; if it has to be asked for,
    /// stop, and [`Session::admit`] later; otherwise close.
    Admit(&'a Secret, KeyKind),
    /// Answer a data-sync of a client SDK, and from now on push to this user.
    SyncClient(&'a User<'a>, i64),
    /// Answer a data-sync of a server SDK, and push from now on.
    SyncServer(i64),
    /// What came broke a rule and was passed over, so often: count it, and go on.
    PassedOver(Reason, u64),
    /// Send a close frame and be done with the connection.
    Close(Close),
    /// The client closes: answer with its code, if it has one, and drop the connection.
    Closed(Option<u16>),
    /// Send this plain answer and drop the connection.
    Refuse(&'static [u8]),
    /// It is ordinary HTTP, or a relay: somebody else goes on with the socket and the input, none
    /// of which has been used.
    HandOver,
}

/// A close frame's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Close {
    /// SDKs read it: 4003 stops some of them for good.
    pub code: u16,
    /// For people who look at the wire.
    pub reason: &'static str,
}

impl Close {
    /// Nothing will make this connection right: SDKs stop.
    pub const REFUSED: Self = Self::new(4003, "invalid request, close by server");
    /// The key was revoked, or its environment deleted.
    pub const REVOKED: Self = Self::new(4003, "the SDK key was revoked");
    /// The server goes away; SDKs reconnect.
    pub const GOING_AWAY: Self = Self::new(1001, "the server shuts down");
    /// Nothing came for too long.
    pub const SILENT: Self = Self::new(1001, "silent for too long");
    /// The key has as many connections as it may have; SDKs reconnect.
    pub const TOO_MANY: Self = Self::new(1011, "too many connections with this SDK key");
    /// The token's moment is far from the server's clock, and whose clock is wrong nobody knows: a server
    /// whose clock jumped must not stop all SDKs for good. They reconnect.
    pub const CLOCKS: Self = Self::new(
        1011,
        "the token's moment is too far from the server's clock",
    );
    /// The key cannot be checked now; SDKs reconnect.
    pub const UNAVAILABLE: Self = Self::new(1011, "keys cannot be checked now");

    const fn new(code: u16, reason: &'static str) -> Self {
        Self { code, reason }
    }
}

/// Whether the session goes on with its input after an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// On.
    Go,
    /// Not now: what has not been used is given again later.
    Stop,
}

/// Messages of so much text are handled at once; what comes behind them is left for later. What one
/// read finds as it was sent is never so much: this is for what is inflated, of which there may be
/// a thousand times as much, and others wait meanwhile.
const AT_ONCE: usize = 256 * 1024;

/// The `type` of a relay's upgrade.
const RELAY: &[u8] = b"relay-proxy";

/// Where a connection is in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The request head is not complete.
    Head,
    /// Upgraded; its key is being asked for.
    Asking(KeyKind),
    /// Frames.
    Open(KeyKind),
    /// Over: what comes is not read.
    Over,
}

/// One connection's protocol state.
pub struct Session {
    stage: Stage,
    coding: Coding,
    reader: Reader,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            stage: Stage::Head,
            coding: Coding::Clear,
            reader: Reader::default(),
        }
    }
}

impl Session {
    /// Reads on. `now` is in ms since 1970. Returns how much of `input` was used; the rest is to
    /// be given again, with what comes after it: where a request head is not whole, when there is
    /// more; otherwise soon, after a look at others.
    pub fn receive(
        &mut self,
        input: &mut [u8],
        now: i64,
        act: &mut impl FnMut(Action<'_>) -> Flow,
    ) -> usize {
        let mut used = 0;
        if self.stage == Stage::Head {
            match self.read_head(input, now, act) {
                (len, Flow::Go) => used = len,
                (len, Flow::Stop) => return len,
            }
        }
        let mut text = 0;
        while let Stage::Open(kind) = self.stage
            && used < input.len()
            && text < AT_ONCE
        {
            match self.reader.next(&mut input[used..], self.coding) {
                Ok((len, event)) => {
                    used += len;
                    if let Some(Event::Text(message)) = &event {
                        text += message.len();
                    }
                    if let Some(event) = event
                        && self.handle(event, kind, act) == Flow::Stop
                    {
                        break;
                    }
                }
                Err(violation) => {
                    self.stage = Stage::Over;
                    act(Action::Close(Close::new(violation.code(), "")));
                }
            }
        }
        used
    }

    /// The key that was asked for is good.
    pub fn admit(&mut self) {
        if let Stage::Asking(kind) = self.stage {
            self.stage = Stage::Open(kind);
        }
    }

    /// Whether the request head has not come yet.
    pub fn awaits_head(&self) -> bool {
        self.stage == Stage::Head
    }

    /// Bytes of memory that it owns.
    pub fn heap_size(&self) -> usize {
        self.reader.heap_size()
    }

    fn read_head(
        &mut self,
        input: &[u8],
        now: i64,
        act: &mut impl FnMut(Action<'_>) -> Flow,
    ) -> (usize, Flow) {
        let upgrade = match head::parse(input) {
            Head::Partial => return (0, Flow::Stop),
            Head::Streaming(upgrade) => upgrade,
            Head::TooLong => return (0, self.end(Action::Refuse(answer::HEAD_TOO_LONG), act)),
            Head::Other => return (0, self.end(Action::HandOver, act)),
        };
        // Relays are few, and said more to than fits here.
        let kind = query::parameter(upgrade.query, "type");
        if kind.is_some_and(|kind| kind.as_ref() == RELAY) {
            return (0, self.end(Action::HandOver, act));
        }
        let key = match upgrade.key {
            Ok(key) => key,
            Err(why) => {
                return (0, self.end(Action::Refuse(answer::bad_upgrade(why)), act));
            }
        };
        let mut switching = Vec::with_capacity(256);
        answer::switching_protocols(key, upgrade.deflate, &mut switching);
        act(Action::Send(&switching));
        if upgrade.deflate.is_some() {
            self.coding = Coding::Deflate;
            act(Action::Deflate);
        }
        if let Some(agent) = upgrade.agent {
            act(Action::Agent(agent));
        }
        // Refused after the upgrade: SDKs read the close code, not the HTTP status.
        let flow = match credentials(&upgrade, now) {
            Ok((secret, kind)) => {
                self.stage = Stage::Asking(kind);
                let flow = act(Action::Admit(&secret, kind));
                if flow == Flow::Go {
                    self.admit();
                }
                flow
            }
            Err(close) => self.end(Action::Close(close), act),
        };
        (upgrade.len, flow)
    }

    fn handle(
        &mut self,
        event: Event<'_>,
        kind: KeyKind,
        act: &mut impl FnMut(Action<'_>) -> Flow,
    ) -> Flow {
        match event {
            Event::Text(text) => answer_message(&text, kind, act),
            Event::Ping(payload) => {
                let mut frame = Vec::with_capacity(2 + payload.len());
                write::pong(&payload, &mut frame);
                act(Action::Send(&frame))
            }
            Event::Pong => Flow::Go,
            Event::Close(code) => self.end(Action::Closed(code), act),
        }
    }

    /// The last action.
    fn end(&mut self, action: Action<'_>, act: &mut impl FnMut(Action<'_>) -> Flow) -> Flow {
        self.stage = Stage::Over;
        act(action);
        Flow::Stop
    }
}

/// The secret and its kind, from the query; how the connection is closed where they do not do.
fn credentials(upgrade: &Upgrade<'_>, now: i64) -> Result<(Secret, KeyKind), Close> {
    let parameter = |name| query::parameter(upgrade.query, name).ok_or(Close::REFUSED);
    let kind = match parameter("type")?.as_ref() {
        b"client" => KeyKind::Client,
        b"server" => KeyKind::Server,
        _ => return Err(Close::REFUSED),
    };
    let version = query::parameter(upgrade.query, "version").unwrap_or_default();
    if !matches!(version.as_ref(), b"" | b"1" | b"2") {
        return Err(Close::REFUSED);
    }
    let mut token = parameter("token")?.into_owned();
    // Somebody in between may have read a `+` as a blank; a secret has none.
    for blank in token.iter_mut().filter(|byte| **byte == b' ') {
        *blank = b'+';
    }
    match token::verify(&token, now) {
        Ok(secret) => Ok((secret, kind)),
        Err(Refused::Malformed) => Err(Close::REFUSED),
        Err(Refused::Expired) => Err(Close::CLOCKS),
    }
}

fn answer_message(text: &str, kind: KeyKind, act: &mut impl FnMut(Action<'_>) -> Flow) -> Flow {
    let mut frame = Vec::new();
    let message = message::parse(text, &mut |reason, count| {
        act(Action::PassedOver(reason, count));
    });
    match (message, kind) {
        (Ok(Message::Ping), _) => write::text(message::PONG, &mut frame),
        (Ok(Message::Echo(data)), _) => {
            write::text_with(&mut frame, data.len(), |out| {
                message::echo(data, out);
                true
            });
        }
        (Ok(Message::Sync(sync)), KeyKind::Client) => {
            return match &sync.user {
                Some(user) => act(Action::SyncClient(user, sync.timestamp)),
                None => act(Action::PassedOver(Reason::UserKey, 1)),
            };
        }
        (Ok(Message::Sync(sync)), KeyKind::Server) => {
            return act(Action::SyncServer(sync.timestamp));
        }
        (Err(reason), _) => return act(Action::PassedOver(reason, 1)),
    }
    act(Action::Send(&frame))
}
