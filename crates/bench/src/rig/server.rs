//! A server of the measurement's own: started on fresh data, pinned, limited, and ended with all
//! that belongs to it.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;

use anyhow::Context;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::state_size;
use crate::made::Made;
use crate::rig::cgroup::{Cgroup, Quota};
use crate::rig::process::{self, Process};
use crate::target::Target;

/// What is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `burgee server`, as shipped, on the demo's eight flags.
    Demo,
    /// The same, on the published test's data: the five flags among the demo's that it had, and
    /// their two segments.
    Published,
    /// An environment of so many flags besides the demo, made through the API; started anew since.
    Large(usize),
    /// `burgee bench ceiling`, with an answer of so many bytes.
    Ceiling(usize),
}

/// The demo's flags that the published test did not have.
const LATER_FLAGS: [&str; 3] = ["page-size", "theme", "welcome-text"];

/// How to start it.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The program `burgee`.
    pub program: PathBuf,
    /// What it serves.
    pub kind: Kind,
    /// Where it listens; `None`: on any free port of 127.0.0.1.
    pub listen: Option<SocketAddr>,
    /// How many processes share the port and the data.
    pub processes: usize,
    /// The core that they all run on; `None`: where the kernel puts them.
    pub core: Option<usize>,
    /// What they may use together; `None`: what they want.
    pub quota: Option<Quota>,
    /// The URL of an empty database that they use; `None`: SQLite in a folder.
    pub database: Option<String>,
    /// The URL of a NATS server by which they feed relays; `None`: no such relays.
    pub backbone: Option<String>,
}

/// A running server. It ends when this is dropped.
#[derive(Debug)]
pub struct Server {
    // Ended in this order: a group can be removed when nobody is in it.
    processes: Vec<Process>,
    _group: Option<Cgroup>,
    _data: TempDir,
    target: Target,
    notes: Vec<String>,
}

impl Server {
    /// Starts it, and waits until it answers.
    ///
    /// # Errors
    /// It does not start; what it said comes with the error. That it could not be limited is no
    /// error but a note.
    pub fn start(plan: &Plan) -> anyhow::Result<Self> {
        let data = tempfile::tempdir()?;
        let mut starting = Starting {
            plan,
            folder: data.path().join("data"),
            address: plan.listen.map_or_else(free_port, Ok)?,
            group: None,
            notes: Vec::new(),
        };
        starting.make_group();
        // The first one makes the data. The others begin with it as it is to be: they would hear of
        // a change only later.
        let mut processes = vec![starting.process()?];
        let mut target = starting.target()?;
        if let Kind::Large(flags) = plan.kind {
            target = made(&target, flags)?;
            // What making it took of memory is not what serving it takes.
            processes.clear();
            processes.push(starting.process()?);
        }
        for _ in 1..plan.processes {
            processes.push(starting.process()?);
        }
        target.pids = processes.iter().map(Process::id).collect();
        Ok(Self {
            processes,
            target,
            _group: starting.group,
            notes: starting.notes,
            _data: data,
        })
    }

    /// What scenarios drive.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.processes.len()
    }

    /// What could not be done as planned.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How long its whole answer to a client is, in bytes of JSON: the ceiling's should be as long.
    ///
    /// # Errors
    /// It does not answer.
    pub fn state_size(&self) -> anyhow::Result<usize> {
        state_size(self.target.address, &self.target.client_key)
    }
}

/// A port that is free now. It is given to the processes because those that share one have to know
/// it, and none of them could choose.
pub(crate) fn free_port() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?)
}

struct Starting<'a> {
    plan: &'a Plan,
    folder: PathBuf,
    address: SocketAddr,
    group: Option<Cgroup>,
    notes: Vec<String>,
}

