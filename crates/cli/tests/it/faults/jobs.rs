//! What is done in the background is done once, whichever server does it, and by another where one is
//! killed in the middle.

use burgee_testkit::cluster::Cluster;
use burgee_testkit::{sdk, sql};

use super::{plan, until};

/// Minutes that are to become hours.
const MINUTES: i64 = 40 * 60;

#[tokio::test(flavor = "multi_thread")]
async fn counts_are_rolled_up_once_though_a_server_dies_at_it() {
    let mut cluster = Cluster::start(plan(2, 0)).await;
    for server in &mut cluster.servers {
        server.kill();
    }
    let hour = 3_600_000;
    let first = (sdk::now() / hour - 100) * hour;
    let database = cluster.database.clone();
    let fill = format!(
        "INSERT INTO counts_minute (environment_id, flag, flag_id, variation, at, count) \
         SELECT 'e', 'f', 'i', 'v', {first} + n * 60000, 1 FROM generate_series(0, {MINUTES} - 1) AS n"
    );
    sql::run(&database, &fill).await.unwrap();
    let minutes = "SELECT COUNT(*) FROM counts_minute WHERE environment_id = 'e'";
    let ask = async |question: &str| sql::number(&database, question).await.unwrap();
    for server in &mut cluster.servers {
        server.launch();
    }
    until(async || (ask(minutes).await < MINUTES).then_some(())).await;
    cluster.servers[0].kill();
    // A start does it again.
    cluster.servers[0].start().await;
    cluster.servers[1].kill();
    cluster.servers[1].start().await;
    until(async || (ask(minutes).await == 0).then_some(())).await;
    let hours = "SELECT CAST(SUM(count) AS BIGINT) FROM counts_hour WHERE environment_id = 'e'";
    assert_eq!(ask(hours).await, MINUTES);
}
