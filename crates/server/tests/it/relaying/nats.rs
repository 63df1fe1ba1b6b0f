//! What only NATS can suffer: servers that die, streams that are lost, states too large for a message.

use std::collections::BTreeSet;
use std::time::Duration;

use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::{self, Context};
use burgee_relay::Relay;
use burgee_relay::backbone::{Fault, Finding, verify};
use burgee_server::feed::LocalSource;
use burgee_testkit::api::PATIENCE;
use burgee_testkit::nats::Nats;
use burgee_testkit::network::Network;
use burgee_testkit::sdk::{Kind, Sdk};
use bytes::Bytes;
use futures_util::TryStreamExt;
use serde_json::json;

use super::{Fed, Rig, backbone, follower, id, until_known};
use crate::deliveries::{CONNECTIONS, until};
use crate::kit::{App, Data, Database, flag_on, in_prod, person};

pub(super) async fn jetstream(url: &str) -> Context {
    jetstream::new(async_nats::connect(url).await.unwrap())
}

/// What differs between NATS and the database, once servers had time to publish; a fault where NATS
/// cannot be read, as a cluster cannot that elects.
async fn differences(app: &App, url: &str) -> Result<Vec<Finding>, Fault> {
    let source = LocalSource::new(app.store.clone().into(), None);
    let installation = app.store.installation().await.unwrap();
    let mut findings = verify(&backbone(url), &source, &installation).await?;
    findings.retain(|it| it.differs.is_some());
    Ok(findings)
}

