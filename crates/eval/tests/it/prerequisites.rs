//! Flags that need other flags.

use burgee_eval::explain::{StepKind, StepResult};
use burgee_eval::flag::Flag;
use burgee_eval::outcome::Reason;
use burgee_eval::snapshot::{Cause, Effect, Snapshot};
use burgee_eval::user::User;
use serde_json::{Value, json};

use crate::build::{self, flag, rule};

/// A flag that serves B where all of these serve the variation, else A, its off variation.
fn needing(key: &str, needs: &[(&str, &str)], over: Value) -> Flag {
    let needs = needs.iter();
    let needs = needs.map(|(flag, variation)| json!({"flag": flag, "variation": variation}));
    let mut all = json!({
        "prerequisites": needs.collect::<Vec<_>>(), "disabledVariationId": "a",
        "fallthrough": {"variations": [{"id": "b", "rollout": [0, 1]}]},
    });
    let fields = over.as_object().unwrap().clone();
    all.as_object_mut().unwrap().extend(fields);
    flag(key, all)
}

fn of_country() -> Value {
    rule(
        json!([{"property": "country", "op": "Equal", "value": "de"}]),
        "b",
    )
}

fn half() -> Value {
    json!({"variations": [{"id": "a", "rollout": [0, 0.5]}, {"id": "b", "rollout": [0.5, 1]}]})
}

fn ana() -> User<'static> {
    build::user("ana", "country", "de")
}

fn bo() -> User<'static> {
    build::user("bo", "country", "fr")
}

/// The variation's id and why.
fn served(snapshot: &Snapshot, key: &str, user: &User<'_>) -> Option<(String, Reason)> {
    let flag = snapshot.flag(key).unwrap();
    let outcome = flag.outcome_for(user)?;
    let id = flag.flag().variations[outcome.variation].id.clone();
    Some((id, outcome.reason))
}

fn got(variation: &str, reason: Reason) -> Option<(String, Reason)> {
    Some((variation.to_owned(), reason))
}

/// What an SDK that knows nothing of prerequisites makes of what it is sent.
fn served_by_sdk(snapshot: &Snapshot, key: &str, user: &User<'_>) -> Option<String> {
    let flag = snapshot.flag(key).unwrap().for_sdks();
    let mut sent = Flag::clone(flag.flag());
    sent.prerequisites.clear();
    let alone = Snapshot::build(vec![sent], vec![]);
    served(&alone, key, user).map(|(id, _)| id)
}

fn codes(snapshot: &Snapshot, key: &str) -> Vec<&'static str> {
    let warnings = snapshot.flag(key).unwrap().warnings();
    warnings.iter().map(|it| it.code.as_str()).collect()
}

#[test]
fn a_flag_serves_its_rules_only_where_the_other_serves_the_variation() {
    let needed = flag("needed", json!({"rules": [of_country()]}));
    let over = json!({"targetUsers": [{"keyIds": ["bo"], "variationId": "b"}]});
    let snapshot = Snapshot::build(vec![needing("x", &[("needed", "b")], over), needed], vec![]);
    assert_eq!(served(&snapshot, "x", &ana()), got("b", Reason::Default));
    // Individual targets are no way around it.
    assert_eq!(
        served(&snapshot, "x", &bo()),
        got("a", Reason::Prerequisite(0))
    );
    let flag = snapshot.flag("x").unwrap();
    assert_eq!(
        flag.match_reason(Reason::Prerequisite(0)),
        "prerequisite failed"
    );
}

#[test]
fn what_a_flag_serves_counts_whether_it_is_on_or_off() {
    let off = |variation| json!({"isEnabled": false, "disabledVariationId": variation});
    for (variation, met) in [("a", false), ("b", true), ("nope", false)] {
        let flags = vec![
            flag("needed", off(variation)),
            needing("x", &[("needed", "b")], json!({})),
        ];
        let snapshot = Snapshot::build(flags, vec![]);
        let wanted = match met {
            true => got("b", Reason::Default),
            false => got("a", Reason::Prerequisite(0)),
        };
        assert_eq!(served(&snapshot, "x", &ana()), wanted, "{variation}");
    }
}

