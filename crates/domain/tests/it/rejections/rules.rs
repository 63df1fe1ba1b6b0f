//! Rules, rollouts and conditions that are refused.

use serde_json::{Value, json};

use super::check;
use crate::kit::{on, people};

fn condition(condition: Value) -> Value {
    on(
        "text",
        "addRule",
        json!({"rule": {"variation": "a", "conditions": [condition]}}),
    )
}

fn op(op: &str, value: &str) -> Value {
    condition(json!({"property": "x", "op": op, "value": value}))
}

fn rollout(parts: Value) -> Value {
    on("text", "setDefaultRule", json!({"variations": parts}))
}

#[test]
fn rollouts() {
    check(vec![
        (
            on("text", "setDefaultRule", json!({})),
            "",
            "rolloutMissing",
            "'variations'",
        ),
        (
            on(
                "text",
                "setDefaultRule",
                json!({"variation": "a", "variations": []}),
            ),
            "",
            "rolloutMissing",
            "either",
        ),
        (
            on("text", "setDefaultRule", json!({"variation": "x"})),
            "/variation",
            "variationUnknown",
            "'x'",
        ),
        (
            on("text", "setOffVariation", json!({"variation": "x"})),
            "/variation",
            "variationUnknown",
            "'x'",
        ),
        (
            rollout(json!([])),
            "/variations",
            "rolloutGap",
            "first 0 of 1",
        ),
        (
            rollout(json!([{"id": "a", "rollout": [0, 0.5]}])),
            "/variations",
            "rolloutGap",
            "first 0.5 of 1",
        ),
        (
            rollout(json!([{"id": "a", "rollout": [0, 0]}])),
            "/variations",
            "rolloutGap",
            "first 0 of 1",
        ),
        (
            rollout(json!([{"id": "x", "rollout": [0, 1]}])),
            "/variations/0/id",
            "variationUnknown",
            "'x'",
        ),
        (
            rollout(json!([{"id": "a", "rollout": [0, 0.4]}, {"id": "b", "rollout": [0.5, 1]}])),
            "/variations/1/rollout",
            "rolloutGap",
            "between 0.4 and 0.5",
        ),
        (
            rollout(json!([{"id": "a", "rollout": [0, 0.6]}, {"id": "b", "rollout": [0.5, 1]}])),
            "/variations/1/rollout",
            "rolloutOverlap",
            "begins at 0.5",
        ),
        (
            rollout(json!([{"id": "a", "rollout": [0, 1]}, {"id": "b", "rollout": [0.5, 1]}])),
            "/variations/1/rollout",
            "rolloutOverlap",
            "reaches 1",
        ),
        (
            rollout(json!([{"id": "a", "rollout": [0, 1.5]}])),
            "/variations/0/rollout",
            "rolloutBounds",
            "1.5",
        ),
        (
            rollout(json!([{"id": "a", "rollout": [-0.1, 1]}])),
            "/variations/0/rollout",
            "rolloutBounds",
            "-0.1",
        ),
        (
            rollout(json!([{"id": "a", "rollout": [1, 0]}])),
            "/variations/0/rollout",
            "rolloutEmptyPart",
            "[0, 0]",
        ),
        (
            rollout(
                json!([{"id": "a", "rollout": [0, 0.5]}, {"id": "b", "rollout": [0.5, 0.5]},
            {"id": "c", "rollout": [0.5, 1]}]),
            ),
            "/variations/1/rollout",
            "rolloutEmptyPart",
            "[0, 0]",
        ),
        (
            rollout(json!([{"id": "a", "rollout": [0, 1], "exptRollout": 1.1}])),
            "/variations/0/exptRollout",
            "exptRolloutBounds",
            "1.1",
        ),
        (
            rollout(json!(vec![json!({"id": "a", "rollout": [0, 0]}); 201])),
            "/variations",
            "tooManyParts",
            "200",
        ),
    ]);
}

