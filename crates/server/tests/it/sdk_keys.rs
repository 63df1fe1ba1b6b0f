//! SDK keys: several, renamed, rotated, and when they were used.

use burgee_eval::time::Millis;
use burgee_server::now;
use burgee_store::dialect::Clock;
use burgee_testkit::sdk::{Kind, Sdk};
use serde_json::{Value, json};

use crate::kit::{App, Database, flag_on, in_prod, on_each_database};

const KEYS: &str = "projects/default/environments/prod/sdk-keys";

async fn listed(app: &App, id: &str) -> Value {
    let all = app.owner.get(KEYS).await.expect(200);
    let all = all["items"].as_array().unwrap();
    all.iter().find(|it| it["id"] == id).unwrap().clone()
}

async fn rotate(app: &App, id: &str, grace_seconds: i64) -> String {
    let path = format!("{KEYS}/{id}/rotate");
    let body = json!({ "graceSeconds": grace_seconds });
    let new = app.owner.post(&path, &body).await.expect(201);
    new["secret"].as_str().unwrap().to_owned()
}

fn refused(app: &App, secret: &str) -> bool {
    Sdk::connect(app.address(), Kind::Server, secret).close_code() == 4003
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_of_a_rotated_key_stay_until_its_grace_ends() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let old = app.keys("prod").await.server;
        let mut held = app.server_sdk("prod").await;
        let new = rotate(app, &old.id, 3_600).await;
        // Both open the door, and both hear the news.
        let mut late = Sdk::server(app.address(), &old.secret);
        let mut moved = Sdk::server(app.address(), &new);
        app.apply(json!([in_prod("turnOff", "f")])).await;
        for sdk in [&mut held, &mut late, &mut moved] {
            sdk.until(|sdk| sdk.is_on("f") == Some(false));
        }
        let shown = listed(app, &old.id).await;
        assert!(shown["endsAt"].is_string() && shown["revokedAt"].is_null());

        // An hour later another server ends it.
        let then = Clock::At(Millis(now().0 + 2 * 3_600_000));
        assert_eq!(app.store.end_sdk_keys(then).await.unwrap(), 1);
        assert_eq!(held.close_code(), 4003);
        assert_eq!(late.close_code(), 4003);
        moved.settle();
        assert!(refused(app, &old.secret));
        assert!(listed(app, &old.id).await["revokedAt"].is_string());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_ends_a_key_by_itself_when_it_is_time() {
    on_each_database(async |app| {
        let old = app.keys("prod").await.server;
        let mut held = app.server_sdk("prod").await;
        let new = rotate(app, &old.id, 1).await;
        assert_eq!(held.close_code(), 4003);
        assert!(refused(app, &old.secret));
        Sdk::server(app.address(), &new).settle();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_grace_the_old_key_ends_before_the_answer() {
    on_each_database(async |app| {
        let old = app.keys("prod").await.server;
        let mut held = app.server_sdk("prod").await;
        let new = rotate(app, &old.id, 0).await;
        assert!(refused(app, &old.secret));
        assert_eq!(held.close_code(), 4003);
        Sdk::server(app.address(), &new).settle();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_ends_while_no_server_runs_is_refused_from_the_start() {
    for database in [Database::Sqlite, Database::Postgres] {
        let app = App::start(database).await;
        let old = app.keys("prod").await.server;
        rotate(&app, &old.id, 3_600).await;
        let past = "UPDATE sdk_keys SET ends_at = 1 WHERE ends_at IS NOT NULL";
        let url = app.data.url();
        let mut raw = <sqlx::AnyConnection as sqlx::Connection>::connect(&url)
            .await
            .unwrap();
        let app = app.restart_with(async || {
            sqlx::query(past).execute(&mut raw).await.unwrap();
        });
        let app = app.await;
        assert!(refused(&app, &old.secret));
        assert!(listed(&app, &old.id).await["revokedAt"].is_string());
        app.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_renamed_and_shows_when_it_was_used() {
    on_each_database(async |app| {
        let key = app.keys("prod").await.server;
        let path = format!("{KEYS}/{}", key.id);
        assert!(listed(app, &key.id).await["lastUsedAt"].is_null());
        let name = json!({"name": " Back ends "});
        app.owner.patch(&path, &name).await.expect(204);
        assert_eq!(listed(app, &key.id).await["name"], "Back ends");
        let empty = json!({"name": ""});
        app.owner.patch(&path, &empty).await.problem(400);
        let _held = app.server_sdk("prod").await;
        while listed(app, &key.id).await["lastUsedAt"].is_null() {}
        let used = listed(app, &key.id).await;
        assert_eq!(used["firstUsedAt"], used["lastUsedAt"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_rotated_is_refused() {
    let app = App::start(Database::Sqlite).await;
    let key = app.keys("prod").await.server;
    let path = format!("{KEYS}/{}/rotate", key.id);
    for grace in [
        json!(-1),
        json!(90 * 24 * 3_600 + 1),
        json!(1.5),
        json!(null),
    ] {
        let body = json!({ "graceSeconds": grace });
        let problem = app.owner.post(&path, &body).await.problem(400);
        assert_eq!(
            problem.body["errors"][0]["pointer"], "/graceSeconds",
            "{problem:?}"
        );
    }
    rotate(&app, &key.id, 60).await;
    let body = json!({ "graceSeconds": 60 });
    let problem = app.owner.post(&path, &body).await.problem(409);
    assert_eq!(problem.code(), "keyEnding");
    let elsewhere = path.replace("prod", "dev");
    app.owner.post(&elsewhere, &body).await.problem(404);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_name_the_port_that_the_server_has() {
    let app = App::start(Database::Sqlite).await;
    let somebody = json!({"email": "somebody@example.com", "policies": ["reader"]});
    let made = app.owner.post("invitations", &somebody).await.expect(201);
    let link = made["link"].as_str().unwrap();
    let here = format!("http://{}/", app.address());
    assert!(link.starts_with(&here), "{link}");
    app.stop().await;
}