#[test]
fn nobody_meets_what_is_not_there() {
    let archived = flag("old", json!({"isArchived": true}));
    let needs = [
        ("nowhere", "a", "prerequisiteUnknown"),
        ("old", "a", "prerequisiteUnknown"),
        ("other", "nope", "variationUnknown"),
    ];
    for (key, variation, code) in needs {
        let x = needing("x", &[(key, variation)], json!({}));
        let flags = vec![archived.clone(), flag("other", json!({})), x];
        let snapshot = Snapshot::build(flags, vec![]);
        assert_eq!(
            served(&snapshot, "x", &ana()),
            got("a", Reason::Prerequisite(0))
        );
        assert_eq!(codes(&snapshot, "x"), [code]);
        let explained = snapshot.explain(snapshot.flag("x").unwrap(), &ana());
        let step = explained.steps[1].prerequisite.clone().unwrap();
        assert_eq!(
            (step.broken.as_deref(), step.met),
            (Some(code), Some(false))
        );
    }
}

#[test]
fn who_stands_in_a_circle_serves_the_off_variation_and_says_so() {
    let circle = || {
        vec![
            needing("x", &[("y", "b")], json!({})),
            needing("y", &[("z", "b")], json!({})),
            needing("z", &[("x", "b")], json!({})),
            needing("behind", &[("y", "a")], json!({})),
            needing("self", &[("self", "b")], json!({})),
        ]
    };
    let snapshot = Snapshot::build(circle(), vec![]);
    for key in ["x", "y", "z", "behind", "self"] {
        assert_eq!(
            served(&snapshot, key, &ana()),
            got("a", Reason::Prerequisite(0))
        );
        assert_eq!(codes(&snapshot, key), ["prerequisiteCircular"], "{key}");
        let explained = snapshot.explain(snapshot.flag(key).unwrap(), &ana());
        assert_eq!(explained.reason.code, "prerequisite");
    }
    let (opened, affected) = snapshot.apply(vec![needing("z", &[], json!({}))], vec![]);
    assert_eq!(served(&opened, "x", &ana()), got("b", Reason::Default));
    // What it should not serve it does now.
    assert_eq!(
        served(&opened, "behind", &ana()),
        got("a", Reason::Prerequisite(0))
    );
    assert_eq!(affected.results().count(), 4);
    let (closed, affected) = opened.apply(circle().split_off(2), vec![]);
    assert_eq!(
        served(&closed, "x", &ana()),
        got("a", Reason::Prerequisite(0))
    );
    assert_eq!(affected.results().count(), 4);
}

#[test]
fn how_many_are_asked_is_bounded() {
    let key = |n: usize| format!("k{n:02}");
    let chain = (1..=12).map(|n| needing(&key(n), &[(&key(n - 1), "b")], json!({})));
    let first = needing(&key(0), &[], json!({}));
    let snapshot = Snapshot::build(chain.chain([first]).collect(), vec![]);
    let last = burgee_eval::compile::LONGEST_CHAIN;
    assert_eq!(
        served(&snapshot, &key(last), &ana()),
        got("b", Reason::Default)
    );
    assert_eq!(codes(&snapshot, &key(last + 1)), ["prerequisiteTooDeep"]);

    // Each needs both of the two before it: twice as many are asked with each.
    let doubled = (1..=8).map(|n| {
        let before = key(n - 1);
        needing(&key(n), &[(&before, "b"), (&before, "b")], json!({}))
    });
    let first = needing(&key(0), &[], json!({}));
    let snapshot = Snapshot::build(doubled.chain([first]).collect(), vec![]);
    let deep = |n: usize| codes(&snapshot, &key(n)).contains(&"prerequisiteTooDeep");
    // 2, 6, 14, 30, 62, 126 of them.
    assert_eq!((deep(5), deep(6)), (false, true));
}

