//! What a connection costs while it is held, and how bytes leave it.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;

use bytes::{Buf, Bytes};
use mio::net::TcpStream;
use socket2::SockRef;

use super::agents::AgentId;
use super::secure::{PIECE, Secure};
use crate::frame::deflate::Coding;
use crate::hub::KeyId;
use crate::session::Session;
use crate::session::user::KeptUser;
use crate::source::KeyKind;

/// Where a connection is, for the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Until the session says what it is.
    Head,
    /// Its key is being asked for; nothing is read.
    Asking,
    /// Reads and is pushed to.
    Open,
    /// Reads, and waits for its turn with a large state; is not pushed to.
    Waiting,
    /// A close frame is on its way or out; what comes is thrown away.
    Closing,
    /// To be taken out of the table at the end of what is being done.
    Dropped,
    /// To be given to the HTTP server at the end of what is being done.
    HandedOver,
}

/// What goes to and fro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaks {
    /// WebSocket's frames, which may be sent in this way.
    Frames(Coding),
    /// OFREP's events: it listens, and is told that there is something newer, not what.
    Events,
}

/// A place in an environment's list of members.
#[derive(Clone, Copy, Debug)]
pub(super) struct Membership {
    /// Which list.
    pub(super) environment: u32,
    /// Where in it.
    pub(super) index: u32,
    /// The key it came with.
    pub(super) key: KeyId,
    pub(super) kind: KeyKind,
}

/// One connection. There are many: what is not needed while it is silent is behind `rest`.
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    /// Tells it from others that had its place before.
    pub(super) generation: u32,
    /// The tick that its deadline counts from: the connect, or the last byte since it synced; for
    /// listeners the last byte to them.
    pub(super) since: u32,
    /// The generation of the state that it was answered from; 0 before the first answer.
    pub(super) answered: u32,
    /// The generation of the state whose bytes were all handed to the socket; 0 before the first.
    pub(super) written: u32,
    /// The generation of the state that the peer has acknowledged; 0 before the first.
    pub(super) received: u32,
    /// The tick of its connect.
    pub(super) opened: u32,
    /// The stamp of the state that it was answered from; while it waits, the timestamp that it asked with.
    /// For listeners the version that another node told them of; 0 without one.
    pub(super) stamp: i64,
    /// Bytes of its input that are kept, as they are counted in the loop's sum.
    pub(super) kept: u32,
    /// The tick after that in which the message began that is incomplete; 0 without one.
    pub(super) message_since: u32,
    /// Who it is pushed to, for client SDKs.
    pub(super) user: Option<KeptUser>,
    pub(super) session: Session,
    pub(super) membership: Option<Membership>,
    /// What could not be done at once.
    pub(super) rest: Option<Box<Rest>>,
    pub(super) phase: Phase,
    /// What it says that it is.
    pub(super) agent: AgentId,
    pub(super) speaks: Speaks,
    /// Was readable while nothing was read.
    pub(super) readable: bool,
    /// Missed a push while it was slow, or, for listeners, right after another one.
    pub(super) behind: bool,
    /// Missed a step to another history: what it has says nothing about what it lacks.
    pub(super) astray: bool,
    /// Counts among the large states in flight.
    pub(super) large: bool,
    /// Registered for writability, too.
    pub(super) watches_writes: bool,
    /// There is no place for it: it is told so, and counts apart.
    pub(super) refused: bool,
    /// Has shown no key yet.
    pub(super) in_handshake: bool,
    /// Is one of those whose progress is counted.
    pub(super) counted: bool,
}

/// There are tens of thousands: what a held connection may cost is decided, not found out.
/// A debug build's sockets carry bytes of mio's own checks.
const _: () = assert!(size_of::<Connection>() <= 112 + 16 * cfg!(debug_assertions) as usize);

/// More than this is not copied to be kept; less leaves the loop its buffer.
const COPIED: usize = 64 * 1024;

