//! `fleet`: how propagation and load grow with servers on one PostgreSQL, with relays on NATS, and with
//! relays on one server.

use std::path::PathBuf;
use std::time::Duration;

use super::costs::Payers;
use super::crowd::Crowd;
use super::nodes::Found;
use super::table::{Kind, Row};
use super::{Ground, PATIENCE, PAUSE, Told, pass, relay_key, settle};
use crate::report::model::{Count, Latency, Report, Subject};
use crate::rig::measure::Titled;
use crate::rig::nats::Nats;
use crate::rig::node::{Feed, Node};
use crate::rig::postgres::Postgres;
use crate::rig::server::Server;
use crate::rig::usage::usage;
use crate::scenario::audience::Plan;
use crate::scenario::change::Switch;
use crate::scenario::hold::HEARTBEAT;

/// How fast a node's few connections are opened.
const RATE: f64 = 200.0;

/// Sizes from one to the most.
const SIZES: [usize; 5] = [1, 2, 5, 10, 20];

/// Nodes are added to those that run, and at each size looked at twice: left alone, and while
/// changes are made on the first server.
#[derive(Debug, Clone)]
pub struct Growth {
    /// The program `burgee`.
    pub program: PathBuf,
    /// The most servers, and the most relays: of 1, 2, 5, 10 and 20 those are measured that are not
    /// more.
    pub most: usize,
    /// How many client SDKs are connected to each server or relay.
    pub connections: usize,
    /// How many changes are made at each size.
    pub changes: usize,
    /// How long they are left alone at each size.
    pub idle: Duration,
}

impl Growth {
    /// Measures servers, and then relays beside one server: on NATS, and on that server.
    ///
    /// # Errors
    /// PostgreSQL, NATS, a server or a relay does not start, or a change cannot be made.
    pub fn run(&self, command: &str, progress: Titled<'_>) -> anyhow::Result<Report> {
        let ground = Ground::new(self.program.clone());
        let mut report = ground.report("fleet", command);
        for kind in Kind::ALL {
            let told = Told::new(progress, kind.name());
            let growing = Growing::start(self, &ground, kind)?;
            let (rows, subject) = growing.measure(told, &mut report.notes)?;
            report.tables.push(kind.table(&rows, self.changes));
            report.subjects.push(subject);
        }
        report.notes.push(format!(
            "{} client SDKs on each node; times count from sending a change's request, on the \
             first server, until the last of all nodes' connections has it; CPU of a change is what \
             was spent more than when nothing changed",
            self.connections
        ));
        Ok(report)
    }
}

/// Everything that runs, in the order in which it ends.
struct Growing<'a> {
    growth: &'a Growth,
    ground: &'a Ground,
    kind: Kind,
    crowd: Crowd,
    nodes: Vec<Node>,
    first: Server,
    /// The key of relays that hang on the first server.
    relay_key: Option<String>,
    nats: Option<Nats>,
    database: Postgres,
    /// Servers or relays that have an audience.
    heard: usize,
}

impl<'a> Growing<'a> {
    fn start(growth: &'a Growth, ground: &'a Ground, kind: Kind) -> anyhow::Result<Self> {
        let database = Postgres::start(ground.core())?;
        let nats = match kind {
            Kind::Servers | Kind::OnServer => None,
            Kind::OnNats => Some(Nats::start(ground.core())?),
        };
        let first = ground.server(Some(&database), nats.as_ref().map(Nats::url))?;
        let relay_key = match kind {
            Kind::OnServer => Some(relay_key(&first)?),
            Kind::Servers | Kind::OnNats => None,
        };
        Ok(Self {
            growth,
            ground,
            kind,
            crowd: Crowd::default(),
            nodes: Vec::new(),
            first,
            relay_key,
            nats,
            database,
            heard: 0,
        })
    }

