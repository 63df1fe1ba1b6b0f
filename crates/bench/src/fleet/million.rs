//! `million`: as many held connections as a machine has the memory for, over as many relays as the
//! limit of open files asks for, and one change to all of them.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::crowd::{Crowd, Held, Round};
use super::nodes::Found;
use super::{Ground, PATIENCE, Told, pass, relay_key, settle};
use crate::report::model::{Figure, Report, Subject};
use crate::rig::measure::Titled;
use crate::rig::node::{Feed, Node};
use crate::rig::server::Server;
use crate::rig::usage::{Usage, kernel_slabs, kernel_sockets, usage};
use crate::scenario::audience::Plan;
use crate::scenario::change::Switch;

/// What to hold.
#[derive(Debug, Clone)]
pub struct Million {
    /// The program `burgee`.
    pub program: PathBuf,
    /// How many client SDKs in all.
    pub connections: usize,
    /// Over how many relays; `None`: as few as the limit of open files allows.
    pub relays: Option<usize>,
    /// How many connections a second are opened, over all relays.
    pub rate: f64,
    /// How often each connection sends a heartbeat, and how long they are left alone, so that each
    /// sends one meanwhile. SDKs do every 18 seconds; who sends none for 150 is closed.
    pub heartbeat: Duration,
    /// How many changes are made.
    pub changes: usize,
}

/// What the machine's memory is at a moment, in bytes.
#[derive(Clone, Copy)]
struct Memory {
    relays: Usage,
    generators: Usage,
    slabs: u64,
    sockets: u64,
}

/// Everything that runs, in the order in which it ends.
struct Holding<'a> {
    million: &'a Million,
    ground: &'a Ground,
    crowd: Crowd,
    relays: Vec<Node>,
    first: Server,
}

impl Million {
    /// Starts a server and its relays, holds the connections, and makes the changes.
    ///
    /// # Errors
    /// The server, a relay or a generator does not start, or a change cannot be made.
    pub fn run(&self, command: &str, progress: Titled<'_>) -> anyhow::Result<Report> {
        let mut ground = Ground::new(self.program.clone());
        ground.limits.track(self.connections);
        let alone = ground.limits.connections_alone();
        let relays = self.relays.unwrap_or(self.connections.div_ceil(alone));
        let mut told = Told::new(progress, "million");
        told.tell("starting", &[("relays", relays as f64)]);
        let mut holding = Holding::start(self, &ground, relays.max(1))?;
        let mut notes = Vec::new();
        let subject = holding.measure(&mut told, &mut notes)?;
        let mut report = ground.report("million", command);
        report.notes.push(format!(
            "{relays} relays, fed by one server, each with a port and a generator of its own; a \
             heartbeat of each connection every {} s; the kernel's memory and the generators' are \
             of both ends; CPU of a push is what relays spent more than on heartbeats",
            self.heartbeat.as_secs()
        ));
        report.notes.extend(notes);
        report.subjects.push(subject);
        Ok(report)
    }
}

impl<'a> Holding<'a> {
    fn start(million: &'a Million, ground: &'a Ground, relays: usize) -> anyhow::Result<Self> {
        let first = ground.server(None, None)?;
        let key = relay_key(&first)?;
        let feed = Feed::Upstream(first.target().address, &key);
        let relay = |_| Node::relay(&ground.program, feed, ground.core());
        let relays = (0..relays).map(relay).collect::<anyhow::Result<_>>()?;
        Ok(Self {
            million,
            ground,
            crowd: Crowd::default(),
            relays,
            first,
        })
    }

    fn measure(&mut self, told: &mut Told, notes: &mut Vec<String>) -> anyhow::Result<Subject> {
        settle(&self.pids(), "opening", notes)?;
        let before = self.memory()?;
        let server = self.server()?;
        told.tell("opening", &[("relays", self.relays.len() as f64)]);
        let held = self.open()?;
        let opened = usage(&self.pids())?.cpu;
        settle(&self.pids(), "holding", notes)?;
        told.tell("holding", &[("held", held.connections as f64)]);
        let server = self.server()?.saturating_sub(server);
        let idle = self.cores(self.million.heartbeat)?;
        let after = self.memory()?;
        let mut found = Found::new()?;
        let mut switch = Switch::new(self.first.target())?;
        let mut figures = Figures::default();
        figures.held(
            &held,
            self.relays.len(),
            opened.saturating_sub(before.relays.cpu),
        );
        let each = server.as_secs_f64() * 1e6 / held.connections.max(1) as f64;
        figures.add(
            "CPU of the server that feeds them, per connection",
            "µs",
            each,
        );
        figures.memory(&before, &after, held.connections);
        figures.heartbeats(
            idle,
            held.connections as f64 / self.million.heartbeat.as_secs_f64(),
        );
        for number in 0..self.million.changes {
            told.tell("changes", &[("made", number as f64)]);
            let (before, begun) = (usage(&self.pids())?.cpu, Instant::now());
            let round = self.crowd.round(&mut switch, PATIENCE * 2)?;
            // Heartbeats go on meanwhile: what they cost anyway is none of the push.
            let anyway = begun.elapsed().mul_f64(idle);
            let spent = usage(&self.pids())?.cpu.saturating_sub(before);
            let spent = spent.saturating_sub(anyway);
            found.take(&round);
            figures.round(number + 1, &round, spent);
        }
        told.tell("ending", &[]);
        let mut errors = self.crowd.end()?;
        errors.extend(found.lost());
        Ok(Subject {
            name: "burgee".to_owned(),
            processes: self.relays.len(),
            runs: 1,
            figures: figures.all,
            latencies: found.latencies()?,
            errors,
            ..Subject::default()
        })
    }

