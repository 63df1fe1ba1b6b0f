//! One of a kind by its name: segments of each scope, a change set of the history.

use serde_json::json;

use crate::kit::{App, flag_on, on_each_database};

#[tokio::test(flavor = "multi_thread")]
async fn a_segment_is_found_in_its_own_scope_alone() {
    on_each_database(async |app: &App| {
        let commands = json!([
            { "kind": "createSegment", "segment": "all", "included": ["o"] },
            { "kind": "createSegment", "segment": "ours", "project": "default" },
            { "kind": "createSegment", "segment": "here", "project": "default",
                "environment": "prod" },
        ]);
        let body = json!({ "commands": commands });
        app.owner.post("changes", &body).await.expect(200);
        let (project, prod) = ("projects/default", "projects/default/environments/prod");
        for (path, scope) in [
            ("segments/all".to_owned(), "organization"),
            (format!("{project}/segments/OURS"), "project"),
            (format!("{prod}/segments/here"), "environment"),
        ] {
            let found = app.owner.get(&path).await.expect(200);
            assert_eq!(found["scope"], scope, "{found}");
        }
        for path in [
            "segments/ours".to_owned(),
            "segments/a%20b".to_owned(),
            format!("{project}/segments/all"),
            format!("{prod}/segments/ours"),
            "projects/default/environments/dev/segments/here".to_owned(),
        ] {
            app.owner.get(&path).await.problem(404);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_set_is_found_by_its_id() {
    on_each_database(async |app: &App| {
        let applied = app.apply(flag_on("f")).await;
        let path = format!("changes/{}", applied["id"].as_str().unwrap());
        let reader = app.caller("rita", "reader").await;
        let found = reader.get(&path).await.expect(200);
        assert_eq!(found["actor"], "olivia");
        assert_eq!(found["commands"].as_array().unwrap().len(), 2, "{found}");
        for part in ["id", "versions", "diff"] {
            assert_eq!(found[part], applied[part]);
        }
        for id in ["nonsense", "0b8a3f0e-0000-4000-8000-000000000000", "%00"] {
            app.owner.get(&format!("changes/{id}")).await.problem(404);
        }
        app.nobody().get(&path).await.problem(401);
    })
    .await;
}
