//! Who has a change: what its author is shown.

use burgee_domain::access::{DEVELOPER, READER};
use burgee_server::{Config, Server};
use burgee_testkit::api::{Api, PATIENCE};
use burgee_testkit::sdk::{Kind, Sdk};
use serde_json::{Value, json};

use crate::events::Listener;
use crate::kit::{App, Database, apply, create, flag_on, in_prod, on_each_database, person};

pub(crate) const CONNECTIONS: &str = "projects/default/environments/prod/connections";

/// What is answered, once it is as wanted.
pub(crate) async fn until(api: &Api, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let asked = async {
        loop {
            let answer = api.get(path).await.expect(200);
            if wanted(&answer) {
                return answer;
            }
            tokio::task::yield_now().await;
        }
    };
    let answer = tokio::time::timeout(PATIENCE, asked).await;
    match answer {
        Ok(answer) => answer,
        Err(_) => panic!("still {:?}", api.get(path).await.expect(200)),
    }
}

/// The figures of the first environment: connections, written, received.
pub(crate) fn total(delivery: &Value) -> [u64; 3] {
    figures(&delivery["environments"][0]["total"])
}

pub(crate) fn figures(of: &Value) -> [u64; 3] {
    ["connections", "written", "received"].map(|name| of[name].as_u64().unwrap())
}

