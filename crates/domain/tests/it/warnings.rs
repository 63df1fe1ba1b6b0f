//! What authors are told of flags and segments as they are.

use std::collections::BTreeMap;

use burgee_domain::id::Id;
use burgee_domain::import;
use burgee_domain::model::Segment;
use burgee_domain::warnings::{self, ItemWarning};
use burgee_domain::workspace::Workspace;
use serde_json::{Value, json};

use crate::kit::{NOW, after, empty, flag, on, people, ready, segment, targeting};

/// What is said of the flag in `prod`.
fn of_flag(workspace: &Workspace, key: &str) -> Vec<ItemWarning> {
    let segments = workspace.segments.values().map(|it| &it.segment);
    let segments: BTreeMap<Id<Segment>, Segment> =
        segments.map(|it| (it.id.clone(), it.clone())).collect();
    let environment = &workspace.projects["web"].environments["prod"];
    let targeting = targeting(workspace, "prod", key);
    warnings::of_flag(
        flag(workspace, key),
        targeting,
        environment,
        &segments,
        &workspace.projects["web"].flags,
    )
}

fn places(warnings: &[ItemWarning]) -> Vec<(&str, &str)> {
    let warnings = warnings.iter();
    warnings
        .map(|it| (it.code.as_str(), it.pointer.as_str()))
        .collect()
}

fn rule(conditions: Value) -> Value {
    on(
        "text",
        "addRule",
        json!({"rule": {"variation": "a", "conditions": conditions}}),
    )
}

fn in_segment(id: &str) -> Value {
    rule(json!([{"property": "User is in segment", "value": json!([id]).to_string()}]))
}

#[test]
fn a_rule_that_sdks_do_not_know_names_them() {
    let workspace = after(
        ready(),
        json!([
            rule(json!([{"property": "x", "op": "Equal", "value": "y"}])),
            rule(json!([
                {"property": "x", "op": "Equal", "value": "y"},
                {"property": "app", "op": "SemverLessThan", "value": "2.0.0"}
            ])),
        ]),
    );
    let warnings = of_flag(&workspace, "text");
    let at = "/rules/1/conditions/1/op";
    let never = ("ruleNeverReached", "/rules/1");
    assert_eq!(places(&warnings), [("operatorUnknownToSdks", at), never]);
    assert_eq!(
        warnings[0].message,
        "SemverLessThan is evaluated by Burgee alone: server SDKs (Node.js, Python, Java, Go, \
         .NET) take it as no match"
    );
}

#[test]
fn what_was_said_when_it_was_written_is_said_afterwards() {
    let conditions = json!([
        {"property": "x", "op": "SemverLessThan", "value": "1.2.3"},
        {"property": "x", "op": "MatchRegex", "value": "^a"},
        {"property": "x", "op": "LessThan", "value": "-1"},
        {"property": "Key", "op": "Equal", "value": "y"},
    ]);
    let of_flag_now = json!([rule(conditions.clone()), rule(json!([]))]);
    let of_segment_now = json!([people(
        "setSegmentRules",
        json!({"rules": [{"conditions": conditions}, {"conditions": []}]})
    )]);
    let said = |list: &Value| {
        let outcome = crate::kit::apply(&ready(), list.clone()).unwrap();
        let said = outcome.warnings.into_iter();
        said.map(|it| (it.code, it.message)).collect::<Vec<_>>()
    };
    let shown = |warnings: Vec<ItemWarning>| {
        let shown = warnings.into_iter();
        shown.map(|it| (it.code, it.message)).collect::<Vec<_>>()
    };
    let with_flag = after(ready(), of_flag_now.clone());
    let kept = of_flag(&with_flag, "text");
    assert_eq!(
        places(&kept),
        [
            ("operatorUnknownToSdks", "/rules/0/conditions/0/op"),
            ("regexDiffers", "/rules/0/conditions/1/op"),
            ("numberUnreadByJava", "/rules/0/conditions/2/value"),
            ("propertyReserved", "/rules/0/conditions/3/property"),
            ("ruleMatchesEverybody", "/rules/1/conditions"),
        ]
    );
    assert_eq!(said(&of_flag_now), shown(kept));
    let with_segment = after(ready(), of_segment_now.clone());
    let kept = warnings::of_segment(segment(&with_segment, "in-prod"));
    assert_eq!(kept.len(), 5);
    assert_eq!(said(&of_segment_now), shown(kept));
}

