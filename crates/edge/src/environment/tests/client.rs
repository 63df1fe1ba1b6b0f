//! What client SDKs are answered.

use burgee_eval::flag::Flag;

use super::*;

#[test]
fn a_flag_has_every_field_that_sdks_read() {
    let state = encoded(vec![flag("hello", 1)], vec![]);
    let answer = client_sync(&state, "u", 0);
    let expected = json!([{
        "id": "hello", "variation": "yes", "variationType": "string", "variationId": "v1",
        "matchReason": "default", "sendToExperiment": false, "timestamp": T + 1,
        "variationOptions": [{"id": "v1", "value": "yes"}, {"id": "v2", "value": "no"}],
    }]);
    assert_eq!(answer.0["data"]["featureFlags"], expected);
}

#[test]
fn full_or_patch() {
    let flags = || vec![flag("a", 1), flag("b", 5), archived("c", 3)];
    let state = encoded(flags(), vec![]);
    // (timestamp less the base, full?, flags)
    let table = [
        (-T, true, vec!["a", "b"]),
        (-T - 1, true, vec!["a", "b"]),
        // Before the archived flag: only a full answer makes the SDK forget it.
        (1, true, vec!["a", "b"]),
        (2, true, vec!["a", "b"]),
        (3, false, vec!["b"]),
        // No stamp of anything here: of a history that was lost.
        (4, true, vec!["a", "b"]),
        (5, false, vec![]),
        // Ahead of the environment, and too far ahead to be believed.
        (6, true, vec!["a", "b"]),
        (NOW - T + 30_001, true, vec!["a", "b"]),
        (i64::MAX - T, true, vec!["a", "b"]),
    ];
    for (timestamp, full, names) in table {
        let answer = client_sync(&state, "u", T + timestamp);
        assert_eq!(
            (answer.is_full(), answer.names()),
            (full, names),
            "timestamp {timestamp}"
        );
    }
}

#[test]
fn an_sdk_that_is_ahead_gets_the_timestamps_as_they_are() {
    // A raised flag would be newer in the SDK than the next push of it.
    let state = encoded(vec![flag("a", 1), flag("b", 2)], vec![]);
    for timestamp in [T + 900, NOW + 30_000, NOW + 30_001] {
        let answer = client_sync(&state, "u", timestamp);
        assert!(answer.is_full());
        assert_eq!(answer.client_flag("b").unwrap().2, 2);
    }
}

#[test]
fn a_full_answer_is_not_asked_for_again_and_again() {
    // The newest change was to a flag that this user does not get.
    for gone in [archived("gone", 9), for_nobody("gone", 9)] {
        let state = encoded(vec![flag("a", 1), flag("b", 4), gone], vec![]);
        let first = client_sync(&state, "u", 0);
        assert_eq!(first.names(), ["a", "b"]);
        assert_eq!(first.client_flag("b").unwrap().2, 9);
        let second = client_sync(&state, "u", T + 9);
        assert!(!second.is_full() && second.names().is_empty());
    }
}

#[test]
fn a_flag_that_serves_nothing_any_more_goes_with_a_full_answer() {
    let state = encoded(vec![flag("a", 1), for_nobody("b", 2)], vec![]);
    let answer = client_sync(&state, "u", T + 1);
    assert!(answer.is_full());
    assert_eq!(answer.names(), ["a"]);
}

#[test]
fn a_segment_that_changed_while_the_client_was_away_brings_its_flags() {
    let flags = vec![flag("plain", 1), flag_with_segment("beta", 2, "s")];
    let before = encoded(flags, vec![segment("s", 3, &[])]);
    assert_eq!(
        client_sync(&before, "u", 0).client_flag("beta"),
        Some(("yes", "default", 3))
    );
    let update = step(before, vec![], vec![segment("s", 7, &["u"])]);

    let away = client_sync(update.to(), "u", T + 3);
    assert!(!away.is_full());
    assert_eq!(away.names(), ["beta"]);
    assert_eq!(away.client_flag("beta"), Some(("no", "members", 7)));
}

#[test]
fn the_users_key_is_escaped() {
    let key = "a\"b\\c\u{1}\u{2028}é";
    let state = encoded(vec![flag("a", 1)], vec![]);
    assert_eq!(client_sync(&state, key, 0).0["data"]["userKeyId"], key);
}

#[test]
fn a_flag_that_is_off_gives_its_off_variation() {
    let off = Flag {
        is_enabled: false,
        ..flag("a", 1)
    };
    let state = encoded(vec![off], vec![]);
    let answer = client_sync(&state, "u", 0);
    assert_eq!(answer.client_flag("a"), Some(("no", "flag disabled", 1)));
}

#[test]
fn an_answer_is_appended() {
    let state = encoded(vec![flag("a", 1), archived("b", 2)], vec![]);
    let mut alone = Vec::new();
    state.client_sync(&user("u"), 0, NOW, &mut alone);
    let mut after = b"before".to_vec();
    state.client_sync(&user("u"), 0, NOW, &mut after);
    assert_eq!(after, [b"before".as_slice(), &alone].concat());
}
