//! `audience`: connections that are held, and that say when each of them heard of a change.
//!
//! A measurement over many processes starts one of these for each server or relay, which keeps it
//! below the limit of open files, and tells it by its standard input what to do. What it says are
//! lines of JSON; moments are of the clock that all processes of a machine share.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::Write;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::beats::Beats;
use super::drive::{Drive, config};
use crate::load::schedule::Schedule;
use crate::load::{Event, Failure, Key, Micros, What};
use crate::options::Options;
use crate::progress::Silent;
use crate::report::model::Count;
use crate::target::Target;

/// How long it waits at most until it looks what is due. Fifty of them share a core: none may spin.
const PACE: Duration = Duration::from_millis(10);

/// When who was refused, or was not answered, comes again.
const AGAIN: Duration = Duration::from_secs(1);

/// How many connections it opens at the same time, however late it is: many audiences whose
/// connections all wait for each other would have none of them answered in time.
const OPENING_AT_ONCE: usize = 32;

/// Say when everybody has heard of a change: answered by [`Said::Listening`], and then by
/// [`Said::Arrived`] when all have.
pub const LISTEN: &str = "listen";

/// Say who has heard of it by now, and wait for the others no longer.
pub const ENOUGH: &str = "enough";

/// Whom it plays.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How many connections it opens.
    pub connections: usize,
    /// How many of them a second.
    pub rate: f64,
    /// The number of the first one's user; the others' follow.
    pub first_user: u32,
    /// How often each connection sends a heartbeat.
    pub heartbeat: Duration,
}

/// A line that it says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Said {
    /// All connections were begun, and are synced or have failed.
    Held {
        /// How many are held.
        connections: u64,
        /// Bytes that came for all of them so far.
        received: u64,
        /// How often one was refused or not answered while it opened, and came again.
        refused: u64,
    },
    /// From now on changes are waited for.
    Listening,
    /// Who heard of a change.
    Arrived {
        /// When each connection did that did, in microseconds of the shared clock.
        moments: Vec<u64>,
        /// How many connections were held when it was waited for, and did not: those that ended
        /// meanwhile are among them.
        missing: u64,
        /// Bytes that came for all of them since it was waited for.
        received: u64,
    },
    /// What went wrong in all. The last line.
    Ended {
        /// How many connections were held to the end.
        connections: u64,
        /// What went wrong.
        errors: Vec<Count>,
    },
}

/// Now, in microseconds of the clock that all processes of this machine share.
pub fn shared_clock() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let (seconds, nanoseconds) = (now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs());
    seconds * 1_000_000 + nanoseconds / 1_000
}

/// Opens connections and holds them until nobody can say anything any more.
///
/// # Errors
/// The server does not answer at all, the generator cannot run, or nobody listens to `out`.
pub fn run(
    plan: &Plan,
    target: &Target,
    words: &Receiver<String>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut progress = Silent;
    let config = config(&Options::default(), target)?;
    let drive = Drive::start(target, config, &mut progress)?;
    let mut audience = Audience::new(plan, drive);
    loop {
        audience.step()?;
        if let Some(said) = audience.news() {
            say(out, &said)?;
        }
        match words.try_recv() {
            Ok(word) if word == LISTEN => say(out, &audience.listen())?,
            Ok(word) if word == ENOUGH => audience.patient = false,
            Ok(word) => anyhow::bail!("there is no word '{word}'"),
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => break,
        }
    }
    say(out, &audience.end())
}

fn say(out: &mut dyn Write, said: &Said) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, said)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

struct Audience<'a> {
    drive: Drive<'a>,
    plan: &'a Plan,
    schedule: Schedule,
    beats: Beats,
    /// Begun, and neither synced nor failed; for which user.
    pending: HashMap<Key, u32>,
    /// Users who were refused, and when they come again.
    again: VecDeque<(Micros, u32)>,
    refused: u64,
    held: HashSet<Key>,
    is_opened: bool,
    listening: Option<Listening>,
    /// Whether those are waited for who have not heard of a change.
    patient: bool,
    /// What the generator's clock is behind the shared one.
    epoch: u64,
}

/// A change that is waited for.
struct Listening {
    /// The newest version of all connections before it.
    before: i64,
    waiting: HashSet<Key>,
    /// How many ended before they heard of it.
    ended: u64,
    moments: Vec<u64>,
    received: u64,
}

