//! What comes from the server, and what it means.

use std::io::{self, ErrorKind, Read, Write};

use super::{Engine, send_upgrade};
use crate::load::connection::{Begun, Head, head};
use crate::load::event::{Awaited, Failure, Key, What};
use crate::load::reader::{Heard, Reader};
use crate::load::shape::{Kind, Shape};
use crate::load::user;

impl Engine {
    /// The connect is done, one way or another.
    pub(super) fn writable(&mut self, key: Key) {
        let Some(connection) = self.find_mut(key).filter(|connection| connection.is_unsent) else {
            return;
        };
        connection.is_unsent = false;
        if let Ok(Some(error)) = connection.stream.take_error() {
            return self.fail(key, Failure::connect(&error));
        }
        self.write_upgrade();
        let Some(connection) = self.connections.get_mut(key.slot as usize) else {
            return;
        };
        match send_upgrade(&mut connection.stream, &self.output) {
            Ok(true) => {}
            Ok(false) => self.fail(key, Failure::Connect(ErrorKind::WouldBlock)),
            Err(error) => self.fail(key, Failure::connect(&error)),
        }
    }

    /// Reads all that is there.
    pub(super) fn readable(&mut self, key: Key, ends: bool) {
        let mut input = std::mem::take(&mut self.input);
        while let Some(connection) = self.find_mut(key) {
            match connection.stream.read(&mut input) {
                Ok(0) => {
                    self.ended(key);
                    break;
                }
                Ok(size) => {
                    self.received += size as u64;
                    self.take(key, &input[..size]);
                    // Less than asked for is all: a second read would only say so.
                    if size < input.len() && !ends {
                        break;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => {
                    self.broken(key, &error);
                    break;
                }
            }
        }
        self.input = input;
    }

    fn take(&mut self, key: Key, bytes: &[u8]) {
        let Some(connection) = self.find_mut(key) else {
            return;
        };
        if connection.is_open {
            return self.take_frames(key, bytes);
        }
        let joined = match std::mem::take(&mut connection.begun) {
            Begun::Head(mut begun) => {
                begun.extend_from_slice(bytes);
                begun
            }
            _ => Vec::new(),
        };
        let bytes = if joined.is_empty() { bytes } else { &joined };
        match head(bytes) {
            Head::Begun => connection.begun = Begun::Head(bytes.to_vec()),
            Head::Refused(status) => self.fail(key, Failure::Refused(status)),
            Head::Nonsense => self.fail(key, Failure::Protocol("no answer to an upgrade")),
            Head::Upgraded(rest) => {
                self.upgraded(key);
                if !rest.is_empty() {
                    self.take_frames(key, rest);
                }
            }
        }
    }

    fn upgraded(&mut self, key: Key) {
        let now = self.now();
        let Some(connection) = self.find_mut(key) else {
            return;
        };
        connection.is_open = true;
        let (took, user) = (connection.intended.until(now), connection.user);
        self.tell(key, What::Upgraded { took });
        self.output.clear();
        self.voice.sync(user, &mut self.output);
        self.ask(key, Awaited::Sync, now);
    }

    fn take_frames(&mut self, key: Key, bytes: &[u8]) {
        let mut heard = std::mem::take(&mut self.heard);
        let slot = key.slot as usize;
        let Some(connection) = self.connections.get_mut(slot) else {
            return;
        };
        match std::mem::take(&mut connection.begun) {
            Begun::Message(mut reader) => {
                reader.feed(&self.searches, bytes, &mut heard);
                if !reader.is_between_messages() {
                    connection.begun = Begun::Message(reader);
                }
            }
            _ => {
                let mut reader = Reader::new(self.config.deflate);
                reader.feed(&self.searches, bytes, &mut heard);
                if !reader.is_between_messages() {
                    connection.begun = Begun::Message(Box::new(reader));
                }
            }
        }
        for heard in heard.drain(..) {
            self.hear(key, heard);
        }
        self.heard = heard;
    }

    fn hear(&mut self, key: Key, heard: Heard) {
        match heard {
            Heard::Message(shape) => self.message(key, shape),
            Heard::Bad(what) => self.fail(key, Failure::Protocol(what)),
            Heard::Close(code) => self.goodbye(key, Failure::ClosedWith(code)),
            Heard::Ping(payload) => {
                self.output.clear();
                user::pong(&payload, &mut self.output);
                if let Some(connection) = self.connections.get_mut(key.slot as usize) {
                    // Where it is broken, the next read says so.
                    let _ = connection.stream.write(&self.output);
                }
            }
        }
    }

    fn message(&mut self, key: Key, shape: Shape) {
        let (now, flags) = (self.now(), self.config.flags);
        let Some(connection) = self.find_mut(key) else {
            return;
        };
        let went_back = shape.newest > 0 && shape.newest < connection.newest;
        connection.newest = connection.newest.max(shape.newest);
        let took = connection.asked.until(now);
        let what = match (shape.kind, connection.awaited) {
            (Kind::Full, Some(Awaited::Sync)) => {
                connection.awaited = None;
                let is_first = !std::mem::replace(&mut connection.is_synced, true);
                let whole = is_first.then(|| connection.intended.until(now));
                What::Synced { took, whole, shape }
            }
            (Kind::Pong, Some(Awaited::Pong)) => {
                connection.awaited = None;
                What::Ponged { took }
            }
            (Kind::Patch, _) => What::Pushed(shape),
            // A small state is pushed whole to server SDKs, and to who fell behind.
            (Kind::Full, _) if connection.is_synced => What::Pushed(shape),
            _ => What::Misshapen,
        };
        let is_full = shape.kind == Kind::Full;
        self.tell(key, what);
        if is_full && flags.is_some_and(|flags| flags != shape.flags) {
            self.tell(key, What::Misshapen);
        }
        if went_back {
            self.tell(key, What::WentBack);
        }
    }

    /// No byte comes any more.
    fn ended(&mut self, key: Key) {
        self.goodbye(key, Failure::Ended);
    }

    fn broken(&mut self, key: Key, error: &io::Error) {
        let is_open = self.find(key).is_some_and(|found| !found.is_unsent);
        let failure = match is_open {
            true => Failure::Broken(error.kind()),
            false => Failure::connect(error),
        };
        self.goodbye(key, failure);
    }

    /// The server ended it: as we wished, or not.
    fn goodbye(&mut self, key: Key, failure: Failure) {
        let awaited = self.find(key).map(|connection| connection.awaited);
        match awaited {
            Some(Some(Awaited::Goodbye)) => {
                self.tell(key, What::Closed);
                self.connections.remove(key.slot as usize);
            }
            Some(_) => self.fail(key, failure),
            None => {}
        }
    }

    /// Ends a connection that should have gone on.
    pub(super) fn fail(&mut self, key: Key, failure: Failure) {
        if self.find(key).is_some() {
            self.tell(key, What::Failed(failure));
            self.abort(key);
        }
    }
}
