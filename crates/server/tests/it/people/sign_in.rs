//! Signing in and out.

use burgee_domain::people::Email;
use burgee_server::setup;
use burgee_testkit::api::Api;
use serde_json::json;

use super::{OWNER, PASSWORD, owner, sign_in};
use crate::kit::{App, Data, Database, on_each_database};

#[tokio::test]
async fn a_first_password_lets_nobody_do_anything_but_change_it() {
    on_each_database(async |app| {
        let email = Email::new(OWNER).unwrap();
        let account = app.store.account_by_email(&email).await.unwrap().unwrap();
        let first = setup::temporary_password(&app.store, &account.id)
            .await
            .unwrap();
        let answer = sign_in(app, " Owner@LOCALHOST ", &first).await;
        let owner = app.nobody().in_session_of(&answer);
        let me = answer.expect(200);
        assert_eq!(me["passwordMustChange"], true);
        assert_eq!(me["organizations"][0]["key"], "default");
        let refused = owner.get("projects").await.problem(403);
        assert_eq!(refused.body["code"], "passwordMustChange");

        let change = |current: &str, new: &str| json!({"current": current, "new": new});
        let wrong = owner.post("me/password", &change("not it", PASSWORD)).await;
        assert_eq!(wrong.problem(400).body["errors"][0]["pointer"], "/current");
        let short = owner.post("me/password", &change(&first, "short")).await;
        assert_eq!(
            short.problem(400).body["errors"][0]["code"],
            "passwordTooShort"
        );
        let same = owner.post("me/password", &change(&first, &first)).await;
        assert_eq!(same.problem(400).body["errors"][0]["code"], "passwordSame");
        let changed = owner.post("me/password", &change(&first, PASSWORD)).await;
        assert_eq!(changed.status, 204, "{}", changed.text);
        // A copy of the cookie until now opens nothing any more.
        owner.get("session").await.problem(401);
        let owner = owner.in_session_of(&changed);
        assert_eq!(
            owner.get("projects").await.expect(200)["items"][0]["key"],
            "default"
        );
        assert_eq!(
            sign_in(app, OWNER, &first).await.problem(401).body["code"],
            "badCredentials"
        );
    })
    .await;
}

#[tokio::test]
async fn the_first_start_gives_one_password_and_later_ones_none() {
    let data = Data::new(Database::Sqlite).await;
    let server = data.serve().await;
    let password = server.owner_password().unwrap().to_owned();
    let api = Api::new(server.address());
    let credentials = json!({"email": OWNER, "password": password});
    api.post("session", &credentials).await.expect(200);
    server.stop().await;
    let server = data.serve().await;
    assert_eq!(server.owner_password(), None);
    server.stop().await;
}

#[tokio::test]
async fn who_signs_out_or_is_signed_out_is_out() {
    on_each_database(async |app| {
        let one = owner(app).await;
        let two = app
            .nobody()
            .in_session_of(&sign_in(app, OWNER, PASSWORD).await);
        let sessions = one.get("me/sessions").await.expect(200);
        let sessions = sessions["items"].as_array().unwrap();
        assert_eq!(sessions.len(), 2);
        let other = sessions.iter().find(|it| it["current"] == false).unwrap();
        assert_eq!(other["address"], "127.0.0.1");
        let path = format!("me/sessions/{}", other["id"].as_str().unwrap());
        one.delete(&path).await.expect(204);
        two.get("session").await.problem(401);
        one.delete(&path).await.problem(404);
        let out = one.delete("session").await;
        let forgotten = out.headers["set-cookie"].to_str().unwrap().to_owned();
        assert!(forgotten.contains("Max-Age=0"), "{forgotten}");
        out.expect(204);
        one.get("session").await.problem(401);
        one.get("projects").await.problem(401);
    })
    .await;
}

#[tokio::test]
async fn another_site_changes_nothing() {
    let app = App::start(Database::Sqlite).await;
    let owner = owner(&app).await;
    let project = json!({"key": "mine"});
    let foreign = owner.clone().with_header("sec-fetch-site", "cross-site");
    foreign.post("projects", &project).await.problem(403);
    foreign.get("projects").await.expect(200);
    let foreign = owner.clone().with_header("origin", "https://evil.example");
    foreign.post("projects", &project).await.problem(403);
    let ours = owner.with_header("sec-fetch-site", "same-origin");
    ours.post("projects", &project).await.expect(201);
    app.stop().await;
}

#[tokio::test]
async fn the_cookie_is_for_http_alone_and_of_this_site_alone() {
    let app = App::start(Database::Sqlite).await;
    owner(&app).await;
    let answer = sign_in(&app, OWNER, PASSWORD).await;
    let cookie = answer.headers["set-cookie"].to_str().unwrap();
    for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(
        !cookie.contains("Secure"),
        "the server is reached by http: {cookie}"
    );
    app.stop().await;
}

#[tokio::test]
async fn a_guesser_has_to_wait_and_learns_nothing() {
    let app = App::start(Database::Sqlite).await;
    owner(&app).await;
    let mut refusals = Vec::new();
    for email in [OWNER, "nobody@example.org"] {
        for _ in 0..6 {
            let answer = sign_in(&app, email, "a wrong password").await;
            refusals.push(answer.problem(401).body["detail"].clone());
        }
        let answer = sign_in(&app, email, PASSWORD).await;
        assert!(answer.headers.contains_key("retry-after"));
        assert_eq!(answer.problem(429).body["code"], "tooManyAttempts");
    }
    refusals.dedup();
    assert_eq!(refusals.len(), 1, "the same for who is not there");
    app.stop().await;
}

#[tokio::test]
async fn without_a_mail_server_links_are_made_by_owners() {
    let app = App::start(Database::Sqlite).await;
    let asked = json!({"email": OWNER});
    let refused = app.nobody().post("session/reset", &asked).await;
    assert_eq!(refused.problem(501).code(), "mailMissing");
    let invitation = json!({"email": "ann@x.org", "policies": ["reader"]});
    let invited = app.owner.post("invitations", &invitation).await.expect(201);
    assert_eq!(invited["mailed"], false);
    app.stop().await;
}
