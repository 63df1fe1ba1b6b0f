//! Moving over from FeatBit.

use burgee_domain::import::{self, Done, Input, Kind, Plan};
use burgee_domain::model::Life;
use burgee_domain::workspace::Workspace;
use burgee_eval::flag::Flag;
use burgee_eval::time::Millis;
use serde_json::{Value, json};

use crate::kit::{NOW, after, empty, flag, segment, step, targeting, with};

fn source(key: &str) -> Value {
    json!({
        "id": format!("id-of-{key}"), "createdAt": "2023-01-16T02:56:19.531Z",
        "updatedAt": "2023-01-28T02:04:55.616Z", "envId": "theirs", "name": "A flag", "key": key,
        "variationType": "string",
        "variations": [{"id": "a", "value": "A"}, {"id": "b", "value": "B"}],
        "targetUsers": [{"keyIds": ["ann", "bob"], "variationId": "b"}],
        "rules": [], "isEnabled": true, "disabledVariationId": "b",
        "fallthrough": {"dispatchKey": null, "includedInExpt": true,
            "variations": [{"id": "a", "rollout": [0, 1], "exptRollout": 1}]},
        "exptIncludeAllTargets": true, "tags": ["x"], "isArchived": false
    })
}

fn people(id: &str, name: &str) -> Value {
    json!({"id": id, "name": name, "createdAt": "2023-01-16T02:56:19.531Z",
        "updatedAt": "2023-02-01T00:00:00Z", "included": ["ann"], "excluded": [],
        "rules": [], "isArchived": false})
}

fn input(flags: Value, segments: Value) -> Input {
    import::read(&flags.to_string(), &segments.to_string()).unwrap()
}

fn plan(workspace: &Workspace, environment: &str, input: &Input) -> Plan {
    let mut count = 0;
    let mut new_id = || {
        count += 1;
        format!("made-{count}")
    };
    import::plan(workspace, "Web", environment, input, NOW, &mut new_id).unwrap()
}

fn imported(mut workspace: Workspace, environment: &str, input: &Input) -> Workspace {
    let plan = plan(&workspace, environment, input);
    assert_eq!(plan.report.refused(), 0, "{:?}", plan.report);
    workspace.advance(&plan.outcome);
    workspace
}

