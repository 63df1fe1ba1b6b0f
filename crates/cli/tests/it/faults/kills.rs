//! `kill -9` of servers and relays at any moment, while people write to all servers and SDKs come
//! and go.

use burgee_testkit::cluster::verdict::Loss;
use burgee_testkit::cluster::{Cluster, Plan};
use uuid::Uuid;

use super::{PAUSE, moment, plan, rounds};

#[tokio::test(flavor = "multi_thread")]
async fn servers_and_relays_die_at_any_moment() {
    die_again_and_again(plan(2, 1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_and_relays_on_nats_die_at_any_moment() {
    die_again_and_again(Plan {
        nats: true,
        ..plan(2, 1)
    })
    .await;
}

async fn die_again_and_again(plan: Plan) {
    let mut cluster = Cluster::start(plan).await;
    let watchers = cluster.watch(1);
    let mut writing = cluster.write(1, PAUSE);
    for _ in 0..rounds(3) {
        let any = Uuid::new_v4().as_u128() as usize;
        writing.acknowledged(1 + any % 10).await;
        tokio::time::sleep(moment()).await;
        let relay = &mut cluster.relays[0];
        let dies = match (any / 16) % 3 {
            2 => relay,
            server => &mut cluster.servers[server],
        };
        dies.kill();
        // Whoever wrote to it goes on with another.
        writing.well_again().await;
        dies.start().await;
    }
    writing.end().await;
    cluster.verdict(watchers, Loss::OfARelaysSecond).await;
}
