//! `seed`: the test whose figures FeatBit published, on the same data, with the same rates, times
//! and limits; and then with twice, five and ten times the rates.
//!
//! Published were the rates, the 180 s, the 22,000 connections that were held, and the figures. A
//! ramp of 40 s is what fits them: 1,100 connections per second at its end make 22,000. Nobody
//! leaves before the end.

mod generators;
mod published;
mod tables;

use std::path::PathBuf;

use self::generators::Generators;
use super::ramp;
use crate::options::Options;
use crate::report::model::{Figure, Report, Subject};
use crate::rig::cgroup::Quota;
use crate::rig::limits::Limits;
use crate::rig::measure::{Measured, Own, Titled};
use crate::rig::server::Kind;

/// Rates that were published, and multiples of the first of them.
const RATES: [f64; 6] = [1000.0, 1100.0, 1200.0, 2000.0, 5000.0, 10_000.0];

/// What to measure.
#[derive(Debug, Clone)]
pub struct Seed {
    /// The program `burgee`: servers, and generators where one may not hold enough connections.
    pub program: PathBuf,
    /// How often each published rate is measured; 10 in the published test. The ceiling, and the
    /// multiples, are measured once for each three of them.
    pub runs: usize,
    /// `rate`: only that one. `ramp`, `duration`, `short`: as for [`ramp::run`].
    pub options: Options,
}

/// What was found at a rate.
#[derive(Debug, Clone)]
struct Row {
    rate: f64,
    measured: Measured,
}

impl Seed {
    /// Measures all of it.
    ///
    /// # Errors
    /// A server or a generator does not start.
    pub fn run(&self, command: &str, progress: Titled<'_>) -> anyhow::Result<Report> {
        let limits = Limits::prepare();
        let rates = match self.options.rate {
            Some(rate) => vec![rate],
            None => RATES.to_vec(),
        };
        let mut rows = Vec::with_capacity(rates.len());
        for rate in rates {
            let measured = self.measure(&limits, rate, progress)?;
            rows.push(Row { rate, measured });
        }
        Ok(report(rows, command))
    }

    fn measure(
        &self,
        limits: &Limits,
        rate: f64,
        progress: Titled<'_>,
    ) -> anyhow::Result<Measured> {
        let (ramp, _) = ramp::times(&self.options);
        let connections = (rate * ramp.as_secs_f64() / 2.0).ceil() as usize;
        let some = self.runs.div_ceil(3);
        let own = Own {
            program: self.program.clone(),
            kind: Kind::Published,
            // The machine of the published test had 1 GiB, too.
            quota: Some(Quota::of_cpus(1.0)),
            connections,
            runs: match published::at(rate) {
                Some(_) => self.runs,
                None => some,
            },
            // The short form has a minute.
            ceiling_runs: match self.options.short && published::at(rate).is_none() {
                true => 0,
                false => some,
            },
        };
        let generators = Generators {
            program: &self.program,
            count: limits.processes_for(connections),
            options: Options {
                rate: Some(rate),
                ..self.options.clone()
            },
        };
        let mut measured = own.measure(limits, &mut |target, title| {
            let mut progress = progress(&format!("{rate}/s, {title}"));
            let found = generators.run(target, progress.as_mut())?;
            Ok(with_peaks(found))
        })?;
        if generators.count > 1 {
            let note = format!(
                "at {rate}/s {} generator processes and {} server processes held the connections",
                generators.count, measured.burgee.processes
            );
            measured.notes.push(note);
        }
        Ok(measured)
    }
}

/// Adds what the tables show of the phases as figures, so that they become medians.
fn with_peaks(mut subject: Subject) -> Subject {
    for phase in &subject.phases {
        let (cpu, memory) = (phase.cpu_peak, phase.resident_peak as f64);
        let figures = [
            Figure::new(&format!("peak CPU, {}", phase.name), "cores", cpu),
            Figure::new(&format!("peak memory, {}", phase.name), "bytes", memory),
        ];
        subject.figures.extend(figures);
    }
    subject
}

/// One report of all rates. The subjects are named after their rates.
fn report(rows: Vec<Row>, command: &str) -> Report {
    let tables = tables::all(&rows, Quota::of_cpus(1.0).memory as f64);
    let mut whole = Report::default();
    for Row { rate, measured } in rows {
        let mut one = measured.report("seed", command);
        for subject in &mut one.subjects {
            subject.name = format!("{} {rate}/s", subject.name);
        }
        whole.subjects.append(&mut one.subjects);
        for note in std::mem::take(&mut one.notes) {
            if !whole.notes.contains(&note) {
                whole.notes.push(note);
            }
        }
        whole = Report {
            subjects: whole.subjects,
            notes: whole.notes,
            ratios: Vec::new(),
            ..one
        };
    }
    whole.notes.push(DATA.to_owned());
    whole.tables = tables;
    whole
}

const DATA: &str = "Five flags and two segments, as in the published test: the first five of \
    --demo, whose other three were archived. One CPU and 1 GiB by a control group unless a note \
    says otherwise. Memory is the server's resident memory; response time is from sending \
    data-sync to its whole answer, over all runs.";

#[cfg(test)]
mod tests;
