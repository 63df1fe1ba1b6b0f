//! `herd`: all server SDKs of a large environment come back at once.

mod large;

use std::time::Duration;

use large::Large;

use super::drive::Drive;
use crate::load::Sdk;
use crate::load::engine::Config;
use crate::options::Options;
use crate::progress::Progress;
use crate::report::model::Subject;
use crate::rig::usage::kernel_sockets;
use crate::target::Target;

/// How long a reader may wait for the whole of a state while all others want it too.
const PATIENCE: Duration = Duration::from_secs(300);

/// What a socket here may keep until it is read: kernel memory of SDKs is not the server's, and
/// the default would grow to megabytes.
const RECEIVE_BUFFER: usize = 64 * 1024;

/// How fast they connect the first time.
const CALMLY: f64 = 300.0;

/// As fast as they can be begun.
const AT_ONCE: f64 = 1e9;

/// Makes a project with an environment of 3,000 flags and 5 MB (short: 300 flags) through the API,
/// connects server SDKs (5,000; 100), ends all connections at once and connects all again in the
/// same moment. The project is deleted in the end.
///
/// Growth is what the server's resident memory and the kernel's memory for sockets were more, at
/// most, than with one SDK connected.
///
/// # Errors
/// The server does not answer at all, the environment cannot be made, or the generator cannot run.
pub fn run(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
) -> anyhow::Result<Subject> {
    let count = options.connections.unwrap_or(options.form(5_000, 100));
    let large = Large::make(target.api()?, options.form(3_000, 300), progress)?;
    let found = drive(options, target, progress, &large, count);
    large.delete()?;
    found
}

fn drive(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
    large: &Large,
    count: usize,
) -> anyhow::Result<Subject> {
    let mut config = Config::new(target.address, Sdk::Server(large.key.clone()));
    config.patience = options.patience.unwrap_or(PATIENCE);
    config.receive_buffer = Some(RECEIVE_BUFFER);
    let mut drive = Drive::start(target, config, progress)?;
    drive.phase("one")?;
    let one = drive.open(1, CALMLY)?;
    let (before, kernel_before) = (drive.sampler.now()?, kernel_sockets()?);
    drive.phase("opening")?;
    let first = drive.open(count, options.rate.unwrap_or(CALMLY))?;
    drive.phase("herd")?;
    for key in one.iter().chain(&first) {
        drive.engine.abort(*key);
    }
    drive.watch_peaks();
    let start = drive.engine.now();
    let back = drive.open(count, AT_ONCE)?;
    let took = start.until(drive.engine.now()) as f64 / 1e6;
    let missing = count - back.len();
    drive.tally.wrong("not synced", missing as u64);
    let grown = |peak: u64, before: u64| peak.saturating_sub(before) as f64;
    let peaks = drive.peaks().unwrap_or_default();
    drive.figure("connections", "", back.len() as f64);
    drive.figure("flags", "", f64::from(drive.first.flags));
    drive.figure("state", "bytes", drive.first.bytes as f64);
    drive.figure("all synced after", "s", took);
    let resident = grown(peaks.resident, before.resident);
    drive.figure("growth of resident memory", "bytes", resident);
    let kernel = grown(peaks.kernel_sockets, kernel_before);
    drive.figure("growth of kernel socket memory", "bytes", kernel);
    drive.finish()
}