/// Bytes that wait, and what is between them and the socket.
#[derive(Default)]
pub(super) struct Rest {
    /// Read, but not used yet.
    pub(super) unread: Vec<u8>,
    /// To be written, oldest first; shared where it is the same for many.
    pub(super) unsent: VecDeque<Bytes>,
    /// Bytes of it that were made for this connection alone, as many as were kept at first.
    pub(super) copies: usize,
    /// The large answer in it was made for this connection alone.
    pub(super) copied: bool,
    /// The tick when it became large.
    pub(super) large_since: u32,
    /// What encrypts, for as long as the connection lasts.
    pub(super) secure: Option<Box<Secure>>,
    /// Who is at the other end, where the socket does not know.
    pub(super) peer: Option<SocketAddr>,
}

impl Rest {
    /// Whether there is nothing in it.
    fn is_empty(&self) -> bool {
        let nothing_waits = self.unread.is_empty() && self.unsent.is_empty();
        nothing_waits && self.secure.is_none() && self.peer.is_none()
    }
}

impl Connection {
    pub(super) fn new(stream: TcpStream, generation: u32, since: u32) -> Self {
        Self {
            stream,
            generation,
            since,
            answered: 0,
            written: 0,
            received: 0,
            opened: since,
            stamp: 0,
            kept: 0,
            message_since: 0,
            user: None,
            session: Session::default(),
            membership: None,
            rest: None,
            phase: Phase::Head,
            agent: AgentId::NONE,
            speaks: Speaks::Frames(Coding::Clear),
            readable: false,
            behind: false,
            astray: false,
            large: false,
            watches_writes: false,
            refused: false,
            in_handshake: false,
            counted: false,
        }
    }

    /// Whether it listens for events.
    pub(super) fn listens(&self) -> bool {
        self.speaks == Speaks::Events
    }

    /// How it may be sent messages.
    pub(super) fn coding(&self) -> Coding {
        match self.speaks {
            Speaks::Frames(coding) => coding,
            Speaks::Events => Coding::Clear,
        }
    }

    /// Whether it was answered before: it is pushed to.
    pub(super) fn has_synced(&self) -> bool {
        self.answered != 0
    }

    /// Whether there is something that the peer has not taken.
    pub(super) fn is_blocked(&self) -> bool {
        self.rest.as_ref().is_some_and(|rest| {
            let secure = rest.secure.as_ref();
            !rest.unsent.is_empty() || secure.is_some_and(|secure| secure.is_blocked())
        })
    }

    /// What encrypts, if anything does.
    pub(super) fn secure(&mut self) -> Option<&mut Secure> {
        self.rest.as_mut()?.secure.as_deref_mut()
    }

    /// The same with the socket.
    pub(super) fn split(&mut self) -> Option<(&TcpStream, &mut Secure)> {
        let secure = self.rest.as_mut()?.secure.as_deref_mut()?;
        Some((&self.stream, secure))
    }

    /// Whether input is used now. A peer that does not take our answers is not asked for more
    /// questions: that bounds what it can make us keep.
    pub(super) fn reads(&self) -> bool {
        match self.phase {
            Phase::Head | Phase::Open | Phase::Waiting => !self.is_blocked(),
            Phase::Closing => true,
            Phase::Asking | Phase::Dropped | Phase::HandedOver => false,
        }
    }

    /// Whether there is input that can be used now: more than was to be handled at once.
    pub(super) fn can_go_on(&self) -> bool {
        let is_open = matches!(self.phase, Phase::Open | Phase::Waiting);
        let unread = self.rest.as_ref().map_or(0, |rest| rest.unread.len());
        is_open && unread > 0 && self.reads()
    }

    /// Bytes of its input that are kept: of an incomplete message, unread ones, and those that cannot be
    /// decrypted yet.
    pub(super) fn kept_input(&self) -> usize {
        let rest = self.rest.as_ref();
        let unread = rest.map_or(0, |rest| rest.unread.len());
        let secure = rest.and_then(|rest| rest.secure.as_ref());
        self.session.heap_size() + unread + secure.map_or(0, |secure| secure.unread())
    }

    /// Whether a message was begun and has not ended.
    pub(super) fn is_in_message(&self) -> bool {
        let secure = self.rest.as_ref().and_then(|rest| rest.secure.as_ref());
        self.session.heap_size() > 0 || secure.is_some_and(|secure| secure.is_in_record())
    }

