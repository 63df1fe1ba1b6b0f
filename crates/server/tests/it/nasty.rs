//! Every command with every field replaced by what nobody expects there: it is refused by name, or
//! does what it says; it is never our fault (500), on no database.
//!
//! Dry runs, which go all the way to the database: one state serves all of them.

use burgee_testkit::api::Api;
use serde_json::{Value, json};

use crate::kit::{App, Database, create, flag_on, on_each_database};

/// Set to try every value in every place, not a part of them.
const LONG: &str = "BURGEE_LONG_TESTS";

/// What a place is replaced by. `"<long>"` stands for a text that no index takes.
fn nasty() -> Vec<Value> {
    let long = "x".repeat(9_000);
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e308),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(""),
        json!(" "),
        json!("\u{0}"),
        json!("a\u{0}b"),
        json!("\u{feff}\u{202e}é😀"),
        json!("%' OR 1=1 --\\"),
        json!("../.."),
        json!("[\""),
        json!(long),
        json!([]),
        json!([null]),
        json!(["\u{0}"]),
        json!(["a", "a"]),
        json!([long]),
        json!([[[]]]),
        json!({}),
        json!({"": ""}),
    ]
}

/// A command of every kind, each of which works in the state of [`made`].
fn commands() -> Vec<Value> {
    let condition = json!({"property": "country", "op": "IsOneOf", "value": "[\"de\"]"});
    let parts = json!([{"id": "on", "rollout": [0, 0.5], "exptRollout": 1},
        {"id": "off", "rollout": [0.5, 1]}]);
    let rule = json!({"id": "r2", "name": "n", "dispatchKey": "team", "includedInExpt": true,
        "conditions": [condition], "variations": parts});
    let flag = |fields: Value| with(json!({"flag": "f"}), fields);
    let targeting = |fields: Value| with(json!({"flag": "f", "environment": "prod"}), fields);
    let segment = |fields: Value| with(json!({"segment": "s", "environment": "prod"}), fields);
    vec![
        flag(
            json!({"kind": "createFlag", "flag": "new", "id": "new", "name": "n",
            "description": "d", "type": "string", "tags": ["t"], "onVariation": "a",
            "offVariation": "b", "variations": [{"id": "a", "value": "1", "name": "one"},
                {"id": "b", "value": "2"}]}),
        ),
        flag(json!({"kind": "renameFlag", "name": "n"})),
        flag(json!({"kind": "describeFlag", "description": "d"})),
        flag(json!({"kind": "setFlagTags", "tags": ["t"]})),
        flag(
            json!({"kind": "setVariations", "variations": [{"id": "on", "value": "true"},
            {"id": "off", "value": "false", "name": "n"}]}),
        ),
        flag(json!({"kind": "updateVariation", "variation": "on", "name": "n"})),
        flag(json!({"kind": "archiveFlag"})),
        targeting(json!({"kind": "turnOff"})),
        targeting(json!({"kind": "setTargets", "variation": "on", "keys": ["k", "l"]})),
        targeting(json!({"kind": "addTargets", "variation": "on", "keys": ["k"]})),
        targeting(json!({"kind": "removeTargets", "variation": "on", "keys": ["k"]})),
        targeting(json!({"kind": "setRules", "rules": [rule]})),
        targeting(json!({"kind": "addRule", "rule": rule, "before": "r"})),
        targeting(json!({"kind": "updateRule", "rule": with(rule.clone(), json!({"id": "r"}))})),
        targeting(json!({"kind": "removeRule", "rule": "r"})),
        targeting(json!({"kind": "moveRule", "rule": "r"})),
        targeting(
            json!({"kind": "setDefaultRule", "variations": parts, "dispatchKey": "team",
            "includedInExpt": true}),
        ),
        targeting(json!({"kind": "setDefaultRule", "variation": "on"})),
        targeting(json!({"kind": "setOffVariation", "variation": "on"})),
        targeting(
            json!({"kind": "setPrerequisites", "prerequisites": [{"flag": "needed", "variation": "on"}]}),
        ),
        targeting(json!({"kind": "setTracking", "tracked": true, "exptIncludeAllTargets": true})),
        segment(
            json!({"kind": "createSegment", "segment": "new", "id": "new", "name": "n",
            "description": "d", "tags": ["t"], "included": ["k"], "excluded": ["l"],
            "rules": [{"id": "q", "name": "n", "conditions": [condition]}]}),
        ),
        segment(json!({"kind": "renameSegment", "name": "n"})),
        segment(json!({"kind": "describeSegment", "description": "d"})),
        segment(json!({"kind": "setSegmentTags", "tags": ["t"]})),
        segment(json!({"kind": "setIncluded", "keys": ["k"]})),
        segment(json!({"kind": "addExcluded", "keys": ["k"]})),
        segment(json!({"kind": "setSegmentRules", "rules": [{"conditions": [condition]}]})),
        segment(json!({"kind": "archiveSegment"})),
    ]
}

