//! `growth`: what a connection costs as flags, targets and environments become many.

use std::time::Duration;

use super::connect::Load;
use super::drive::{Drive, config};
use crate::made::Made;
use crate::options::Options;
use crate::progress::Progress;
use crate::report::model::{Figure, Subject};
use crate::target::Target;

/// Connections per second: what the server needs for them is well under a core.
const RATE: f64 = 500.0;

/// Bytes of answers per second that the generator is asked to read at most.
const BYTES: f64 = 60e6;

/// How long a server is left alone to see what it does by itself.
const IDLE: Duration = Duration::from_secs(5);

/// Makes projects that grow (flags in an environment: 5, 50, 500, 5,000; short: 5, 50; targets of a
/// flag: 10, 1,000, 100,000; short: 10, 100; environments: 1, 10, 100, 1,000; short: 1, 10), and at
/// each size opens connections for 5 s (short: 1 s; `--duration`).
///
/// Gives the CPU of a connection at each size, and as ratios what must not grow: the CPU for a byte
/// of a sync from 500 to 5,000 flags, and the CPU for a connection from the fewest to the most
/// targets and environments.
///
/// # Errors
/// The server does not answer at all, the projects cannot be made, or the generator cannot run.
pub fn run(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
) -> anyhow::Result<Subject> {
    let mut growth = Growth {
        options,
        target,
        progress,
        found: None,
    };
    growth.flags()?;
    growth.targets()?;
    growth.environments()?;
    growth
        .found
        .ok_or_else(|| anyhow::anyhow!("nothing was measured"))
}

struct Growth<'a> {
    options: &'a Options,
    target: &'a Target,
    progress: &'a mut dyn Progress,
    found: Option<Subject>,
}

/// What connections cost at one size.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Of an answer.
    bytes: f64,
    /// Of a connection, in µs.
    cpu: f64,
}

impl Growth<'_> {
    fn flags(&mut self) -> anyhow::Result<()> {
        let sizes: &[usize] = self.options.form(&[5, 50, 500, 5_000], &[5, 50]);
        let mut made = Made::new(self.target.api()?)?;
        let mut costs = Vec::new();
        for size in sizes {
            made.grow_flags(*size)?;
            let name = format!("{size} flags");
            let cost = self.connect(&made, &name)?;
            self.figure(&format!("{name}: sync"), "bytes", cost.bytes);
            costs.push(cost);
        }
        made.delete()?;
        if let [.., fewer, more] = costs[..] {
            let grown = (more.cpu / fewer.cpu) / (more.bytes / fewer.bytes);
            self.figure("CPU of a byte, most flags to a tenth", "×", grown);
        }
        Ok(())
    }

    fn targets(&mut self) -> anyhow::Result<()> {
        let sizes: &[usize] = self.options.form(&[10, 1_000, 100_000], &[10, 100]);
        let mut made = Made::new(self.target.api()?)?;
        made.grow_flags(1)?;
        let mut costs = Vec::new();
        for size in sizes {
            made.set_targets(*size)?;
            costs.push(self.connect(&made, &format!("{size} targets"))?);
        }
        made.delete()?;
        self.grown("CPU of a connection, most targets to fewest", &costs);
        Ok(())
    }

    fn environments(&mut self) -> anyhow::Result<()> {
        let sizes: &[usize] = self.options.form(&[1, 10, 100, 1_000], &[1, 10]);
        let mut made = Made::new(self.target.api()?)?;
        made.grow_flags(1)?;
        let mut costs = Vec::new();
        for size in sizes {
            made.grow_environments(*size)?;
            costs.push(self.connect(&made, &format!("{size} environments"))?);
        }
        let idle = self.idle(&made)?;
        made.delete()?;
        self.figure("CPU when idle, most environments", "cores", idle);
        self.grown("CPU of a connection, most environments to fewest", &costs);
        Ok(())
    }

    fn grown(&mut self, name: &str, costs: &[Cost]) {
        if let [fewest, .., most] = costs {
            self.figure(name, "×", most.cpu / fewest.cpu);
        }
    }

    /// Opens connections for a while.
    fn connect(&mut self, made: &Made, name: &str) -> anyhow::Result<Cost> {
        let target = made.target(self.target);
        let mut drive = Drive::start(&target, config(self.options, &target)?, self.progress)?;
        // Making it took more of the server than serving it will.
        drive.settle()?;
        let bytes = drive.first.bytes as f64;
        let load = Load {
            rate: self.options.rate.unwrap_or(RATE).min(BYTES / bytes),
            ramp: Duration::from_millis(500),
            stable: self
                .options
                .duration
                .unwrap_or(Duration::from_secs(self.options.form(5, 1))),
            hold: Duration::ZERO,
            most: usize::MAX,
        };
        let found = load.drive(&mut drive)?;
        let cpu = found.cpu_each();
        drive.figure(&format!("{name}: CPU per connection"), "µs", cpu);
        let resident = drive.sampler.now()?.resident as f64;
        drive.figure(&format!("{name}: resident memory"), "bytes", resident);
        let found = drive.finish()?;
        self.take(found);
        Ok(Cost { bytes, cpu })
    }

    /// How many cores the server uses while nobody asks for anything.
    fn idle(&mut self, made: &Made) -> anyhow::Result<f64> {
        let target = made.target(self.target);
        let mut drive = Drive::start(&target, config(self.options, &target)?, self.progress)?;
        drive.settle()?;
        let span = self.options.form(IDLE, Duration::from_secs(1));
        let before = drive.spent()?;
        drive.pass(span)?;
        let spent = drive.spent()?.saturating_sub(before);
        let found = drive.finish()?;
        self.take(found);
        Ok(spent.as_secs_f64() / span.as_secs_f64())
    }

    /// Adds what one size gave. Distributions and courses of all of them together say nothing.
    fn take(&mut self, one: Subject) {
        let Some(found) = &mut self.found else {
            self.found = Some(Subject {
                latencies: Vec::new(),
                series: Vec::new(),
                phases: Vec::new(),
                ..one
            });
            return;
        };
        found.figures.extend(one.figures);
        for error in one.errors {
            match found.errors.iter_mut().find(|it| it.what == error.what) {
                Some(same) => same.count += error.count,
                None => found.errors.push(error),
            }
        }
    }

    fn figure(&mut self, name: &str, unit: &str, value: f64) {
        if let Some(found) = &mut self.found {
            found.figures.push(Figure::new(name, unit, value));
        }
    }
}
