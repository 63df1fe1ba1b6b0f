//! Which plots a report has, and what is drawn in each.

use crate::report::model::{Latency, Report, Subject};
use crate::report::number::{binary_unit, short};

use super::scale::Scale;

/// More points than a plot has pixels are not seen.
const MOST_POINTS: usize = 400;
/// Steps of the percentile curve for each power of ten.
const STEPS: usize = 24;

/// One plot.
#[derive(Debug)]
pub(super) struct Chart {
    pub(super) title: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) lines: Vec<Line>,
}

/// An axis: where values lie, and what is named.
#[derive(Debug)]
pub(super) struct Axis {
    pub(super) scale: Scale,
    /// (value, name).
    pub(super) ticks: Vec<(f64, String)>,
}

/// A line of a plot; its colour is that of the subject.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) subject: usize,
    pub(super) label: String,
    pub(super) points: Vec<[f64; 2]>,
}

/// Plots by percentile, and plots over time.
pub(super) fn charts(report: &Report) -> (Vec<Chart>, Vec<Chart>) {
    let subjects = &report.subjects;
    let latencies = names(subjects, |subject| {
        subject
            .latencies
            .iter()
            .map(|latency| latency.name.as_str())
            .collect()
    });
    let series = names(subjects, |subject| {
        subject
            .series
            .iter()
            .map(|series| series.name.as_str())
            .collect()
    });
    let by_percentile = latencies
        .into_iter()
        .map(|name| percentiles(subjects, name));
    let over_time = series.into_iter().map(|name| over_time(subjects, name));
    (
        by_percentile.flatten().collect(),
        over_time.flatten().collect(),
    )
}

fn names<'a>(subjects: &'a [Subject], of: impl Fn(&'a Subject) -> Vec<&'a str>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for name in subjects.iter().flat_map(of) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The values at all percentiles; the axis spreads the last percents, which are what matters.
fn percentiles(subjects: &[Subject], name: &str) -> Option<Chart> {
    let line = |(index, subject): (usize, &Subject)| {
        Some(Line {
            subject: index,
            label: subject.name.clone(),
            points: curve(subject.latency(name)?)?,
        })
    };
    let lines: Vec<Line> = subjects.iter().enumerate().filter_map(line).collect();
    let nines = lines
        .iter()
        .flat_map(|line| &line.points)
        .map(|point| point[0])
        .fold(1.0, f64::max);
    let named = ["0", "90", "99", "99.9", "99.99", "99.999"];
    let ticks = named
        .iter()
        .enumerate()
        .map(|(power, name)| (power as f64, (*name).to_owned()));
    let x = Axis {
        scale: Scale::Linear(0.0, nines),
        ticks: ticks.filter(|(power, _)| *power <= nines + 1e-9).collect(),
    };
    chart(name, x, "ms", lines, true)
}

/// Points of (−log10(1 − q), ms), up to the last percentile that the count can tell, and not
/// further than the names along the axis have room.
fn curve(latency: &Latency) -> Option<Vec<[f64; 2]>> {
    let histogram = latency
        .histogram()
        .ok()
        .filter(|histogram| !histogram.is_empty())?;
    let nines = (histogram.len() as f64).log10().clamp(1.0, 5.0);
    let steps = (nines * STEPS as f64).ceil() as usize;
    let point = |step: usize| {
        let power = nines * step as f64 / steps as f64;
        let value = histogram.value_at_quantile(1.0 - 10_f64.powf(-power));
        [power, value as f64 / 1000.0]
    };
    Some((0..=steps).map(point).collect())
}

fn over_time(subjects: &[Subject], name: &str) -> Option<Chart> {
    let found = |(index, subject): (usize, &Subject)| {
        let series = subject.series.iter().find(|series| series.name == name)?;
        let line = Line {
            subject: index,
            label: subject.name.clone(),
            points: thinned(&series.points),
        };
        Some((series.unit.clone(), line))
    };
    let (units, lines): (Vec<String>, Vec<Line>) =
        subjects.iter().enumerate().filter_map(found).unzip();
    let seconds = lines
        .iter()
        .flat_map(|line| &line.points)
        .map(|point| point[0]);
    let seconds = seconds.fold(0.0, f64::max);
    let scale = Scale::Linear(0.0, if seconds > 0.0 { seconds } else { 1.0 });
    let ticks = scale
        .seconds()
        .into_iter()
        .map(|tick| (tick, format!("{} s", short(tick))));
    let x = Axis {
        scale,
        ticks: ticks.collect(),
    };
    let unit = units.first()?;
    chart(name, x, unit, lines, unit == "ms")
}

/// `None` where there is nothing to draw.
fn chart(name: &str, x: Axis, unit: &str, mut lines: Vec<Line>, may_be_log: bool) -> Option<Chart> {
    let most = lines
        .iter()
        .flat_map(|line| &line.points)
        .map(|point| point[1])
        .fold(0.0, f64::max);
    let (unit, size) = match unit {
        "bytes" => binary_unit(most),
        other => (other, 1.0),
    };
    for point in lines.iter_mut().flat_map(|line| &mut line.points) {
        point[1] /= size;
    }
    lines.retain(|line| line.points.len() > 1);
    let values = lines
        .iter()
        .flat_map(|line| &line.points)
        .map(|point| point[1]);
    let scale = Scale::of(values, may_be_log);
    let ticks = scale.ticks().into_iter().map(|tick| (tick, short(tick)));
    let y = Axis {
        scale,
        ticks: ticks.collect(),
    };
    let title = if unit.is_empty() {
        name.to_owned()
    } else {
        format!("{name}, {unit}")
    };
    (!lines.is_empty()).then_some(Chart { title, x, y, lines })
}

/// The greatest point of each of so many stretches: a peak must not be lost.
fn thinned(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let finite = points
        .iter()
        .filter(|point| point.iter().all(|value| value.is_finite()));
    let points: Vec<[f64; 2]> = finite.copied().collect();
    let stretch = points.len().div_ceil(MOST_POINTS).max(1);
    let greatest = |part: &[[f64; 2]]| part.iter().copied().max_by(|a, b| a[1].total_cmp(&b[1]));
    points.chunks(stretch).filter_map(greatest).collect()
}
