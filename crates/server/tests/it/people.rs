//! People: signing in and out, passwords, the second factor, invitations.

mod invitations;
mod owners;
mod provider;
mod second_factor;
mod sign_in;

use burgee_domain::people::Email;
use burgee_server::setup;
use burgee_testkit::api::{Answer, Api};
use serde_json::{Value, json};

use crate::kit::{App, Database, on_each_database};

const OWNER: &str = "owner@localhost";
const PASSWORD: &str = "correct horse";

async fn sign_in(app: &App, email: &str, password: &str) -> Answer {
    let credentials = json!({"email": email, "password": password});
    app.nobody().post("session", &credentials).await
}

/// The owner, signed in with a password of their own.
pub(crate) async fn owner(app: &App) -> Api {
    let email = Email::new(OWNER).unwrap();
    let account = app.store.account_by_email(&email).await.unwrap().unwrap();
    let first = setup::temporary_password(&app.store, &account.id)
        .await
        .unwrap();
    let answer = sign_in(app, OWNER, &first).await;
    let owner = app.nobody().in_session_of(&answer);
    let change = json!({"current": first, "new": PASSWORD});
    let changed = owner.post("me/password", &change).await;
    assert_eq!(changed.status, 204, "{}", changed.text);
    owner.in_session_of(&changed)
}

/// What follows `#` in a link.
fn text(link: &Value) -> &str {
    link.as_str().unwrap().rsplit('#').next().unwrap()
}

/// Somebody who was invited and came.
pub(crate) async fn joined(app: &App, owner: &Api, email: &str, policies: &[&str]) -> Api {
    let invitation = json!({"email": email, "policies": policies});
    let invited = owner.post("invitations", &invitation).await.expect(201);
    let follow = json!({"link": text(&invited["link"]), "password": PASSWORD});
    let answer = app.nobody().post("links/follow", &follow).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    app.nobody().in_session_of(&answer)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_is_told_whom_to_ask() {
    on_each_database(async |app| {
        let owner = owner(app).await;
        let rita = joined(app, &owner, "rita@example.com", &["reader"]).await;
        joined(app, &owner, "wim@example.com", &["developer"]).await;
        let asked =
            "permissions/holders?action=flag.turnOn&resource=project/default:env/dev:flag/x";
        let found = rita.get(asked).await.expect(200);
        let named = |of: &Value| of["names"].as_array().unwrap().len();
        // The owner and the developer may; the owner alone gives it to others.
        assert_eq!(named(&found["holders"]), 2, "{found}");
        assert_eq!(named(&found["grantors"]), 1, "{found}");
        assert_eq!(found["holders"]["more"], 0);
        let unknown = rita
            .get("permissions/holders?action=fly&resource=project/default")
            .await;
        assert_eq!(unknown.problem(400).code(), "invalid");
        let nothing = rita
            .get("permissions/holders?action=flag.turnOn&resource=sky")
            .await;
        assert_eq!(nothing.problem(400).code(), "invalid");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn members_are_found_by_what_they_have_and_when_they_were_here() {
    on_each_database(async |app| {
        let owner = owner(app).await;
        let team = json!({"key": "team_a", "name": "Team A", "policies": ["reader"]});
        owner.post("groups", &team).await.expect(201);
        let invitation = json!({"email": "rita@example.com", "groups": ["team_a"]});
        let invited = owner.post("invitations", &invitation).await.expect(201);
        let follow = json!({"link": text(&invited["link"]), "password": PASSWORD});
        app.nobody().post("links/follow", &follow).await;
        joined(app, &owner, "wim@example.com", &["developer"]).await;
        let found = async |query: &str| {
            let page = owner.get(&format!("members?{query}")).await.expect(200);
            let items = page["items"].as_array().unwrap().clone();
            let mails = items
                .iter()
                .map(|it| it["email"].as_str().unwrap().to_owned());
            mails.collect::<Vec<_>>()
        };
        assert_eq!(found("group=Team_A").await, ["rita@example.com"]);
        assert_eq!(found("policy=developer").await, ["wim@example.com"]);
        // `_` is a letter like others.
        assert_eq!(found("group=teamXa").await, [""; 0]);

        let me = owner.get("members?policy=owner").await.expect(200);
        assert!(me["items"][0]["lastSeenAt"].is_string(), "{me}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_is_tried_out_before_it_is_written() {
    let app = App::start(Database::Sqlite).await;
    let owner = owner(&app).await;
    let rita = joined(&app, &owner, "rita@example.com", &["reader"]).await;
    let member = owner.get("members?policy=reader").await.expect(200)["items"][0]["id"].clone();
    let question = json!({"action": "flag.turnOff", "resource": "project/default:env/prod:flag/x"});
    let statement = json!({"effect": "allow", "actions": ["flag.turnOff"], "resources": ["project/*:env/*:flag/*"]});
    let draft = json!({"key": "new", "statements": [statement]});
    let mut asked = json!({"member": member, "questions": [question.clone()]});
    let answer = owner.post("permissions", &asked).await.expect(200);
    assert_eq!(answer["answers"][0]["allowed"], false);
    asked["policy"] = draft.clone();
    let answer = owner.post("permissions", &asked).await.expect(200);
    assert_eq!(
        answer["answers"][0],
        json!({"allowed": true, "by": {"policy": "new", "statement": 0}})
    );
    asked["policy"]["statements"][0]["actions"] = json!(["fly"]);
    let problem = owner.post("permissions", &asked).await.problem(400);
    let pointer = problem.body["errors"][0]["pointer"].as_str().unwrap();
    assert!(
        pointer.starts_with("/policy/statements/0/actions"),
        "{pointer}"
    );
    // Who may not write it does not try it out.
    let asked = json!({"questions": [question], "policy": draft});
    rita.post("permissions", &asked).await.problem(403);
    app.stop().await;
}
