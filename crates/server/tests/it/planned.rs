//! Change sets that are worked out: promotions, copies, selections; and environments side by side.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::kit::{App, create, flag_on, in_prod, on_each_database, texts, variations};

const DEV: &str = "projects/default/environments/dev";

async fn flag(app: &App, key: &str) -> Value {
    let path = format!("projects/default/flags/{key}");
    app.owner.get(&path).await.expect(200)
}

/// The kinds of the commands of a plan.
fn kinds(planned: &Value) -> Vec<String> {
    texts(&json!({"items": planned["commands"]}), "kind")
}

/// A flag that is on in `dev`, with a rule, a target and a rollout, and off in `prod`.
async fn ready(app: &App) -> (String, String) {
    app.apply(json!([create("f"), in_prod("turnOff", "f")]))
        .await;
    let (on, off) = variations(&app.owner, "f").await;
    let dev = |kind: &str, fields: Value| {
        let mut command = json!({"kind": kind, "flag": "f", "environment": "dev"});
        for (name, value) in fields.as_object().unwrap() {
            command[name] = value.clone();
        }
        command
    };
    let rule = json!({"id": "r", "name": "R", "variation": on,
        "conditions": [{"property": "age", "op": "BiggerThan", "value": "7"}]});
    app.apply(json!([
        dev("turnOn", json!({})),
        dev("addRule", json!({ "rule": rule })),
        dev("setTargets", json!({"variation": on, "keys": ["ann"]})),
        dev("setDefaultRule", json!({"variation": off})),
    ]))
    .await;
    (on, off)
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_are_promoted_by_a_change_set() {
    on_each_database(async |app| {
        ready(app).await;
        let path = format!("{DEV}/promote");
        let body = json!({"to": "prod", "flags": ["F"], "targets": "skip", "dryRun": true});
        let would = app.owner.post(&path, &body).await.expect(200);
        assert_eq!(
            kinds(&would),
            ["addRule", "setDefaultRule", "turnOn"],
            "{would}"
        );
        assert_eq!(
            flag(app, "f").await["environments"]["prod"]["isEnabled"],
            false
        );

        let id = Uuid::now_v7().to_string();
        let body = json!({"id": id, "to": "prod", "flags": ["f"], "targets": "copy",
            "facets": ["rules", "onOff"]});
        let done = app.owner.post(&path, &body).await.expect(200);
        assert_eq!(kinds(&done), ["addRule", "setTargets", "turnOn"], "{done}");
        let again = app.owner.post(&path, &body).await.expect(200);
        assert_eq!(again["result"], done["result"]);
        let found = flag(app, "f").await;
        let (prod, dev) = (
            &found["environments"]["prod"],
            &found["environments"]["dev"],
        );
        for part in ["isEnabled", "rules", "targets"] {
            assert_eq!(prod[part], dev[part], "{part}");
        }
        assert_ne!(prod["defaultRule"], dev["defaultRule"]);

        app.apply(json!([create("new")])).await;
        for (fields, pointer) in [
            (json!({"flags": []}), "/flags"),
            (json!({"flags": ["nowhere"]}), "/flags/0"),
            (json!({"flags": ["f", "new"]}), "/flags/1"),
            (json!({"facets": []}), "/facets"),
            (json!({"facets": ["targets"]}), "/facets"),
            (json!({"targets": null}), "/targets"),
        ] {
            let mut body = json!({"to": "prod", "flags": ["f"], "targets": "skip"});
            for (name, value) in fields.as_object().unwrap() {
                body[name] = value.clone();
            }
            let problem = app.owner.post(&path, &body).await.problem(400);
            assert_eq!(problem.pointers(), [pointer], "{body}");
        }
        let nowhere = json!({"to": "nowhere", "flags": ["f"], "targets": "skip"});
        app.owner.post(&path, &nowhere).await.problem(404);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_about_segments_of_one_environment_need_a_word() {
    on_each_database(async |app| {
        let segment = |id: &str, environment: &str| {
            json!({"kind": "createSegment", "segment": "vip", "id": id,
                "environment": environment})
        };
        app.apply(json!([create("f"), segment("vip-dev", "dev")]))
            .await;
        let (on, _) = variations(&app.owner, "f").await;
        let about = json!([{"property": "User is in segment", "value": "[\"vip-dev\"]"}]);
        let rules = json!([{"id": "r", "name": "R", "conditions": about, "variation": on},
            {"id": "s", "name": "S", "conditions": [], "variation": on}]);
        app.apply(json!([{"kind": "setRules", "flag": "f", "environment": "dev", "rules": rules}]))
            .await;
        let path = format!("{DEV}/promote");
        let body = |what: &str| {
            json!({"to": "prod", "flags": ["f"], "targets": "skip", "facets": ["rules"],
                "environmentSegments": what, "dryRun": true})
        };
        for what in ["fail", "map"] {
            let problem = app.owner.post(&path, &body(what)).await.problem(400);
            assert_eq!(problem.pointers(), ["/flags/0"], "{what}");
            assert!(problem.body.to_string().contains("vip"), "{}", problem.body);
        }
        let skipped = app.owner.post(&path, &body("skip")).await.expect(200);
        assert_eq!(skipped["warnings"][0]["code"], "ruleLeftOut", "{skipped}");
        assert_eq!(kinds(&skipped), ["addRule"], "{skipped}");
        app.apply(json!([segment("vip-prod", "prod")])).await;
        let mapped = app.owner.post(&path, &body("map")).await.expect(200);
        let text = mapped["commands"].to_string();
        assert!(
            text.contains("vip-prod") && !text.contains("vip-dev"),
            "{mapped}"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn environments_are_compared_side_by_side() {
    on_each_database(async |app| {
        ready(app).await;
        app.apply(json!([create("same")])).await;
        let path = "projects/default/compare?environments=prod,dev";
        let found = app.owner.get(&format!("{path}&flag=f")).await.expect(200);
        assert_eq!(found["environments"], json!(["prod", "dev"]));
        let compared = &found["items"][0];
        assert_eq!(compared["equal"], false);
        let facet = |name: &str| {
            let facets = compared["facets"].as_array().unwrap();
            facets
                .iter()
                .find(|it| it["facet"] == name)
                .unwrap()
                .clone()
        };
        assert_eq!(facet("onOff")["sides"][0]["value"], false);
        assert_eq!(facet("onOff")["sides"][1]["words"], "on");
        assert_eq!(
            facet("targets")["sides"][1]["value"][0]["keys"],
            json!(["ann"])
        );
        assert_eq!(facet("rules")["sides"][0]["words"], "no rules");
        assert_eq!(facet("tracking")["equal"], true);
        assert!(facet("tracking").get("sides").is_none());

        // Released in one of them alone, each part stands beside nothing.
        let on = json!([create("some"), {"kind": "turnOn", "flag": "some", "environment": "dev"}]);
        app.apply(on).await;
        let found = app
            .owner
            .get(&format!("{path}&flag=some"))
            .await
            .expect(200);
        let some = &found["items"][0];
        assert_eq!(
            (&some["equal"], &some["released"]),
            (&json!(false), &json!([false, true]))
        );
        for facet in some["facets"].as_array().unwrap() {
            assert_eq!(facet["sides"][0], Value::Null, "{facet}");
            assert!(facet["sides"][1]["words"].is_string(), "{facet}");
        }
        let archive = json!([{"kind": "archiveFlag", "flag": "some"}]);
        app.apply(archive).await;

        let all = app.owner.get(path).await.expect(200);
        assert_eq!(texts(&all, "flag"), ["f", "same"]);
        assert_eq!(all["items"][1]["equal"], true);
        assert_eq!(all["items"][1]["released"], json!([false, false]));
        let differing = app.owner.get(&format!("{path}&differing=true")).await;
        assert_eq!(texts(&differing.expect(200), "flag"), ["f"]);
        let page = app.owner.get(&format!("{path}&limit=1")).await.expect(200);
        let next = page["next"].as_str().unwrap();
        let rest = app.owner.get(&format!("{path}&cursor={next}")).await;
        assert_eq!(texts(&rest.expect(200), "flag"), ["same"]);
        for (query, parameter) in [("prod", "environments"), ("prod,dev&limit=101", "limit")] {
            let path = format!("projects/default/compare?environments={query}");
            let problem = app.owner.get(&path).await.problem(400);
            assert_eq!(problem.pointers(), [parameter]);
        }
        let nowhere = "projects/default/compare?environments=prod,nowhere";
        app.owner.get(nowhere).await.problem(404);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flag_is_made_like_another() {
    on_each_database(async |app| {
        ready(app).await;
        let path = "projects/default/flags/f/clone";
        let body = json!({"key": "g", "name": "G", "environments": ["dev"], "targets": "skip"});
        app.owner.post(path, &body).await.expect(200);
        let (f, g) = (flag(app, "f").await, flag(app, "g").await);
        assert_eq!(g["name"], "G");
        assert_eq!(g["variations"], f["variations"]);
        assert_ne!(g["id"], f["id"]);
        let dev = &g["environments"]["dev"];
        assert_eq!(dev["rules"], f["environments"]["dev"]["rules"]);
        assert_eq!(dev["targets"], json!([]));
        assert!(g["environments"].get("prod").is_none(), "{g}");
        let taken = app.owner.post(path, &body).await.problem(400);
        assert_eq!(taken.code(), "flagExists");
        let bad = json!({"key": "not a key"});
        let problem = app.owner.post(path, &bad).await.problem(400);
        assert_eq!(problem.pointers(), ["/key"]);
        app.owner
            .post("projects/default/flags/nowhere/clone", &json!({"key": "h"}))
            .await
            .problem(404);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_command_is_for_many_flags() {
    on_each_database(async |app| {
        for key in ["a", "b", "c"] {
            app.apply(flag_on(key)).await;
        }
        app.apply(json!([{"kind": "setFlagTags", "flag": "b", "tags": ["t"]}]))
            .await;
        let path = "projects/default/bulk";
        let off = json!({"kind": "turnOff", "environment": "prod"});
        let named = json!({"flags": ["a", "c"], "command": off});
        let done = app.owner.post(path, &named).await.expect(200);
        assert_eq!(
            done["result"]["diff"].as_array().unwrap().len(),
            2,
            "{done}"
        );
        let tagged = json!({"filter": {"tag": "t"}, "command": off, "dryRun": true});
        let would = app.owner.post(path, &tagged).await.expect(200);
        assert_eq!(would["commands"].as_array().unwrap().len(), 1, "{would}");
        let on = json!({"filter": {"environment": "prod", "enabled": true}, "command": off});
        let done = app.owner.post(path, &on).await.expect(200);
        assert_eq!(texts(&json!({"items": done["commands"]}), "flag"), ["b"]);

        for (body, pointer) in [
            (json!({"command": off}), "/flags"),
            (json!({"flags": [], "filter": {}, "command": off}), "/flags"),
            (
                json!({"flags": ["a"], "command": {"kind": "nothing"}}),
                "/commands/0/kind",
            ),
            (json!({"flags": ["a"], "command": []}), "/command"),
            (
                json!({"flags": ["a"], "command": {"kind": "turnOn", "flag": "b"}}),
                "/command/flag",
            ),
            (
                json!({"filter": {"enabled": true}, "command": off}),
                "/filter/enabled",
            ),
        ] {
            let problem = app.owner.post(path, &body).await.problem(400);
            assert_eq!(problem.pointers(), [pointer], "{body}");
        }
        let many: Vec<String> = (0..501).map(|n| format!("f{n}")).collect();
        let body = json!({"flags": many, "command": off});
        let problem = app.owner.post(path, &body).await.problem(400);
        assert!(problem.body.to_string().contains("500"), "{}", problem.body);
    })
    .await;
}