    /// Keeps input for later.
    pub(super) fn keep_unread(&mut self, input: &[u8]) {
        if !input.is_empty() {
            let rest = self.rest.get_or_insert_default();
            rest.unread.extend_from_slice(input);
        }
    }

    /// Gives back what was kept.
    pub(super) fn take_unread(&mut self) -> Vec<u8> {
        let Some(rest) = &mut self.rest else {
            return Vec::new();
        };
        let unread = std::mem::take(&mut rest.unread);
        if rest.is_empty() {
            self.rest = None;
        }
        unread
    }

    /// Writes `bytes`, and keeps what does not go out now: a copy, or the buffer itself where much
    /// is left. Returns how many went to the socket.
    pub(super) fn send(&mut self, bytes: &mut Vec<u8>, last: bool) -> io::Result<usize> {
        let sent = if self.is_blocked() {
            0
        } else {
            self.write(bytes, last)?
        };
        let left = bytes.len() - sent;
        if left > 0 {
            let unsent = if left > COPIED {
                bytes.shrink_to_fit();
                let mut whole = Bytes::from(std::mem::take(bytes));
                whole.advance(sent);
                whole
            } else {
                Bytes::copy_from_slice(&bytes[sent..])
            };
            self.keep_unsent(unsent);
            self.rest.get_or_insert_default().copies += left;
        }
        Ok(self.went_out(sent))
    }

    /// Writes, or encrypts and writes; what was not taken is to be kept.
    fn write(&mut self, bytes: &[u8], last: bool) -> io::Result<usize> {
        match self.split() {
            Some((stream, secure)) => secure.write(stream, bytes, last),
            None => write(&self.stream, bytes, last),
        }
    }

    /// How many bytes went to the socket when so many were taken.
    fn went_out(&mut self, taken: usize) -> usize {
        self.secure().map_or(taken, Secure::take_written)
    }

    /// Bytes kept for it that nobody else has.
    pub(super) fn copies(&self) -> usize {
        self.rest.as_ref().map_or(0, |rest| rest.copies)
    }

    /// The same with what is encrypted already, as it is counted in the loop's sum.
    pub(super) fn kept_output(&self) -> usize {
        let secure = self.rest.as_ref().and_then(|rest| rest.secure.as_ref());
        let piece = secure.map_or(0, |secure| PIECE * usize::from(secure.counted));
        self.copies() + piece
    }

    /// The same for bytes that are shared.
    pub(super) fn send_shared(&mut self, mut bytes: Bytes) -> io::Result<usize> {
        let sent = if self.is_blocked() {
            0
        } else {
            self.write(&bytes, false)?
        };
        bytes.advance(sent);
        if !bytes.is_empty() {
            self.keep_unsent(bytes);
        }
        Ok(self.went_out(sent))
    }

    /// Writes what was kept. Returns how many bytes went to the socket.
    pub(super) fn flush(&mut self) -> io::Result<usize> {
        let mut total = 0;
        if let Some((stream, secure)) = self.split() {
            secure.flush(stream)?;
        }
        while let Some(rest) = &mut self.rest
            && let Some(first) = rest.unsent.front_mut()
        {
            let sent = match &mut rest.secure {
                Some(secure) => secure.write(&self.stream, first, false)?,
                None => write(&self.stream, first, false)?,
            };
            total += sent;
            first.advance(sent);
            if !first.is_empty() {
                break;
            }
            rest.unsent.pop_front();
            if rest.unsent.is_empty() {
                rest.copies = 0;
            }
            if rest.is_empty() {
                self.rest = None;
            }
        }
        Ok(self.went_out(total))
    }

    fn keep_unsent(&mut self, bytes: Bytes) {
        let rest = self.rest.get_or_insert_default();
        rest.unsent.push_back(bytes);
    }
}

/// Writes once, again only after a signal: 0 means that the peer's buffers are full. A last
/// write waits for the socket's end, so that both travel in one packet.
fn write(stream: &TcpStream, bytes: &[u8], last: bool) -> io::Result<usize> {
    let flags = libc::MSG_NOSIGNAL | if last { libc::MSG_MORE } else { 0 };
    loop {
        match SockRef::from(stream).send_with_flags(bytes, flags) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(0),
            sent => return sent,
        }
    }
}
