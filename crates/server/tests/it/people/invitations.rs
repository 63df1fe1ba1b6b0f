//! Invitations.

use serde_json::json;

use super::{PASSWORD, joined, owner, sign_in, text};
use crate::kit::{App, Database, on_each_database};

#[tokio::test]
async fn who_is_invited_chooses_a_password_and_has_what_was_given() {
    on_each_database(async |app| {
        let owner = owner(app).await;
        let invitation = json!({"email": "ann@x.org", "policies": ["reader"]});
        let invited = owner.post("invitations", &invitation).await.expect(201);
        let link = text(&invited["link"]);
        let looked = app
            .nobody()
            .post("links/look", &json!({"link": link}))
            .await;
        let looked = looked.expect(200);
        assert_eq!(looked["email"], "ann@x.org");
        assert_eq!(looked["choosesPassword"], true);
        let follow = |password: &str| json!({"link": link, "password": password, "name": "Ann"});
        let short = app.nobody().post("links/follow", &follow("short")).await;
        assert_eq!(short.problem(400).body["errors"][0]["pointer"], "/password");
        let answer = app.nobody().post("links/follow", &follow(PASSWORD)).await;
        let ann = app.nobody().in_session_of(&answer);
        app.nobody()
            .post("links/follow", &follow(PASSWORD))
            .await
            .problem(404);
        ann.get("projects").await.expect(200);
        ann.post("projects", &json!({"key": "x"}))
            .await
            .problem(403);
        let member = &ann.get("members?search=ANN").await.expect(200)["items"][0];
        assert_eq!(
            (&member["name"], &member["policies"]),
            (&json!("Ann"), &json!(["reader"]))
        );

        let path = format!("members/{}", member["id"].as_str().unwrap());
        let more = json!({"policies": ["developer"], "groups": []});
        ann.put(&path, &more).await.problem(403);
        owner.put(&path, &more).await.expect(200);
        let reset = owner
            .post(&format!("{path}/reset-link"), &json!({}))
            .await
            .expect(200);
        let follow = json!({"link": text(&reset["link"]), "password": "another password"});
        app.nobody().post("links/follow", &follow).await.expect(200);
        ann.get("projects").await.problem(401);
        assert_eq!(
            sign_in(app, "ann@x.org", "another password").await.status,
            200
        );
        owner.delete(&path).await.expect(204);
        let gone = sign_in(app, "ann@x.org", "another password").await;
        let gone = app.nobody().in_session_of(&gone);
        gone.get("session").await.expect(200);
        assert!(
            gone.get("projects").await.status >= 400,
            "a member of nothing"
        );
    })
    .await;
}

#[tokio::test]
async fn an_invitation_of_an_account_is_followed_by_its_owner() {
    let app = App::start(Database::Sqlite).await;
    let owner = owner(&app).await;
    let ann = joined(&app, &owner, "ann@x.org", &["reader"]).await;
    let me = ann.get("session").await.expect(200);
    let path = format!("members/{}", me["id"].as_str().unwrap());
    owner.delete(&path).await.expect(204);
    let invitation = json!({"email": "ann@x.org", "policies": ["reader"]});
    let invited = owner.post("invitations", &invitation).await.expect(201);
    let follow = json!({"link": text(&invited["link"]), "password": "a new password"});
    app.nobody()
        .post("links/follow", &follow)
        .await
        .problem(401);
    owner.post("links/follow", &follow).await.problem(401);
    ann.post("links/follow", &follow).await.expect(200);
    ann.get("projects").await.expect(200);
    assert_eq!(
        sign_in(&app, "ann@x.org", PASSWORD).await.status,
        200,
        "the password stays"
    );
    app.stop().await;
}
