//! Every command: its JSON, its permission, and what it needs loaded.

use std::collections::BTreeSet;

use burgee_domain::command::{self, Command, SegmentRef, references};
use serde_json::{Value, json};

use crate::kit::{commands, on, people, with};

/// One command of each kind, with all its fields.
pub(crate) fn one_of_each() -> Vec<Value> {
    let rule = json!({"id": "r", "name": "R", "dispatchKey": "country", "includedInExpt": true,
        "conditions": [{"property": "User is in segment", "value": "[\"in-prod\"]"},
            {"property": "age", "op": "LessThan", "value": "7"}],
        "variations": [{"id": "a", "rollout": [0.0, 0.25], "exptRollout": 0.5},
            {"id": "b", "rollout": [0.25, 1.0]}]});
    let fixed = json!({"conditions": [], "variation": "a"});
    let segment_rule = json!({"id": "r", "name": "R",
        "conditions": [{"property": "age", "op": "LessThan", "value": "7"}]});
    let targets = json!({"variation": "a", "keys": ["ann", "bob"]});
    let keys = json!({"keys": ["ann", "bob"]});
    let parts = json!([{"id": "a", "rollout": [0.0, 1.0]}]);
    let flag = json!({"id": "x", "createdAt": "2023-01-16T02:56:19.531Z",
        "updatedAt": "2023-01-28T02:04:55.616Z", "envId": "e", "name": "X", "description": "",
        "key": "x", "variationType": "boolean", "variations": [{"id": "t", "value": "true"}],
        "targetUsers": [], "rules": [{"id": "r", "name": "", "dispatchKey": null,
            "includedInExpt": false, "variations": [], "conditions":
            [{"property": "User is in segment", "op": null, "value": "[\"s\"]"}]}],
        "isEnabled": true, "disabledVariationId": "t",
        "fallthrough": {"dispatchKey": null, "includedInExpt": false, "variations": []},
        "exptIncludeAllTargets": false, "tags": [], "isArchived": false});
    let segment = json!({"id": "s", "createdAt": "2023-01-16T02:56:19.531Z",
        "updatedAt": "2023-01-28T02:04:55.616Z", "envId": "e", "name": "S", "description": "",
        "included": [], "excluded": [], "rules": [], "isArchived": false});
    vec![
        on(
            "new",
            "createFlag",
            json!({"id": "i", "name": "N", "description": "D", "type": "string",
            "variations": [{"id": "v", "value": "1", "name": "One"}], "tags": ["t"],
            "onVariation": "v", "offVariation": "v"}),
        ),
        on("text", "renameFlag", json!({"name": "N"})),
        on("text", "describeFlag", json!({"description": "D"})),
        on("text", "setFlagTags", json!({"tags": ["t"]})),
        on(
            "text",
            "setVariations",
            json!({"variations": [{"id": "a", "value": "A"}, {"value": "C"}]}),
        ),
        on(
            "text",
            "updateVariation",
            json!({"variation": "a", "value": "1", "name": "One"}),
        ),
        on("text", "archiveFlag", json!({})),
        on("old", "restoreFlag", json!({})),
        on("old", "deleteFlag", json!({})),
        on("text", "turnOn", json!({})),
        on("text", "turnOff", json!({})),
        on("text", "setTargets", targets.clone()),
        on("text", "addTargets", targets.clone()),
        on("text", "removeTargets", targets),
        on("text", "setRules", json!({"rules": [rule, fixed]})),
        on("text", "addRule", json!({"rule": rule, "before": "s"})),
        on("text", "updateRule", json!({"rule": rule})),
        on("text", "removeRule", json!({"rule": "r"})),
        on("text", "moveRule", json!({"rule": "r", "before": "s"})),
        on(
            "text",
            "setDefaultRule",
            json!({"dispatchKey": "x", "includedInExpt": true, "variations": parts}),
        ),
        on("text", "setOffVariation", json!({"variation": "a"})),
        on(
            "text",
            "setPrerequisites",
            json!({"prerequisites": [{"flag": "bool", "variation": "t"}]}),
        ),
        on(
            "text",
            "setTracking",
            json!({"tracked": true, "exptIncludeAllTargets": true}),
        ),
        people(
            "createSegment",
            json!({"segment": "new", "id": "i", "name": "N", "description": "D",
            "tags": ["t"], "included": ["a"], "excluded": ["b"], "rules": [segment_rule]}),
        ),
        people("renameSegment", json!({"name": "N"})),
        people("describeSegment", json!({"description": "D"})),
        people("setSegmentTags", json!({"tags": ["t"]})),
        people("setIncluded", keys.clone()),
        people("addIncluded", keys.clone()),
        people("removeIncluded", keys.clone()),
        people("setExcluded", keys.clone()),
        people("addExcluded", keys.clone()),
        people("removeExcluded", keys),
        people("setSegmentRules", json!({"rules": [segment_rule]})),
        people("archiveSegment", json!({})),
        people("restoreSegment", json!({})),
        people("deleteSegment", json!({})),
        on("x", "importFlag", json!({"source": flag})),
        people("importSegment", json!({"source": segment})),
    ]
}

