//! `churn`: everything at once, for long: people come and go, log in, and flags change.

mod steps;

use std::time::Duration;

use steps::Churn;

use super::change::Switch;
use super::drive::{Drive, config};
use super::hold::OPENING;
use super::push::check_newest;
use crate::options::Options;
use crate::progress::Progress;
use crate::report::model::Subject;
use crate::target::Target;

/// How long the last change may take to reach everybody.
const SETTLING: Duration = Duration::from_secs(20);

/// Holds connections (10,000; short: 300). For ten minutes (5 s; `--duration`) new ones come
/// (1,000/s; 100/s), and for each that has synced the oldest leaves with a goodbye; half as many
/// identify as another user, all send heartbeats, and a flag is switched each second.
///
/// On no connection may a version be older than one before it; each change must have reached every
/// connection five seconds later, and in the end all have the newest version. Users come from a pool
/// of twice the connections, so that what a server learns of users has an end; growth is what its
/// own memory grew by after the first tenth of the time.
///
/// # Errors
/// The server does not answer at all, a change cannot be made, or the generator cannot run.
pub fn run(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
) -> anyhow::Result<Subject> {
    let count = options.connections.unwrap_or(options.form(10_000, 300));
    let rate = options.rate.unwrap_or(options.form(1000.0, 100.0));
    let span = Duration::from_secs(options.form(600, 5));
    let span = options.duration.unwrap_or(span);
    let switch = Switch::new(target)?;
    let mut drive = Drive::start(target, config(options, target)?, progress)?;
    drive.takes(Duration::from_secs_f64(count as f64 / OPENING) + span);
    drive.phase("opening")?;
    let keys = drive.open(count, OPENING)?;
    let mut churn = Churn::new(keys, rate, switch);
    drive.phase("beginning")?;
    churn.pass(&mut drive, span / 10)?;
    let (before, spent) = (drive.sampler.now()?, drive.spent()?);
    drive.phase("churn")?;
    let start = (drive.engine.now(), drive.tally.synced);
    churn.pass(&mut drive, span - span / 10)?;
    let seconds = start.0.until(drive.engine.now()) as f64 / 1e6;
    let new = (drive.tally.synced - start.1) as f64 / seconds;
    let cpu = drive.spent()?.saturating_sub(spent).as_secs_f64() / seconds;
    let grown = drive.sampler.now()?.anonymous as f64 - before.anonymous as f64;
    drive.phase("check")?;
    churn.settle(&mut drive, SETTLING)?;
    check_newest(&mut drive, &churn.keys())?;
    drive.figure("connections", "", churn.keys().len() as f64);
    drive.figure("connections per second", "1/s", new);
    drive.figure("CPU", "cores", cpu);
    drive.figure("identifies", "", churn.identified as f64);
    drive.figure("changes", "", churn.changes as f64);
    drive.figure("pushes", "", drive.tally.pushed as f64);
    drive.figure("growth of memory", "bytes", grown);
    drive.finish()
}
