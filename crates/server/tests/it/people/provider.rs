//! Signing in by a provider, as far as it takes none: settings, and what its sessions are good for.
//! The provider itself is in `e2e/sign-in`.

use burgee_domain::key::Key;
use burgee_domain::people::Email;
use burgee_domain::people::sign_on::Claimed;
use burgee_server::now;
use burgee_store::Actor;
use burgee_store::people::members::Grants;
use burgee_store::people::sessions::Seen;
use burgee_store::people::sign_on::{SignedOn, Subject};
use burgee_testkit::api::Api;
use serde_json::{Value, json};

use super::{joined, owner};
use crate::access::neighbour;
use crate::kit::{App, Database, on_each_database};

const PATH: &str = "organization/sign-in";
const ISSUER: &str = "https://id.example.com";

fn settings() -> Value {
    json!({"issuer": ISSUER, "clientId": "burgee", "clientSecret": "hush",
        "domains": ["Example.com "], "newcomers": {"policies": ["Reader"]}})
}

/// Somebody whom the provider has signed in.
async fn by_provider(app: &App, address: &str) -> Api {
    let subject = Subject {
        issuer: ISSUER.to_owned(),
        subject: address.to_owned(),
        claimed: Claimed {
            email: Some(Email::new(address).unwrap()),
            name: None,
            groups: Vec::new(),
        },
    };
    let (organization, seen) = (&app.organization.id, Seen::default());
    let come = app.store.sign_on_as(organization, &subject, &seen, now());
    let SignedOn::Session(text) = come.await.unwrap() else {
        panic!("{address} does not get in");
    };
    let cookie = format!("burgee={text}");
    app.nobody().with_header("cookie", &cookie)
}

#[tokio::test]
async fn settings_are_kept_without_their_secret_and_checked_field_by_field() {
    on_each_database(async |app| {
        let boss = &app.owner;
        boss.get(PATH).await.problem(404);
        boss.delete(PATH).await.problem(404);
        let set = boss.put(PATH, &settings()).await.expect(200);
        assert_eq!(set["hasClientSecret"], true);
        assert_eq!(set["domains"], json!(["example.com"]));
        assert_eq!(set["scopes"], json!(["email", "profile"]));
        assert_eq!(set["passwords"], "allowed");
        let got = boss.get(PATH).await;
        assert!(!got.text.contains("hush"));
        assert_eq!(got.expect(200), set);

        let wrong = async |field: &str, value: Value| {
            let mut body = settings();
            body[field] = value;
            let refused = boss.put(PATH, &body).await.problem(400);
            refused.pointers()[0].to_owned()
        };
        for issuer in [
            "id.example.com",
            "http://id.example.com",
            "https://169.254.169.254",
            "https://x.org/?a",
        ] {
            assert_eq!(wrong("issuer", json!(issuer)).await, "/issuer", "{issuer}");
        }
        assert_eq!(wrong("clientId", json!("")).await, "/clientId");
        assert_eq!(
            wrong("clientSecret", json!("x".repeat(1_001))).await,
            "/clientSecret"
        );
        assert_eq!(wrong("domains", json!(["@x.org"])).await, "/domains/0");
        assert_eq!(wrong("claims", json!({"email": ""})).await, "/claims/email");
        let mapping = json!([{"value": "a", "group": "nobody"}]);
        assert_eq!(wrong("groups", mapping.clone()).await, "/claims/groups");
        let mut body = settings();
        body["claims"] = json!({"groups": "groups"});
        body["groups"] = mapping;
        let refused = boss.put(PATH, &body).await.problem(400);
        assert_eq!(refused.pointers(), ["/groups"], "there is no such group");
        assert_eq!(boss.get(PATH).await.expect(200), set, "nothing was changed");
        boss.delete(PATH).await.expect(204);
    })
    .await;
}

#[tokio::test]
async fn only_an_owner_chooses_who_says_who_is_an_owner() {
    let app = App::start(Database::Sqlite).await;
    let owner = owner(&app).await;
    let statements = json!([{"effect": "allow", "actions": ["organization.setSignIn"],
        "resources": ["*"]}]);
    let policy = json!({"key": "gate", "name": "Gate", "statements": statements});
    owner.post("policies", &policy).await.expect(201);
    let adam = joined(&app, &owner, "adam@x.org", &["administrator", "gate"]).await;
    let refused = adam.put(PATH, &settings()).await.problem(403);
    let detail = refused.body["detail"].as_str().unwrap();
    assert!(detail.contains("organization.own"), "{detail}");
    adam.delete(PATH).await.problem(403);
    owner.put(PATH, &settings()).await.expect(200);
    app.stop().await;
}

#[tokio::test]
async fn what_a_provider_says_opens_its_own_organization_alone() {
    let app = App::start(Database::Sqlite).await;
    neighbour(&app).await;
    app.owner.put(PATH, &settings()).await.expect(200);
    let ann = by_provider(&app, "ann@example.com").await;
    let me = ann.get("session").await.expect(200);
    assert_eq!(me["organizations"].as_array().unwrap().len(), 1);
    ann.get("me/sessions").await.expect(200);
    ann.patch("me", &json!({"name": "Ann"})).await.expect(200);

    // From here on she is a member of the other one too.
    let next_door = app
        .store
        .organization(&Key::new("next-door").unwrap())
        .await;
    let (email, actor) = (Email::new("ann@example.com").unwrap(), Actor::operator());
    let grants = Grants {
        policies: vec!["owner".to_owned()],
        groups: Vec::new(),
    };
    let organization = next_door.unwrap().id;
    let invited = app
        .store
        .invite(&organization, &email, &grants, &actor, now());
    let (_, link) = invited.await.unwrap();
    ann.post("links/follow", &json!({"link": link}))
        .await
        .problem(401);
    let account = app.store.account_by_email(&email).await.unwrap().unwrap();
    let joined = app
        .store
        .follow_link(&link, "", None, Some(&account.id), now());
    joined.await.unwrap().unwrap();

    ann.get("projects").await.expect(200);
    let there = ann.clone().with_header("burgee-organization", "next-door");
    there.get("projects").await.problem(404);
    let here = ann.clone().with_header("burgee-organization", "default");
    here.get("projects").await.expect(200);
    let me = ann.get("session").await.expect(200);
    assert_eq!(me["organizations"][0]["key"], "default");
    assert_eq!(me["organizations"].as_array().unwrap().len(), 1);
    ann.get("me/sessions").await.problem(403);
    ann.patch("me", &json!({"name": "Eve"})).await.problem(403);
    ann.delete("session").await.expect(204);
    ann.get("session").await.problem(401);
    app.stop().await;
}

#[tokio::test]
async fn an_answer_that_nobody_asked_for_leads_nowhere() {
    let app = App::start(Database::Sqlite).await;
    let nobody = app.nobody();
    nobody.get("session/oidc/default").await.problem(404);
    nobody.get("session/oidc/nowhere").await.problem(404);
    let refused = nobody.get("session/oidc/default?returnTo=//evil.org").await;
    assert_eq!(refused.problem(400).pointers(), ["returnTo"]);
    let expired = nobody
        .get("session/oidc?code=a&state=b&session_state=c")
        .await;
    assert_eq!(expired.problem(401).code(), "signInExpired");
    let forged = nobody.with_header("cookie", "burgee-sign-in=AAAA");
    let expired = forged.get("session/oidc?code=a&state=b").await;
    assert_eq!(expired.problem(401).code(), "signInExpired");
    app.stop().await;
}
