//! Keys and data-syncs: what the session cannot answer without the environments.

use std::sync::Arc;

use burgee_eval::user::User;

use super::connection::Phase;
use super::counters::add;
use super::event_loop::EventLoop;
use super::mailbox::{ConnectionId, Mail};
use crate::environment::{Encoded, ServerAnswer, Sync};
use crate::frame::deflate::{self, Coding};
use crate::frame::write;
use crate::hub::{Access, Lookup};
use crate::metrics::Synced;
use crate::session::user::KeptUser;
use crate::session::{Close, Flow};
use crate::sink::Surface;
use crate::source::{KeyKind, Unavailable};
use crate::token::Secret;
use crate::traffic::Given;

impl EventLoop {
    /// Looks a key up, or has it asked for.
    pub(super) fn admit_key(&mut self, key: usize, secret: &Secret, kind: KeyKind) -> Flow {
        match self.edge.hub.lookup(secret.as_str()) {
            Lookup::Known(access) if access.kind == kind => match self.join(key, &access) {
                true => Flow::Go,
                // Before the upgrade: programs that were upgraded begin anew with short waits.
                false => self.begin_refuse(key),
            },
            Lookup::Known(_) | Lookup::Unknown => self.begin_close(key, Close::REFUSED),
            Lookup::Ask => {
                self.connections[key].phase = Phase::Asking;
                self.ask(key, *secret, kind);
                Flow::Stop
            }
        }
    }

    fn ask(&self, key: usize, secret: Secret, kind: KeyKind) {
        let connection = self.id(key);
        let hub = Arc::clone(&self.edge.hub);
        let mailbox = self.mailbox();
        self.runtime.spawn(async move {
            let answer = hub.ask(secret.as_str()).await;
            mailbox.post(Mail::Key {
                connection,
                secret,
                kind,
                answer,
            });
        });
    }

    /// The store of record has answered.
    pub(super) fn key_answered(
        &mut self,
        connection: ConnectionId,
        secret: &Secret,
        kind: KeyKind,
        answer: Result<Option<Access>, Unavailable>,
    ) {
        let Some(key) = self.find(connection) else {
            return;
        };
        if self.connections[key].phase != Phase::Asking {
            return;
        }
        match (answer, self.edge.hub.lookup(secret.as_str())) {
            (Ok(None), _) | (_, Lookup::Unknown) => self.close(key, Close::REFUSED),
            // Looked up again: the key may have been revoked since the answer was given.
            (Ok(Some(_)), Lookup::Known(access)) if access.kind == kind => {
                if !self.join(key, &access) {
                    return self.close(key, Close::TOO_MANY);
                }
                self.connections[key].session.admit();
                self.resume(key);
            }
            (Ok(Some(_)), Lookup::Known(_)) => self.close(key, Close::REFUSED),
            (Err(_), _) | (_, Lookup::Ask) => self.close(key, Close::UNAVAILABLE),
        }
    }

    /// Makes it one of the key's connections; false where a client key has as many as it may have.
    pub(super) fn join(&mut self, key: usize, access: &Access) -> bool {
        if access.kind == KeyKind::Client && !self.places.take_for(access.key) {
            add(&self.counters.refused.key, 1);
            return false;
        }
        self.end_handshake(key);
        let membership = self.members.join(key as u32, access);
        let connection = &mut self.connections[key];
        connection.membership = Some(membership);
        connection.phase = Phase::Open;
        add(self.counters.connections.of(access.kind), 1);
        self.count_in(key);
        true
    }

    /// What a connection's environment is now.
    pub(super) fn current(&self, key: usize) -> Option<Arc<Encoded>> {
        let membership = self.connections[key].membership?;
        Some(self.members.environment(membership)?.current())
    }

    /// Answers a client SDK's data-sync, and keeps its user for the pushes.
    pub(super) fn sync_client(&mut self, key: usize, user: &User<'_>, timestamp: i64) -> Flow {
        let Some(state) = self.current(key) else {
            return Flow::Stop;
        };
        self.learn(key, user);
        let connection = &mut self.connections[key];
        let kept = &mut connection.user;
        if kept.as_ref().is_none_or(|kept| kept.user() != *user) {
            *kept = Some(KeptUser::new(user));
        }
        if connection.phase == Phase::Waiting {
            connection.stamp = timestamp;
            return Flow::Go;
        }
        self.offer_client(key, &state, user, timestamp);
        self.spill(key)
    }

    /// Gathers a client's answer, or has the client wait: how long it is shows only when it is
    /// there.
    fn offer_client(&mut self, key: usize, state: &Encoded, user: &User<'_>, timestamp: i64) {
        let start = self.out.len();
        let sync = self.write_client(state, user, timestamp);
        if self.must_wait(self.out.len() - start) {
            self.out.truncate(start);
            return self.wait(key, timestamp);
        }
        self.pack_own(key, start);
        self.gave_client(key, state, sync);
        self.decided(key, state, user, state.synced(sync, timestamp));
    }

