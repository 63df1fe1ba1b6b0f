//! Traffic by NATS, where something of it does not go through.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use burgee_edge::hub::Hub;
use burgee_edge::metrics::Metrics;
use burgee_edge::sink::{Batch, Sink, Taken};
use burgee_edge::source::{BoxFuture, Unavailable};
use burgee_relay::backbone::{Counters, Publisher, Serving};
use burgee_server::delivery::RelayFigures;
use burgee_server::feed::LocalSource;
use burgee_server::relays::StoreAccess;
use burgee_server::sink::LocalSink;
use burgee_testkit::api::PATIENCE;
use burgee_testkit::nats::Nats;
use burgee_testkit::sdk::Sdk;
use tokio_util::sync::CancellationToken;

use super::{backbone, follower, id, until_known};
use crate::kit::{App, Database, flag_on, person};

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_that_may_not_send_one_environments_traffic_sends_the_others() {
    let app = App::start(Database::Sqlite).await;
    let dev = id(&app, "dev").await;
    let nats = Nats::start(&format!(
        "authorization {{ users = [\n{{ user: server, password: s }}\n{{ user: relay, password: r, \
         permissions: {{ publish: {{ deny: \"burgee.traffic.{dev}\" }} }} }}\n] }}"
    ));
    let nats = nats.unwrap();
    let at = |user: &str| format!("nats://{user}@{}", nats.address());
    let mut app = app;
    app.data.backbone = Some(backbone(&at("server:s")));
    let app = app.restart().await;
    app.apply(flag_on("f")).await;
    let folder = tempfile::tempdir().unwrap();
    let near = follower(&at("relay:r"), None, folder.path()).await;
    near.ready().await;
    let (prod, dev) = (app.keys("prod").await, app.keys("dev").await);
    // What nobody takes comes first, and what comes after it is not kept waiting.
    for user in ["hal", "ida"] {
        let lost = Sdk::client(near.address(), &dev.client.secret, &person(user));
        let kept = Sdk::client(near.address(), &prod.client.secret, &person(user));
        until_known(&app, user).await;
        drop((lost, kept));
    }
    let metrics = format!("http://{}/metrics", near.metrics_address());
    let metrics = reqwest::get(metrics).await.unwrap().text().await.unwrap();
    let lost = metrics
        .lines()
        .find_map(|it| it.strip_prefix("burgee_relay_batches_lost_total "));
    assert!(lost.unwrap().parse::<u64>().unwrap() > 0, "{metrics}");
    assert!(metrics.contains("burgee_relay_spool_bytes 0"), "{metrics}");
    near.stop().await;
    app.stop().await;
}

/// The database, which does not take one user's batches for a while.
struct Picky {
    inner: LocalSink,
    refuses: AtomicBool,
    refused: AtomicU64,
}

impl Sink for Picky {
    fn write<'a>(&'a self, batch: &'a Batch) -> BoxFuture<'a, Result<Taken, Unavailable>> {
        let bad = batch.users.iter().any(|it| it.user.user().key == "bad");
        if bad && self.refuses.load(Ordering::Relaxed) {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return Box::pin(async { Err(Unavailable("not this one".into())) });
        }
        self.inner.write(batch)
    }

    fn keys_used<'a>(&'a self, secrets: &'a [Box<str>]) -> BoxFuture<'a, Result<(), Unavailable>> {
        self.inner.keys_used(secrets)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_is_not_stored_keeps_no_others_waiting() {
    let app = App::start(Database::Sqlite).await;
    let nats = Nats::start("").unwrap();
    app.apply(flag_on("f")).await;
    let source = || Arc::new(LocalSource::new(app.store.clone().into(), None));
    let hub = Hub::new(source(), Arc::new(Metrics::default()));
    let stop = CancellationToken::new();
    let picky = Arc::new(Picky {
        inner: LocalSink::new(app.store.clone().into()),
        refuses: AtomicBool::new(true),
        refused: AtomicU64::new(0),
    });
    let figures = Arc::new(RelayFigures::new("here".into()));
    let access = Arc::new(StoreAccess::new(app.store.clone().into(), figures));
    let at = backbone(&nats.url());
    let publisher = Publisher::new(&at, source(), Counters::default()).await;
    let sink = Arc::clone(&picky) as _;
    let serving = Serving::new(&at, Arc::clone(&hub), sink, access).await;
    let installation = app.store.installation().await.unwrap();
    let tasks = [
        tokio::spawn(Arc::clone(&hub).run(stop.clone())),
        tokio::spawn(publisher.unwrap().run(installation.clone())),
        tokio::spawn(serving.unwrap().run(installation)),
    ];
    let folder = tempfile::tempdir().unwrap();
    let near = follower(&nats.url(), None, folder.path()).await;
    near.ready().await;
    let client = app.keys("prod").await.client.secret;
    let bad = Sdk::client(near.address(), &client, &person("bad"));
    let refused = async |times: u64| {
        let waiting = async {
            while picky.refused.load(Ordering::Relaxed) < times {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.unwrap();
    };
    refused(1).await;
    let good = Sdk::client(near.address(), &client, &person("good"));
    until_known(&app, "good").await;
    // It is tried again, and stored in the end.
    refused(2).await;
    picky.refuses.store(false, Ordering::Relaxed);
    until_known(&app, "bad").await;
    drop((bad, good));
    near.stop().await;
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    app.stop().await;
}
