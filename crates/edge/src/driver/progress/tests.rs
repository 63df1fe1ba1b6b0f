//! Counts against a list of all connections.

use std::sync::Arc;
use std::time::Instant;

use burgee_eval::time::Millis;
use proptest::prelude::*;

use super::super::agents::{AgentId, Agents};
use super::{APART, Progress, Sort};
use crate::delivery::Level;
use crate::environment::{Encoded, Environment};
use crate::source::{Delta, KeyKind, Position, State};

const SORT: Sort = Sort {
    kind: KeyKind::Client,
    agent: AgentId::NONE,
};

/// Versions are tenfold the generations.
fn position(generation: u32) -> Position {
    Position {
        version: i64::from(generation) * 10,
        digest: u64::from(generation),
    }
}

fn first() -> Encoded {
    Encoded::first(State {
        environment: "env".into(),
        position: position(1),
        committed_at: Millis(0),
        trace: None,
        last_stamp: Millis(0),
        flags: Vec::new(),
        segments: Vec::new(),
        keys: Vec::new(),
        decision_sample: 0,
    })
}

fn next(state: &Encoded) -> Encoded {
    let delta = Delta {
        position: position(state.generation() + 1),
        committed_at: Millis(0),
        trace: None,
        last_stamp: Millis(0),
        flags: Vec::new(),
        segments: Vec::new(),
        keys: None,
        decision_sample: 0,
    };
    state.apply(delta).0
}

/// What happens; a number says to whom.
#[derive(Clone, Debug)]
enum Deed {
    Join,
    Leave(usize),
    /// So many changes, the last of which is heard of.
    Change(u32),
    Write(usize),
    Receive(usize),
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        3 => Just(Deed::Join),
        1 => any::<usize>().prop_map(Deed::Leave),
        2 => (1..4_u32).prop_map(Deed::Change),
        1 => (APART as u32 - 2..APART as u32 + 3).prop_map(Deed::Change),
        5 => any::<usize>().prop_map(Deed::Write),
        4 => any::<usize>().prop_map(Deed::Receive),
    ];
    prop::collection::vec(deed, 1..60)
}

proptest! {
    #[test]
    fn every_connection_is_in_one_count(deeds in deeds()) {
        let mut state = first();
        let environment = Arc::new(Environment::new("env".into(), Arc::new(first())));
        let mut progress = Progress::new(&state);
        // What each connection has had written and received.
        let mut all = Vec::<(u32, u32)>::new();
        let now = Instant::now();
        for deed in deeds {
            match deed {
                Deed::Join => {
                    progress.join(SORT);
                    all.push((0, 0));
                }
                Deed::Change(steps) => {
                    for _ in 0..steps {
                        state = next(&state);
                    }
                    progress.hear(&state);
                }
                Deed::Leave(_) | Deed::Write(_) | Deed::Receive(_) if all.is_empty() => {}
                Deed::Leave(who) => {
                    let (written, received) = all.swap_remove(who % all.len());
                    progress.leave(SORT, written, received);
                }
                Deed::Write(who) => {
                    let who = who % all.len();
                    let from = std::mem::replace(&mut all[who].0, state.generation());
                    progress.advance(Level::Written, (from, state.generation()), now, |_| {});
                }
                Deed::Receive(who) => {
                    let who = who % all.len();
                    let (to, from) = all[who];
                    all[who].1 = to;
                    progress.advance(Level::Received, (from, to), now, |_| {});
                }
            }
            prop_assert!(progress.adds_up());
        }
        let report = progress.report(&environment, APART, &Agents::default());
        prop_assert_eq!(report.connections, all.len() as u64);
        for step in report.steps {
            let at = |level: fn(&(u32, u32)) -> u32| {
                all.iter().filter(|it| level(it) == step.generation).count() as u64
            };
            prop_assert_eq!(step.at.written, at(|it| it.0));
            prop_assert_eq!(step.at.received, at(|it| it.1));
        }
    }
}

#[test]
fn a_version_is_waited_for_by_who_was_there() {
    let mut state = first();
    let mut progress = Progress::new(&state);
    progress.join(SORT);
    progress.join(SORT);
    let (mut took, now) = (0, Instant::now());
    progress.advance(Level::Written, (0, 1), now, |_| took += 1);
    assert_eq!(took, 0, "it came later than the version");
    for _ in 0..3 {
        state = next(&state);
        progress.hear(&state);
    }
    progress.advance(Level::Written, (1, 4), now, |_| took += 1);
    progress.advance(Level::Written, (0, 4), now, |_| took += 1);
    assert_eq!(took, 3, "one waited for three versions");
}

#[test]
fn versions_are_found_by_the_first_that_is_not_older() {
    let mut state = first();
    let mut progress = Progress::new(&state);
    for _ in 0..2 {
        state = next(&state);
    }
    // The one between is not known: its news has not come yet.
    progress.hear(&state);
    let generations = [None, Some(5), Some(10), Some(20), Some(30), Some(31)];
    let found = generations.map(|version| progress.generation(version));
    assert_eq!(found, [Some(3), Some(1), Some(1), Some(3), Some(3), None]);
    assert_eq!(
        [1, 2, 3].map(|it| progress.version(it)),
        [Some(10), None, Some(30)]
    );
}
