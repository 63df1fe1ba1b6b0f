//! What those are told who tell SDKs in their turn.

use super::*;

/// The names of what came after a stamp, in order.
fn after(state: &Encoded, stamp: i64) -> Vec<String> {
    let items = state.items_after(stamp);
    let named = items.map(|item| {
        let json: Value = serde_json::from_slice(item.json).unwrap();
        assert_eq!(item.is_flag, json["key"].is_string());
        json["name"].as_str().unwrap().to_owned()
    });
    named.collect()
}

#[test]
fn items_come_in_the_order_of_their_stamps_with_old_tombstones() {
    let state = encoded(
        vec![flag("a", 3), archived("dead", 1)],
        vec![segment("s", 2, &[])],
    );
    assert_eq!(after(&state, 0), ["dead", "s", "a"]);
    assert_eq!(after(&state, T + 1), ["s", "a"]);
    assert_eq!(after(&state, state.last_stamp()), [] as [&str; 0]);
}

#[test]
fn what_somebody_has_is_known_by_its_stamp_unless_it_is_of_another_history() {
    let first = Arc::new(encoded(vec![flag("a", 1), flag("b", 2)], vec![]));
    let second = Arc::clone(step(Arc::clone(&first), vec![flag("a", 3)], vec![]).to());
    for known in [T + 1, T + 2, T + 3] {
        assert_eq!(second.known_up_to(known, NOW), known);
    }
    for unknown in [0, -1, 7, T + 4, i64::MAX] {
        assert_eq!(second.known_up_to(unknown, NOW), 0, "{unknown}");
    }
    assert!(second.extends(&first));
    assert_eq!(second.known_from(&first), T + 2);

    let restored = second.replaced(state(vec![flag("a", 1), flag("b", 2)], vec![]));
    assert!(!restored.extends(&second) && !restored.extends(&first));
    assert_eq!(restored.known_from(&second), 0);
}

#[test]
fn a_key_that_another_flag_takes_does_not_extend_what_was_there() {
    let first = Arc::new(encoded(vec![archived("a", 1), flag("b", 2)], vec![]));
    let mut another = flag("a", 3);
    another.id = "another".into();
    let second = step(Arc::clone(&first), vec![another], vec![]);
    assert!(!second.to().extends(&first));
    let third = step(
        Arc::clone(second.to()),
        vec![flag("b", 4), flag("c", 5)],
        vec![],
    );
    assert!(third.to().extends(second.to()));
}
