//! An installation on machines of its own, and what can happen to it.

use std::time::{Duration, Instant};

use burgee_testkit::api::PATIENCE;
use burgee_testkit::cluster::Cluster;
use burgee_testkit::cluster::node::Node;
use burgee_testkit::lan::{Lan, Machine};
use burgee_testkit::nats::Nats;
use burgee_testkit::postgres::Postgres;
use tokio::task::{block_in_place, spawn_blocking};

use super::Dice;
use crate::faults::plan;

/// Two servers, a relay of the first, and one by NATS: each on a machine of its own, as are the
/// database and NATS.
pub(super) struct Scene {
    pub(super) cluster: Cluster,
    postgres: Postgres,
    nats: Nats,
    database: Machine,
    backbone: Machine,
    /// Servers', then relays'.
    machines: Vec<Machine>,
    /// How often each node was started again.
    pub(super) starts: Vec<usize>,
    /// A server and a relay that live through everything.
    pub(super) spared: [usize; 2],
    // Last: it ends what still runs.
    lan: Lan,
}

/// Something that happens, and is over later. Nodes are numbered: servers, then relays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disaster {
    /// `kill -9`.
    Killed(usize),
    /// SIGSTOP.
    Paused(usize),
    /// SIGTERM.
    Stopped(usize),
    /// Nothing arrives between it and what feeds it.
    Parted(usize),
    /// What feeds it does not hear it.
    Unheard(usize),
    /// It does not hear what feeds it.
    Deaf(usize),
    /// Its line takes 1 Mbit/s.
    Slow(usize),
    DatabaseKilled,
    NatsKilled,
}

impl Disaster {
    pub(super) fn any(dice: &mut Dice, scene: &Scene) -> Self {
        let node = dice.below(scene.nodes());
        let may_end = !scene.spared.contains(&node);
        match dice.below(9) {
            // A relay that is killed starts from what it kept, up to a second older than what its
            // SDKs have, until it is brought further: `faults::kills` has those.
            0 if may_end && node < scene.cluster.servers.len() => Self::Killed(node),
            0 | 2 if may_end => Self::Stopped(node),
            0..=2 => Self::Paused(node),
            3 => Self::Parted(node),
            4 => Self::Unheard(node),
            5 => Self::Deaf(node),
            6 => Self::Slow(node),
            7 => Self::DatabaseKilled,
            _ => Self::NatsKilled,
        }
    }

    fn node(self) -> Option<usize> {
        match self {
            Self::Killed(node)
            | Self::Paused(node)
            | Self::Stopped(node)
            | Self::Parted(node)
            | Self::Unheard(node)
            | Self::Deaf(node)
            | Self::Slow(node) => Some(node),
            Self::DatabaseKilled | Self::NatsKilled => None,
        }
    }

    pub(super) fn concerns(self, node: usize) -> bool {
        self.node() == Some(node)
    }

    /// Whether both can be under way. A server does not start without its database.
    pub(super) fn goes_with(self, other: Self) -> bool {
        let starts = |it: Self| matches!(it, Self::Killed(0 | 1) | Self::Stopped(0 | 1));
        let starves = |it: Self| it == Self::DatabaseKilled;
        let same = self == other || (self.node().is_some() && self.node() == other.node());
        let starves_a_start = starts(self) && starves(other) || starves(self) && starts(other);
        !(same || starves_a_start)
    }
}

