//! One process of many that serve the same: a further server of a database, or a relay.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::Context;
use tempfile::TempDir;

use super::process::Process;
use super::server::free_port;

/// How a relay is fed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Feed<'a> {
    /// By a server, with a relay key.
    Upstream(SocketAddr, &'a str),
    /// By NATS at this URL.
    Backbone(&'a str),
}

/// A running server or relay, on a port of its own. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Node {
    process: Process,
    address: SocketAddr,
    /// What a relay keeps.
    _folder: Option<TempDir>,
}

impl Node {
    /// A server on the database at a URL that has its data already.
    ///
    /// # Errors
    /// It does not start; what it said comes with the error.
    pub(crate) fn server(
        program: &Path,
        database: &str,
        core: Option<usize>,
    ) -> anyhow::Result<Self> {
        let address = free_port()?;
        let arguments = ["server", "--database", database];
        let process = start(program, &arguments, address, core)?;
        process.ready().context("a further server")?;
        Ok(Self {
            process,
            address,
            _folder: None,
        })
    }

    /// A relay with an empty folder.
    ///
    /// # Errors
    /// As [`Self::server`].
    pub(crate) fn relay(
        program: &Path,
        feed: Feed<'_>,
        core: Option<usize>,
    ) -> anyhow::Result<Self> {
        let address = free_port()?;
        let folder = tempfile::tempdir()?;
        let data = folder.path().to_string_lossy();
        let mut arguments = vec!["relay", "--data-dir", &data];
        let upstream;
        match feed {
            Feed::Upstream(server, key) => {
                upstream = format!("http://{server}");
                arguments.extend(["--upstream", &upstream, "--key", key]);
            }
            Feed::Backbone(url) => arguments.extend(["--backbone", url]),
        }
        let process = start(program, &arguments, address, core)?;
        process.ready().context("a relay")?;
        Ok(Self {
            process,
            address,
            _folder: Some(folder),
        })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }
}

fn start(
    program: &Path,
    arguments: &[&str],
    address: SocketAddr,
    core: Option<usize>,
) -> anyhow::Result<Process> {
    let listen = address.to_string();
    let rest = ["--listen", &listen, "--metrics-listen", "127.0.0.1:0"];
    let arguments: Vec<String> = arguments
        .iter()
        .chain(&rest)
        .map(|it| (*it).to_owned())
        .collect();
    Process::start(program, &arguments, core)
}
