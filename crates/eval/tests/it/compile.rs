//! What compiling finds, and what it makes of values that nobody should have written.

use std::sync::Arc;

use burgee_eval::compile::{self, Code, CompiledFlag, Segments, check_condition};
use burgee_eval::flag::{Condition, Flag, VariationType, parses_as};
use burgee_eval::operator::{self, OPERATORS};
use burgee_eval::outcome::{Outcome, Reason};
use burgee_eval::time::Millis;
use burgee_eval::user::User;
use serde_json::{Value, json};

use crate::build::{flag, in_segment, rule, segment, user};

fn compiled(over: Value) -> CompiledFlag {
    compile::flag(Arc::new(flag("flag", over)), &Segments::default())
}

fn found(flag: &CompiledFlag) -> Vec<(Code, &str)> {
    let warnings = flag.warnings().iter();
    warnings
        .map(|warning| (warning.code, warning.pointer.as_str()))
        .collect()
}

fn condition(op: &str, value: Option<&str>) -> Condition {
    Condition {
        property: "p".to_owned(),
        op: Some(op.to_owned()),
        value: value.map(str::to_owned),
    }
}

#[test]
fn outcomes_are_counted_up_once_each() {
    let flag = compiled(json!({
        "targetUsers": [{"keyIds": ["x"], "variationId": "a"}, {"keyIds": ["y"], "variationId": "a"}],
        "rules": [{"name": "r", "includedInExpt": true, "variations": [
            {"id": "a", "rollout": [0, 0.5], "exptRollout": 0.1},
            {"id": "a", "rollout": [0.5, 1], "exptRollout": 0.1},
        ]}],
    }));
    let outcome = |reason, send_to_experiment| Outcome {
        variation: 0,
        reason,
        send_to_experiment,
    };
    let expected = [
        outcome(Reason::Targeted, false),
        outcome(Reason::Rule(0), true),
        outcome(Reason::Rule(0), false),
        outcome(Reason::Default, false),
    ];
    assert_eq!(flag.outcomes(), expected);
    assert_eq!(flag.match_reason(Reason::Rule(0)), "r");
}

#[test]
fn a_flag_that_is_off_has_one_outcome() {
    let off = compiled(json!({"isEnabled": false}));
    let [only] = off.outcomes() else {
        panic!("{:?}", off.outcomes())
    };
    assert_eq!((only.variation, only.reason), (1, Reason::Disabled));
    let archived = compiled(json!({"isArchived": true}));
    assert!(archived.outcomes().is_empty());
}

#[test]
fn warnings_point_to_what_is_wrong() {
    let flag = compiled(json!({
        "disabledVariationId": "nope",
        "targetUsers": [{"keyIds": [], "variationId": "nope"}],
        "rules": [
            rule(json!([{"property": "p", "op": "Equal", "value": "x"},
                        {"property": "p", "op": "MatchRegex", "value": "("}]), "a"),
            rule(in_segment("gone"), "nope"),
            {"conditions": [{"property": "p", "op": "InCidr", "value": "10.0.0.0/8"}],
             "variations": [{"id": "a", "rollout": [0, 0.4]}, {"id": "b", "rollout": [0.5, 1]}]},
        ],
        "fallthrough": null,
    }));
    let expected = [
        (Code::UnknownVariation, "/disabledVariationId"),
        (Code::UnknownVariation, "/targetUsers/0/variationId"),
        (Code::NotAPattern, "/rules/0/conditions/1/value"),
        (Code::UnknownSegment, "/rules/1/conditions/0/value"),
        (Code::UnknownVariation, "/rules/1/variations/0/id"),
        (Code::UnknownToSdks, "/rules/2/conditions/0/op"),
        (Code::Uncovered, "/rules/2/variations"),
        (Code::Uncovered, "/fallthrough/variations"),
    ];
    assert_eq!(found(&flag), expected);
}

