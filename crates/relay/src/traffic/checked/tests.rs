//! What a batch of a rude relay holds.

use serde_json::{Value, json};

use super::*;

const NOW: i64 = 1_800_000_000_000;
const DAY: i64 = 86_400_000;

fn batch(sender: &str, lists: Value) -> Batch {
    let mut all = json!({"sender": sender, "sequence": 1, "users": [], "counts": [],
        "exposures": [], "metrics": []});
    for (name, list) in lists.as_object().unwrap() {
        all[name] = list.clone();
    }
    serde_json::from_value(all).unwrap()
}

fn check(batch: Batch) -> Checked {
    batch.checked(NOW, |id| id == "e").unwrap()
}

fn count(minute: i64, count: u64) -> Value {
    json!({"environment": "e", "flag": "f", "flagId": "1", "variation": "v",
        "minute": minute, "count": count})
}

fn user(environment: &str, key: &str, at: i64) -> Value {
    json!({"environment": environment, "key": key, "name": "", "properties": [], "at": at})
}

#[test]
fn a_batch_without_a_name_that_can_be_stored_is_refused_for_good() {
    let long = "x".repeat(SENDER + 1);
    for bad in ["", "a\0b", "ü", &long] {
        let refused = batch(bad, json!({})).checked(NOW, |_| true);
        assert_eq!(refused.unwrap_err(), Refused::Sender, "{bad:?}");
    }
    let mut before = batch("s", json!({}));
    before.sequence = -1;
    let refused = before.checked(NOW, |_| true);
    assert_eq!(refused.unwrap_err(), Refused::Sequence);
    assert!(
        batch("0199-a/e/3", json!({}))
            .checked(NOW, |_| true)
            .is_ok()
    );
}

#[test]
fn counts_are_of_a_time_and_a_size_that_can_be() {
    let counts = json!([
        count(NOW, 1),
        count(NOW - 91 * DAY, 2),
        count(NOW - 89 * DAY, 3),
        count(NOW + DAY, 4),
        count(NOW, u64::MAX),
        count(i64::MIN, 5),
        count(i64::MAX, 6),
    ]);
    let checked = check(batch("s", json!({"counts": counts})));
    let found = checked.batch.counts.iter().map(|it| (it.minute, it.count));
    let expected = [(NOW, 1), (NOW - 89 * DAY, 3), (NOW, 4), (NOW, 6)];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert_eq!(checked.refused, 3);
}

#[test]
fn decisions_are_taken_as_an_edge_could_have_made_them() {
    let decision = |user: &str, surface: &str, at: i64| {
        json!({"environment": "e", "user": user, "flag": "f", "flagId": "1", "variation": "v",
            "surface": surface, "reason": "rule", "rule": "r", "position": [7, 1], "at": at})
    };
    let long = "x".repeat(USER_KEY + 1);
    let reported = json!({"environment": "e", "user": "b", "flag": "f", "flagId": "1",
        "variation": "v", "surface": "track", "at": NOW + DAY});
    let mut theirs = decision("a", "stream", NOW);
    theirs["environment"] = json!("theirs");
    let decisions = json!([
        decision("a", "stream", NOW),
        theirs,
        decision("", "stream", NOW),
        decision(&long, "stream", NOW),
        decision("a", "", NOW),
        decision("a", "a stream", NOW),
        decision("a", &"x".repeat(WORD + 1), NOW),
        decision("a", "stream", NOW - 91 * DAY),
        reported,
    ]);
    let checked = check(batch("s", json!({"decisions": decisions})));
    let taken: Vec<_> = checked.batch.decisions.iter().collect();
    assert_eq!(checked.refused, 6);
    let [first, second] = taken[..] else {
        panic!("{taken:?}")
    };
    let texts = first.texts();
    assert_eq!((texts.user, texts.reason, texts.rule), ("a", "rule", "r"));
    let position = first.position.unwrap();
    assert_eq!((position.version, position.digest), (7, 1));
    assert_eq!((second.texts().user, second.texts().reason), ("b", ""));
    assert_eq!((second.position, second.at), (None, NOW));
}

#[test]
fn types_of_users_come_through_where_they_are_of_their_properties() {
    let typed = |types: &str| {
        let mut user = user("e", "a", NOW);
        user["properties"] = json!([["age", "42"], ["plan", "pro"], ["roles", "[\"x\"]"]]);
        user["types"] = json!(types);
        user
    };
    let long = "n".repeat(PROPERTIES + 1);
    let users = json!([typed("ntl"), typed("nnnn"), typed(&long)]);
    let checked = check(batch("s", json!({"users": users})));
    assert_eq!(checked.refused, 1);
    let users = checked.batch.users.iter();
    let types: Vec<String> = users.map(|it| it.user.user().types()).collect();
    assert_eq!(types, ["ntl", "n"]);
}

#[test]
fn what_is_of_others_is_left_out_and_what_is_too_large_is_refused() {
    let long = "x".repeat(USER_KEY + 1);
    let users = json!([
        user("theirs", "a", NOW),
        user("e", "b\0", NOW),
        user("e", "c", NOW),
        user("e", &long, NOW),
        user("e", "d", NOW),
    ]);
    let exposure = |first: i64, last: i64| {
        json!({"environment": "e", "flag": "f", "flagId": "1", "variation": "v", "user": "u",
            "experiment": true, "first": first, "last": last})
    };
    let exposures = json!([
        exposure(0, NOW),
        exposure(NOW, NOW - DAY),
        exposure(0, NOW - 91 * DAY)
    ]);
    let metric = |event: &str| {
        json!({"environment": "e", "user": "u", "event": event, "route": "", "kind": "",
            "appType": "", "value": 1.0, "at": NOW})
    };
    let metrics = json!([metric("bought"), metric(&"x".repeat(EVENT_TEXT + 1))]);
    let lists = json!({"users": users, "exposures": exposures, "metrics": metrics});
    let checked = check(batch("s", lists));
    assert_eq!(checked.places, [2, 4]);
    assert_eq!(checked.batch.users.len(), 2);
    let times = checked.batch.exposures.iter();
    let times: Vec<_> = times.map(|it| (it.first, it.last)).collect();
    assert_eq!(times, [(NOW - 90 * DAY, NOW), (NOW - DAY, NOW - DAY)]);
    assert_eq!(checked.batch.metrics.len(), 1);
    assert_eq!(checked.refused, 4);
}