#[test]
fn conditions() {
    let at = "/rule/conditions/0/value";
    let segment =
        |value: &str| condition(json!({"property": "User is in segment", "value": value}));
    check(vec![
        (
            condition(json!({"property": " ", "op": "Equal", "value": ""})),
            "/rule/conditions/0/property",
            "propertyEmpty",
            "names a property",
        ),
        (
            condition(json!({"property": "x".repeat(257), "op": "Equal", "value": ""})),
            "/rule/conditions/0/property",
            "textTooLong",
            "256",
        ),
        (
            condition(json!({"property": "x", "value": ""})),
            "/rule/conditions/0/op",
            "unknownOperator",
            "operator",
        ),
        (
            op("equal", "x"),
            "/rule/conditions/0/op",
            "unknownOperator",
            "equal",
        ),
        (
            condition(json!({"property": "x", "op": "Equal"})),
            at,
            "valueMissing",
            "text",
        ),
        (
            condition(json!({"property": "x", "op": "Equal", "value": null})),
            at,
            "valueMissing",
            "text",
        ),
        (op("Equal", "a\u{0}"), at, "nulCharacter", "U+0000"),
        (op("Equal", &"x".repeat(65537)), at, "valueTooLong", "65536"),
        (op("LessThan", "many"), at, "notANumber", "number"),
        (op("MatchRegex", "("), at, "notAPattern", ""),
        (op("NotMatchRegex", "(?<=x)y"), at, "notAPattern", ""),
        (op("IsOneOf", "a,b"), at, "notAList", ""),
        (op("NotOneOf", "[1]"), at, "notAList", ""),
        (op("IsOneOf", "null"), at, "notAList", ""),
        (op("SemverLessThan", "1.x"), at, "notAVersion", ""),
        (op("Before", "tomorrow"), at, "notADate", ""),
        (op("InCidr", "[\"10.0.0.0/99\"]"), at, "notANetwork", ""),
        (segment("in-prod"), at, "notAList", ""),
        (segment("[]"), at, "listEmpty", "no segment"),
        (segment("[\"nope\"]"), at, "segmentUnknown", "'nope'"),
        (
            segment("[\"in-prod\",\"in-dev\"]"),
            at,
            "segmentUnknown",
            "'in-dev'",
        ),
        (segment("[\"in-app\"]"), at, "segmentUnknown", "'in-app'"),
        (
            condition(
                json!({"property": "User is not in segment", "op": "Equal", "value": "[\"in-prod\"]"}),
            ),
            "/rule/conditions/0/op",
            "operatorUnexpected",
            "no operator",
        ),
        (
            people(
                "setSegmentRules",
                json!({"rules": [{"conditions": [
            {"property": "User is in segment", "value": "[\"shared\"]"}]}]}),
            ),
            "/rules/0/conditions/0/property",
            "segmentInSegment",
            "cannot refer to segments",
        ),
        (
            people(
                "setSegmentRules",
                json!({"rules": [{"conditions": [
            {"property": "x", "op": "MatchRegex", "value": "["}]}]}),
            ),
            "/rules/0/conditions/0/value",
            "notAPattern",
            "",
        ),
    ]);
}

#[test]
fn rules() {
    let rule = |id: &str| json!({"id": id, "variation": "a"});
    check(vec![
        (
            on(
                "text",
                "setRules",
                json!({"rules": [rule("r"), rule("s"), rule("r")]}),
            ),
            "/rules/2/id",
            "duplicateId",
            "'r'",
        ),
        (
            on(
                "text",
                "setRules",
                json!({"rules": vec![json!({"variation": "a"}); 201]}),
            ),
            "/rules",
            "tooManyRules",
            "200",
        ),
        (
            on(
                "text",
                "addRule",
                json!({"rule": {"variation": "a", "conditions":
            vec![json!({"property": "x", "op": "Equal", "value": ""}); 51]}}),
            ),
            "/rule/conditions",
            "tooManyConditions",
            "50",
        ),
        (
            on("text", "addRule", json!({"rule": rule("r"), "before": "x"})),
            "/before",
            "ruleUnknown",
            "'x'",
        ),
        (
            on("text", "addRule", json!({"rule": {"id": "r"}})),
            "/rule",
            "rolloutMissing",
            "either",
        ),
        (
            on("text", "updateRule", json!({"rule": {"variation": "a"}})),
            "/rule/id",
            "idMissing",
            "which one",
        ),
        (
            on("text", "updateRule", json!({"rule": rule("x")})),
            "/rule/id",
            "ruleUnknown",
            "'x'",
        ),
        (
            on("text", "moveRule", json!({"rule": "x"})),
            "/rule",
            "ruleUnknown",
            "'x'",
        ),
        (
            on(
                "text",
                "setRules",
                json!({"rules": [{"variation": "a", "name": "x".repeat(257)}]}),
            ),
            "/rules/0/name",
            "textTooLong",
            "256",
        ),
        (
            on(
                "text",
                "setRules",
                json!({"rules": [{"variation": "a", "dispatchKey": "x".repeat(257)}]}),
            ),
            "/rules/0/dispatchKey",
            "textTooLong",
            "256",
        ),
    ]);
}
