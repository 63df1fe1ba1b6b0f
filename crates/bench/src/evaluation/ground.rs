//! The servers of the measurement.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use tempfile::TempDir;

use super::Evaluation;
use super::contest::{Asked, Contest, What};
use super::unleash::Unleash;
use crate::made::Made;
use crate::rig::process::Process;
use crate::rig::server::{Kind, Plan, Server, free_port};

/// Different users; each has three properties.
pub(super) const USERS: usize = 1_000;

/// Sizes of an environment that is asked for whole, in flags.
const SIZES: [usize; 2] = [5, 350];

/// An environment of Burgee's.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) address: SocketAddr,
    pub(super) pids: Vec<u32>,
    pub(super) client_key: String,
    pub(super) server_key: String,
    pub(super) flag: String,
    pub(super) flags: usize,
}

/// All of them. They end when this is dropped.
pub(super) struct Ground {
    program: PathBuf,
    core: Option<usize>,
    environments: Vec<Served>,
    unleash: Vec<Unleash>,
    constants: RefCell<Vec<Process>>,
    folder: TempDir,
    _burgee: Server,
}

impl Ground {
    /// Starts Burgee with an environment of each size, and as many of Unleash Edge.
    pub(super) fn start(wanted: &Evaluation, core: Option<usize>) -> anyhow::Result<Self> {
        let burgee = Server::start(&Plan {
            program: wanted.program.clone(),
            kind: Kind::Demo,
            listen: None,
            processes: 1,
            core,
            quota: None,
            database: None,
            backbone: None,
        })?;
        let folder = tempfile::tempdir()?;
        let environments = SIZES.map(|flags| environment(&burgee, flags));
        let environments = environments.into_iter().collect::<anyhow::Result<_>>()?;
        let mut unleash = Vec::new();
        for toggles in SIZES {
            if let Some(program) = &wanted.unleash_edge {
                unleash.push(Unleash::start(program, folder.path(), toggles, core)?);
            }
        }
        Ok(Self {
            program: wanted.program.clone(),
            core,
            environments,
            unleash,
            constants: RefCell::default(),
            folder,
            _burgee: burgee,
        })
    }

    /// What is asked of them, each of which has answered once.
    pub(super) fn contests(&self) -> anyhow::Result<Vec<Contest>> {
        What::ALL
            .into_iter()
            .map(|what| self.contest(what))
            .collect()
    }

    fn contest(&self, what: What) -> anyhow::Result<Contest> {
        let flags = match what {
            What::Bulk(flags) => flags,
            What::Single | What::Unchanged => SIZES[0],
        };
        let mut environments = self.environments.iter();
        let environment = environments.find(|it| it.flags == flags);
        let burgee = what.burgee(environment.context("no environment of this size")?)?;
        let unleash = match what {
            What::Bulk(_) => self.unleash.iter().find(|it| it.toggles() == flags),
            What::Single | What::Unchanged => None,
        };
        Ok(Contest {
            what,
            constant: self.constant(&burgee)?,
            unleash: unleash.map(Unleash::asked).transpose()?,
            burgee,
        })
    }

    /// Starts a server that answers the same requests with the same answer.
    fn constant(&self, burgee: &Asked) -> anyhow::Result<Asked> {
        let mut constants = self.constants.borrow_mut();
        let file = self
            .folder
            .path()
            .join(format!("answer-{}", constants.len()));
        std::fs::write(&file, serde_json::to_vec(&burgee.answer)?)?;
        let address = free_port()?;
        let (listen, file) = (address.to_string(), file.to_string_lossy());
        let arguments = ["bench", "constant", "--listen", &listen, "--answer", &file];
        let arguments = arguments.map(str::to_owned);
        let process = Process::start(&self.program, &arguments, self.core)?;
        process.ready().context("the constant")?;
        let asked = Asked::new(
            "constant",
            address,
            vec![process.id()],
            burgee.requests.clone(),
        );
        constants.push(process);
        asked
    }
}

/// Makes an environment of so many flags, all of them on.
fn environment(burgee: &Server, flags: usize) -> anyhow::Result<Served> {
    let mut made = Made::new(burgee.target().api()?)?;
    made.grow_flags(flags)?;
    let target = made.target(burgee.target());
    Ok(Served {
        address: target.address,
        pids: target.pids,
        client_key: target.client_key,
        server_key: target.server_key,
        flag: target.flag,
        flags,
    })
}