fn with(mut object: Value, fields: Value) -> Value {
    for (name, value) in fields.as_object().unwrap() {
        object[name] = value.clone();
    }
    object
}

async fn made(app: &App) {
    let variations = json!([{"id": "on", "value": "true"}, {"id": "off", "value": "false"}]);
    let mut flag = create("f");
    flag["variations"] = variations.clone();
    let mut needed = create("needed");
    needed["variations"] = variations;
    let rule = json!({"id": "r", "variation": "on", "conditions": []});
    app.apply(json!([
        flag,
        needed,
        {"kind": "turnOn", "flag": "f", "environment": "prod"},
        {"kind": "addRule", "flag": "f", "environment": "prod", "rule": rule},
        {"kind": "createSegment", "segment": "s", "environment": "prod"},
    ]))
    .await;
}

/// All places inside a value, as JSON pointers.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(k, v)| (k.clone(), v)).collect(),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.map(|(n, v)| (n.to_string(), v)).collect()
        }
        _ => return,
    };
    for (name, value) in inner {
        let place = format!("{at}/{}", name.replace('/', "~1"));
        places(value, &place, found);
        found.push(place);
    }
}

/// A dry run; it must be understood or refused, with the field at fault.
async fn attempt(api: &Api, set: Value) {
    let answer = api.post("projects/default/changes", &set).await;
    let about: String = set.to_string().chars().take(400).collect();
    match answer.status {
        200 => drop(answer.expect(200)),
        // A base of 0: the part was changed since.
        412 => assert_eq!(answer.problem(412).code(), "baseConflict"),
        status @ (400 | 404 | 409) => {
            let problem = answer.problem(status);
            assert!(!problem.pointers().is_empty(), "{about}: {}", problem.body);
        }
        _ => panic!("{about}: {answer:?}"),
    }
}

async fn try_everything(database: Database, every: usize) {
    let app = App::start(database).await;
    made(&app).await;
    for command in commands() {
        let set = json!({"dryRun": true, "commands": [command]});
        app.owner
            .post("projects/default/changes", &set)
            .await
            .expect(200);
    }
    let prod = app
        .owner
        .get("projects/default/environments/prod")
        .await
        .expect(200);
    let version = &prod["version"];
    let mut number = 0;
    for command in commands() {
        let set = json!({"id": "0192f0c1-2345-7abc-8def-0123456789ab", "comment": "why",
            "base": {"default/prod": version}, "dryRun": true, "commands": [command]});
        let mut found = Vec::new();
        places(&set, "", &mut found);
        // Without it the state would change.
        found.retain(|place| place != "/dryRun");
        for place in found {
            for value in nasty() {
                number += 1;
                if number % every == 0 {
                    let mut set = set.clone();
                    *set.pointer_mut(&place).unwrap() = value;
                    attempt(&app.owner, set).await;
                }
            }
        }
    }
    // What could have been harmed is whole.
    app.apply(flag_on("g")).await;
    assert_eq!(app.server_sdk("prod").await.is_on("g"), Some(true));
    app.stop().await;
}

fn every(few: usize) -> usize {
    match std::env::var_os(LONG) {
        Some(_) => 1,
        None => few,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_sent_is_our_fault_on_sqlite() {
    try_everything(Database::Sqlite, every(7)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_sent_is_our_fault_on_postgresql() {
    try_everything(Database::Postgres, every(7)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_name_or_parameter_is_our_fault() {
    on_each_database(async |app| {
        made(app).await;
        let long = "x".repeat(4_000);
        let texts = [
            "%00",
            "a%00b",
            "%F0%9F%98%80",
            "%25",
            "%27%22%5C",
            "+",
            "0",
            "-1.x",
            &long,
        ];
        let prod = "projects/default/environments/prod";
        for text in texts {
            for list in [
                "projects/default/flags",
                "segments",
                "projects/default/segments",
                &format!("{prod}/segments"),
            ] {
                for name in ["search", "tag", "cursor"] {
                    let answer = app.owner.get(&format!("{list}?{name}={text}")).await;
                    assert!([200, 400].contains(&answer.status), "{answer:?}");
                }
            }
            for list in [
                "projects",
                "projects/default/changes",
                &format!("{prod}/changes"),
            ] {
                let answer = app.owner.get(&format!("{list}?cursor={text}")).await;
                assert!([200, 400].contains(&answer.status), "{answer:?}");
            }
            for path in [
                format!("projects/{text}"),
                format!("projects/default/flags/{text}"),
                format!("projects/default/environments/{text}"),
                format!("{prod}/sdk-keys/{text}"),
            ] {
                app.owner.delete(&path).await.no_fault();
                app.owner.get(&path).await.no_fault();
            }
            let caller = app.nobody().with_token(&text.replace('%', "."));
            caller.get("projects").await.problem(401);
        }
    })
    .await;
}
