//! Targeting: who gets what in one environment.

use burgee_domain::outcome::{Facet, Item, Outcome};
use burgee_domain::workspace::Workspace;
use serde_json::{Value, json};

use crate::kit::{after, apply, empty, on, people, ready, step, targeting};

fn facets(outcome: &Outcome) -> Vec<Facet> {
    step(outcome, "web-prod").entries[0].facets.clone()
}

fn rule(id: &str, variation: &str) -> Value {
    json!({"id": id, "name": id, "variation": variation,
        "conditions": [{"property": "x", "op": "Equal", "value": id}]})
}

fn rule_ids(workspace: &Workspace) -> Vec<String> {
    targeting(workspace, "prod", "text")
        .rules
        .iter()
        .map(|rule| rule.id.clone())
        .collect()
}

#[test]
fn a_user_is_in_one_list_of_a_flag() {
    let set = |kind: &str, variation: &str, keys: &[&str]| {
        on("text", kind, json!({"variation": variation, "keys": keys}))
    };
    let workspace = after(
        ready(),
        json!([
            set("setTargets", "b", &["ann", "bob", "ann"]),
            set("addTargets", "a", &["cid"])
        ]),
    );
    let outcome = apply(&workspace, json!([set("addTargets", "a", &["bob"])])).unwrap();
    assert_eq!(
        facets(&outcome),
        [Facet::Targets("a".into()), Facet::Targets("b".into())]
    );
    let lists = |workspace: &Workspace| -> Vec<(String, Vec<String>)> {
        let targeting = targeting(workspace, "prod", "text");
        targeting
            .target_users
            .iter()
            .map(|it| (it.variation_id.clone(), it.key_ids.clone()))
            .collect()
    };
    let workspace = after(workspace, json!([set("addTargets", "a", &["bob"])]));
    let expected = [
        ("a".into(), vec!["cid".into(), "bob".into()]),
        ("b".into(), vec!["ann".into()]),
    ];
    assert_eq!(lists(&workspace), expected);
    let same = json!([
        set("setTargets", "a", &["bob", "cid"]),
        set("removeTargets", "a", &["zoe"])
    ]);
    assert_eq!(
        apply(&workspace, same).unwrap(),
        Default::default(),
        "the order says nothing"
    );
    let workspace = after(workspace, json!([set("removeTargets", "b", &["ann"])]));
    assert_eq!(lists(&workspace).len(), 1, "an empty list is none");
}

#[test]
fn rules_are_added_moved_changed_and_removed() {
    let add = |id: &str, before: Value| {
        let mut command = on("text", "addRule", json!({"rule": rule(id, "a")}));
        if before.is_string() {
            command["before"] = before;
        }
        command
    };
    let workspace = after(
        ready(),
        json!([
            add("1", json!(null)),
            add("2", json!(null)),
            add("0", json!("1"))
        ]),
    );
    assert_eq!(rule_ids(&workspace), ["0", "1", "2"]);
    let cases = [
        (
            on("text", "moveRule", json!({"rule": "2", "before": "0"})),
            vec!["2", "0", "1"],
            vec![Facet::RuleOrder],
        ),
        (
            on("text", "moveRule", json!({"rule": "0"})),
            vec!["1", "2", "0"],
            vec![Facet::RuleOrder],
        ),
        (
            on("text", "removeRule", json!({"rule": "1"})),
            vec!["0", "2"],
            vec![Facet::Rule("1".into())],
        ),
        (
            add("3", json!("0")),
            vec!["3", "0", "1", "2"],
            vec![Facet::Rule("3".into())],
        ),
        (
            on("text", "updateRule", json!({"rule": rule("1", "b")})),
            vec!["0", "1", "2"],
            vec![Facet::Rule("1".into())],
        ),
        (
            on(
                "text",
                "setRules",
                json!({"rules": [rule("2", "a"), rule("0", "a")]}),
            ),
            vec!["2", "0"],
            vec![Facet::Rule("1".into()), Facet::RuleOrder],
        ),
    ];
    for (command, ids, expected) in cases {
        let outcome = apply(&workspace, json!([command])).unwrap();
        assert_eq!(facets(&outcome), expected, "{command}");
        assert_eq!(
            rule_ids(&after(workspace.clone(), json!([command]))),
            ids,
            "{command}"
        );
    }
    let nothing = json!([
        add("1", json!(null)),
        on("text", "moveRule", json!({"rule": "1", "before": "2"})),
        on("text", "removeRule", json!({"rule": "9"})),
        on("text", "moveRule", json!({"rule": "1", "before": "1"})),
    ]);
    assert_eq!(apply(&workspace, nothing).unwrap(), Default::default());
}

