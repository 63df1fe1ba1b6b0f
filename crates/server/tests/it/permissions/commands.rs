//! Every command of a change set is checked by itself.

use std::collections::BTreeSet;

use burgee_domain::access::ACTIONS;
use serde_json::{Value, json};

use super::fixture::{all_but, everything, only};
use crate::kit::{App, Database};

/// A command with its permission: on the flag or segment `known`, which is there.
fn command(action: &'static str, kind: &str, fields: Value) -> (&'static str, Value) {
    let mut command = json!({"kind": kind, "project": "default"});
    if action.starts_with("flag.") {
        command["flag"] = json!("known");
    } else {
        command["segment"] = json!("known");
    }
    for (name, value) in fields.as_object().unwrap() {
        command[name] = value.clone();
    }
    (action, command)
}

/// One on the flag's targeting in `prod`.
fn in_prod(action: &'static str, kind: &str, fields: Value) -> (&'static str, Value) {
    let (action, mut command) = command(action, kind, fields);
    command["environment"] = json!("prod");
    (action, command)
}

fn of_flags() -> Vec<(&'static str, Value)> {
    let variations = json!([{"id": "a", "value": "A"}, {"id": "b", "value": "B"},
        {"id": "c", "value": "C"}]);
    vec![
        command(
            "flag.create",
            "createFlag",
            json!({"flag": "new", "type": "boolean"}),
        ),
        command("flag.rename", "renameFlag", json!({"name": "N"})),
        command("flag.describe", "describeFlag", json!({"description": "D"})),
        command("flag.setTags", "setFlagTags", json!({"tags": ["t"]})),
        command(
            "flag.setVariations",
            "setVariations",
            json!({ "variations": variations }),
        ),
        command(
            "flag.updateVariation",
            "updateVariation",
            json!({"variation": "a", "value": "AA"}),
        ),
        command("flag.archive", "archiveFlag", json!({})),
        command("flag.restore", "restoreFlag", json!({"flag": "old"})),
        command("flag.delete", "deleteFlag", json!({"flag": "old"})),
    ]
}

fn of_targeting() -> Vec<(&'static str, Value)> {
    let targets = |key: &str| json!({"variation": "a", "keys": [key]});
    let rule = json!({"id": "new", "name": "New", "conditions": [], "variation": "b"});
    let other = json!({"id": "one", "name": "Other", "conditions": [], "variation": "b"});
    let order = json!({"rule": "two", "before": "one"});
    vec![
        in_prod("flag.turnOn", "turnOn", json!({})),
        in_prod("flag.turnOff", "turnOff", json!({"flag": "first"})),
        in_prod("flag.setTargets", "setTargets", targets("bob")),
        in_prod("flag.addTargets", "addTargets", targets("bob")),
        in_prod("flag.removeTargets", "removeTargets", targets("ann")),
        in_prod("flag.setRules", "setRules", json!({"rules": [rule]})),
        in_prod("flag.addRule", "addRule", json!({ "rule": rule })),
        in_prod("flag.updateRule", "updateRule", json!({ "rule": other })),
        in_prod("flag.removeRule", "removeRule", json!({"rule": "one"})),
        in_prod("flag.moveRule", "moveRule", order),
        in_prod(
            "flag.setDefaultRule",
            "setDefaultRule",
            json!({"variation": "b"}),
        ),
        in_prod(
            "flag.setOffVariation",
            "setOffVariation",
            json!({"variation": "a"}),
        ),
        in_prod(
            "flag.setPrerequisites",
            "setPrerequisites",
            json!({"prerequisites": [{"flag": "first", "variation": "a"}]}),
        ),
        in_prod("flag.setTracking", "setTracking", json!({"tracked": true})),
    ]
}

fn of_segments() -> Vec<(&'static str, Value)> {
    let keys = json!({"keys": ["bob"]});
    let rule = json!({"id": "r", "name": "R",
        "conditions": [{"property": "age", "op": "LessThan", "value": "7"}]});
    let old = json!({"segment": "old"});
    vec![
        command("segment.create", "createSegment", json!({"segment": "new"})),
        command("segment.rename", "renameSegment", json!({"name": "N"})),
        command(
            "segment.describe",
            "describeSegment",
            json!({"description": "D"}),
        ),
        command("segment.setTags", "setSegmentTags", json!({"tags": ["t"]})),
        command("segment.setIncluded", "setIncluded", keys.clone()),
        command("segment.addIncluded", "addIncluded", keys.clone()),
        command(
            "segment.removeIncluded",
            "removeIncluded",
            json!({"keys": ["ann"]}),
        ),
        command("segment.setExcluded", "setExcluded", keys.clone()),
        command("segment.addExcluded", "addExcluded", keys),
        command(
            "segment.removeExcluded",
            "removeExcluded",
            json!({"keys": ["eve"]}),
        ),
        command(
            "segment.setRules",
            "setSegmentRules",
            json!({"rules": [rule]}),
        ),
        command("segment.archive", "archiveSegment", json!({})),
        command("segment.restore", "restoreSegment", old.clone()),
        command("segment.delete", "deleteSegment", old),
    ]
}

