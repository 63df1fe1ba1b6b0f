//! Measuring with servers of our own: each run on a fresh one, Burgee and the ceiling by turns, so
//! that what else the machine does meanwhile meets both.

use std::path::PathBuf;

use super::cgroup::Quota;
use super::limits::Limits;
use super::pin;
use super::server::{Kind, Plan, Server};
use crate::ceiling::DEMO_ANSWER;
use crate::options::Options;
use crate::progress::Progress;
use crate::report::merge;
use crate::report::model::{Machine, Ratio, Report, Subject};
use crate::scenario::Run;
use crate::target::Target;

/// Makes somebody who listens to a run, of this title.
pub type Titled<'a> = &'a mut dyn FnMut(&str) -> Box<dyn Progress>;

/// How servers are started, and how often.
#[derive(Debug, Clone)]
pub struct Own {
    /// The program `burgee`.
    pub program: PathBuf,
    /// What Burgee serves.
    pub kind: Kind,
    /// What the server's processes may use together; `None`: what they want.
    pub quota: Option<Quota>,
    /// How many connections there will be at most: decides how many processes it takes.
    pub connections: usize,
    /// How often each is measured.
    pub runs: usize,
    /// How often the ceiling is measured beside it; not more often than Burgee.
    pub ceiling_runs: usize,
}

/// What came of it, medians of the runs.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    /// Burgee.
    pub burgee: Subject,
    /// The ceiling, where it was measured.
    pub ceiling: Option<Subject>,
    /// What the reader must know.
    pub notes: Vec<String>,
}

impl Own {
    /// Measures: `run` is called with a fresh server each time, on the generator's core.
    ///
    /// # Errors
    /// A server does not start, or a run is not possible.
    pub fn measure(
        &self,
        limits: &Limits,
        run: &mut dyn FnMut(&Target, &str) -> anyhow::Result<Subject>,
    ) -> anyhow::Result<Measured> {
        let cores = pin::cores();
        let mut measuring = Measuring {
            own: self,
            processes: limits.processes_for(self.connections),
            cores,
            answer: DEMO_ANSWER,
            notes: limits.notes.clone(),
        };
        if cores.is_none() {
            let note = "server and generator had to share one core";
            measuring.notes.push(note.to_owned());
        }
        let (mut burgee, mut ceiling) = (Vec::new(), Vec::new());
        for number in 1..=self.runs.max(1) {
            burgee.push(measuring.run(self.kind, number, run)?);
            if number <= self.ceiling_runs {
                let kind = Kind::Ceiling(measuring.answer);
                ceiling.push(measuring.run(kind, number, run)?);
            }
        }
        Ok(Measured {
            burgee: merge::runs(burgee, None)?,
            ceiling: match ceiling.is_empty() {
                true => None,
                false => Some(merge::runs(ceiling, None)?),
            },
            notes: measuring.notes,
        })
    }

    /// Measures a scenario.
    ///
    /// # Errors
    /// As [`Self::measure`].
    pub fn scenario(
        &self,
        limits: &Limits,
        name: &str,
        run: Run,
        options: &Options,
        progress: Titled<'_>,
    ) -> anyhow::Result<Measured> {
        self.measure(limits, &mut |target, title| {
            let mut progress = progress(&format!("{name}, {title}"));
            run(options, target, progress.as_mut())
        })
    }
}

struct Measuring<'a> {
    own: &'a Own,
    processes: usize,
    cores: Option<pin::Cores>,
    /// How long Burgee's answer is, once that is known.
    answer: usize,
    notes: Vec<String>,
}

impl Measuring<'_> {
    fn run(
        &mut self,
        kind: Kind,
        number: usize,
        run: &mut dyn FnMut(&Target, &str) -> anyhow::Result<Subject>,
    ) -> anyhow::Result<Subject> {
        let server = Server::start(&Plan {
            program: self.own.program.clone(),
            kind,
            listen: None,
            processes: self.processes,
            core: self.cores.map(|cores| cores.server),
            quota: self.own.quota,
            database: None,
            backbone: None,
        })?;
        if !matches!(kind, Kind::Ceiling(_)) {
            self.answer = server.state_size()?;
        }
        for note in server.notes() {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
        let target = server.target();
        let title = format!("{} {number}/{}", target.name, self.own.runs);
        let mut go = || run(target, &title);
        match self.cores {
            Some(cores) => pin::on(cores.generator, go)?,
            None => go(),
        }
    }
}

impl Measured {
    /// The report of it.
    pub fn report(self, scenario: &str, command: &str) -> Report {
        let ratios = self.ceiling.as_ref();
        let ratios = ratios.map(|ceiling| ratios_of(scenario, &self.burgee, ceiling));
        let mut subjects = vec![self.burgee];
        subjects.extend(self.ceiling);
        Report {
            scenario: scenario.to_owned(),
            command: command.to_owned(),
            at: jiff::Timestamp::now().to_string(),
            machine: Machine::here(),
            notes: self.notes,
            subjects,
            ratios: ratios.unwrap_or_default(),
            tables: Vec::new(),
        }
    }
}

/// Goals of ratios to the ceiling: scenario, figure, goal.
const RATIO_GOALS: &[(&str, &str, &str)] = &[
    ("connect", "CPU per connection", "≤ 1.25"),
    ("hold", "CPU with heartbeats", "≤ 1.3"),
    ("push", "last delivery", "≤ 1.15"),
];

/// The figures that say something when they are divided by the ceiling's.
const COMPARED: &[&str] = &[
    "connections per second",
    "CPU per connection",
    "CPU with heartbeats",
    "first delivery",
    "last delivery",
    "evaluation events per second",
    "metric events per second",
    "requests per second",
    "CPU per request",
];

fn ratios_of(scenario: &str, burgee: &Subject, ceiling: &Subject) -> Vec<Ratio> {
    let goal = |name: &str| {
        let mut all = RATIO_GOALS.iter();
        let found = all.find(|goal| (goal.0, goal.1) == (scenario, name))?;
        Some(found.2.to_owned())
    };
    let ratio = |name: &&str| {
        let value = burgee.figure(name)? / ceiling.figure(name)?;
        value.is_finite().then(|| Ratio {
            name: (*name).to_owned(),
            value,
            goal: goal(name),
        })
    };
    COMPARED.iter().filter_map(ratio).collect()
}
