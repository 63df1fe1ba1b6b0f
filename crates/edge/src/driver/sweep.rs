//! Deadlines: one coarse sweep over the table instead of a timer for each connection.

use super::connection::{Connection, Phase};
use super::counters::add;
use super::event_loop::EventLoop;
use crate::session::Close;

/// A tick looks at every so-manieth place of the table.
const PARTS: usize = 4;

/// After so many ticks the hub is told which keys have connections.
const KEYS_EVERY: u32 = 30;

/// A message was begun and not ended. Not an error in the protocol: the network may be at fault.
const INCOMPLETE: Close = Close {
    code: 1001,
    reason: "a message was not completed in time",
};

/// What is done about a connection whose time is up.
#[derive(Clone, Copy)]
enum Overdue {
    NoHead,
    Silent,
    Incomplete,
    NoAnswerAboutKey,
    Stalled,
    Lingers,
    /// Not its fault: it has heard nothing from us.
    Unheard,
}

impl EventLoop {
    /// Sweeps as often as ticks have passed, at most the whole table.
    pub(super) fn keep_time(&mut self) {
        let now = self.clock.now();
        let behind = now.saturating_sub(self.tick);
        self.tick = now;
        self.counters.pulse.beat();
        if let Some(acceptor) = &mut self.acceptor {
            acceptor.retry();
        }
        self.pass_slow_readers();
        // A shutdown does not wait for everybody's turn.
        let parts = match self.drain {
            Some(_) => PARTS,
            None => PARTS.min(behind as usize),
        };
        for part in 0..parts {
            self.sweep((now as usize).wrapping_sub(part) % PARTS);
        }
        if now / KEYS_EVERY != now.saturating_sub(behind) / KEYS_EVERY {
            self.edge.hub.in_use(&self.keys_in_use);
            self.keys_in_use.clear();
        }
    }

    fn sweep(&mut self, part: usize) {
        // Most connections come with the key of the one before.
        let mut last = None;
        // The table's places are not counted from outside; it is never larger than this.
        for key in (part..self.connections.capacity()).step_by(PARTS) {
            let Some(connection) = self.connections.get(key) else {
                continue;
            };
            let of = connection.membership.map(|it| it.key);
            if of != last {
                self.keys_in_use.extend(of);
                last = of;
            }
            match self.overdue(connection) {
                None => {}
                Some(Overdue::NoHead) => {
                    add(&self.counters.dropped_silent, 1);
                    self.ends(key, |unsynced| &unsynced.silent);
                    self.drop_connection(key);
                }
                Some(Overdue::Stalled) => {
                    add(&self.counters.dropped_slow, 1);
                    self.ends(key, |unsynced| &unsynced.slow);
                    self.drop_connection(key);
                }
                Some(Overdue::Unheard) => self.beat(key),
                Some(Overdue::Lingers) => self.drop_connection(key),
                Some(Overdue::Silent) => self.close(key, Close::SILENT),
                Some(Overdue::Incomplete) => self.close(key, INCOMPLETE),
                Some(Overdue::NoAnswerAboutKey) => self.close(key, Close::UNAVAILABLE),
            }
        }
    }

    /// Whatever comes meanwhile: a peer that sends a byte now and then is never silent.
    fn is_message_overdue(&self, connection: &Connection) -> bool {
        let begun = connection.message_since.checked_sub(1);
        begun.is_some_and(|begun| {
            let ticks = self.tick.saturating_sub(begun);
            !connection.is_blocked() && ticks > self.clock.deadline(self.config.message_timeout)
        })
    }

    fn overdue(&self, connection: &Connection) -> Option<Overdue> {
        let config = &self.config;
        let mut since = connection.since;
        let (limit, overdue) = match connection.phase {
            Phase::Head => (config.head_timeout, Overdue::NoHead),
            Phase::Asking => (config.sync_timeout, Overdue::NoAnswerAboutKey),
            Phase::Closing => (config.linger, Overdue::Lingers),
            Phase::Open if connection.is_blocked() => match self.herd.is_empty() {
                true => (config.stall_timeout, Overdue::Stalled),
                false => {
                    if let Some(rest) = &connection.rest
                        && connection.large
                        && rest.copied
                    {
                        since = rest.large_since;
                    }
                    (config.stall_timeout_in_herd, Overdue::Stalled)
                }
            },
            Phase::Open | Phase::Waiting if self.is_message_overdue(connection) => {
                return Some(Overdue::Incomplete);
            }
            Phase::Open if connection.listens() => (config.heartbeat, Overdue::Unheard),
            Phase::Open if connection.has_synced() => (config.silence_timeout, Overdue::Silent),
            Phase::Open => (config.sync_timeout, Overdue::Silent),
            // Its turn comes: those before it take their bytes or are dropped.
            Phase::Waiting | Phase::Dropped | Phase::HandedOver => return None,
        };
        let ticks = self.tick.saturating_sub(since);
        (ticks > self.clock.deadline(limit)).then_some(overdue)
    }
}