#[test]
fn what_a_rule_leaves_out_is_filled_in() {
    let list = json!([on(
        "text",
        "setRules",
        json!({"rules": [
            {"variation": "b", "conditions": [{"property": "vip", "op": "IsTrue"}]},
            {"id": "r", "name": "Named", "dispatchKey": " ", "variations": [
                {"id": "a", "rollout": [0, 0.3333333333]}, {"id": "c", "rollout": [0, 0]},
                {"id": "b", "rollout": [0.33333333333, 0.99999999999], "exptRollout": 0.5}]},
        ]})
    )]);
    let workspace = after(ready(), list);
    let rules = &targeting(&workspace, "prod", "text").rules;
    assert_eq!(rules[0].name, "Rule 1");
    assert_eq!(rules[0].conditions[0].value.as_deref(), Some("IsTrue"));
    assert_eq!(rules[0].variations[0].rollout, [0.0, 1.0]);
    assert!(!rules[0].included_in_expt);
    assert_eq!(rules[1].dispatch_key, None);
    let bounds: Vec<[f64; 2]> = rules[1]
        .variations
        .iter()
        .map(|part| part.rollout)
        .collect();
    assert_eq!(bounds[0], [0.0, 0.3333333333]);
    assert_eq!(bounds[1], [0.0, 0.0]);
    assert_eq!(bounds[2], [0.3333333333, 1.0], "bounds meet exactly");
    let list = json!([on(
        "text",
        "updateRule",
        json!({"rule": {"id": "r", "variation": "a"}})
    )]);
    let workspace = after(workspace, list);
    assert_eq!(
        targeting(&workspace, "prod", "text").rules[1].name,
        "Named",
        "the name stays"
    );
}

#[test]
fn other_settings_have_facets_of_their_own() {
    let cases = [
        ("turnOff", json!({}), Facet::OnOff),
        (
            "setDefaultRule",
            json!({"variation": "b"}),
            Facet::DefaultRule,
        ),
        (
            "setDefaultRule",
            json!({"variation": "a", "includedInExpt": true}),
            Facet::DefaultRule,
        ),
        (
            "setOffVariation",
            json!({"variation": "a"}),
            Facet::OffVariation,
        ),
        ("setTracking", json!({"tracked": true}), Facet::Tracking),
        (
            "setTracking",
            json!({"exptIncludeAllTargets": true}),
            Facet::Tracking,
        ),
    ];
    for (kind, fields, facet) in cases {
        let outcome = apply(&ready(), json!([on("text", kind, fields)])).unwrap();
        assert_eq!(facets(&outcome), [facet]);
        assert_eq!(
            outcome.steps.len(),
            1,
            "no other environment and no definition"
        );
    }
    let nothing = json!([on("text", "setTracking", json!({}))]);
    assert_eq!(apply(&ready(), nothing).unwrap(), Default::default());
}

#[test]
fn every_targeting_command_releases_the_flag() {
    let commands = [
        ("turnOff", json!({})),
        ("setTargets", json!({"variation": "b", "keys": []})),
        ("setRules", json!({"rules": []})),
        ("removeRule", json!({"rule": "x"})),
        ("setDefaultRule", json!({"variation": "a"})),
        ("setTracking", json!({})),
    ];
    for (kind, fields) in commands {
        let command = crate::kit::with(on("text", kind, fields), json!({"environment": "dev"}));
        let outcome = apply(&ready(), json!([command])).unwrap();
        assert_eq!(
            step(&outcome, "web-dev").entries[0].facets,
            [Facet::Life],
            "{kind}"
        );
        let after = &outcome.targetings[0].after;
        assert!(!after.is_enabled);
        assert_eq!(after.fallthrough.variations[0].id, "a");
        assert_eq!(after.off_variation, "c");
    }
}

