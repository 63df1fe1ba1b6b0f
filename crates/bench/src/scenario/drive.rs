//! What all scenarios of connections do alike.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::{Context, bail};

use crate::load::engine::{Config, Engine};
use crate::load::schedule::Schedule;
use crate::load::tally::Tally;
use crate::load::{Event, Key, Micros, Sdk, Shape, What};
use crate::options::Options;
use crate::progress::{Moment, Progress};
use crate::report::model::{Figure, Latency, Subject};
use crate::rig::usage::{Sampler, kernel_sockets};
use crate::target::Target;

/// How often progress is told.
const TELL: Duration = Duration::from_millis(200);

/// How often memory is looked at where its peak is wanted.
const LOOK: Duration = Duration::from_millis(20);

/// How long a server must be calm, and how long it is waited for at most.
const CALM: Duration = Duration::from_millis(500);
const SETTLING: Duration = Duration::from_secs(10);

/// The most memory that was seen, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Peaks {
    pub(super) resident: u64,
    pub(super) kernel_sockets: u64,
    looked: Micros,
}

/// A scenario that is running: the generator, and who watches.
pub(super) struct Drive<'a> {
    pub(super) engine: Engine,
    pub(super) tally: Tally,
    pub(super) sampler: Sampler,
    pub(super) figures: Vec<Figure>,
    /// Further distributions than those of the tally.
    pub(super) latencies: Vec<Latency>,
    /// What the first answer was.
    pub(super) first: Shape,
    peaks: Option<Peaks>,
    target: &'a Target,
    progress: &'a mut dyn Progress,
    phase: &'static str,
    whole: Option<Duration>,
    told: Micros,
    happened: Vec<Event>,
}

impl<'a> Drive<'a> {
    /// Connects once, to see that the server answers and how many flags an answer has.
    pub(super) fn start(
        target: &'a Target,
        config: Config,
        progress: &'a mut dyn Progress,
    ) -> anyhow::Result<Self> {
        let mut drive = Self {
            engine: Engine::new(config)?,
            tally: Tally::new()?,
            sampler: Sampler::start(&target.pids)?,
            figures: Vec::new(),
            latencies: Vec::new(),
            first: Shape::default(),
            peaks: None,
            target,
            progress,
            phase: "start",
            whole: None,
            told: Micros::default(),
            happened: Vec::new(),
        };
        drive.first_answer()?;
        drive.tally = Tally::new()?;
        Ok(drive)
    }

    fn first_answer(&mut self) -> anyhow::Result<()> {
        let key = self.engine.open(0, self.engine.now());
        let address = self.target.address;
        loop {
            for event in self.turn(self.soon(TELL))? {
                match event.what {
                    What::Synced { shape, .. } => {
                        self.engine.expect_flags(shape.flags);
                        self.first = shape;
                        self.engine.abort(key);
                        return Ok(());
                    }
                    What::Failed(failure) => {
                        bail!("{address} does not answer as it should: {failure}")
                    }
                    _ => {}
                }
            }
        }
    }

    /// A moment from now.
    pub(super) fn soon(&self, span: Duration) -> Micros {
        self.engine.now().after(span)
    }

    /// How long all of it will take.
    pub(super) fn takes(&mut self, whole: Duration) {
        self.whole = Some(Duration::from(self.engine.now()) + whole);
    }

    /// A new part begins.
    pub(super) fn phase(&mut self, name: &'static str) -> anyhow::Result<()> {
        self.phase = name;
        self.sampler.phase(name)
    }

    /// Lets things happen, at most until then; gives what happened, already counted. Give it back
    /// with [`Self::done`] where that is often.
    pub(super) fn turn(&mut self, until: Micros) -> anyhow::Result<Vec<Event>> {
        let mut happened = std::mem::take(&mut self.happened);
        happened.clear();
        let often = if self.peaks.is_some() { LOOK } else { TELL };
        let until = until.min(self.soon(often));
        self.engine.turn(until, &mut happened)?;
        for event in &happened {
            self.tally.take(event);
        }
        self.look()?;
        if self.told.until(self.engine.now()) >= Micros::from(TELL).0 {
            self.tell()?;
        }
        Ok(happened)
    }

    /// Looks at memory often from now on.
    pub(super) fn watch_peaks(&mut self) {
        self.peaks = Some(Peaks::default());
    }

    /// The most since [`Self::watch_peaks`].
    pub(super) fn peaks(&self) -> Option<Peaks> {
        self.peaks
    }

    fn look(&mut self) -> anyhow::Result<()> {
        let now = self.engine.now();
        if let Some(peaks) = &mut self.peaks
            && peaks.looked.until(now) >= Micros::from(LOOK).0
        {
            peaks.looked = now;
            peaks.resident = peaks.resident.max(self.sampler.now()?.resident);
            peaks.kernel_sockets = peaks.kernel_sockets.max(kernel_sockets()?);
        }
        Ok(())
    }