#[test]
fn segments_that_match_nobody() {
    let used = json!([
        in_segment("shared"),
        in_segment("in-prod"),
        people("archiveSegment", json!({}))
    ]);
    let mut workspace = after(ready(), used);
    let at = "/rules/1/conditions/0/value";
    let warnings = of_flag(&workspace, "text");
    assert_eq!(places(&warnings), [("segmentArchived", at)]);
    assert!(warnings[0].message.contains("nobody"), "{warnings:?}");

    workspace.segments.remove(&Id::new("in-prod"));
    assert_eq!(
        places(&of_flag(&workspace, "text")),
        [("segmentUnknown", at)]
    );
    // One that is there, but not in this environment.
    let elsewhere = segment(&workspace, "in-dev").scope.clone();
    let shared = workspace.segments.get_mut(&Id::new("shared")).unwrap();
    shared.segment.scope = elsewhere;
    let warnings = of_flag(&workspace, "text");
    assert_eq!(warnings.len(), 2, "{warnings:?}");

    // What is archived itself is not served.
    let workspace = after(workspace, json!([on("text", "archiveFlag", json!({}))]));
    assert_eq!(of_flag(&workspace, "text"), []);
}

#[test]
fn an_imported_pattern_that_never_matches() {
    let broken = json!([{"id": "r", "name": "r", "dispatchKey": null, "includedInExpt": false,
        "conditions": [{"property": "x", "op": "MatchRegex", "value": "a(?=b)"}],
        "variations": [{"id": "gone", "rollout": [0, 1], "exptRollout": 1}]}]);
    let flags = json!([{
        "id": "f", "createdAt": "2023-01-16T02:56:19.531Z", "updatedAt": "2023-01-28T02:04:55.616Z",
        "envId": "theirs", "name": "A flag", "key": "f", "variationType": "string",
        "variations": [{"id": "a", "value": "A"}], "targetUsers": [], "rules": broken,
        "isEnabled": true, "disabledVariationId": "a", "tags": [], "isArchived": false,
        "fallthrough": {"dispatchKey": null, "includedInExpt": true,
            "variations": [{"id": "a", "rollout": [0, 0.5], "exptRollout": 1}]},
        "exptIncludeAllTargets": true
    }]);
    let input = import::read(&flags.to_string(), "[]").unwrap();
    let mut new_id = || panic!("all have ids");
    let plan = import::plan(&empty(), "web", "prod", &input, NOW, &mut new_id).unwrap();
    let mut workspace = empty();
    workspace.advance(&plan.outcome);
    let warnings = of_flag(&workspace, "f");
    // In the API's words for the parts; and not that SDKs differ over what never matches.
    assert_eq!(
        places(&warnings),
        [
            ("notAPattern", "/rules/0/conditions/0/value"),
            ("variationUnknown", "/rules/0/variations/0/id"),
            ("uncovered", "/defaultRule/variations"),
        ]
    );
    assert!(warnings[0].message.ends_with("never matches"));
}

#[test]
fn targets_count_where_others_are_needed() {
    let needs = json!({"prerequisites": [{"flag": "bool", "variation": "t"}]});
    let rule = json!({"rule": {"variation": "f", "conditions": [
        {"property": "country", "op": "Equal", "value": "de"}]}});
    let without = after(
        ready(),
        json!([
            on("bool", "addRule", rule),
            on("bool", "setDefaultRule", json!({"variation": "t"})),
            on("bool", "turnOn", json!({})),
            on("text", "setPrerequisites", needs),
            on("text", "turnOn", json!({}))
        ]),
    );
    assert_eq!(places(&of_flag(&without, "text")), []);
    // More users than SDKs are named in a condition.
    let keys: Vec<String> = (0..1_001).map(|number| format!("u{number}")).collect();
    let targets = json!({"variation": "a", "keys": keys});
    let targets = on("text", "setTargets", targets);
    let with = after(without, json!([targets]));
    let said = [("prerequisiteUnknownToSdks", "/prerequisites")];
    assert_eq!(places(&of_flag(&with, "text")), said);
}
