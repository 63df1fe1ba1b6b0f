//! Noting how far each connection has come, and telling who asks.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::connection::{Connection, Membership, Phase};
use super::event_loop::EventLoop;
use super::outstanding;
use super::progress::{Progress, Sort};
use crate::delivery::{ConnectionFilter, ConnectionView, Found, Level, Search, Survey};
use crate::environment::Environment;

/// As many places of the table are looked through for one question; who asked goes on from there.
const LOOKED_THROUGH: usize = 16 * 1024;

/// Whose connections are looked for, and which of them.
struct Wanted<'a> {
    /// The places of the environment's lists, and in each from which generation on a connection is
    /// not meant.
    lists: Vec<(u32, Option<u32>)>,
    filter: &'a ConnectionFilter,
    addresses: bool,
}

impl Connection {
    fn sort(&self, membership: Membership) -> Sort {
        Sort {
            kind: membership.kind,
            agent: self.agent,
        }
    }

    fn at(&self, level: Level) -> u32 {
        match level {
            Level::Written => self.written,
            Level::Received => self.received,
        }
    }
}

impl EventLoop {
    /// Counts a connection that has joined an environment.
    pub(super) fn count_in(&mut self, key: usize) {
        let connection = &mut self.connections[key];
        if let Some(membership) = connection.membership
            && let Some(progress) = self.members.progress(membership)
        {
            connection.counted = true;
            progress.join(connection.sort(membership));
            self.figures_move();
        }
    }

    /// Counts it no more: it is closed, or gone.
    pub(super) fn count_out(&mut self, key: usize) {
        let connection = &mut self.connections[key];
        if !std::mem::take(&mut connection.counted) {
            return;
        }
        if let Some(membership) = connection.membership
            && let Some(progress) = self.members.progress(membership)
        {
            let sort = connection.sort(membership);
            progress.leave(sort, connection.written, connection.received);
            self.figures_move();
        }
    }

    /// What a connection was answered has gone out, unless something waits.
    pub(super) fn note_written(&mut self, key: usize) {
        let connection = &self.connections[key];
        if connection.written < connection.answered
            && connection.phase != Phase::Dropped
            && !connection.is_blocked()
        {
            self.advance(key, Level::Written);
        }
    }

    /// Something came from the peer. Where it has not received all that was written yet, as far as
    /// is known, the kernel is asked whether it has by now.
    pub(super) fn note_received(&mut self, key: usize) {
        let connection = &self.connections[key];
        if connection.received < connection.written
            && !connection.is_blocked()
            && outstanding::is_none(&connection.stream)
        {
            self.advance(key, Level::Received);
        }
    }

    fn advance(&mut self, key: usize, level: Level) {
        let connection = &mut self.connections[key];
        let (place, to) = match level {
            Level::Written => (&mut connection.written, connection.answered),
            Level::Received => (&mut connection.received, connection.written),
        };
        let from = std::mem::replace(place, to);
        if let Some(membership) = connection.membership
            && connection.counted
            && let Some(progress) = self.members.progress(membership)
        {
            let latency = self.counters.delivered.of(level);
            progress.advance(level, (from, to), self.moment, |took| latency.add(took));
            self.figures_move();
        }
    }

    fn figures_move(&self) {
        self.figures_moved
            .store(true, std::sync::atomic::Ordering::Relaxed);
    }

    /// Answers who asks for figures or for connections. Whoever asked may have gone meanwhile.
    pub(super) fn answer_survey(&mut self, survey: Survey) {
        match survey {
            Survey::Moved { versions, reply } => {
                let ids = self.members.take_moved();
                let moved = ids.into_iter().map(|id| {
                    let reports = self.members.reports(&id, versions, &self.agents);
                    (id, reports)
                });
                let _gone = reply.send(moved.collect());
            }
            Survey::Environment {
                id,
                versions,
                reply,
            } => {
                let _gone = reply.send(self.members.reports(&id, versions, &self.agents));
            }
            Survey::Connections(search, reply) => {
                let _gone = reply.send(self.search(&search));
            }
        }
    }

    fn search(&self, search: &Search) -> Found {
        let without = |progress: &Progress| {
            let (_, version) = search.filter.without?;
            // Where it has not come yet, nobody has it.
            Some(progress.generation(version).unwrap_or(u32::MAX))
        };
        let lists = self.members.lists_of(&search.environment);
        let wanted = Wanted {
            lists: lists
                .map(|(place, progress)| (place, without(progress)))
                .collect(),
            filter: &search.filter,
            addresses: search.addresses,
        };
        let (from, end) = (search.from as usize, self.connections.capacity());
        let until = end.min(from.saturating_add(LOOKED_THROUGH));
        let mut connections = Vec::new();
        for key in from..until {
            if connections.len() >= search.most || wanted.lists.is_empty() {
                let next = (!wanted.lists.is_empty()).then_some(key as u32);
                return Found { connections, next };
            }
            connections.extend(self.view(key, &wanted));
        }
        let next = (until < end && !wanted.lists.is_empty()).then_some(until as u32);
        Found { connections, next }
    }

    /// The connection at a place, if it is meant.
    fn view(&self, key: usize, wanted: &Wanted<'_>) -> Option<ConnectionView> {
        let connection = self.connections.get(key).filter(|it| it.counted)?;
        let membership = connection.membership?;
        let mut lists = wanted.lists.iter();
        let (_, limit) = lists.find(|it| it.0 == membership.environment)?;
        if wanted
            .filter
            .kind
            .is_some_and(|kind| kind != membership.kind)
        {
            return None;
        }
        if let (Some((level, _)), Some(limit)) = (wanted.filter.without, limit)
            && connection.at(level) >= *limit
        {
            return None;
        }
        let progress = self.members.progress_of(membership)?;
        let version = |generation: u32| progress.version(generation);
        let beside = || connection.rest.as_ref()?.peer;
        let address = || connection.stream.peer_addr().ok().or_else(beside);
        Some(ConnectionView {
            kind: membership.kind,
            agent: self.agents.text(connection.agent),
            address: wanted.addresses.then(address).flatten(),
            since: self.moment(connection.opened),
            written: version(connection.written),
            received: version(connection.received),
            stalled: connection.is_blocked(),
        })
    }

    /// When a tick was, in ms since 1970.
    fn moment(&self, tick: u32) -> i64 {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let ago = self.config.tick * self.tick.saturating_sub(tick);
        let then = now.saturating_sub(ago).max(Duration::ZERO);
        i64::try_from(then.as_millis()).unwrap_or(i64::MAX)
    }

    /// An environment has a new state.
    pub(super) fn hear(&mut self, update: &crate::environment::Update) {
        let environment: &Arc<Environment> = update.environment();
        if let Some(progress) = self.members.progress_in(environment) {
            progress.hear(update.to());
            self.figures_move();
        }
    }
}
