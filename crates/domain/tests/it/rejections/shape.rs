//! What no state could take: refused before a state is looked at.

use burgee_domain::{Rejected, change, command};
use serde_json::{Value, json};

use crate::kit::{on, people, with};

fn misshapen(commands: Vec<Value>) -> Rejected {
    let commands = command::parse(commands, None).unwrap();
    change::well_formed(&commands).unwrap_err()
}

fn rule(fields: Value) -> Value {
    let rule = with(json!({"variation": "a", "conditions": []}), fields);
    on("text", "addRule", json!({ "rule": rule }))
}

fn in_segments(ids: &[String]) -> Value {
    let condition = json!({"property": "User is in segment", "value": json!(ids).to_string()});
    rule(json!({"conditions": [condition]}))
}

fn ids(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("s{n}")).collect()
}

#[test]
fn limits_and_texts_need_no_state() {
    let condition = json!({"property": "x", "op": "Equal", "value": "y"});
    let regex = json!({"property": "x", "op": "MatchRegex", "value": "("});
    let long = "x".repeat(64 * 1024 + 1);
    let keys: Vec<String> = (0..100_001).map(|n| n.to_string()).collect();
    let part = json!({"id": "a", "rollout": [0, 0.5]});
    let rows = [
        (
            rule(json!({"conditions": vec![condition; 51]})),
            "/rule/conditions",
            "tooManyConditions",
        ),
        (
            rule(json!({"conditions": [regex]})),
            "/rule/conditions/0/value",
            "notAPattern",
        ),
        (
            in_segments(&ids(101)),
            "/rule/conditions/0/value",
            "tooManySegments",
        ),
        (
            in_segments(&["a\0".into()]),
            "/rule/conditions/0/value",
            "idInvalid",
        ),
        (
            on(
                "text",
                "setRules",
                json!({"rules": vec![json!({"variation": "a"}); 201]}),
            ),
            "/rules",
            "tooManyRules",
        ),
        (
            on("text", "updateRule", json!({"rule": {"variation": "a"}})),
            "/rule/id",
            "idMissing",
        ),
        (
            on("text", "setDefaultRule", json!({"variations": [part]})),
            "/variations",
            "rolloutGap",
        ),
        (
            on(
                "text",
                "updateVariation",
                json!({"variation": "a", "value": long}),
            ),
            "/value",
            "valueTooLong",
        ),
        (
            on(
                "text",
                "setVariations",
                json!({"variations": [{"value": long}]}),
            ),
            "/variations/0/value",
            "valueTooLong",
        ),
        (
            on(
                "text",
                "createFlag",
                json!({"type": "number", "variations": [{"value": "x"}]}),
            ),
            "/variations/0/value",
            "valueType",
        ),
        (
            on(
                "text",
                "setTargets",
                json!({"variation": "a", "keys": keys}),
            ),
            "/keys",
            "tooManyUsers",
        ),
        (
            on(
                "text",
                "removeTargets",
                json!({"variation": "a", "keys": keys}),
            ),
            "/keys",
            "tooManyUsers",
        ),
        (
            on(
                "text",
                "setFlagTags",
                json!({"tags": vec!["t"; 60].iter().enumerate().map(|(n, t)| format!("{t}{n}")).collect::<Vec<_>>()}),
            ),
            "/tags",
            "tooManyTags",
        ),
        (
            on("text", "renameFlag", json!({"name": ""})),
            "/name",
            "nameEmpty",
        ),
        (
            people("describeSegment", json!({"description": "x".repeat(2001)})),
            "/description",
            "textTooLong",
        ),
        (
            people(
                "setSegmentRules",
                json!({"rules": [{"conditions": [{"property": "User is in segment", "value": "[\"s\"]"}]}]}),
            ),
            "/rules/0/conditions/0/property",
            "segmentInSegment",
        ),
        (
            people("createSegment", json!({"included": [" "]})),
            "/included/0",
            "userKeyEmpty",
        ),
        (
            json!({"kind": "archiveSegment", "environment": "prod", "segment": "x"}),
            "/project",
            "projectMissing",
        ),
    ];
    for (command, pointer, code) in rows {
        let good = on("text", "turnOn", json!({}));
        let name: String = command.to_string().chars().take(200).collect();
        let rejected = misshapen(vec![good, command]);
        assert_eq!(rejected.command, 1, "{name}: {rejected}");
        assert_eq!(
            (rejected.pointer.as_str(), rejected.code.as_str()),
            (pointer, code),
            "{name}: {rejected}"
        );
    }
}

#[test]
fn the_nul_character_is_pointed_at_wherever_it_is() {
    let rows = [
        (on("a\0", "turnOn", json!({})), "/flag"),
        (
            on("text", "turnOn", json!({"environment": "\0"})),
            "/environment",
        ),
        (on("text", "removeRule", json!({"rule": "\0"})), "/rule"),
        (
            on("text", "moveRule", json!({"rule": "r", "before": "\0"})),
            "/before",
        ),
        (
            on(
                "text",
                "removeTargets",
                json!({"variation": "a", "keys": ["x", "\0"]}),
            ),
            "/keys/1",
        ),
        (
            on("text", "setOffVariation", json!({"variation": "\0"})),
            "/variation",
        ),
        (
            rule(json!({"conditions": [{"property": "x", "op": "Equal", "value": "\0"}]})),
            "/rule/conditions/0/value",
        ),
        (
            on(
                "new",
                "createFlag",
                json!({"type": "string", "name": "a\0b", "variations": [{"value": "x"}]}),
            ),
            "/name",
        ),
    ];
    for (command, pointer) in rows {
        let rejected = misshapen(vec![command.clone()]);
        assert_eq!(
            (rejected.pointer.as_str(), rejected.code.as_str()),
            (pointer, "nulCharacter"),
            "{command}"
        );
    }
}

#[test]
fn a_set_names_at_most_1000_segments() {
    let all = ids(1_001);
    let name = |ids: &[String]| ids.chunks(100).map(in_segments).collect::<Vec<_>>();
    let commands = command::parse(name(&all[..1_000]), None).unwrap();
    assert!(change::well_formed(&commands).is_ok());
    let rejected = misshapen(name(&all));
    assert_eq!(
        (rejected.command, rejected.code.as_str()),
        (10, "tooManySegments")
    );
}
