//! A project's flags in short, in one answer.

use burgee_testkit::api::{Answer, Api};
use serde_json::{Value, json};

use crate::kit::{App, Database, create, flag_on, in_prod, on_each_database, variations};

const INDEX: &str = "projects/default/flag-index?environments=prod,dev";

fn tag(answer: &Answer) -> String {
    answer.headers["etag"].to_str().unwrap().to_owned()
}

async fn known(caller: &Api, tag: &str, path: &str) -> Answer {
    caller
        .clone()
        .with_header("if-none-match", tag)
        .get(path)
        .await
}

fn item<'a>(index: &'a Value, key: &str) -> &'a Value {
    let items = index["items"].as_array().unwrap();
    items.iter().find(|it| it["key"] == key).unwrap()
}

/// Somebody splits `split` 10:90 in prod.
async fn split(app: &App) {
    let (yes, no) = variations(&app.owner, "split").await;
    let mut rule = in_prod("setDefaultRule", "split");
    rule["variations"] = json!([{"id": yes, "rollout": [0, 0.1]}, {"id": no, "rollout": [0.1, 1]}]);
    app.apply(json!([rule])).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_says_what_every_flag_does_and_who_changed_it() {
    on_each_database(async |app| {
        app.apply(flag_on("split")).await;
        app.apply(json!([create("unused")])).await;
        let mut tagged = create("tagged");
        tagged["tags"] = json!(["shop"]);
        app.apply(json!([tagged, in_prod("turnOff", "tagged")]))
            .await;
        split(app).await;
        let long = json!({"kind": "createFlag", "flag": "worded", "type": "string", "variations":
            [{"value": "ä".repeat(9_000)}, {"value": "b", "name": "B"}]});
        let made = app
            .apply(json!([long, {"kind": "archiveFlag", "flag": "worded"}]))
            .await;

        let index = app.owner.get(INDEX).await.expect(200);
        assert_eq!(index["environments"], json!(["prod", "dev"]));
        let on = app.owner.get(&format!("{INDEX}&onIn=true")).await;
        let on = on.expect(200);
        assert_eq!(item(&on, "split")["onIn"], 1);
        assert_eq!(item(&on, "unused")["onIn"], 0);
        assert!(item(&index, "split").get("onIn").is_none());
        let one = app
            .owner
            .get("projects/default/flags/split")
            .await
            .expect(200);
        assert_eq!(index["versions"], one["versions"]);
        let keys: Vec<_> = index["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["key"])
            .collect();
        assert_eq!(keys, ["split", "tagged", "unused", "worded"]);

        let shown = item(&index, "split");
        assert_eq!(shown["variations"], json!(["true", "false"]));
        assert_eq!(
            shown["cells"],
            json!([{"on": true, "shares": [0.1, 0.9], "prerequisites": false, "rules": false,
            "targets": false}, null])
        );
        assert_eq!(shown["changed"]["environment"], "prod");
        assert_eq!(shown["changed"]["by"], "olivia");
        let shown = item(&index, "tagged");
        assert_eq!(shown["tags"], json!(["shop"]));
        assert_eq!(shown["cells"][0]["shares"], json!([0.0, 1.0]));
        assert_eq!(item(&index, "unused")["cells"], json!([null, null]));
        let shown = item(&index, "worded");
        assert_eq!(shown["variations"], json!(["ä".repeat(40), "B"]));
        assert_eq!(shown["state"], "archived");
        let number = shown["changed"]["number"].as_i64().unwrap();
        let change = app
            .owner
            .get(&format!("changes/{number}"))
            .await
            .expect(200);
        assert_eq!(change["id"], made["id"]);
        app.owner.get("changes/999999").await.problem(404);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_again_that_has_not_changed() {
    let app = App::start(Database::Sqlite).await;
    app.apply(flag_on("lit")).await;
    let first = tag(&app.owner.get(INDEX).await);
    let again = known(&app.owner, &first, INDEX).await;
    assert_eq!((again.status, again.text.as_str()), (304, ""));
    assert_eq!(tag(&again), first);
    let among = known(&app.owner, &format!("\"other\", {first}"), INDEX).await;
    assert_eq!(among.status, 304);

    // Another place, another caller, another state: each is another answer.
    let fewer = "projects/default/flag-index?environments=prod";
    known(&app.owner, &first, fewer).await.expect(200);
    let reader = app.caller("rita", "reader").await;
    known(&reader, &first, INDEX).await.expect(200);
    app.apply(json!([in_prod("turnOff", "lit")])).await;
    let index = known(&app.owner, &first, INDEX).await.expect(200);
    assert_eq!(item(&index, "lit")["cells"][0]["on"], false);
    let second = tag(&app.owner.get(INDEX).await);
    app.apply(json!([{"kind": "renameFlag", "flag": "lit", "name": "Lit"}]))
        .await;
    let index = known(&app.owner, &second, INDEX).await.expect(200);
    assert_eq!(item(&index, "lit")["name"], "Lit");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_is_packed_as_it_is_asked_for() {
    let app = App::start(Database::Sqlite).await;
    let flags: Vec<_> = (0..40).map(|it| create(&format!("flag-{it}"))).collect();
    app.apply(json!(flags)).await;
    let plain = app.owner.get(INDEX).await;
    assert!(plain.headers.get("content-encoding").is_none());
    for packing in ["br", "gzip"] {
        let asks = app.owner.clone().with_header("accept-encoding", packing);
        let packed = asks.get(INDEX).await;
        assert_eq!(packed.headers["content-encoding"], packing);
        assert!(packed.text.len() * 2 < plain.text.len());
        let small = asks.get("projects/default").await;
        assert!(small.headers.get("content-encoding").is_none());
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_is_of_environments_that_are_there_and_may_be_seen() {
    let app = App::start(Database::Sqlite).await;
    let of = |keys: &str| format!("projects/default/flag-index?environments={keys}");
    app.owner.get(&of("prod,nowhere")).await.problem(404);
    let many = vec!["prod"; 21].join(",");
    let refused = app.owner.get(&of(&many)).await.problem(400);
    assert_eq!(refused.pointers(), ["environments"]);
    let once = app.owner.get(&of("PROD,prod,")).await.expect(200);
    assert_eq!(once["environments"], json!(["prod"]));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn policies_about_protected_environments_hold_for_what_is_found_and_listed() {
    on_each_database(async |app| {
        let segment = json!({"kind": "createSegment", "segment": "guests", "project": "default",
            "environment": "prod"});
        app.apply(json!([create("lit"), segment])).await;
        let policy = json!({"key": "careful", "name": "Careful", "statements": [
            {"effect": "allow", "actions": ["*.read"], "resources": ["project/default"]},
            {"effect": "deny", "actions": ["*.read"], "resources": ["project/*:env/*@protected"]}]});
        app.owner.post("policies", &policy).await.expect(201);
        let carl = app.caller("carl", "careful").await;
        let found = async || {
            let found = carl.get("search?q=guests").await.expect(200);
            found["items"].as_array().unwrap().len()
        };
        carl.get(INDEX).await.expect(200);
        assert_eq!(found().await, 1);
        let prod = "projects/default/environments/prod";
        let protect = json!({"protected": true});
        app.owner.patch(prod, &protect).await.expect(200);
        carl.get(INDEX).await.problem(403);
        assert_eq!(found().await, 0);
        let dev = "projects/default/flag-index?environments=dev";
        carl.get(dev).await.expect(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_says_which_flags_are_stale_by_the_days_of_the_project() {
    on_each_database(async |app| {
        for flag in ["used", "unused"] {
            app.apply(flag_on(flag)).await;
        }
        crate::users::served(app, 1, "used", "v", &[20, 3]).await;
        let path = "projects/default/flag-index?stale=true";
        let stale = async |flag: &str| {
            let index = app.owner.get(path).await.expect(200);
            let mut found = item(&index, flag)["stale"].clone();
            if let Some(found) = found.as_object_mut() {
                assert!(found.remove("since").unwrap().is_string());
            }
            found
        };
        let plain = app.owner.get(INDEX).await.expect(200);
        assert!(item(&plain, "used").get("stale").is_none());
        assert_eq!(stale("used").await, Value::Null);
        let first = tag(&app.owner.get(path).await);
        assert_eq!(known(&app.owner, &first, path).await.status, 304);

        let days = async |of: &str, days: Value| {
            let edit = json!({ "staleDays": days });
            app.owner.patch(of, &edit).await
        };
        // The project has the organization's number until it has its own.
        let organization = days("organization", json!(10)).await.expect(200);
        assert_eq!(organization["staleDays"], 10);
        let project = app.owner.get("projects/default").await.expect(200);
        assert_eq!(
            (&project["staleDays"], &project["effectiveStaleDays"]),
            (&Value::Null, &json!(10))
        );
        let one = json!({"code": "oneValue", "variation": "v"});
        assert_eq!(stale("used").await, one);
        assert_eq!(stale("unused").await, Value::Null, "it is new");
        assert_eq!(known(&app.owner, &first, path).await.status, 200);
        let changed = days("projects/default", json!(25)).await.expect(200);
        assert_eq!(changed["effectiveStaleDays"], 25);
        assert_eq!(stale("used").await, Value::Null);
        let listed = app.owner.get("projects/default/flags?stale=true");
        assert_eq!(listed.await.expect(200)["items"], json!([]));
        let changed = days("projects/default", Value::Null).await.expect(200);
        assert_eq!(changed["effectiveStaleDays"], 10);
        assert_eq!(stale("used").await, one);

        for (of, bad) in [
            ("organization", json!(0)),
            ("projects/default", json!(3_651)),
            ("projects/default", json!(-1)),
        ] {
            let refused = days(of, bad).await.problem(400);
            assert_eq!(refused.pointers(), ["/staleDays"], "{of}");
        }
        let history = app.owner.get("changes?kind=setStaleDays").await.expect(200);
        assert_eq!(history["items"].as_array().unwrap().len(), 2, "{history}");
    })
    .await;
}
