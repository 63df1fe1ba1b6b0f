//! The three tables that were published, with ours beside them.

use super::{Row, published};
use crate::report::model::{Subject, Table};

/// Response time, CPU, memory.
pub(super) fn all(rows: &[Row], memory: f64) -> Vec<Table> {
    vec![
        response(rows),
        spent(
            rows,
            "CPU at its peak, % of one CPU",
            "peak CPU",
            100.0,
            |it| it.cpu,
        ),
        spent(
            rows,
            "Memory at its peak, % of 1 GiB",
            "peak memory",
            100.0 / memory,
            |it| it.memory,
        ),
        held(rows),
    ]
}

/// The rate, the published figures, Burgee's, the ceiling's.
fn response(rows: &[Row]) -> Table {
    let names = ["mean", "P95", "P99"];
    let rows = rows.iter().map(|row| {
        let published = published::at(row.rate).map(|it| it.response.to_vec());
        let times = |subject: &Subject| {
            let sync = subject.latency("sync")?;
            Some(vec![sync.mean, sync.p95, sync.p99])
        };
        line(row, names.len(), published, times)
    });
    Table {
        title: "Response time, ms".to_owned(),
        columns: columns(&names),
        rows: rows.collect(),
    }
}

fn spent(
    rows: &[Row],
    title: &str,
    figure: &str,
    scale: f64,
    of: fn(&published::Published) -> [f64; 2],
) -> Table {
    let names = ["ramp", "stable"];
    let rows = rows.iter().map(|row| {
        let published = published::at(row.rate).map(|it| of(it).to_vec());
        let values = |subject: &Subject| {
            let value = |phase: &&str| Some(subject.figure(&format!("{figure}, {phase}"))? * scale);
            names.iter().map(value).collect()
        };
        line(row, names.len(), published, values)
    });
    Table {
        title: title.to_owned(),
        columns: columns(&names),
        rows: rows.collect(),
    }
}

/// What stands behind each row.
fn held(rows: &[Row]) -> Table {
    let columns = ["new connections/s", "held", "errors %", "processes", "runs"];
    let rows = rows.iter().map(|row| {
        let burgee = &row.measured.burgee;
        let figure = |name: &str| burgee.figure(name).map_or_else(none, number);
        vec![
            number(row.rate),
            figure("connections held"),
            figure("errors"),
            burgee.processes.to_string(),
            burgee.runs.to_string(),
        ]
    });
    Table {
        title: "Burgee's connections".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

fn columns(names: &[&str]) -> Vec<String> {
    let mut columns = vec!["new connections/s".to_owned()];
    for who in ["FeatBit", "Burgee", "ceiling"] {
        columns.extend(names.iter().map(|name| format!("{who} {name}")));
    }
    columns
}

fn line(
    row: &Row,
    width: usize,
    published: Option<Vec<f64>>,
    values: impl Fn(&Subject) -> Option<Vec<f64>>,
) -> Vec<String> {
    let burgee = values(&row.measured.burgee);
    let ceiling = row.measured.ceiling.as_ref().and_then(values);
    let mut cells = vec![number(row.rate)];
    for values in [published, burgee, ceiling] {
        match values {
            Some(values) => cells.extend(values.into_iter().map(number)),
            None => cells.extend(std::iter::repeat_with(none).take(width)),
        }
    }
    cells
}

fn none() -> String {
    "–".to_owned()
}

/// With as many digits as mean something.
fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 || value.fract() == 0.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