pub(crate) fn path(applied: &Value) -> String {
    format!("changes/{}/delivery", applied["id"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_complete_when_every_sdk_has_said_something() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let mut client = app.client_sdk("prod", "bob").await;
        let mut server = app.server_sdk("prod").await;
        let mut elsewhere = app.server_sdk("dev").await;
        for sdk in [&mut client, &mut server, &mut elsewhere] {
            sdk.settle();
        }
        let change = app.apply(json!([in_prod("turnOff", "f")])).await;
        let path = path(&change);
        let delivery = until(&app.owner, &path, |it| total(it) == [2, 2, 0]).await;
        assert_eq!(delivery["complete"], false);
        let prod = &delivery["environments"][0];
        assert_eq!(
            (&prod["project"], &prod["environment"]),
            (&json!("default"), &json!("prod"))
        );
        assert_eq!(delivery["environments"].as_array().unwrap().len(), 1);
        let node = &prod["nodes"][0];
        assert_eq!(
            (&node["isThis"], &node["kind"]),
            (&json!(true), &json!("server"))
        );
        assert_eq!(node["laggardCount"], 2);
        let laggards = node["laggards"].as_array().unwrap();
        assert!(laggards.len() == 2 && laggards.iter().all(|it| it["written"] == prod["version"]));
        let written = &prod["total"]["writtenAfter"];
        assert_eq!(written["count"], 2);
        let ms = |name: &str| written[name].as_f64().unwrap();
        assert!(0.0 < ms("p50") && ms("p50") <= ms("p99") && ms("p99") <= ms("max"));
        assert!(prod["total"]["receivedAfter"].is_null());

        for sdk in [&mut client, &mut server] {
            sdk.settle();
        }
        let delivery = until(&app.owner, &path, |it| it["complete"] == true).await;
        assert_eq!(total(&delivery), [2, 2, 2]);
        assert_eq!(
            delivery["environments"][0]["total"]["receivedAfter"]["count"],
            2
        );
        assert_eq!(
            delivery["environments"][0]["nodes"][0]["laggards"],
            json!([])
        );

        // A change that nobody is told of has come to everybody who is there.
        drop(client);
        let quiet = app.apply(json!([create("not-released")])).await;
        let quiet = app.owner.get(&self::path(&quiet)).await.expect(200);
        assert_eq!(
            (&quiet["complete"], &quiet["environments"]),
            (&json!(true), &json!([]))
        );
        until(&app.owner, &path, |it| total(it) == [1, 1, 1]).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_two_servers_shows_both() {
    let app = App::start(Database::Postgres).await;
    let other = app.data.serve().await;
    let there = Api::new(other.address()).with_token(&app.token);
    app.apply(flag_on("f")).await;
    let keys = app.keys("prod").await;
    let mut here = [
        Sdk::client(app.address(), &keys.client.secret, &person("a")),
        Sdk::server(app.address(), &keys.server.secret),
    ];
    let agent = "fb-go-server-sdk/1.2.0";
    let mut far = Sdk::connect_as(other.address(), Kind::Server, &keys.server.secret, agent);
    far.sync(0);
    far.until(|sdk| sdk.is_on("f") == Some(true));
    far.settle();
    let change = apply(&there, json!([in_prod("turnOff", "f")])).await;
    far.until(|sdk| sdk.is_on("f") == Some(false));
    here[0].until(|sdk| sdk.value("f") == Some("false"));
    here[1].until(|sdk| sdk.is_on("f") == Some(false));
    for sdk in here.iter_mut().chain([&mut far]) {
        sdk.settle();
    }
    for api in [&app.owner, &there] {
        let delivery = until(api, &path(&change), |it| total(it) == [3, 3, 3]).await;
        assert_eq!(delivery["complete"], true);
        let nodes = delivery["environments"][0]["nodes"].as_array().unwrap();
        let mut all: Vec<_> = nodes.iter().map(|it| figures(&it["figures"])).collect();
        all.sort_unstable();
        assert_eq!(all, [[1, 1, 1], [2, 2, 2]]);
        assert_eq!(nodes.iter().filter(|it| it["isThis"] == true).count(), 1);
        assert!(nodes.iter().all(|it| it["arrivedAfter"].is_u64()));
    }
    // SDKs of other nodes are counted, and listed where they are.
    let listed = until(&app.owner, CONNECTIONS, |it| {
        it["nodes"][1]["connections"] == 1
    })
    .await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 2);
    let sdk = json!({"name": "fb-go-server-sdk", "version": "1.2.0"});
    let count = json!([{"kind": "server", "sdk": sdk, "connections": 1}]);
    assert_eq!(listed["nodes"][1]["sdks"], count);
    assert_eq!(listed["node"], listed["nodes"][0]["node"]);

    // A server that ends takes its connections along.
    other.stop().await;
    until(&app.owner, &path(&change), |it| total(it) == [2, 2, 2]).await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_listed_page_by_page() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let secret = app.keys("prod").await.server.secret;
        let agent = "NodeJS-Server-SDK/1.3.0";
        let mut sdks: Vec<_> = (0..5)
            .map(|_| Sdk::connect_as(app.address(), Kind::Server, &secret, agent))
            .collect();
        for sdk in &mut sdks {
            sdk.sync(0);
            sdk.settle();
        }
        let client = app.client_sdk("prod", "bob").await;
        let received = |it: &Value| it["items"].as_array().unwrap().len() == 1;
        let behind = format!("{CONNECTIONS}?behind=true");
        let behind = until(&app.owner, &behind, received).await;
        assert_eq!(behind["items"][0]["kind"], "client");
        assert!(behind["items"][0].get("sdk").is_none());

        let (mut all, mut next) = (
            Vec::new(),
            Some(format!("{CONNECTIONS}?kind=server&limit=2")),
        );
        while let Some(path) = next {
            let page = app.owner.get(&path).await.expect(200);
            all.extend(page["items"].as_array().unwrap().clone());
            let cursor = page["next"].as_str();
            next = cursor.map(|it| format!("{CONNECTIONS}?kind=server&limit=2&cursor={it}"));
        }
        assert_eq!(all.len(), 5);
        for connection in &all {
            assert_eq!(connection["sdk"]["name"], "NodeJS-Server-SDK");
            assert_eq!(connection["address"], "127.0.0.1");
            assert_eq!(connection["written"], connection["received"]);
        }
        for (wrong, pointer) in [
            ("cursor=x", "cursor"),
            ("limit=201", "limit"),
            ("kind=x", "kind"),
        ] {
            let refused = app.owner.get(&format!("{CONNECTIONS}?{wrong}")).await;
            assert_eq!(refused.problem(400).pointers(), [pointer]);
        }
        drop(client);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_are_for_who_sees_end_users_and_can_be_hidden_from_all() {
    let app = App::start(Database::Sqlite).await;
    app.apply(flag_on("f")).await;
    let _sdk = app.server_sdk("prod").await;
    let address = async |api: &Api| {
        let listed = api.get(CONNECTIONS).await.expect(200);
        listed["items"][0].get("address").cloned()
    };
    let developer = app.caller("dave", DEVELOPER).await;
    assert_eq!(address(&developer).await, Some(json!("127.0.0.1")));
    assert_eq!(address(&app.caller("rita", READER).await).await, None);

    let any = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let config = Config {
        listen: any,
        metrics_listen: any,
        hide_addresses: true,
        ..Config::new(app.data.location.clone())
    };
    let other = Server::start(config).await.unwrap();
    let secret = app.keys("prod").await.server.secret;
    let _there = Sdk::server(other.address(), &secret);
    let there = Api::new(other.address()).with_token(&app.token);
    assert_eq!(address(&there).await, None);
    other.stop().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_listens_is_told_that_connections_moved() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let mut listener = Listener::with_token(app, &app.token).await;
        listener.expect("hello").await;
        let mut sdk = app.server_sdk("prod").await;
        let moved = listener.delivery().await;
        assert_eq!(moved, json!({"project": "default", "environment": "prod"}));
        app.apply(json!([in_prod("turnOff", "f")])).await;
        sdk.until(|sdk| sdk.is_on("f") == Some(false));
        listener.delivery().await;
    })
    .await;
}
