//! Segments of three scopes, used by rules, and the pushes that follow from their edits.

use burgee_testkit::sdk::Sdk;
use serde_json::{Value, json};

use crate::kit::{App, flag_on, on_each_database, person_with, texts, variations};

/// The id of the segment of this key in a list.
async fn id(app: &App, path: &str, key: &str) -> String {
    let listed = app.owner.get(path).await.expect(200);
    let items = listed["items"].as_array().unwrap();
    let found = items.iter().find(|it| it["key"] == key).unwrap();
    found["id"].as_str().unwrap().to_owned()
}

const SHARED: &str = "segments";
const PROJECT: &str = "projects/default/segments";
const PROD: &str = "projects/default/environments/prod/segments";
const DEV: &str = "projects/default/environments/dev/segments";

async fn make_three(app: &App) {
    let set = json!({"commands": [
        {"kind": "createSegment", "segment": "staff", "included": ["sam"]},
        {"kind": "createSegment", "project": "default", "segment": "staff",
            "included": ["paula"], "tags": ["people"]},
        {"kind": "createSegment", "project": "default", "environment": "prod",
            "segment": "staff", "excluded": ["eve"],
            "rules": [{"conditions": [{"property": "team", "op": "Equal", "value": "core"}]}]},
    ]});
    app.owner.post("changes", &set).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_in_three_scopes_is_three_segments() {
    on_each_database(async |app| {
        make_three(app).await;
        for (path, scope) in [
            (SHARED, "organization"),
            (PROJECT, "project"),
            (PROD, "environment"),
        ] {
            let listed = app.owner.get(path).await.expect(200);
            assert_eq!(texts(&listed, "key"), ["staff"], "{path}");
            assert_eq!(texts(&listed, "scope"), [scope], "{path}");
        }
        let listed = app.owner.get(DEV).await.expect(200);
        assert_eq!(listed["items"], json!([]), "{listed}");
        for (path, scopes) in [(PROD, 3), (DEV, 2), (PROJECT, 2), (SHARED, 1)] {
            let usable = app
                .owner
                .get(&format!("{path}?withShared=true"))
                .await
                .expect(200);
            assert_eq!(
                usable["items"].as_array().unwrap().len(),
                scopes,
                "{usable}"
            );
        }
        let tagged = app
            .owner
            .get(&format!("{PROD}?withShared=true&tag=people"))
            .await;
        assert_eq!(texts(&tagged.expect(200), "scope"), ["project"]);
        assert_eq!(app.server_sdk("prod").await.segments.len(), 3);
        assert_eq!(app.server_sdk("dev").await.segments.len(), 2);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_segment_edit_reaches_the_users_that_it_is_about() {
    on_each_database(async |app| {
        make_three(app).await;
        app.apply(flag_on("f")).await;
        let (on, off) = variations(&app.owner, "f").await;
        let mut ids = Vec::new();
        for path in [SHARED, PROJECT, PROD] {
            ids.push(id(app, path, "staff").await);
        }
        let rule = json!({"name": "staff", "variation": on, "conditions": [
            {"property": "User is in segment", "value": json!(ids).to_string()}]});
        app.apply(json!([
            {"kind": "addRule", "flag": "f", "environment": "prod", "rule": rule},
            {"kind": "setDefaultRule", "flag": "f", "environment": "prod", "variation": off},
        ]))
        .await;
        let keys = app.keys("prod").await;
        let user = |key: &str, team: &str| -> Sdk {
            let user = person_with(key, "team", team);
            Sdk::client(app.address(), &keys.client.secret, &user)
        };
        let (sam, paula, core) = (user("sam", ""), user("paula", ""), user("carl", "core"));
        let (eve, mut other) = (user("eve", "core"), user("otto", ""));
        for sdk in [&sam, &paula, &core] {
            assert_eq!(sdk.value("f"), Some("true"));
            assert_eq!(sdk.flags["f"]["matchReason"], "staff");
        }
        for sdk in [&eve, &other] {
            assert_eq!(sdk.value("f"), Some("false"));
        }
        let mut server = app.server_sdk("prod").await;
        let before = server.segments[&ids[0]].clone();

        let edit = json!({"commands": [
            {"kind": "addIncluded", "segment": "staff", "keys": ["otto"]}]});
        let done = app.owner.post("changes", &edit).await.expect(200);
        assert_eq!(moved(&done), ["", "default/dev", "default/prod"], "{done}");
        other.until(|sdk| sdk.value("f") == Some("true"));
        server.until(|sdk| sdk.segments[&ids[0]] != before);
        assert_eq!(server.segments[&ids[0]]["included"], json!(["sam", "otto"]));

        // Archived while in use: its members are members no more, and the author is told.
        let archive = json!({"commands": [{"kind": "archiveSegment", "segment": "staff"}]});
        let done = app.owner.post("changes", &archive).await.expect(200);
        let warning = &done["warnings"][0];
        assert_eq!(warning["code"], "segmentInUse", "{done}");
        let params = json!({"segment": "staff", "places": "default/prod/f"});
        assert_eq!(warning["params"], params);
        other.until(|sdk| sdk.value("f") == Some("false"));
        server.until(|sdk| sdk.segments[&ids[0]]["isArchived"] == true);
        assert_eq!(server.segments[&ids[0]]["included"], json!([]));
    })
    .await;
}

fn moved(done: &Value) -> Vec<&str> {
    let versions = done["versions"].as_object().unwrap();
    versions.keys().map(String::as_str).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_segment_says_by_which_flags_it_is_used_and_is_not_deleted() {
    on_each_database(async |app| {
        make_three(app).await;
        let shared = id(app, SHARED, "staff").await;
        let of = |flag: &str, environment: &str, variation: &str| {
            json!({"kind": "addRule", "flag": flag, "environment": environment, "rule": {
                "variation": variation, "conditions": [
                    {"property": "User is not in segment", "value": json!([&shared]).to_string()}]}})
        };
        for flag in ["f", "old", "secret"] {
            app.apply(flag_on(flag)).await;
            let (on, _) = variations(&app.owner, flag).await;
            app.apply(json!([of(flag, "prod", &on), of(flag, "dev", &on)])).await;
        }
        app.apply(json!([
            {"kind": "archiveFlag", "flag": "old"},
            {"kind": "setFlagTags", "flag": "secret", "tags": ["secret"]},
        ]))
        .await;
        let path = format!("{SHARED}/staff");
        let shown = app.owner.get(&path).await.expect(200);
        let used = |flag: &str, state: &str, environments: &[&str]| {
            json!({"project": "default", "flag": flag, "state": state,
                "environments": environments})
        };
        let both = &["prod", "dev"];
        let all = json!([used("f", "live", both), used("old", "archived", both),
            used("secret", "live", both)]);
        assert_eq!(shown["usedBy"], all, "{shown}");
        assert_eq!(shown["usedByHidden"], 0);
        let other = app.owner.get(&format!("{PROJECT}/staff")).await.expect(200);
        assert_eq!(other["usedBy"], json!([]));

        // Who may not see the flag, or the environment, learns how many there are.
        let policy = json!({"key": "some", "name": "Some", "statements": [
            {"effect": "allow", "actions": ["*.read"], "resources": ["*"]},
            {"effect": "deny", "actions": ["environment.read"], "resources": ["project/*:env/dev"]},
            {"effect": "deny", "actions": ["flag.read"], "resources": ["project/*:flag/*;secret"]}]});
        app.owner.post("policies", &policy).await.expect(201);
        let some = app.caller("some", "some").await;
        let shown = some.get(&path).await.expect(200);
        let seen = json!([used("f", "live", &["prod"]), used("old", "archived", &["prod"])]);
        assert_eq!(shown["usedBy"], seen, "{shown}");
        assert_eq!(shown["usedByHidden"], 4);
        let listed = some.get(&format!("{SHARED}?usedBy=true")).await.expect(200);
        let mut listed = listed["items"].as_array().unwrap().iter();
        let listed = listed.find(|it| it["key"] == "staff").unwrap();
        let counted = (&listed["usedByCount"], &listed["usedByHidden"]);
        assert_eq!(counted, (&json!(2), &json!(4)), "{listed}");

        let archive = json!({"kind": "archiveSegment", "segment": "staff"});
        let delete = json!({"kind": "deleteSegment", "segment": "staff"});
        let set = json!({"commands": [archive, delete]});
        let refused = app.owner.post("changes", &set).await.problem(400);
        assert_eq!(refused.body["errors"][0]["code"], "segmentInUse");
        let words = refused.body["errors"][0]["detail"].to_string();
        for flag in ["default/prod/f", "default/dev/old"] {
            assert!(words.contains(flag), "{words}");
        }
    })
    .await;
}
