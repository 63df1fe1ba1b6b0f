//! NATS on bad days: its leader dies, all of it does, its disk is full, it is emptied; with two
//! servers that both publish, and relays that follow.

use std::collections::BTreeMap;
use std::process::Output;
use std::time::{Duration, Instant};

use async_nats::ServerAddr;
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::{self, Context};
use burgee_testkit::api::{Api, PATIENCE};
use burgee_testkit::cluster::Cluster;
use burgee_testkit::cluster::verdict::Loss;
use burgee_testkit::nats::Nats;
use futures_util::StreamExt;
use tokio::time::timeout;

use super::{PAUSE, plan, rounds, until};
use crate::kit::{counted, evaluate, run, stderr};

/// Two servers on these NATS servers, and two relays that follow them.
async fn installation(nats: &[Nats]) -> (Cluster, String) {
    let urls: Vec<String> = nats.iter().map(Nats::url).collect();
    let url = urls.join(",");
    let backbone = ["--backbone".to_owned(), url.clone()];
    let mut plan = plan(2, 0);
    plan.server_arguments = backbone.to_vec();
    let mut cluster = Cluster::start(plan).await;
    for _ in 0..2 {
        cluster.add_relay_fed(backbone.to_vec()).await;
    }
    (cluster, url)
}

/// `burgee verify`.
fn verify(cluster: &Cluster, url: &str) -> Output {
    run(&["verify", "--database", &cluster.database, "--backbone", url])
}

