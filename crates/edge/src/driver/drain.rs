//! A shutdown. Connections are told to come back in equal portions, spread over a window: if all of
//! them came back at once they would be a herd at whoever is left. In random order, so that no
//! environment goes first. Until its turn a connection is served and pushed to as ever.

use std::collections::VecDeque;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

use super::config::Config;
use super::event_loop::EventLoop;
use super::mailbox::ConnectionId;
use crate::session::Close;

/// A shutdown under way.
pub(super) struct Drain {
    begun: Instant,
    /// Between two portions.
    step: Duration,
    portion: usize,
    /// Portions that were taken.
    taken: u32,
    /// Who is still to be told.
    order: VecDeque<ConnectionId>,
    /// When whatever is left is ended.
    until: Instant,
}

impl Drain {
    fn new(begun: Instant, mut connections: Vec<ConnectionId>, config: &Config) -> Self {
        let random = RandomState::new();
        connections.sort_by_cached_key(|id| random.hash_one((id.key, id.generation)));
        let step = config.drain_step.max(Duration::from_millis(1));
        let steps = (config.drain.as_nanos() / step.as_nanos()).max(1);
        let steps = usize::try_from(steps).unwrap_or(usize::MAX);
        Self {
            begun,
            step,
            portion: connections.len().div_ceil(steps),
            taken: 0,
            order: connections.into(),
            until: begun + config.drain + config.farewell,
        }
    }

    /// Who is to be told by now, and was not yet.
    fn due(&mut self, now: Instant) -> Vec<ConnectionId> {
        let passed = now.saturating_duration_since(self.begun).as_nanos() / self.step.as_nanos();
        let steps = u32::try_from(passed + 1).unwrap_or(u32::MAX);
        let portions = steps.saturating_sub(self.taken) as usize;
        self.taken = self.taken.max(steps);
        let count = self.portion.saturating_mul(portions);
        self.order.drain(..count.min(self.order.len())).collect()
    }

    /// How long there is nothing to do for it.
    fn patience(&self, now: Instant) -> Duration {
        let next = match self.order.is_empty() {
            true => self.until,
            false => self.begun + self.step.saturating_mul(self.taken),
        };
        next.min(self.until).saturating_duration_since(now)
    }
}

impl EventLoop {
    /// Takes no new connections, and begins to tell those that are there.
    pub(super) fn shut_down(&mut self) {
        if self.drain.is_some() {
            return;
        }
        self.acceptor = None;
        let keys = self.connections.iter().map(|(key, _)| key);
        let all = keys.map(|key| self.id(key)).collect();
        self.drain = Some(Drain::new(Instant::now(), all, &self.config));
    }

    /// Tells those whose turn it is.
    pub(super) fn tell_some(&mut self) {
        let Some(drain) = &mut self.drain else { return };
        for id in drain.due(Instant::now()) {
            let Some(key) = self.find(id) else { continue };
            let connection = &self.connections[key];
            if connection.session.awaits_head() && !connection.listens() {
                self.ends(key, |unsynced| &unsynced.shutdown);
                self.drop_connection(key);
            } else {
                self.close(key, Close::GOING_AWAY);
            }
        }
    }

    /// Whether the shutdown is through.
    pub(super) fn is_over(&self) -> bool {
        self.drain
            .as_ref()
            .is_some_and(|drain| self.connections.is_empty() || Instant::now() >= drain.until)
    }

    /// How long the shutdown has nothing to do; none without one.
    pub(super) fn drain_patience(&self) -> Option<Duration> {
        Some(self.drain.as_ref()?.patience(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::{Duration, Instant};

    use super::Drain;
    use crate::driver::Config;
    use crate::driver::mailbox::ConnectionId;

    fn drain(connections: u32, window: u64) -> (Drain, Instant) {
        let config = Config {
            drain: Duration::from_secs(window),
            drain_step: Duration::from_secs(1),
            farewell: Duration::from_secs(5),
            ..Config::default()
        };
        let all = (0..connections).map(|key| ConnectionId { key, generation: 1 });
        let begun = Instant::now();
        (Drain::new(begun, all.collect(), &config), begun)
    }

    #[test]
    fn portions_are_equal_and_all_are_told_within_the_window() {
        let (mut drain, begun) = drain(1_003, 10);
        let mut told = Vec::new();
        for second in 0..10 {
            let now = begun + Duration::from_secs(second);
            let some = drain.due(now);
            assert_eq!(some.len(), if second < 9 { 101 } else { 1_003 - 9 * 101 });
            assert!(drain.due(now).is_empty(), "once");
            assert!(drain.patience(now) <= Duration::from_secs(1) || second == 9);
            told.extend(some);
        }
        let distinct: HashSet<u32> = told.iter().map(|id| id.key).collect();
        assert_eq!(distinct.len(), 1_003);
        assert!(!told.is_sorted_by_key(|id| id.key), "in random order");
        let end = begun + Duration::from_secs(15);
        assert_eq!(drain.patience(begun), end - begun);
        assert_eq!(drain.patience(end), Duration::ZERO);
    }

    #[test]
    fn what_a_busy_loop_was_late_for_is_made_up_for() {
        let (mut drain, begun) = drain(100, 10);
        assert_eq!(drain.due(begun).len(), 10);
        assert_eq!(drain.due(begun + Duration::from_secs(4)).len(), 40);
        assert_eq!(drain.due(begun + Duration::from_secs(60)).len(), 50);
    }

    #[test]
    fn few_connections_do_not_take_the_whole_window() {
        let (mut drain, begun) = drain(3, 10);
        assert_eq!(drain.due(begun).len(), 1);
        assert_eq!(drain.patience(begun), Duration::from_secs(1));
        assert_eq!(drain.due(begun + Duration::from_secs(2)).len(), 2);
    }

    #[test]
    fn without_a_window_all_are_told_at_once() {
        let (mut drain, begun) = drain(1_000, 0);
        assert_eq!(drain.due(begun).len(), 1_000);
        assert_eq!(drain.patience(begun), Duration::from_secs(5));
    }
}