impl Scene {
    /// `spared`: whether those that nothing ends are the first of each kind (0) or the second ones (1).
    pub(super) async fn new(spared: usize) -> Self {
        let lan = Lan::new().unwrap();
        let (database, backbone) = (lan.machine("database"), lan.machine("backbone"));
        let (database, backbone) = (database.unwrap(), backbone.unwrap());
        let places = (database.clone(), backbone.clone());
        let start = move || {
            let postgres = Postgres::start_on(Some(&places.0)).unwrap();
            (postgres, Nats::start_on(&places.1).unwrap())
        };
        let (postgres, nats) = spawn_blocking(start).await.unwrap();
        let mut plan = plan(2, 0);
        plan.database = Some(postgres.database().await.unwrap());
        let fed = ["--backbone".to_owned(), nats.url()];
        plan.server_arguments = fed.to_vec();
        let mut cluster = Cluster::start(plan).await;
        let mut machines = Vec::new();
        for server in &mut cluster.servers {
            machines.push(move_out(&lan, server).await);
        }
        let upstream = format!("http://{}", cluster.servers[0].address);
        let key = cluster.relay_key().await;
        let by_server = ["--upstream".to_owned(), upstream, "--key".to_owned(), key];
        for fed in [by_server.to_vec(), fed.to_vec()] {
            let relay = cluster.add_relay_fed(fed).await;
            machines.push(move_out(&lan, relay).await);
        }
        Self {
            starts: vec![0; machines.len()],
            spared: [spared, cluster.servers.len() + spared],
            cluster,
            postgres,
            nats,
            database,
            backbone,
            machines,
            lan,
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.machines.len()
    }

    pub(super) fn node(&mut self, number: usize) -> &mut Node {
        let servers = self.cluster.servers.len();
        match number.checked_sub(servers) {
            None => &mut self.cluster.servers[number],
            Some(relay) => &mut self.cluster.relays[relay],
        }
    }

    /// A node's machine, and that of what feeds it.
    fn line(&self, node: usize) -> (&Machine, &Machine) {
        let feeds = match node {
            0 | 1 => &self.database,
            2 => &self.machines[0],
            _ => &self.backbone,
        };
        (&self.machines[node], feeds)
    }

    pub(super) async fn begin(&mut self, disaster: Disaster) {
        match disaster {
            Disaster::Killed(node) => self.node(node).kill(),
            Disaster::Paused(node) => self.node(node).pause(),
            Disaster::Stopped(node) => block_in_place(|| self.node(node).stop()),
            Disaster::Parted(node) => {
                let (own, feeds) = self.line(node);
                self.lan.part(own, feeds).unwrap();
            }
            Disaster::Unheard(node) => {
                let (own, feeds) = self.line(node);
                self.lan.cut(own, feeds).unwrap();
            }
            Disaster::Deaf(node) => {
                let (own, feeds) = self.line(node);
                self.lan.cut(feeds, own).unwrap();
            }
            Disaster::Slow(node) => self.lan.slow(&self.machines[node], "1mbit").unwrap(),
            Disaster::DatabaseKilled => block_in_place(|| self.postgres.crash().unwrap()),
            Disaster::NatsKilled => block_in_place(|| self.nats.crash().unwrap()),
        }
    }

    pub(super) async fn end(&mut self, disaster: Disaster) {
        match disaster {
            Disaster::Killed(node) | Disaster::Stopped(node) => {
                self.node(node).start().await;
                self.starts[node] += 1;
            }
            Disaster::Paused(node) => self.node(node).go_on(),
            Disaster::Parted(node) => {
                let (own, feeds) = self.line(node);
                self.lan.join(own, feeds).unwrap();
                self.lan.join(feeds, own).unwrap();
            }
            Disaster::Unheard(node) => {
                let (own, feeds) = self.line(node);
                self.lan.join(own, feeds).unwrap();
            }
            Disaster::Deaf(node) => {
                let (own, feeds) = self.line(node);
                self.lan.join(feeds, own).unwrap();
            }
            Disaster::Slow(node) => self.lan.hurry(&self.machines[node]).unwrap(),
            Disaster::DatabaseKilled => block_in_place(|| self.postgres.come_back().unwrap()),
            Disaster::NatsKilled => block_in_place(|| self.nats.come_back().unwrap()),
        }
    }

    /// Waits until each server says that it is well. (What a relay says of its upstream is what it believed
    /// up to half a minute ago: of relays the verdict waits for the same versions.)
    pub(super) async fn until_well(&mut self) {
        let until = Instant::now() + PATIENCE * 4;
        loop {
            let mut ill = Vec::new();
            for server in &self.cluster.servers {
                let health = server.health().await;
                ill.extend((health.as_deref() != Some("ready")).then(|| server.name.clone()));
            }
            if ill.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "not well: {ill:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Waits until `burgee verify` finds the same in NATS as in the database.
    pub(super) async fn until_same(&self) {
        crate::faults::backbone::until_same(&self.cluster, &self.nats.url()).await;
    }
}

/// Starts a node again, on a machine of its own.
async fn move_out(lan: &Lan, node: &mut Node) -> Machine {
    let machine = lan.machine(&node.name.replace(' ', "-")).unwrap();
    block_in_place(|| node.stop());
    node.launch.before = machine.enter();
    node.address = (machine.address(), 5100).into();
    node.metrics = (machine.address(), 5101).into();
    node.start().await;
    machine
}
