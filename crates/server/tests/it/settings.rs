//! What members set for themselves.

use burgee_testkit::api::Api;
use serde_json::{Value, json};

use crate::kit::{App, Database, on_each_database};

const PASSWORD: &str = "correct horse battery staple";

/// Somebody who joined and signed in, and their account's id.
async fn member(app: &App, email: &str) -> (Api, String) {
    let new = json!({"email": email, "policies": ["reader"]});
    let invitation = app.owner.post("invitations", &new).await.expect(201);
    let link = invitation["link"]
        .as_str()
        .unwrap()
        .split_once('#')
        .unwrap();
    let follow = json!({"link": link.1, "password": PASSWORD});
    let joined = app.nobody().post("links/follow", &follow).await.expect(200);
    let credentials = json!({"email": email, "password": PASSWORD});
    let answer = app.nobody().post("session", &credentials).await;
    let id = joined["id"].as_str().unwrap().to_owned();
    (app.nobody().in_session_of(&answer), id)
}

fn nothing() -> Value {
    json!({"language": null, "theme": null, "density": null, "letterShortcuts": null,
        "project": null, "pinnedEnvironments": {}, "savedViews": []})
}

#[tokio::test(flavor = "multi_thread")]
async fn members_keep_their_settings_until_they_leave() {
    on_each_database(async |app| {
        let (ana, id) = member(app, "ana@example.com").await;
        let (ben, _) = member(app, "ben@example.com").await;
        assert_eq!(ana.get("me/settings").await.expect(200), nothing());
        let mut settings = json!({"language": "ja", "theme": "dark", "density": "compact",
            "letterShortcuts": false, "project": "default",
            "pinnedEnvironments": {"default": ["prod", "dev"]},
            "savedViews": [{"name": "Stale", "project": "default", "filter": "stale&on=prod"}]});
        assert_eq!(
            ana.put("me/settings", &settings).await.expect(200),
            settings
        );
        assert_eq!(ana.get("me/settings").await.expect(200), settings);
        assert_eq!(ben.get("me/settings").await.expect(200), nothing());
        settings["savedViews"] = json!([]);
        ana.put("me/settings", &settings).await.expect(200);
        assert_eq!(ana.get("me/settings").await.expect(200), settings);

        app.owner.delete(&format!("members/{id}")).await.expect(204);
        let there = ana.with_header("burgee-organization", app.organization.key.as_str());
        there.get("me/settings").await.problem(404);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_have_limits() {
    let app = App::start(Database::Sqlite).await;
    let (ana, _) = member(&app, "ana@example.com").await;
    let view = |filter: &str| json!({"name": "x", "project": "default", "filter": filter});
    for (settings, pointer) in [
        (json!({"colour": "red"}), "/colour"),
        (json!({"theme": "sepia"}), "/theme"),
        (json!({"project": "no key"}), "/project"),
        (
            json!({"pinnedEnvironments": {"default": vec!["e"; 21]}}),
            "/pinnedEnvironments/default",
        ),
        (
            json!({"pinnedEnvironments": {"a/b": []}}),
            "/pinnedEnvironments/a~1b",
        ),
        (json!({"savedViews": vec![view(""); 101]}), "/savedViews"),
        (
            json!({"savedViews": [view(&"x".repeat(2_001))]}),
            "/savedViews/0/filter",
        ),
        (json!({"savedViews": [view("a\0")]}), "/savedViews/0/filter"),
    ] {
        let refused = ana.put("me/settings", &settings).await.problem(400);
        assert_eq!(refused.pointers(), [pointer]);
    }
    let big: serde_json::Map<_, _> = (0..201).map(|it| (format!("p{it}"), json!([]))).collect();
    let refused = ana
        .put("me/settings", &json!({"pinnedEnvironments": big}))
        .await
        .problem(400);
    assert_eq!(refused.pointers(), ["/pinnedEnvironments"]);
    app.stop().await;
}
