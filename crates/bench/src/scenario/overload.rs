//! `overload`: more connections than the server can answer, and what becomes of it.

use std::collections::HashMap;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::capacity;
use super::drive::{Drive, config};
use crate::load::schedule::Schedule;
use crate::load::{Event, Failure, Key, Micros, What};
use crate::options::Options;
use crate::progress::Progress;
use crate::report::latency::histogram;
use crate::report::model::{Latency, Subject};
use crate::target::Target;

/// The share of the capacity before and after.
const CALM: f64 = 0.35;

/// How many times the capacity comes.
const TIMES: f64 = 2.0;

/// Sockets that the generator may have open at a time.
const MOST: usize = 18_000;

/// How long after the overload a refusal is no error yet.
const RECOVERY: Duration = Duration::from_secs(2);

/// An SDK that has waited for so long gives up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Finds the capacity (or takes `--rate` for it), and sends 35 % of it for 5 s (short: 1 s), twice
/// as much as it for 20 s (2 s; `--duration`), and 35 % again for 10 s (2 s).
///
/// A refusal that SDKs take for "later" (503, 1011, 1013) is what a server should do with what is
/// too much, so it is no error, until two seconds after the overload's end; whatever else goes wrong
/// is one. Give the server a part of a core (`--cpus`), else the generator is the one that is
/// overloaded.
///
/// # Errors
/// The server does not answer at all, or the generator cannot run.
pub fn run(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
) -> anyhow::Result<Subject> {
    let capacity = match options.rate {
        Some(rate) => rate,
        None => capacity::find(options, target, progress)?,
    };
    let seconds = |full, short| Duration::from_secs(options.form(full, short));
    let overload = options.duration.unwrap_or(seconds(20, 2));
    let parts = [
        Part::new("before", CALM * capacity, seconds(5, 1))?,
        Part::new("overload", TIMES * capacity, overload)?,
        Part::new("after", CALM * capacity, seconds(10, 2))?,
    ];
    let mut config = config(options, target)?;
    config.patience = options.patience.unwrap_or(PATIENCE);
    let mut overload = Overload {
        drive: Drive::start(target, config, progress)?,
        parts,
        begun: HashMap::new(),
        left_out: 0,
    };
    overload.run()?;
    overload.report(capacity)
}

/// A part of the time, and what became of those that were to begin in it.
struct Part {
    name: &'static str,
    rate: f64,
    span: Duration,
    /// When it ends.
    end: Micros,
    answered: Histogram<u64>,
    refused: Histogram<u64>,
    /// When the last of those was to begin that were not answered well.
    last_bad: Micros,
}

impl Part {
    fn new(name: &'static str, rate: f64, span: Duration) -> anyhow::Result<Self> {
        Ok(Self {
            name,
            rate,
            span,
            end: Micros::default(),
            answered: histogram()?,
            refused: histogram()?,
            last_bad: Micros::default(),
        })
    }
}

struct Overload<'a> {
    drive: Drive<'a>,
    parts: [Part; 3],
    /// In which part each was to begin, and when.
    begun: HashMap<Key, (usize, Micros)>,
    /// How many could not be begun, because as many waited as the generator may open.
    left_out: u64,
}

impl Overload<'_> {
    fn run(&mut self) -> anyhow::Result<()> {
        for number in 0..self.parts.len() {
            self.drive.phase(self.parts[number].name)?;
            self.part(number)?;
        }
        while self.drive.engine.open_sockets() > 0 {
            self.step(self.drive.soon(Duration::from_millis(10)))?;
        }
        Ok(())
    }

    fn part(&mut self, number: usize) -> anyhow::Result<()> {
        let start = self.drive.engine.now();
        let Part { rate, span, .. } = self.parts[number];
        let mut schedule = Schedule::new(start, rate, Micros(0), span.into());
        let end = schedule.end();
        self.parts[number].end = end;
        while self.drive.engine.now() < end || schedule.due().is_some_and(|due| due < end) {
            let now = self.drive.engine.now();
            // A few at a time, so that answers are read in between.
            for _ in 0..16 {
                let Some(due) = schedule.next(now) else {
                    break;
                };
                self.begin(number, schedule.handed() as u32, due);
            }
            self.step(schedule.due().unwrap_or(end).min(end))?;
        }
        Ok(())
    }

    fn begin(&mut self, number: usize, user: u32, due: Micros) {
        if self.drive.engine.open_sockets() >= MOST {
            self.left_out += 1;
            return;
        }
        let key = self.drive.engine.open(user, due);
        self.begun.insert(key, (number, due));
    }

    fn step(&mut self, until: Micros) -> anyhow::Result<()> {
        let happened = self.drive.turn(until)?;
        for event in &happened {
            match &event.what {
                What::Synced { .. } => self.answered(event),
                What::Failed(failure) => self.failed(event, failure),
                _ => {}
            }
        }
        self.drive.done(happened);
        Ok(())
    }

    fn answered(&mut self, event: &Event) {
        if let Some((number, due)) = self.begun.remove(&event.key) {
            let took = due.until(event.at);
            let part = &mut self.parts[number];
            part.answered.saturating_record(took);
            if took as f64 > capacity::P99_MS * 1000.0 {
                part.last_bad = part.last_bad.max(due);
            }
        }
        self.drive.engine.close(event.key);
    }

    fn failed(&mut self, event: &Event, failure: &Failure) {
        // Those that were answered and end badly are no more than errors.
        let Some((number, due)) = self.begun.remove(&event.key) else {
            return;
        };
        let overload_ended = self.parts[1].end;
        let part = &mut self.parts[number];
        part.last_bad = part.last_bad.max(due);
        if !is_retried(failure) {
            return;
        }
        part.refused.saturating_record(due.until(event.at));
        let is_fair = number == 1 || number == 2 && overload_ended.after(RECOVERY) > due;
        if is_fair {
            self.drive.tally.forgive(&failure.to_string());
        }
    }

    fn report(mut self, capacity: f64) -> anyhow::Result<Subject> {
        let [_, overload, after] = &self.parts;
        let each = |times: &Histogram<u64>| times.len() as f64 / overload.span.as_secs_f64();
        let figures = [
            ("capacity", "1/s", capacity),
            ("offered per second", "1/s", overload.rate),
            ("answered per second", "1/s", each(&overload.answered)),
            ("refused per second", "1/s", each(&overload.refused)),
            ("left out by the generator", "", self.left_out as f64),
            (
                "recovered after",
                "s",
                overload.end.until(after.last_bad) as f64 / 1e6,
            ),
        ];
        for (name, unit, value) in figures {
            self.drive.figure(name, unit, value);
        }
        for part in &self.parts {
            for (what, times) in [("answered", &part.answered), ("refused", &part.refused)] {
                if !times.is_empty() {
                    let latency = Latency::of(&format!("{what} {}", part.name), times)?;
                    self.drive.latencies.push(latency);
                }
            }
        }
        self.drive.finish()
    }
}

/// Whether an SDK takes it for "try again later".
fn is_retried(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Refused(503 | 429) | Failure::ClosedWith(1011..=1013)
    )
}