impl Starting<'_> {
    fn make_group(&mut self) {
        let Some(quota) = &self.plan.quota else {
            return;
        };
        match Cgroup::make(quota) {
            Ok(group) => self.group = Some(group),
            Err(error) => self
                .notes
                .push(format!("memory and CPU were not limited: {error:#}")),
        }
    }

    /// Starts one more.
    fn process(&mut self) -> anyhow::Result<Process> {
        let arguments = self.arguments(self.plan.processes > 1);
        let process = Process::start(&self.plan.program, &arguments, self.plan.core)?;
        if let Some(group) = &self.group
            && let Err(error) = group.take(process.id())
        {
            let note = format!("memory and CPU were not limited: {error}");
            self.notes.push(note);
        }
        process.ready()?;
        Ok(process)
    }

    fn arguments(&self, share: bool) -> Vec<String> {
        let listen = self.address.to_string();
        let mut arguments: Vec<String> = match self.plan.kind {
            Kind::Ceiling(answer) => {
                let answer = answer.to_string();
                owned(&["bench", "ceiling", "--listen", &listen, "--answer", &answer])
            }
            Kind::Demo | Kind::Published | Kind::Large(_) => {
                let metrics = "127.0.0.1:0";
                let mut all = owned(&["server", "--demo", "--listen", &listen]);
                all.extend(owned(&["--metrics-listen", metrics]));
                all.extend(self.data());
                if let Some(url) = &self.plan.backbone {
                    all.extend(["--backbone".to_owned(), url.clone()]);
                }
                all
            }
        };
        if share {
            arguments.push("--share-port".to_owned());
        }
        arguments
    }

    fn data(&self) -> [String; 2] {
        if let Some(url) = &self.plan.database {
            return ["--database".to_owned(), url.clone()];
        }
        let folder = self.folder.to_string_lossy().into_owned();
        ["--data-dir".to_owned(), folder]
    }

    fn target(&self) -> anyhow::Result<Target> {
        let mut target = Target {
            name: "ceiling".to_owned(),
            address: self.address,
            pids: Vec::new(),
            // As long as a key; the ceiling looks at none.
            client_key: "c".repeat(44),
            server_key: "s".repeat(44),
            token: Some("bgt_ceiling".to_owned()),
            project: "demo".to_owned(),
            environment: "prod".to_owned(),
            flag: "returns-true".to_owned(),
        };
        if !matches!(self.plan.kind, Kind::Ceiling(_)) {
            self.admit(&mut target)?;
        }
        if self.plan.kind == Kind::Published {
            leave_five(&target)?;
        }
        Ok(target)
    }

    /// Keys and a token of Burgee's.
    fn admit(&self, target: &mut Target) -> anyhow::Result<()> {
        let environment = owned(&["--project", &target.project, "--environment"]);
        let mut keys = owned(&["sdk-keys", "--json"]);
        keys.extend(environment);
        keys.push(target.environment.clone());
        let keys = self.ask(keys)?;
        let token = owned(&["token", "create", "--json", "--name", "bench"]);
        let owner = owned(&["--policy", "owner"]);
        let token = self.ask([token, owner].concat())?;
        let text = |answer: &Value, name: &str| {
            let text = answer[name].as_str().map(str::to_owned);
            text.with_context(|| format!("no {name} in {answer}"))
        };
        target.name = "burgee".to_owned();
        target.client_key = text(&keys, "client")?;
        target.server_key = text(&keys, "server")?;
        target.token = Some(text(&token, "token")?);
        Ok(())
    }

    /// Runs an admin command on the data; gives what it answers.
    fn ask(&self, mut arguments: Vec<String>) -> anyhow::Result<Value> {
        arguments.extend(self.data());
        let output = process::command(&self.plan.program, &arguments).output()?;
        anyhow::ensure!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}

/// Makes a large environment; what drives it.
fn made(target: &Target, flags: usize) -> anyhow::Result<Target> {
    let mut made = Made::new(target.api()?)?;
    made.grow_flags(flags)?;
    Ok(made.target(target))
}

/// Archives what the published test did not have.
fn leave_five(target: &Target) -> anyhow::Result<()> {
    let api = target.api()?;
    let archive = LATER_FLAGS.map(|flag| json!({ "kind": "archiveFlag", "flag": flag }));
    api.change(&target.project, &archive)?;
    // Server SDKs are sent what a change archived once more, until there is another change.
    for kind in ["turnOff", "turnOn"] {
        let turn = json!({ "kind": kind, "flag": target.flag, "environment": target.environment });
        api.change(&target.project, &[turn])?;
    }
    Ok(())
}

fn owned(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|it| (*it).to_owned()).collect()
}
