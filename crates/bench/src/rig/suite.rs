//! `bench all`: every goal, measured with servers of its own, as one table.
//!
//! A part is a scenario with its options, measured by turns on Burgee and on the ceiling; its rows
//! are what is read off it. Goals stand in [`parts`] and nowhere else.

pub mod markdown;
mod parts;

use std::path::PathBuf;

use self::parts::{Form, PARTS, Part, Value};
use super::cgroup::Quota;
use super::limits::Limits;
use super::measure::{Measured, Own, Titled};
use crate::report::goal::Goal;
use crate::report::model::{Report, Subject, Table};
use crate::report::number;

/// What to measure.
#[derive(Debug, Clone)]
pub struct Suite {
    /// The program `burgee`.
    pub program: PathBuf,
    /// How often each part is measured; figures are medians.
    pub runs: usize,
    /// Small numbers and times, to see that everything works.
    pub short: bool,
    /// Only the parts of these scenarios; all where none is named.
    pub only: Vec<String>,
}

impl Suite {
    /// Measures all of it.
    ///
    /// # Errors
    /// No part is chosen, a server does not start, or a scenario is not possible.
    pub fn run(&self, command: &str, progress: Titled<'_>) -> anyhow::Result<Report> {
        let chosen =
            |part: &&Part| self.only.is_empty() || self.only.iter().any(|it| it == part.scenario);
        let parts: Vec<&Part> = PARTS.iter().filter(chosen).collect();
        anyhow::ensure!(!parts.is_empty(), "no such scenario: {:?}", self.only);
        let limits = Limits::prepare();
        let mut form = Form {
            short: self.short,
            capacity: None,
        };
        let mut whole = Report::default();
        let mut rows = Vec::new();
        for part in parts {
            let measured = self.measure(&limits, part, &form, progress)?;
            if part.scenario == "capacity" {
                form.capacity = measured.burgee.figure("connections per second");
            }
            rows.extend(part.rows.iter().map(|row| line(row, &measured)));
            add(&mut whole, part, measured, command);
        }
        whole.tables.push(Table {
            title: "Goals".to_owned(),
            columns: COLUMNS.map(str::to_owned).to_vec(),
            rows,
        });
        Ok(whole)
    }

    fn measure(
        &self,
        limits: &Limits,
        part: &Part,
        form: &Form,
        progress: Titled<'_>,
    ) -> anyhow::Result<Measured> {
        let options = (part.options)(form);
        let runs = self.runs.min(part.most_runs);
        let own = Own {
            program: self.program.clone(),
            kind: (part.kind)(&options),
            quota: options.cpus.map(Quota::of_cpus),
            connections: options.connections.unwrap_or(0),
            runs,
            ceiling_runs: if part.ceiling { runs } else { 0 },
        };
        own.scenario(limits, part.title, part.run, &options, progress)
    }
}

const COLUMNS: [&str; 6] = ["what", "goal", "Burgee", "ceiling", "ratio", "met"];

fn line(row: &parts::Row, measured: &Measured) -> Vec<String> {
    let burgee = row.value.of(&measured.burgee);
    let ceiling = measured.ceiling.as_ref();
    let ceiling = ceiling.and_then(|ceiling| row.value.of(ceiling));
    let ratio = burgee.zip(ceiling).map(|(ours, least)| ours.0 / least.0);
    let judged = match row.by_ratio {
        true => ratio,
        false => burgee.map(|value| value.0),
    };
    let met = Goal::read(row.goal)
        .zip(judged)
        .map(|(goal, value)| goal.met(value));
    let shown = |value: Option<(f64, &'static str)>| {
        value.map_or_else(none, |(value, unit)| number::quantity(value, unit))
    };
    vec![
        row.what.to_owned(),
        match row.by_ratio {
            true => format!("{} × the ceiling", row.goal),
            false => row.goal.to_owned(),
        },
        shown(burgee),
        shown(ceiling),
        ratio.map_or_else(none, number::ratio),
        match met {
            Some(true) => "yes".to_owned(),
            Some(false) => "no".to_owned(),
            None => none(),
        },
    ]
}

fn none() -> String {
    "–".to_owned()
}

impl Value {
    /// What it is of a subject, with its unit.
    fn of(self, subject: &Subject) -> Option<(f64, &'static str)> {
        match self {
            Self::Figure(name, unit) => Some((subject.figure(name)?, unit)),
            Self::P99(name) => Some((subject.latency(name)?.p99, "ms")),
            Self::Errors => Some((subject.failed() as f64, "")),
        }
    }
}

/// Puts a part's subjects and notes into the report of all.
fn add(whole: &mut Report, part: &Part, measured: Measured, command: &str) {
    let mut one = measured.report("all", command);
    for subject in &mut one.subjects {
        subject.name = format!("{}, {}", subject.name, part.title);
    }
    let mut subjects = std::mem::take(&mut whole.subjects);
    subjects.append(&mut one.subjects);
    let mut notes = std::mem::take(&mut whole.notes);
    for note in std::mem::take(&mut one.notes) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    *whole = Report {
        subjects,
        notes,
        ratios: Vec::new(),
        ..one
    };
}

#[cfg(test)]
mod tests;
