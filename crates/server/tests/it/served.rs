//! What SDKs see of what people do: at once, in order, and after everything that can happen to a
//! connection.

use std::path::Path;

use burgee_testkit::api::Api;
use burgee_testkit::sdk::{Event, Kind, Sdk};
use serde_json::{Value, json};

use crate::kit::{App, Database, Keys, create, flag_on, in_prod, on_each_database, person};

/// The value that polling gives a user, as a client SDK would ask.
async fn polled(app: &App, keys: &Keys, flag: &str) -> Value {
    let path = "/api/public/sdk/client/latest-all?timestamp=0";
    let api = app.nobody().with_sdk_key(&keys.client.secret);
    let answer = api.post(path, &person("u")).await.expect(200);
    let flags = answer["data"]["featureFlags"].as_array().unwrap();
    let found = flags.iter().find(|it| it["id"] == flag);
    found.map_or(Value::Null, |it| it["variation"].clone())
}

async fn polled_by_server(api: &Api, flag: &str) -> Value {
    let path = "/api/public/sdk/server/latest-all?timestamp=0";
    let answer = api.get(path).await.expect(200);
    let flags = answer["data"]["featureFlags"].as_array().unwrap();
    let found = flags.iter().find(|it| it["key"] == flag);
    found.map_or(Value::Null, |it| it["isEnabled"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_changes_something_reads_it() {
    on_each_database(async |app| {
        let keys = app.keys("prod").await;
        let server_key = app.nobody().with_sdk_key(&keys.server.secret);
        app.apply(flag_on("f")).await;
        let mut client = app.client_sdk("prod", "u").await;
        let mut server = app.server_sdk("prod").await;
        for round in 0..10 {
            let (kind, on) = match round % 2 {
                0 => ("turnOff", false),
                _ => ("turnOn", true),
            };
            app.apply(json!([in_prod(kind, "f")])).await;
            // The very moment that the answer is there.
            assert_eq!(polled(app, &keys, "f").await, on.to_string(), "{round}");
            assert_eq!(polled_by_server(&server_key, "f").await, on, "{round}");
            let fresh = Sdk::client(app.address(), &keys.client.secret, &person("v"));
            assert_eq!(fresh.value("f"), Some(&*on.to_string()), "{round}");
            client.until(|sdk| sdk.value("f") == Some(&*on.to_string()));
            server.until(|sdk| sdk.is_on("f") == Some(on));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_change_set_is_one_push() {
    let app = App::start(Database::Sqlite).await;
    app.apply(json!([
        create("a"),
        create("b"),
        create("c"),
        in_prod("turnOn", "a"),
        in_prod("turnOff", "b"),
        in_prod("turnOff", "c")
    ]))
    .await;
    let mut client = app.client_sdk("prod", "u").await;
    app.apply(json!([
        in_prod("turnOff", "a"),
        in_prod("turnOn", "b"),
        in_prod("turnOn", "c")
    ]))
    .await;
    let push = client.data();
    assert_eq!(push["eventType"], "patch", "{push}");
    assert_eq!(push["featureFlags"].as_array().unwrap().len(), 3, "{push}");
    let values = ["a", "b", "c"].map(|flag| client.value(flag).unwrap().to_owned());
    assert_eq!(values, ["false", "true", "true"]);
    // Another environment hears nothing of it, and a name that nobody evaluates by is no news.
    app.apply(json!([{"kind": "turnOn", "flag": "a", "environment": "dev"}]))
        .await;
    client.say(&json!({"messageType": "ping", "data": {}}));
    assert!(matches!(client.event(), Event::Other(message) if message["messageType"] == "pong"));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_environment_lets_its_connections_go() {
    on_each_database(async |app| {
        let keys = app.keys("prod").await;
        let mut client = app.client_sdk("prod", "u").await;
        let mut server = app.server_sdk("prod").await;
        let mut elsewhere = app.client_sdk("dev", "u").await;
        app.owner
            .delete("projects/default/environments/prod")
            .await
            .expect(204);
        // Once that is answered, the keys open nothing any more.
        let polled = app.nobody().with_sdk_key(&keys.server.secret);
        let polled = polled.get("/api/public/sdk/server/latest-all").await;
        assert_eq!(polled.status, 401, "{polled:?}");
        assert_eq!(client.close_code(), 4003);
        assert_eq!(server.close_code(), 4003);
        for (kind, key) in [(Kind::Client, &keys.client), (Kind::Server, &keys.server)] {
            assert_eq!(
                Sdk::connect(app.address(), kind, &key.secret).close_code(),
                4003
            );
        }
        elsewhere.settle();
        // What was made after it under the same key is another environment.
        let path = "projects/default/environments";
        app.owner
            .post(path, &json!({"key": "prod"}))
            .await
            .expect(201);
        assert_ne!(app.keys("prod").await.client.secret, keys.client.secret);
        app.client_sdk("prod", "u").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_project_lets_its_connections_go() {
    on_each_database(async |app| {
        let mut prod = app.client_sdk("prod", "u").await;
        let mut dev = app.server_sdk("dev").await;
        app.owner.delete("projects/default").await.expect(204);
        assert_eq!(prod.close_code(), 4003);
        assert_eq!(dev.close_code(), 4003);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_closes_its_connections_and_no_others() {
    on_each_database(async |app| {
        let path = "projects/default/environments/prod/sdk-keys";
        let new = json!({"kind": "client", "name": "second"});
        let second = app.owner.post(path, &new).await.expect(201);
        let secret = second["secret"].as_str().unwrap();
        let mut of_second = Sdk::client(app.address(), secret, &person("u"));
        let mut of_first = app.client_sdk("prod", "u").await;
        let one = format!("{path}/{}", second["id"].as_str().unwrap());
        app.owner.delete(&one).await.expect(204);
        let polled = app.nobody().with_sdk_key(secret);
        let path = "/api/public/sdk/client/latest-all";
        assert_eq!(polled.post(path, &person("u")).await.status, 401);
        assert_eq!(of_second.close_code(), 4003);
        of_first.settle();
        app.apply(flag_on("f")).await;
        of_first.until(|sdk| sdk.value("f") == Some("true"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_secrets_are_refused_for_good() {
    let app = App::start(Database::Sqlite).await;
    let keys = app.keys("prod").await;
    let mut forged = keys.client.secret.clone();
    let first = if forged.starts_with('A') { "B" } else { "A" };
    forged.replace_range(0..1, first);
    for (kind, secret) in [
        (Kind::Client, forged.as_str()),
        (Kind::Client, &"x".repeat(44)),
        (Kind::Client, "short"),
        // A key of the other kind.
        (Kind::Client, &keys.server.secret),
        (Kind::Server, &keys.client.secret),
    ] {
        let mut sdk = Sdk::connect(app.address(), kind, secret);
        assert_eq!(sdk.close_code(), 4003, "{kind:?} {secret}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_archived_goes_from_clients_and_becomes_a_tombstone_for_servers() {
    on_each_database(async |app| {
        app.apply(flag_on("gone")).await;
        app.apply(flag_on("stays")).await;
        let mut client = app.client_sdk("prod", "u").await;
        let mut server = app.server_sdk("prod").await;
        app.apply(json!([{"kind": "archiveFlag", "flag": "gone"}]))
            .await;
        let data = client.data();
        assert_eq!(data["eventType"], "full", "{data}");
        assert_eq!(client.value("gone"), None);
        assert_eq!(client.value("stays"), Some("true"));
        server.until(|sdk| sdk.flags["gone"]["isArchived"] == true);
        let tombstone = &server.flags["gone"];
        assert_eq!(tombstone["isEnabled"], true, "{tombstone}");
        assert_eq!(tombstone["rules"], json!([]), "{tombstone}");
        assert_eq!(tombstone["targetUsers"], json!([]), "{tombstone}");
        assert_eq!(
            tombstone["fallthrough"]["variations"],
            json!([]),
            "{tombstone}"
        );

        app.apply(json!([{"kind": "restoreFlag", "flag": "gone"}]))
            .await;
        client.until(|sdk| sdk.value("gone").is_some());
        server.until(|sdk| sdk.flags["gone"]["isArchived"] == false);

        app.apply(json!([{"kind": "archiveFlag", "flag": "gone"}]))
            .await;
        app.apply(json!([{"kind": "deleteFlag", "flag": "gone"}]))
            .await;
        client.until(|sdk| sdk.value("gone").is_none());
        server.until(|sdk| sdk.flags["gone"]["isArchived"] == true);
        app.owner
            .get("projects/default/flags/gone")
            .await
            .problem(404);
        // One that is new under the same key takes its place.
        app.apply(flag_on("gone")).await;
        client.until(|sdk| sdk.value("gone") == Some("true"));
        server.until(|sdk| sdk.flags["gone"]["isArchived"] == false);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sdks_resume_after_a_restart_with_what_they_missed() {
    for database in [Database::Sqlite, Database::Postgres] {
        let app = App::start(database).await;
        app.apply(flag_on("still")).await;
        app.apply(flag_on("moved")).await;
        let (mut client, mut server) = (
            app.client_sdk("prod", "u").await,
            app.server_sdk("prod").await,
        );
        let (keys, newest) = (app.keys("prod").await, (client.newest(), server.newest()));
        let app = app.restart().await;
        assert_eq!(client.close_code(), 1001);
        assert_eq!(server.close_code(), 1001);
        app.apply(json!([in_prod("turnOff", "moved")])).await;

        let again = Sdk::connect(app.address(), Kind::Client, &keys.client.secret);
        let mut again = again.instead_of(&client);
        let data = again.identify(&person("u"), newest.0);
        assert_eq!(data["eventType"], "patch", "{data}");
        assert_eq!(data["featureFlags"].as_array().unwrap().len(), 1, "{data}");
        assert_eq!(again.value("moved"), Some("false"));
        assert_eq!(again.value("still"), Some("true"));

        let fresh = app.server_sdk("prod").await;
        let again = Sdk::connect(app.address(), Kind::Server, &keys.server.secret);
        let mut again = again.instead_of(&server);
        again.sync(newest.1);
        assert_eq!(again.flags, fresh.flags);
        // Nothing new since: a patch with nothing in it.
        let data = again.sync(again.newest());
        assert_eq!(data["eventType"], "patch", "{data}");
        assert_eq!(data["featureFlags"], json!([]), "{data}");
        app.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_lost_by_a_restore_is_forgotten_though_newer_changes_have_passed_it() {
    let app = App::start(Database::Sqlite).await;
    app.apply(flag_on("f")).await;
    // So large that server SDKs are sent changes rather than everything.
    let large = json!([{"kind": "createFlag", "flag": "large", "type": "string",
            "variations": [{"value": "x".repeat(60_000)}, {"value": "y".repeat(60_000)}]},
        in_prod("turnOn", "large")]);
    app.apply(large).await;
    let copies = tempfile::tempdir().unwrap();
    let app = app
        .restart_after(|data| copy(data.folder(), copies.path()))
        .await;
    app.apply(flag_on("lost")).await;
    app.apply(json!([in_prod("turnOff", "f")])).await;
    let client = app.client_sdk("prod", "u").await;
    let server = app.server_sdk("prod").await;
    let keys = app.keys("prod").await;
    let app = app
        .restart_after(|data| {
            std::fs::remove_dir_all(data.folder()).unwrap();
            copy(copies.path(), data.folder());
        })
        .await;
    // Before the SDKs are back, the copy's history goes on past all that they have.
    app.apply(flag_on("other")).await;
    let mut of_client = Sdk::connect(app.address(), Kind::Client, &keys.client.secret);
    let data = of_client.identify(&person("u"), client.newest());
    assert_eq!(data["eventType"], "full", "{data}");
    assert_eq!(of_client.value("f"), Some("true"));
    assert_eq!(of_client.value("lost"), None);
    let mut of_server = Sdk::connect(app.address(), Kind::Server, &keys.server.secret);
    let data = of_server.sync(server.newest());
    assert_eq!(data["eventType"], "full");
    assert_eq!(of_server.is_on("f"), Some(true));
    assert!(of_server.newest() > server.newest());
    // Who has nothing of the lost history is sent what is new, and no more.
    let known = of_server.newest();
    app.apply(json!([in_prod("turnOff", "other")])).await;
    let mut away = Sdk::connect(app.address(), Kind::Server, &keys.server.secret);
    let data = away.sync(known);
    assert_eq!(data["eventType"], "patch");
    app.stop().await;
}

/// Copies what is in a folder into another.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for file in std::fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn data_that_was_restored_from_a_copy_is_what_sdks_get() {
    let app = App::start(Database::Sqlite).await;
    app.apply(flag_on("f")).await;
    let copies = tempfile::tempdir().unwrap();
    let app = app
        .restart_after(|data| copy(data.folder(), copies.path()))
        .await;
    // What the copy does not know: SDKs have it, and newer stamps than the copy's newest.
    app.apply(json!([in_prod("turnOff", "f")])).await;
    app.apply(flag_on("lost")).await;
    let (mut client, mut server) = (
        app.client_sdk("prod", "u").await,
        app.server_sdk("prod").await,
    );
    let keys = app.keys("prod").await;
    let app = app
        .restart_after(|data| {
            std::fs::remove_dir_all(data.folder()).unwrap();
            copy(copies.path(), data.folder());
        })
        .await;
    assert_eq!(client.close_code(), 1001);
    assert_eq!(server.close_code(), 1001);

    let again = Sdk::connect(app.address(), Kind::Client, &keys.client.secret);
    let mut again = again.instead_of(&client);
    let data = again.identify(&person("u"), client.newest());
    assert_eq!(data["eventType"], "full", "{data}");
    assert_eq!(again.value("f"), Some("true"));
    assert_eq!(again.value("lost"), None);
    let mut of_server = Sdk::connect(app.address(), Kind::Server, &keys.server.secret);
    let data = of_server.sync(server.newest());
    assert_eq!(data["eventType"], "full", "{data}");
    assert_eq!(of_server.is_on("f"), Some(true));
    assert!(!of_server.flags.contains_key("lost"));
    // Server SDKs take nothing that is older than what they have.
    assert!(of_server.newest() > server.newest(), "{data}");

    // And from then on as ever.
    app.apply(json!([in_prod("turnOff", "f")])).await;
    again.until(|sdk| sdk.value("f") == Some("false"));
    of_server.until(|sdk| sdk.is_on("f") == Some(false));
    app.stop().await;
}
