//! Several measurements as one: generators that drove one server at the same time, or runs of the
//! same scenario one after the other.

use anyhow::{Context, ensure};

use super::model::{Count, Figure, Latency, Phase, Report, Series, Subject};

/// Puts together what several generators found that drove the same server at the same time.
///
/// Each saw its own connections, so rates, counts, errors and histograms add up; each saw the whole
/// server, so what that spent is not counted again: the most is taken. What is told per connection
/// was divided by one generator's connections only, and is divided again.
///
/// # Errors
/// There is no report, they are of different scenarios, or a histogram cannot be read.
pub fn generators(reports: Vec<Report>) -> anyhow::Result<Report> {
    let count = reports.len();
    let mut reports = reports.into_iter();
    let mut whole = reports.next().context("there is no report to merge")?;
    for report in reports {
        ensure!(
            report.scenario == whole.scenario,
            "'{}' and '{}' are different scenarios",
            whole.scenario,
            report.scenario
        );
        for subject in report.subjects {
            match whole
                .subjects
                .iter_mut()
                .find(|known| known.name == subject.name)
            {
                Some(known) => add_subject(known, subject)?,
                None => whole.subjects.push(subject),
            }
        }
        add_new(&mut whole.notes, report.notes);
        add_new(&mut whole.tables, report.tables);
        add_new(&mut whole.ratios, report.ratios);
    }
    ratios(&mut whole);
    if count > 1 {
        whole
            .notes
            .push(format!("{count} generators at the same time"));
    }
    Ok(whole)
}

/// Puts together several runs of one scenario against one server: figures are medians, histograms
/// add up, series and what the server spent are those of the run in the middle, errors are summed.
/// `by` names the figure that says which run is in the middle; without it the first figure does.
///
/// # Errors
/// There is no run, or a histogram cannot be read.
pub fn runs(mut subjects: Vec<Subject>, by: Option<&str>) -> anyhow::Result<Subject> {
    let value = |subject: &Subject| {
        let first = || subject.figures.first().map(|figure| figure.value);
        by.map_or_else(first, |name| subject.figure(name))
            .unwrap_or_default()
    };
    let runs = subjects.clone();
    subjects.sort_by(|a, b| value(a).total_cmp(&value(b)));
    let middle = subjects.len().saturating_sub(1) / 2;
    let mut whole = subjects
        .into_iter()
        .nth(middle)
        .context("there is no run")?;
    for figure in &mut whole.figures {
        let same = runs.iter().filter_map(|run| run.figure(&figure.name));
        figure.runs = same.collect();
        figure.value = median(&figure.runs);
    }
    for latency in &mut whole.latencies {
        let same = runs.iter().filter_map(|run| run.latency(&latency.name));
        *latency = sum(same)?;
    }
    whole.errors = Vec::new();
    for error in runs.iter().flat_map(|run| &run.errors) {
        add_count(&mut whole.errors, error);
    }
    whole.runs = runs.len();
    Ok(whole)
}

/// The value in the middle, or between the two that are there; not a number where there is none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2);
    let lower = sorted.get(sorted.len().saturating_sub(1) / 2);
    match (lower, upper) {
        (Some(lower), Some(upper)) => f64::midpoint(*lower, *upper),
        _ => f64::NAN,
    }
}

fn add_subject(whole: &mut Subject, other: Subject) -> anyhow::Result<()> {
    whole.processes = whole.processes.max(other.processes);
    whole.runs = whole.runs.max(other.runs);
    for figure in other.figures {
        match whole
            .figures
            .iter_mut()
            .find(|known| known.name == figure.name)
        {
            Some(known) => add_figure(known, &figure),
            None => whole.figures.push(figure),
        }
    }
    for latency in other.latencies {
        match whole
            .latencies
            .iter_mut()
            .find(|known| known.name == latency.name)
        {
            Some(known) => *known = sum([&*known, &latency].into_iter())?,
            None => whole.latencies.push(latency),
        }
    }
    for phase in other.phases {
        match whole
            .phases
            .iter_mut()
            .find(|known| known.name == phase.name)
        {
            Some(known) => most(known, &phase),
            None => whole.phases.push(phase),
        }
    }
    for series in other.series {
        match whole
            .series
            .iter_mut()
            .find(|known| known.name == series.name)
        {
            Some(known) => add_series(known, &series),
            None => whole.series.push(series),
        }
    }
    for error in &other.errors {
        add_count(&mut whole.errors, error);
    }
    Ok(())
}

