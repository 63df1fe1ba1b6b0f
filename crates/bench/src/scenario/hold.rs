//! `hold`: what a held connection costs.

use std::time::Duration;

use super::drive::{Drive, config};
use crate::load::Key;
use crate::load::Micros;
use crate::load::schedule::Schedule;
use crate::options::Options;
use crate::progress::Progress;
use crate::report::model::Subject;
use crate::target::Target;

/// SDKs send a ping about so often.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(18);

/// How fast connections are opened that are only to be there.
pub(crate) const OPENING: f64 = 4000.0;

/// Opens connections (18,000; short: 500), leaves them alone (10 s; 1 s), and then sends
/// each one's heartbeats (for 20 s; 2 s; `--duration`).
///
/// The memory is all that the processes grew by, divided by the connections: it has in it what a
/// server learns of users.
///
/// # Errors
/// The server does not answer at all, or the generator cannot run.
pub fn run(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
) -> anyhow::Result<Subject> {
    let count = options.connections.unwrap_or(options.form(18_000, 500));
    let beating = Duration::from_secs(options.form(20, 2));
    let beating = options.duration.unwrap_or(beating);
    let idle = Duration::from_secs(options.form(10, 1));
    let mut drive = Drive::start(target, config(options, target)?, progress)?;
    drive.takes(Duration::from_secs_f64(count as f64 / OPENING) + idle + beating);
    // A few connections first: what the process allocates once is not a connection's cost.
    let first = drive.open(100, OPENING)?;
    drive.close(&first)?;
    let before = drive.sampler.now()?;
    drive.phase("opening")?;
    let keys = drive.open(count, options.rate.unwrap_or(OPENING))?;
    drive.settle()?;
    drive.phase("idle")?;
    let without = cpu(&mut drive, |drive| drive.pass(idle))?;
    let held = drive.sampler.now()?;
    drive.phase("heartbeats")?;
    let with = cpu(&mut drive, |drive| heartbeats(drive, &keys, beating))?;
    let lost = keys
        .iter()
        .filter(|key| drive.engine.newest(**key).is_none());
    let lost = lost.count();
    drive.figure("connections", "", (keys.len() - lost) as f64);
    let grown = held.anonymous.saturating_sub(before.anonymous) as f64;
    let each = grown / keys.len().max(1) as f64;
    drive.figure("memory per connection", "bytes", each);
    drive.figure("resident memory", "bytes", held.resident as f64);
    drive.figure("CPU when idle", "cores", without);
    drive.figure("CPU with heartbeats", "cores", with);
    drive.finish()
}

/// How many cores the server used meanwhile.
fn cpu(
    drive: &mut Drive<'_>,
    run: impl FnOnce(&mut Drive<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<f64> {
    let (spent, start) = (drive.spent()?, drive.engine.now());
    run(drive)?;
    let spent = drive.spent()?.saturating_sub(spent);
    let seconds = start.until(drive.engine.now()) as f64 / 1e6;
    Ok(spent.as_secs_f64() / seconds.max(f64::EPSILON))
}

/// Sends heartbeats of all connections in turn for a time.
fn heartbeats(drive: &mut Drive<'_>, keys: &[Key], span: Duration) -> anyhow::Result<()> {
    let rate = keys.len() as f64 / HEARTBEAT.as_secs_f64();
    let start = drive.engine.now();
    let mut schedule = Schedule::new(start, rate, Micros(0), span.into());
    let mut turns = keys.iter().cycle();
    while drive.engine.now() < schedule.end() {
        while let Some(due) = schedule.next(drive.engine.now()) {
            match turns.next() {
                Some(key) if drive.engine.is_idle(*key) => drive.engine.ping(*key, due),
                _ => drive.tally.wrong("a heartbeat had to be left out", 1),
            }
        }
        let happened = drive.turn(schedule.due().unwrap_or(schedule.end()))?;
        drive.done(happened);
    }
    // What is on its way comes, or has failed.
    while keys
        .iter()
        .any(|key| drive.engine.newest(*key).is_some() && !drive.engine.is_idle(*key))
    {
        let happened = drive.turn(drive.soon(Duration::from_millis(10)))?;
        drive.done(happened);
    }
    Ok(())
}
