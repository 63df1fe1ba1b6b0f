//! What is refused: where, by which code, in which words.

use burgee_domain::Rejected;
use burgee_domain::change;
use burgee_domain::command;
use serde_json::{Value, json};

use crate::kit::{NOW, on, people, ready};

/// Refuses one command as a request would.
fn refused(command: Value) -> Rejected {
    let mut count = 0;
    let mut new_id = || {
        count += 1;
        format!("made-{count}")
    };
    let result = command::parse(vec![command.clone()], None)
        .and_then(|commands| change::apply(&ready(), &commands, NOW, &mut new_id));
    match result {
        Err(rejected) => rejected,
        Ok(outcome) => panic!("{command} gave {outcome:?}"),
    }
}

/// Rows of command, pointer, code, and a piece of the message.
fn check(rows: Vec<(Value, &str, &str, &str)>) {
    for (command, pointer, code, words) in rows {
        let name = command.to_string().chars().take(300).collect::<String>();
        let rejected = refused(command);
        assert_eq!(rejected.pointer, pointer, "{name}: {rejected}");
        assert_eq!(rejected.code, code, "{name}: {rejected}");
        assert!(rejected.message.contains(words), "{name}: {rejected}");
    }
}

fn create(fields: Value) -> Value {
    on(
        "new",
        "createFlag",
        crate::kit::with(json!({"type": "boolean"}), fields),
    )
}

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
fn what_is_no_command() {
    check(vec![
        (json!("turnOn"), "", "commandInvalid", "JSON object"),
        (json!({}), "/kind", "kindMissing", "'kind'"),
        (
            json!({"kind": "toggle"}),
            "/kind",
            "kindUnknown",
            "'toggle'",
        ),
        (
            json!({"kind": "TurnOn"}),
            "/kind",
            "kindUnknown",
            "'TurnOn'",
        ),
        (
            json!({"kind": "importFlag", "project": "web", "environment": "prod", "flag": "x",
            "source": {"id": "", "key": "x", "variationType": "string"}}),
            "/kind",
            "kindUnknown",
            "'importFlag'",
        ),
        (
            on("text", "turnOn", json!({"really": true})),
            "/really",
            "fieldInvalid",
            "unknown field",
        ),
        (
            json!({"kind": "turnOn", "project": "web", "flag": "text"}),
            "",
            "fieldInvalid",
            "`environment`",
        ),
        (
            on(
                "text",
                "setTargets",
                json!({"variation": "a", "keys": ["x", 7]}),
            ),
            "/keys/1",
            "fieldInvalid",
            "expected a string",
        ),
        (
            on(
                "text",
                "setVariations",
                json!({"variations": [{"value": null}]}),
            ),
            "/variations/0/value",
            "fieldInvalid",
            "null",
        ),
        (
            on(
                "text",
                "addRule",
                json!({"rule": {"conditions": [{"property": "x", "opp": "y"}]}}),
            ),
            "/rule/conditions/0/opp",
            "fieldInvalid",
            "unknown field",
        ),
    ]);
}

#[test]
fn what_is_not_there() {
    let elsewhere = |fields: Value| crate::kit::with(on("text", "turnOn", json!({})), fields);
    check(vec![
        (
            elsewhere(json!({"project": "nope"})),
            "/project",
            "projectNotFound",
            "'nope'",
        ),
        (
            elsewhere(json!({"environment": "nope"})),
            "/environment",
            "environmentNotFound",
            "'nope'",
        ),
        (
            elsewhere(json!({"flag": "nope"})),
            "/flag",
            "flagNotFound",
            "'nope'",
        ),
        (
            people("renameSegment", json!({"segment": "in-dev", "name": "x"})),
            "/segment",
            "segmentNotFound",
            "'in-dev'",
        ),
        (
            json!({"kind": "archiveSegment", "environment": "prod", "segment": "x"}),
            "/project",
            "projectMissing",
            "needs the project",
        ),
    ]);
}

