//! `capacity`: the most new connections per second that are answered well.

use std::time::Duration;

use super::connect::Load;
use super::drive::{Drive, config};
use crate::options::Options;
use crate::progress::Progress;
use crate::report::model::Subject;
use crate::target::Target;

/// Answered well: 99 of 100 within this time, from the intended connect to the whole answer …
pub(super) const P99_MS: f64 = 200.0;

/// … and fewer of all than this gone wrong.
const ERRORS: f64 = 0.001;

/// Sockets that may be open at a time: more wait than can be answered in time.
const MOST: usize = 12_000;

/// How many times the gap between a rate that went well and one that did not is halved.
const HALVINGS: usize = 4;

/// Tries rates of new connections, each with a full sync and a goodbye, for 4 s each (short: 1 s):
/// half as much again until it does not go well (from 4,000/s, or `--rate`), and then between the
/// last two.
///
/// Where the server's CPU is well under a core at the rate found, and the generator behind its
/// schedule, the generator was the limit: on loopback it pays for most of the packets of both
/// sides. Compare the CPU per connection then, or give the server less than a core.
///
/// # Errors
/// The server does not answer at all, or not even the first rate goes well.
pub fn run(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
) -> anyhow::Result<Subject> {
    Ok(search(options, target, progress)?.found)
}

/// The rate that [`run`] finds, per second.
pub(super) fn find(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
) -> anyhow::Result<f64> {
    Ok(search(options, target, progress)?.rate)
}

fn search(options: &Options, target: &Target, progress: &mut dyn Progress) -> anyhow::Result<Step> {
    let mut rate = options.rate.unwrap_or(options.form(4000.0, 500.0));
    let mut best: Option<Step> = None;
    let mut bad: Option<f64> = None;
    let mut halvings = 0;
    while halvings < HALVINGS {
        let step = Step::try_rate(rate, options, target, progress)?;
        match step.is_good {
            true => best = Some(step),
            false => bad = Some(rate),
        }
        let good = best.as_ref().map_or(0.0, |best| best.rate);
        rate = match bad {
            Some(bad) => {
                halvings += 1;
                f64::midpoint(good, bad)
            }
            None => good * 1.5,
        };
    }
    best.ok_or_else(|| anyhow::anyhow!("no rate goes well: the last one tried was {rate:.0}/s"))
}

/// What came of a rate.
struct Step {
    rate: f64,
    is_good: bool,
    found: Subject,
}

impl Step {
    fn try_rate(
        rate: f64,
        options: &Options,
        target: &Target,
        progress: &mut dyn Progress,
    ) -> anyhow::Result<Self> {
        let stable = Duration::from_secs(options.form(4, 1));
        let load = Load {
            rate,
            ramp: options.ramp.unwrap_or(Duration::from_millis(500)),
            stable: options.duration.unwrap_or(stable),
            hold: Duration::ZERO,
            most: options.connections.unwrap_or(MOST),
        };
        let mut drive = Drive::start(target, config(options, target)?, progress)?;
        let found = load.drive(&mut drive)?;
        let failed = drive.tally.failed() as f64 / found.begun.max(1) as f64;
        let is_good = drive.tally.whole_p99() < P99_MS && failed < ERRORS;
        found.report(&mut drive);
        Ok(Self {
            rate,
            is_good,
            found: drive.finish()?,
        })
    }
}
