//! Statements about protected environments hold wherever rights are asked: also of what names an
//! environment by its keys alone.

use burgee_domain::access::DEVELOPER;
use burgee_testkit::api::Api;
use serde_json::{Value, json};

use crate::kit::{App, flag_on, in_prod, on_each_database, variations};
use crate::permissions::fixture::{id, on, with};
use crate::requests::person;
use crate::rules::{one_approval, set_rules};

/// A flag that is on in `prod`, which is protected, and in `dev`; the change set that did the
/// latter.
async fn house(app: &App) -> String {
    let prod = "projects/default/environments/prod";
    let protect = app.owner.patch(prod, &json!({"protected": true})).await;
    protect.expect(200);
    app.apply(flag_on("f")).await;
    let dev = json!([{"kind": "turnOn", "flag": "f", "environment": "dev"}]);
    id(&app.apply(dev).await)
}

/// Somebody who sees the project, and may do more where environments are marked so.
async fn where_marked(app: &App, mark: &str) -> Api {
    let place = format!("project/default:env/*@{mark}");
    let statements = json!([
        on("allow", &["project.read"], &["project/default"]),
        on("allow", &["flag.read"], &["project/default:flag/*"]),
        on("allow", &["*.read", "flag.*", "change.*"], &[&place]),
    ]);
    with(app, statements).await
}

fn turn_off() -> Value {
    json!([in_prod("turnOff", "f")])
}

#[tokio::test(flavor = "multi_thread")]
async fn the_history_is_seen_of_the_environments_that_are_meant() {
    on_each_database(async |app| {
        let in_dev = house(app).await;
        let changes = "projects/default/changes?limit=1";
        for (mark, seen) in [("unprotected", true), ("protected", false)] {
            let caller = where_marked(app, mark).await;
            let page = caller.get(changes).await.expect(200);
            let items = page["items"].as_array().unwrap();
            let ids = items.iter().map(id).collect::<Vec<_>>();
            assert_eq!(ids.contains(&in_dev), seen, "{mark}: {page}");
            let one = caller.get(&format!("changes/{in_dev}")).await;
            assert_eq!(one.status, if seen { 200 } else { 404 }, "{mark}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_tells_of_users_where_they_may_be_seen() {
    on_each_database(async |app| {
        house(app).await;
        let caller = where_marked(app, "protected").await;
        let dry = json!({"commands": turn_off(), "dryRun": true, "effects": true});
        let answer = caller.post("projects/default/changes", &dry).await;
        let effects = &answer.expect(200)["effects"];
        assert_eq!(effects[0]["environment"], "default/prod", "{effects}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_where_it_is_protected_reviews_and_applies_requests() {
    on_each_database(async |app| {
        house(app).await;
        set_rules(app, "prod", one_approval()).await;
        let ann = person(app, "ann", DEVELOPER).await;
        let mut commands = turn_off();
        commands[0]["project"] = json!("default");
        let new = json!({"title": "Please", "commands": commands});
        let request = format!(
            "requests/{}",
            id(&ann.post("requests", &new).await.expect(201))
        );

        let caller = where_marked(app, "protected").await;
        let review = json!({"verdict": "approve", "revision": 1});
        let reviewed = caller.post(&format!("{request}/reviews"), &review).await;
        assert_eq!(reviewed.expect(200)["state"], "approved");
        let applied = caller.post(&format!("{request}/apply"), &json!({})).await;
        applied.expect(200);

        let other = where_marked(app, "unprotected").await;
        other.get(&request).await.problem(403);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stops_a_revert_is_told_where_it_may_be_seen() {
    on_each_database(async |app| {
        house(app).await;
        let (on_variation, _) = variations(&app.owner, "f").await;
        let target = |key: &str| {
            let mut command = in_prod("setTargets", "f");
            command["variation"] = json!(on_variation);
            command["keys"] = json!([key]);
            json!([command])
        };
        let first = id(&app.apply(target("ada")).await);
        app.apply(target("ben")).await;
        let caller = where_marked(app, "protected").await;
        let revert = caller
            .post(&format!("changes/{first}/revert"), &json!({}))
            .await;
        let problem = revert.problem(412);
        assert_eq!(problem.code(), "changedSince");
        let conflicts = problem.body["conflicts"].as_array().unwrap();
        assert_eq!(conflicts.len(), 1, "{}", problem.body);
    })
    .await;
}
