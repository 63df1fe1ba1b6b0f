//! `nodes`: what it costs a change that it is made on one server and heard on another.

use std::path::PathBuf;
use std::time::Duration;

use super::crowd::Crowd;
use super::{Ground, PATIENCE, PAUSE, Told, pass, settle};
use crate::report::goal::Goal;
use crate::report::latency::histogram;
use crate::report::merge;
use crate::report::model::{Count, Figure, Latency, Ratio, Report, Subject, Table};
use crate::report::number;
use crate::rig::measure::Titled;
use crate::rig::node::Node;
use crate::rig::postgres::Postgres;
use crate::scenario::audience::Plan;
use crate::scenario::change::Switch;
use crate::scenario::hold::{HEARTBEAT, OPENING};

/// Of the last connection to have a change, of 100 changes.
const LIMIT: &str = "≤ 150 ms";
/// Of that, against one server.
const RATIO: &str = "≤ 2";

/// One server and two by turns, each time on a fresh PostgreSQL: the connections are the last
/// one's, and changes are made on the first.
#[derive(Debug, Clone)]
pub struct Nodes {
    /// The program `burgee`.
    pub program: PathBuf,
    /// How often each is measured.
    pub runs: usize,
    /// How many client SDKs are connected.
    pub connections: usize,
    /// How many changes a run makes.
    pub changes: usize,
}

impl Nodes {
    /// Measures both. Times count from sending a change's request, so its commit is in them.
    ///
    /// # Errors
    /// PostgreSQL or a server does not start, or a change cannot be made.
    pub fn run(&self, command: &str, progress: Titled<'_>) -> anyhow::Result<Report> {
        let ground = Ground::new(self.program.clone());
        let (mut one, mut two) = (Vec::new(), Vec::new());
        let mut notes = Vec::new();
        for number in 1..=self.runs.max(1) {
            for (servers, found) in [(1, &mut one), (2, &mut two)] {
                let title = format!("nodes, {servers} {number}/{}", self.runs);
                let told = Told::new(progress, &title);
                found.push(self.turn(&ground, servers, told, &mut notes)?);
            }
        }
        let (two, one) = (merge::runs(two, None)?, merge::runs(one, None)?);
        let mut report = ground.report("nodes", command);
        report.notes.extend(notes);
        report.ratios = ratio(&two, &one).into_iter().collect();
        report.tables = vec![goals(&two, &one, self.connections)];
        report.subjects = vec![two, one];
        Ok(report)
    }

    fn turn(
        &self,
        ground: &Ground,
        servers: usize,
        mut told: Told,
        notes: &mut Vec<String>,
    ) -> anyhow::Result<Subject> {
        let database = Postgres::start(ground.core())?;
        let first = ground.server(Some(&database), None)?;
        let target = first.target();
        let url = database.url();
        let more = (1..servers).map(|_| Node::server(&ground.program, &url, ground.core()));
        let more: Vec<Node> = more.collect::<anyhow::Result<_>>()?;
        let mut pids = target.pids.clone();
        pids.extend(more.iter().map(Node::pid));
        let address = more.last().map_or(target.address, Node::address);
        told.tell("opening", &[]);
        let mut crowd = Crowd::default();
        let plan = Plan {
            connections: self.connections,
            rate: OPENING,
            first_user: 0,
            heartbeat: HEARTBEAT,
        };
        crowd.add(ground, address, &target.client_key, &plan)?;
        let opening = Duration::from_secs_f64(self.connections as f64 / OPENING) + PATIENCE;
        let held = crowd.opened(1, opening)?;
        settle(&pids, &format!("changes on {servers} servers"), notes)?;
        let mut switch = Switch::new(target)?;
        let mut found = Found::new()?;
        for number in 0..self.changes {
            told.tell("changes", &[("made", number as f64)]);
            found.take(&crowd.round(&mut switch, PATIENCE)?);
            pass(PAUSE);
        }
        let mut errors = crowd.end()?;
        errors.extend(found.lost());
        Ok(Subject {
            name: match servers {
                1 => "one node".to_owned(),
                _ => "two nodes".to_owned(),
            },
            processes: servers,
            runs: 1,
            figures: vec![Figure::new("connections", "", held.connections as f64)],
            latencies: found.latencies()?,
            errors,
            ..Subject::default()
        })
    }
}

