//! What a report says, as tables: the content that the text and the page have in common.

use super::goal::Goal;
use super::model::{Figure, Latency, Phase, Ratio, Report, Subject};
use super::number::{plain, quantity, ratio};

/// A table to be shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sheet {
    /// What it shows; empty for the first one, the figures.
    pub title: String,
    /// Heads of the columns.
    pub columns: Vec<String>,
    /// Rows; each has a cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// What stands in it.
    pub text: String,
    /// A smaller addition: the range of several runs.
    pub detail: String,
    /// Whether it is a number, to be aligned by its end.
    pub number: bool,
    /// Whether a goal was met, where the cell is one.
    pub met: Option<bool>,
}

impl Cell {
    fn words(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }

    fn number(text: String) -> Self {
        Self {
            text,
            number: true,
            ..Self::default()
        }
    }
}

/// All tables of a report, in the order of their weight; empty ones are left out.
pub fn sheets(report: &Report) -> Vec<Sheet> {
    let mut sheets = vec![
        figures(report),
        latencies(&report.subjects),
        phases(&report.subjects),
        errors(&report.subjects),
    ];
    sheets.extend(report.tables.iter().map(|table| Sheet {
        title: table.title.clone(),
        columns: table.columns.clone(),
        rows: table.rows.iter().map(|row| row_of(row)).collect(),
    }));
    sheets.retain(|sheet| !sheet.rows.is_empty());
    sheets
}

fn row_of(row: &[String]) -> Vec<Cell> {
    let begins_a_number = |text: &str| {
        let text = text.trim_start_matches(['≤', '≥', '<', '>', '-', '–', ' ']);
        text.is_empty() || text.starts_with(|first: char| first.is_ascii_digit())
    };
    let cell = |(index, text): (usize, &String)| Cell {
        // The first column names the row, whatever it looks like.
        number: index > 0 && begins_a_number(text),
        ..Cell::words(text)
    };
    row.iter().enumerate().map(cell).collect()
}

/// Figures by subject, with the ratio between them and the goal.
fn figures(report: &Report) -> Sheet {
    let subjects = &report.subjects;
    let lines: Vec<Line<'_>> = lines(report);
    let any_ratio = lines.iter().any(|line| line.ratio.is_some());
    let any_goal = lines.iter().any(|line| line.goal().is_some());
    let mut columns = vec![String::new()];
    columns.extend(subjects.iter().map(heading));
    columns.extend(any_ratio.then(|| "ratio".to_owned()));
    columns.extend(any_goal.then(|| "goal".to_owned()));
    let row = |line: &Line<'_>| {
        let mut row = vec![Cell::words(line.name)];
        row.extend(
            subjects
                .iter()
                .map(|subject| figure_cell(subject, line.name)),
        );
        if any_ratio {
            let value = line.ratio.map_or(String::new(), |found| ratio(found.value));
            row.push(Cell::number(value));
        }
        if any_goal {
            row.push(line.goal().unwrap_or_default());
        }
        row
    };
    Sheet {
        title: String::new(),
        columns,
        rows: lines.iter().map(row).collect(),
    }
}

/// One row of the figures.
struct Line<'a> {
    scenario: &'a str,
    name: &'a str,
    /// Of the first subject.
    value: Option<f64>,
    ratio: Option<&'a Ratio>,
}

/// The names of all figures and ratios, each once, in order.
fn lines(report: &Report) -> Vec<Line<'_>> {
    let figures = report.subjects.iter().flat_map(|subject| &subject.figures);
    let names = figures.map(|figure| figure.name.as_str());
    let names = names.chain(report.ratios.iter().map(|ratio| ratio.name.as_str()));
    let first = report.subjects.first();
    let mut lines: Vec<Line<'_>> = Vec::new();
    for name in names {
        if lines.iter().all(|line| line.name != name) {
            lines.push(Line {
                scenario: &report.scenario,
                name,
                value: first.and_then(|subject| subject.figure(name)),
                ratio: report.ratios.iter().find(|ratio| ratio.name == name),
            });
        }
    }
    lines
}

impl Line<'_> {
    /// The goal of the ratio, or else that of the value.
    fn goal(&self) -> Option<Cell> {
        let of_ratio = self.ratio.and_then(|ratio| {
            let words = ratio.goal.as_deref()?;
            let met = Goal::read(words).map(|goal| goal.met(ratio.value));
            Some((words.to_owned(), met))
        });
        let (text, met) = of_ratio.or_else(|| {
            let goal = Goal::of(self.scenario, self.name)?;
            Some((goal.words().to_owned(), Some(goal.met(self.value?))))
        })?;
        Some(Cell {
            met,
            ..Cell::number(text)
        })
    }
}

