//! Tokens that open nothing (any more), and two organizations with the same keys. That each route
//! asks for its permission is shown in `permissions`.

use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::Organization;
use burgee_eval::time::Millis;
use burgee_server::setup;
use burgee_store::{Actor, Grant, NewEnvironment, NewProject, NewToken};
use burgee_testkit::api::Api;
use burgee_testkit::sdk;
use serde_json::{Value, json};
use sqlx::{AnyConnection, Connection};

use crate::kit::{App, Database, flag_on, on_each_database};

#[tokio::test(flavor = "multi_thread")]
async fn the_scheme_of_a_token_has_no_case() {
    let app = App::start(Database::Sqlite).await;
    for scheme in ["bearer", "BEARER"] {
        let header = format!("{scheme} {}", app.token);
        let caller = app.nobody().with_sdk_key(&header);
        caller.get("projects").await.expect(200);
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_was_revoked_or_has_expired_opens_nothing() {
    on_each_database(async |app| {
        let now = Millis(sdk::now());
        let new = |expires_at| NewToken {
            organization: app.organization.id.clone(),
            name: "short".to_owned(),
            account: None,
            grant: Grant::Service {
                policies: vec!["owner".to_owned()],
                statements: Vec::new(),
            },
            networks: Vec::new(),
            expires_at,
        };
        let expired = app
            .store
            .create_token(&new(Some(Millis(now.0 - 1))), &Actor::operator(), now)
            .await;
        let expired = app.nobody().with_token(&expired.unwrap().1);
        expired.get("projects").await.problem(401);

        let later = Some(Millis(now.0 + 600_000));
        let (token, text) = app
            .store
            .create_token(&new(later), &Actor::operator(), now)
            .await
            .unwrap();
        let caller = app.nobody().with_token(&text);
        caller.get("projects").await.expect(200);
        let organization = &app.organization.id;
        app.store
            .revoke_token(organization, &token.id, &Actor::operator(), now)
            .await
            .unwrap();
        caller.get("projects").await.problem(401);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_token_makes_is_bounded_as_it_is() {
    on_each_database(async |app| {
        let child = |more: Value| {
            let mut child = json!({"kind": "service", "name": "child", "policies": ["reader"]});
            let more = more.as_object().unwrap().clone();
            child.as_object_mut().unwrap().extend(more);
            child
        };
        let short = json!({"kind": "service", "name": "short", "policies": ["owner"],
            "expiresInDays": 2, "networks": ["127.0.0.0/8", "2001:db8::/32"]});
        let short = app.owner.post("tokens", &short).await.expect(201);
        let bounded = app.nobody().with_token(short["token"].as_str().unwrap());

        for more in [json!({}), json!({"expiresInDays": 30})] {
            let made = bounded.post("tokens", &child(more)).await.expect(201);
            assert_eq!(made["expiresAt"], short["expiresAt"]);
            assert_eq!(made["networks"], short["networks"]);
            assert_eq!(made["madeBy"], short["id"]);
        }
        let less = child(json!({"expiresInDays": 1, "networks": ["127.0.0.1/32"]}));
        let made = bounded.post("tokens", &less).await.expect(201);
        assert!(made["expiresAt"].as_str() < short["expiresAt"].as_str());
        assert_eq!(made["networks"], json!(["127.0.0.1/32"]));
        let wide = child(json!({"networks": ["127.0.0.1/32", "0.0.0.0/0"]}));
        let refused = bounded.post("tokens", &wide).await.problem(400);
        assert_eq!(refused.body["errors"][0]["code"], "networkTooWide");
        assert_eq!(refused.pointers(), ["/networks/1"]);

        for days in [0, 3_651] {
            let never = child(json!({"expiresInDays": days}));
            let refused = app.owner.post("tokens", &never).await.problem(400);
            assert_eq!(refused.pointers(), ["/expiresInDays"]);
        }
        let free = app.owner.post("tokens", &child(json!({}))).await;
        assert_eq!(free.expect(201)["expiresAt"], Value::Null);
    })
    .await;
}

/// A second organization, made past the store, since nothing makes one yet; with the same keys in
/// it as the first has.
pub(crate) async fn neighbour(app: &App) -> Api {
    let id = uuid::Uuid::now_v7().to_string();
    let mut connection = AnyConnection::connect(&app.data.url()).await.unwrap();
    sqlx::query(
        "INSERT INTO organizations (id, key, key_folded, name, version, created_at) \
         VALUES ($1, 'next-door', 'next-door', 'Next door', 0, 1900000000000)",
    )
    .bind(id.as_str())
    .execute(&mut connection)
    .await
    .unwrap();
    connection.close().await.unwrap();
    let organization = Organization {
        id: Id::new(&*id),
        key: Key::new("next-door").unwrap(),
        name: "Next door".to_owned(),
        version: 0,
    };
    let now = Millis(sdk::now());
    let project = NewProject {
        organization: organization.id.clone(),
        key: Key::new("theirs").unwrap(),
        name: "Theirs".to_owned(),
    };
    let project = app
        .store
        .create_project(&project, &Actor::operator(), now)
        .await
        .unwrap();
    let environment = NewEnvironment {
        project: project.id,
        key: Key::new("prod").unwrap(),
        name: "Production".to_owned(),
        description: String::new(),
    };
    let actor = Actor::operator();
    app.store
        .create_environment(&environment, &actor, now)
        .await
        .unwrap();
    let token = setup::create_token(&app.store, &organization, "nick", &["owner".to_owned()]).await;
    app.nobody().with_token(&token.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_belongs_to_others_is_not_there() {
    on_each_database(async |app| {
        app.apply(flag_on("known")).await;
        let neighbour = neighbour(app).await;
        their_change_sets(app, &neighbour).await;
        let seen = neighbour.get("projects").await.expect(200);
        assert_eq!(seen["items"].as_array().unwrap().len(), 1, "{seen}");
        let seen = app.owner.get("projects").await.expect(200);
        assert_eq!(seen["items"][0]["key"], "default", "{seen}");
        assert_eq!(seen["items"].as_array().unwrap().len(), 1, "{seen}");
        app.owner.get("projects/theirs").await.problem(404);
    })
    .await;
}

async fn their_change_sets(app: &App, neighbour: &Api) {
    let command = json!({"kind": "turnOff", "project": "default", "environment": "prod",
        "flag": "known"});
    let set = json!({"commands": [command]});
    neighbour.post("changes", &set).await.problem(404);

    // Ids of change sets are an organization's own.
    let id = uuid::Uuid::now_v7().to_string();
    let set = |project: &str| -> Value {
        json!({"id": id, "commands": [
            {"kind": "createFlag", "project": project, "flag": "same-id", "type": "boolean"},
            {"kind": "turnOn", "project": project, "environment": "prod", "flag": "same-id"}]})
    };
    let ours = app.owner.post("changes", &set("default")).await.expect(200);
    let theirs = neighbour.post("changes", &set("theirs")).await.expect(200);
    assert!(ours["versions"].get("default/prod").is_some(), "{ours}");
    assert!(theirs["versions"].get("theirs/prod").is_some(), "{theirs}");

    // Segments of one organization are not seen, nor used, in another.
    let segment = json!({"commands": [{"kind": "createSegment", "segment": "ours"}]});
    let made = app.owner.post("changes", &segment).await.expect(200);
    let made = format!("changes/{}", made["id"].as_str().unwrap());
    neighbour.get(&made).await.problem(404);
    neighbour.get("segments/ours").await.problem(404);
    let shared = app.owner.get("segments/ours").await.expect(200);
    let id = shared["id"].as_str().unwrap();
    let seen = neighbour.get("segments").await.expect(200);
    assert_eq!(seen["items"].as_array().unwrap().len(), 0, "{seen}");
    let variations = neighbour
        .get("projects/theirs/flags/same-id")
        .await
        .expect(200);
    let rule = json!({"variation": variations["variations"][0]["id"], "conditions": [
        {"property": "User is in segment", "value": json!([id]).to_string()}]});
    let set = json!({"commands": [{"kind": "addRule", "project": "theirs", "environment": "prod",
        "flag": "same-id", "rule": rule}]});
    let refused = neighbour.post("changes", &set).await;
    assert!([400, 404].contains(&refused.status), "{refused:?}");
}
