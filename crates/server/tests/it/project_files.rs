//! A project as a file by the API, and FeatBit's files.

use serde_json::{Value, json};

use crate::kit::{App, flag_on, on_each_database};

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
        assert_eq!(planned["changeSets"], 1);
        assert_eq!(planned["applied"], json!([]));
        assert!(!planned["diff"].as_array().unwrap().is_empty(), "{planned}");
        let done = import(json!(text), false).await;
        assert_eq!(
            done["diff"].as_array().unwrap().len(),
            planned["diff"].as_array().unwrap().len()
        );
        let again = import(file.clone(), false).await;
        assert_eq!(
            (&again["changeSets"], &again["applied"]),
            (&json!(0), &json!([]))
        );
        // The same but for the id of the segment, which is the organization's to give.
        let mut there = export(app, "other").await;
        assert_ne!(
            there["segments"]["beta"]["id"],
            file["segments"]["beta"]["id"]
        );
        there["segments"]["beta"]["id"] = file["segments"]["beta"]["id"].clone();
        there["project"] = json!("default");
        for key in ["prod", "dev"] {
            there["environments"][key] = file["environments"][key].clone();
        }
        assert_eq!(there, file);
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
                json!({"burgee": 1, "project": "x", "environments": {"no": {}}}),
                "/file/environments/no",
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
    let app = App::start(crate::kit::Database::Sqlite).await;
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
    assert_eq!(again["changeSets"], 0);
    app.stop().await;
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
