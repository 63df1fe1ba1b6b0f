//! What processes hold, before a storm, during it, and after it.

use std::time::{Duration, Instant};

use burgee_testkit::api::PATIENCE;

use super::disasters::Scene;

/// What a process holds.
#[derive(Clone, Debug)]
struct Held {
    node: String,
    /// Its own memory (heap and stacks), in KiB.
    memory: u64,
    descriptors: usize,
}

impl Held {
    fn of(name: &str, process: u32) -> Self {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let line = status.lines().find(|it| it.starts_with("RssAnon:"));
        let memory = line.unwrap().split_whitespace().nth(1).unwrap();
        let open = std::fs::read_dir(format!("/proc/{process}/fd")).unwrap();
        Self {
            node: name.to_owned(),
            memory: memory.parse().unwrap(),
            descriptors: open.count(),
        }
    }

    /// Whether it is as before, give or take what pools, allocators and caches keep.
    fn is_as(&self, before: &Self) -> bool {
        assert_eq!(self.node, before.node);
        self.memory < before.memory + 12 * 1024 && self.descriptors < before.descriptors + 15
    }
}

/// What all nodes hold.
pub(super) struct All(Vec<Held>);

impl All {
    pub(super) fn of(scene: &mut Scene) -> Self {
        let cluster = &mut scene.cluster;
        let nodes = cluster.servers.iter_mut().chain(&mut cluster.relays);
        let held = nodes.map(|node| Held::of(&node.name.clone(), node.process().id()));
        Self(held.collect())
    }

    /// Memory and descriptors are returned; what was cut off silently is swept away within 150 s.
    pub(super) async fn was_given_back(&self, scene: &mut Scene) {
        let until = Instant::now() + PATIENCE * 7;
        loop {
            let Self(after) = Self::of(scene);
            if after.iter().zip(&self.0).all(|(it, was)| it.is_as(was)) {
                eprintln!("before: {:?}\nafter: {after:?}", self.0);
                return;
            }
            assert!(
                Instant::now() < until,
                "{after:?}, and before: {:?}",
                self.0
            );
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// How often those who live through a storm are looked at.
const EVERY: Duration = Duration::from_secs(20);

/// How long a storm is of which a leak would be seen in this way.
const LONG: Duration = Duration::from_secs(600);

/// What the nodes hold that no disaster ends, again and again.
pub(super) struct Course {
    since: Instant,
    looked: Vec<(Instant, Vec<Held>)>,
}

impl Course {
    pub(super) fn begin() -> Self {
        Self {
            since: Instant::now(),
            looked: Vec::new(),
        }
    }

    /// Looks, where it is time to.
    pub(super) fn look(&mut self, scene: &mut Scene) {
        let last = self.looked.last().map_or(self.since, |(at, _)| *at);
        if last.elapsed() < EVERY {
            return;
        }
        let nodes = scene.spared;
        let held = nodes.map(|it| {
            let node = scene.node(it);
            Held::of(&node.name.clone(), node.process().id())
        });
        self.looked.push((Instant::now(), held.to_vec()));
    }

    /// In the last quarter of a long storm nobody holds more than in the second one, but for a little: by
    /// then every disaster has happened many times.
    pub(super) fn is_level(&self) {
        if self.since.elapsed() < LONG {
            return;
        }
        let quarter = self.looked.len() / 4;
        let middle = |quarter: &[(Instant, Vec<Held>)], node: usize| {
            let of = |what: fn(&Held) -> u64| {
                let mut all: Vec<u64> = quarter.iter().map(|it| what(&it.1[node])).collect();
                all.sort_unstable();
                all[all.len() / 2]
            };
            (of(|it| it.memory), of(|it| it.descriptors as u64))
        };
        let (second, last) = (
            &self.looked[quarter..2 * quarter],
            &self.looked[self.looked.len() - quarter..],
        );
        for node in 0..second[0].1.len() {
            let (then, now) = (middle(second, node), middle(last, node));
            let name = &second[0].1[node].node;
            eprintln!("{name}: {then:?}, later {now:?} (KiB, descriptors)");
            assert!(
                now.0 <= then.0 + then.0 / 6 + 4096,
                "{name} grows: {then:?}, {now:?}"
            );
            assert!(now.1 <= then.1 + 8, "{name} grows: {then:?}, {now:?}");
        }
    }
}
