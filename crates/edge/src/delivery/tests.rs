//! Lengths of time, and sums over loops.

use std::sync::Arc;
use std::time::{Duration, Instant};

use burgee_eval::time::Millis;

use super::merge::merge;
use super::{LoopReport, LoopStep, PerLevel, Times};
use crate::environment::{Arrival, Encoded, Environment};
use crate::source::{KeyKind, Position, State};

fn micros(all: &[u64]) -> Times {
    let mut times = Times::default();
    for &micros in all {
        times.add(Duration::from_micros(micros));
    }
    times
}

#[test]
fn a_length_is_counted_in_the_size_that_it_is_not_longer_than() {
    let times = micros(&[0, 100, 101, 126, 127, 1_000, 3]);
    let sizes: Vec<_> = times.sizes().collect();
    assert_eq!(sizes, [(100, 3), (126, 2), (159, 1), (1_000, 1)]);
    assert_eq!(times.len(), 7);
    let hour = micros(&[3_600_000_000]);
    assert_eq!(hour.sizes().collect::<Vec<_>>(), [(3_600_000_000, 1)]);
}

#[test]
fn a_size_is_a_quarter_longer_than_the_one_before() {
    for length in (0..28).map(|doublings| 100_u64 << doublings) {
        for micros_long in [length - 1, length, length + length / 3] {
            let most = micros(&[micros_long, u64::MAX]).sizes().next().unwrap().0;
            let in_last = most == u64::MAX;
            assert!(
                in_last || most >= micros_long && most <= micros_long.max(100) * 127 / 100,
                "{micros_long} is in {most}"
            );
        }
    }
}

#[test]
fn sums_and_texts_of_times_lose_nothing() {
    let (one, other) = (micros(&[5, 700, 80_000]), micros(&[700, 1_000_000]));
    let mut both = one.clone();
    both.merge(&other);
    assert_eq!(both, micros(&[5, 700, 80_000, 700, 1_000_000]));
    let text = serde_json::to_string(&both).unwrap();
    assert_eq!(serde_json::from_str::<Times>(&text).unwrap(), both);
}

fn environment() -> Arc<Environment> {
    let state = State {
        environment: "env".into(),
        position: Position::default(),
        committed_at: Millis(0),
        trace: None,
        last_stamp: Millis(0),
        flags: Vec::new(),
        segments: Vec::new(),
        keys: Vec::new(),
        decision_sample: 0,
    };
    Arc::new(Environment::new("env".into(), Encoded::first(state).into()))
}

fn step(generation: u32, version: i64, written: u64, received: u64) -> LoopStep {
    LoopStep {
        generation,
        arrival: Arrival {
            version,
            committed_at: 7,
            trace: None,
            travelled: 3,
            at: Instant::now(),
        },
        at: PerLevel { written, received },
        times: PerLevel::default(),
    }
}

fn of_loop(environment: &Arc<Environment>, connections: u64, steps: Vec<LoopStep>) -> LoopReport {
    LoopReport {
        environment: Arc::clone(environment),
        connections,
        steps,
        sdks: vec![(KeyKind::Server, "go".into(), connections)],
    }
}

/// (version, written, received), newest first.
fn figures(loops: &[LoopReport]) -> Vec<(i64, u64, u64)> {
    let versions = merge(loops.iter()).versions.into_iter();
    versions
        .map(|it| (it.version, it.written, it.received))
        .collect()
}

#[test]
fn who_has_a_version_has_those_before_it_on_whatever_loop() {
    let environment = environment();
    let loops = [
        of_loop(&environment, 5, vec![step(3, 30, 1, 2), step(5, 50, 4, 1)]),
        of_loop(&environment, 9, vec![step(4, 40, 7, 3), step(5, 50, 1, 0)]),
    ];
    assert_eq!(figures(&loops), [(50, 5, 1), (40, 12, 4), (30, 13, 6)]);
    let all = merge(loops.iter());
    assert_eq!(all.connections, 14);
    assert_eq!((all.sdks.len(), all.sdks[0].connections), (1, 14));
    let at = |version| all.at(version).map(|it| it.version);
    assert_eq!(
        [at(1), at(35), at(50), at(51)],
        [Some(30), Some(40), Some(50), None]
    );
}

#[test]
fn who_has_a_history_that_was_lost_has_nothing_of_the_new_one() {
    let environment = environment();
    let steps = vec![
        step(1, 8, 2, 2),
        step(2, 9, 3, 3),
        step(3, 8, 1, 0),
        step(4, 9, 1, 1),
    ];
    assert_eq!(
        figures(&[of_loop(&environment, 7, steps)]),
        [(9, 1, 1), (8, 2, 1)]
    );
}

#[test]
fn connections_of_an_environment_that_was_made_anew_are_on_their_way_out() {
    let (old, new) = (environment(), environment());
    let before = of_loop(&old, 4, vec![step(9, 90, 4, 4)]);
    let now = of_loop(&new, 2, vec![step(1, 90, 2, 1)]);
    assert_eq!(figures(&[now, before]), [(90, 2, 1)]);
}