fn add_figure(whole: &mut Figure, other: &Figure) {
    let join = joint(&whole.name, &whole.unit);
    whole.value = join(whole.value, other.value);
    for (value, other) in whole.runs.iter_mut().zip(&other.runs) {
        *value = join(*value, *other);
    }
}

/// How two generators' values of a figure become one.
fn joint(name: &str, unit: &str) -> fn(f64, f64) -> f64 {
    if ["per connection", "per new connection"]
        .iter()
        .any(|each| name.contains(each))
    {
        // Each divided all that the server spent by its own connections: spent / (a + b).
        return |a, b| {
            if a > 0.0 && b > 0.0 {
                1.0 / (1.0 / a + 1.0 / b)
            } else {
                a.max(b)
            }
        };
    }
    match unit {
        "" | "1/s" => |a, b| a + b,
        _ if name.starts_with("first") => f64::min,
        _ => f64::max,
    }
}

fn sum<'a>(latencies: impl Iterator<Item = &'a Latency>) -> anyhow::Result<Latency> {
    let mut whole = super::latency::histogram()?;
    let mut name = "";
    for latency in latencies {
        name = &latency.name;
        whole.add(latency.histogram()?)?;
    }
    Latency::of(name, &whole)
}

fn most(whole: &mut Phase, other: &Phase) {
    whole.seconds = whole.seconds.max(other.seconds);
    whole.cpu_mean = whole.cpu_mean.max(other.cpu_mean);
    whole.cpu_peak = whole.cpu_peak.max(other.cpu_peak);
    whole.resident_peak = whole.resident_peak.max(other.resident_peak);
    whole.anonymous_peak = whole.anonymous_peak.max(other.anonymous_peak);
    whole.kernel_sockets_peak = whole.kernel_sockets_peak.max(other.kernel_sockets_peak);
}

/// Generators sample at moments of their own: each point is joined with the other's nearest one.
fn add_series(whole: &mut Series, other: &Series) {
    let join = joint(&whole.name, &whole.unit);
    for [second, value] in &mut whole.points {
        let far = |point: &&[f64; 2]| (point[0] - *second).abs();
        let nearest = other.points.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
        if let Some(point) = nearest.filter(|point| far(point) <= 1.0) {
            *value = join(*value, point[1]);
        }
    }
}

fn add_count(counts: &mut Vec<Count>, other: &Count) {
    match counts.iter_mut().find(|known| known.what == other.what) {
        Some(known) => known.count += other.count,
        None => counts.push(other.clone()),
    }
}

fn add_new<T: PartialEq>(whole: &mut Vec<T>, others: Vec<T>) {
    for other in others {
        if !whole.contains(&other) {
            whole.push(other);
        }
    }
}

/// Ratios of figures are taken again; one of something else is only true of the generator that
/// found it, and goes.
fn ratios(report: &mut Report) {
    let mut named = Vec::new();
    for mut ratio in std::mem::take(&mut report.ratios) {
        let mut values = report
            .subjects
            .iter()
            .map(|subject| subject.figure(&ratio.name));
        let (first, second) = (values.next().flatten(), values.next().flatten());
        let known = named
            .iter()
            .any(|known: &super::model::Ratio| known.name == ratio.name);
        if let (Some(first), Some(second), false) = (first, second, known) {
            ratio.value = first / second;
            named.push(ratio);
        }
    }
    report.ratios = named;
}
