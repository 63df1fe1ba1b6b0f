//! A project as a file by the API, and FeatBit's files.

use serde_json::{Value, json};

use crate::kit::{App, Database, create, flag_on, on_each_database, variations};
use crate::permissions::fixture::{allow, id, on, with};
use crate::requests::{apply_path, house, review};
use crate::rules::{one_approval, set_rules};

const IMPORT: &str = "projects/default/import";

async fn export(app: &App, project: &str) -> Value {
    let path = format!("projects/{project}/export?format=json");
    app.owner.get(&path).await.expect(200)
}

/// A project with `prod` and `dev` beside the first one.
async fn other(app: &App) {
    app.owner
        .post("projects", &json!({"key": "other"}))
        .await
        .expect(201);
    for key in ["prod", "dev"] {
        let new = json!({"key": key});
        let made = app.owner.post("projects/other/environments", &new).await;
        let status = made.status;
        assert!([201, 409].contains(&status), "{status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_is_taken_out_and_brought_into_another() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let segment = json!({"kind": "createSegment", "project": "default", "segment": "beta",
            "included": ["ada"]});
        app.apply(json!([segment])).await;
        let file = export(app, "default").await;
        let text = app.owner.get("projects/default/export").await;
        assert_eq!(text.headers["content-type"], "application/yaml");
        let text = text.text;
        other(app).await;
        let import = async |file: Value, dry_run: bool| {
            let body = json!({"file": file, "dryRun": dry_run, "comment": "moved"});
            app.owner
                .post("projects/other/import", &body)
                .await
                .expect(200)
        };
        let planned = import(json!(text), true).await;
        assert_eq!(planned["changeSets"].as_array().unwrap().len(), 1);
        assert_eq!(planned["applied"], json!([]));
        assert!(!planned["diff"].as_array().unwrap().is_empty(), "{planned}");
        let done = import(json!(text), false).await;
        assert_eq!(done["applied"].as_array().unwrap().len(), 1);
        assert_eq!(
            done["diff"].as_array().unwrap().len(),
            planned["diff"].as_array().unwrap().len()
        );
        let again = import(file.clone(), false).await;
        assert_eq!(again["applied"], json!([]));
        // The same but for the id of the segment, which is the organization's to give.
        let mut there = export(app, "other").await;
        assert_ne!(
            there["segments"]["beta"]["id"],
            file["segments"]["beta"]["id"]
        );
        there["segments"]["beta"]["id"] = file["segments"]["beta"]["id"].clone();
        there["project"] = json!("default");
        assert_eq!(there, file);
    })
    .await;
}

