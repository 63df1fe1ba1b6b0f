//! All disasters, mixed at random for a while: 25 seconds, or half an hour with `BURGEE_LONG_TESTS`, or
//! `BURGEE_SOAK_SECONDS`. What happens is decided by a seed, which is printed; `BURGEE_SOAK_SEED` takes
//! one, so that what went wrong can be looked at again (the moments differ: processes have their own).
//! The short one has the same each time.

mod disasters;

use std::time::{Duration, Instant};

use burgee_testkit::api::{Api, PATIENCE};
use burgee_testkit::cluster::verdict::Loss;
use uuid::Uuid;

use super::LONG;
use crate::kit::{counted, try_evaluate};
use disasters::{Disaster, Scene};

/// How long the storm is.
const SECONDS: &str = "BURGEE_SOAK_SECONDS";
/// What decides what happens.
const SEED: &str = "BURGEE_SOAK_SEED";
/// How long it is where nothing is said.
const SHORT: Duration = Duration::from_secs(25);
/// Between two changes of a person: what half an hour of them is has to be looked through at the end.
const PAUSE: Duration = Duration::from_millis(200);
/// Disasters at a time.
const AT_ONCE: usize = 2;

fn storm() -> Duration {
    let said = std::env::var(SECONDS).ok();
    let long = std::env::var_os(LONG).map(|_| 1800);
    let seconds = said.map(|it| it.parse().unwrap()).or(long);
    seconds.map_or(SHORT, Duration::from_secs)
}

/// Numbers that follow from a seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn thrown() -> Self {
        let seed = match std::env::var(SEED) {
            Ok(text) => text.parse().unwrap(),
            // The short storm is the same each time: whoever waits for it changed something else.
            Err(_) if storm() <= SHORT => 7,
            Err(_) => Uuid::new_v4().as_u64_pair().0,
        };
        eprintln!("{SEED}={seed}");
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, many: usize) -> usize {
        usize::try_from(self.next() % many as u64).unwrap()
    }

    fn up_to(&mut self, most: Duration) -> Duration {
        most.mul_f64(self.below(1000) as f64 / 1000.0)
    }
}

/// What a process holds.
#[derive(Clone, Debug)]
struct Held {
    node: String,
    /// Resident memory, in KiB.
    memory: u64,
    descriptors: usize,
}

impl Held {
    fn of(name: &str, process: u32) -> Self {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let line = status.lines().find(|it| it.starts_with("VmRSS:")).unwrap();
        let memory = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        let open = std::fs::read_dir(format!("/proc/{process}/fd")).unwrap();
        Self {
            node: name.to_owned(),
            memory,
            descriptors: open.count(),
        }
    }

    /// Whether it is as before, give or take what pools, allocators and caches keep.
    fn is_as(&self, before: &Self) -> bool {
        assert_eq!(self.node, before.node);
        self.memory < before.memory * 3 && self.descriptors < before.descriptors + 40
    }
}

fn held(scene: &mut Scene) -> Vec<Held> {
    let cluster = &mut scene.cluster;
    let nodes = cluster.servers.iter_mut().chain(&mut cluster.relays);
    nodes
        .map(|node| Held::of(&node.name.clone(), node.process().id()))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_all_disasters_leaves_everything_as_it_should_be() {
    let mut dice = Dice::thrown();
    let mut scene = Scene::new().await;
    let api = scene.cluster.api(0);
    let flag = api.get("projects/default/flags/count-0").await.expect(200);
    let warm = scene.cluster.watch(2);
    let mut writing = scene.cluster.write(1, PAUSE);
    writing.acknowledged(50).await;
    let before = held(&mut scene);

    let mut told = 0;
    let mut under_way: Vec<Disaster> = Vec::new();
    let until = Instant::now() + storm();
    while Instant::now() < until {
        if under_way.len() < AT_ONCE && dice.below(3) > 0 {
            let disaster = Disaster::any(&mut dice, &scene);
            if under_way.iter().all(|other| disaster.goes_with(*other)) {
                eprintln!("{disaster:?}");
                scene.begin(disaster).await;
                under_way.push(disaster);
            }
        } else if !under_way.is_empty() {
            let over = under_way.remove(0);
            eprintln!("over: {over:?}");
            scene.end(over).await;
        }
        let node = dice.below(scene.nodes());
        if under_way.iter().all(|it| !it.concerns(node)) {
            told += 10;
            try_evaluate(scene.node(node).address, &scene.cluster.keys.prod.0, &flag).await;
        }
        tokio::time::sleep(dice.up_to(Duration::from_secs(3))).await;
    }
    for over in under_way {
        scene.end(over).await;
    }
    writing.well_again().await;
    writing.end().await;
    scene.until_well().await;
    scene.cluster.verdict(warm, Loss::None).await;
    scene.until_same().await;

    // What a process had in memory when it was killed is lost; nothing counts twice.
    let counted = counted(&api, "count-0").await;
    eprintln!("{counted} of {told} evaluations were counted");
    assert!(counted > 0 && counted <= told, "{counted} of {told}");
    everything_was_given_back(&mut scene, &before).await;
}

/// Memory and descriptors are returned; what was cut off silently is swept away within 150 s.
async fn everything_was_given_back(scene: &mut Scene, before: &[Held]) {
    let until = Instant::now() + PATIENCE * 7;
    loop {
        let after = held(scene);
        if after
            .iter()
            .zip(before)
            .all(|(after, before)| after.is_as(before))
        {
            eprintln!("before: {before:?}\nafter: {after:?}");
            return;
        }
        assert!(Instant::now() < until, "{after:?}, and before: {before:?}");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// A number of a node's metrics.
async fn metric(node: &burgee_testkit::cluster::node::Node, name: &str) -> Option<f64> {
    let api = Api::new(node.metrics);
    let asked = api.try_send(reqwest::Method::GET, "/metrics", None);
    let text = asked.await.ok()?.text;
    let line = text
        .lines()
        .find_map(|it| it.strip_prefix(name)?.strip_prefix(' '));
    line?.trim().parse().ok()
}
