//! Decisions on relays: logged where the environment says so, however the relay hears of it, and
//! whether or not anybody can take them just then.

use burgee_testkit::network::Network;
use burgee_testkit::sdk::Sdk;
use serde_json::json;

use super::{Fed, Rig, on_each_feed};
use crate::decisions::{decisions, log};
use crate::kit::{Database, flag_on, in_prod, person};

#[tokio::test(flavor = "multi_thread")]
async fn what_a_relay_decides_is_logged() {
    on_each_feed(async |rig| {
        let app = &rig.app;
        let folder = tempfile::tempdir().unwrap();
        app.apply(flag_on("f")).await;
        let near = rig.relay(rig.address(), &[], folder.path()).await;
        near.ready().await;
        let client = app.keys("prod").await.client.secret;
        let mut before = Sdk::client(near.address(), &client, &person("before"));
        let version = log(app, 1.0).await;
        // What comes after the setting comes with it.
        app.apply(json!([in_prod("turnOff", "f")])).await;
        before.until(|sdk| sdk.value("f") == Some("false"));
        let _ana = Sdk::client(near.address(), &client, &person("ana"));
        for user in ["before", "ana"] {
            let logged = decisions(&app.owner, user, 1).await;
            assert_eq!(logged[0]["version"], version + 1, "{logged:#?}");
            assert_eq!(logged[0]["reason"], "off");
            assert_eq!(logged[0]["check"]["verdict"], "agrees", "{logged:#?}");
        }
        near.stop().await;
        // One that starts knows it as well.
        let near = rig.relay(rig.address(), &[], folder.path()).await;
        near.ready().await;
        let _bea = Sdk::client(near.address(), &client, &person("bea"));
        decisions(&app.owner, "bea", 1).await;
        near.stop().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_relay_decides_alone_waits_with_it() {
    let rig = Rig::start(Database::Sqlite, Fed::Upstream).await;
    let app = &rig.app;
    let folder = tempfile::tempdir().unwrap();
    app.apply(flag_on("f")).await;
    let version = log(app, 1.0).await;
    let network = Network::to(rig.address()).await;
    let near = rig.relay(network.address(), &[], folder.path()).await;
    near.ready().await;
    network.cut();
    app.apply(json!([in_prod("turnOff", "f")])).await;
    let client = app.keys("prod").await.client.secret;
    let mut ana = Sdk::client(near.address(), &client, &person("ana"));
    assert_eq!(ana.value("f"), Some("true"));
    network.mend();
    ana.until(|sdk| sdk.value("f") == Some("false"));
    // What she was given while nobody knew, and what came then.
    let logged = decisions(&app.owner, "ana", 2).await;
    let versions: Vec<_> = logged.iter().map(|it| it["version"].as_i64()).collect();
    assert_eq!(versions, [Some(version + 1), Some(version)]);
    let reasons: Vec<_> = logged.iter().map(|it| it["reason"].as_str()).collect();
    assert_eq!(reasons, [Some("off"), Some("default")]);
    for item in &logged {
        assert_eq!(item["check"]["verdict"], "agrees", "{item:#}");
    }
    near.stop().await;
    rig.stop().await;
}
