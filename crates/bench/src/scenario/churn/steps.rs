//! What happens in a churn, each at its own rate.

use std::collections::VecDeque;
use std::time::Duration;

use crate::load::schedule::Schedule;
use crate::load::{Key, Micros, What};
use crate::scenario::change::{Pending, Switch};
use crate::scenario::drive::Drive;
use crate::scenario::hold::HEARTBEAT;

/// How often a flag is switched.
const CHANGE_EVERY: Duration = Duration::from_secs(1);

/// How long a change may take until everybody has it.
const IN_TIME: Duration = Duration::from_secs(5);

/// How many connections begin before answers are read again.
const AT_ONCE: usize = 16;

/// The state of a churn.
pub(super) struct Churn {
    /// Connections that are synced, the oldest first.
    held: VecDeque<Key>,
    /// How many they are to be.
    hold: usize,
    rate: f64,
    users: u32,
    next_user: u32,
    /// Where the next connection is picked.
    pick: usize,
    switch: Switch,
    change: Option<Pending>,
    next_change: Micros,
    /// The newest version that anybody has seen.
    newest: i64,
    /// Until when everybody must have at least this version.
    promised: VecDeque<(Micros, i64)>,
    pub(super) changes: u64,
    pub(super) identified: u64,
}

impl Churn {
    pub(super) fn new(keys: Vec<Key>, rate: f64, switch: Switch) -> Self {
        let users = u32::try_from(keys.len() * 2).unwrap_or(u32::MAX).max(1);
        Self {
            hold: keys.len(),
            held: keys.into(),
            rate,
            users,
            next_user: 0,
            pick: 0,
            switch,
            change: None,
            next_change: Micros(0),
            newest: 0,
            promised: VecDeque::new(),
            changes: 0,
            identified: 0,
        }
    }

    /// Those that are held.
    pub(super) fn keys(&self) -> Vec<Key> {
        self.held.iter().copied().collect()
    }

    /// Goes on for a time.
    pub(super) fn pass(&mut self, drive: &mut Drive<'_>, span: Duration) -> anyhow::Result<()> {
        let start = drive.engine.now();
        let beats = self.held.len() as f64 / HEARTBEAT.as_secs_f64();
        let schedule = |rate: f64| Schedule::new(start, rate, Micros(0), span.into());
        let mut arrivals = schedule(self.rate);
        let mut identifies = schedule(self.rate / 2.0);
        let mut beats = schedule(beats);
        let end = arrivals.end();
        while drive.engine.now() < end {
            let now = drive.engine.now();
            self.arrive(drive, &mut arrivals, now);
            while let Some(due) = identifies.next(now) {
                self.identify(drive, due);
            }
            while let Some(due) = beats.next(now) {
                if let Some(key) = self.pick(drive) {
                    drive.engine.ping(key, due);
                }
            }
            self.change(drive, now)?;
            self.check(drive, now);
            let next = [arrivals.due(), identifies.due(), beats.due(), Some(end)];
            let next = next.into_iter().flatten().min().unwrap_or(end);
            self.turn(drive, next)?;
        }
        Ok(())
    }

    /// Those come whose time it is: a few at a time, so that answers and goodbyes are read in
    /// between. A generator that was held up for half a second, at 18,000 a second, would otherwise
    /// have 9,000 sockets more at once.
    fn arrive(&mut self, drive: &mut Drive<'_>, arrivals: &mut Schedule, now: Micros) {
        for _ in 0..AT_ONCE {
            let Some(due) = arrivals.next(now) else {
                return;
            };
            let user = self.user();
            drive.engine.open(user, due);
        }
    }

