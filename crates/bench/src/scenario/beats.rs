//! Heartbeats of connections that came one after the other.

use std::collections::VecDeque;
use std::time::Duration;

use super::drive::Drive;
use crate::load::{Event, Key, Micros, What};

/// Whose heartbeat is due when. All wait equally long, so they are in order.
pub(super) struct Beats {
    every: Duration,
    next: VecDeque<(Micros, Key)>,
}

impl Beats {
    /// For nobody yet.
    pub(super) fn every(every: Duration) -> Self {
        Self {
            every,
            next: VecDeque::new(),
        }
    }

    /// When the next one is due.
    pub(super) fn due(&self) -> Option<Micros> {
        self.next.front().map(|(due, _)| *due)
    }

    /// Whoever synced has heartbeats from now on.
    pub(super) fn take(&mut self, happened: &[Event]) {
        for event in happened {
            if matches!(event.what, What::Synced { .. }) {
                let due = event.at.after(self.every);
                self.next.push_back((due, event.key));
            }
        }
    }

    /// Sends those that are due. A connection that is over has none any more, and one that waits for
    /// something has its next in time.
    pub(super) fn send(&mut self, drive: &mut Drive<'_>) {
        let now = drive.engine.now();
        while let Some((due, key)) = self.next.pop_front_if(|(due, _)| *due <= now) {
            if drive.engine.newest(key).is_none() {
                continue;
            }
            if drive.engine.is_idle(key) {
                drive.engine.ping(key, due);
            }
            self.next.push_back((due.after(self.every), key));
        }
    }
}