    fn measure(
        mut self,
        mut told: Told,
        notes: &mut Vec<String>,
    ) -> anyhow::Result<(Vec<Row>, Subject)> {
        let mut switch = Switch::new(self.first.target())?;
        let mut rows = Vec::new();
        let mut missing: Vec<Count> = Vec::new();
        for size in SIZES {
            if size > self.growth.most {
                break;
            }
            told.tell("starting", &[("nodes", size as f64)]);
            self.grow(size)?;
            let before_what = format!("{}, {size}", self.kind.name());
            settle(&self.everybody(), &before_what, notes)?;
            told.tell("idle", &[("nodes", size as f64)]);
            let before = self.payers(&self.pids()).begin()?;
            pass(self.growth.idle);
            let idle = self.payers(&self.pids()).since(&before)?;
            let mut found = Found::new()?;
            let before = self.payers(&self.pids()).begin()?;
            for number in 0..self.growth.changes {
                let facts = [("nodes", size as f64), ("made", number as f64)];
                told.tell("changes", &facts);
                found.take(&self.crowd.round(&mut switch, PATIENCE)?);
                pass(PAUSE);
            }
            let busy = self.payers(&self.pids()).since(&before)?;
            missing.extend(found.lost());
            rows.push(Row {
                nodes: size,
                last: Latency::of("last delivery", &found.last)?,
                undelivered: found.undelivered(),
                idle,
                busy,
                memory: usage(&self.looked_at())?.anonymous as f64 / size as f64,
            });
        }
        let mut errors = self.crowd.end()?;
        errors.extend(missing);
        let subject = self.kind.subject(&rows, errors);
        Ok((rows, subject))
    }

    /// Adds nodes, each with an audience.
    fn grow(&mut self, size: usize) -> anyhow::Result<()> {
        let ground = self.ground;
        if self.kind == Kind::Servers && self.heard == 0 {
            let address = self.first.target().address;
            self.listen(address)?;
        }
        while self.heard < size {
            let upstream = self.first.target().address;
            let feed = match (&self.nats, &self.relay_key) {
                (Some(nats), _) => Some(Feed::Backbone(nats.url())),
                (None, Some(key)) => Some(Feed::Upstream(upstream, key)),
                (None, None) => None,
            };
            let node = match feed {
                Some(feed) => Node::relay(&ground.program, feed, ground.core())?,
                None => Node::server(&ground.program, &self.database.url(), ground.core())?,
            };
            let address = node.address();
            self.nodes.push(node);
            self.listen(address)?;
        }
        Ok(())
    }

    fn listen(&mut self, address: std::net::SocketAddr) -> anyhow::Result<()> {
        let plan = Plan {
            connections: self.growth.connections,
            rate: RATE,
            first_user: (self.heard * self.growth.connections) as u32,
            heartbeat: HEARTBEAT,
        };
        let key = self.first.target().client_key.clone();
        self.crowd.add(self.ground, address, &key, &plan)?;
        let held = self.crowd.opened(1, PATIENCE)?.connections;
        anyhow::ensure!(
            held == self.growth.connections as u64,
            "of {} connections to a node {held} are held",
            self.growth.connections
        );
        self.heard += 1;
        Ok(())
    }

    /// The nodes beside the first server.
    fn pids(&self) -> Vec<u32> {
        self.nodes.iter().map(Node::pid).collect()
    }

    /// The first server, and the nodes beside it.
    fn everybody(&self) -> Vec<u32> {
        let mut pids = self.first.target().pids.clone();
        pids.extend(self.pids());
        pids
    }

    /// The nodes that grow.
    fn looked_at(&self) -> Vec<u32> {
        let mut pids = self.pids();
        if self.kind == Kind::Servers {
            pids.extend(&self.first.target().pids);
        }
        pids
    }

    fn payers<'b>(&'b self, others: &'b [u32]) -> Payers<'b> {
        Payers {
            database: &self.database,
            nats: self.nats.as_ref(),
            first: &self.first.target().pids,
            others,
        }
    }
}
