//! What happens in which round.

use std::collections::BTreeMap;

use burgee_testkit::api::Api;
use burgee_testkit::cluster::Cluster;
use serde_json::{Value, json};
use tokio::task::block_in_place;

/// The flag that changes: its value is the number of the round.
const FLAG: &str = "release";
/// Its variations, by ids that are said here so that they need not be asked for.
const VARIATION: &str = "6f0c1a52-7d1e-4c0e-9a52-0c1f5a3b7d01";
const OTHER: &str = "6f0c1a52-7d1e-4c0e-9a52-0c1f5a3b7d02";
/// Rounds after which all begins again.
const CYCLE: usize = 14;

/// Makes the flag, and turns it on in `prod`.
pub(crate) async fn make_flag(api: &Api) {
    let variations = json!([{ "id": VARIATION, "value": "0" }, { "id": OTHER, "value": "-1" }]);
    let commands = json!([
        { "kind": "createFlag", "flag": FLAG, "type": "number", "variations": variations,
            "onVariation": VARIATION, "offVariation": VARIATION },
        { "kind": "turnOn", "flag": FLAG, "environment": "prod" },
    ]);
    let set = json!({ "commands": commands });
    api.post("projects/default/changes", &set).await.expect(200);
}

/// The change set that gives the flag this value.
pub(crate) fn change(value: i64) -> Value {
    json!({ "commands": [{ "kind": "updateVariation", "flag": FLAG, "variation": VARIATION,
        "value": value.to_string() }] })
}

/// The flag's value, of what an SDK of either kind has.
pub(crate) fn value(flags: &BTreeMap<String, Value>) -> i64 {
    let flag = flags.get(FLAG).unwrap_or(&Value::Null);
    let of_server = || flag["variations"][0]["value"].as_str();
    let shown = flag["variation"].as_str().or_else(of_server);
    shown.and_then(|it| it.parse().ok()).unwrap_or_default()
}

/// What happens before this round's change, and what to say about it.
pub(crate) async fn happens(cluster: &mut Cluster, round: usize) -> Option<String> {
    let said = match round % CYCLE {
        3 => {
            cluster.servers[1].kill();
            "server 1 is killed (kill -9)"
        }
        5 => {
            cluster.servers[1].start().await;
            "server 1 is started again"
        }
        6 => {
            cluster.relays[0].kill();
            "relay 0 is killed"
        }
        8 => {
            cluster.relays[0].start().await;
            "relay 0 is started again"
        }
        9 => {
            let nats = cluster.nats.as_mut().expect("NATS");
            block_in_place(|| nats.crash().expect("it ends"));
            "NATS is killed: relay 1 serves what it has"
        }
        11 => {
            let nats = cluster.nats.as_mut().expect("NATS");
            block_in_place(|| nats.come_back().expect("it starts"));
            "NATS is started again"
        }
        12 => {
            let postgres = cluster.postgres.as_mut().expect("PostgreSQL");
            block_in_place(|| postgres.crash().expect("it ends"));
            "PostgreSQL is killed: nobody can change flags, everybody is served"
        }
        13 => {
            let postgres = cluster.postgres.as_mut().expect("PostgreSQL");
            block_in_place(|| postgres.come_back().expect("it starts"));
            "PostgreSQL is started again"
        }
        _ => return None,
    };
    Some(said.to_owned())
}

/// Brings back whatever is away.
pub(crate) async fn mend(cluster: &mut Cluster, round: usize) {
    // What was killed comes back some rounds after.
    for round in round + 1..=round + CYCLE {
        match round % CYCLE {
            3 | 6 | 9 | 12 => return,
            _ => drop(happens(cluster, round).await),
        }
    }
}
