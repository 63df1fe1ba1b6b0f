//! How other threads talk to a loop.

use std::sync::{Arc, Mutex, PoisonError};

use mio::Waker;

use super::listeners::Arrived;
use crate::delivery::Survey;
use crate::hub::{Access, Event};
use crate::source::{KeyKind, Unavailable};
use crate::token::Secret;

/// Names a connection for as long as it lives: a place in the table and who is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ConnectionId {
    pub(super) key: u32,
    pub(super) generation: u32,
}

/// Something for a loop.
pub(super) enum Mail {
    /// An environment changed.
    Event(Event),
    /// What the store of record says of a connection's key.
    Key {
        connection: ConnectionId,
        secret: Secret,
        kind: KeyKind,
        answer: Result<Option<Access>, Unavailable>,
    },
    /// Somebody listens for events, on a connection that was the HTTP server's.
    Listens(Box<Arrived>),
    /// Somebody asks how far connections have come.
    Survey(Survey),
    /// Close everything and end.
    Shutdown,
}

/// A loop's queue. The lock is held for a push or a swap, never while anything else is done.
pub(super) struct Mailbox {
    queue: Mutex<Queue>,
    waker: Waker,
}

#[derive(Default)]
struct Queue {
    mail: Vec<Mail>,
    closed: bool,
}

impl Mailbox {
    pub(super) fn new(waker: Waker) -> Arc<Self> {
        Arc::new(Self {
            queue: Mutex::default(),
            waker,
        })
    }

    /// Adds to the queue; wakes the loop if it may be asleep. Lost when the loop has ended.
    pub(super) fn post(&self, mail: Mail) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.closed {
            return;
        }
        let first = queue.mail.is_empty();
        queue.mail.push(mail);
        drop(queue);
        if first && let Err(error) = self.waker.wake() {
            tracing::error!(%error, "a streaming loop cannot be woken");
        }
    }

    /// Takes all there is.
    pub(super) fn take(&self) -> Vec<Mail> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut queue.mail)
    }

    /// The loop ends: nothing is kept any more.
    pub(super) fn close(&self) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.closed = true;
        queue.mail.clear();
    }
}