    /// Opens all connections, of all audiences at the same time.
    fn open(&mut self) -> anyhow::Result<Held> {
        let relays = self.relays.len();
        let (all, rate) = (self.million.connections, self.million.rate);
        let mut first_user = 0;
        for (index, relay) in self.relays.iter().enumerate() {
            let connections = all / relays + usize::from(index < all % relays);
            let plan = Plan {
                connections,
                rate: rate / relays as f64,
                first_user,
                heartbeat: self.million.heartbeat,
            };
            let key = &self.first.target().client_key;
            self.crowd.add(self.ground, relay.address(), key, &plan)?;
            first_user += connections as u32;
        }
        let patience = Duration::from_secs_f64(all as f64 / rate * 8.0) + PATIENCE;
        self.crowd.opened(relays, patience)
    }

    /// How many cores the relays use in a time.
    fn cores(&self, span: Duration) -> anyhow::Result<f64> {
        let before = usage(&self.pids())?.cpu;
        pass(span);
        let spent = usage(&self.pids())?.cpu.saturating_sub(before);
        Ok(spent.as_secs_f64() / span.as_secs_f64().max(f64::EPSILON))
    }

    fn memory(&self) -> anyhow::Result<Memory> {
        Ok(Memory {
            relays: usage(&self.pids())?,
            generators: usage(&self.crowd.pids())?,
            slabs: kernel_slabs()?,
            sockets: kernel_sockets()?,
        })
    }

    /// What the server that feeds them has spent.
    fn server(&self) -> anyhow::Result<Duration> {
        Ok(usage(&self.first.target().pids)?.cpu)
    }

    fn pids(&self) -> Vec<u32> {
        self.relays.iter().map(Node::pid).collect()
    }
}

/// Figures as they are found.
#[derive(Default)]
struct Figures {
    all: Vec<Figure>,
}

impl Figures {
    fn add(&mut self, name: &str, unit: &str, value: f64) {
        self.all.push(Figure::new(name, unit, value));
    }

    fn held(&mut self, held: &Held, relays: usize, spent: Duration) {
        let count = held.connections.max(1) as f64;
        self.add("connections", "", held.connections as f64);
        self.add("relays", "", relays as f64);
        self.add(
            "refused or not answered, and come again",
            "",
            held.refused as f64,
        );
        let each = spent.as_secs_f64() * 1e6 / count;
        self.add("CPU per connection, with heartbeats meanwhile", "µs", each);
        let received = held.received as f64 / count;
        self.add(
            "received per connection, upgrade and sync",
            "bytes",
            received,
        );
    }

    /// Those of a second, and the cores that the relays used with them.
    fn heartbeats(&mut self, cores: f64, rate: f64) {
        self.add("CPU with heartbeats", "cores", cores);
        self.add("heartbeats", "1/s", rate);
        self.add("CPU per heartbeat", "µs", cores * 1e6 / rate);
    }

    fn memory(&mut self, before: &Memory, after: &Memory, connections: u64) {
        let count = connections.max(1) as f64;
        let grown = |before: u64, after: u64| after.saturating_sub(before) as f64;
        let user = grown(before.relays.anonymous, after.relays.anonymous);
        let slabs = grown(before.slabs, after.slabs);
        self.add(
            "relays' resident memory, together",
            "bytes",
            after.relays.resident as f64,
        );
        self.add(
            "relays' own memory, together",
            "bytes",
            after.relays.anonymous as f64,
        );
        self.add("memory per connection", "bytes", user / count);
        self.add("kernel's memory, grown by", "bytes", slabs);
        self.add(
            "kernel's memory per connection, both ends",
            "bytes",
            slabs / count,
        );
        let sockets = grown(before.sockets, after.sockets);
        self.add("kernel's memory of sockets, grown by", "bytes", sockets);
        self.add(
            "generators' own memory, together",
            "bytes",
            after.generators.anonymous as f64,
        );
    }

    fn round(&mut self, number: usize, round: &Round, spent: Duration) {
        let count = round.arrived.len().max(1) as f64;
        let name = |what: &str| format!("change {number}: {what}");
        let first = round.arrived.iter().copied().min().unwrap_or_default();
        self.add(&name("first"), "ms", first as f64 / 1000.0);
        self.add(&name("last"), "ms", round.last() as f64 / 1000.0);
        let each = spent.as_secs_f64() * 1e6 / count;
        self.add(&name("CPU of a push"), "µs", each);
        self.add(
            &name("received by each"),
            "bytes",
            round.received as f64 / count,
        );
    }
}
