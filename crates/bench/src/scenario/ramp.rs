//! `ramp`: connections come at a rising rate and all stay: what the published test does.

use std::time::Duration;

use super::beats::Beats;
use super::drive::{Drive, config};
use super::hold::HEARTBEAT;
use crate::load::Micros;
use crate::load::schedule::Schedule;
use crate::options::Options;
use crate::progress::Progress;
use crate::report::latency::histogram;
use crate::report::model::Subject;
use crate::target::Target;

/// Opens connections at a rate that rises from zero over a ramp (to 1,000/s in 40 s; in 3 s) and
/// then stops; keeps them all, with heartbeats, until the test is over (after 180 s; 5 s:
/// `--duration`, ramp included).
///
/// # Errors
/// The server does not answer at all, or the generator cannot run.
pub fn run(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
) -> anyhow::Result<Subject> {
    let rate = options.rate.unwrap_or(1000.0);
    let (ramp, whole) = times(options);
    let mut drive = Drive::start(target, config(options, target)?, progress)?;
    drive.takes(whole);
    let start = drive.engine.now();
    let mut ramping = Ramping {
        schedule: Schedule::new(start, rate, ramp.into(), Micros(0)),
        beats: Beats::every(HEARTBEAT),
    };
    let mut late = histogram()?;
    drive.phase("ramp")?;
    let until = ramping.schedule.end();
    // A generator that is late begins all of them nevertheless.
    while drive.engine.now() < until || ramping.schedule.due().is_some() {
        let now = drive.engine.now();
        while let Some(due) = ramping.schedule.next(now) {
            late.saturating_record(due.until(drive.engine.now()));
            drive.engine.open(ramping.schedule.handed() as u32, due);
        }
        ramping.step(&mut drive, until)?;
    }
    drive.phase("stable")?;
    let until = start.after(whole);
    while drive.engine.now() < until {
        ramping.step(&mut drive, until)?;
    }
    let begun = ramping.schedule.handed().max(1);
    let wrong = 100.0 * drive.tally.failed() as f64 / begun as f64;
    let held = drive.engine.open_sockets() as f64;
    let behind = late.value_at_quantile(0.99) as f64 / 1000.0;
    drive.figure("connections held", "", held);
    drive.figure("errors", "%", wrong);
    drive.figure("generator behind schedule, p99", "ms", behind);
    drive.engine.abort_all();
    drive.finish()
}

/// How long the ramp is, and how long all of it.
pub(super) fn times(options: &Options) -> (Duration, Duration) {
    let seconds = |full, short| Duration::from_secs(options.form(full, short));
    let ramp = options.ramp.unwrap_or(seconds(40, 3));
    (ramp, options.duration.unwrap_or(seconds(180, 5)).max(ramp))
}

struct Ramping {
    schedule: Schedule,
    beats: Beats,
}

impl Ramping {
    /// Lets things happen until something is due.
    fn step(&mut self, drive: &mut Drive<'_>, end: Micros) -> anyhow::Result<()> {
        let mut until = self.schedule.due().unwrap_or(end).min(end);
        until = until.min(self.beats.due().unwrap_or(until));
        let happened = drive.turn(until)?;
        self.beats.take(&happened);
        drive.done(happened);
        self.beats.send(drive);
        Ok(())
    }
}
