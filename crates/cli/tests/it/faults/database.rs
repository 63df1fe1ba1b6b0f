//! What happens to PostgreSQL under two servers and a relay, while people write and SDKs come and go.

use burgee_testkit::cluster::verdict::Loss;
use burgee_testkit::cluster::{Cluster, Plan};
use burgee_testkit::postgres::Postgres;

use super::{PAUSE, moment, plan, rounds, until};
use crate::kit::unavailable;

/// A copy of the cluster's PostgreSQL that follows it.
async fn replica(cluster: &mut Cluster) -> Postgres {
    tokio::task::block_in_place(|| cluster.postgres().replica().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_dies_and_comes_back() {
    let mut cluster = Cluster::start(plan(2, 1)).await;
    let watchers = cluster.watch(1);
    let mut writing = cluster.write(1, PAUSE);
    for _ in 0..rounds(2) {
        writing.well_again().await;
        tokio::time::sleep(moment()).await;
        tokio::task::block_in_place(|| cluster.postgres().crash().unwrap());
        writing.refused().await;
        tokio::task::block_in_place(|| cluster.postgres().come_back().unwrap());
        writing.well_again().await;
    }
    writing.end().await;
    cluster.verdict(watchers, Loss::None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_stands_still() {
    let mut cluster = Cluster::start(plan(2, 1)).await;
    let watchers = cluster.watch(1);
    let mut writing = cluster.write(1, PAUSE);
    writing.well_again().await;
    cluster.postgres().pause().unwrap();
    // Everybody is told, in a bounded time, though nobody who is asked answers.
    writing.refused().await;
    unavailable(cluster.api(1).get("projects").await);
    for server in &cluster.servers {
        until(async || server.health().await?.contains("degraded").then_some(())).await;
    }
    // Who comes now is served.
    let newcomers = cluster.watch(1);
    until(async || {
        let seen = newcomers.seen();
        seen.iter()
            .all(|(_, seen)| !seen.flags.is_empty())
            .then_some(())
    })
    .await;
    cluster.postgres().go_on().unwrap();
    writing.well_again().await;
    writing.end().await;
    for server in &cluster.servers {
        until(async || (server.health().await? == "ready").then_some(())).await;
    }
    cluster.verdict(watchers, Loss::None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_synchronous_replica_takes_over_and_nothing_is_lost() {
    let mut cluster = Cluster::start(plan(2, 1)).await;
    let mut replica = replica(&mut cluster).await;
    cluster.postgres().wait_for_replicas().await.unwrap();
    let watchers = cluster.watch(1);
    let mut writing = cluster.write(1, PAUSE);
    writing.acknowledged(20).await;
    tokio::time::sleep(moment()).await;
    tokio::task::block_in_place(|| cluster.postgres().crash().unwrap());
    writing.refused().await;
    // A name that leads to it too early: it takes no writes yet.
    cluster.point(&replica);
    until(async || {
        let api = cluster.api(0);
        (api.get("projects").await.status == 200).then_some(())
    })
    .await;
    writing.refused().await;
    tokio::task::block_in_place(|| replica.promote().unwrap());
    writing.well_again().await;
    writing.end().await;
    cluster.verdict(watchers, Loss::None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asynchronous_replica_takes_over_and_all_agree_on_its_history() {
    lose_the_last_changes(plan(2, 1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asynchronous_replica_takes_over_and_relays_on_nats_agree_on_its_history() {
    lose_the_last_changes(Plan {
        nats: true,
        ..plan(2, 1)
    })
    .await;
}

async fn lose_the_last_changes(plan: Plan) {
    let mut cluster = Cluster::start(plan).await;
    let mut replica = replica(&mut cluster).await;
    let watchers = cluster.watch(1);
    let mut writing = cluster.write(1, PAUSE);
    writing.acknowledged(20).await;
    writing.end().await;
    replica.follow_nobody().await.unwrap();
    // What the replica never hears of: acknowledged, and seen by everybody.
    let mut writing = cluster.write(1_000_000, PAUSE);
    writing.acknowledged(20).await;
    writing.end().await;
    tokio::task::block_in_place(|| {
        cluster.postgres().crash().unwrap();
        replica.promote().unwrap();
    });
    cluster.point(&replica);
    let mut writing = cluster.write(2_000_000, PAUSE);
    writing.well_again().await;
    writing.end().await;
    let lost = cluster.ledger.strike_lost(&cluster.api(0)).await;
    assert!(lost >= 20, "{lost} were lost");
    cluster.verdict(watchers, Loss::OfTheDatabase).await;
}
