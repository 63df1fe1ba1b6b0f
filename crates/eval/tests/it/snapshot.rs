//! Snapshots share what did not change, and tell what did.

use std::sync::Arc;

use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use burgee_eval::snapshot::{Affected, Cause, Effect, Snapshot};
use burgee_eval::time::Millis;
use serde_json::{Value, json};

use crate::build::{flag, in_segment, rule, segment, user};

/// Two plain flags, and one with a rule on segment `s`.
fn snapshot() -> Snapshot {
    let flags = vec![
        flag("plain", json!({})),
        flag(
            "with-segment",
            json!({"rules": [rule(in_segment("s"), "b")]}),
        ),
        flag("also-plain", json!({})),
    ];
    Snapshot::build(flags, vec![member("s", 1), segment("unused", json!({}))])
}

/// A segment with one member, `u`.
fn member(id: &str, stamp: i64) -> Segment {
    segment(id, json!({"included": ["u"], "updatedAt": stamp}))
}

fn keys(snapshot: &Snapshot) -> Vec<&str> {
    snapshot
        .flags()
        .iter()
        .map(|flag| flag.flag().key.as_str())
        .collect()
}

fn touched<'a>(snapshot: &'a Snapshot, affected: &Affected) -> Vec<(&'a str, Cause, Effect)> {
    let flags = affected.flags.iter();
    flags
        .map(|flag| {
            let key = snapshot.flags()[flag.index].flag().key.as_str();
            (key, flag.cause, flag.effect)
        })
        .collect()
}

fn shared(before: &Snapshot, after: &Snapshot, key: &str) -> bool {
    Arc::ptr_eq(before.flag(key).unwrap(), after.flag(key).unwrap())
}

fn edited(key: &str, over: Value) -> Vec<Flag> {
    vec![flag(key, over)]
}

#[test]
fn flags_are_sorted_and_found_by_key() {
    let snapshot = snapshot();
    assert_eq!(keys(&snapshot), ["also-plain", "plain", "with-segment"]);
    assert_eq!(snapshot.flag("plain").unwrap().flag().key, "plain");
    assert!(snapshot.flag("Plain").is_none());
    assert_eq!(snapshot.segment("s").unwrap().segment().id, "s");
}

#[test]
fn an_edit_compiles_that_flag_alone() {
    let before = snapshot();
    let (after, affected) = before.apply(edited("plain", json!({"isEnabled": false})), vec![]);
    let expected = [("plain", Cause::Edited, Effect::Result)];
    assert_eq!(touched(&after, &affected), expected);
    assert!(affected.segments.is_empty());
    assert!(shared(&before, &after, "also-plain") && shared(&before, &after, "with-segment"));
    assert!(!shared(&before, &after, "plain"));
}

#[test]
fn a_segment_touches_the_flags_that_name_it() {
    let before = snapshot();
    let empty = segment("s", json!({"updatedAt": 9}));
    let (after, affected) = before.apply(vec![], vec![empty]);
    let expected = [("with-segment", Cause::Segment, Effect::Result)];
    assert_eq!(touched(&after, &affected), expected);
    assert_eq!(affected.segments.len(), 1);
    assert_eq!(after.segments()[affected.segments[0]].segment().id, "s");
    let flag = |snapshot: &Snapshot| Arc::clone(snapshot.flag("with-segment").unwrap());
    assert_eq!(flag(&after).timestamp(), Millis(9));
    let served = |snapshot: &Snapshot| {
        let flag = flag(snapshot);
        flag.outcome(flag.evaluate(&user("u", "", "")).unwrap())
            .unwrap()
            .variation
    };
    assert_eq!((served(&before), served(&after)), (1, 0));
    assert!(shared(&before, &after, "plain"));
}

#[test]
fn a_segment_that_appears_is_used_by_who_named_it() {
    let before = Snapshot::build(
        vec![flag(
            "early",
            json!({"rules": [rule(in_segment("late"), "b")]}),
        )],
        vec![],
    );
    assert_eq!(before.warnings().count(), 1);
    let (after, affected) = before.apply(vec![], vec![member("late", 3)]);
    let expected = [("early", Cause::Segment, Effect::Result)];
    assert_eq!(touched(&after, &affected), expected);
    assert_eq!(after.warnings().count(), 0);
}

#[test]
fn texts_for_people_change_no_result() {
    let before = snapshot();
    let renamed = edited(
        "plain",
        json!({"name": "New", "tags": ["x"], "updatedAt": 7}),
    );
    let mut named = member("s", 8);
    named.name = "New".to_owned();
    let (after, affected) = before.apply(renamed, vec![named]);
    let expected = [
        ("plain", Cause::Edited, Effect::None),
        ("with-segment", Cause::Segment, Effect::None),
    ];
    assert_eq!(touched(&after, &affected), expected);
    assert_eq!(affected.results().count(), 0);
    assert_eq!(after.flag("with-segment").unwrap().timestamp(), Millis(8));
}

#[test]
fn an_archived_flag_stays_as_a_tombstone_until_it_comes_back() {
    let before = snapshot();
    let archived = edited("plain", json!({"isArchived": true, "updatedAt": 5}));
    let (after, affected) = before.apply(archived.clone(), vec![]);
    assert_eq!(
        touched(&after, &affected),
        [("plain", Cause::Edited, Effect::Gone)]
    );
    assert!(affected.any_gone());
    assert_eq!(keys(&after), keys(&before));
    assert_eq!(after.flag("plain").unwrap().timestamp(), Millis(5));
    assert!(
        after
            .flag("plain")
            .unwrap()
            .evaluate(&user("u", "", ""))
            .is_none()
    );

    let (again, affected) = after.apply(archived, vec![]);
    assert_eq!(
        touched(&again, &affected),
        [("plain", Cause::Edited, Effect::None)]
    );
    let (back, affected) = again.apply(edited("plain", json!({})), vec![]);
    assert_eq!(
        touched(&back, &affected),
        [("plain", Cause::Edited, Effect::Appeared)]
    );
    assert_eq!(affected.results().count(), 1);
}

#[test]
fn a_new_flag_appears_in_its_place() {
    let (after, affected) = snapshot().apply(edited("middle", json!({})), vec![]);
    assert_eq!(
        keys(&after),
        ["also-plain", "middle", "plain", "with-segment"]
    );
    assert_eq!(
        touched(&after, &affected),
        [("middle", Cause::Edited, Effect::Appeared)]
    );
}

#[test]
fn of_two_items_with_one_name_the_later_counts() {
    let flags = vec![
        flag("f", json!({"name": "first"})),
        flag("f", json!({"name": "second"})),
    ];
    let snapshot = Snapshot::build(flags, vec![member("s", 1), member("s", 2)]);
    assert_eq!(snapshot.flag("f").unwrap().flag().name, "second");
    assert_eq!((snapshot.flags().len(), snapshot.segments().len()), (1, 1));
    assert_eq!(
        snapshot.segment("s").unwrap().segment().updated_at,
        Millis(2)
    );
}

#[test]
fn a_flag_edited_together_with_its_segment_is_compiled_once_and_sees_it() {
    let before = snapshot();
    let rules = json!({"rules": [rule(in_segment("new"), "b")]});
    let (after, affected) = before.apply(edited("plain", rules), vec![member("new", 4)]);
    assert_eq!(
        touched(&after, &affected),
        [("plain", Cause::Edited, Effect::Result)]
    );
    assert_eq!(after.flag("plain").unwrap().timestamp(), Millis(4));
    assert!(after.flag("plain").unwrap().warnings().is_empty());
}
