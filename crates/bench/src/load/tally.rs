//! What a run has come to: distributions, their course over time, and what went wrong.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use super::event::{Event, Micros, What};
use crate::report::latency::histogram;
use crate::report::model::{Count, Latency, Series};

/// Counts events.
#[derive(Debug)]
pub struct Tally {
    /// Connections that were upgraded.
    pub upgraded: u64,
    /// Connections that have had their first full answer.
    pub synced: u64,
    /// Patches that came by themselves.
    pub pushed: u64,
    upgrade: Histogram<u64>,
    sync: Histogram<u64>,
    whole: Histogram<u64>,
    pong: Histogram<u64>,
    errors: BTreeMap<String, u64>,
    course: Course,
}

impl Tally {
    /// Nothing yet.
    ///
    /// # Errors
    /// There is not the memory.
    pub fn new() -> anyhow::Result<Self> {
        Ok(Self {
            upgraded: 0,
            synced: 0,
            pushed: 0,
            upgrade: histogram()?,
            sync: histogram()?,
            whole: histogram()?,
            pong: histogram()?,
            errors: BTreeMap::new(),
            course: Course::new()?,
        })
    }

    /// Counts an event.
    pub fn take(&mut self, event: &Event) {
        match &event.what {
            What::Upgraded { took } => {
                self.upgraded += 1;
                self.upgrade.saturating_record(*took);
            }
            What::Synced { took, whole, .. } => {
                self.sync.saturating_record(*took);
                self.course.sync(event.at, *took);
                if let Some(whole) = whole {
                    self.synced += 1;
                    self.whole.saturating_record(*whole);
                }
            }
            What::Pushed(_) => self.pushed += 1,
            What::Ponged { took } => self.pong.saturating_record(*took),
            What::Closed => {}
            What::WentBack => self.wrong("a version went back", 1),
            What::Misshapen => self.wrong("an answer of another shape", 1),
            What::Failed(failure) => {
                self.wrong(&failure.to_string(), 1);
                self.course.error(event.at);
            }
        }
    }

    /// Counts something that went wrong.
    pub fn wrong(&mut self, what: &str, count: u64) {
        if count > 0 {
            *self.errors.entry(what.to_owned()).or_default() += count;
        }
    }

    /// Takes back one that was counted and is as it should be.
    pub fn forgive(&mut self, what: &str) {
        if let Some(count) = self.errors.get_mut(what) {
            *count -= 1;
            if *count == 0 {
                self.errors.remove(what);
            }
        }
    }

    /// How much went wrong.
    pub fn failed(&self) -> u64 {
        self.errors.values().sum()
    }

    /// The 99th of 100 times from the intended connect to the whole answer, in ms.
    pub fn whole_p99(&self) -> f64 {
        self.whole.value_at_quantile(0.99) as f64 / 1000.0
    }

    /// The distributions that have anything in them.
    ///
    /// # Errors
    /// A histogram cannot be written.
    pub fn latencies(&self) -> anyhow::Result<Vec<Latency>> {
        let all = [
            ("connect and upgrade", &self.upgrade),
            ("sync", &self.sync),
            ("connect to answer", &self.whole),
            ("heartbeat", &self.pong),
        ];
        let filled = all.into_iter().filter(|(_, times)| !times.is_empty());
        filled
            .map(|(name, times)| Latency::of(name, times))
            .collect()
    }

    /// What went wrong.
    pub fn errors(&self) -> Vec<Count> {
        let count = |(what, count): (&String, &u64)| Count {
            what: what.clone(),
            count: *count,
        };
        self.errors.iter().map(count).collect()
    }

    /// The course over time.
    pub fn series(mut self) -> Vec<Series> {
        self.course.next(u64::MAX);
        self.course.series
    }
}

/// Second by second.
#[derive(Debug)]
struct Course {
    second: u64,
    sync: Histogram<u64>,
    errors: u64,
    series: Vec<Series>,
}

impl Course {
    fn new() -> anyhow::Result<Self> {
        let series = |name: &str, unit: &str| Series {
            name: name.to_owned(),
            unit: unit.to_owned(),
            points: Vec::new(),
        };
        Ok(Self {
            second: 0,
            sync: histogram()?,
            errors: 0,
            series: vec![
                series("answers", "1/s"),
                series("sync p50", "ms"),
                series("sync p99", "ms"),
                series("errors", "1/s"),
            ],
        })
    }

    fn sync(&mut self, at: Micros, took: u64) {
        self.reach(at);
        self.sync.saturating_record(took);
    }

    fn error(&mut self, at: Micros) {
        self.reach(at);
        self.errors += 1;
    }

    fn reach(&mut self, at: Micros) {
        let second = at.0 / 1_000_000;
        if second > self.second {
            self.next(second);
        }
    }

    fn next(&mut self, second: u64) {
        if !self.sync.is_empty() || self.errors > 0 {
            let ms = |q: f64| self.sync.value_at_quantile(q) as f64 / 1000.0;
            let values = [
                self.sync.len() as f64,
                ms(0.5),
                ms(0.99),
                self.errors as f64,
            ];
            for (series, value) in self.series.iter_mut().zip(values) {
                series.points.push([self.second as f64, value]);
            }
        }
        self.sync.reset();
        self.errors = 0;
        self.second = second;
    }
}