#[test]
fn every_command_is_the_same_after_a_trip_through_json() {
    let all = one_of_each();
    for value in &all {
        let command: Command = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&command).unwrap(), *value);
        let text = serde_json::to_string(&command).unwrap();
        assert_eq!(serde_json::from_str::<Command>(&text).unwrap(), command);
        if !value["kind"].as_str().unwrap().starts_with("import") {
            assert_eq!(
                command::parse(vec![value.clone()], None).unwrap(),
                [command]
            );
        }
    }
    let kinds: BTreeSet<&str> = all
        .iter()
        .map(|value| value["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds.len(), 39);
}

#[test]
fn every_kind_has_a_permission_of_its_own() {
    let all = commands(json!(one_of_each()));
    let permissions: BTreeSet<&str> = all.iter().map(Command::permission).collect();
    assert_eq!(permissions.len(), all.len());
    assert!(permissions.contains("flag.turnOn"));
    let named = |name: &&str| name.starts_with("flag.") || name.starts_with("segment.");
    assert!(permissions.iter().all(named), "{permissions:?}");
}

#[test]
fn what_is_needed_is_named_in_folded_keys() {
    let needs = |list: Value| references(&commands(list));
    let flag = needs(json!([with(
        on("Text", "turnOn", json!({})),
        json!({"project": "WEB"})
    )]));
    assert!(flag.projects.contains("web"));
    assert!(flag.flags.contains(&("web".into(), "text".into())));
    assert!(!flag.whole_organization);
    let conditions = json!([
        {"property": "User is in segment", "value": "[\"One\"]"},
        {"property": "User is not in segment", "value": "[\"two\",\"three\"]"},
        {"property": "x", "op": "IsOneOf", "value": "[\"four\"]"},
        {"property": "User is in segment", "value": "five"},
    ]);
    let rule = json!({"variation": "a", "conditions": conditions});
    for command in [
        on("text", "setRules", json!({"rules": [rule]})),
        on("text", "addRule", json!({"rule": rule})),
        on("text", "updateRule", json!({"rule": rule})),
    ] {
        let ids: Vec<String> = needs(json!([command])).segment_ids.into_iter().collect();
        assert_eq!(ids, ["One", "three", "two"], "ids are not folded");
    }
    let of = SegmentRef {
        project: Some("web".into()),
        environment: Some("prod".into()),
        segment: "in-prod".into(),
    };
    let renamed = needs(json!([people("renameSegment", json!({"name": "x"}))]));
    assert_eq!(renamed.segments, BTreeSet::from([of.clone()]));
    assert!(renamed.segment_uses.is_empty());
    for kind in ["archiveSegment", "deleteSegment"] {
        assert_eq!(
            needs(json!([people(kind, json!({}))])).segment_uses,
            BTreeSet::from([of.clone()])
        );
    }
    let shared = needs(json!([{"kind": "archiveSegment", "segment": "Shared"}]));
    assert!(shared.whole_organization);
    let created = needs(json!([people("createSegment", json!({"id": "i"}))]));
    assert!(created.segment_ids.contains("i"), "the id may be taken");
}
