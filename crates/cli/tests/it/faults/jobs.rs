//! What is done in the background is done once, whichever server does it, and by another where one is
//! killed in the middle.

use std::collections::BTreeMap;

use burgee_eval::time::Millis;
use burgee_testkit::cluster::Cluster;
use burgee_testkit::cluster::ledger::checks::history;
use burgee_testkit::cluster::verdict::Loss;
use burgee_testkit::{sdk, sql};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{PAUSE, is_past, plan, rounds, until};

/// Requests that are due at the same moment, and the steps of each, due a millisecond apart: more than
/// servers do before one of them can be killed.
const REQUESTS: usize = 10;
const STEPS: usize = 15;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_due_is_applied_once_though_a_server_dies_at_it() {
    let mut cluster = Cluster::start(plan(2, 1)).await;
    let watchers = cluster.watch(1);
    for round in 0..rounds(1) {
        let requests = plan_changes(&cluster, round).await;
        until(async || (applied(&cluster, &requests).await > 0).then_some(())).await;
        cluster.servers[0].kill();
        let by_then = applied(&cluster, &requests).await;
        assert!(by_then < REQUESTS * STEPS, "nothing was left to do");
        until(async || {
            let applied = applied(&cluster, &requests).await;
            (applied == REQUESTS * STEPS).then_some(())
        })
        .await;
        cluster.servers[0].start().await;
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for set in history(&cluster.api(1), "prod").await {
            if let Some(request) = set["request"].as_str() {
                *times.entry(request.to_owned()).or_default() += 1;
            }
        }
        for request in requests {
            assert_eq!(times[&request], STEPS, "{request}");
        }
    }
    let mut writing = cluster.write(1, PAUSE);
    writing.well_again().await;
    writing.end().await;
    cluster.verdict(watchers, Loss::None).await;
}

/// How many steps of requests were applied, as the database has it: whoever asks a server is too late.
async fn applied(cluster: &Cluster, requests: &[String]) -> usize {
    let question = format!(
        "SELECT COUNT(*) FROM request_steps WHERE applied_at IS NOT NULL AND request_id IN ('{}')",
        requests.join("', '")
    );
    let applied = sql::number(&cluster.database, &question).await.unwrap();
    usize::try_from(applied).unwrap()
}

/// Asks for changes that are all due at one moment, as soon as they all can have been asked for by
/// then; the requests.
async fn plan_changes(cluster: &Cluster, round: usize) -> Vec<String> {
    let mut ahead = 4_000;
    loop {
        if let Some(requests) = plan_changes_in(cluster, round, ahead).await {
            return requests;
        }
        ahead *= 2;
    }
}

/// The same in so many ms; none where that was past too soon.
async fn plan_changes_in(cluster: &Cluster, round: usize, ahead: i64) -> Option<Vec<String>> {
    let api = cluster.api(0);
    let at = sdk::now() + ahead;
    let mut requests = Vec::new();
    for number in 0..REQUESTS {
        let flag = format!("due-{round}-{ahead}-{number}");
        let new = json!({ "title": flag, "steps": steps(&flag, at) });
        let made = api.post("requests", &new).await;
        if is_past(&made) {
            return None;
        }
        requests.push(made.expect(201)["id"].as_str().unwrap().to_owned());
    }
    Some(requests)
}

/// A flag that is made, and then gets another target with each step.
fn steps(flag: &str, at: i64) -> Vec<Value> {
    let variations = [Uuid::new_v4(), Uuid::new_v4()];
    let made = json!([
        { "kind": "createFlag", "project": "default", "flag": flag, "type": "boolean",
            "variations": [{ "id": variations[0], "value": "true" },
                { "id": variations[1], "value": "false" }] },
        { "kind": "turnOn", "project": "default", "environment": "prod", "flag": flag },
    ]);
    let edited = (1..STEPS).map(|step| {
        json!([{ "kind": "setTargets", "project": "default", "environment": "prod",
            "flag": flag, "variation": variations[0], "keys": [step.to_string()] }])
    });
    let all = std::iter::once(made).chain(edited).zip(at..);
    all.map(|(commands, at)| json!({ "at": Millis(at).to_string(), "commands": commands }))
        .collect()
}

/// Minutes that are to become hours, of each of so many flags: more than a server does before it can
/// be killed.
const MINUTES: i64 = 40 * 60;
const FLAGS: i64 = 100;

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
         SELECT 'e', 'f' || f, 'i', 'v', {first} + n * 60000, 1 \
         FROM generate_series(0, {MINUTES} - 1) AS n, generate_series(1, {FLAGS}) AS f"
    );
    sql::run(&database, &fill).await.unwrap();
    let ask = async |question: &str| sql::number(&database, question).await.unwrap();
    let oldest = "SELECT COALESCE(MIN(at), 0) FROM counts_minute WHERE environment_id = 'e'";
    let minutes = "SELECT COUNT(*) FROM counts_minute WHERE environment_id = 'e'";
    // Each does it when it starts, and then only after a while.
    cluster.servers[0].launch();
    until(async || (ask(oldest).await != first).then_some(())).await;
    cluster.servers[0].kill();
    assert!(ask(minutes).await > 0, "nothing was left to do");
    for server in &mut cluster.servers {
        server.launch();
    }
    until(async || (ask(minutes).await == 0).then_some(())).await;
    let hours = "SELECT CAST(SUM(count) AS BIGINT) FROM counts_hour WHERE environment_id = 'e'";
    assert_eq!(ask(hours).await, MINUTES * FLAGS);
    for server in &cluster.servers {
        server.ready().await;
    }
}