#[test]
fn every_operator_refuses_what_it_cannot_read() {
    let broken = [
        ("Foo", Some("x"), Code::UnknownOperator),
        ("equal", Some("x"), Code::UnknownOperator),
        ("Equal", None, Code::MissingValue),
        ("IsTrue", None, Code::MissingValue),
        ("LessThan", Some("1,000"), Code::NotANumber),
        ("LessThan", Some("NaN"), Code::NotANumber),
        ("NotMatchRegex", Some("(?=x)"), Code::NotAPattern),
        ("MatchRegex", Some(r"(\w{1000}){1000}"), Code::NotAPattern),
        ("NotOneOf", Some("a,b"), Code::NotAList),
        ("IsOneOf", Some("[1]"), Code::NotAList),
        ("SemverEqual", Some("latest"), Code::NotAVersion),
        ("Before", Some("2026-02-30"), Code::NotADate),
        (
            "NotInCidr",
            Some("[\"10.0.0.0/8\",\"\"]"),
            Code::NotANetwork,
        ),
    ];
    for (op, value, code) in broken {
        let warning = check_condition(&condition(op, value)).unwrap_err();
        assert_eq!(warning.code, code, "{op} {value:?}");
    }
    let nested = Condition {
        value: Some("s".to_owned()),
        property: "User is not in segment".to_owned(),
        op: None,
    };
    assert_eq!(check_condition(&nested).unwrap_err().code, Code::NotAList);
}

#[test]
fn every_operator_accepts_a_value_of_its_kind() {
    for operator in &OPERATORS {
        let ok = ["1", "[\"1\"]", "::1"]
            .iter()
            .any(|value| check_condition(&condition(operator.name, Some(value))).is_ok());
        assert!(ok, "{}", operator.name);
        assert!(std::ptr::eq(
            operator::find(operator.name).unwrap(),
            operator
        ));
    }
    assert_eq!(
        OPERATORS
            .iter()
            .filter(|operator| operator.sdks_know)
            .count(),
        16
    );
}

#[test]
fn one_flag_cannot_spend_all_memory_on_patterns() {
    let large = json!([{"property": "p", "op": "MatchRegex", "value": r"^\w{1,100}$"}]);
    let mut rules = vec![rule(large, "b"); 20];
    rules.push(rule(
        json!([{"property": "p", "op": "Equal", "value": "x y"}]),
        "b",
    ));
    let flag = compiled(json!({"rules": rules}));
    let refused = flag
        .warnings()
        .iter()
        .filter(|warning| warning.code == Code::NotAPattern);
    assert!((16..20).contains(&refused.count()));
    let served = |value| {
        flag.outcome(flag.evaluate(&user("u", "p", value)).unwrap())
            .unwrap()
    };
    assert_eq!(served("abc").reason, Reason::Rule(0));
    assert_eq!(
        served("x y").reason,
        Reason::Rule(20),
        "the rest of the flag is as it was"
    );
    assert_eq!(served("-").reason, Reason::Default);
}

#[test]
fn patterns_that_would_stop_everything_are_refused() {
    let accepted = |pattern: &str| check_condition(&condition("MatchRegex", Some(pattern))).is_ok();
    for hard in [
        "(?-u:[a-z0-9 ]{1,1000}){20}!",
        "(?-u:[a-z0-9 ]{1,1000}){2}!",
        "(.*a.{0,500}){3}!",
        "(?i)([a-z ]*[a-z]{1,50}){20}!",
        "((a{1,20}){1,20}){1,20}",
        "((x?){2000}){2000}",
        "(ab){1,4000000000}",
        &format!("({}){{1,20}}", "a".repeat(100)),
    ] {
        assert!(!accepted(hard), "{hard}");
    }
    let many: Vec<_> = (0..400)
        .map(|n| format!("person{n}@example\\.com"))
        .collect();
    for ordinary in [
        r"^[\w.+-]+@example\.(com|org)$",
        r"^[\w.]{1,64}@[\w.]{1,64}\.\w{2,20}$",
        r"(?i)^[a-z0-9._%+-]{1,64}@[a-z0-9.-]{1,255}\.[a-z]{2,63}$",
        r"^[\p{L} .'-]{2,100}$",
        r"^\d{1,3}(\.\d{1,3}){3}$",
        "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        r"(?i)^(alice|bob|carol)@.*\.example\.com$",
        &format!("^({})$", many.join("|")),
    ] {
        let checked = check_condition(&condition("MatchRegex", Some(ordinary)));
        assert_eq!(checked, Ok(()), "{:.60}", ordinary);
    }
}

#[test]
fn one_flag_cannot_spend_all_time_on_patterns() {
    let hard = json!([{"property": "p", "op": "MatchRegex", "value": "[a-z]{1,900}!"}]);
    let flag = compiled(json!({"rules": vec![rule(hard, "b"); 50]}));
    let refused = flag
        .warnings()
        .iter()
        .filter(|warning| warning.code == Code::NotAPattern);
    assert!((45..50).contains(&refused.count()));
}

