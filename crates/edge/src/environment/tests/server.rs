//! What server SDKs are answered.

use burgee_eval::flag::{Condition, Rule};

use super::*;

#[test]
fn a_flag_has_exactly_the_protocols_fields() {
    let mut flag = flag_with_segment("hello", 1, "s");
    flag.tracked = true;
    flag.variations[0].name = Some("for people only".into());
    flag.rules[0].conditions[0].op = Some("IsOneOf".into());
    let state = encoded(vec![flag], vec![segment("s", 2, &["u"])]);
    let answers = server_sync(&state, 0);
    let expected = json!({"eventType": "full", "featureFlags": [{
        "id": "id-hello", "createdAt": "2023-11-14T22:13:20.000Z",
        "updatedAt": "2023-11-14T22:13:20.001Z", "envId": "env", "name": "hello",
        "description": "", "key": "hello", "variationType": "string",
        "variations": [{"id": "v1", "value": "yes"}, {"id": "v2", "value": "no"}],
        "targetUsers": [],
        "rules": [{"id": "r", "name": "members", "dispatchKey": null, "includedInExpt": false,
            "conditions": [{"property": "User is in segment", "op": null, "value": "[\"s\"]"}],
            "variations": [{"id": "v2", "rollout": [0.0, 1.0], "exptRollout": 1.0}]}],
        "isEnabled": true, "disabledVariationId": "v2",
        "fallthrough": {"dispatchKey": null, "includedInExpt": false,
            "variations": [{"id": "v1", "rollout": [0.0, 1.0], "exptRollout": 1.0}]},
        "exptIncludeAllTargets": false, "tags": [], "isArchived": false,
    }], "segments": [{
        "id": "s", "createdAt": "2023-11-14T22:13:20.000Z",
        "updatedAt": "2023-11-14T22:13:20.002Z", "envId": "env", "name": "s", "description": "",
        "included": ["u"], "excluded": [], "rules": [], "isArchived": false,
    }]});
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0].0["data"], expected);
}