/// What changes came to.
pub(super) struct Found {
    pub(super) last: hdrhistogram::Histogram<u64>,
    each: hdrhistogram::Histogram<u64>,
    answered: hdrhistogram::Histogram<u64>,
    missing: u64,
    gone: u64,
}

impl Found {
    pub(super) fn new() -> anyhow::Result<Self> {
        Ok(Self {
            last: histogram()?,
            each: histogram()?,
            answered: histogram()?,
            missing: 0,
            gone: 0,
        })
    }

    pub(super) fn take(&mut self, round: &super::crowd::Round) {
        self.last.saturating_record(round.last());
        self.answered.saturating_record(round.answered);
        for at in &round.arrived {
            self.each.saturating_record(*at);
        }
        self.missing += round.missing;
        self.gone += round.gone;
    }

    pub(super) fn latencies(&self) -> anyhow::Result<Vec<Latency>> {
        Ok(vec![
            Latency::of(LAST, &self.last)?,
            Latency::of("push", &self.each)?,
            Latency::of("change answered", &self.answered)?,
        ])
    }

    /// How many deliveries did not come, of all that were to.
    pub(super) fn undelivered(&self) -> u64 {
        self.missing + self.gone
    }

    /// The same as errors, where there are any.
    pub(super) fn lost(&self) -> Vec<Count> {
        let all = [
            ("a change that did not arrive", self.missing),
            ("a change whose listener was gone before it", self.gone),
        ];
        let all = all.into_iter().filter(|(_, count)| *count > 0);
        let count = |(what, count): (&str, u64)| Count {
            what: what.to_owned(),
            count,
        };
        all.map(count).collect()
    }
}

/// The last delivery of each change.
const LAST: &str = "last delivery";

fn p99(subject: &Subject) -> f64 {
    subject.latency(LAST).map_or(f64::NAN, |last| last.p99)
}

fn ratio(two: &Subject, one: &Subject) -> Option<Ratio> {
    let value = p99(two) / p99(one);
    value.is_finite().then(|| Ratio {
        name: "last delivery, p99".to_owned(),
        value,
        goal: Some(RATIO.to_owned()),
    })
}

fn goals(two: &Subject, one: &Subject, connections: usize) -> Table {
    let met = |goal: &str, value: f64| match Goal::read(goal).is_some_and(|it| it.met(value)) {
        true => "yes".to_owned(),
        false => "no".to_owned(),
    };
    let line = |what: String, goal: &str, of: fn(&Subject) -> f64, unit: &str, judged: &str| {
        let (ours, least) = (of(two), of(one));
        let value = if judged.is_empty() {
            ours
        } else {
            ours / least
        };
        vec![
            what,
            format!("{goal}{judged}"),
            number::quantity(ours, unit),
            number::quantity(least, unit),
            number::ratio(ours / least),
            met(goal, value),
        ]
    };
    let last = format!(
        "one change to {} client SDKs, from sending it to the last: P99",
        number::plain(connections as f64)
    );
    let lost = "deliveries lost, or out of order".to_owned();
    Table {
        title: "Goals".to_owned(),
        columns: ["what", "goal", "two nodes", "one node", "ratio", "met"]
            .map(str::to_owned)
            .to_vec(),
        rows: vec![
            line(last.clone(), LIMIT, p99, "ms", ""),
            line(last, RATIO, p99, "ms", " × one node"),
            line(lost, "≤ 0", |it| it.failed() as f64, "", ""),
        ],
    }
}
