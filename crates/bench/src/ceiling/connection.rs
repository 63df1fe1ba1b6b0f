//! A connection, and what goes over it.

use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;

use rustix::io::Errno;
use rustix::net::{SendFlags, send};

use super::wire::Reply;

/// What the server keeps of a peer.
pub(super) struct Connection {
    pub(super) socket: OwnedFd,
    /// It speaks frames.
    pub(super) upgraded: bool,
    /// It has had the state, so it hears of changes.
    pub(super) synced: bool,
    /// It ends when what it is owed has gone.
    pub(super) last: bool,
    /// What the request or frame under way is answered with, when it has come whole.
    pub(super) reply: Reply,
    /// Bytes of it that are still to come.
    pub(super) left: u32,
    /// What the socket did not take: hardly ever anything.
    owed: Option<Box<Owed>>,
}

/// Bytes that the socket did not take.
struct Owed {
    bytes: Rc<[u8]>,
    /// How many of them it did take.
    sent: usize,
    /// What comes after them: the newest only.
    next: Option<Rc<[u8]>>,
}

impl Connection {
    /// A new one.
    pub(super) fn new(socket: OwnedFd) -> Self {
        Self {
            socket,
            upgraded: false,
            synced: false,
            last: false,
            reply: Reply::Nothing,
            left: 0,
            owed: None,
        }
    }

    /// Sends bytes, or keeps what the socket does not take.
    pub(super) fn send(&mut self, bytes: &Rc<[u8]>) -> io::Result<()> {
        if let Some(owed) = &mut self.owed {
            owed.next = Some(Rc::clone(bytes));
            return Ok(());
        }
        let sent = send_some(&self.socket, bytes)?;
        if sent < bytes.len() {
            self.owed = Some(Box::new(Owed {
                bytes: Rc::clone(bytes),
                sent,
                next: None,
            }));
        }
        Ok(())
    }

    /// Sends a few bytes that are its own, which a socket always takes when they are the first.
    pub(super) fn send_first(&mut self, bytes: &[u8]) -> io::Result<()> {
        match send_some(&self.socket, bytes)? == bytes.len() {
            true => Ok(()),
            false => Err(io::ErrorKind::WriteZero.into()),
        }
    }

    /// Sends what it is owed, as far as the socket takes it.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        while let Some(mut owed) = self.owed.take() {
            owed.sent += send_some(&self.socket, &owed.bytes[owed.sent..])?;
            if owed.sent < owed.bytes.len() {
                self.owed = Some(owed);
                return Ok(());
            }
            if let Some(next) = owed.next {
                self.send(&next)?;
            }
        }
        Ok(())
    }

    /// Whether nothing more is to be said.
    pub(super) fn is_over(&self) -> bool {
        self.last && self.owed.is_none()
    }
}

/// How many bytes the socket took.
fn send_some(socket: &OwnedFd, bytes: &[u8]) -> io::Result<usize> {
    loop {
        match send(socket, bytes, SendFlags::NOSIGNAL) {
            Ok(sent) => return Ok(sent),
            Err(Errno::AGAIN) => return Ok(0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
