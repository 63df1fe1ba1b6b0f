//! What is done in the background is done once, whichever server does it, and by another where one is
//! killed in the middle.

use std::collections::BTreeMap;

use burgee_eval::time::Millis;
use burgee_testkit::cluster::Cluster;
use burgee_testkit::cluster::ledger::history;
use burgee_testkit::cluster::verdict::Loss;
use burgee_testkit::{sdk, sql};
use serde_json::json;

use super::{PAUSE, plan, rounds, until};

/// Requests that are due at the same moment.
const REQUESTS: usize = 40;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_due_is_applied_once_though_a_server_dies_at_it() {
    let mut cluster = Cluster::start(plan(2, 1)).await;
    let watchers = cluster.watch(1);
    for round in 0..rounds(1) {
        let requests = plan_changes(&cluster, round).await;
        let applied = async |cluster: &Cluster| {
            let mut times: BTreeMap<String, usize> = BTreeMap::new();
            for set in history(&cluster.api(1), "prod").await {
                if let Some(request) = set["request"].as_str() {
                    *times.entry(request.to_owned()).or_default() += 1;
                }
            }
            times
        };
        let of_round = async |cluster: &Cluster| {
            let applied = applied(cluster).await;
            requests
                .iter()
                .filter(|it| applied.contains_key(*it))
                .count()
        };
        until(async || (of_round(&cluster).await > 0).then_some(())).await;
        cluster.servers[0].kill();
        until(async || (of_round(&cluster).await == REQUESTS).then_some(())).await;
        cluster.servers[0].start().await;
        for (request, times) in applied(&cluster).await {
            assert_eq!(times, 1, "{request}");
        }
    }
    let mut writing = cluster.write(1, PAUSE);
    writing.well_again().await;
    writing.end().await;
    cluster.verdict(watchers, Loss::None).await;
}

/// Asks for changes in twenty seconds, all at one moment; the requests.
async fn plan_changes(cluster: &Cluster, round: usize) -> Vec<String> {
    let api = cluster.api(0);
    let at = Millis(sdk::now() + 20_000).to_string();
    let mut requests = Vec::new();
    for number in 0..REQUESTS {
        let flag = format!("due-{round}-{number}");
        let commands = json!([
            { "kind": "createFlag", "project": "default", "flag": flag, "type": "boolean" },
            { "kind": "turnOn", "project": "default", "environment": "prod", "flag": flag },
        ]);
        let steps = json!([{ "at": at, "commands": commands }]);
        let new = json!({ "title": flag, "steps": steps });
        let made = api.post("requests", &new).await.expect(201);
        requests.push(made["id"].as_str().unwrap().to_owned());
    }
    requests
}

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
