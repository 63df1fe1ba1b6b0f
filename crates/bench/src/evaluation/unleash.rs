//! Unleash Edge, offline: it serves a file of toggles, each on for everybody, as Burgee's flags are.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};

use super::ask::Asker;
use super::contest::{Asked, post};
use super::ground::USERS;
use crate::rig::process::{self, Process};
use crate::rig::server::free_port;

/// A program that takes longer to listen has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// Between two looks whether it listens.
const LOOK: Duration = Duration::from_millis(50);

/// Of a project, an environment, and anything behind it.
const TOKEN: &str = "default:production.burgee-bench";

/// A running Unleash Edge. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Unleash {
    process: Process,
    address: SocketAddr,
    toggles: usize,
}

impl Unleash {
    /// Starts it with so many toggles, on one worker, and waits until it answers.
    pub(super) fn start(
        program: &Path,
        folder: &Path,
        toggles: usize,
        core: Option<usize>,
    ) -> anyhow::Result<Self> {
        let file = folder.join(format!("toggles-{toggles}.json"));
        std::fs::write(&file, features(toggles).to_string())?;
        let address = free_port()?;
        let (file, port) = (file.to_string_lossy(), address.port().to_string());
        let http = [
            "--interface",
            "127.0.0.1",
            "--port",
            &port,
            "--workers",
            "1",
        ];
        let data = ["offline", "--bootstrap-file", &file, "--tokens", TOKEN];
        let arguments: Vec<String> = http
            .iter()
            .chain(&data)
            .map(|it| (*it).to_owned())
            .collect();
        let mut command = process::command(program, &arguments);
        command.stdout(Stdio::null());
        let process = Process::spawn(command, core)?;
        let server = Self {
            process,
            address,
            toggles,
        };
        server.wait()?;
        Ok(server)
    }

    pub(super) fn toggles(&self) -> usize {
        self.toggles
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a program of others does not say when it is ready"
    )]
    fn wait(&self) -> anyhow::Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if Asker::connect(self.address).is_ok() {
                return Ok(());
            }
            std::thread::sleep(LOOK);
        }
        bail!("unleash-edge does not listen on {}", self.address)
    }

    /// Its part.
    pub(super) fn asked(&self) -> anyhow::Result<Asked> {
        let request = |user| post("/api/frontend", self.address, TOKEN, "", &context(user));
        let requests: Vec<_> = (0..USERS).map(request).collect();
        let pids = vec![self.process.id()];
        let asked = Asked::new("unleash edge", self.address, pids, requests)?;
        let answer = &asked.answer;
        let body: Value = serde_json::from_str(&answer.body)
            .with_context(|| format!("unleash-edge answered with {answer:?}"))?;
        let toggles = body["toggles"].as_array().map_or(0, Vec::len);
        ensure!(toggles == self.toggles, "{toggles} toggles in its answer");
        Ok(asked)
    }
}

/// A user with the same three properties as elsewhere.
fn context(user: usize) -> Value {
    json!({
        "userId": format!("user-{user}"),
        "properties": {
            "name": format!("User {user}"),
            "country": "de",
            "age": (user % 90).to_string(),
            "plan": "enterprise",
        },
    })
}

fn features(toggles: usize) -> Value {
    let toggle = |number| {
        json!({
            "name": format!("flag-{number}"),
            "type": "release",
            "project": "default",
            "enabled": true,
            "strategies": [{ "name": "default", "parameters": {} }],
        })
    };
    let features: Vec<Value> = (0..toggles).map(toggle).collect();
    json!({ "version": 2, "features": features })
}