/// Waits until NATS has what the database has, as `burgee verify` says it.
pub(super) async fn until_same(cluster: &Cluster, url: &str) {
    let begun = Instant::now();
    loop {
        let said = verify(cluster, url);
        if said.status.code() == Some(0) {
            return;
        }
        let text = String::from_utf8_lossy(&said.stdout).into_owned() + &stderr(&said);
        assert!(begun.elapsed() < PATIENCE * 4, "{text}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

async fn jetstream(url: &str) -> Context {
    let servers: Vec<ServerAddr> = url.split(',').map(|it| it.parse().unwrap()).collect();
    jetstream::new(async_nats::connect(servers).await.unwrap())
}

/// The number of the stream's leader, as soon as there is one.
async fn leader(url: &str) -> usize {
    let context = jetstream(url).await;
    until(async || {
        let stream = context.get_stream("BURGEE").await.ok()?;
        let leader = stream.cached_info().cluster.as_ref()?.leader.as_ref()?;
        Some(leader.trim_start_matches("server-").parse().unwrap())
    })
    .await
}

/// Ends the installation; then what is in the stream leads from change to change: nothing missing, in
/// order. A change may be there again right behind itself: NATS knows repeats by ids that can die with
/// it. Readers pass it over. (While servers run they take away what a state has.)
async fn leaves_a_chain(cluster: Cluster, url: &str) {
    drop(cluster);
    let stream = jetstream(url).await.get_stream("BURGEE").await.unwrap();
    let all = pull::Config {
        filter_subject: "burgee.env.*".to_owned(),
        ack_policy: AckPolicy::None,
        ..pull::Config::default()
    };
    let reader = stream.create_consumer(all).await.unwrap();
    let mut left = reader.cached_info().num_pending;
    let mut messages = reader.messages().await.unwrap();
    let mut ends: BTreeMap<String, String> = BTreeMap::new();
    let mut links = 0;
    while left > 0 {
        let message = timeout(PATIENCE, messages.next()).await.unwrap();
        let message = message.unwrap().unwrap();
        left = message.info().unwrap().pending;
        let headers = message.headers.clone().unwrap_or_default();
        let text = |name: &str| headers.get(name).map(|it| it.as_str().to_owned());
        // The list of environments has none.
        let Some(to) = text("Burgee-Position") else {
            continue;
        };
        let subject = message.subject.to_string();
        if ends.get(&subject) == Some(&to) {
            continue;
        }
        if let (Some(before), Some(from)) = (ends.get(&subject), text("Burgee-From")) {
            assert_eq!(*before, from, "{subject}: {headers:?}");
            links += 1;
        }
        ends.insert(subject, to);
    }
    assert!(links > 0, "no change follows another one: {ends:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backbone_whose_leader_dies_and_that_dies_whole_loses_nothing() {
    let start = || Nats::cluster().unwrap();
    let mut nats = tokio::task::spawn_blocking(start).await.unwrap();
    let (cluster, url) = installation(&nats).await;
    let watchers = cluster.watch(1);
    let mut writing = cluster.write(1, PAUSE);
    for _ in 0..rounds(1) {
        writing.undisturbed(20).await;
        let leader = leader(&url).await;
        nats[leader].crash().unwrap();
        writing.undisturbed(20).await;
        nats[leader].come_back().unwrap();
        writing.undisturbed(20).await;
        for server in &mut nats {
            server.crash().unwrap();
        }
        // Nobody has to wait for NATS.
        writing.undisturbed(20).await;
        let back = move || {
            Nats::come_back_together(&mut nats).unwrap();
            nats
        };
        nats = tokio::task::spawn_blocking(back).await.unwrap();
        writing.undisturbed(20).await;
    }
    writing.end().await;
    cluster.verdict(watchers, Loss::None).await;
    until_same(&cluster, &url).await;
    leaves_a_chain(cluster, &url).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_relays_are_told_while_the_backbone_is_away_arrives_and_counts_once() {
    let mut nats = vec![Nats::start("").unwrap()];
    let (cluster, _) = installation(&nats).await;
    let api = cluster.api(0);
    let flag = api.get("projects/default/flags/count-0").await.expect(200);
    let key = &cluster.keys.prod.0;
    for relay in &cluster.relays {
        evaluate(relay.address, key, &flag).await;
    }
    for _ in 0..rounds(2) {
        nats[0].crash().unwrap();
        for node in cluster.nodes() {
            evaluate(node.address, key, &flag).await;
        }
        nats[0].come_back().unwrap();
    }
    let expected = 20 + 40 * i64::try_from(rounds(2)).unwrap();
    until_counted(&api, expected).await;
}

async fn until_counted(api: &Api, expected: i64) {
    let begun = Instant::now();
    while counted(api, "count-0").await != expected {
        let now = counted(api, "count-0").await;
        assert!(now <= expected, "{now} of {expected}");
        assert!(begun.elapsed() < PATIENCE * 3, "{now} of {expected}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backbone_that_is_emptied_is_told_of_and_filled_again() {
    let nats = vec![Nats::start("").unwrap()];
    let (mut cluster, url) = installation(&nats).await;
    let watchers = cluster.watch(1);
    let mut writing = cluster.write(1, PAUSE);
    writing.acknowledged(20).await;
    let context = jetstream(&url).await;
    type Lose = fn(&Context) -> futures_util::future::BoxFuture<'_, ()>;
    let losses: [Lose; 2] = [
        |context| {
            Box::pin(async {
                let stream = context.get_stream("BURGEE").await.unwrap();
                stream.purge().await.unwrap();
            })
        },
        |context| {
            Box::pin(async {
                context.delete_stream("BURGEE").await.unwrap();
            })
        },
    ];
    for lose in losses {
        // Nobody is there to repair it before it is looked at.
        cluster.servers.iter_mut().for_each(|it| it.pause());
        lose(&context).await;
        let said = verify(&cluster, &url);
        assert_eq!(said.status.code(), Some(1), "{}", stderr(&said));
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(!text.contains("the same"), "{text}");
        cluster.servers.iter_mut().for_each(|it| it.go_on());
        // It is filled while people go on, and what they do then leads on from there.
        until_same(&cluster, &url).await;
        writing.acknowledged(20).await;
    }
    writing.end().await;
    cluster.verdict(watchers, Loss::None).await;
    until_same(&cluster, &url).await;
    leaves_a_chain(cluster, &url).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backbone_whose_disk_is_full_stops_nobody_and_is_filled_again() {
    let mut nats = vec![Nats::start_on_small_disk(16).unwrap()];
    let (cluster, url) = installation(&nats).await;
    let watchers = cluster.watch(1);
    let mut writing = cluster.write(1, PAUSE);
    writing.acknowledged(20).await;
    nats[0].fill_disk().unwrap();
    writing.undisturbed(60).await;
    for relay in &cluster.relays {
        assert!(relay.is_ready().await, "{}", relay.name);
    }
    let said = verify(&cluster, &url);
    assert_eq!(said.status.code(), Some(1), "{}", stderr(&said));

    // A NATS that ran out of disk does without JetStream until it is started again.
    nats[0].make_room().unwrap();
    nats[0].crash().unwrap();
    nats[0].come_back().unwrap();
    writing.acknowledged(20).await;
    writing.end().await;
    cluster.verdict(watchers, Loss::None).await;
    until_same(&cluster, &url).await;
    leaves_a_chain(cluster, &url).await;
}
