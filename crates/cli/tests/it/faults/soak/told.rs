//! Evaluations that processes are told of in a storm, and what the counts have of them. Each start of a
//! node has a variation of its own, so that what a killed process lost hides nothing that was counted
//! twice elsewhere.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use burgee_testkit::api::{Api, PATIENCE};
use burgee_testkit::cluster::Cluster;
use burgee_testkit::sdk::Sdk;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::kit::{apply, in_prod, try_evaluate};

/// As many variations as a flag may have; of further starts of a node nothing is counted.
const STARTS: usize = 100;

/// What a start of a node was told.
#[derive(Clone, Copy, Debug, Default)]
struct Evaluations {
    sent: i64,
    /// Those that it said it has.
    taken: i64,
}

/// All that was told.
pub(super) struct Told {
    /// Variations' ids by node and start.
    variations: Vec<Vec<Uuid>>,
    told: BTreeMap<(usize, usize), Evaluations>,
}

fn flag(node: usize) -> String {
    format!("told-{node}")
}

impl Told {
    /// Makes a flag for each node, and waits until all have them.
    pub(super) async fn begin(cluster: &Cluster) -> Self {
        let nodes: Vec<_> = cluster.nodes().map(|it| it.address).collect();
        let mut variations = Vec::new();
        for node in 0..nodes.len() {
            let ids: Vec<Uuid> = (0..STARTS).map(|_| Uuid::new_v4()).collect();
            let all = ids.iter().enumerate();
            let all: Vec<Value> = all
                .map(|(start, id)| json!({ "id": id, "value": format!("start {start}") }))
                .collect();
            let made = json!({ "kind": "createFlag", "flag": flag(node), "type": "string",
                "variations": all, "onVariation": ids[0], "offVariation": ids[0] });
            let commands = json!([made, in_prod("turnOn", &flag(node))]);
            apply(&cluster.api(0), commands).await;
            variations.push(ids);
        }
        let last = flag(nodes.len() - 1);
        for node in nodes {
            let mut sdk = Sdk::server(node, &cluster.keys.prod.1);
            sdk.until(|sdk| sdk.flags.contains_key(&last));
        }
        Self {
            variations,
            told: BTreeMap::new(),
        }
    }

    /// Tells a node of ten evaluations; it was started so many times before.
    pub(super) async fn tell(&mut self, cluster: &Cluster, node: usize, start: usize) {
        let Some(variation) = self.variations[node].get(start) else {
            return;
        };
        let told = json!({ "key": flag(node), "variations": [{ "id": variation }] });
        let address = cluster.nodes().nth(node).unwrap().address;
        let answered = try_evaluate(address, &cluster.keys.prod.0, &told).await;
        let evaluations = self.told.entry((node, start)).or_default();
        evaluations.sent += 10;
        if answered == Some(200) {
            evaluations.taken += 10;
        }
    }

    /// Waits until all that processes said they have is counted, of those that were never ended (the
    /// last start of each node).
    pub(super) async fn until_counted(&self, api: &Api, starts: &[usize]) {
        let until = Instant::now() + PATIENCE * 5;
        while let Err(missing) = self.counted(api, starts).await {
            assert!(Instant::now() < until, "not counted: {missing}");
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        eprintln!("told: {:?}", self.told);
    }

    /// Compares what is counted with what was told; what is missing of those who live. What a process
    /// had in memory when it ended may be lost.
    async fn counted(&self, api: &Api, starts: &[usize]) -> Result<(), String> {
        let mut missing = Ok(());
        for (node, variations) in self.variations.iter().enumerate() {
            let path = format!(
                "projects/default/flags/{}/counts?environment=prod",
                flag(node)
            );
            let counts = api.get(&path).await.expect(200);
            for (start, variation) in variations.iter().enumerate() {
                let counted = counts["totals"][variation.to_string()].as_i64();
                let counted = counted.unwrap_or_default();
                let told = self.told.get(&(node, start)).copied().unwrap_or_default();
                let what = format!("{counted} of {told:?}, start {start} of node {node}");
                assert!(counted <= told.sent, "counted twice: {what}");
                if starts[node] == start && counted < told.taken {
                    missing = Err(what);
                }
            }
        }
        missing
    }
}