#[test]
fn flags() {
    let long = "k".repeat(129);
    let values = |values: Value| create(json!({"type": "string", "variations": values}));
    check(vec![
        (
            on("no key", "createFlag", json!({"type": "json"})),
            "/flag",
            "keyInvalid",
            "letters, digits",
        ),
        (
            on(&long, "createFlag", json!({"type": "json"})),
            "/flag",
            "keyInvalid",
            "at most 128",
        ),
        (
            on("TEXT", "createFlag", json!({"type": "string"})),
            "/variations",
            "variationsEmpty",
            "at least one",
        ),
        (
            on("BOOL", "createFlag", json!({"type": "boolean"})),
            "/flag",
            "flagExists",
            "'bool'",
        ),
        (
            on("old", "createFlag", json!({"type": "boolean"})),
            "/flag",
            "flagExists",
            "archived",
        ),
        (
            create(json!({"id": "id-of-text"})),
            "/id",
            "duplicateId",
            "id-of-text",
        ),
        (create(json!({"id": " "})), "/id", "idInvalid", "UUID"),
        (
            create(json!({"id": "x".repeat(129)})),
            "/id",
            "idTooLong",
            "128",
        ),
        (
            create(json!({"name": "x".repeat(257)})),
            "/name",
            "textTooLong",
            "at most 256",
        ),
        (
            create(json!({"name": "a\u{0}b"})),
            "/name",
            "nulCharacter",
            "U+0000",
        ),
        (
            create(json!({"description": "x".repeat(2001)})),
            "/description",
            "textTooLong",
            "2000",
        ),
        (
            create(json!({"tags": ["a", " "]})),
            "/tags/1",
            "tagEmpty",
            "empty",
        ),
        (
            create(json!({"tags": ["x".repeat(65)]})),
            "/tags/0",
            "textTooLong",
            "64",
        ),
        (
            create(json!({"tags": (0..51).map(|n| n.to_string()).collect::<Vec<_>>()})),
            "/tags",
            "tooManyTags",
            "the limit is 50",
        ),
        (
            create(json!({"onVariation": "x"})),
            "/onVariation",
            "variationUnknown",
            "'x'",
        ),
        (
            create(json!({"offVariation": "x"})),
            "/offVariation",
            "variationUnknown",
            "'x'",
        ),
        (
            create(json!({"variations": [{"value": "yes"}]})),
            "/variations/0/value",
            "valueType",
            "true nor false",
        ),
        (
            values(json!([])),
            "/variations",
            "variationsEmpty",
            "at least one",
        ),
        (
            values(json!([{"id": "x", "value": "1"}, {"id": "x", "value": "2"}])),
            "/variations/1/id",
            "duplicateId",
            "'x'",
        ),
        (
            values(json!([{"value": "x".repeat(65537)}])),
            "/variations/0/value",
            "valueTooLong",
            "65536",
        ),
        (
            values(json!([{"value": "\u{0}"}])),
            "/variations/0/value",
            "nulCharacter",
            "U+0000",
        ),
        (
            values(json!(vec![json!({"value": "x"}); 101])),
            "/variations",
            "tooManyVariations",
            "100",
        ),
        (
            on(
                "number",
                "updateVariation",
                json!({"variation": "n", "value": "1,000"}),
            ),
            "/value",
            "valueType",
            "number",
        ),
        (
            on(
                "json",
                "updateVariation",
                json!({"variation": "j", "value": "{"}),
            ),
            "/value",
            "valueType",
            "JSON",
        ),
        (
            on(
                "text",
                "updateVariation",
                json!({"variation": "x", "value": "1"}),
            ),
            "/variation",
            "variationUnknown",
            "'x'",
        ),
        (
            on("text", "renameFlag", json!({"name": "  "})),
            "/name",
            "nameEmpty",
            "must not be empty",
        ),
        (
            on(
                "text",
                "setVariations",
                json!({"variations": [{"id": "b", "value": "B"}]}),
            ),
            "/variations",
            "variationInUse",
            "'A' cannot be removed, it is used by the default rule in prod",
        ),
        (
            on("text", "deleteFlag", json!({})),
            "/flag",
            "flagNotArchived",
            "archive it first",
        ),
        (
            on("old", "turnOn", json!({})),
            "/flag",
            "flagArchived",
            "restore it first",
        ),
        (
            on(
                "old",
                "setVariations",
                json!({"variations": [{"value": "true"}]}),
            ),
            "/flag",
            "flagArchived",
            "restore it first",
        ),
    ]);
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

#[test]
fn users() {
    let keys = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>();
    check(vec![
        (
            on("text", "setTargets", json!({"variation": "x", "keys": []})),
            "/variation",
            "variationUnknown",
            "'x'",
        ),
        (
            on(
                "text",
                "addTargets",
                json!({"variation": "a", "keys": ["ann", " "]}),
            ),
            "/keys/1",
            "userKeyEmpty",
            "blank",
        ),
        (
            on(
                "text",
                "addTargets",
                json!({"variation": "a", "keys": ["x".repeat(513)]}),
            ),
            "/keys/0",
            "userKeyTooLong",
            "512",
        ),
        (
            on(
                "text",
                "addTargets",
                json!({"variation": "a", "keys": ["\u{0}x"]}),
            ),
            "/keys/0",
            "nulCharacter",
            "U+0000",
        ),
        (
            on(
                "text",
                "setTargets",
                json!({"variation": "a", "keys": keys(100_001)}),
            ),
            "/keys",
            "tooManyUsers",
            "the limit is 100000",
        ),
        (
            people("setIncluded", json!({"keys": keys(1_000_001)})),
            "/keys",
            "tooManyUsers",
            "1000000",
        ),
    ]);
}

#[test]
fn segments() {
    let create = |key: &str, fields: Value| {
        crate::kit::with(people("createSegment", json!({"segment": key})), fields)
    };
    check(vec![
        (
            create("a b", json!({})),
            "/segment",
            "keyInvalid",
            "letters, digits",
        ),
        (
            create("IN-PROD", json!({})),
            "/segment",
            "segmentExists",
            "'in-prod'",
        ),
        (
            create("new", json!({"id": "in-dev"})),
            "/id",
            "duplicateId",
            "in-dev",
        ),
        (
            create("new", json!({"excluded": [""]})),
            "/excluded/0",
            "userKeyEmpty",
            "blank",
        ),
        (
            people("deleteSegment", json!({})),
            "/segment",
            "segmentNotArchived",
            "archive it first",
        ),
    ]);
}

#[test]
fn one_bad_command_refuses_the_set() {
    let list = json!([
        on("text", "turnOff", json!({})),
        on("text", "renameFlag", json!({"name": "New"})),
        on("text", "setOffVariation", json!({"variation": "x"})),
        on("nope", "turnOn", json!({})),
    ]);
    let rejected = crate::kit::apply(&ready(), list).unwrap_err();
    assert_eq!(
        (rejected.command, rejected.pointer.as_str()),
        (2, "/variation")
    );
}

#[test]
fn a_set_has_at_most_500_commands() {
    let many = |count: usize| json!(vec![on("text", "turnOff", json!({})); count]);
    assert!(crate::kit::apply(&ready(), many(500)).is_ok());
    let rejected = crate::kit::apply(&ready(), many(501)).unwrap_err();
    assert_eq!(rejected.code, "tooManyCommands");
}

#[test]
fn an_item_has_at_most_8_mib() {
    let value = "x".repeat(65_536);
    let variations: Vec<Value> = (0..100)
        .map(|n| json!({"id": n.to_string(), "value": value}))
        .collect();
    let keys: Vec<String> = (0..50_000).map(|n| format!("{n:050}")).collect();
    let list = json!([
        on(
            "text",
            "setTargets",
            json!({"variation": "a", "keys": keys})
        ),
        on(
            "new",
            "createFlag",
            json!({"type": "string", "variations": variations})
        ),
        on("new", "setTargets", json!({"variation": "0", "keys": keys})),
    ]);
    let rejected = crate::kit::apply(&ready(), list).unwrap_err();
    assert_eq!(
        (rejected.command, rejected.code.as_str()),
        (2, "itemTooLarge")
    );
    assert!(rejected.message.contains("'new'"), "{rejected}");
}

#[test]
fn a_route_of_one_project_takes_commands_of_that_project_only() {
    let turn_on = json!({"kind": "turnOn", "environment": "prod", "flag": "text"});
    let read = |command: Value| command::parse(vec![command], Some("web"));
    assert_eq!(
        read(turn_on.clone()).unwrap(),
        crate::kit::commands(json!([on("text", "turnOn", json!({}))]))
    );
    assert!(read(crate::kit::with(turn_on.clone(), json!({"project": "WEB"}))).is_ok());
    for other in [json!("app"), json!(null), json!(7)] {
        let rejected =
            read(crate::kit::with(turn_on.clone(), json!({"project": other}))).unwrap_err();
        assert_eq!(rejected.code, "projectDiffers");
    }
}

#[test]
fn comments_have_a_limit_too() {
    assert_eq!(change::comment("  why \n").unwrap(), "why");
    let rejected = change::comment(&"x".repeat(2001)).unwrap_err();
    assert_eq!(
        (rejected.pointer.as_str(), rejected.code.as_str()),
        ("/comment", "textTooLong")
    );
    assert_eq!(change::comment("a\0").unwrap_err().code, "nulCharacter");
}
