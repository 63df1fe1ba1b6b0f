//! The result of a measurement, as it is written to a file and read again to be merged.
//!
//! One JSON document a report. Text and HTML are made from it alone, so that a report can be drawn
//! again, or put together from several generators' files, without measuring again.

use serde::{Deserialize, Serialize};

/// Everything that one run of the instrument found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Report {
    /// The scenario's name: `connect`, `hold`, …
    pub scenario: String,
    /// The command that gives this report again.
    pub command: String,
    /// When it was measured, RFC 3339.
    pub at: String,
    /// Where it was measured.
    pub machine: Machine,
    /// What a reader must know beside the figures: what could not be set, how many processes.
    pub notes: Vec<String>,
    /// What was measured: Burgee, and the ceiling beside it.
    pub subjects: Vec<Subject>,
    /// The first subject's figures divided by the ceiling's.
    pub ratios: Vec<Ratio>,
    /// Tables that a scenario prints as such.
    pub tables: Vec<Table>,
}

/// The machine of a measurement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// How many cores the machine has.
    pub cores: usize,
    /// Its memory, in bytes.
    pub memory: u64,
    /// The kernel's release.
    pub kernel: String,
}

/// One server under test, or the medians of several runs of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Subject {
    /// `burgee` or `ceiling`, or what the user calls it.
    pub name: String,
    /// How many server processes shared the port.
    pub processes: usize,
    /// How many runs the figures are the medians of.
    pub runs: usize,
    /// Single numbers.
    pub figures: Vec<Figure>,
    /// Distributions of times.
    pub latencies: Vec<Latency>,
    /// What the server spent, by phase.
    pub phases: Vec<Phase>,
    /// What changed over time.
    pub series: Vec<Series>,
    /// What went wrong, by kind; empty where nothing did.
    pub errors: Vec<Count>,
}

/// A number with a name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Figure {
    /// What it is: `connections per second`.
    pub name: String,
    /// Its unit: `1/s`, `ms`, `µs`, `bytes`, `cores`; empty for a plain number.
    pub unit: String,
    /// The number; the median where there were several runs.
    pub value: f64,
    /// Every run's number.
    pub runs: Vec<f64>,
}

/// A distribution of times.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Latency {
    /// What took this time: `connect and upgrade`, `sync`, `push`.
    pub name: String,
    /// All of it, to be merged with others: an HdrHistogram in its format V2, in base64, counting
    /// microseconds.
    pub histogram: String,
    /// How many times were measured.
    pub count: u64,
    /// The mean, in ms.
    pub mean: f64,
    /// Half of them took at most this, in ms.
    pub p50: f64,
    /// 95 of 100 took at most this, in ms.
    pub p95: f64,
    /// 99 of 100 took at most this, in ms.
    pub p99: f64,
    /// 999 of 1,000 took at most this, in ms.
    pub p999: f64,
    /// The longest, in ms.
    pub max: f64,
}

/// What the server spent in a part of the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Phase {
    /// `ramp`, `stable`, …
    pub name: String,
    /// How long it took.
    pub seconds: f64,
    /// Its CPU time by time, in cores.
    pub cpu_mean: f64,
    /// The most in one interval of the sampler, in cores.
    pub cpu_peak: f64,
    /// The most resident memory, in bytes.
    pub resident_peak: u64,
    /// The most of it that was the process's own (heap and stacks), in bytes.
    pub anonymous_peak: u64,
    /// The most memory that all of the machine's TCP sockets had buffered in the kernel, in bytes.
    pub kernel_sockets_peak: u64,
}

/// A number over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Series {
    /// What it is: `cpu`, `resident memory`, `sync p99`.
    pub name: String,
    /// The unit of its values.
    pub unit: String,
    /// (Seconds since the start, value), in order.
    pub points: Vec<[f64; 2]>,
}

/// A figure against the ceiling's, and what it should be.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Ratio {
    /// The figure's name.
    pub name: String,
    /// The subject's value divided by the ceiling's.
    pub value: f64,
    /// The goal in words: `≥ 0.95`.
    pub goal: Option<String>,
}

/// How often something happened.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Count {
    /// What: `connection refused`, `no answer`, `versions that went back`.
    pub what: String,
    /// How often.
    pub count: u64,
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// The columns' heads.
    pub columns: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
}

impl Subject {
    /// A figure by its name.
    pub fn figure(&self, name: &str) -> Option<f64> {
        let found = self.figures.iter().find(|figure| figure.name == name)?;
        Some(found.value)
    }

    /// A distribution by its name.
    pub fn latency(&self, name: &str) -> Option<&Latency> {
        self.latencies.iter().find(|latency| latency.name == name)
    }

    /// How much went wrong altogether.
    pub fn failed(&self) -> u64 {
        self.errors.iter().map(|error| error.count).sum()
    }
}

impl Figure {
    /// A figure of one run.
    pub fn new(name: &str, unit: &str, value: f64) -> Self {
        Self {
            name: name.to_owned(),
            unit: unit.to_owned(),
            value,
            runs: vec![value],
        }
    }
}
