//! Telling an environment's connections that it has changed.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use bytes::Bytes;
use opentelemetry::KeyValue;

use super::connection::Phase;
use super::counters::add;
use super::event_loop::EventLoop;
use crate::environment::Update;
use crate::frame::deflate::Coding;
use crate::frame::write;

/// Connections told before the sockets are looked after again.
const TURN: usize = 256;

/// Connections told between two looks at the clock, by which it is counted when that was.
const TIMED: usize = 16;

/// Pushes of one environment that may wait. Beyond it the oldest that can be left out is left out,
/// and who missed it is given the newest state instead: a fast writer cannot make the loop fall
/// behind without end.
const WAITING: usize = 8;

/// A push under way.
pub(super) struct Walk {
    update: Arc<Update>,
    /// What server SDKs get, the same for all who take it in the same coding.
    frames: OnceCell<Bytes>,
    deflated: OnceCell<Bytes>,
    /// How many of the environment's members are still to be told; `None` before the start. They
    /// are told from the end of the list, so that one who leaves puts nobody out of reach: its
    /// place is taken by one from the end, who has been told.
    left: Option<usize>,
}

impl Walk {
    /// Adds to the trace of the change how long it took until all of this loop's connections were
    /// told.
    fn trace(&self, connections: usize) {
        let arrival = self.update.to().arrival();
        let Some(trace) = arrival.trace else { return };
        let ended = SystemTime::now();
        let began = ended.checked_sub(arrival.at.elapsed()).unwrap_or(ended);
        let environment = self.update.environment().id().as_ref();
        let connections = i64::try_from(connections).unwrap_or(i64::MAX);
        let connections = KeyValue::new("burgee.connections", connections);
        let version = (environment, arrival.version);
        trace.record("push a version", (began, ended), version, [connections]);
    }
}

impl EventLoop {
    /// Queues a push.
    pub(super) fn begin_walk(&mut self, update: Arc<Update>) {
        if self.members.of(update.environment()).is_empty() {
            return;
        }
        let mut waiting = self.walks.iter().enumerate().filter(|(_, walk)| {
            walk.left.is_none()
                && walk.update.continues()
                && Arc::ptr_eq(walk.update.environment(), update.environment())
        });
        let oldest = waiting.next().map(|(index, _)| index);
        if waiting.count() + 1 >= WAITING
            && let Some(oldest) = oldest
        {
            self.walks.remove(oldest);
        }
        self.walks.push_back(Walk {
            update,
            frames: OnceCell::new(),
            deflated: OnceCell::new(),
            left: None,
        });
    }

    /// Tells the next few.
    pub(super) fn push_some(&mut self) {
        let mut turn = TURN;
        while turn > 0
            && let Some(mut walk) = self.walks.pop_front()
        {
            let members = self.members.of(walk.update.environment()).len();
            let mut left = walk.left.unwrap_or(members).min(members);
            while turn > 0 && left > 0 {
                if turn.is_multiple_of(TIMED) {
                    self.moment = Instant::now();
                }
                turn -= 1;
                left -= 1;
                let member = self.members.of(walk.update.environment()).get(left);
                if let Some(&key) = member {
                    self.push_to(key as usize, &walk);
                }
            }
            if left > 0 {
                walk.left = Some(left);
                self.walks.push_front(walk);
            } else {
                walk.trace(members);
            }
        }
    }

    fn push_to(&mut self, key: usize, walk: &Walk) {
        let (from, to) = (walk.update.from(), walk.update.to());
        let connection = &mut self.connections[key];
        if !connection.has_synced() || connection.answered >= to.generation() {
            return;
        }
        connection.astray |= !walk.update.continues();
        if connection.phase != Phase::Open {
            return;
        }
        if connection.is_blocked() {
            connection.behind = true;
            add(&self.counters.pushes_skipped, 1);
            return;
        }
        if connection.listens() {
            self.push_to_listener(key, &walk.update);
        } else if connection.answered < from.generation() {
            self.catch_up(key);
        } else if connection.user.is_some() {
            self.push_to_client(key, walk);
        } else {
            self.push_to_server(key, walk);
        }
        self.finish(key);
    }

    fn push_to_client(&mut self, key: usize, walk: &Walk) {
        let Some(user) = &self.connections[key].user else {
            return;
        };
        let start = self.out.len();
        let update = &walk.update;
        let has_some = write::text_with(&mut self.out, update.client_size(), |out| {
            update.client_patch(&user.user(), out)
        });
        if self.must_wait(self.out.len() - start) {
            self.out.truncate(start);
            return self.wait(key, 0);
        }
        self.pack_own(key, start);
        add(&self.counters.pushes.client, usize::from(has_some));
        self.has(key, walk.update.to());
        if let Some(user) = &self.connections[key].user {
            self.decided(key, walk.update.to(), &user.user(), walk.update.told());
        }
    }

    fn push_to_server(&mut self, key: usize, walk: &Walk) {
        let coding = self.connections[key].coding();
        let frames = match coding {
            Coding::Clear => &walk.frames,
            Coding::Deflate => &walk.deflated,
        };
        let frames = frames.get_or_init(|| walk.update.server_frames(coding));
        if self.must_wait(frames.len()) {
            let stamp = self.connections[key].stamp;
            return self.wait(key, stamp);
        }
        add(
            &self.counters.pushes.server,
            usize::from(!frames.is_empty()),
        );
        self.has(key, walk.update.to());
        self.send_shared(key, frames.clone());
    }
}