fn reason(plan: &Plan, name: &str) -> String {
    let item = plan
        .report
        .items
        .iter()
        .find(|item| item.name == name)
        .unwrap();
    match &item.done {
        Done::Refused { reason } => reason.clone(),
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn the_first_import_makes_the_flag_as_it_was() {
    let workspace = imported(empty(), "prod", &input(json!([source("f")]), json!([])));
    let flag = flag(&workspace, "f");
    assert_eq!(flag.id.as_str(), "id-of-f");
    assert_eq!(flag.created_at.to_string(), "2023-01-16T02:56:19.531Z");
    assert_eq!(flag.default_on, "a");
    assert_eq!(flag.default_off, "b");
    assert_eq!(flag.tags, ["x"]);
    let targeting = targeting(&workspace, "prod", "f");
    assert!(targeting.is_enabled);
    assert_eq!(targeting.stamp, NOW);
    let released = &workspace.projects["web"].flags["f"].targetings;
    assert_eq!(released.len(), 1, "it is released nowhere else");
}

#[test]
fn what_is_served_is_what_featbit_served() {
    let theirs = with(
        source("f"),
        json!({"rules": [{"id": "r", "name": "Rule 1", "dispatchKey": "country",
            "includedInExpt": false,
            "conditions": [{"property": "x", "op": "MatchRegex", "value": "("}],
            "variations": [{"id": "a", "rollout": [0, 0.5], "exptRollout": 1}]}]}),
    );
    let plan = plan(&empty(), "prod", &input(json!([theirs.clone()]), json!([])));
    let image = &step(&plan.outcome, "web-prod").entries[0].image;
    let served: Flag = serde_json::from_str(image).unwrap();
    let mut expected: Flag = serde_json::from_value(theirs).unwrap();
    expected.updated_at = NOW;
    expected.env_id = "web-prod".into();
    assert_eq!(served, expected);
    let warnings = plan.report.items[0].warnings.join("; ");
    assert!(
        warnings.contains("/rules/0/conditions/0/value"),
        "{warnings}"
    );
}

#[test]
fn importing_twice_changes_nothing() {
    let archived = with(source("old"), json!({"isArchived": true}));
    let files = input(
        json!([
            source("f"),
            archived,
            with(
                source("g"),
                json!({"rules": [
            {"conditions": [], "variations": []}, {"conditions": [], "variations": []}]})
            )
        ]),
        json!([people("s", "People"), people("t", "People")]),
    );
    let workspace = imported(empty(), "prod", &files);
    let again = plan(&workspace, "prod", &files);
    assert_eq!(again.outcome, Default::default());
    assert!(again.commands.is_empty());
    assert!(
        again
            .report
            .items
            .iter()
            .all(|item| item.done == Done::Unchanged)
    );
    assert_eq!(
        again
            .report
            .count(Kind::Flag, |done| *done == Done::Unchanged),
        3
    );
    assert_eq!(flag(&workspace, "old").life, Life::Archived);
}

#[test]
fn stamps_lie_above_the_highest_imported() {
    let future = NOW.0 + 5_000_000;
    let late = with(source("late"), json!({"updatedAt": future}));
    let files = input(json!([late.clone(), source("f")]), json!([]));
    let workspace = imported(empty(), "prod", &files);
    let stamps = ["late", "f"].map(|key| targeting(&workspace, "prod", key).stamp.0);
    assert!(stamps.iter().all(|stamp| *stamp > future), "{stamps:?}");
    let later = with(late, json!({"updatedAt": future + 1_000_000}));
    let changed = with(source("f"), json!({"isEnabled": false}));
    let workspace = imported(
        workspace,
        "prod",
        &input(json!([changed, later]), json!([])),
    );
    let stamp = targeting(&workspace, "prod", "f").stamp;
    assert!(
        stamp > Millis(future + 1_000_000),
        "an unchanged item's stamp counts too"
    );
}

#[test]
fn later_environments_map_variations_and_never_overwrite() {
    let workspace = imported(empty(), "prod", &input(json!([source("f")]), json!([])));
    let dev = with(
        source("f"),
        json!({"id": "other", "name": "Another name", "variations": [
            {"id": "b", "value": "B2"}, {"id": "x", "value": "A"}, {"id": "c", "value": "C"}],
            "disabledVariationId": "b", "targetUsers": [{"keyIds": ["ann"], "variationId": "c"}],
            "fallthrough": {"variations": [{"id": "x", "rollout": [0, 1]}]}}),
    );
    let files = input(json!([dev]), json!([]));
    let workspace = imported(workspace, "dev", &files);
    let flag = flag(&workspace, "f");
    assert_eq!(flag.id.as_str(), "id-of-f");
    assert_eq!(flag.name, "A flag");
    let variations: Vec<(&str, &str)> = flag
        .variations
        .iter()
        .map(|it| (it.id.as_str(), it.value.as_str()))
        .collect();
    let made = variations[2].0;
    assert!(
        made.starts_with("made-"),
        "the id is taken by another value"
    );
    assert_eq!(
        variations,
        [("a", "A"), ("b", "B"), (made, "B2"), ("c", "C")]
    );
    let dev = targeting(&workspace, "dev", "f");
    assert_eq!(dev.off_variation, made);
    assert_eq!(dev.fallthrough.variations[0].id, "a");
    assert_eq!(dev.target_users[0].variation_id, "c");
    assert_eq!(targeting(&workspace, "prod", "f").off_variation, "b");
    assert_eq!(plan(&workspace, "dev", &files).outcome, Default::default());
}

#[test]
fn what_cannot_be_represented_is_refused_and_the_rest_goes_on() {
    let before = after(
        empty(),
        json!([{"kind": "createFlag", "project": "web", "flag": "yes", "type": "boolean"}]),
    );
    let files = input(
        json!([
            source("good"), with(source("x"), json!({"key": "no key!"})), source("GOOD"),
            source("yes"), source("Yes"), with(source("nul"), json!({"description": "\u{0}"})),
            with(source("none"), json!({"variations": []})), {"id": "x", "key": "no-type"}, 7,
            with(source("big"), json!({"description": "x".repeat(9 << 20)})),
        ]),
        json!([
            people("s", "People"),
            people("s", "Again"),
            people("", "No id")
        ]),
    );
    let plan = plan(&before, "prod", &files);
    assert!(reason(&plan, "no key!").contains("letters, digits"));
    assert!(reason(&plan, "GOOD").contains("another flag"));
    assert!(reason(&plan, "yes").contains("of the type boolean here, of string in the file"));
    assert!(reason(&plan, "nul").contains("U+0000"));
    assert!(reason(&plan, "none").contains("no variations"));
    assert!(reason(&plan, "no-type").contains("variationType"));
    assert!(reason(&plan, "#9").contains("invalid type"));
    assert!(reason(&plan, "big").contains("8388608"));
    assert!(reason(&plan, "Again").contains("another segment"));
    let mut after = before;
    after.advance(&plan.outcome);
    assert_eq!(flag(&after, "good").id.as_str(), "id-of-good");
    assert_eq!(segment(&after, "s").key.as_str(), "people");
    assert_eq!(plan.commands.len(), 2);
}

#[test]
fn keys_of_segments_are_slugs_of_their_names_made_unique() {
    let files = input(
        json!([]),
        json!([
            people("1", "Beta users (EU)"),
            people("2", "Beta Users EU"),
            people("3", "试")
        ]),
    );
    let workspace = imported(empty(), "prod", &files);
    assert_eq!(segment(&workspace, "1").key.as_str(), "beta-users-eu");
    assert!(
        segment(&workspace, "2")
            .key
            .as_str()
            .starts_with("beta-users-eu-")
    );
    assert!(
        segment(&workspace, "3")
            .key
            .as_str()
            .starts_with("segment-")
    );
    assert_eq!(segment(&workspace, "3").name, "试");
}

#[test]
fn the_same_files_fit_two_environments() {
    let theirs = with(
        source("f"),
        json!({"rules": [{"id": "r", "name": "R", "variations": [{"id": "a", "rollout": [0, 1]}],
            "conditions": [{"property": "User is in segment", "op": null, "value": "[\"s\"]"}]}]}),
    );
    let files = input(json!([theirs]), json!([people("s", "People")]));
    let workspace = imported(empty(), "prod", &files);
    let first = plan(&workspace, "dev", &files);
    let workspace = imported(workspace, "dev", &files);
    let condition = |environment: &str| {
        let rule = &targeting(&workspace, environment, "f").rules[0];
        serde_json::from_str::<Vec<String>>(rule.conditions[0].value.as_ref().unwrap()).unwrap()
    };
    assert_eq!(condition("prod"), ["s"]);
    let own = &condition("dev")[0];
    assert_eq!(segment(&workspace, own).included, ["ann"]);
    assert!(
        first
            .report
            .items
            .iter()
            .all(|item| item.warnings.is_empty()),
        "{:?}",
        first.report
    );
    assert_eq!(plan(&workspace, "dev", &files).outcome, Default::default());
    let references = import::references("web", "dev", &files);
    assert!(
        references.segment_ids.contains(own),
        "it is loaded when the import is repeated"
    );
}

#[test]
fn archiving_in_one_environment_does_not_archive_what_others_serve() {
    let live = input(json!([source("f")]), json!([]));
    let archived = input(
        json!([with(source("f"), json!({"isArchived": true}))]),
        json!([]),
    );
    let both = imported(imported(empty(), "prod", &live), "dev", &live);
    let kept = plan(&both, "dev", &archived);
    assert_eq!(kept.outcome, Default::default());
    assert!(kept.report.items[0].warnings[0].contains("in use in other environments"));
    let one = imported(imported(empty(), "prod", &live), "prod", &archived);
    assert_eq!(flag(&one, "f").life, Life::Archived);
    assert!(reason(&plan(&one, "prod", &live), "f").contains("restore it first"));
}

#[test]
fn the_same_users_in_another_order_are_no_change() {
    let workspace = imported(empty(), "prod", &input(json!([source("f")]), json!([])));
    let turned = with(
        source("f"),
        json!({"targetUsers": [{"keyIds": ["bob", "ann"], "variationId": "b"}]}),
    );
    let plan = plan(&workspace, "prod", &input(json!([turned]), json!([])));
    assert_eq!(plan.outcome, Default::default());
    assert_eq!(plan.report.items[0].done, Done::Unchanged);
    assert!(plan.commands.is_empty());
}

#[test]
fn what_ends_programs_is_said() {
    let theirs = with(
        source("f"),
        json!({"rules": [{"id": "r", "name": "R", "variations": [{"id": "a", "rollout": [0, 1]}],
            "conditions": [{"property": "User is in segment", "op": null, "value": "s"}]}]}),
    );
    let plan = plan(&empty(), "prod", &input(json!([theirs]), json!([])));
    let warnings = &plan.report.items[0].warnings;
    assert!(
        warnings.iter().any(|it| it.contains("Node.js")),
        "{warnings:?}"
    );
    assert_eq!(plan.report.items[0].done, Done::Created);
}

#[test]
fn a_flag_that_is_imported_again_needs_what_it_needed() {
    let first = input(json!([source("checkout"), source("launch")]), json!([]));
    let workspace = imported(empty(), "prod", &first);
    let needs = json!([{"kind": "setPrerequisites", "project": "web", "environment": "prod",
        "flag": "checkout", "prerequisites": [{"flag": "launch", "variation": "a"}]}]);
    let workspace = after(workspace, needs);
    let needed = &targeting(&workspace, "prod", "checkout").prerequisites;
    let mut changed = source("checkout");
    changed["isEnabled"] = json!(false);
    let again = imported(
        workspace.clone(),
        "prod",
        &input(json!([changed]), json!([])),
    );
    let found = targeting(&again, "prod", "checkout");
    assert!(!found.is_enabled);
    assert_eq!((&found.prerequisites, needed.len()), (needed, 1));
}
