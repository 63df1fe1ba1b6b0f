//! `herd`: all server SDKs of a large environment come back at once.

use std::time::Duration;

use super::drive::{Drive, config};
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

/// What a large environment has, where a server is started for this: 5 MB (short: 500 KB).
pub fn flags(options: &Options) -> usize {
    options.form(3_000, 300)
}

/// Connects server SDKs (5,000; short: 100), ends all connections at once and connects all again in
/// the same moment.
///
/// Growth is what the server's resident memory and the kernel's memory for sockets were more, at
/// most, than with one SDK connected: it says something where the server was started lately, since
/// memory that was used once may be kept.
///
/// # Errors
/// The server does not answer at all, or the generator cannot run.
pub fn run(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
) -> anyhow::Result<Subject> {
    let count = options.connections.unwrap_or(options.form(5_000, 100));
    let servers = Options {
        server_sdks: true,
        ..options.clone()
    };
    let mut config = config(&servers, target)?;
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
    let received = drive.engine.received();
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
    let received = (drive.engine.received() - received) as f64 / back.len().max(1) as f64;
    drive.figure("received by each", "bytes", received);
    drive.figure("all synced after", "s", took);
    let resident = grown(peaks.resident, before.resident);
    drive.figure("growth of resident memory", "bytes", resident);
    let kernel = grown(peaks.kernel_sockets, kernel_before);
    drive.figure("growth of kernel socket memory", "bytes", kernel);
    drive.finish()
}