    /// Deflates the message that was gathered last, from `start` on, if it is long and the
    /// connection takes it so.
    pub(super) fn pack_own(&mut self, key: usize, start: usize) {
        if self.connections[key].coding() == Coding::Deflate {
            deflate::pack_own(&mut self.out, start);
        }
    }

    /// Gathers a client's answer.
    pub(super) fn write_client(
        &mut self,
        state: &Encoded,
        user: &User<'_>,
        timestamp: i64,
    ) -> Sync {
        let now = self.now;
        let mut sync = Sync::Full;
        write::text_with(&mut self.out, state.client_size(), |out| {
            sync = state.client_sync(user, timestamp, now, out);
            true
        });
        sync
    }

    /// Notes that a client's answer was gathered.
    pub(super) fn gave_client(&mut self, key: usize, state: &Encoded, sync: Sync) {
        self.count_sync(KeyKind::Client, sync);
        self.has(key, state);
    }

    /// Answers a server SDK's data-sync.
    pub(super) fn sync_server(&mut self, key: usize, timestamp: i64) -> Flow {
        let Some(state) = self.current(key) else {
            return Flow::Stop;
        };
        let connection = &mut self.connections[key];
        if connection.phase == Phase::Waiting {
            connection.stamp = timestamp;
            return Flow::Go;
        }
        let coding = connection.coding();
        let answer = state.server_sync(timestamp, self.now, coding);
        match self.must_wait(answer.frames.len()) {
            true => self.wait(key, timestamp),
            false => self.send_answer(key, &state, answer),
        }
        self.spill(key)
    }

    pub(super) fn send_answer(&mut self, key: usize, state: &Encoded, answer: ServerAnswer) {
        self.count_sync(KeyKind::Server, answer.sync);
        self.has(key, state);
        self.send_shared(key, answer.frames);
    }

    fn count_sync(&self, kind: KeyKind, sync: Sync) {
        let syncs = &self.edge.metrics.syncs;
        syncs.get_or_create(&Synced { kind, sync }).inc();
    }

    /// Tells the traffic of a user.
    fn learn(&self, key: usize, user: &User<'_>) {
        if let Some(membership) = self.connections[key].membership
            && let Some(environment) = self.members.environment(membership)
        {
            let traffic = &self.edge.traffic;
            traffic.seen(environment.id(), membership.key, user, self.now);
        }
    }

    /// Tells the traffic what a user was given.
    pub(super) fn decided(
        &self,
        key: usize,
        state: &Encoded,
        user: &User<'_>,
        flags: impl Iterator<Item = usize>,
    ) {
        if let Some(membership) = self.connections[key].membership
            && let Some(environment) = self.members.environment(membership)
        {
            let given = Given {
                environment: environment.id(),
                state,
                user,
                surface: Surface::Stream,
                at: self.now,
            };
            self.edge.traffic.decided(&given, flags);
        }
    }

    /// Remembers what a connection has now.
    pub(super) fn has(&mut self, key: usize, state: &Encoded) {
        let tick = self.tick;
        if let Some(membership) = self.connections[key].membership
            && let Some(progress) = self.members.progress(membership)
        {
            // The mail that brings it may come later.
            progress.hear_again(state);
        }
        let connection = &mut self.connections[key];
        if !connection.has_synced() {
            connection.since = tick;
        }
        connection.answered = state.generation();
        connection.astray = false;
        // What listeners have of it is not known.
        if !connection.listens() {
            connection.stamp = state.last_stamp();
        }
    }

    /// Gathers the newest state for a connection that missed steps.
    pub(super) fn catch_up(&mut self, key: usize) {
        if self.connections[key].listens() {
            return self.tell_soon(key);
        }
        let Some(state) = self.current(key) else {
            return;
        };
        if self.connections[key].answered >= state.generation() {
            return;
        }
        let known = self.known(key, &state);
        match self.connections[key].user.take() {
            Some(user) => {
                self.offer_client(key, &state, &user.user(), 0);
                self.connections[key].user = Some(user);
            }
            None => {
                self.sync_server(key, known);
            }
        }
    }

    /// The stamp that a connection is brought up to date from: its own, unless that belongs to
    /// another history and does not stand out as such.
    pub(super) fn known(&self, key: usize, state: &Encoded) -> i64 {
        let connection = &self.connections[key];
        match connection.astray && connection.stamp <= state.last_stamp() {
            true => 0,
            false => connection.stamp,
        }
    }
}
