//! Change sets: applied whole or not at all, once, and only on what their author saw.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::kit::{App, Database, create, flag_on, in_prod, on_each_database, texts, variations};

async fn version(app: &App, environment: &str) -> i64 {
    let path = format!("projects/default/environments/{environment}");
    let found = app.owner.get(&path).await.expect(200);
    found["version"].as_i64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flag_is_made_released_and_turned_on() {
    on_each_database(async |app| {
        let before = version(app, "prod").await;
        let made = app.apply(json!([create("f")])).await;
        assert_eq!(
            made["versions"],
            json!({"default": 1}),
            "not released yet: {made}"
        );
        assert_eq!(made["dryRun"], false, "{made}");
        assert_eq!(version(app, "prod").await, before);
        let flag = app.owner.get("projects/default/flags/f").await.expect(200);
        assert_eq!(flag["environments"], json!({}), "{flag}");
        assert_eq!(flag["versions"]["default"], 1, "{flag}");
        assert_eq!(flag["versions"]["default/prod"], before, "{flag}");

        let on = app.apply(json!([in_prod("turnOn", "f")])).await;
        assert_eq!(on["versions"], json!({"default/prod": before + 1}), "{on}");
        assert!(on["diff"].to_string().contains("f"), "{on}");
        let flag = app.owner.get("projects/default/flags/F").await.expect(200);
        assert_eq!(flag["environments"]["prod"]["isEnabled"], true, "{flag}");
        assert!(flag["environments"].get("dev").is_none(), "{flag}");

        // What is so already changes nothing.
        let again = app.apply(json!([in_prod("turnOn", "f")])).await;
        assert_eq!(again["versions"], json!({}), "{again}");
        assert_eq!(again["diff"], json!([]), "{again}");
        assert_eq!(version(app, "prod").await, before + 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_leaves_nothing() {
    on_each_database(async |app| {
        app.apply(flag_on("there")).await;
        let (before, history) = (version(app, "prod").await, history(app).await);
        let id = Uuid::now_v7().to_string();
        let commands = json!([
            create("new"),
            in_prod("turnOn", "new"),
            in_prod("turnOff", "there")
        ]);
        let set = json!({"id": id, "dryRun": true, "commands": commands});
        let path = "projects/default/changes";
        let shown = app.owner.post(path, &set).await.expect(200);
        assert_eq!(shown["dryRun"], true, "{shown}");
        assert_eq!(shown["versions"]["default/prod"], before + 1, "{shown}");
        assert!(!shown["diff"].as_array().unwrap().is_empty(), "{shown}");

        app.owner
            .get("projects/default/flags/new")
            .await
            .problem(404);
        assert_eq!(version(app, "prod").await, before);
        assert_eq!(self::history(app).await, history);
        let sdk = app.server_sdk("prod").await;
        assert_eq!(sdk.is_on("there"), Some(true));
        assert!(!sdk.flags.contains_key("new"));

        // Its id is still free, and it does what it said.
        let set = json!({"id": id, "commands": commands});
        let done = app.owner.post(path, &set).await.expect(200);
        assert_eq!(done["versions"], shown["versions"], "{done}");
        assert_eq!(done["diff"], shown["diff"], "{done}");
    })
    .await;
}

async fn history(app: &App) -> Value {
    app.owner.get("projects/default/changes").await.expect(200)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_does_nothing_twice() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let id = Uuid::now_v7().to_string();
        let set = json!({"id": id, "comment": "once", "commands": [in_prod("turnOff", "f")]});
        let path = "projects/default/changes";
        let first = app.owner.post(path, &set).await.expect(200);
        assert_eq!(first["id"], id.as_str(), "{first}");
        app.apply(json!([in_prod("turnOn", "f")])).await;
        let at = version(app, "prod").await;
        let again = app.owner.post(path, &set).await.expect(200);
        assert_eq!(again, first);
        assert_eq!(version(app, "prod").await, at);
        let flag = app.owner.get("projects/default/flags/f").await.expect(200);
        assert_eq!(flag["environments"]["prod"]["isEnabled"], true, "{flag}");
        // The same UUID however it is written.
        let mut upper = set.clone();
        upper["id"] = json!(id.to_uppercase());
        assert_eq!(app.owner.post(path, &upper).await.expect(200), first);

        for other in [
            json!({"id": id, "comment": "once", "commands": [in_prod("turnOn", "f")]}),
            json!({"id": id, "comment": "twice", "commands": [in_prod("turnOff", "f")]}),
        ] {
            let problem = app.owner.post(path, &other).await.problem(409);
            assert_eq!(problem.pointers(), ["/id"], "{}", problem.body);
            assert_eq!(problem.code(), "idReused", "{}", problem.body);
        }
        let bad = json!({"id": "no uuid", "commands": []});
        let problem = app.owner.post(path, &bad).await.problem(400);
        assert_eq!(problem.pointers(), ["/id"], "{}", problem.body);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_names_what_and_who() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let seen = app.owner.get("projects/default/flags/f").await.expect(200);
        let base = json!({"default/prod": seen["versions"]["default/prod"]});
        let other = app.caller("oscar", "owner").await;
        let off = json!({"comment": "it burns", "commands": [in_prod("turnOff", "f")]});
        let path = "projects/default/changes";
        let theirs = other.post(path, &off).await.expect(200);

        // Another part of the same flag: no conflict.
        let (on, _) = variations(&app.owner, "f").await;
        let targets = json!({"kind": "setTargets", "flag": "f", "environment": "prod",
            "variation": on, "keys": ["vip"]});
        let set = json!({"base": base, "commands": [targets]});
        app.owner.post(path, &set).await.expect(200);

        // The same part: told by whom, and nothing of the set is done.
        let set = json!({"base": base, "commands": [create("g"), in_prod("turnOn", "f")]});
        let problem = app.owner.post(path, &set).await.problem(412);
        assert_eq!(problem.code(), "baseConflict", "{}", problem.body);
        let conflicts = problem.body["conflicts"].as_array().unwrap();
        assert_eq!(conflicts.len(), 1, "{}", problem.body);
        let conflict = &conflicts[0];
        assert_eq!(conflict["scope"], "default/prod", "{conflict}");
        assert_eq!(
            conflict["version"], theirs["versions"]["default/prod"],
            "{conflict}"
        );
        assert_eq!(conflict["kind"], "flag", "{conflict}");
        assert_eq!(conflict["key"], "f", "{conflict}");
        assert_eq!(conflict["facets"], json!(["onOff"]), "{conflict}");
        assert_eq!(conflict["by"], "oscar", "{conflict}");
        assert_eq!(conflict["comment"], "it burns", "{conflict}");
        assert!(
            conflict["at"].as_str().unwrap().ends_with('Z'),
            "{conflict}"
        );
        app.owner.get("projects/default/flags/g").await.problem(404);

        // Having looked again, it works.
        let seen = app.owner.get("projects/default/flags/f").await.expect(200);
        let set = json!({"base": seen["versions"], "commands": [in_prod("turnOn", "f")]});
        app.owner.post(path, &set).await.expect(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_pointed_at_and_nothing_is_done() {
    let app = App::start(Database::Sqlite).await;
    app.apply(flag_on("f")).await;
    let before = history(&app).await;
    let good = create("g");
    let with = |bad: Value| json!({"commands": [good, bad]});
    let rows = [
        (json!({"commands": [good], "coment": "x"}), 400, "/coment"),
        (
            json!({"commands": [good], "base": {"default": "1"}}),
            400,
            "/base/default",
        ),
        (json!({"commands": {}}), 400, "/commands"),
        (
            json!({"commands": [good], "comment": "x".repeat(100_000)}),
            400,
            "/comment",
        ),
        (
            json!({"commands": [good], "comment": "a\u{0}"}),
            400,
            "/comment",
        ),
        (with(json!("turnOn")), 400, "/commands/1"),
        (
            with(json!({"kind": "toggle", "flag": "f"})),
            400,
            "/commands/1/kind",
        ),
        (
            with(json!({"kind": "turnOn", "flag": "f"})),
            400,
            "/commands/1",
        ),
        (
            with(json!({"kind": "turnOn", "flag": "f", "environment": "prod", "really": true})),
            400,
            "/commands/1/really",
        ),
        (in_other(&good), 400, "/commands/1/project"),
        (with(in_prod("turnOn", "none")), 404, "/commands/1/flag"),
        (
            with(json!({"kind": "turnOn", "flag": "f", "environment": "none"})),
            404,
            "/commands/1/environment",
        ),
        (
            with(
                json!({"kind": "setTargets", "flag": "f", "environment": "prod",
                "variation": "none", "keys": []}),
            ),
            400,
            "/commands/1/variation",
        ),
        (with(create("f")), 400, "/commands/1/flag"),
    ];
    for (set, status, pointer) in rows {
        let answer = app.owner.post("projects/default/changes", &set).await;
        let problem = answer.problem(status);
        assert_eq!(problem.pointers(), [pointer], "{}", problem.body);
    }
    assert_eq!(history(&app).await, before);
    app.owner.get("projects/default/flags/g").await.problem(404);
    app.stop().await;
}

fn in_other(good: &Value) -> Value {
    let other = json!({"kind": "turnOn", "project": "other", "flag": "f", "environment": "prod"});
    json!({"commands": [good, other]})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_set_of_the_organization_reaches_several_projects_at_once() {
    on_each_database(async |app| {
        app.owner
            .post("projects", &json!({"key": "web"}))
            .await
            .expect(201);
        let path = "projects/web/environments";
        app.owner
            .post(path, &json!({"key": "prod"}))
            .await
            .expect(201);
        let mut commands = Vec::new();
        for project in ["default", "WEB"] {
            for mut command in [create("both"), in_prod("turnOn", "both")] {
                command["project"] = json!(project);
                commands.push(command);
            }
        }
        let set = json!({"comment": "everywhere", "commands": commands});
        let done = app.owner.post("changes", &set).await.expect(200);
        let moved: Vec<_> = done["versions"].as_object().unwrap().keys().collect();
        assert_eq!(
            moved,
            ["default", "default/prod", "web", "web/prod"],
            "{done}"
        );
        for project in ["default", "web"] {
            let path = format!("projects/{project}/environments/prod/changes");
            let listed = app.owner.get(&path).await.expect(200);
            assert_eq!(
                texts(&listed, "id")[0],
                done["id"].as_str().unwrap(),
                "{listed}"
            );
        }

        // A command that fails in one project leaves the other alone too.
        let set = json!({"commands": [
            {"kind": "turnOff", "project": "default", "flag": "both", "environment": "prod"},
            {"kind": "turnOff", "project": "web", "flag": "both", "environment": "none"}]});
        let problem = app.owner.post("changes", &set).await.problem(404);
        assert_eq!(
            problem.pointers(),
            ["/commands/1/environment"],
            "{}",
            problem.body
        );
        let flag = app
            .owner
            .get("projects/default/flags/both")
            .await
            .expect(200);
        assert_eq!(flag["environments"]["prod"]["isEnabled"], true, "{flag}");

        // Without a project in the address, each command must say which.
        let set = json!({"commands": [create("whose")]});
        let problem = app.owner.post("changes", &set).await.problem(400);
        assert_eq!(problem.pointers(), ["/commands/0"], "{}", problem.body);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_that_cannot_be_meant_is_refused() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let path = "projects/default/changes";
        let post = async |base: Value| {
            let set = json!({"base": base, "commands": [in_prod("turnOff", "f")]});
            app.owner.post(path, &set).await
        };
        let at = version(app, "prod").await;
        // A misspelt scope must not silently check nothing, nor a version that never was.
        for (scope, pointer) in [
            ("default/prd", "/base/default~1prd"),
            ("prod", "/base/prod"),
        ] {
            let problem = post(json!({scope: at})).await.problem(400);
            assert_eq!(problem.pointers(), [pointer], "{}", problem.body);
        }
        for version in [at + 1, -1] {
            let problem = post(json!({"default/prod": version})).await.problem(400);
            assert_eq!(
                problem.pointers(),
                ["/base/default~1prod"],
                "{}",
                problem.body
            );
        }
        // Scopes that the set does not touch may be named: people send what they saw.
        let seen = app.owner.get("projects/default/flags/f").await.expect(200);
        post(seen["versions"].clone()).await.expect(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn warnings_say_what_some_sdks_do_not_know() {
    let app = App::start(Database::Sqlite).await;
    app.apply(flag_on("f")).await;
    let (on, _) = variations(&app.owner, "f").await;
    let rule = json!({"variation": on,
        "conditions": [{"property": "version", "op": "SemverBiggerThan", "value": "1.2.3"}]});
    let rule = json!({"kind": "addRule", "flag": "f", "environment": "prod", "rule": rule});
    let set = json!({"commands": [rule]});
    let answer = app.owner.post("projects/default/changes", &set).await;
    let done = answer.expect(200);
    assert_eq!(done["warnings"][0]["command"], 0, "{done}");
    let words = "server SDKs (Node.js, Python, Java, Go, .NET) take it as no match";
    let message = done["warnings"][0]["message"].as_str().unwrap();
    assert!(message.contains(words), "{message}");
    app.stop().await;
}