/// A flag that is off in `prod`, with rules and targets; a segment; an archived one of each.
async fn ready(app: &App) {
    let rule = |id: &str| json!({"id": id, "name": id, "conditions": [], "variation": "a"});
    let variations = json!([{"id": "a", "value": "A"}, {"id": "b", "value": "B"}]);
    let flag = |key: &str| json!({"kind": "createFlag", "flag": key, "type": "string", "variations": variations});
    let prod = |kind: &str, fields| in_prod("flag.turnOn", kind, fields).1;
    app.apply(json!([
        flag("known"),
        prod("setRules", json!({"rules": [rule("one"), rule("two")]})),
        prod("setTargets", json!({"variation": "a", "keys": ["ann"]})),
        flag("old"),
        flag("first"),
        {"kind": "turnOn", "flag": "first", "environment": "prod"},
        {"kind": "archiveFlag", "flag": "old"},
        {"kind": "createSegment", "project": "default", "segment": "known",
            "included": ["ann"], "excluded": ["eve"]},
        {"kind": "createSegment", "project": "default", "segment": "old"},
        {"kind": "archiveSegment", "project": "default", "segment": "old"},
    ]))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_command_takes_its_own_permission() {
    let app = App::start(Database::Sqlite).await;
    ready(&app).await;
    let all = [of_flags(), of_targeting(), of_segments()].concat();
    let tried: BTreeSet<&str> = all.iter().map(|(action, _)| *action).collect();
    let of_commands = ACTIONS.iter().map(|it| it.name).filter(|name| {
        let (kind, verb) = name.split_once('.').unwrap();
        // Nothing but the command line imports yet.
        ["flag", "segment"].contains(&kind) && !["read", "import"].contains(&verb)
    });
    assert_eq!(tried, of_commands.collect());

    for (action, command) in all {
        // Before it stands a command that is allowed.
        let (before, first) = match action {
            "flag.rename" => command_on_first("flag.describe", "describeFlag", "description"),
            _ => command_on_first("flag.rename", "renameFlag", "name"),
        };
        let lacking = all_but(&app, action).await;
        let may = only(&app, &[action, before, "*.read"]).await;
        let seen = everything(&app).await;
        let set = json!({"commands": [first, command]});
        let problem = lacking.post("changes", &set).await.problem(403);
        assert_eq!(problem.code(), "forbidden", "{action}");
        assert_eq!(problem.pointers(), ["/commands/1"], "{action}");
        let detail = problem.body["detail"].as_str().unwrap();
        assert!(detail.contains(&format!("`{action}`")), "{detail}");
        // A dry run tells who may look what they lack.
        let set = json!({"dryRun": true, "commands": [first, command]});
        let told = lacking.post("changes", &set).await.expect(200);
        assert_eq!(needed(&told, false), BTreeSet::from([action]), "{told}");
        assert_eq!(needed(&told, true), BTreeSet::from([before]), "{told}");
        let would = may.post("changes", &set).await.expect(200);
        assert_eq!(needed(&would, false), BTreeSet::new(), "{would}");
        assert_eq!(would["diff"], told["diff"], "{action}");
        let lines = would["diff"].as_array().unwrap();
        assert!(lines.len() >= 2, "{action} does something: {would}");
        assert!(!would["changes"].as_array().unwrap().is_empty(), "{would}");
        assert_eq!(everything(&app).await, seen, "{action}");
    }
    app.stop().await;
}

/// The actions that a dry run says are allowed, or are not.
fn needed(answer: &Value, allowed: bool) -> BTreeSet<&str> {
    let needs = answer["permissions"].as_array().unwrap().iter();
    let needs = needs.filter(|need| need["allowed"] == allowed);
    needs.map(|need| need["action"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_tells_nothing_to_who_may_not_look() {
    let app = App::start(Database::Sqlite).await;
    ready(&app).await;
    let set = json!({"dryRun": true, "commands": [in_prod("flag.turnOn", "turnOn", json!({"flag": "known"})).1]});
    for blind in ["flag.read", "environment.read", "project.read"] {
        let looker = only_reading_without(&app, blind).await;
        let problem = looker.post("changes", &set).await.problem(403);
        assert_eq!(problem.code(), "forbidden", "{blind}");
    }
    let looker = only(&app, &["*.read"]).await;
    looker.post("changes", &set).await.expect(200);
    app.stop().await;
}

async fn only_reading_without(app: &App, action: &str) -> burgee_testkit::api::Api {
    let read = super::fixture::allow(&["*.read"]);
    let deny = super::fixture::on("deny", &[action], &["*"]);
    super::fixture::with(app, json!([read, deny])).await
}

fn command_on_first(action: &'static str, kind: &str, field: &str) -> (&'static str, Value) {
    let (action, mut command) = command(action, kind, json!({"flag": "first"}));
    command[field] = json!("Something else");
    (action, command)
}
