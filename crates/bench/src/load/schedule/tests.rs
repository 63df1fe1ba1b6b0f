//! Arrivals against arithmetic.

use super::Schedule;
use crate::load::Micros;

fn all(mut schedule: Schedule) -> Vec<u64> {
    std::iter::from_fn(|| schedule.next(Micros(u64::MAX)))
        .map(|due| due.0)
        .collect()
}

#[test]
fn a_ramp_has_half_of_what_its_end_has() {
    let schedule = Schedule::new(Micros(5), 1000.0, Micros(4_000_000), Micros(3_000_000));
    let (stable_from, end) = (schedule.stable_from().0, schedule.end().0);
    let due = all(schedule);
    assert!(due.is_sorted());
    assert_eq!(due.len(), 2000 + 3000);
    let before = |moment: u64| due.iter().filter(|due| **due < moment).count();
    assert_eq!((stable_from, end), (4_000_005, 7_000_005));
    assert_eq!(before(stable_from), 2000);
    // Half of the time: a quarter of the triangle.
    assert!(before(2_000_005).abs_diff(500) <= 1);
    let gaps = due[2000..].windows(2).map(|pair| pair[1] - pair[0]);
    assert!(gaps.max().unwrap() <= 1001);
}

#[test]
fn nothing_is_handed_out_before_its_moment_and_nothing_is_left_out() {
    let mut schedule = Schedule::new(Micros(0), 10.0, Micros(0), Micros(1_000_000));
    assert_eq!(schedule.next(Micros(0)), Some(Micros(0)));
    assert_eq!(schedule.next(Micros(99_999)), None);
    // The generator was away: what is overdue keeps the moment it was meant for.
    assert_eq!(schedule.next(Micros(250_000)), Some(Micros(100_000)));
    assert_eq!(schedule.next(Micros(250_000)), Some(Micros(200_000)));
    assert_eq!(schedule.next(Micros(250_000)), None);
    assert_eq!(schedule.due(), Some(Micros(300_000)));
    assert_eq!(all(schedule).len(), 7);
}