    /// As many of the oldest leave as there are more than are to be held: were it one for each
    /// that comes, then every moment in which nobody can leave would leave more for good.
    fn leave(&mut self, drive: &mut Drive<'_>) {
        for _ in 0..self.held.len() {
            if self.held.len() <= self.hold {
                return;
            }
            let Some(oldest) = self.held.pop_front() else {
                return;
            };
            if drive.engine.is_idle(oldest) {
                drive.engine.close(oldest);
            } else if drive.engine.newest(oldest).is_some() {
                // It waits for an answer, and leaves later; one that has failed is left out.
                self.held.push_back(oldest);
            }
        }
    }

    fn identify(&mut self, drive: &mut Drive<'_>, due: Micros) {
        let user = self.user();
        if let Some(key) = self.pick(drive) {
            drive.engine.identify(key, user, due);
            self.identified += 1;
        }
    }

    fn user(&mut self) -> u32 {
        self.next_user = (self.next_user + 1) % self.users;
        self.next_user
    }

    /// Some connection that waits for nothing.
    fn pick(&mut self, drive: &Drive<'_>) -> Option<Key> {
        for _ in 0..64 {
            // A prime, so that turns do not follow the order in which they came.
            self.pick = self.pick.wrapping_add(7919);
            let key = self.held.get(self.pick % self.held.len().max(1))?;
            if drive.engine.is_idle(*key) {
                return Some(*key);
            }
        }
        None
    }

    /// Switches the flag when it is time, one change after the other.
    fn change(&mut self, drive: &Drive<'_>, now: Micros) -> anyhow::Result<()> {
        if let Some(change) = &self.change {
            if change.answered()?.is_none() {
                return Ok(());
            }
            self.change = None;
        }
        if now >= self.next_change {
            // What has been seen by now must be everywhere soon.
            self.promised.push_back((now.after(IN_TIME), self.newest));
            self.begin_change(drive, now);
        }
        Ok(())
    }

    fn begin_change(&mut self, _drive: &Drive<'_>, now: Micros) {
        self.change = Some(self.switch.turn());
        self.changes += 1;
        self.next_change = now.after(CHANGE_EVERY);
    }

    /// Counts connections that should have a version by now and have not.
    fn check(&mut self, drive: &mut Drive<'_>, now: Micros) {
        let Some((_, version)) = self.promised.pop_front_if(|(until, _)| *until <= now) else {
            return;
        };
        let has = self.held.iter().filter_map(|key| drive.engine.newest(*key));
        let late = has.filter(|has| *has < version).count();
        drive
            .tally
            .wrong("a change that did not arrive in 5 s", late as u64);
    }

    fn turn(&mut self, drive: &mut Drive<'_>, until: Micros) -> anyhow::Result<()> {
        let happened = drive.turn(until)?;
        for event in &happened {
            match &event.what {
                What::Synced { whole, shape, .. } => {
                    self.newest = self.newest.max(shape.newest);
                    if whole.is_some() {
                        self.held.push_back(event.key);
                    }
                }
                What::Pushed(shape) => self.newest = self.newest.max(shape.newest),
                _ => {}
            }
        }
        drive.done(happened);
        self.leave(drive);
        Ok(())
    }

    /// Ends changing, with the flag as it was at first, and waits until everybody has the newest
    /// version, for as long as that may take.
    pub(super) fn settle(&mut self, drive: &mut Drive<'_>, span: Duration) -> anyhow::Result<()> {
        let until = drive.soon(span);
        while drive.engine.now() < until {
            let soon = drive.soon(Duration::from_millis(5));
            self.turn(drive, soon)?;
            let is_answered = match &self.change {
                Some(change) => change.answered()?.is_some(),
                None => true,
            };
            if !is_answered {
                continue;
            }
            self.change = None;
            if !self.switch.is_on() {
                self.begin_change(drive, soon);
            } else if self.is_settled(drive) {
                break;
            }
        }
        Ok(())
    }

    fn is_settled(&self, drive: &Drive<'_>) -> bool {
        let mut newest = self.held.iter().filter_map(|key| drive.engine.newest(*key));
        newest.all(|newest| newest >= self.newest)
    }
}
