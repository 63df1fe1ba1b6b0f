//! People: signing in and out, passwords, the second factor, invitations.

use burgee_domain::people::Email;
use burgee_server::auth::totp::SecondFactor;
use burgee_server::{now, setup};
use burgee_testkit::api::{Answer, Api};
use serde_json::{Value, json};

use crate::kit::{App, Data, Database, on_each_database};

const OWNER: &str = "owner@localhost";
const PASSWORD: &str = "correct horse";

async fn sign_in(app: &App, email: &str, password: &str) -> Answer {
    let credentials = json!({"email": email, "password": password});
    app.nobody().post("session", &credentials).await
}

/// The owner, signed in with a password of their own.
async fn owner(app: &App) -> Api {
    let email = Email::new(OWNER).unwrap();
    let account = app.store.account_by_email(&email).await.unwrap().unwrap();
    let first = setup::temporary_password(&app.store, &account.id)
        .await
        .unwrap();
    let answer = sign_in(app, OWNER, &first).await;
    let owner = app.nobody().in_session_of(&answer);
    let change = json!({"current": first, "new": PASSWORD});
    owner.post("me/password", &change).await.expect(204);
    owner
}

/// What follows `#` in a link.
fn text(link: &Value) -> &str {
    link.as_str().unwrap().rsplit('#').next().unwrap()
}

