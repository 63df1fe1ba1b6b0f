//! Finding things by a few letters.

use burgee_testkit::api::Api;
use serde_json::{Value, json};

use crate::kit::{App, Database, create, on_each_database, texts};

async fn found(caller: &Api, query: &str) -> Vec<String> {
    let answer = caller.get(&format!("search?{query}")).await.expect(200);
    assert_eq!(answer["partial"], false);
    texts(&answer, "key")
}

fn named(flag: &str, name: &str) -> Value {
    let mut command = create(flag);
    command["name"] = json!(name);
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn things_are_found_by_a_few_letters_misspelt_ones_too() {
    on_each_database(async |app| {
        app.owner
            .post("projects", &json!({"key": "checkins", "name": "Hotel"}))
            .await
            .expect(201);
        let segment = json!({"kind": "createSegment", "segment": "checkout-testers"});
        app.apply(
            json!([named("new-checkout", "Neue Kasse ÄÖ"), named("old-checkout", "x"),
            named("banner", "Welcome"), segment, {"kind": "archiveFlag", "flag": "old-checkout"}]),
        )
        .await;
        let owner = &app.owner;
        // What is archived comes last.
        let all = ["checkout-testers", "new-checkout", "old-checkout"];
        assert_eq!(found(owner, "q=checkout").await, all);
        let misspelt = ["new-checkout", "checkout-testers", "old-checkout"];
        assert_eq!(found(owner, "q=chekcout").await, misspelt);
        assert_eq!(found(owner, "q=CHECK&kinds=project").await, ["checkins"]);
        assert_eq!(found(owner, "q=k%C3%A4se").await, [""; 0]);
        assert_eq!(
            found(owner, "q=kasse%20%C3%A4%C3%B6").await,
            ["new-checkout"]
        );
        assert_eq!(found(owner, "q=wellcome").await, ["banner"]);
        assert_eq!(found(owner, "q=owner").await, ["owner@localhost"]);
        assert_eq!(found(owner, "q=%25").await, [""; 0]);
        let one = owner.get("search?q=checkout&limit=1").await.expect(200);
        let shown = &one["items"][0];
        assert_eq!(
            (&shown["kind"], &shown["project"]),
            (&json!("segment"), &json!("default"))
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_found_that_may_not_be_seen() {
    let app = App::start(Database::Sqlite).await;
    let mut tagged = create("seen-not");
    tagged["tags"] = json!(["secret"]);
    app.apply(json!([tagged, create("seen-by-all")])).await;
    let policy = json!({"key": "some", "name": "Some", "statements": [
        {"effect": "allow", "actions": ["project.read", "flag.read"], "resources": ["project/*"]},
        {"effect": "deny", "actions": ["flag.read"], "resources": ["project/*:flag/*;secret"]}]});
    app.owner.post("policies", &policy).await.expect(201);
    let caller = app.caller("sam", "some").await;
    assert_eq!(found(&caller, "q=seen").await, ["seen-by-all"]);
    assert_eq!(found(&caller, "q=saen").await, ["seen-by-all"]);
    assert_eq!(found(&caller, "q=owner").await, [""; 0]);
    let neighbour = crate::access::neighbour(&app).await;
    assert_eq!(found(&neighbour, "q=seen").await, [""; 0]);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_looked_for_is_refused() {
    let app = App::start(Database::Sqlite).await;
    let long = "x".repeat(101);
    for (query, parameter) in [
        ("q=", "q"),
        ("q=%20", "q"),
        (&format!("q={long}"), "q"),
        ("q=x&kinds=flag,pony", "kinds"),
        ("q=x&limit=0", "limit"),
        ("q=x&limit=101", "limit"),
        ("q=%00", "q"),
        ("q=x&more=1", "more"),
    ] {
        let refused = app.owner.get(&format!("search?{query}")).await.problem(400);
        assert_eq!(refused.pointers(), [parameter], "{query}");
    }
    app.stop().await;
}
