//! Many processes that serve the same: several servers on one database, many relays. What is
//! measured goes through more than one of them, so it is no [`Run`](crate::scenario::Run) on one
//! target: each of these measurements starts its own processes, audiences in further ones, and
//! makes its report itself.
//!
//! Servers, relays, databases and NATS share the first core, audiences the second. Two nodes on one
//! core are the least favourable case: what one does the other waits for.

mod costs;
mod crowd;
mod growth;
mod million;
mod nodes;
mod table;

use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;

pub use self::growth::Growth;
pub use self::million::Million;
pub use self::nodes::Nodes;
use crate::progress::{Moment, Progress};
use crate::report::model::{Machine, Report};
use crate::rig::limits::Limits;
use crate::rig::measure::Titled;
use crate::rig::pin;
use crate::rig::postgres::Postgres;
use crate::rig::server::{Kind, Plan, Server};
use crate::rig::usage::usage;

/// How long processes must be calm, and how long they are waited for at most.
const CALM: Duration = Duration::from_millis(500);
const SETTLING: Duration = Duration::from_secs(20);

/// A change that takes longer is lost.
const PATIENCE: Duration = Duration::from_secs(60);

/// Between two changes: a server tells others once a second how far deliveries are, and changes are
/// to meet that at all moments.
const PAUSE: Duration = Duration::from_millis(130);

/// What all these measurements stand on.
#[derive(Debug)]
struct Ground {
    program: PathBuf,
    cores: Option<pin::Cores>,
    limits: Limits,
}

impl Ground {
    fn new(program: PathBuf) -> Self {
        Self {
            program,
            cores: pin::cores(),
            limits: Limits::prepare(),
        }
    }

    /// The core of everything that serves.
    fn core(&self) -> Option<usize> {
        self.cores.map(|cores| cores.server)
    }

    /// The first server, on fresh data: of a database and with NATS where these are named.
    fn server(
        &self,
        database: Option<&Postgres>,
        backbone: Option<&str>,
    ) -> anyhow::Result<Server> {
        Server::start(&Plan {
            program: self.program.clone(),
            kind: Kind::Demo,
            listen: None,
            processes: 1,
            core: self.core(),
            quota: None,
            database: database.map(Postgres::url),
            backbone: backbone.map(str::to_owned),
        })
    }

    /// The beginning of a report.
    fn report(&self, scenario: &str, command: &str) -> Report {
        let mut notes = self.limits.notes.clone();
        notes.push(match self.cores {
            Some(_) => "whatever serves ran on one core, the generators on another".to_owned(),
            None => "servers and generators had to share one core".to_owned(),
        });
        Report {
            scenario: scenario.to_owned(),
            command: command.to_owned(),
            at: jiff::Timestamp::now().to_string(),
            machine: Machine::here(),
            notes,
            ..Report::default()
        }
    }
}

/// Tells somebody how far a measurement is.
struct Told {
    progress: Box<dyn Progress>,
    since: Instant,
}

impl Told {
    fn new(progress: Titled<'_>, title: &str) -> Self {
        Self {
            progress: progress(title),
            since: Instant::now(),
        }
    }

    fn tell(&mut self, phase: &str, facts: &[(&str, f64)]) {
        self.progress.tell(&Moment {
            phase,
            elapsed: self.since.elapsed(),
            whole: None,
            facts,
        });
    }
}

/// Lets processes finish what was begun before: new users are still to be written. Where they are not
/// calm by the end of the time that they are given, what is called idle after it is not, and a note
/// says so.
fn settle(pids: &[u32], before_what: &str, notes: &mut Vec<String>) -> anyhow::Result<()> {
    let deadline = Instant::now() + SETTLING;
    let mut before = usage(pids)?.cpu;
    while Instant::now() < deadline {
        pass(CALM);
        let now = usage(pids)?.cpu;
        if now.saturating_sub(before) < CALM / 50 {
            return Ok(());
        }
        before = now;
    }
    notes.push(format!(
        "{before_what}: processes were still busy with what was before after {} s, and that is in \
         the figures",
        SETTLING.as_secs()
    ));
    Ok(())
}

/// A key for relays of everything.
fn relay_key(server: &Server) -> anyhow::Result<String> {
    let body = json!({ "name": "bench", "description": "", "scope": { "all": true } });
    let made = server.target().api()?;
    let made = made.call("POST", "/api/v1/relay-keys", &body)?;
    let secret = made["secret"].as_str().map(str::to_owned);
    secret.with_context(|| format!("no secret in {made}"))
}

/// Lets a time pass.
#[expect(
    clippy::disallowed_methods,
    reason = "what happens by itself meanwhile is what is measured"
)]
fn pass(span: Duration) {
    sleep(span);
}
