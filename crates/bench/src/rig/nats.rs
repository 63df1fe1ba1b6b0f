//! A NATS server of the measurement's own, with JetStream on the disk.

use std::path::PathBuf;

use anyhow::Context;
use tempfile::TempDir;

use super::process::Process;
use super::server::free_port;

/// A running NATS server. It ends, and its data goes, when this is dropped.
#[derive(Debug)]
pub(crate) struct Nats {
    // Ended before its folder is removed.
    process: Process,
    url: String,
    _folder: TempDir,
}

impl Nats {
    /// Starts it on a core, on any free port of 127.0.0.1.
    ///
    /// # Errors
    /// `nats-server` is not installed, or does not start.
    pub(crate) fn start(core: Option<usize>) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("burgee-bench-nats-")
            .tempdir()?;
        let port = free_port()?.port().to_string();
        let store = folder.path().display().to_string();
        let arguments = ["-a", "127.0.0.1", "-p", &port, "-js", "-sd", &store];
        let arguments = arguments.map(str::to_owned);
        let process = Process::start(&program()?, &arguments, core)?;
        process.ready()?;
        Ok(Self {
            process,
            url: format!("nats://127.0.0.1:{port}"),
            _folder: folder,
        })
    }

    /// Where it is reached.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }
}

/// The program: Debian's package has it where only root's `PATH` leads.
fn program() -> anyhow::Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let mut programs = folders.map(|folder| folder.join("nats-server"));
    programs
        .find(|program| program.exists())
        .context("nats-server is not installed (neither in PATH nor in /usr/sbin)")
}