#[test]
fn the_timestamp_is_the_latest_of_all_that_decides() {
    let stamped = |id: &str, stamp: i64, archived: bool| {
        let over = json!({"updatedAt": stamp, "isArchived": archived});
        Arc::new(compile::segment(Arc::new(segment(id, over))))
    };
    let segments: Segments = [stamped("old", 5, false), stamped("archived", 30, true)]
        .into_iter()
        .collect();
    let stamp = |ids: &[&str]| {
        let rules: Vec<Value> = ids.iter().map(|id| rule(in_segment(id), "a")).collect();
        let flag = flag("flag", json!({"updatedAt": 10, "rules": rules}));
        compile::flag(Arc::new(flag), &segments).timestamp()
    };
    assert_eq!(stamp(&[]), Millis(10));
    assert_eq!(stamp(&["old", "missing"]), Millis(10));
    assert_eq!(stamp(&["old", "archived"]), Millis(30));
}

#[test]
fn a_hundred_thousand_targets_are_found() {
    let keys = |prefix: &str| {
        (0..50_000)
            .map(|n| format!("{prefix}{n}"))
            .collect::<Vec<_>>()
    };
    let flag = compiled(json!({"targetUsers": [
        {"keyIds": keys("x"), "variationId": "a"},
        {"keyIds": keys("y"), "variationId": "b"},
    ]}));
    let served = |key: &str| {
        let user = User {
            key: key.into(),
            ..User::default()
        };
        let outcome = flag.outcome(flag.evaluate(&user).unwrap()).unwrap();
        (outcome.variation, outcome.reason)
    };
    for n in [0, 1, 25_000, 49_999] {
        assert_eq!(served(&format!("x{n}")), (0, Reason::Targeted));
        assert_eq!(served(&format!("y{n}")), (1, Reason::Targeted));
    }
    assert_eq!(served("x50000"), (0, Reason::Default));
    assert_eq!(served(""), (0, Reason::Default));
}

#[test]
fn values_are_of_their_type() {
    use VariationType::{Boolean, Json, Number, String};
    let good = [
        (Boolean, "true"),
        (Boolean, "false"),
        (String, ""),
        (Number, "-1.5e3"),
        (Number, "0"),
        (Json, "{}"),
        (Json, " [1] "),
        (Json, "null"),
        (Json, "\"x\""),
    ];
    for (kind, text) in good {
        assert_eq!(parses_as(kind, text), Ok(()), "{kind:?} {text:?}");
    }
    let bad = [
        (Boolean, "True"),
        (Boolean, "1"),
        (Boolean, ""),
        (Number, ""),
        (Number, "1e999"),
        (Number, " 1"),
        (Number, "1 "),
        (Number, "0x1"),
        (Number, "\"1\""),
        (Number, "NaN"),
        (Number, ".5"),
        (Number, "01"),
        (Json, ""),
        (Json, "{"),
        (Json, "NaN"),
    ];
    for (kind, text) in bad {
        assert!(parses_as(kind, text).is_err(), "{kind:?} {text:?}");
    }
}

#[test]
fn moments_are_read_as_they_come_and_written_with_three_digits() {
    let read = |text: &str| serde_json::from_str::<Millis>(text).ok();
    assert_eq!(
        read("\"2023-01-16T04:01:56.6349Z\""),
        Some(Millis(1_673_841_716_634))
    );
    assert_eq!(
        read("\"2023-01-16T04:01:56.63\""),
        Some(Millis(1_673_841_716_630))
    );
    assert_eq!(
        read("\"2023-01-16T05:01:56.63+01:00\""),
        Some(Millis(1_673_841_716_630))
    );
    assert_eq!(read("null"), Some(Millis(0)));
    assert_eq!(read("1673841716630"), Some(Millis(1_673_841_716_630)));
    assert_eq!(read("\"soon\""), None);
    let written = serde_json::to_string(&Millis(1_673_841_716_630)).unwrap();
    assert_eq!(written, "\"2023-01-16T04:01:56.630Z\"");
    assert_eq!(Millis(i64::MAX).to_string(), "1970-01-01T00:00:00.000Z");
}

#[test]
fn a_flag_is_written_with_every_field_that_sdks_index() {
    let flag: Flag = flag("flag", json!({}));
    let written = serde_json::to_value(&flag).unwrap();
    let fields = [
        "id",
        "createdAt",
        "updatedAt",
        "envId",
        "name",
        "description",
        "key",
        "variationType",
        "variations",
        "targetUsers",
        "rules",
        "isEnabled",
        "disabledVariationId",
        "fallthrough",
        "exptIncludeAllTargets",
        "tags",
        "isArchived",
    ];
    for field in fields {
        assert!(written.get(field).is_some(), "{field}");
    }
}