#[test]
fn a_change_of_what_is_needed_is_one_of_who_needs_it() {
    let needed = |on: bool, stamp: i64| {
        let over = json!({"isEnabled": on, "updatedAt": stamp, "disabledVariationId": "b"});
        flag("needed", over)
    };
    let flags = vec![
        needed(true, 5),
        needing("x", &[("needed", "b")], json!({"updatedAt": 3})),
        needing("y", &[("x", "b")], json!({"updatedAt": 4})),
        flag("other", json!({"updatedAt": 1})),
    ];
    let snapshot = Snapshot::build(flags, vec![]);
    assert_eq!(
        served(&snapshot, "y", &ana()),
        got("a", Reason::Prerequisite(0))
    );
    let (next, affected) = snapshot.apply(vec![needed(false, 9)], vec![]);
    assert_eq!(served(&next, "y", &ana()), got("b", Reason::Default));
    let touched: Vec<_> = affected
        .flags
        .iter()
        .map(|it| (it.cause, it.effect))
        .collect();
    assert_eq!(
        touched,
        [
            (Cause::Edited, Effect::Result),
            (Cause::Prerequisite, Effect::Result),
            (Cause::Prerequisite, Effect::Result)
        ]
    );
    // A client that was away learns of it by the timestamp.
    assert_eq!(next.flag("y").unwrap().timestamp().0, 9);
    assert_eq!(next.flag("y").unwrap().stamp_of_needs().unwrap().0, 9);
    // A text for people is nobody's matter.
    let mut renamed = needed(false, 10);
    renamed.name = "Renamed".to_owned();
    let (_, affected) = next.apply(vec![renamed], vec![]);
    assert_eq!(affected.results().count(), 0);
}

#[test]
fn an_explanation_says_what_the_other_flag_serves_and_why() {
    let needed = flag("needed", json!({"name": "Needed", "rules": [of_country()]}));
    let flags = vec![needing("x", &[("needed", "b")], json!({})), needed];
    let snapshot = Snapshot::build(flags, vec![]);
    let x = snapshot.flag("x").unwrap();
    let explained = snapshot.explain(x, &bo());
    assert_eq!(
        explained.reason.text,
        "flag needed serves A, not B: a prerequisite is not met"
    );
    assert_eq!(explained.reason.params["flag"], "needed");
    let step = &explained.steps[1];
    assert_eq!(
        (step.kind, step.result),
        (StepKind::Prerequisite, StepResult::Taken)
    );
    let shown = step.prerequisite.as_ref().unwrap();
    assert_eq!(
        (shown.name.as_str(), shown.served.as_deref(), shown.met),
        ("Needed", Some("a"), Some(false))
    );
    assert_eq!(shown.reason.as_ref().unwrap().code, "default");

    let explained = snapshot.explain(x, &ana());
    assert_eq!(explained.steps[1].result, StepResult::Passed);
    assert_eq!(explained.reason.code, "default");
}

#[test]
fn sdks_that_know_no_prerequisites_are_sent_a_flag_that_needs_none() {
    let needed = json!({
        "targetUsers": [{"keyIds": ["bo"], "variationId": "b"}], "rules": [of_country()],
    });
    let over =
        json!({"rules": [rule(json!([{"property": "keyId", "op": "Equal", "value": "bo"}]), "a")]});
    let flags = vec![
        needing("x", &[("needed", "b")], over),
        flag("needed", needed),
    ];
    let snapshot = Snapshot::build(flags, vec![]);
    assert!(codes(&snapshot, "x").is_empty());
    let someone = build::user("cy", "country", "fr");
    for user in [ana(), bo(), someone] {
        let wanted = served(&snapshot, "x", &user).map(|(id, _)| id);
        assert_eq!(served_by_sdk(&snapshot, "x", &user), wanted, "{user:?}");
    }
}

#[test]
fn where_a_hash_decides_sdks_serve_the_off_variation() {
    let flags = vec![
        needing("x", &[("needed", "b")], json!({})),
        flag(
            "needed",
            json!({"rules": [of_country()], "fallthrough": half()}),
        ),
    ];
    let snapshot = Snapshot::build(flags, vec![]);
    assert_eq!(codes(&snapshot, "x"), ["prerequisiteUnknownToSdks"]);
    // By the rule it can be said, by the percentage it cannot.
    assert_eq!(served_by_sdk(&snapshot, "x", &ana()).as_deref(), Some("b"));
    for key in ["u1", "u2", "u3", "u4", "u5", "u6"] {
        let user = build::user(key, "country", "fr");
        assert_eq!(served_by_sdk(&snapshot, "x", &user).as_deref(), Some("a"));
    }
}