fn heading(subject: &Subject) -> String {
    match subject.runs {
        0 | 1 => subject.name.clone(),
        runs => format!("{} (median of {runs})", subject.name),
    }
}

fn figure_cell(subject: &Subject, name: &str) -> Cell {
    let Some(figure) = subject.figures.iter().find(|figure| figure.name == name) else {
        return Cell::number(String::new());
    };
    Cell {
        detail: range(figure),
        ..Cell::number(quantity(figure.value, &figure.unit))
    }
}

/// The least and the most of several runs.
fn range(figure: &Figure) -> String {
    let least = figure.runs.iter().copied().fold(f64::INFINITY, f64::min);
    let most = figure
        .runs
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    let (least, most) = (quantity(least, &figure.unit), quantity(most, &figure.unit));
    if figure.runs.is_empty() || least == most {
        return String::new();
    }
    format!("{least} – {most}")
}

fn latencies(subjects: &[Subject]) -> Sheet {
    let heads = ["", "", "count", "mean", "p50", "p95", "p99", "p99.9", "max"];
    let row = |subject: &Subject, latency: &Latency| {
        let mut row = vec![Cell::words(&latency.name), Cell::words(&subject.name)];
        row.push(Cell::number(plain(latency.count as f64)));
        let times = [latency.mean, latency.p50, latency.p95];
        let times = times
            .into_iter()
            .chain([latency.p99, latency.p999, latency.max]);
        row.extend(times.map(|time| Cell::number(quantity(time, "ms"))));
        row
    };
    Sheet {
        title: "Latency".to_owned(),
        columns: heads.map(str::to_owned).to_vec(),
        rows: by_name(
            subjects,
            |subject| &subject.latencies,
            |latency| &latency.name,
            row,
        ),
    }
}

fn phases(subjects: &[Subject]) -> Sheet {
    let heads = [
        "",
        "",
        "time",
        "CPU mean",
        "CPU peak",
        "resident",
        "own",
        "kernel sockets",
    ];
    let row = |subject: &Subject, phase: &Phase| {
        let mut row = vec![Cell::words(&phase.name), Cell::words(&subject.name)];
        row.push(Cell::number(format!("{} s", plain(phase.seconds))));
        row.extend(
            [phase.cpu_mean, phase.cpu_peak].map(|cpu| Cell::number(quantity(cpu, "cores"))),
        );
        let memory = [
            phase.resident_peak,
            phase.anonymous_peak,
            phase.kernel_sockets_peak,
        ];
        row.extend(memory.map(|bytes| Cell::number(quantity(bytes as f64, "bytes"))));
        row
    };
    Sheet {
        title: "What the server spent".to_owned(),
        columns: heads.map(str::to_owned).to_vec(),
        rows: by_name(
            subjects,
            |subject| &subject.phases,
            |phase| &phase.name,
            row,
        ),
    }
}

fn errors(subjects: &[Subject]) -> Sheet {
    let row = |subject: &Subject, error: &super::model::Count| {
        let count = Cell::number(plain(error.count as f64));
        vec![Cell::words(&error.what), Cell::words(&subject.name), count]
    };
    Sheet {
        title: "Errors".to_owned(),
        columns: ["", "", "count"].map(str::to_owned).to_vec(),
        rows: by_name(
            subjects,
            |subject| &subject.errors,
            |error| &error.what,
            row,
        ),
    }
}

/// Rows of what subjects have in common, the subjects of one name under each other.
fn by_name<T>(
    subjects: &[Subject],
    parts: impl Fn(&Subject) -> &Vec<T>,
    name: impl Fn(&T) -> &String,
    row: impl Fn(&Subject, &T) -> Vec<Cell>,
) -> Vec<Vec<Cell>> {
    let mut names: Vec<&String> = Vec::new();
    for part in subjects.iter().flat_map(&parts) {
        if !names.contains(&name(part)) {
            names.push(name(part));
        }
    }
    let of = |wanted: &String| -> Vec<Vec<Cell>> {
        let all = subjects
            .iter()
            .flat_map(|subject| parts(subject).iter().map(move |part| (subject, part)));
        let wanted = all.filter(|(_, part)| name(part) == wanted);
        let mut rows: Vec<Vec<Cell>> = wanted.map(|(subject, part)| row(subject, part)).collect();
        for again in rows.iter_mut().skip(1) {
            again[0].text.clear();
        }
        rows
    };
    names.into_iter().flat_map(of).collect()
}
