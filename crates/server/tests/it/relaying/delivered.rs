//! Who has a change, where connections hang on relays.

use std::time::Duration;

use burgee_edge::delivery::EnvironmentReport;
use burgee_relay::Relay;
use burgee_store::dialect::Clock;
use burgee_testkit::network::Network;
use burgee_testkit::sdk::Sdk;
use serde_json::{Value, json};

use super::{Fed, Rig, id, on_each_feed, relay, relay_key};
use crate::deliveries::{CONNECTIONS, figures, path, total, until};
use crate::kit::{App, Database, flag_on, in_prod, person};

/// A client and a server SDK of `prod` on a relay.
async fn sdks(app: &App, near: &Relay) -> [Sdk; 2] {
    let keys = app.keys("prod").await;
    [
        Sdk::client(near.address(), &keys.client.secret, &person("ana")),
        Sdk::server(near.address(), &keys.server.secret),
    ]
}

/// Those nodes that are relays.
fn relays(of: &Value) -> Vec<&Value> {
    let nodes = of["nodes"].as_array().unwrap();
    nodes.iter().filter(|it| it["kind"] == "relay").collect()
}

fn in_first(delivery: &Value) -> Vec<&Value> {
    relays(&delivery["environments"][0])
}

/// When the newest version of `prod` was committed, as each node that has connections says.
async fn committed_at(app: &App) -> Vec<i64> {
    let prod = id(app, "prod").await;
    let clock = Clock::Shared(burgee_server::now());
    let told = app.store.traffic().deliveries(&prod, clock).await.unwrap();
    let reports = told.iter().map(|(_, told)| {
        let report: EnvironmentReport = serde_json::from_str(&told.report).unwrap();
        report.versions[0].committed_at
    });
    reports.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_hangs_on_a_relay_is_counted_there() {
    on_each_feed(async |rig| {
        let app = &rig.app;
        let folder = tempfile::tempdir().unwrap();
        app.apply(flag_on("f")).await;
        let near = rig.relay(rig.address(), &[], folder.path()).await;
        near.ready().await;
        let mut here = app.server_sdk("prod").await;
        here.settle();
        let mut there = sdks(app, &near).await;
        there.iter_mut().for_each(Sdk::settle);
        let change = app.apply(json!([in_prod("turnOff", "f")])).await;
        here.until(|sdk| sdk.is_on("f") == Some(false));
        there[0].until(|sdk| sdk.value("f") == Some("false"));
        there[1].until(|sdk| sdk.is_on("f") == Some(false));
        here.settle();
        there[0].settle();

        // One of the relay's has it, one is late.
        let path = path(&change);
        let delivery = until(&app.owner, &path, |it| total(it) == [3, 3, 2]).await;
        assert_eq!(delivery["complete"], false);
        let [of_relay] = in_first(&delivery)[..] else {
            panic!("{delivery}")
        };
        assert_eq!(figures(&of_relay["figures"]), [2, 2, 1]);
        assert_eq!(
            (&of_relay["name"], &of_relay["laggardCount"]),
            (&json!("near"), &json!(1))
        );
        let written = &of_relay["figures"]["writtenAfter"];
        assert_eq!(written["count"], 2);
        assert!(of_relay["arrivedAfter"].is_u64());
        let server = &delivery["environments"][0]["nodes"][0]["node"];
        let parent = of_relay.get("parent");
        assert_eq!(parent, rig.nats.is_none().then_some(server));
        let [one, other] = committed_at(app).await[..] else {
            panic!("one is the server's, one the relay's")
        };
        assert!(one == other && one > 0, "{one} is not {other}");

        there[1].settle();
        let delivery = until(&app.owner, &path, |it| it["complete"] == true).await;
        assert_eq!(total(&delivery), [3, 3, 3]);
        let listed = app.owner.get(CONNECTIONS).await.expect(200);
        let [in_list] = relays(&listed)[..] else {
            panic!("{listed}")
        };
        assert_eq!(in_list["connections"], 2);
        assert_eq!(in_list["node"], of_relay["node"]);
        assert_eq!(listed["items"].as_array().unwrap().len(), 1);

        // A relay that ends takes its connections along.
        near.stop().await;
        let delivery = until(&app.owner, &path, |it| total(it) == [1, 1, 1]).await;
        assert!(in_first(&delivery).is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_hangs_on_a_relay_behind_a_relay_is_counted_there() {
    let app = App::start(Database::Sqlite).await;
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    app.apply(flag_on("f")).await;
    let (_, key) = relay_key(&app, &["prod"]).await;
    let near = relay(app.address(), &key, first.path()).await;
    near.ready().await;
    let far = relay(near.address(), &key, second.path()).await;
    far.ready().await;
    let mut there = sdks(&app, &far).await;
    there.iter_mut().for_each(Sdk::settle);
    let change = app.apply(json!([in_prod("turnOff", "f")])).await;
    there[0].until(|sdk| sdk.value("f") == Some("false"));
    there[1].until(|sdk| sdk.is_on("f") == Some(false));
    there.iter_mut().for_each(Sdk::settle);
    let mut beside = sdks(&app, &near).await;
    beside.iter_mut().for_each(Sdk::settle);
    let delivery = until(&app.owner, &path(&change), |it| total(it) == [4, 4, 4]).await;
    let server = &delivery["environments"][0]["nodes"][0]["node"];
    let nodes = in_first(&delivery);
    let near_one = nodes.iter().find(|it| it["parent"] == *server).unwrap();
    let far_one = nodes.iter().find(|it| it["parent"] == near_one["node"]);
    assert_eq!(figures(&far_one.unwrap()["figures"]), [2, 2, 2]);
    // Both are in the list of relays, by the same ids.
    let agents = app.owner.get("relay-agents").await.expect(200);
    let agents = agents["items"].as_array().unwrap();
    for node in nodes {
        assert!(agents.iter().any(|it| it["id"] == node["node"]), "{node}");
    }
    far.stop().await;
    near.stop().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_that_is_not_heard_of_is_not_counted_until_it_is_back() {
    let rig = Rig::start(Database::Sqlite, Fed::Upstream).await;
    let app = &rig.app;
    let folder = tempfile::tempdir().unwrap();
    app.apply(flag_on("f")).await;
    let network = Network::to(rig.address()).await;
    let near = rig.relay(network.address(), &[], folder.path()).await;
    near.ready().await;
    let _there = sdks(app, &near).await;
    let on_relay = |it: &Value| {
        relays(it)
            .first()
            .map_or(0, |it| it["connections"].as_u64().unwrap())
    };
    until(&app.owner, CONNECTIONS, |it| on_relay(it) == 2).await;
    network.cut();
    // Nobody knows that it lives, which is believed for half a minute.
    let gone = async {
        loop {
            let listed = app.owner.get(CONNECTIONS).await.expect(200);
            if on_relay(&listed) == 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(90), gone)
        .await
        .unwrap();
    network.mend();
    until(&app.owner, CONNECTIONS, |it| on_relay(it) == 2).await;
    near.stop().await;
    rig.stop().await;
}