#[test]
fn what_cannot_be_said_of_a_needed_flag_is_no_answer_of_its_either() {
    // Y's off variation is what X asks of it: who falls under the percentage may get it, or not.
    let flags = || {
        vec![
            needing("x", &[("y", "a")], json!({})),
            needing("y", &[("z", "b")], json!({})),
            flag("z", json!({"fallthrough": half()})),
        ]
    };
    let snapshot = Snapshot::build(flags(), vec![]);
    assert_eq!(codes(&snapshot, "x"), ["prerequisiteUnknownToSdks"]);
    let users: Vec<String> = (0..20).map(|n| format!("u{n}")).collect();
    let users = users.iter().map(|key| build::user(key, "country", "fr"));
    let mut unmet = 0;
    for user in users {
        let ours = served(&snapshot, "x", &user).map(|(id, _)| id);
        unmet += usize::from(ours.as_deref() == Some("a"));
        assert_eq!(served_by_sdk(&snapshot, "x", &user).as_deref(), Some("a"));
    }
    assert!(
        unmet > 0,
        "nobody falls under the half that does not meet it"
    );
}

#[test]
fn a_needed_flag_whose_segment_sdks_take_otherwise_is_not_written_out() {
    let staff = |op: &str, stamp: i64| {
        let condition = json!({"property": "version", "op": op, "value": "2.0.0"});
        let over = json!({"rules": [{"conditions": [condition]}], "updatedAt": stamp});
        build::segment("staff", over)
    };
    let flags = vec![
        needing("x", &[("y", "a")], json!({"updatedAt": 1})),
        flag(
            "y",
            json!({"rules": [rule(build::in_segment("staff"), "b")], "updatedAt": 2}),
        ),
    ];
    let snapshot = Snapshot::build(flags, vec![staff("Equal", 3)]);
    assert!(codes(&snapshot, "x").is_empty());
    assert_eq!(snapshot.flag("x").unwrap().stamp_of_needs().unwrap().0, 3);
    let (next, affected) = snapshot.apply(vec![], vec![staff("SemverEqual", 4)]);
    assert_eq!(codes(&next, "x"), ["prerequisiteUnknownToSdks"]);
    assert!(!next.flag("x").unwrap().for_sdks().flag().is_enabled);
    // So it is sent anew, to whom it was sent before, too.
    let x = next.flags().iter().position(|it| it.flag().key == "x");
    let mut touched = affected.flags.iter();
    let cause = touched.find(|it| Some(it.index) == x).map(|it| it.cause);
    assert_eq!(cause, Some(Cause::Prerequisite));
    assert_eq!(next.flag("x").unwrap().stamp_of_needs().unwrap().0, 4);
}

#[test]
fn a_segment_that_changes_with_a_needed_flag_does_not_hide_that() {
    let over = json!({"rules": [rule(build::in_segment("staff"), "b")]});
    let flags = vec![needing("x", &[("y", "a")], over), flag("y", json!({}))];
    let staff = |key: &str| build::segment("staff", json!({"included": [key]}));
    let snapshot = Snapshot::build(flags, vec![staff("ana")]);
    let closed = flag("y", json!({"isEnabled": false}));
    let (next, affected) = snapshot.apply(vec![closed], vec![staff("bo")]);
    let causes: Vec<Cause> = affected.flags.iter().map(|it| it.cause).collect();
    assert_eq!(causes, [Cause::Prerequisite, Cause::Edited]);
    assert!(!next.flag("x").unwrap().for_sdks().flag().is_enabled);
}

#[test]
fn what_would_be_large_is_off_for_sdks() {
    let many: Vec<String> = (0..2_000).map(|n| format!("u{n}")).collect();
    let needed = json!({"targetUsers": [{"keyIds": many, "variationId": "b"}]});
    let flags = vec![
        needing("x", &[("needed", "b")], json!({})),
        flag("needed", needed),
    ];
    let snapshot = Snapshot::build(flags, vec![]);
    assert_eq!(codes(&snapshot, "x"), ["prerequisiteUnknownToSdks"]);
    let sent = snapshot.flag("x").unwrap().for_sdks().flag();
    assert!(!sent.is_enabled && sent.rules.is_empty());
    // One that everybody meets is sent as it is, however large.
    let flags = vec![
        needing(
            "x",
            &[("needed", "a")],
            json!({"targetUsers": [{"keyIds": many, "variationId": "a"}]}),
        ),
        flag("needed", json!({})),
    ];
    let snapshot = Snapshot::build(flags, vec![]);
    assert!(codes(&snapshot, "x").is_empty());
    assert_eq!(
        snapshot
            .flag("x")
            .unwrap()
            .for_sdks()
            .flag()
            .target_users
            .len(),
        1
    );
}
