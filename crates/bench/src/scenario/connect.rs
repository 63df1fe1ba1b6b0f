//! `connect`: new connections at a rate, each with a full sync.

use std::collections::VecDeque;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::drive::{Drive, config};
use crate::load::schedule::Schedule;
use crate::load::{Event, Key, Micros, What};
use crate::options::Options;
use crate::progress::Progress;
use crate::report::latency::histogram;
use crate::report::model::Subject;
use crate::target::Target;

/// Opens connections at a rate (1,000/s; short: 200/s) that rises over a ramp (10 s; 1 s) and stays
/// (20 s; 3 s). Each is closed when it has held for as long as asked (not at all).
///
/// # Errors
/// The server does not answer at all, or the generator cannot run.
pub fn run(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
) -> anyhow::Result<Subject> {
    let seconds = |full, short| Duration::from_secs(options.form(full, short));
    let load = Load {
        rate: options.rate.unwrap_or(options.form(1000.0, 200.0)),
        ramp: options.ramp.unwrap_or(seconds(10, 1)),
        stable: options.duration.unwrap_or(seconds(20, 3)),
        hold: options.hold.unwrap_or_default(),
        most: options.connections.unwrap_or(usize::MAX),
    };
    let mut drive = Drive::start(target, config(options, target)?, progress)?;
    drive.takes(load.ramp + load.stable);
    let found = load.drive(&mut drive)?;
    found.report(&mut drive);
    drive.finish()
}

/// How many connections, when.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub(super) rate: f64,
    pub(super) ramp: Duration,
    pub(super) stable: Duration,
    /// How long a connection stays after its answer.
    pub(super) hold: Duration,
    /// How many may be open at a time.
    pub(super) most: usize,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Found {
    /// Connections begun, those of the ramp too.
    pub(super) begun: u64,
    /// Answers that came while it was.
    pub(super) answered: u64,
    /// How long it was stable, in seconds.
    pub(super) seconds: f64,
    /// The server's CPU time meanwhile.
    pub(super) cpu: Duration,
    /// How much later than intended connections began: the generator's own lateness.
    pub(super) late: Histogram<u64>,
    /// The most that were open at a time.
    pub(super) open: usize,
}

impl Load {
    /// Runs the schedule to its end, and waits for what is on its way.
    pub(super) fn drive(self, drive: &mut Drive<'_>) -> anyhow::Result<Found> {
        let start = drive.engine.now();
        let mut schedule = Schedule::new(start, self.rate, self.ramp.into(), self.stable.into());
        let mut held = VecDeque::new();
        let mut late = histogram()?;
        let mut most = 0;
        let stable_from = schedule.stable_from();
        drive.phase("ramp")?;
        self.until(drive, &mut schedule, stable_from, &mut held, &mut late)?;
        drive.phase("stable")?;
        let before = (drive.tally.synced, drive.spent()?);
        let began = drive.engine.now();
        most = most.max(drive.engine.open_sockets());
        let end = schedule.end();
        self.until(drive, &mut schedule, end, &mut held, &mut late)?;
        let found = Found {
            begun: schedule.handed(),
            answered: drive.tally.synced - before.0,
            seconds: began.until(drive.engine.now()) as f64 / 1e6,
            cpu: drive.spent()?.saturating_sub(before.1),
            late,
            open: most.max(drive.engine.open_sockets()),
        };
        drive.phase("end")?;
        while drive.engine.open_sockets() > 0 {
            let until = drive.soon(Duration::from_millis(10));
            self.step(drive, until, &mut held)?;
        }
        Ok(found)
    }

    fn until(
        &self,
        drive: &mut Drive<'_>,
        schedule: &mut Schedule,
        end: Micros,
        held: &mut VecDeque<(Micros, Key)>,
        late: &mut Histogram<u64>,
    ) -> anyhow::Result<()> {
        // A generator that is late begins all of them nevertheless.
        let is_overdue = |schedule: &Schedule| schedule.due().is_some_and(|due| due < end);
        while drive.engine.now() < end || is_overdue(schedule) {
            let now = drive.engine.now();
            // A few at a time, so that answers are read in between.
            for _ in 0..16 {
                let Some(due) = schedule.next(now) else {
                    break;
                };
                if drive.engine.open_sockets() >= self.most {
                    drive.tally.wrong("no connection left to begin with", 1);
                    continue;
                }
                late.saturating_record(due.until(drive.engine.now()));
                drive.engine.open(schedule.handed() as u32, due);
            }
            let until = schedule.due().unwrap_or(end).min(end);
            self.step(drive, until, held)?;
        }
        Ok(())
    }

    /// Lets things happen, and closes what has held for long enough.
    fn step(
        &self,
        drive: &mut Drive<'_>,
        until: Micros,
        held: &mut VecDeque<(Micros, Key)>,
    ) -> anyhow::Result<()> {
        let next = held.front().map_or(until, |(due, _)| until.min(*due));
        let happened = drive.turn(next)?;
        for Event { key, at, what } in &happened {
            if matches!(what, What::Synced { .. }) {
                held.push_back((at.after(self.hold), *key));
            }
        }
        drive.done(happened);
        let now = drive.engine.now();
        while let Some((_, key)) = held.pop_front_if(|(due, _)| *due <= now) {
            drive.engine.close(key);
        }
        Ok(())
    }
}

impl Found {
    /// The figures of it.
    pub(super) fn report(&self, drive: &mut Drive<'_>) {
        let wrong = 100.0 * drive.tally.failed() as f64 / (self.begun.max(1) as f64);
        let late = self.late.value_at_quantile(0.99) as f64 / 1000.0;
        drive.figure("connections per second", "1/s", self.rate());
        drive.figure("CPU per connection", "µs", self.cpu_each());
        drive.figure(
            "server's CPU",
            "cores",
            self.cpu.as_secs_f64() / self.seconds.max(f64::EPSILON),
        );
        drive.figure("errors", "%", wrong);
        drive.figure("open at a time", "", self.open as f64);
        drive.figure("generator behind schedule, p99", "ms", late);
    }

    /// The server's CPU time for a connection, in µs.
    pub(super) fn cpu_each(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / (self.answered.max(1) as f64)
    }

    /// Answers per second when the rate was stable.
    fn rate(&self) -> f64 {
        self.answered as f64 / self.seconds.max(f64::EPSILON)
    }
}
