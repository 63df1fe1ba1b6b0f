//! What the scenarios of requests do alike: send them for a time, and see what comes of it.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::load::Micros;
use crate::load::http::{Client, Outcome};
use crate::load::schedule::Schedule;
use crate::progress::{Moment, Progress};
use crate::report::latency::histogram;
use crate::report::model::{Count, Series};
use crate::rig::usage::Sampler;

/// How often progress is told.
const TELL: Duration = Duration::from_millis(200);
/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is sent, and how often.
#[derive(Debug)]
pub(crate) struct Load<'a> {
    /// What the part of the scenario is called.
    pub(crate) phase: &'static str,
    /// Sent in turns.
    pub(crate) requests: &'a [Vec<u8>],
    /// Requests per second; `None`: a connection's next one as soon as the last is answered.
    pub(crate) rate: Option<f64>,
    /// For how long.
    pub(crate) duration: Duration,
    /// What they are answered with.
    pub(crate) status: u16,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Found {
    /// Requests that were answered as they should be.
    pub(crate) answered: u64,
    /// How long that took, in seconds.
    pub(crate) seconds: f64,
    /// The server's CPU time meanwhile.
    pub(crate) cpu: Duration,
    /// Microseconds from the intended moment to the whole answer.
    pub(crate) took: Histogram<u64>,
    /// Bytes of the longest and of the shortest answer.
    pub(crate) bodies: (usize, usize),
    /// Answers per second.
    pub(crate) course: Series,
    /// When the course was written last, and how many were answered by then.
    counted: (f64, f64),
    errors: BTreeMap<String, u64>,
}

/// Sends requests; `tell` hears how it goes.
pub(crate) fn drive(
    load: &Load<'_>,
    client: &mut Client,
    sampler: &mut Sampler,
    tell: &mut dyn Progress,
) -> anyhow::Result<Found> {
    sampler.phase(load.phase)?;
    let before = sampler.now()?.cpu;
    let start = client.now();
    let end = start.after(load.duration);
    let mut found = Found::new(load.phase)?;
    let mut schedule = load
        .rate
        .map(|rate| Schedule::new(start, rate, Micros(0), load.duration.into()));
    let (mut outcomes, mut next, mut told) = (Vec::new(), 0, start);
    loop {
        let now = client.now();
        let over = now >= end
            && schedule
                .as_ref()
                .is_none_or(|schedule| schedule.due().is_none());
        if over && (client.waiting() == 0 || now >= end.after(PATIENCE)) {
            break;
        }
        while !over && client.is_idle() {
            let due = schedule
                .as_mut()
                .map_or(Some(now), |schedule| schedule.next(now));
            let Some(due) = due else { break };
            outcomes.extend(client.send(&load.requests[next % load.requests.len()], due));
            next += 1;
        }
        let due = schedule
            .as_ref()
            .and_then(Schedule::due)
            .filter(|_| client.is_idle());
        let soon = now.after(TELL);
        client.turn(due.map_or(soon, |due| due.min(soon)), &mut outcomes)?;
        for outcome in outcomes.drain(..) {
            found.take(&outcome, load.status);
        }
        if told.until(now) >= Micros::from(TELL).0 {
            told = now;
            sampler.look()?;
            found.tell(load, start, now, tell);
        }
    }
    found.wrong("no answer", client.waiting() as u64);
    found.seconds = Micros(start.until(client.now())).seconds();
    found.cpu = sampler.now()?.cpu.saturating_sub(before);
    Ok(found)
}

impl Found {
    fn new(phase: &str) -> anyhow::Result<Self> {
        Ok(Self {
            answered: 0,
            seconds: 0.0,
            cpu: Duration::ZERO,
            took: histogram()?,
            bodies: (0, usize::MAX),
            course: Series {
                name: format!("{phase}, answers"),
                unit: "1/s".to_owned(),
                points: Vec::new(),
            },
            counted: (0.0, 0.0),
            errors: BTreeMap::new(),
        })
    }

    fn take(&mut self, outcome: &Outcome, expected: u16) {
        match outcome {
            Outcome::Answered { took, status, body } if *status == expected => {
                self.answered += 1;
                self.took.saturating_record(*took);
                self.bodies = (self.bodies.0.max(*body), self.bodies.1.min(*body));
            }
            Outcome::Answered { status, .. } => self.wrong(&format!("status {status}"), 1),
            Outcome::Failed(why) => self.wrong(why, 1),
        }
    }

    /// Counts something that went wrong.
    pub(crate) fn wrong(&mut self, what: &str, count: u64) {
        if count > 0 {
            *self.errors.entry(what.to_owned()).or_default() += count;
        }
    }

    fn tell(&mut self, load: &Load<'_>, start: Micros, now: Micros, tell: &mut dyn Progress) {
        let second = Micros(start.until(now)).seconds();
        let answers = self.answered as f64;
        let (since, before) = self.counted;
        if second - since >= 1.0 {
            let rate = (answers - before) / (second - since);
            self.course.points.push([second, rate]);
            self.counted = (second, answers);
        }
        tell.tell(&Moment {
            phase: load.phase,
            elapsed: Micros(start.until(now)).into(),
            whole: Some(load.duration),
            facts: &[("answered", answers), ("errors", self.failed() as f64)],
        });
    }

    fn failed(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Answers per second.
    pub(crate) fn rate(&self) -> f64 {
        self.answered as f64 / self.seconds.max(f64::EPSILON)
    }

    /// The server's CPU time for each of so many things in an answer, in µs.
    pub(crate) fn cpu_each(&self, things: usize) -> f64 {
        let all = self.answered.max(1) as f64 * things as f64;
        self.cpu.as_secs_f64() * 1e6 / all
    }

    /// What went wrong.
    pub(crate) fn errors(&self) -> Vec<Count> {
        let count = |(what, count): (&String, &u64)| Count {
            what: what.clone(),
            count: *count,
        };
        self.errors.iter().map(count).collect()
    }
}

/// A POST of JSON with an SDK key, on a connection that stays.
pub(crate) fn post(path: &str, host: std::net::SocketAddr, key: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