/// A project with everything that a file holds.
async fn everything(app: &App) {
    let edit = json!({"name": "Live", "description": "Two lines,\nof which one\tis long: #1"});
    let prod = "projects/default/environments/prod";
    app.owner.patch(prod, &edit).await.expect(200);
    let stage = json!({"key": "stage"});
    let environments = "projects/default/environments";
    app.owner.post(environments, &stage).await.expect(201);
    let segment = |key: &str, environment: Option<&str>| {
        let rule = json!({"id": format!("rule-{key}"), "name": "Staff", "conditions": [
            {"property": "mail", "op": "EndsWith", "value": "@example.com"}]});
        json!({"kind": "createSegment", "segment": key, "environment": environment,
            "name": "A name", "description": "- for: [us]", "tags": ["x", "y"],
            "included": ["ada", "1"], "excluded": ["bob"], "rules": [rule]})
    };
    let commands = json!([segment("all", None), segment("old", None),
        segment("own", Some("stage")), {"kind": "archiveSegment", "segment": "old"}]);
    app.apply(commands).await;
    let all = app.owner.get("projects/default/segments/all").await;
    let own = format!("{environments}/stage/segments/own");
    let (all, own) = (
        id(&all.expect(200)),
        id(&app.owner.get(&own).await.expect(200)),
    );
    let variations = json!([{"id": "a", "value": "1", "name": "one"}, {"id": "b", "value": "2"},
        {"id": "c", "value": "3"}]);
    let part = |id: &str, from: f64, to: f64, share: f64| json!({"id": id, "rollout": [from, to], "exptRollout": share});
    let rule = json!({"id": "r", "name": "Half", "dispatchKey": "team", "includedInExpt": true,
        "variations": [part("a", 0.0, 0.5, 0.25), part("c", 0.5, 1.0, 1.0)],
        "conditions": [
            // As others write lists.
            {"property": "User is in segment", "value": format!("[ \"{all}\", \"{own}\" ]")},
            {"property": "User is not in segment", "value": format!("[\"{all}\"]")},
            {"property": "plan", "op": "IsOneOf", "value": "[\"pro\",\"team\"]"},
            {"property": "age", "op": "BiggerThan", "value": "17"}]});
    let at = |kind: &str, more: Value| {
        let mut command = json!({"kind": kind, "flag": "many", "environment": "stage"});
        command
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        command
    };
    let commands = json!([
        {"kind": "createFlag", "flag": "many", "type": "number", "name": "Many: things",
            "description": "yes", "tags": ["pay", "Core"], "variations": variations,
            "onVariation": "b", "offVariation": "a"},
        at("turnOn", json!({})),
        at("setTargets", json!({"variation": "b", "keys": ["zoe", "true"]})),
        at("setRules", json!({"rules": [rule]})),
        at("setDefaultRule", json!({"dispatchKey": "team",
            "variations": [part("a", 0.0, 0.1, 1.0), part("b", 0.1, 1.0, 1.0)]})),
        at("setOffVariation", json!({"variation": "c"})),
        at("setTracking", json!({"tracked": true, "exptIncludeAllTargets": true})),
        {"kind": "turnOff", "flag": "many", "environment": "dev"},
        create("gone"), {"kind": "turnOn", "flag": "gone", "environment": "prod"},
        {"kind": "archiveFlag", "flag": "gone"},
        {"kind": "createFlag", "flag": "text", "type": "string",
            "variations": [{"value": "a: b"}, {"value": "- c"}]},
    ]);
    app.apply(commands).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_with_everything_in_it_is_the_same_elsewhere() {
    on_each_database(async |app| {
        everything(app).await;
        // In an organization of its own, whose segments have no ids yet.
        let elsewhere = App::start(Database::Sqlite).await;
        let new = json!({"key": "copy"});
        elsewhere.owner.post("projects", &new).await.expect(201);
        let import = "projects/copy/import";
        let text = app.owner.get("projects/default/export").await.text;
        let dry = json!({"file": text, "dryRun": true});
        let planned = elsewhere.owner.post(import, &dry).await.expect(200);
        let items = planned["items"].as_array().unwrap().iter();
        let made = items.filter(|it| it["kind"] == "environment");
        let made: Vec<(&Value, &Value)> = made.map(|it| (&it["key"], &it["commands"])).collect();
        let make = json!(["createEnvironment"]);
        let keys = ["dev", "prod", "stage"].map(|it| json!(it));
        let expected: Vec<(&Value, &Value)> = keys.iter().map(|it| (it, &make)).collect();
        assert_eq!(made, expected);
        let done = elsewhere.owner.post(import, &json!({"file": text})).await;
        let done = done.expect(200);
        // Environments come in the order of their ids, which a dry run makes up.
        let sorted = |of: &Value| {
            let lines = of["diff"].as_array().unwrap().iter();
            let mut lines: Vec<String> = lines.map(ToString::to_string).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&done), sorted(&planned));
        let here = export(app, "default").await;
        let rules = &here["flags"]["many"]["environments"]["stage"]["rules"];
        let labels = json!(["project/all", "environment/own"]);
        assert_eq!(rules[0]["if"][0]["inSegments"], labels, "{rules}");
        let mut there = export(&elsewhere, "copy").await;
        there["project"] = json!("default");
        assert_eq!(there, here);
        elsewhere.stop().await;
        for format in ["yaml", "json"] {
            let path = format!("projects/default/export?format={format}");
            let file = app.owner.get(&path).await.text;
            let again = json!({"file": file, "prune": true, "dryRun": true});
            let again = app.owner.post(IMPORT, &again).await.expect(200);
            assert_eq!(again["changeSets"], json!([]), "{again}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn environments_of_a_file_are_made_by_whoever_may() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let mut file = export(app, "default").await;
        file["environments"]["stage"] = json!({"name": "Stage", "description": "Before"});
        file["environments"]["dev"]["name"] = json!("Ours");
        file["flags"]["f"]["environments"]["stage"] = json!({"enabled": true});
        let body = json!({"file": file});
        let places = "projects/default/environments";
        let before = app.owner.get(places).await.expect(200);
        // Not by who may make no environments, and none where the rest is refused.
        for lacking in ["environment.create", "environment.update", "flag.turnOn"] {
            let but = on("deny", &[lacking], &["*"]);
            let other = with(app, json!([allow(&["*"]), but])).await;
            let refused = other.post(IMPORT, &body).await.expect(403);
            let detail = refused["detail"].as_str().unwrap();
            assert!(detail.contains(&format!("`{lacking}`")), "{detail}");
            assert_eq!(app.owner.get(places).await.expect(200), before);
        }
        let done = app.owner.post(IMPORT, &body).await.expect(200);
        assert_eq!(done["items"][0]["result"], "updated", "{done}");
        let out = export(app, "default").await;
        assert_eq!(out["environments"], file["environments"]);
        let stage = app.owner.get(&format!("{places}/stage")).await.expect(200);
        assert_eq!(stage["protected"], false);
        let flag = app.owner.get("projects/default/flags/f").await.expect(200);
        assert_eq!(flag["environments"]["stage"]["isEnabled"], true, "{flag}");
        let again = app.owner.post(IMPORT, &body).await.expect(200);
        assert_eq!(again["applied"], json!([]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_bound_by_what_its_author_may_do() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let mut file = export(app, "default").await;
        file["flags"]["f"]["environments"]["prod"]["enabled"] = json!(false);
        let reader = app.caller("reader", "reader").await;
        reader
            .get("projects/default/export?format=json")
            .await
            .expect(200);
        let body = json!({"file": file});
        let refused = reader.post(IMPORT, &body).await.expect(403);
        let detail = refused["detail"].as_str().unwrap();
        assert!(detail.starts_with("flag f: "), "{detail}");
        let developer = app.caller("developer", "developer").await;
        developer
            .post(IMPORT, &json!({"file": file}))
            .await
            .expect(200);
        assert_eq!(export(app, "default").await, file);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_cannot_be_meant_is_refused_with_its_place() {
    on_each_database(async |app| {
        let bomb = "burgee: 1\nproject: &a x\nflags: {b: *a}\n";
        let deep = format!("burgee: {}{}", "[".repeat(10_000), "]".repeat(10_000));
        for (file, pointer) in [
            (json!(bomb), "/file"),
            (json!(deep), "/file"),
            (json!(7), "/file"),
            (
                json!({"burgee": 1, "project": "x", "flags": {"f": {}}}),
                "/file/flags/f",
            ),
            (json!({"burgee": 2, "project": "x"}), "/file/burgee"),
            (
                json!({"burgee": 1, "project": "x", "environments": {"a b": {}}}),
                "/file/environments/a b",
            ),
            (
                json!({"burgee": 1, "project": "x", "flags": {"f": {"type": "boolean",
                    "variations": [{"value": "true"}], "environments": {"no": {"enabled": true}}}}}),
                "/file/flags/f/environments/no",
            ),
        ] {
            let refused = app
                .owner
                .post(IMPORT, &json!({"file": file}))
                .await
                .expect(400);
            assert_eq!(refused["errors"][0]["pointer"], pointer, "{refused}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn five_thousand_flags_come_in_and_out() {
    let app = App::start(Database::Sqlite).await;
    let flag = json!({"type": "boolean", "variations": [{"value": "true"}, {"value": "false"}],
        "environments": {"prod": {"enabled": true,
            "rules": [{"if": [{"property": "country", "op": "Equal", "value": "de"}],
                "serve": "true"}]}}});
    let flags = (0..5_000).map(|number| (format!("flag-{number:04}"), flag.clone()));
    let flags: serde_json::Map<String, Value> = flags.collect();
    let file = json!({"burgee": 1, "project": "default", "flags": flags});
    let done = app
        .owner
        .post(IMPORT, &json!({"file": file}))
        .await
        .expect(200);
    assert_eq!(done["items"].as_array().unwrap().len(), 5_000);
    let out = export(&app, "default").await;
    assert_eq!(out["flags"].as_object().unwrap().len(), 5_000);
    let again = json!({"file": out, "dryRun": true, "prune": true});
    let again = app.owner.post(IMPORT, &again).await.expect(200);
    assert_eq!(again["changeSets"], json!([]));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_tells_of_change_sets_that_stand_on_each_other() {
    let app = App::start(Database::Sqlite).await;
    // The segment is made by the first set, named by flags of both, and archived by the last.
    let flag = json!({"type": "boolean", "variations": [{"value": "true"}, {"value": "false"}],
        "environments": {"prod": {"enabled": true,
            "rules": [{"if": [{"inSegments": ["project/late"]}], "serve": "true"}]}}});
    let flags = (0..200).map(|number| (format!("flag-{number:04}"), flag.clone()));
    let flags: serde_json::Map<String, Value> = flags.collect();
    let late = json!({"archived": true});
    let file = json!({"burgee": 1, "project": "default", "flags": flags,
        "segments": {"late": late}});
    set_rules(&app, "prod", one_approval()).await;
    let mut body = json!({"file": file, "dryRun": true});
    let planned = app.owner.post(IMPORT, &body).await.expect(200);
    let sets = planned["changeSets"].as_array().unwrap();
    assert_eq!(sets.len(), 2);
    for set in sets {
        assert_eq!(set["needs"][0]["environment"], "prod", "{}", set["needs"]);
        assert_eq!(set["needs"][0]["missing"], 1);
    }
    set_rules(&app, "prod", json!({})).await;
    body["dryRun"] = json!(false);
    let done = app.owner.post(IMPORT, &body).await.expect(200);
    assert_eq!(done["applied"].as_array().unwrap().len(), 2);
    let lines = |of: &Value| of["diff"].as_array().unwrap().len();
    assert_eq!(lines(&done), lines(&planned));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_goes_where_approvals_are_asked_for_by_a_request_or_in_an_emergency() {
    on_each_database(async |app| {
        let (ann, bob) = house(app).await;
        let mut file = export(app, "default").await;
        let flag = &mut file["flags"]["f"]["environments"]["prod"];
        flag["enabled"] = json!(false);
        let import = json!({"file": file, "comment": "from Git"});
        let problem = ann.post(IMPORT, &import).await.problem(403);
        assert_eq!(problem.code(), "approvalRequired", "{}", problem.body);

        let dry = json!({"file": file, "dryRun": true});
        let planned = ann.post(IMPORT, &dry).await.expect(200);
        let set = &planned["changeSets"][0];
        assert_eq!(set["needs"][0]["missing"], 1, "{set}");
        let request = json!({"title": "From Git", "commands": set["commands"],
            "base": set["base"]});
        let asked = id(&ann.post("requests", &request).await.expect(201));
        review(&bob, &asked, "approve").await;
        ann.post(&apply_path(&asked), &json!({})).await.expect(200);
        assert_eq!(export(app, "default").await, file);

        let mut back = import.clone();
        back["file"]["flags"]["f"]["environments"]["prod"]["enabled"] = json!(true);
        back["override"] = json!({"reason": " "});
        let problem = app.owner.post(IMPORT, &back).await.problem(400);
        assert_eq!(problem.pointers(), ["/override/reason"]);
        back["override"] = json!({"reason": "it burns"});
        let but = on("deny", &["change.override"], &["project/default:env/prod"]);
        let other = with(app, json!([allow(&["*"]), but])).await;
        let problem = other.post(IMPORT, &back).await.problem(403);
        assert_eq!(problem.code(), "forbidden", "{}", problem.body);
        let done = app.owner.post(IMPORT, &back).await.expect(200);
        assert_eq!(done["diff"][0]["code"], "approvalOverridden", "{done}");
        let entry = format!("changes/{}", done["applied"][0].as_str().unwrap());
        let entry = app.owner.get(&entry).await.expect(200);
        let overridden = json!({"reason": "it burns", "environments": ["default/prod"]});
        assert_eq!(entry["overridden"], overridden);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn featbits_files_and_forgetting_can_go_without_approvals_in_an_emergency() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let (yes, _) = variations(&app.owner, "f").await;
        let target = json!({"kind": "addTargets", "flag": "f", "environment": "prod",
            "variation": yes, "keys": ["zoe"]});
        app.apply(json!([target])).await;
        set_rules(app, "prod", one_approval()).await;
        let flag = json!({"id": "g", "key": "g", "variationType": "boolean", "isEnabled": true,
            "variations": [{"id": "t", "value": "true"}], "disabledVariationId": "t",
            "fallthrough": {"variations": [{"id": "t", "rollout": [0, 1]}]}});
        let featbit = "projects/default/environments/prod/import/featbit";
        let files = json!({"flags": [flag]});
        let mut dry = files.clone();
        dry["dryRun"] = json!(true);
        let planned = app.owner.post(featbit, &dry).await.expect(200);
        assert_eq!(planned["needs"][0]["missing"], 1, "{planned}");
        for (path, body) in [(featbit, files), ("users/forget", json!({"key": "zoe"}))] {
            let problem = app.owner.post(path, &body).await.problem(403);
            assert_eq!(problem.code(), "approvalRequired", "{}", problem.body);
            let mut now = body;
            now["override"] = json!({"reason": "cannot wait"});
            app.owner.post(path, &now).await.expect(200);
            let last = app.owner.get("projects/default/changes?limit=1").await;
            let last = &last.expect(200)["items"][0];
            assert_eq!(last["overridden"]["reason"], "cannot wait", "{last}");
        }
        let naming = json!({"key": "ida", "override": {"reason": "asked by ida"}});
        let problem = app.owner.post("users/forget", &naming).await.problem(400);
        assert_eq!(problem.pointers(), ["/override/reason"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn featbits_files_come_in_by_one_change_set() {
    on_each_database(async |app| {
        let path = "projects/default/environments/prod/import/featbit";
        let variations = json!([{"id": "t", "value": "true"}, {"id": "f", "value": "false"}]);
        let flag = |key: &str| {
            json!({"id": format!("id-{key}"), "key": key, "name": key,
                "variationType": "boolean", "variations": variations, "isEnabled": true,
                "disabledVariationId": "f",
                "fallthrough": {"variations": [{"id": "t", "rollout": [0, 1]}]}})
        };
        let files = json!({"flags": [flag("a"), {"key": 1}], "segments": [
            {"id": "s1", "name": "Testers", "included": ["ada"]}]});
        let mut dry = files.clone();
        dry["dryRun"] = json!(true);
        let planned = app.owner.post(path, &dry).await.expect(200);
        let results = planned["items"].as_array().unwrap().iter();
        let results: Vec<&str> = results.map(|it| it["result"].as_str().unwrap()).collect();
        assert_eq!(results, ["created", "created", "refused"]);
        app.owner.get("projects/default/flags/a").await.expect(404);
        let done = app.owner.post(path, &files).await.expect(200);
        assert_eq!(done["items"], planned["items"]);
        let made = app.owner.get("projects/default/flags/a").await.expect(200);
        assert_eq!(made["id"], "id-a");
        let reader = app.caller("reader", "reader").await;
        let refused = reader.post(path, &json!({"flags": [flag("b")]})).await;
        refused.expect(403);
        app.owner.get("projects/default/flags/b").await.expect(404);
    })
    .await;
}
