//! Sockets whose peers have not shown a key yet.
//!
//! Anyone can open a socket and say nothing, or little, until a deadline. An honest peer has sent
//! its request by the time that its socket is accepted or a moment later; so when there are too
//! many, the one that has been at it for longest is sent away, not the one that comes.

use std::collections::VecDeque;

use super::connection::Phase;
use super::counters::add;
use super::event_loop::EventLoop;
use super::mailbox::ConnectionId;
use crate::session::Close;

/// One in this many places may be taken by sockets without a key.
const SHARE: usize = 8;

/// When all places are taken there may be this many: room for who is about to show a key.
const FEW: usize = 64;

/// The sockets of a loop that have shown no key.
pub(super) struct Handshakes {
    /// In the order of their accepting; some have gone on.
    order: VecDeque<ConnectionId>,
    count: usize,
    most: usize,
}

impl Handshakes {
    /// For one loop of `loops` that share as many places.
    pub(super) fn new(places: usize, loops: usize) -> Self {
        Self {
            order: VecDeque::new(),
            count: 0,
            most: (places / SHARE / loops.max(1)).max(1),
        }
    }
}

impl EventLoop {
    /// A socket was accepted.
    pub(super) fn begin_handshake(&mut self, key: usize) {
        self.connections[key].in_handshake = true;
        let id = self.id(key);
        self.handshakes.count += 1;
        self.handshakes.order.push_back(id);
        // Those that went on behind one that does not would gather.
        if self.handshakes.order.len() > 2 * self.handshakes.count + FEW {
            let mut order = std::mem::take(&mut self.handshakes.order);
            order.retain(|id| self.in_handshake(*id).is_some());
            self.handshakes.order = order;
        }
    }

    /// A socket shows a key, is somebody else's, or ends.
    pub(super) fn end_handshake(&mut self, key: usize) {
        if std::mem::take(&mut self.connections[key].in_handshake) {
            self.handshakes.count -= 1;
        }
    }

    /// Before a socket is taken: sends the oldest away where there are too many.
    pub(super) fn make_room(&mut self) {
        let count = self.handshakes.count;
        let too_many = count >= self.handshakes.most || count >= FEW && self.places.are_taken();
        while too_many && let Some(oldest) = self.handshakes.order.pop_front() {
            let Some(key) = self.in_handshake(oldest) else {
                continue;
            };
            add(&self.counters.refused.handshake, 1);
            return match self.connections[key].phase {
                // It has been upgraded.
                Phase::Asking => self.close(key, Close::UNAVAILABLE),
                _ => self.refuse(key),
            };
        }
    }

    fn in_handshake(&self, connection: ConnectionId) -> Option<usize> {
        let key = self.find(connection)?;
        self.connections[key].in_handshake.then_some(key)
    }
}