#[test]
fn what_is_archived_goes_out_as_a_neutral_tombstone() {
    let mut dead = flag_with_segment("dead", 1, "s");
    dead.is_archived = true;
    dead.is_enabled = false;
    dead.target_users =
        serde_json::from_value(json!([{"keyIds": ["u"], "variationId": "v1"}])).unwrap();
    let mut gone = segment("s", 2, &["u"]);
    gone.is_archived = true;
    gone.excluded = vec!["x".into()];
    let answers = server_sync(&encoded(vec![dead], vec![gone]), 0);
    let data = &answers[0].0["data"];

    let flag = &data["featureFlags"][0];
    assert_eq!(flag["isArchived"], true);
    assert_eq!(flag["isEnabled"], true);
    assert_eq!(flag["variations"].as_array().unwrap().len(), 2);
    assert_eq!(flag["targetUsers"], json!([]));
    assert_eq!(flag["rules"], json!([]));
    let nobody = json!({"dispatchKey": null, "includedInExpt": false, "variations": []});
    assert_eq!(flag["fallthrough"], nobody);
    assert_eq!(flag["updatedAt"], "2023-11-14T22:13:20.001Z");

    let segment = &data["segments"][0];
    assert_eq!(segment["isArchived"], true);
    assert_eq!(
        (&segment["included"], &segment["excluded"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(segment["rules"], json!([]));
    assert_eq!(segment["updatedAt"], "2023-11-14T22:13:20.002Z");
}

#[test]
fn a_condition_that_would_hurt_an_sdk_goes_out_as_one_that_never_matches() {
    let never = json!({"property": "User is in segment", "op": null, "value": "[]"});
    let values = [
        None,
        Some("no list"),
        Some("[1]"),
        Some("null"),
        Some("\"s\""),
    ];
    for property in ["User is in segment", "User is not in segment"] {
        for value in values {
            let condition = Condition {
                property: property.into(),
                op: None,
                value: value.map(str::to_owned),
            };
            let mut flag = flag("a", 1);
            let rule = Rule {
                conditions: vec![condition],
                ..rule()
            };
            flag.rules = vec![rule];
            let answers = server_sync(&encoded(vec![flag], vec![]), 0);
            let sent = &answers[0].0["data"]["featureFlags"][0]["rules"][0]["conditions"][0];
            assert_eq!(sent, &never, "{property} {value:?}");
        }
    }
}

#[test]
fn segments_do_not_refer_to_segments_on_the_wire() {
    let mut nested = segment("s", 1, &[]);
    let rules = json!([{"id": "r", "name": "", "conditions": [
        {"property": "User is not in segment", "op": null, "value": "[\"t\"]"}]}]);
    nested.rules = serde_json::from_value(rules).unwrap();
    let answers = server_sync(&encoded(vec![], vec![nested]), 0);
    let sent = &answers[0].0["data"]["segments"][0]["rules"][0]["conditions"][0];
    let never = json!({"property": "User is in segment", "op": null, "value": "[]"});
    assert_eq!(sent, &never);
}

#[test]
fn broken_conditions_never_reach_an_sdk() {
    let never = json!({"property": "User is in segment", "op": null, "value": "[]"});
    for (op, value) in [
        ("NotOneOf", Some("a,b")),
        ("IsOneOf", Some("[1]")),
        ("NotMatchRegex", Some("(")),
        ("MatchRegex", Some("(?=x)")),
        ("NotEqual", None),
        ("NotContain", None),
        ("IsTrue", None),
        ("IsSet", None),
        ("LessThan", Some("1,000")),
        ("SemverNotEqual", Some("latest")),
        ("NoSuchThing", Some("x")),
    ] {
        let broken = json!({"property": "p", "op": op, "value": value});
        let rule = json!({"id": "r", "name": "r", "conditions": [broken]});
        let mut flag = flag("f", 1);
        flag.rules = vec![serde_json::from_value(rule.clone()).unwrap()];
        let mut segment = segment("s", 2, &[]);
        segment.rules = vec![serde_json::from_value(rule).unwrap()];
        let answers = server_sync(&encoded(vec![flag], vec![segment]), 0);
        for list in ["featureFlags", "segments"] {
            let sent = &answers[0].list(list)[0]["rules"][0]["conditions"][0];
            assert_eq!(*sent, never, "{op} {value:?} in {list}");
        }
    }
}

#[test]
fn a_pattern_beyond_what_its_item_may_take_matches_nobody_anywhere() {
    // Each of them may stand alone; all together are too much work.
    let condition = |number: usize| Condition {
        property: "name".to_owned(),
        op: Some("MatchRegex".to_owned()),
        value: Some(format!("([a-z]{{1,800}}){number}")),
    };
    let rules = (0..6).map(|number| Rule {
        conditions: vec![condition(number)],
        ..rule()
    });
    let flag = Flag {
        rules: rules.collect(),
        ..flag("f", 1)
    };
    let state = encoded(vec![flag], vec![]);
    let broken = state.snapshot().flags()[0].warnings().len();
    assert!((1..6).contains(&broken), "{broken}");
    let answers = server_sync(&state, 0);
    let sent = answers[0].list("featureFlags")[0]["rules"]
        .as_array()
        .unwrap()
        .clone();
    let never = |rule: &&Value| rule["conditions"][0]["value"] == "[]";
    assert_eq!(sent.iter().filter(never).count(), broken);
    assert_eq!(sent[0]["conditions"][0]["op"], "MatchRegex");
}

#[test]
fn sound_conditions_are_sent_as_they_are_and_blank_dispatch_keys_as_none() {
    let condition = json!({"property": "p", "op": "NotOneOf", "value": "[\"a\"]"});
    let rule = json!({"id": "r", "name": "r", "dispatchKey": " ", "conditions": [condition]});
    let mut flag = flag("f", 1);
    flag.rules = vec![serde_json::from_value(rule).unwrap()];
    flag.fallthrough.dispatch_key = Some("\t".to_owned());
    let mut other = flag.clone();
    other.key = "g".to_owned();
    other.rules[0].dispatch_key = Some("plan".to_owned());
    other.fallthrough.dispatch_key = Some("plan".to_owned());
    let answers = server_sync(&encoded(vec![flag, other], vec![]), 0);
    let [flag, other] = answers[0].list("featureFlags") else {
        panic!("two flags")
    };
    assert_eq!(flag["rules"][0]["conditions"][0], condition);
    let keys = |flag: &Value| {
        [&flag["rules"][0], &flag["fallthrough"]].map(|part| part["dispatchKey"].clone())
    };
    assert_eq!(keys(flag), [Value::Null, Value::Null]);
    assert_eq!(keys(other), [json!("plan"), json!("plan")]);
}

#[test]
fn small_states_are_sent_whole() {
    let flags = || vec![flag("a", 1), flag("b", 5)];
    let state = encoded(flags(), vec![segment("s", 3, &[])]);
    for (timestamp, full) in [(-T, true), (1, true), (4, true), (5, false), (6, true)] {
        let answers = server_sync(&state, T + timestamp);
        assert_eq!(answers.len(), 1, "timestamp {timestamp}");
        assert_eq!(answers[0].is_full(), full, "timestamp {timestamp}");
        let names = answers[0].names();
        assert_eq!(names, if full { vec!["a", "b", "s"] } else { vec![] });
    }
}

#[test]
fn large_states_are_caught_up_with_item_by_item_in_the_order_of_stamps() {
    let flags = vec![
        large("large", 1),
        flag("b", 4),
        flag("a", 9),
        archived("z", 6),
    ];
    let state = encoded(flags, vec![segment("s", 5, &[])]);
    let names = |timestamp: i64| {
        let answers = server_sync(&state, T + timestamp);
        let one = |answer: &Answer| (answer.is_full(), answer.names().join(","));
        answers.iter().map(one).collect::<Vec<_>>()
    };
    let patch = |name: &str| (false, name.to_owned());
    assert_eq!(names(1), [patch("b"), patch("s"), patch("z"), patch("a")]);
    assert_eq!(names(4), [patch("s"), patch("z"), patch("a")]);
    assert_eq!(names(6), [patch("a")]);
    assert_eq!(names(9), [patch("")]);
    // Everything changed, or nearly: one full message is smaller.
    assert!(matches!(&names(0)[..], [(true, _)]));
    assert!(matches!(&names(-T)[..], [(true, _)]));
    // No stamp of anything here: of a history that was lost.
    assert!(matches!(&names(8)[..], [(true, _)]));
}

#[test]
fn a_catch_up_costs_no_memory_of_its_own() {
    let state = encoded(vec![large("large", 1), flag("b", 4), flag("a", 9)], vec![]);
    let first = state.server_sync(T + 1, NOW, Coding::Clear).frames;
    let again = state.server_sync(T + 1, NOW, Coding::Clear).frames;
    let later = state.server_sync(T + 4, NOW, Coding::Clear).frames;
    assert_eq!(first.as_ptr(), again.as_ptr());
    assert!(
        first.as_ptr_range().contains(&later.as_ptr()),
        "the tail of the same buffer"
    );
    assert_eq!(
        state.server_sync(0, NOW, Coding::Clear).frames.as_ptr(),
        state.server_sync(0, NOW, Coding::Clear).frames.as_ptr()
    );
}

#[test]
fn what_is_deflated_is_made_once_and_shared() {
    let state = encoded(vec![large("large", 1), flag("b", 4)], vec![]);
    let clear = state.server_sync(0, NOW, Coding::Clear).frames;
    let deflated = state.server_sync(0, NOW, Coding::Deflate).frames;
    assert_eq!((clear[0], deflated[0]), (0x81, 0xC1));
    assert!(deflated.len() < clear.len() / 4);
    let again = state.server_sync(0, NOW, Coding::Deflate).frames;
    assert_eq!(again.as_ptr(), deflated.as_ptr());
    // So is the state for those who are ahead.
    let [one, other] = [T + 900, T + 850].map(|ahead| {
        let answer = state.server_sync(ahead, NOW, Coding::Deflate);
        assert_eq!(answer.frames[0], 0xC1);
        answer.frames
    });
    assert_eq!(one.as_ptr(), other.as_ptr());
    // Steps are short, and the same for nobody.
    let steps = |coding| state.server_sync(T + 1, NOW, coding).frames;
    assert_eq!(
        steps(Coding::Deflate).as_ptr(),
        steps(Coding::Clear).as_ptr()
    );
    // Nothing new is less than a packet.
    let nothing = state.server_sync(T + 4, NOW, Coding::Deflate).frames;
    assert_eq!(nothing[0], 0x81);
}

#[test]
fn an_sdk_that_is_ahead_gets_a_newer_state_unless_it_made_it_up() {
    let state = encoded(vec![flag("a", 1), flag("b", 2)], vec![segment("s", 3, &[])]);
    let answer = |timestamp: i64| server_sync(&state, timestamp).pop().unwrap();
    let ahead = answer(T + 900);
    assert!(ahead.is_full());
    assert_eq!(ahead.newest(), 901);
    assert_eq!(
        ahead.list("featureFlags")[0]["updatedAt"],
        "2023-11-14T22:13:20.001Z"
    );
    // Those who are a little less ahead share that answer; those who are more get a higher one,
    // those who are much less one that is not so high.
    let shared = state.server_sync(T + 850, NOW, Coding::Clear).frames;
    assert_eq!(
        shared.as_ptr(),
        state
            .server_sync(T + 900, NOW, Coding::Clear)
            .frames
            .as_ptr()
    );
    assert_eq!(answer(T + 901).newest(), 902);
    assert_eq!(answer(NOW + 30_000).newest(), NOW + 30_001 - T);
    assert_eq!(answer(T + 4).newest(), 5);
    assert_eq!(answer(NOW + 30_001).newest(), 3);
    assert_eq!(answer(i64::MAX).newest(), 3);
}

#[test]
fn an_empty_environment_answers() {
    let state = encoded(vec![], vec![]);
    for timestamp in [0, T, i64::MAX] {
        let answers = server_sync(&state, timestamp);
        assert!(answers[0].is_full() && answers[0].names().is_empty());
    }
}

#[test]
fn those_who_poll_get_one_message() {
    let flags = vec![large("large", 1), flag("b", 4), flag("a", 9)];
    let state = encoded(flags, vec![segment("s", 5, &[])]);
    let poll = |timestamp: i64| {
        let (json, sync) = state.server_poll(timestamp, NOW);
        let answer = Answer::parse(&json);
        assert_eq!(answer.is_full(), sync == Sync::Full);
        (answer.is_full(), answer.names().join(","))
    };
    assert_eq!(poll(0), (true, "large,b,a,s".into()));
    assert_eq!(poll(T), (true, "large,b,a,s".into()));
    assert_eq!(poll(T + 1), (false, "b,a,s".into()));
    assert_eq!(poll(T + 9), (false, "".into()));
    assert!(poll(T + 10).0);
    let small = encoded(vec![flag("a", 1), flag("b", 2)], vec![]);
    assert_eq!(small.server_poll(T + 1, NOW).1, Sync::Full);
}

#[test]
fn frames_of_every_length_class() {
    for length in [1, 90, 60_000, 70_000] {
        let mut flag = flag("a", 1);
        flag.description = "d".repeat(length);
        let answers = server_sync(&encoded(vec![flag], vec![]), 0);
        assert_eq!(answers.len(), 1);
    }
}

fn rule() -> Rule {
    let rule = json!({"id": "r", "name": "r",
        "variations": [{"id": "v2", "rollout": [0, 1], "exptRollout": 1}]});
    serde_json::from_value(rule).unwrap()
}

#[test]
fn a_full_state_has_no_tombstones_but_those_that_keep_its_maximum() {
    let mut gone = segment("gone", 2, &[]);
    gone.is_archived = true;
    let old = || vec![archived("old", 1), flag("a", 3), flag("b", 4)];
    let names = |flags, segments| {
        let state = encoded(flags, segments);
        let full = server_sync(&state, 0).pop().unwrap();
        assert_eq!(full.newest() + T, state.last_stamp());
        full.names().join(",")
    };
    assert_eq!(names(old(), vec![gone.clone()]), "a,b");
    let newest = [old(), vec![archived("x", 5), archived("y", 6)]].concat();
    assert_eq!(names(newest, vec![gone.clone()]), "a,b,x,y");
    assert_eq!(names(vec![archived("old", 1)], vec![gone]), "old,gone");
}

#[test]
fn who_was_away_while_a_flag_was_archived_loses_it_either_way() {
    // In a full state, by not being there; in a catch-up, by its tombstone.
    let small = encoded(vec![archived("old", 2), flag("a", 3)], vec![]);
    let full = server_sync(&small, T + 1).pop().unwrap();
    assert!(full.is_full());
    assert_eq!(full.names(), ["a"]);
    let large = encoded(
        vec![large("large", 1), archived("old", 2), flag("a", 3)],
        vec![],
    );
    let steps = server_sync(&large, T + 1);
    let names: Vec<_> = steps.iter().map(|step| step.names().join(",")).collect();
    assert_eq!(names, ["old", "a"]);
    assert_eq!(steps[0].list("featureFlags")[0]["isArchived"], true);
}

/// A flag that needs `needed` to serve `yes`.
fn needing(key: &str, stamp: i64) -> Flag {
    let needs = json!([{"flag": "needed", "variation": "v1"}]);
    Flag {
        prerequisites: serde_json::from_value(needs).unwrap(),
        ..flag(key, stamp)
    }
}

fn off(key: &str, stamp: i64) -> Flag {
    Flag {
        is_enabled: false,
        ..flag(key, stamp)
    }
}

#[test]
fn a_flag_that_needs_another_is_sent_as_one_that_needs_none() {
    let is_on = |state: &Encoded| {
        let answers = server_sync(state, 0);
        let flags = answers[0].list("featureFlags").iter();
        let mut flags = flags.filter(|it| it["key"] == "x");
        let flag = flags.next().unwrap().clone();
        assert!(flag.get("prerequisites").is_none());
        flag["isEnabled"].as_bool().unwrap()
    };
    let met = encoded(vec![flag("needed", 1), needing("x", 2)], vec![]);
    assert!(is_on(&met));
    let unmet = encoded(vec![off("needed", 1), needing("x", 2)], vec![]);
    assert!(!is_on(&unmet));
}

#[test]
fn who_has_a_flag_hears_when_it_is_another_because_of_one_that_it_needs() {
    let flags = vec![
        large("large", 1),
        flag("needed", 2),
        needing("x", 3),
        flag("b", 4),
    ];
    let before = Arc::new(encoded(flags, vec![]));
    let update = step(Arc::clone(&before), vec![off("needed", 9)], vec![]);
    // It was not stamped, so a patch of it would be passed over.
    let pushed = frames(&update.server_frames(Coding::Clear));
    assert_eq!(pushed.len(), 1);
    assert!(pushed[0].is_full());
    assert_eq!(pushed[0].list("featureFlags").len(), 4);
    let state = update.to();
    assert!(server_sync(state, T + 4)[0].is_full());
    assert_eq!(state.server_poll(T + 4, NOW).1, Sync::Full);
    // Whoever has that needs no more than what comes after.
    assert_eq!(server_sync(state, T + 9)[0].names(), Vec::<String>::new());
    let update = step(Arc::clone(state), vec![flag("b", 12)], vec![]);
    assert_eq!(
        frames(&update.server_frames(Coding::Clear))[0].names(),
        ["b"]
    );
    assert_eq!(server_sync(update.to(), T + 9)[0].names(), ["b"]);
    assert_eq!(update.to().known_up_to(T + 4, NOW), 0);
    assert_eq!(update.to().known_up_to(T + 9, NOW), T + 9);

    // Client SDKs get both flags, by timestamps that have risen.
    let mut out = Vec::new();
    let update = step(before, vec![off("needed", 9)], vec![]);
    assert!(update.client_patch(&user("u"), &mut out));
    let patch = Answer::parse(&out);
    assert_eq!(patch.names(), ["needed", "x"]);
    let x = &patch.list("featureFlags")[1];
    assert_eq!(
        (&x["variation"], &x["timestamp"]),
        (&json!("no"), &json!(T + 9))
    );
    assert_eq!(x["matchReason"], "prerequisite failed");
    assert_eq!(
        client_sync(update.to(), "u", T + 4).names(),
        ["needed", "x"]
    );
}
