use super::*;
use crate::report::model::Figure;
use crate::rig::suite::parts::Row;

fn measured(ours: f64, least: Option<f64>) -> Measured {
    let subject = |value| Subject {
        figures: vec![Figure::new("last delivery", "ms", value)],
        ..Subject::default()
    };
    Measured {
        burgee: subject(ours),
        ceiling: least.map(subject),
        notes: Vec::new(),
    }
}

fn row(by_ratio: bool) -> Row {
    Row {
        what: "last delivery",
        goal: "≤ 1.15",
        by_ratio,
        value: Value::Figure("last delivery", "ms"),
    }
}

#[test]
fn a_goal_is_judged_by_the_ratio_or_by_the_value() {
    let judged = |by_ratio, ours, least| line(&row(by_ratio), &measured(ours, least))[5].clone();
    assert_eq!(judged(true, 110.0, Some(100.0)), "yes");
    assert_eq!(judged(true, 116.0, Some(100.0)), "no");
    assert_eq!(judged(true, 1.0, None), "–");
    assert_eq!(judged(false, 1.0, None), "yes");
    assert_eq!(judged(false, 1.2, None), "no");
}

#[test]
fn no_part_has_another_s_title() {
    let mut titles: Vec<_> = PARTS.iter().map(|it| (it.scenario, it.title)).collect();
    titles.sort_unstable();
    assert!(titles.windows(2).all(|two| two[0] != two[1]), "{titles:?}");
}

#[test]
fn every_goal_can_be_read() {
    for row in PARTS.iter().flat_map(|part| part.rows) {
        assert!(Goal::read(row.goal).is_some(), "{}", row.goal);
        let of_ceiling = PARTS
            .iter()
            .filter(|part| part.rows.iter().any(|it| std::ptr::eq(it, row)));
        assert!(
            of_ceiling
                .into_iter()
                .all(|part| part.ceiling || !row.by_ratio)
        );
    }
}
