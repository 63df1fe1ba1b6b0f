use super::*;
use crate::report::model::{Latency, Phase};

fn subject(mean: f64) -> Subject {
    let phase = |name: &str, cpu: f64| Phase {
        name: name.to_owned(),
        cpu_peak: cpu,
        resident_peak: 1 << 28,
        ..Phase::default()
    };
    with_peaks(Subject {
        latencies: vec![Latency {
            name: "sync".to_owned(),
            mean,
            p95: mean * 2.0,
            p99: mean * 3.0,
            ..Latency::default()
        }],
        phases: vec![phase("ramp", 0.5), phase("stable", 0.125)],
        ..Subject::default()
    })
}

#[test]
fn ours_stand_beside_the_published_figures() {
    let row = |rate: f64, ceiling: Option<Subject>| Row {
        rate,
        measured: Measured {
            burgee: subject(0.25),
            ceiling,
            notes: vec!["a note".to_owned()],
        },
    };
    let rows = vec![row(1100.0, Some(subject(0.125))), row(5000.0, None)];
    let report = report(rows, "burgee bench seed");
    let [response, cpu, memory, _] = &report.tables[..] else {
        panic!("{:?}", report.tables)
    };
    let none = "–";
    assert_eq!(
        response.rows[0],
        [
            "1100", "10.0", "55.5", "170", "0.25", "0.50", "0.75", "0.12", "0.25", "0.38"
        ]
    );
    assert_eq!(response.rows[1][..4], ["5000", none, none, none]);
    assert_eq!(
        cpu.rows[0],
        ["1100", "88", "29", "50", "12.5", "50", "12.5"]
    );
    assert_eq!(memory.rows[1], ["5000", none, none, "25", "25", none, none]);
    let names = report.subjects.iter().map(|subject| &*subject.name);
    assert_eq!(names.count(), 3);
    assert_eq!(report.notes.iter().filter(|it| *it == "a note").count(), 1);
}
