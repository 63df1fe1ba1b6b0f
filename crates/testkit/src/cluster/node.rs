//! A server or a relay: a process that is started again with the same arguments, at the same
//! address, on the same folder.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::process::{Process, unheeding};
use crate::api::{Api, PATIENCE};
use crate::loopback::own_address;

/// The port of a node at an address of its own.
const PORT: u16 = 5100;

/// How a node's process is started.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// The program `burgee`.
    pub program: PathBuf,
    /// What is before it on the command line: `ip netns exec far`. It must become the program in
    /// the end, so that signals reach that.
    pub before: Vec<String>,
    /// The program's arguments, without addresses.
    pub arguments: Vec<String>,
    /// Variables that are set.
    pub variables: Vec<(String, String)>,
    /// Where it listens; an address of its own on this machine where none is given.
    pub listen: Option<SocketAddr>,
}

impl Launch {
    fn command(&self, address: SocketAddr, metrics: SocketAddr) -> Command {
        let program = self.program.to_string_lossy().into_owned();
        let mut words = self.before.iter().chain([&program]);
        let first = words.next().cloned().unwrap_or_default();
        let mut command = unheeding(&first);
        command.args(words).args(&self.arguments);
        command.args(["--log-format", "json", "--listen", &address.to_string()]);
        command.args(["--metrics-listen", &metrics.to_string()]);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// A server or a relay.
pub struct Node {
    /// What it is called in messages: `server 1`.
    pub name: String,
    /// How it is started, from the next time on.
    pub launch: Launch,
    /// Where SDKs connect.
    pub address: SocketAddr,
    /// Where its metrics are.
    pub metrics: SocketAddr,
    /// Its own folder: what a relay keeps.
    pub folder: PathBuf,
    /// How often it was killed, also for those who watch it.
    pub deaths: Arc<AtomicUsize>,
    process: Option<Process>,
}

impl Node {
    /// A node that is not started yet.
    pub fn new(name: String, launch: Launch, folder: &Path) -> Self {
        let address = launch
            .listen
            .unwrap_or_else(|| SocketAddr::from((own_address(), PORT)));
        Self {
            name,
            launch,
            address,
            metrics: SocketAddr::new(address.ip(), address.port() + 1),
            folder: folder.to_owned(),
            deaths: Arc::default(),
            process: None,
        }
    }

    /// Starts it, without waiting for anything.
    pub fn launch(&mut self) {
        let command = self.launch.command(self.address, self.metrics);
        self.process = Some(Process::start(command));
    }

    /// Starts it, and waits until it serves.
    ///
    /// # Panics
    /// Where it does not.
    pub async fn start(&mut self) {
        self.launch();
        self.ready().await;
    }

    /// Waits until it serves.
    ///
    /// # Panics
    /// Where it does not.
    pub async fn ready(&self) {
        let ready = tokio::time::timeout(PATIENCE * 2, async {
            while !self.is_ready().await {
                tokio::time::sleep(super::LOOK).await;
            }
        });
        let said = || self.process.as_ref().map(Process::said);
        assert!(ready.await.is_ok(), "{} serves: {:#?}", self.name, said());
    }

    /// Whether it says that it serves, degraded or not.
    pub async fn is_ready(&self) -> bool {
        self.health().await.is_some()
    }

    /// What a node that serves says of itself: `ready`, `degraded: …`.
    pub async fn health(&self) -> Option<String> {
        let api = Api::new(self.address);
        let asked = api.try_send(reqwest::Method::GET, "/health/readiness", None);
        let answer = asked.await.ok().filter(|it| it.status == 200)?;
        Some(answer.text)
    }

    /// Its process.
    ///
    /// # Panics
    /// Where it does not run.
    pub fn process(&mut self) -> &mut Process {
        let name = &self.name;
        let process = self.process.as_mut();
        process.unwrap_or_else(|| panic!("{name} does not run"))
    }

    /// Whether it was started, and not killed since.
    pub fn runs(&self) -> bool {
        self.process.is_some()
    }

    /// `kill -9`. Blocks until it is gone.
    ///
    /// # Panics
    /// Where it does not run.
    pub fn kill(&mut self) {
        self.process().kill();
        self.process = None;
        self.deaths.fetch_add(1, Ordering::Relaxed);
    }

    /// Stops it as whoever runs it stops it (SIGTERM). Blocks until it ended well.
    ///
    /// # Panics
    /// Where it does not end, or not well.
    pub fn stop(&mut self) {
        self.process().signal("TERM");
        let ended = self.process().ended();
        assert!(ended.success(), "{}: {ended}", self.name);
        self.process = None;
    }

    /// Its process stands still (SIGSTOP).
    ///
    /// # Panics
    /// Where it does not run.
    pub fn pause(&mut self) {
        self.process().signal("STOP");
    }

    /// Its process goes on (SIGCONT).
    ///
    /// # Panics
    /// Where it does not run.
    pub fn go_on(&mut self) {
        self.process().signal("CONT");
    }
}
