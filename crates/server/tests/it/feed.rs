//! Several servers on one database: a change through one reaches the SDKs of the others.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use burgee_relay::state_file;
use burgee_server::{Config, Rates, Server, setup};
use burgee_store::{Location, Store};
use burgee_testkit::api::Api;
use burgee_testkit::postgres::Postgres;
use burgee_testkit::sdk::{Kind, Sdk};
use serde_json::json;

use crate::kit::{apply, flag_on, in_prod, keys, on_each_database, person};

#[tokio::test(flavor = "multi_thread")]
async fn a_change_through_one_server_reaches_the_sdks_of_another() {
    on_each_database(async |app| {
        let other = app.data.serve().await;
        let there = Api::new(other.address()).with_token(&app.token);
        let keys = app.keys("prod").await;
        app.apply(flag_on("f")).await;
        let mut here = Sdk::client(app.address(), &keys.client.secret, &person("u"));
        let mut far = Sdk::client(other.address(), &keys.client.secret, &person("u"));
        far.until(|sdk| sdk.value("f") == Some("true"));
        for round in 0..4 {
            let (from, kind, value) = match round % 2 {
                0 => (&app.owner, "turnOff", "false"),
                _ => (&there, "turnOn", "true"),
            };
            apply(from, json!([in_prod(kind, "f")])).await;
            here.until(|sdk| sdk.value("f") == Some(value));
            far.until(|sdk| sdk.value("f") == Some(value));
        }

        // Keys and environments too: made and revoked there, good and bad here.
        let path = "projects/default/environments/prod/sdk-keys";
        let new = json!({"kind": "server", "name": "late"});
        let made = app.owner.post(path, &new).await.expect(201);
        let secret = made["secret"].as_str().unwrap();
        let mut late = Sdk::connect(other.address(), Kind::Server, secret);
        late.sync(0);
        assert_eq!(late.is_on("f"), Some(true));
        let one = format!("{path}/{}", made["id"].as_str().unwrap());
        app.owner.delete(&one).await.expect(204);
        assert_eq!(late.close_code(), 4003);
        there
            .delete("projects/default/environments/prod")
            .await
            .expect(204);
        assert_eq!(here.close_code(), 4003);
        assert_eq!(far.close_code(), 4003);
        other.stop().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_starts_without_its_database_from_what_it_kept() {
    let mut cluster = Postgres::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let location = Location::Postgres(cluster.database().await.unwrap());
    let config = Config {
        listen: any,
        metrics_listen: any,
        state_dir: Some(folder.path().join("state")),
        rates: Rates::of(None),
        ..Config::new(location.clone())
    };
    let server = Server::start(config.clone()).await.unwrap();
    let store = Store::open(location).await.unwrap();
    let organization = setup::organization(&store).await.unwrap();
    let token = setup::create_token(&store, &organization, "olivia", &["owner".to_owned()]).await;
    store.close().await;
    let owner = Api::new(server.address()).with_token(&token.unwrap());
    apply(&owner, flag_on("f")).await;
    let keys = keys(&owner, "prod").await;
    // It is written a few seconds after it changed.
    let kept = folder.path().join("state/environments");
    while !holds(&kept, &keys.server.secret, "f") {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    server.stop().await;

    cluster.crash().unwrap();
    let server = Server::start(config.clone()).await.unwrap();
    let owner = owner.at(server.address());
    let mut sdk = Sdk::server(server.address(), &keys.server.secret);
    assert_eq!(sdk.is_on("f"), Some(true));
    let mut stranger = Sdk::connect(server.address(), Kind::Server, &"x".repeat(44));
    assert_eq!(stranger.close_code(), 1011);
    while !readiness(&owner).await.contains("degraded") {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // Management says that it cannot, and when to try again.
    let refused = owner.get("projects").await;
    assert_eq!(refused.status, 503);

    cluster.come_back().unwrap();
    while owner.get("projects").await.status == 503 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    apply(&owner, json!([in_prod("turnOff", "f")])).await;
    sdk.until(|sdk| sdk.is_on("f") == Some(false));
    assert_eq!(readiness(&owner).await, "ready");
    server.stop().await;
}

/// What the server says of itself.
async fn readiness(api: &Api) -> String {
    api.get("/health/readiness").await.text
}

/// Whether a kept environment has this key and this flag.
fn holds(folder: &Path, secret: &str, flag: &str) -> bool {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let kept = files.filter_map(|file| state_file::read(&file.path()).ok());
    kept.flatten().any(|it| {
        it.keys.iter().any(|key| key.secret == secret) && it.flags.iter().any(|it| it.key == flag)
    })
}
