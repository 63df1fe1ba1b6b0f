//! `push`: how fast a change reaches all held connections, and whether it reaches all.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::ensure;
use hdrhistogram::Histogram;

use super::change::Switch;
use super::drive::{Drive, config};
use super::hold::OPENING;
use crate::load::{Key, Shape, What};
use crate::options::Options;
use crate::progress::Progress;
use crate::report::latency::histogram;
use crate::report::model::{Latency, Subject};
use crate::target::Target;

/// Opens connections (18,000; short: 500), and makes changes (10; 4), one after the other has
/// reached everybody or was waited for long enough (60 s; 10 s; `--duration`).
///
/// Times count from sending the change's request, so that its commit is in them. In the end every
/// connection must have the newest version that any has, and that a new one gets.
///
/// # Errors
/// The server does not answer at all, a change cannot be made, or the generator cannot run.
pub fn run(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
) -> anyhow::Result<Subject> {
    let count = options.connections.unwrap_or(options.form(18_000, 500));
    let patience = Duration::from_secs(options.form(60, 10));
    let patience = options.duration.unwrap_or(patience);
    let mut switch = Switch::new(target)?;
    let mut drive = Drive::start(target, config(options, target)?, progress)?;
    drive.phase("opening")?;
    let keys = drive.open(count, options.rate.unwrap_or(OPENING))?;
    drive.phase("pushes")?;
    let mut pushes = Pushes::new()?;
    for _ in 0..options.form(10, 4) {
        pushes.make(&mut drive, &mut switch, &keys, patience)?;
    }
    ensure!(switch.is_on(), "the flag is left as it was found");
    drive.phase("check")?;
    check_newest(&mut drive, &keys)?;
    drive.figure("connections", "", keys.len() as f64);
    drive.figure("first delivery", "ms", median(&mut pushes.first));
    drive.figure("last delivery", "ms", median(&mut pushes.last));
    drive.figure("change answered", "ms", median(&mut pushes.answered));
    let times = Latency::of("push", &pushes.times)?;
    drive.latencies.push(times);
    drive.finish()
}

/// What was measured of the changes, in ms each.
struct Pushes {
    times: Histogram<u64>,
    first: Vec<f64>,
    last: Vec<f64>,
    answered: Vec<f64>,
}

impl Pushes {
    fn new() -> anyhow::Result<Self> {
        Ok(Self {
            times: histogram()?,
            first: Vec::new(),
            last: Vec::new(),
            answered: Vec::new(),
        })
    }

    /// Makes a change and waits until everybody has it.
    fn make(
        &mut self,
        drive: &mut Drive<'_>,
        switch: &mut Switch,
        keys: &[Key],
        patience: Duration,
    ) -> anyhow::Result<()> {
        let newest = keys.iter().filter_map(|key| drive.engine.newest(*key));
        let before = newest.max().unwrap_or_default();
        let mut waiting: HashSet<Key> = keys.iter().copied().collect();
        let change = switch.turn();
        let asked = drive.engine.at(change.asked);
        let deadline = drive.soon(patience);
        let mut answered = None;
        let (mut first, mut last) = (None, 0);
        while (!waiting.is_empty() || answered.is_none()) && drive.engine.now() < deadline {
            let soon = drive.soon(Duration::from_millis(1));
            let happened = drive.turn(soon)?;
            for event in &happened {
                let is_new = |shape: &Shape| shape.newest > before;
                match &event.what {
                    What::Pushed(shape) if is_new(shape) && waiting.remove(&event.key) => {
                        let took = asked.until(event.at);
                        self.times.saturating_record(took);
                        first.get_or_insert(took);
                        last = last.max(took);
                    }
                    // Counted as what it is.
                    What::Failed(_) => {
                        waiting.remove(&event.key);
                    }
                    _ => {}
                }
            }
            drive.done(happened);
            if answered.is_none() {
                answered = change.answered()?.map(|at| drive.engine.at(at));
            }
        }
        waiting.retain(|key| drive.engine.newest(*key).is_some());
        drive
            .tally
            .wrong("a change that did not arrive", waiting.len() as u64);
        let ms = |us: u64| us as f64 / 1000.0;
        self.first.extend(first.map(ms));
        self.last.push(ms(last));
        self.answered.extend(answered.map(|at| ms(asked.until(at))));
        Ok(())
    }
}

/// Counts connections that do not have the newest version of all, or of a new one.
pub(super) fn check_newest(drive: &mut Drive<'_>, keys: &[Key]) -> anyhow::Result<()> {
    let fresh = drive.open(1, OPENING)?;
    let all = fresh.iter().chain(keys);
    let newest = all.filter_map(|key| drive.engine.newest(*key)).max();
    let has = keys.iter().filter_map(|key| drive.engine.newest(*key));
    let old = has.filter(|has| Some(*has) != newest).count();
    drive
        .tally
        .wrong("a connection that ended on an old version", old as u64);
    Ok(())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