/// Waits until NATS has what the database has.
pub(super) async fn level(app: &App, url: &str) {
    let mut last = None;
    let looking = async {
        loop {
            match differences(app, url).await {
                Ok(found) if found.is_empty() => return,
                found => last = Some(found),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let looked = tokio::time::timeout(PATIENCE * 2, looking).await;
    looked.unwrap_or_else(|_| panic!("still {last:?}"));
}

pub(super) async fn server_sdk(app: &App, near: &Relay) -> Sdk {
    Sdk::server(near.address(), &app.keys("prod").await.server.secret)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nats_server_that_is_killed_in_the_middle_of_changes_loses_none() {
    let mut rig = Rig::start(Database::Sqlite, Fed::Nats).await;
    let folder = tempfile::tempdir().unwrap();
    rig.app.apply(flag_on("f")).await;
    let near = rig.relay(rig.address(), &[], folder.path()).await;
    near.ready().await;
    let mut sdk = server_sdk(&rig.app, &near).await;
    for round in 0..3 {
        for change in 0..20 {
            let way = ["turnOff", "turnOn"][change % 2];
            rig.app.apply(json!([in_prod(way, "f")])).await;
            if change == 9 {
                rig.nats.as_mut().unwrap().crash().unwrap();
            }
        }
        near.disconnected().await;
        let flag = format!("g{round}");
        rig.app.apply(flag_on(&flag)).await;
        rig.nats.as_mut().unwrap().come_back().unwrap();
        sdk.until(|sdk| sdk.is_on(&flag) == Some(true));
    }
    assert_eq!(sdk.flags, rig.app.server_sdk("prod").await.flags);
    level(&rig.app, &rig.nats.as_ref().unwrap().url()).await;
    // Who came while NATS was away is known in the end.
    rig.nats.as_mut().unwrap().crash().unwrap();
    near.disconnected().await;
    let client = rig.app.keys("prod").await.client.secret;
    drop(Sdk::client(near.address(), &client, &person("finn")));
    near.spooled().await;
    rig.nats.as_mut().unwrap().come_back().unwrap();
    until_known(&rig.app, "finn").await;
    near.stop().await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_deleted_is_filled_again_from_the_log() {
    let rig = Rig::start(Database::Sqlite, Fed::Nats).await;
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let url = rig.nats.as_ref().unwrap().url();
    rig.app.apply(flag_on("f")).await;
    let near = rig.relay(rig.address(), &[], one.path()).await;
    near.ready().await;
    let mut sdk = server_sdk(&rig.app, &near).await;
    let context = jetstream(&url).await;
    let prod = id(&rig.app, "prod").await;
    context.delete_stream("BURGEE").await.unwrap();
    context
        .delete_object_store(format!("burgee-{prod}"))
        .await
        .unwrap();
    rig.app.apply(json!([in_prod("turnOff", "f")])).await;
    // The same connection is told of it: nobody was sent away.
    sdk.until(|sdk| sdk.is_on("f") == Some(false));
    level(&rig.app, &url).await;
    let late = rig.relay(rig.address(), &[], two.path()).await;
    late.ready().await;
    assert_eq!(server_sdk(&rig.app, &late).await.is_on("f"), Some(false));
    late.stop().await;
    near.stop().await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_differs_from_the_database_is_said() {
    let rig = Rig::start(Database::Sqlite, Fed::Nats).await;
    let url = rig.nats.as_ref().unwrap().url();
    rig.app.apply(flag_on("f")).await;
    level(&rig.app, &url).await;
    let context = jetstream(&url).await;
    let prod = id(&rig.app, "prod").await;
    // No server is there to repair it.
    let app = rig
        .app
        .restart_with(async || {
            let stream = context.get_stream("BURGEE").await.unwrap();
            let subject = format!("burgee.env.{prod}");
            stream.purge().filter(subject).await.unwrap();
        })
        .await;
    // It looks at its start, and all is well again.
    level(&app, &url).await;
    app.store.close().await;
    let rig = Rig { app, ..rig };
    let store = burgee_store::Store::open(rig.app.data.location.clone()).await;
    let store = store.unwrap();
    let source = LocalSource::new(store.clone().into(), None);
    let installation = store.installation().await.unwrap();
    let backbone = backbone(&url);
    let app = rig
        .app
        .restart_with(async || {
            let name = format!("burgee-{prod}");
            context.delete_object_store(name).await.unwrap();
            let found = verify(&backbone, &source, &installation).await.unwrap();
            let of = |id: &str| {
                let one = found.iter().find(|it| it.environment == id).unwrap();
                one.differs.as_ref().map(ToString::to_string)
            };
            assert!(of(&prod).unwrap().contains("cannot start"), "{found:?}");
            assert!(found.iter().any(|it| it.differs.is_none()), "{found:?}");
        })
        .await;
    store.close().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_change_comes_in_parts_and_a_late_reader_takes_a_state_and_what_came_after() {
    let rig = Rig::start(Database::Sqlite, Fed::Nats).await;
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let url = rig.nats.as_ref().unwrap().url();
    rig.app.apply(flag_on("f")).await;
    let near = rig.relay(rig.address(), &[], one.path()).await;
    near.ready().await;
    let mut sdk = server_sdk(&rig.app, &near).await;
    // Five megabytes of users who do not compress to less than two.
    let many = |_| uuid::Uuid::new_v4().to_string();
    let users: Vec<String> = (0..140_000).map(many).collect();
    rig.app
        .apply(json!([{"kind": "createSegment", "segment": "many",
            "included": users}]))
        .await;
    rig.app.apply(json!([in_prod("turnOff", "f")])).await;
    sdk.until(|sdk| sdk.is_on("f") == Some(false));
    level(&rig.app, &url).await;
    let prod = id(&rig.app, "prod").await;
    let context = jetstream(&url).await;
    let count = async |subject: String| {
        let stream = context.get_stream("BURGEE").await.unwrap();
        let mut found = stream.info_with_subjects(subject).await.unwrap();
        let mut all = 0;
        while let Some(one) = futures_util::StreamExt::next(&mut found).await {
            all += one.unwrap().1;
        }
        all
    };
    assert!(count(format!("burgee.env.{prod}")).await > 4);
    // More changes than lie between two whole states.
    for change in 0..600 {
        let way = ["turnOn", "turnOff"][change % 2];
        rig.app.apply(json!([in_prod(way, "f")])).await;
    }
    level(&rig.app, &url).await;
    let late = rig.relay(rig.address(), &[], two.path()).await;
    late.ready().await;
    let late_sdk = server_sdk(&rig.app, &late).await;
    assert_eq!(late_sdk.flags, rig.app.server_sdk("prod").await.flags);
    assert!(count(format!("burgee.env.{prod}")).await < 620);
    late.stop().await;
    near.stop().await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_loses_the_leader_of_its_stream_goes_on() {
    let mut servers = Nats::cluster().unwrap();
    let urls: Vec<String> = servers.iter().map(Nats::url).collect();
    let url = urls.join(",");
    let mut data = Data::new(Database::Postgres).await;
    data.backbone = Some(backbone(&url));
    let app = App::start_on(data).await;
    let folder = tempfile::tempdir().unwrap();
    app.apply(flag_on("f")).await;
    let near = follower(&url, None, folder.path()).await;
    near.ready().await;
    let mut sdk = server_sdk(&app, &near).await;
    let context = jetstream(&urls[0]).await;
    let stream = context.get_stream("BURGEE").await.unwrap();
    let info = stream.cached_info();
    assert_eq!(info.config.num_replicas, 3);
    let leader = info.cluster.as_ref().unwrap().leader.clone().unwrap();
    let leader: usize = leader.trim_start_matches("server-").parse().unwrap();
    for change in 0..20 {
        let way = ["turnOff", "turnOn"][change % 2];
        app.apply(json!([in_prod(way, "f")])).await;
        if change == 7 {
            servers[leader].crash().unwrap();
        }
    }
    app.apply(flag_on("g")).await;
    sdk.until(|sdk| sdk.is_on("g") == Some(true));
    assert_eq!(sdk.flags, app.server_sdk("prod").await.flags);
    servers[leader].come_back().unwrap();
    level(&app, &urls[leader]).await;
    near.stop().await;
    app.stop().await;
}

/// The last message about an environment's changes.
async fn last_change(context: &Context, environment: &str) -> StreamMessage {
    let stream = context.get_stream("BURGEE").await.unwrap();
    let subject = format!("burgee.env.{environment}");
    stream.direct_get_last_for_subject(subject).await.unwrap()
}

/// Puts a message at the end of its subject again, with another content.
async fn publish_again(context: &Context, message: &StreamMessage, payload: Bytes) {
    let mut headers = async_nats::HeaderMap::new();
    for (name, values) in message.headers.iter() {
        if name.to_string().starts_with("Burgee-") {
            headers.insert(name.clone(), values[0].clone());
        }
    }
    let subject = message.subject.clone();
    let sent = context.publish_with_headers(subject, headers, payload);
    sent.await.unwrap().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_lags_takes_no_relay_back() {
    let rig = Rig::start(Database::Sqlite, Fed::Nats).await;
    let folder = tempfile::tempdir().unwrap();
    let url = rig.nats.as_ref().unwrap().url();
    rig.app.apply(flag_on("f")).await;
    rig.app.apply(json!([in_prod("turnOff", "f")])).await;
    level(&rig.app, &url).await;
    let context = jetstream(&url).await;
    let prod = id(&rig.app, "prod").await;
    let old = last_change(&context, &prod).await;
    rig.app.apply(json!([in_prod("turnOn", "f")])).await;
    let near = rig.relay(rig.address(), &[], folder.path()).await;
    near.ready().await;
    let mut sdk = server_sdk(&rig.app, &near).await;
    sdk.until(|sdk| sdk.is_on("f") == Some(true));
    near.stop().await;
    // The replica has the one before for the last.
    let last = last_change(&context, &prod).await;
    publish_again(&context, &old, old.payload.clone()).await;
    let stream = context.get_stream("BURGEE").await.unwrap();
    stream.delete_message(last.sequence).await.unwrap();

    let near = rig.relay(rig.address(), &[], folder.path()).await;
    near.ready().await;
    let mut sdk = server_sdk(&rig.app, &near).await;
    rig.app.apply(flag_on("g")).await;
    sdk.until(|sdk| {
        assert_eq!(sdk.is_on("f"), Some(true), "it went back");
        sdk.is_on("g") == Some(true)
    });
    near.stop().await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_cannot_be_read_is_passed_over() {
    let rig = Rig::start(Database::Sqlite, Fed::Nats).await;
    let folder = tempfile::tempdir().unwrap();
    rig.app.apply(flag_on("f")).await;
    let near = rig.relay(rig.address(), &[], folder.path()).await;
    near.ready().await;
    near.stop().await;
    rig.app.apply(json!([in_prod("turnOff", "f")])).await;
    let url = rig.nats.as_ref().unwrap().url();
    level(&rig.app, &url).await;
    // The same again, and damaged.
    let context = jetstream(&url).await;
    let last = last_change(&context, &id(&rig.app, "prod").await).await;
    publish_again(&context, &last, "damaged".into()).await;
    rig.app.apply(flag_on("g")).await;

    let near = rig.relay(rig.address(), &[], folder.path()).await;
    near.ready().await;
    let mut sdk = server_sdk(&rig.app, &near).await;
    sdk.until(|sdk| sdk.is_on("g") == Some(true));
    assert_eq!(sdk.is_on("f"), Some(false));
    near.stop().await;
    rig.stop().await;
}

/// The names of all who read the stream of changes.
async fn readers(context: &Context) -> BTreeSet<String> {
    let stream = context.get_stream("BURGEE").await.unwrap();
    let names: Vec<String> = stream.consumer_names().try_collect().await.unwrap();
    names.into_iter().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_that_comes_back_reads_on_where_it_was() {
    let rig = Rig::start(Database::Sqlite, Fed::Nats).await;
    let folder = tempfile::tempdir().unwrap();
    rig.app.apply(flag_on("f")).await;
    let network = Network::to(rig.address()).await;
    let near = rig.relay(network.address(), &[], folder.path()).await;
    near.ready().await;
    let mut sdk = server_sdk(&rig.app, &near).await;
    network.cut();
    near.disconnected().await;
    for change in 0..20 {
        let way = ["turnOff", "turnOn"][change % 2];
        rig.app.apply(json!([in_prod(way, "f")])).await;
    }
    rig.app.apply(flag_on("g")).await;
    let context = jetstream(&rig.nats.as_ref().unwrap().url()).await;
    let before = readers(&context).await;
    network.mend();
    sdk.until(|sdk| sdk.is_on("g") == Some(true));
    let now = readers(&context).await;
    assert_eq!(now.difference(&before).count(), 1);
    near.stop().await;
    rig.stop().await;
}

/// What a relay of one environment needs of NATS, as docs/relays.md has it; and what else it may.
fn users(environment: &str, more: &[&str]) -> String {
    let publish = [
        "$JS.API.STREAM.INFO.BURGEE".to_owned(),
        "$JS.API.DIRECT.GET.BURGEE.burgee.env.all".to_owned(),
        format!("$JS.API.DIRECT.GET.BURGEE.burgee.state.{environment}"),
        "$JS.API.CONSUMER.CREATE.BURGEE.*.burgee.env.all".to_owned(),
        format!("$JS.API.CONSUMER.CREATE.BURGEE.*.burgee.env.{environment}"),
        "$JS.API.CONSUMER.MSG.NEXT.BURGEE.*".to_owned(),
        format!("$JS.API.STREAM.INFO.OBJ_burgee-{environment}"),
        format!("$JS.API.DIRECT.GET.OBJ_burgee-{environment}.>"),
        format!("$JS.API.CONSUMER.CREATE.OBJ_burgee-{environment}"),
        format!("$JS.API.CONSUMER.CREATE.OBJ_burgee-{environment}.>"),
        "$JS.FC.>".to_owned(),
        format!("burgee.traffic.{environment}"),
        format!("burgee.delivery.{environment}"),
        "burgee.ask".to_owned(),
        "burgee.tell".to_owned(),
    ];
    let more = more.iter().map(ToString::to_string);
    let publish = publish.into_iter().chain(more);
    let publish: Vec<String> = publish.map(|it| format!("{it:?}")).collect();
    let publish = publish.join(", ");
    format!(
        "authorization {{ users = [\n{{ user: server, password: s }}\n{{ user: relay, password: r, \
         permissions: {{ publish: [{publish}], subscribe: [\"_INBOX.>\"] }} }}\n] }}"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_needs_no_more_rights_than_those_of_its_environment() {
    let data = Data::new(Database::Sqlite).await;
    // Ids are known once there is a server; who may connect is said before NATS starts.
    let app = App::start_on(data).await;
    let (prod, dev) = (id(&app, "prod").await, id(&app, "dev").await);
    let nats = Nats::start(&users(&prod, &[])).unwrap();
    let at = |user: &str| format!("nats://{user}@{}", nats.address());
    let mut app = app;
    app.data.backbone = Some(backbone(&at("server:s")));
    let app = app.restart().await;
    app.apply(flag_on("f")).await;
    let folder = tempfile::tempdir().unwrap();
    let near = follower(&at("relay:r"), Some(vec![prod.clone()]), folder.path()).await;
    near.ready().await;
    let mut sdk = server_sdk(&app, &near).await;
    app.apply(json!([in_prod("turnOff", "f")])).await;
    sdk.until(|sdk| sdk.is_on("f") == Some(false));
    let client = app.keys("prod").await.client.secret;
    drop(Sdk::client(near.address(), &client, &person("gil")));
    until_known(&app, "gil").await;
    until(&app.owner, CONNECTIONS, |it| {
        it["nodes"][1]["connections"] == 1
    })
    .await;
    let mut stranger = Sdk::connect(near.address(), Kind::Server, &"x".repeat(44));
    assert_eq!(stranger.close_code(), 4003);
    near.stop().await;
    // Another environment's changes are refused to it.
    let options = async_nats::ConnectOptions::with_user_and_password("relay".into(), "r".into());
    let context = jetstream::new(options.connect(nats.url()).await.unwrap());
    let stream = context.get_stream("BURGEE").await.unwrap();
    let mine = format!("burgee.state.{prod}");
    assert!(stream.direct_get_last_for_subject(mine).await.is_ok());
    for of in ["env", "state"] {
        let theirs = format!("burgee.{of}.{dev}");
        assert!(stream.direct_get_last_for_subject(theirs).await.is_err());
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_environment_that_a_relay_cannot_read_keeps_it_from_no_other() {
    let mut app = App::start(Database::Sqlite).await;
    let prod = id(&app, "prod").await;
    // It hears of all, and the whole states of all others are not for it.
    let every = "$JS.API.CONSUMER.CREATE.BURGEE.*.burgee.env.*";
    let nats = Nats::start(&users(&prod, &[every])).unwrap();
    let at = |user: &str| format!("nats://{user}@{}", nats.address());
    app.data.backbone = Some(backbone(&at("server:s")));
    let app = app.restart().await;
    app.apply(flag_on("f")).await;
    let folder = tempfile::tempdir().unwrap();
    let near = follower(&at("relay:r"), None, folder.path()).await;
    let ready = tokio::time::timeout(PATIENCE * 2, near.ready()).await;
    ready.expect("it is ready without the one");
    let mut sdk = server_sdk(&app, &near).await;
    let prod = json!([in_prod("turnOff", "f")]);
    app.apply(prod).await;
    sdk.until(|sdk| sdk.is_on("f") == Some(false));
    // It is linked to the servers: they say so.
    let mut stranger = Sdk::connect(near.address(), Kind::Server, &"x".repeat(44));
    assert_eq!(stranger.close_code(), 4003);
    // What is not here comes later, as far as anybody knows.
    let dev = app.keys("dev").await.server.secret;
    let mut outside = Sdk::connect(near.address(), Kind::Server, &dev);
    assert_eq!(outside.close_code(), 1011);
    near.stop().await;
    app.stop().await;
}
