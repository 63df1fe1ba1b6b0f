//! Edits on the condition that nobody else was faster.

use burgee_testkit::api::{Answer, Api};
use serde_json::{Value, json};

use crate::kit::{App, Database, flag_on, on_each_database};

fn tag(answer: &Answer) -> String {
    answer.headers["etag"].to_str().unwrap().to_owned()
}

/// With this tag as the condition.
fn when(caller: &Api, tag: &str) -> Api {
    caller.clone().with_header("if-match", tag)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_what_was_changed_meanwhile_is_refused() {
    on_each_database(async |app| {
        let owner = &app.owner;
        let group = json!({"key": "core", "name": "Core", "policies": []});
        owner.post("groups", &group).await.expect(201);
        let policy = json!({"key": "ours", "name": "Ours", "statements": [
            {"effect": "allow", "actions": ["flag.read"], "resources": ["*"]}]});
        owner.post("policies", &policy).await.expect(201);
        let plan = "projects/default/user-properties/plan";
        owner.put(plan, &json!({})).await.expect(200);
        let prod = "projects/default/environments/prod";
        let statement = &policy["statements"];
        let names = |one: &str, another: &str| [json!({"name": one}), json!({"name": another})];
        let edits: [(&str, bool, [Value; 2]); 7] = [
            ("organization", true, names("One", "Two")),
            ("projects/default", true, names("One", "Two")),
            (prod, true, names("One", "Two")),
            (
                &format!("{prod}/rules"),
                false,
                [
                    json!({"comment": "required"}),
                    json!({"comment": "optional"}),
                ],
            ),
            (
                "groups/core",
                false,
                [
                    json!({"name": "One", "policies": []}),
                    json!({"name": "Two", "policies": []}),
                ],
            ),
            (
                "policies/ours",
                false,
                [
                    json!({"name": "One", "statements": statement}),
                    json!({"name": "Two", "statements": statement}),
                ],
            ),
            (
                plan,
                false,
                [json!({"description": "One"}), json!({"description": "Two"})],
            ),
        ];
        for (path, patch, [one, two]) in edits {
            let send = async |caller: &Api, body: &Value| match patch {
                true => caller.patch(path, body).await,
                false => caller.put(path, body).await,
            };
            let seen = tag(&owner.get(path).await);
            assert_eq!(
                tag(&owner.get(path).await),
                seen,
                "{path}: nothing has changed"
            );
            let done = send(&when(owner, &seen), &one).await;
            assert_eq!(done.status / 100, 2, "{path}: {done:?}");
            let after = tag(&owner.get(path).await);
            assert_ne!(after, seen, "{path}");
            let late = send(&when(owner, &seen), &two).await.problem(412);
            assert_eq!(late.code(), "changedMeanwhile", "{path}");
            assert_eq!(
                tag(&owner.get(path).await),
                after,
                "{path}: nothing was done"
            );
            let again = send(&when(owner, &format!("\"other\", {after}")), &two).await;
            assert_eq!(again.status / 100, 2, "{path}: {again:?}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_with_one_tag_one_passes() {
    let app = App::start(Database::Sqlite).await;
    let path = "projects/default";
    let seen = tag(&app.owner.get(path).await);
    let mut edits = tokio::task::JoinSet::new();
    for number in 0..12 {
        let caller = when(&app.owner, &seen);
        edits.spawn(async move {
            let name = json!({"name": format!("Named {number}")});
            caller.patch("projects/default", &name).await.status
        });
    }
    let mut statuses = edits.join_all().await;
    statuses.sort_unstable();
    assert_eq!(statuses[..2], [200, 412]);
    assert!(
        statuses[1..].iter().all(|status| *status == 412),
        "{statuses:?}"
    );
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_has_no_tag() {
    let app = App::start(Database::Sqlite).await;
    let path = "projects/default/user-properties/plan";
    let said = json!({"description": "What they pay for"});
    let late = when(&app.owner, "*").put(path, &said).await.problem(412);
    assert_eq!(late.code(), "changedMeanwhile");
    app.owner.get(path).await.problem(404);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_condition_says_no_more_than_the_caller_may_see() {
    let app = App::start(Database::Sqlite).await;
    let path = "projects/default";
    let name = json!({"name": "Mine"});
    let nobody = when(&app.nobody(), "*");
    nobody.patch(path, &name).await.problem(401);
    let reader = when(&app.caller("rita", "reader").await, "*");
    reader.patch(path, &name).await.problem(403);
    let owner = when(&app.owner, "*");
    owner.patch("projects/nowhere", &name).await.problem(404);
    owner.patch(path, &name).await.expect(200);

    // What a flag does is no edit of its environment.
    let prod = "projects/default/environments/prod";
    let seen = tag(&app.owner.get(prod).await);
    app.apply(flag_on("f")).await;
    assert_eq!(tag(&app.owner.get(prod).await), seen);

    // Where nothing is compared, a condition is not passed over.
    let set = json!({"commands": []});
    let refused = owner.post("projects/default/changes", &set).await;
    assert_eq!(refused.problem(400).pointers(), ["If-Match"]);
    app.owner.get("projects/default/nothing").await.problem(404);
    app.owner.put("projects/default", &name).await.problem(405);
    app.stop().await;
}
