//! Measurements put together.

use super::{latency, lost, report, subject};
use crate::report::merge::{generators, median, runs};
use crate::report::model::{Figure, Ratio, Report};

fn value(report: &Report, name: &str) -> f64 {
    report.subjects[0].figure(name).unwrap()
}

#[test]
fn what_each_generator_did_adds_up() {
    let mut other = report();
    other.subjects[0].latencies = vec![latency("sync", 1_001..=2_000)];
    other.subjects[0].errors = vec![lost("no answer", 2)];
    let mut first = report();
    first.subjects[0].errors = vec![lost("no answer", 1), lost("refused", 1)];
    let whole = generators(vec![first, other]).unwrap();
    assert_eq!(value(&whole, "connections per second"), 50_620.0);
    let burgee = &whole.subjects[0];
    assert_eq!(burgee.errors, [lost("no answer", 3), lost("refused", 1)]);
    let sync = burgee.latency("sync").unwrap();
    assert_eq!((sync.count, sync.max), (2_000, 2.0));
    assert!((sync.p50 - 1.0).abs() < 0.01, "{}", sync.p50);
    let opened = burgee
        .series
        .iter()
        .find(|series| series.name == "opened")
        .unwrap();
    assert_eq!(
        opened.points,
        [[1.0, 1_000.0], [2.0, 1_800.0], [3.0, 2_000.0]]
    );
}

#[test]
fn what_the_server_spent_is_not_counted_twice() {
    let mut other = report();
    other.subjects[0].phases[0].cpu_peak = 0.9;
    other.subjects[0].series[0].points = vec![[1.4, 0.3], [2.2, 0.5], [9.0, 7.0]];
    let whole = generators(vec![report(), other]).unwrap();
    let burgee = &whole.subjects[0];
    assert_eq!(burgee.phases[0].cpu_peak, 0.9);
    assert_eq!(burgee.phases[0].resident_peak, 33_554_432);
    assert_eq!(
        burgee.series[0].points,
        [[1.0, 0.3], [2.0, 0.8], [3.0, 0.5]]
    );
    assert_eq!(burgee.processes, 1);
    // Each generator divided the whole growth by its own half of the connections.
    assert_eq!(value(&whole, "memory per connection"), 60.5);
}

#[test]
fn first_and_last_are_those_of_all_generators() {
    let mut other = report();
    other.subjects[0].figures[2] = Figure::new("first delivery", "ms", 9.0);
    other.subjects[0].figures[3] = Figure::new("last delivery", "ms", 200.0);
    let whole = generators(vec![report(), other]).unwrap();
    assert_eq!(value(&whole, "first delivery"), 9.0);
    assert_eq!(value(&whole, "last delivery"), 200.0);
}

#[test]
fn ratios_are_taken_again_or_left_out() {
    let mut other = report();
    other.subjects[0].figures[0].value = 13_352.0;
    other.ratios.push(Ratio {
        name: "cost of something else".to_owned(),
        value: 1.0,
        goal: None,
    });
    let whole = generators(vec![report(), other]).unwrap();
    assert_eq!(whole.ratios.len(), 1);
    let expected = (25_310.0 + 13_352.0) / (2.0 * 26_012.0);
    assert!((whole.ratios[0].value - expected).abs() < 1e-9);
    assert_eq!(whole.ratios[0].goal.as_deref(), Some("≥ 0.95"));
    assert!(
        whole
            .notes
            .contains(&"2 generators at the same time".to_owned())
    );
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let mut other = report();
    other.scenario = "hold".to_owned();
    assert!(generators(vec![report(), other]).is_err());
    assert!(generators(Vec::new()).is_err());
    let mut broken = report();
    broken.subjects[0].latencies[0].histogram = "AAAA".to_owned();
    assert!(generators(vec![report(), broken]).is_err());
}

#[test]
fn one_report_stays_as_it_is() {
    let mut expected = report();
    expected.ratios[0].value = 25_310.0 / 26_012.0;
    assert_eq!(generators(vec![report()]).unwrap(), expected);
}

#[test]
fn runs_give_medians_and_keep_each_value() {
    let mut slow = subject("burgee", 24_000.0);
    slow.errors = vec![lost("no answer", 1)];
    let mut fast = subject("burgee", 27_000.0);
    fast.latencies = vec![latency("sync", [9_000])];
    fast.phases[0].cpu_peak = 0.99;
    let middle = subject("burgee", 25_000.0);
    let whole = runs(vec![fast, slow, middle], None).unwrap();
    assert_eq!(whole.figures[0].value, 25_000.0);
    assert_eq!(whole.figures[0].runs, [27_000.0, 24_000.0, 25_000.0]);
    assert_eq!(whole.runs, 3);
    assert_eq!(whole.latency("sync").unwrap().count, 2_001);
    assert_eq!(whole.phases[0].cpu_peak, 0.825, "the middle run's");
    assert_eq!(whole.errors, [lost("no answer", 1)]);
    assert!(runs(Vec::new(), None).is_err());
}

#[test]
fn the_median_of_an_even_count_lies_between() {
    assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
    assert_eq!(median(&[3.0]), 3.0);
    assert!(median(&[]).is_nan());
}
