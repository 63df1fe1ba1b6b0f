//! `fleet`: how propagation and load grow with servers on one PostgreSQL, and with relays on NATS.

use std::path::PathBuf;
use std::time::Duration;

use super::costs::{Payers, Spent};
use super::crowd::Crowd;
use super::nodes::Found;
use super::{Ground, PATIENCE, PAUSE, Told, pass, settle};
use crate::report::model::{Count, Figure, Latency, Report, Subject, Table};
use crate::report::number::plain;
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

/// What grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Servers,
    Relays,
}

/// What was found at a size.
struct Row {
    nodes: usize,
    last: Latency,
    idle: Spent,
    busy: Spent,
    /// Mean of the nodes' own memory, in bytes.
    memory: f64,
}

impl Growth {
    /// Measures servers, and then relays beside one server.
    ///
    /// # Errors
    /// PostgreSQL, NATS, a server or a relay does not start, or a change cannot be made.
    pub fn run(&self, command: &str, progress: Titled<'_>) -> anyhow::Result<Report> {
        let ground = Ground::new(self.program.clone());
        let mut report = ground.report("fleet", command);
        for kind in [Kind::Servers, Kind::Relays] {
            let told = Told::new(progress, kind.name());
            let (rows, subject) = Growing::start(self, &ground, kind)?.measure(told)?;
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
    nats: Option<Nats>,
    database: Postgres,
    /// Servers or relays that have an audience.
    heard: usize,
}

impl<'a> Growing<'a> {
    fn start(growth: &'a Growth, ground: &'a Ground, kind: Kind) -> anyhow::Result<Self> {
        let database = Postgres::start(ground.core())?;
        let nats = match kind {
            Kind::Servers => None,
            Kind::Relays => Some(Nats::start(ground.core())?),
        };
        let first = ground.server(Some(&database), nats.as_ref().map(Nats::url))?;
        Ok(Self {
            growth,
            ground,
            kind,
            crowd: Crowd::default(),
            nodes: Vec::new(),
            first,
            nats,
            database,
            heard: 0,
        })
    }

    fn measure(mut self, mut told: Told) -> anyhow::Result<(Vec<Row>, Subject)> {
        let mut switch = Switch::new(self.first.target())?;
        let mut rows = Vec::new();
        let mut missing: Vec<Count> = Vec::new();
        for size in SIZES {
            if size > self.growth.most {
                break;
            }
            told.tell("starting", &[("nodes", size as f64)]);
            self.grow(size)?;
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

    /// Adds nodes, each with an audience, and lets all of them become calm.
    fn grow(&mut self, size: usize) -> anyhow::Result<()> {
        let ground = self.ground;
        if self.kind == Kind::Servers && self.heard == 0 {
            let address = self.first.target().address;
            self.listen(address)?;
        }
        while self.heard < size {
            let node = match (&self.nats, self.kind) {
                (Some(nats), Kind::Relays) => {
                    Node::relay(&ground.program, Feed::Backbone(nats.url()), ground.core())?
                }
                _ => Node::server(&ground.program, &self.database.url(), ground.core())?,
            };
            let address = node.address();
            self.nodes.push(node);
            self.listen(address)?;
        }
        let mut all = self.first.target().pids.clone();
        all.extend(self.pids());
        settle(&all)
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
        self.crowd.opened(1, PATIENCE)?;
        self.heard += 1;
        Ok(())
    }

    /// The nodes beside the first server.
    fn pids(&self) -> Vec<u32> {
        self.nodes.iter().map(Node::pid).collect()
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

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Servers => "servers on one PostgreSQL",
            Self::Relays => "relays on one NATS",
        }
    }

    /// How many nodes beside the first server there are.
    fn others(self, nodes: usize) -> usize {
        match self {
            Self::Servers => nodes - 1,
            Self::Relays => nodes,
        }
    }

    /// Figures are those of the most nodes; distributions of all sizes together say nothing.
    fn subject(self, rows: &[Row], errors: Vec<Count>) -> Subject {
        let figures = rows.iter().flat_map(|row| {
            let name = |what: &str| format!("{what}, {} nodes", row.nodes);
            [
                Figure::new(&name("last delivery p99"), "ms", row.last.p99),
                Figure::new(
                    &name("statements idle"),
                    "1/s",
                    row.idle.statements_per_second(),
                ),
                Figure::new(
                    &name("database CPU idle"),
                    "cores",
                    row.idle.cores(|it| it.database),
                ),
                Figure::new(&name("memory of a node"), "bytes", row.memory),
            ]
        });
        Subject {
            name: self.name().to_owned(),
            processes: rows.last().map_or(0, |row| row.nodes),
            runs: 1,
            figures: figures.collect(),
            errors,
            ..Subject::default()
        }
    }

    fn table(self, rows: &[Row], changes: usize) -> Table {
        let nodes = match self {
            Self::Servers => "servers",
            Self::Relays => "relays",
        };
        let mut columns = vec![
            nodes,
            "last p50, ms",
            "last max, ms",
            "database: statements/s idle",
        ];
        columns.extend(["a change", "CPU idle, ‰ of a core", "CPU of a change, ms"]);
        if self == Self::Relays {
            columns.extend(["NATS: CPU idle, ‰", "of a change, ms"]);
        }
        columns.extend(["first server: CPU idle, ‰", "of a change, ms"]);
        columns.extend(["each other node: CPU idle, ‰", "of a change, ms"]);
        columns.push("own memory of a node, MiB");
        Table {
            title: self.name().to_owned(),
            columns: columns.into_iter().map(str::to_owned).collect(),
            rows: rows.iter().map(|row| self.line(row, changes)).collect(),
        }
    }

    fn line(self, row: &Row, changes: usize) -> Vec<String> {
        let Row { idle, busy, .. } = row;
        let cpu = |of: fn(&Spent) -> Duration, nodes: usize| {
            if nodes == 0 {
                return ["–".to_owned(), "–".to_owned()];
            }
            let nodes = nodes as f64;
            [
                plain(idle.cores(of) * 1000.0 / nodes),
                plain(busy.of_a_change(idle, changes, of) / nodes),
            ]
        };
        let mut line = vec![
            plain(row.nodes as f64),
            plain(row.last.p50),
            plain(row.last.max),
            plain(idle.statements_per_second()),
            plain(busy.statements_of_a_change(idle, changes)),
        ];
        line.extend(cpu(|it| it.database, 1));
        if self == Self::Relays {
            line.extend(cpu(|it| it.nats, 1));
        }
        line.extend(cpu(|it| it.first, 1));
        line.extend(cpu(|it| it.others, self.others(row.nodes)));
        line.push(plain(row.memory / 1_048_576.0));
        line
    }
}