/// Somebody who was invited and came.
async fn joined(app: &App, owner: &Api, email: &str, policies: &[&str]) -> Api {
    let invitation = json!({"email": email, "policies": policies});
    let invited = owner.post("invitations", &invitation).await.expect(201);
    let follow = json!({"link": text(&invited["link"]), "password": PASSWORD});
    let answer = app.nobody().post("links/follow", &follow).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    app.nobody().in_session_of(&answer)
}

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
        owner
            .post("me/password", &change(&first, PASSWORD))
            .await
            .expect(204);
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
async fn without_an_instance_key_there_is_no_second_factor_and_all_else() {
    let data = Data::new(Database::Sqlite).await;
    let any = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let config = burgee_server::Config {
        listen: any,
        metrics_listen: any,
        instance_key_file: None,
        ..burgee_server::Config::new(data.location.clone())
    };
    let server = burgee_server::Server::start(config).await.unwrap();
    let api = Api::new(server.address());
    let credentials = json!({"email": OWNER, "password": server.owner_password().unwrap()});
    let signed_in = api
        .clone()
        .in_session_of(&api.post("session", &credentials).await);
    let refused = signed_in.post("me/second-factor/seed", &json!({})).await;
    assert_eq!(refused.problem(501).body["code"], "instanceKeyMissing");
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
async fn a_second_factor_is_asked_for_and_each_code_works_once() {
    on_each_database(async |app| {
        let owner = owner(app).await;
        let new = owner
            .post("me/second-factor/seed", &json!({}))
            .await
            .expect(200);
        let seed = new["seed"].as_str().unwrap();
        assert!(
            new["address"]
                .as_str()
                .unwrap()
                .starts_with("otpauth://totp/Burgee")
        );
        let (factor, _) = SecondFactor::of_typed(seed, OWNER).unwrap();
        let proof = |code: &str| json!({"seed": seed, "code": code, "password": PASSWORD});
        let wrong = owner.put("me/second-factor", &proof("abcdef")).await;
        assert_eq!(wrong.problem(400).body["errors"][0]["pointer"], "/code");
        let code = factor.code(now());
        let codes = owner
            .put("me/second-factor", &proof(&code))
            .await
            .expect(200);

        let with = |code: &str| json!({"email": OWNER, "password": PASSWORD, "code": code});
        let asked = sign_in(app, OWNER, PASSWORD).await.problem(401);
        assert_eq!(asked.body["code"], "codeNeeded");
        let again = app.nobody().post("session", &with(&code)).await;
        assert_eq!(
            again.problem(401).body["code"],
            "badCredentials",
            "it was used"
        );
        let recovery = codes["codes"][0].as_str().unwrap().to_uppercase();
        let signed_in = app.nobody().post("session", &with(&recovery)).await;
        let signed_in = app.nobody().in_session_of(&signed_in);
        assert_eq!(
            signed_in.get("session").await.expect(200)["secondFactor"],
            true
        );
        app.nobody()
            .post("session", &with(&recovery))
            .await
            .problem(401);

        let away = reqwest::Method::DELETE;
        let body = json!({"password": PASSWORD});
        let refused = signed_in
            .send(away.clone(), "me/second-factor", Some(&body))
            .await;
        assert_eq!(refused.problem(400).body["errors"][0]["pointer"], "/code");
        let body = json!({"password": PASSWORD, "code": codes["codes"][1]});
        signed_in
            .send(away, "me/second-factor", Some(&body))
            .await
            .expect(204);
        assert_eq!(sign_in(app, OWNER, PASSWORD).await.status, 200);
    })
    .await;
}

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
async fn only_an_owner_makes_owners_by_whatever_way() {
    let app = App::start(Database::Sqlite).await;
    let owner = owner(&app).await;
    let admin = joined(&app, &owner, "adam@x.org", &["administrator"]).await;
    let ann = joined(&app, &owner, "ann@x.org", &["reader"]).await;
    let of = |me: &Value| format!("members/{}", me["id"].as_str().unwrap());
    let (ann, boss) = (
        of(&ann.get("session").await.expect(200)),
        of(&owner.get("session").await.expect(200)),
    );
    let everything = json!([{"effect": "allow", "actions": ["*"], "resources": ["*"]}]);
    let own = json!([{"effect": "allow", "actions": ["*.own"], "resources": ["organization"]}]);
    let give = json!({"policies": ["Owner"], "groups": []});
    admin.put(&ann, &give).await.problem(403);
    let invitation = json!({"email": "new@x.org", "policies": ["owner"]});
    admin.post("invitations", &invitation).await.problem(403);
    let group = json!({"key": "bosses", "name": "Bosses", "policies": ["owner"]});
    admin.post("groups", &group).await.problem(403);
    for statements in [&everything, &own] {
        let policy = json!({"key": "mine", "name": "Mine", "statements": statements});
        admin.post("policies", &policy).await.problem(403);
        let token = json!({"kind": "service", "name": "t", "statements": statements});
        admin.post("tokens", &token).await.problem(403);
    }
    let reader = json!({"policies": ["reader"], "groups": []});
    admin.put(&boss, &reader).await.problem(403);
    admin.delete(&boss).await.problem(403);
    admin
        .post(&format!("{boss}/reset-link"), &json!({}))
        .await
        .problem(403);

    owner.post("groups", &group).await.expect(201);
    let in_group = json!({"policies": [], "groups": ["bosses"]});
    admin.put(&ann, &in_group).await.problem(403);
    admin.delete("groups/bosses").await.problem(403);
    owner.put(&ann, &in_group).await.expect(200);
    owner.put(&boss, &reader).await.expect(200);
    app.stop().await;
}

#[tokio::test]
async fn nobody_locks_the_owner_out_or_outlives_their_rights() {
    let app = App::start(Database::Sqlite).await;
    let owner = owner(&app).await;
    let adam = joined(&app, &owner, "adam@x.org", &["owner"]).await;
    let deny = json!({"key": "no", "name": "No", "statements": [
        {"effect": "deny", "actions": ["*"], "resources": ["*"]}]});
    adam.post("policies", &deny).await.expect(201);
    let me = owner.get("session").await.expect(200);
    let boss = format!("members/{}", me["id"].as_str().unwrap());
    let both = json!({"policies": ["owner", "no"], "groups": []});
    adam.put(&boss, &both).await.expect(200);
    owner.get("projects").await.expect(200);

    // What a token makes is bound to the person behind it, and goes with them.
    let service = json!({"kind": "service", "name": "t", "policies": ["owner"]});
    let made = adam.post("tokens", &service).await.expect(201);
    let parent = app.nobody().with_token(made["token"].as_str().unwrap());
    let made = parent.post("tokens", &service).await.expect(201);
    let child = app.nobody().with_token(made["token"].as_str().unwrap());
    child.get("projects").await.expect(200);
    let personal = json!({"kind": "personal", "name": "t"});
    parent.post("tokens", &personal).await.problem(400);
    let mine = adam.post("tokens", &personal).await.expect(201);
    let mine = app.nobody().with_token(mine["token"].as_str().unwrap());
    mine.post("tokens", &personal).await.problem(403);
    let me = adam.get("session").await.expect(200);
    let id = me["id"].as_str().unwrap();

    // A reset link is worth nothing once its person is another one.
    let reset = owner
        .post(&format!("members/{id}/reset-link"), &json!({}))
        .await
        .expect(200);
    let same = json!({"policies": ["reader"], "groups": []});
    owner
        .put(&format!("members/{}", id.replace('-', "")), &same)
        .await
        .expect(200);
    let follow = json!({"link": text(&reset["link"]), "password": "another password"});
    app.nobody()
        .post("links/follow", &follow)
        .await
        .problem(404);
    owner.delete(&format!("members/{id}")).await.expect(204);
    for token in [parent, child, mine] {
        token.get("projects").await.problem(401);
    }
    app.stop().await;
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

#[tokio::test]
async fn a_token_may_be_bound_to_networks_and_to_days() {
    let app = App::start(Database::Sqlite).await;
    let owner = owner(&app).await;
    let make = async |more: Value| {
        let mut token = json!({"kind": "personal", "name": "t"});
        token
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        owner.post("tokens", &token).await
    };
    let with = |made: &Value| app.nobody().with_token(made["token"].as_str().unwrap());
    let here = make(json!({"networks": ["127.0.0.0/8"], "expiresInDays": 1}))
        .await
        .expect(201);
    with(&here).get("projects").await.expect(200);
    let elsewhere = make(json!({"networks": ["192.0.2.0/24"]}))
        .await
        .expect(201);
    with(&elsewhere).get("projects").await.problem(401);
    let wrong = make(json!({"networks": ["here"]})).await.problem(400);
    assert_eq!(wrong.body["errors"][0]["pointer"], "/networks/0");
    let wrong = make(json!({"expiresInDays": 0})).await.problem(400);
    assert_eq!(wrong.body["errors"][0]["pointer"], "/expiresInDays");

    let listed = owner.get("tokens").await.expect(200);
    assert!(!listed.to_string().contains(here["token"].as_str().unwrap()));
    let path = format!("tokens/{}", here["id"].as_str().unwrap());
    owner.delete(&path).await.expect(204);
    with(&here).get("projects").await.problem(401);
    app.stop().await;
}
