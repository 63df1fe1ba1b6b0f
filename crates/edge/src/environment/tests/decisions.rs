//! Of which users decisions are logged.

use std::collections::BTreeSet;

use burgee_eval::time::Millis;

use super::{Encoded, flag, state};
use crate::source::Delta;

fn sampled(millionths: u32) -> Encoded {
    let mut state = state(vec![flag("f", 1)], Vec::new());
    state.decision_sample = millionths;
    Encoded::first(state)
}

fn chosen(encoded: &Encoded) -> BTreeSet<String> {
    let users = (0..10_000).map(|number| format!("user-{number}"));
    users.filter(|it| encoded.logs_decisions_of(it)).collect()
}

#[test]
fn users_are_chosen_by_their_keys() {
    assert!(chosen(&sampled(0)).is_empty());
    assert_eq!(chosen(&sampled(1_000_000)).len(), 10_000);
    let (few, more) = (chosen(&sampled(100_000)), chosen(&sampled(300_000)));
    assert!((800..1_200).contains(&few.len()), "{}", few.len());
    assert!((2_700..3_300).contains(&more.len()), "{}", more.len());
    assert!(
        few.is_subset(&more),
        "who was chosen stays when there are more"
    );
}

#[test]
fn a_change_brings_the_sample() {
    let before = sampled(0);
    let (after, _) = before.apply(Delta {
        position: before.position(),
        committed_at: Millis(0),
        trace: None,
        last_stamp: Millis(before.last_stamp()),
        flags: Vec::new(),
        segments: Vec::new(),
        keys: None,
        decision_sample: 1_000_000,
    });
    assert!(after.logs_decisions_of("ana"));
    assert!(!before.logs_decisions_of("ana"));
}
