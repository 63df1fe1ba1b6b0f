//! The base of a change set: what others changed after it is told, by whom, also where they removed
//! what the set edits; and a base is never silently without effect.

use reqwest::Method;
use serde_json::{Value, json};

use crate::access::neighbour;
use crate::kit::{App, create, flag_on, in_prod, on_each_database, variations};

const PATH: &str = "projects/default/changes";

/// A command with fields on a flag's targeting in `prod`.
fn with(mut command: Value, fields: Value) -> Value {
    for (name, value) in fields.as_object().unwrap() {
        command[name] = value.clone();
    }
    command
}

fn rule(id: &str, variation: &str, segment: &str) -> Value {
    let condition =
        json!({"property": "User is in segment", "value": json!([segment]).to_string()});
    json!({"id": id, "variation": variation, "conditions": [condition]})
}

/// A flag with a rule on a segment, archived things beside it; what its author saw.
async fn house(app: &App) -> (Value, String) {
    app.apply(flag_on("f")).await;
    let (on, _) = variations(&app.owner, "f").await;
    app.apply(json!([
        {"kind": "createSegment", "segment": "s", "id": "id-of-s"},
        {"kind": "createSegment", "segment": "t", "id": "id-of-t"},
        {"kind": "archiveSegment", "segment": "t"},
        with(in_prod("addRule", "f"), json!({"rule": rule("r", &on, "id-of-s")})),
    ]))
    .await;
    let seen = app.owner.get("projects/default/flags/f").await.expect(200);
    (seen["versions"].clone(), on)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_removed_is_a_conflict_and_says_who() {
    on_each_database(async |app| {
        let (base, on) = house(app).await;
        let oscar = app.caller("oscar", "owner").await;
        let update = with(
            in_prod("updateRule", "f"),
            json!({"rule": rule("r", &on, "id-of-s")}),
        );
        let use_t = with(
            in_prod("addRule", "f"),
            json!({"rule": rule("q", &on, "id-of-t")}),
        );
        let tag_t = json!({"kind": "setSegmentTags", "segment": "t", "tags": ["x"]});
        let third = json!({"kind": "setOffVariation", "flag": "f", "environment": "prod",
            "variation": "third"});
        let off = in_prod("turnOff", "f");
        let delete_t = json!({"kind": "deleteSegment", "segment": "t"});
        let remove = with(in_prod("removeRule", "f"), json!({"rule": "r"}));
        let archive = json!({"kind": "archiveFlag", "flag": "f"});
        let delete = json!({"kind": "deleteFlag", "flag": "f"});
        let life = || json!(["life"]);
        let of_t = vec![(&use_t, 400, "t", life()), (&tag_t, 404, "t", life())];
        // What oscar does; what olivia's set then meets, and how it is refused without a base.
        let story = [
            (remove, vec![(&update, 400, "f", json!([{"rule": "r"}]))]),
            (delete_t, of_t),
            (archive, vec![(&off, 400, "f", life())]),
            (delete, vec![(&off, 404, "f", life())]),
        ];
        for (theirs, ours) in story {
            let set = json!({"comment": "no longer", "commands": [theirs]});
            let theirs = oscar.post(PATH, &set).await.expect(200);
            for (command, status, key, facets) in ours {
                let set = json!({"base": base, "commands": [create("g"), command]});
                let problem = app.owner.post(PATH, &set).await.problem(412);
                assert_eq!(problem.code(), "baseConflict", "{}", problem.body);
                let conflicts = problem.body["conflicts"].as_array().unwrap();
                let last = conflicts.last().unwrap();
                assert_eq!(last["key"], key, "{}", problem.body);
                assert_eq!(last["facets"], facets, "{}", problem.body);
                assert_eq!(last["by"], "oscar", "{}", problem.body);
                assert_eq!(last["comment"], "no longer", "{}", problem.body);
                let scope = last["scope"].as_str().unwrap();
                assert_eq!(
                    last["version"], theirs["versions"][scope],
                    "{}",
                    problem.body
                );
                // Without a base it is what it is.
                let set = json!({"commands": [create("g"), command]});
                let problem = app.owner.post(PATH, &set).await.problem(status);
                assert!(
                    problem.pointers()[0].starts_with("/commands/1/"),
                    "{}",
                    problem.body
                );
            }
        }
        // Nobody's doing stays a plain refusal, with a base too.
        let set =
            json!({"base": base, "commands": [create("g"), with(third, json!({"flag": "g"}))]});
        let problem = app.owner.post(PATH, &set).await.problem(400);
        assert_eq!(problem.code(), "variationUnknown", "{}", problem.body);
        app.owner.get("projects/default/flags/g").await.problem(404);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_is_never_without_effect() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let seen = app.owner.get("projects/default/flags/f").await.expect(200);
        let prod = seen["versions"]["default/prod"].as_i64().unwrap();
        app.owner
            .post("projects", &json!({"key": "web"}))
            .await
            .expect(201);
        let path = "projects/web/environments";
        app.owner
            .post(path, &json!({"key": "prod"}))
            .await
            .expect(201);
        let web = app
            .owner
            .get("projects/web/environments/prod")
            .await
            .expect(200);
        let web = web["version"].as_i64().unwrap();
        let post = async |base: Value| {
            let set = json!({"base": base, "commands": [in_prod("turnOff", "f")]});
            app.owner.post(PATH, &set).await
        };
        neighbour(app).await;
        for (base, pointer) in [
            // Twice the same scope, whichever of the two were meant.
            (
                json!({"default/prod": prod, "Default/PROD": prod}),
                "/base/default~1prod",
            ),
            // Scopes that the set does not touch: they must be there, and have had the version.
            (json!({"web/prod": web + 1}), "/base/web~1prod"),
            (json!({"web": 1}), "/base/web"),
            (json!({"web/prod": -1}), "/base/web~1prod"),
            (json!({"web/dev": 0}), "/base/web~1dev"),
            (json!({"web/prod/": 0}), "/base/web~1prod~1"),
            (json!({"a\u{0}": 0}), "/base/a\u{0}"),
            // What belongs to another organization is not there, like what is nowhere.
            (json!({"theirs": 0}), "/base/theirs"),
            (json!({"theirs/prod": 0}), "/base/theirs~1prod"),
            (json!({"nobodys": 0}), "/base/nobodys"),
        ] {
            let problem = post(base.clone()).await.problem(400);
            assert_eq!(problem.pointers(), [pointer], "{base}: {}", problem.body);
            if pointer.contains("theirs") || pointer.contains("nobodys") {
                let detail = problem.body["errors"][0]["detail"].as_str().unwrap();
                assert_eq!(detail, "there is no such project, or project/environment");
            }
        }
        let many: serde_json::Map<String, Value> =
            (0..1_001).map(|n| (format!("p{n}"), json!(0))).collect();
        let problem = post(Value::Object(many)).await.problem(400);
        assert_eq!(problem.pointers(), ["/base"], "{}", problem.body);
        // JSON lets a name stand twice; readers would take the last.
        let body = format!(
            r#"{{"base": {{"default/prod": {}, "default/prod": {prod}}}, "commands": []}}"#,
            prod - 1
        );
        let path = format!("/api/v1/{PATH}");
        let answer = app.owner.try_send(Method::POST, &path, Some(body)).await;
        let problem = answer.unwrap().problem(400);
        assert_eq!(problem.pointers(), ["/base"], "{}", problem.body);

        // Those that are well are passed over.
        post(json!({"": 0, "web": 0, "WEB/Prod": web, "default/prod": prod}))
            .await
            .expect(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_point_at_the_field_from_the_whole_body() {
    on_each_database(async |app| {
        let mut f = create("f");
        f["id"] = json!("taken");
        app.apply(json!([
            f,
            create("g"),
            in_prod("turnOn", "f"),
            {"kind": "createSegment", "segment": "s", "id": "taken"},
        ]))
        .await;
        let id = |mut command: Value| {
            command["id"] = json!("taken");
            command
        };
        let segment =
            |fields: Value| with(json!({"kind": "createSegment", "segment": "new"}), fields);
        let ids = json!(["a\u{0}"]).to_string();
        let condition = json!({"property": "User is in segment", "value": ids});
        let rows = [
            (id(create("new")), "/commands/1/id", "duplicateId"),
            (id(segment(json!({}))), "/commands/1/id", "duplicateId"),
            (
                id(segment(json!({"environment": "prod"}))),
                "/commands/1/id",
                "duplicateId",
            ),
            (
                in_prod("turnOn", "a\u{0}"),
                "/commands/1/flag",
                "nulCharacter",
            ),
            (
                with(in_prod("removeRule", "f"), json!({"rule": "\u{0}"})),
                "/commands/1/rule",
                "nulCharacter",
            ),
            (
                with(
                    in_prod("setRules", "f"),
                    json!({"rules": [{"variation": "x",
                    "conditions": [condition]}]}),
                ),
                "/commands/1/rules/0/conditions/0/value",
                "idInvalid",
            ),
            (
                segment(json!({"included": ["u", "\u{0}"]})),
                "/commands/1/included/1",
                "nulCharacter",
            ),
        ];
        for (command, pointer, code) in rows {
            let set = json!({"commands": [in_prod("turnOff", "g"), command]});
            let problem = app.owner.post(PATH, &set).await.problem(400);
            assert_eq!(problem.pointers(), [pointer], "{}", problem.body);
            assert_eq!(problem.code(), code, "{}", problem.body);
        }
        for (list, name) in [
            ("projects/default/flags", "search"),
            ("projects/default/flags", "tag"),
            ("segments", "search"),
            ("projects", "cursor"),
        ] {
            let answer = app.owner.get(&format!("{list}?limit=1&{name}=a%00b")).await;
            let problem = answer.problem(400);
            assert_eq!(problem.pointers(), [name], "{}", problem.body);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_set_is_rebased_in_one_call_and_told_what_differs() {
    on_each_database(async |app| {
        let (base, on) = house(app).await;
        let oscar = app.caller("oscar", "owner").await;
        let theirs = json!({"comment": "quick", "commands": [in_prod("turnOff", "f")]});
        let theirs = oscar.post(PATH, &theirs).await.expect(200);
        let mut ours = json!({"base": base, "commands": [in_prod("turnOn", "f"), create("g")]});
        app.owner.post(PATH, &ours).await.problem(412);

        ours["rebase"] = json!(true);
        ours["dryRun"] = json!(true);
        let shown = app.owner.post(PATH, &ours).await.expect(200);
        let [differs] = shown["differences"].as_array().unwrap().as_slice() else {
            panic!("{shown}");
        };
        assert_eq!(differs["facets"], json!(["onOff"]));
        assert_eq!(differs["comment"], "quick");
        assert_eq!(differs["version"], theirs["versions"]["default/prod"]);
        let off = app.owner.get("projects/default/flags/f").await.expect(200);
        assert_eq!(off["environments"]["prod"]["isEnabled"], false, "{off}");

        ours["dryRun"] = json!(false);
        let done = app.owner.post(PATH, &ours).await.expect(200);
        assert_eq!(done["differences"], shown["differences"]);
        let flag = app.owner.get("projects/default/flags/f").await.expect(200);
        assert_eq!(flag["environments"]["prod"]["isEnabled"], true);

        // What is gone cannot be edited by anybody.
        let remove = with(in_prod("removeRule", "f"), json!({"rule": "r"}));
        let remove = json!({"commands": [remove]});
        oscar.post(PATH, &remove).await.expect(200);
        let update = with(
            in_prod("updateRule", "f"),
            json!({"rule": rule("r", &on, "id-of-s")}),
        );
        let update = json!({"base": base, "rebase": true, "commands": [update]});
        let problem = app.owner.post(PATH, &update).await.problem(412);
        assert_eq!(problem.code(), "baseConflict");
    })
    .await;
}