impl<'a> Audience<'a> {
    fn new(plan: &'a Plan, drive: Drive<'a>) -> Self {
        let now = drive.engine.now();
        // Twice as long as it takes: the last ones are not to be rounded away.
        let span = Duration::from_secs_f64(plan.connections as f64 / plan.rate * 2.0 + 1.0);
        Self {
            schedule: Schedule::new(now, plan.rate, Micros(0), span.into()),
            beats: Beats::every(plan.heartbeat),
            pending: HashMap::new(),
            again: VecDeque::new(),
            refused: 0,
            held: HashSet::with_capacity(plan.connections),
            is_opened: false,
            listening: None,
            patient: true,
            epoch: shared_clock().saturating_sub(now.0),
            plan,
            drive,
        }
    }

    /// Begins what is due, and takes what comes.
    fn step(&mut self) -> anyhow::Result<()> {
        while self.pending.len() < OPENING_AT_ONCE {
            let Some((due, user)) = self.next() else {
                break;
            };
            self.pending.insert(self.drive.engine.open(user, due), user);
        }
        let happened = self.drive.turn(self.drive.soon(PACE))?;
        self.beats.take(&happened);
        for event in &happened {
            self.take(event);
        }
        self.drive.done(happened);
        self.beats.send(&mut self.drive);
        Ok(())
    }

    /// Whose connection is due, and since when.
    fn next(&mut self) -> Option<(Micros, u32)> {
        let now = self.drive.engine.now();
        if let Some(again) = self.again.pop_front_if(|(due, _)| *due <= now) {
            return Some(again);
        }
        if self.schedule.handed() as usize >= self.plan.connections {
            return None;
        }
        // Late is as good as in time here: nothing is told of how long opening takes.
        self.schedule.next(now)?;
        Some((now, self.plan.first_user + self.schedule.handed() as u32))
    }

    fn take(&mut self, event: &Event) {
        match &event.what {
            What::Synced { .. } if self.pending.remove(&event.key).is_some() => {
                self.held.insert(event.key);
            }
            What::Pushed(shape) => {
                let at = self.epoch + event.at.0;
                if let Some(listening) = &mut self.listening
                    && shape.newest > listening.before
                    && listening.waiting.remove(&event.key)
                {
                    listening.moments.push(at);
                }
            }
            What::Failed(failure) => self.failed(event, failure),
            _ => {}
        }
    }

    /// It is counted as what it is, but for who was opening: SDKs come again then.
    fn failed(&mut self, event: &Event, failure: &Failure) {
        let user = self.pending.remove(&event.key);
        if let Some(user) = user {
            self.again.push_back((event.at.after(AGAIN), user));
            self.refused += 1;
            self.drive.tally.forgive(&failure.to_string());
        }
        self.held.remove(&event.key);
        if let Some(listening) = &mut self.listening
            && listening.waiting.remove(&event.key)
        {
            listening.ended += 1;
        }
    }

    fn listen(&mut self) -> Said {
        let newest = self
            .held
            .iter()
            .filter_map(|key| self.drive.engine.newest(*key));
        self.listening = Some(Listening {
            before: newest.max().unwrap_or_default(),
            waiting: self.held.clone(),
            ended: 0,
            moments: Vec::with_capacity(self.held.len()),
            received: self.drive.engine.received(),
        });
        self.patient = true;
        Said::Listening
    }

    /// What is to be said by itself.
    fn news(&mut self) -> Option<Said> {
        let all = self.schedule.handed() as usize >= self.plan.connections;
        let all = all && self.pending.is_empty() && self.again.is_empty();
        if all && !self.is_opened {
            self.is_opened = true;
            return Some(Said::Held {
                connections: self.held.len() as u64,
                received: self.drive.engine.received(),
                refused: self.refused,
            });
        }
        let is_over = |it: &mut Listening| it.waiting.is_empty() || !self.patient;
        let heard = self.listening.take_if(is_over)?;
        Some(Said::Arrived {
            missing: heard.waiting.len() as u64 + heard.ended,
            moments: heard.moments,
            received: self.drive.engine.received() - heard.received,
        })
    }

    fn end(self) -> Said {
        Said::Ended {
            connections: self.held.len() as u64,
            errors: self.drive.tally.errors(),
        }
    }
}
