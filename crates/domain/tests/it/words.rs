//! Differences in words.

use burgee_domain::diff::{self, DiffLine};
use serde_json::{Value, json};

use crate::kit::{after, apply, on, people, ready};

fn lines(list: Value) -> Vec<DiffLine> {
    let workspace = after(
        ready(),
        json!([
            on(
                "text",
                "addRule",
                json!({"rule": {"id": "r", "name": "Beta", "variation": "a",
                "conditions": [{"property": "age", "op": "BiggerThan", "value": "22"}]}})
            ),
            on(
                "text",
                "setTargets",
                json!({"variation": "a", "keys": ["ann"]})
            ),
        ]),
    );
    diff::lines(&workspace, &apply(&workspace, list).unwrap())
}

fn check(command: Value, code: &str, text: &str) {
    let lines = lines(json!([command]));
    let found: Vec<(&str, &str)> = lines
        .iter()
        .map(|line| (line.code.as_str(), line.text.as_str()))
        .collect();
    assert_eq!(found, [(code, text)]);
}

#[test]
fn targeting() {
    let text = |kind: &str, fields: Value| on("text", kind, fields);
    check(
        text("turnOff", json!({})),
        "turnedOff",
        "web/prod: text turned off",
    );
    check(
        text(
            "addTargets",
            json!({"variation": "a", "keys": ["1", "2", "3", "4", "5", "6", "7"]}),
        ),
        "targetsAdded",
        "web/prod: text individual targets added to ‘A’: 1, 2, 3, 4, 5 and 2 more",
    );
    check(
        text("setTargets", json!({"variation": "a", "keys": []})),
        "targetsRemoved",
        "web/prod: text individual targets removed from ‘A’: ann",
    );
    check(
        text(
            "updateRule",
            json!({"rule": {"id": "r", "dispatchKey": "country", "variations": [
            {"id": "b", "rollout": [0, 0.125]}, {"id": "c", "rollout": [0.125, 1]}],
            "conditions": [{"property": "name", "op": "EndsWith", "value": "_qa"}]}}),
        ),
        "ruleChanged",
        "web/prod: text rule ‘Beta’ changed: serves 12.5% ‘B’, 87.5% ‘C’ by country where name EndsWith ‘_qa’",
    );
    check(
        text("removeRule", json!({"rule": "r"})),
        "ruleRemoved",
        "web/prod: text rule ‘Beta’ removed",
    );
    check(
        text("setDefaultRule", json!({"variation": "b"})),
        "defaultRuleSet",
        "web/prod: text default rule now serves ‘B’",
    );
    check(
        text("setOffVariation", json!({"variation": "a"})),
        "offVariationSet",
        "web/prod: text serves ‘A’ while off",
    );
    check(
        text("setTracking", json!({"tracked": true})),
        "trackingStarted",
        "web/prod: text exposures kept",
    );
    let moved = lines(json!([text(
        "addRule",
        json!({"rule": {"id": "s", "name": "New", "variation": "b"}, "before": "r"})
    ),]));
    assert_eq!(
        moved[0].text,
        "web/prod: text rule ‘New’ added: serves ‘B’ where nothing is asked"
    );
}

#[test]
fn flags() {
    let text = |kind: &str, fields: Value| on("text", kind, fields);
    check(
        text("updateVariation", json!({"variation": "b", "value": "2"})),
        "variationChanged",
        "web: text variation ‘B’ changed from ‘B’ to ‘2’",
    );
    check(
        text("updateVariation", json!({"variation": "b", "name": "Bee"})),
        "variationNamed",
        "web: text variation ‘B’ named ‘Bee’",
    );
    check(
        text("renameFlag", json!({"name": "N"})),
        "flagRenamed",
        "web: text renamed from ‘text’ to ‘N’",
    );
    check(
        text("setFlagTags", json!({"tags": ["x", "y"]})),
        "flagTagged",
        "web: text tagged with x, y",
    );
    check(
        text("archiveFlag", json!({})),
        "flagArchived",
        "web: text archived",
    );
    check(
        on("new", "createFlag", json!({"type": "boolean"})),
        "flagCreated",
        "web: new made, a boolean flag with the variations ‘true’, ‘false’",
    );
    let found = lines(json!([on("bool", "turnOn", json!({}))]));
    let texts: Vec<&str> = found.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(
        texts,
        ["web/prod: bool released", "web/prod: bool turned on"]
    );
    let found = lines(json!([text(
        "setVariations",
        json!({"variations": [
        {"id": "c", "value": "C"}, {"id": "a", "value": "A"}, {"id": "b", "value": "B"}]})
    )]));
    assert_eq!(found[0].code, "variationsReordered");
}

#[test]
fn segments() {
    check(
        people("addIncluded", json!({"keys": ["ann", "bob"]})),
        "membersAdded",
        "web/prod: segment in-prod included users added: ann, bob",
    );
    check(
        people(
            "setSegmentRules",
            json!({"rules": [
            {"conditions": [{"property": "x", "op": "Equal", "value": "y"}]},
            {"conditions": [{"property": "z", "op": "IsTrue"}, {"property": "x", "op": "IsFalse"}]}]}),
        ),
        "segmentRulesSet",
        "web/prod: segment in-prod rules now take in x Equal ‘y’; or z IsTrue ‘IsTrue’ and x IsFalse ‘IsFalse’",
    );
    check(
        json!({"kind": "renameSegment", "segment": "shared", "name": "All"}),
        "segmentRenamed",
        "segment shared renamed from ‘shared’ to ‘All’",
    );
}

#[test]
fn parameters_say_the_same_for_other_languages() {
    let found = lines(json!([on(
        "text",
        "addTargets",
        json!({"variation": "a", "keys": ["x", "y"]})
    )]));
    let params: Vec<(&str, &str)> = found[0]
        .params
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(
        params,
        [
            ("count", "2"),
            ("environment", "prod"),
            ("flag", "text"),
            ("project", "web"),
            ("users", "x, y"),
            ("variation", "‘A’")
        ]
    );
}

#[test]
fn long_values_are_cut() {
    let found = lines(json!([on(
        "text",
        "describeFlag",
        json!({"description": "x".repeat(100)})
    )]));
    assert_eq!(
        found[0].text,
        format!("web: text described as ‘{}…’", "x".repeat(60))
    );
}