    /// Takes a list of events back, for the next turn.
    pub(super) fn done(&mut self, happened: Vec<Event>) {
        self.happened = happened;
    }

    fn tell(&mut self) -> anyhow::Result<()> {
        self.told = self.engine.now();
        self.sampler.look()?;
        self.progress.tell(&Moment {
            phase: self.phase,
            elapsed: self.told.into(),
            whole: self.whole,
            facts: &[
                ("open", self.engine.open_sockets() as f64),
                ("answered", self.tally.synced as f64),
                ("errors", self.tally.failed() as f64),
            ],
        });
        Ok(())
    }

    /// Opens connections at a rate, and waits until each is synced or has failed; those that are
    /// synced.
    pub(super) fn open(&mut self, count: usize, rate: f64) -> anyhow::Result<Vec<Key>> {
        let span = Duration::from_secs_f64(count as f64 / rate * 2.0 + 1.0);
        let start = self.engine.now();
        let mut schedule = Schedule::new(start, rate, Micros(0), span.into());
        let mut waiting = HashSet::with_capacity(count);
        let mut opened = Vec::with_capacity(count);
        while (schedule.handed() as usize) < count || !waiting.is_empty() {
            while (schedule.handed() as usize) < count {
                let Some(due) = schedule.next(self.engine.now()) else {
                    break;
                };
                waiting.insert(self.engine.open(schedule.handed() as u32, due));
            }
            let more = (schedule.handed() as usize) < count;
            let until = schedule.due().filter(|_| more);
            let happened = self.turn(until.unwrap_or(self.soon(TELL)))?;
            for event in &happened {
                match event.what {
                    What::Synced { .. } if waiting.remove(&event.key) => opened.push(event.key),
                    What::Failed(_) => {
                        waiting.remove(&event.key);
                    }
                    _ => {}
                }
            }
            self.done(happened);
        }
        Ok(opened)
    }

    /// Lets a time pass; whatever happens is only counted.
    pub(super) fn pass(&mut self, span: Duration) -> anyhow::Result<()> {
        let until = self.soon(span);
        while self.engine.now() < until {
            let happened = self.turn(until)?;
            self.done(happened);
        }
        Ok(())
    }

    /// Lets the server finish what was begun before, so that it is not counted among what comes:
    /// users are still to be written, a large change to be sealed. Waits until half a second passes
    /// in which it hardly does anything, ten seconds at most.
    pub(super) fn settle(&mut self) -> anyhow::Result<()> {
        self.phase("settling")?;
        let deadline = self.soon(SETTLING);
        loop {
            let before = self.spent()?;
            self.pass(CALM)?;
            let spent = self.spent()?.saturating_sub(before);
            if spent < CALM / 100 || self.engine.now() >= deadline {
                return Ok(());
            }
        }
    }

    /// Says goodbye to connections and waits until they are closed.
    pub(super) fn close(&mut self, keys: &[Key]) -> anyhow::Result<()> {
        for key in keys {
            self.engine.close(*key);
        }
        while keys.iter().any(|key| self.engine.newest(*key).is_some()) {
            let happened = self.turn(self.soon(TELL))?;
            self.done(happened);
        }
        Ok(())
    }

    /// CPU time that the server has spent so far.
    pub(super) fn spent(&self) -> anyhow::Result<Duration> {
        Ok(self.sampler.now()?.cpu)
    }

    /// Adds a figure.
    pub(super) fn figure(&mut self, name: &str, unit: &str, value: f64) {
        self.figures.push(Figure::new(name, unit, value));
    }

    /// What was found.
    pub(super) fn finish(mut self) -> anyhow::Result<Subject> {
        let (phases, mut series) = self.sampler.end()?;
        let mut latencies = self.tally.latencies()?;
        latencies.append(&mut self.latencies);
        let errors = self.tally.errors();
        series.extend(self.tally.series());
        Ok(Subject {
            name: self.target.name.clone(),
            processes: self.target.pids.len(),
            runs: 1,
            figures: self.figures,
            latencies,
            phases,
            series,
            errors,
        })
    }
}

/// How a scenario's connections are made.
///
/// # Errors
/// There is no key for the SDK that is to be played.
pub(super) fn config(options: &Options, target: &Target) -> anyhow::Result<Config> {
    let (key, option) = match options.server_sdks {
        true => (&target.server_key, "--server-key"),
        false => (&target.client_key, "--client-key"),
    };
    let key = Some(key.clone()).filter(|key| !key.is_empty());
    let key = key.with_context(|| format!("this scenario needs {option}"))?;
    let sdk = match options.server_sdks {
        true => Sdk::Server(key),
        false => Sdk::Client(key),
    };
    let mut config = Config::new(target.address, sdk);
    config.patience = options.patience.unwrap_or(config.patience);
    config.deflate = options.deflate;
    Ok(config)
}