#[test]
fn segments_go_first_then_what_is_off_then_what_is_on() {
    let list = json!([
        on("bool", "turnOn", json!({})),
        on("json", "turnOff", json!({})),
        on("number", "turnOn", json!({})),
        on("text", "turnOff", json!({})),
        people("setIncluded", json!({"keys": ["ann"]})),
    ]);
    let outcome = apply(&ready(), list).unwrap();
    let step = step(&outcome, "web-prod");
    let keys: Vec<&str> = step
        .entries
        .iter()
        .map(|entry| match &entry.item {
            Item::Flag(_, key) | Item::Segment(_, key) => key.as_str(),
        })
        .collect();
    assert_eq!(keys, ["in-prod", "json", "text", "bool", "number"]);
    let stamp = |image: &str| -> String {
        serde_json::from_str::<Value>(image).unwrap()["updatedAt"]
            .as_str()
            .unwrap()
            .into()
    };
    let stamps: Vec<String> = step
        .entries
        .iter()
        .map(|entry| stamp(&entry.image))
        .collect();
    assert!(
        stamps.windows(2).all(|pair| pair[0] < pair[1]),
        "{stamps:?}"
    );
    assert_eq!(stamps[4], step.last_stamp.to_string());
}

#[test]
fn an_author_is_told_where_sdks_differ() {
    let warned = |property: &str, op: &str, value: &str| -> Vec<String> {
        let list = json!([on(
            "text",
            "addRule",
            json!({"rule": {"variation": "a",
            "conditions": [{"property": property, "op": op, "value": value}]}})
        )]);
        let warnings = apply(&ready(), list).unwrap().warnings;
        assert!(warnings.iter().all(|warning| warning.command == Some(0)));
        warnings.into_iter().map(|warning| warning.code).collect()
    };
    assert_eq!(warned("x", "Equal", "y"), [""; 0]);
    assert_eq!(
        warned("x", "SemverLessThan", "1.2.3"),
        ["operatorUnknownToSdks"]
    );
    assert_eq!(warned("x", "IsSet", ""), ["operatorUnknownToSdks"]);
    assert_eq!(warned("x", "MatchRegex", "^a"), ["regexDiffers"]);
    assert_eq!(warned("x", "LessThan", "-1"), ["numberUnreadByJava"]);
    assert_eq!(warned("x", "LessThan", "10"), [""; 0]);
    assert_eq!(warned("Key", "Equal", "y"), ["propertyReserved"]);
    assert_eq!(warned("keyId", "Equal", "y"), [""; 0]);
    let open = json!([on("text", "addRule", json!({"rule": {"variation": "a"}}))]);
    assert_eq!(
        apply(&ready(), open).unwrap().warnings[0].code,
        "ruleMatchesEverybody"
    );
}

#[test]
fn an_author_is_told_of_large_items() {
    let keys: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
    let list = |keys: &[String]| {
        json!([on(
            "text",
            "setTargets",
            json!({"variation": "a", "keys": keys})
        )])
    };
    assert_eq!(apply(&ready(), list(&keys[..999])).unwrap().warnings, []);
    let warning = &apply(&ready(), list(&keys)).unwrap().warnings[0];
    assert_eq!(warning.code, "itemLarge");
    assert!(
        warning.message.contains("'text' in prod lists 1000 users"),
        "{warning:?}"
    );
    let value = json!({"x": "y".repeat(60_000)}).to_string();
    let variations: Vec<Value> = (0..5).map(|_| json!({"value": value})).collect();
    let list = json!([
        on(
            "big",
            "createFlag",
            json!({"type": "json", "variations": variations})
        ),
        on("big", "turnOn", json!({})),
    ]);
    let warnings = apply(&empty(), list).unwrap().warnings;
    assert!(
        warnings
            .iter()
            .any(|it| it.code == "itemLarge" && it.message.contains("bytes"))
    );
}
