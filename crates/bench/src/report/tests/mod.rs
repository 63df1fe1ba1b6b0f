//! Reports of made-up measurements.

mod forms;
mod merged;

use super::latency::histogram;
use super::model::{Count, Figure, Latency, Machine, Phase, Ratio, Report, Series, Subject, Table};

/// A distribution of these times, in microseconds.
fn latency(name: &str, times: impl IntoIterator<Item = u64>) -> Latency {
    let mut counted = histogram().unwrap();
    for time in times {
        counted.record(time).unwrap();
    }
    Latency::of(name, &counted).unwrap()
}

fn subject(name: &str, rate: f64) -> Subject {
    Subject {
        name: name.to_owned(),
        processes: 1,
        runs: 1,
        figures: vec![
            Figure::new("connections per second", "1/s", rate),
            Figure::new("memory per connection", "bytes", 121.0),
            Figure::new("first delivery", "ms", 13.0),
            Figure::new("last delivery", "ms", 160.0),
        ],
        latencies: vec![latency("sync", 1..=1_000)],
        phases: vec![Phase {
            name: "ramp".to_owned(),
            seconds: 180.0,
            cpu_mean: 0.41,
            cpu_peak: 0.825,
            resident_peak: 33_554_432,
            anonymous_peak: 20_000_000,
            kernel_sockets_peak: 4_096,
        }],
        series: vec![
            Series {
                name: "cpu".to_owned(),
                unit: "cores".to_owned(),
                points: vec![[1.0, 0.2], [2.0, 0.8], [3.0, 0.4]],
            },
            Series {
                name: "opened".to_owned(),
                unit: "1/s".to_owned(),
                points: vec![[1.0, 500.0], [2.0, 900.0], [3.0, 1_000.0]],
            },
        ],
        errors: Vec::new(),
    }
}

fn report() -> Report {
    Report {
        scenario: "connect".to_owned(),
        command: "burgee bench connect --rate 1100".to_owned(),
        at: "2026-11-22T00:40:00Z".to_owned(),
        machine: Machine {
            cpu: "A processor".to_owned(),
            cores: 2,
            memory: 25_769_803_776,
            kernel: "Linux 6.18".to_owned(),
        },
        notes: vec!["the CPU's clock could not be fixed".to_owned()],
        subjects: vec![subject("burgee", 25_310.0), subject("ceiling", 26_012.0)],
        ratios: vec![Ratio {
            name: "connections per second".to_owned(),
            value: 0.973,
            goal: Some("≥ 0.95".to_owned()),
        }],
        tables: vec![Table {
            title: "Response time".to_owned(),
            columns: vec!["rate".to_owned(), "P99, ms".to_owned()],
            rows: vec![vec!["1000/s".to_owned(), "0.2".to_owned()]],
        }],
    }
}

fn lost(what: &str, count: u64) -> Count {
    Count {
        what: what.to_owned(),
        count,
    }
}
