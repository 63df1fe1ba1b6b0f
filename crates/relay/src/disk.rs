//! What a relay keeps on its disk: its environments, its name, and traffic that waits.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::message::Whole;
use crate::state_file::{self, BadFile};

/// The folder of a relay.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    environments: PathBuf,
    spool: PathBuf,
    agent: PathBuf,
}

impl Disk {
    /// Opens the folder; makes it, for its owner alone, where it is not there.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let disk = Self {
            environments: folder.join("environments"),
            spool: folder.join("spool"),
            agent: folder.join("agent"),
        };
        for folder in [&disk.environments, &disk.spool] {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        Ok(disk)
    }

    /// Where traffic waits.
    pub(crate) fn spool(&self) -> &Path {
        &self.spool
    }

    /// The relay's own id; made at its first start.
    pub(crate) fn agent(&self) -> io::Result<String> {
        match fs::read_to_string(&self.agent) {
            Ok(id) if uuid::Uuid::parse_str(id.trim()).is_ok() => Ok(id.trim().to_owned()),
            Ok(_) => self.new_agent(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.new_agent(),
            Err(error) => Err(error),
        }
    }

    fn new_agent(&self) -> io::Result<String> {
        let id = uuid::Uuid::new_v4().to_string();
        fs::write(&self.agent, &id)?;
        Ok(id)
    }

    /// The environments as they were kept last. One that cannot be read is told of and left out:
    /// the upstream has it.
    pub(crate) fn load(&self) -> io::Result<Vec<Whole>> {
        let mut environments = Vec::new();
        for entry in fs::read_dir(&self.environments)? {
            let path = entry?.path();
            if path.extension().is_some_and(|it| it == "new") {
                continue;
            }
            match state_file::read(&path) {
                Ok(found) => environments.extend(found),
                Err(error) => {
                    let file = path.display();
                    tracing::warn!(%file, %error, "an environment on the disk cannot be read");
                }
            }
        }
        Ok(environments)
    }

    /// Keeps an environment.
    pub(crate) fn save(&self, environment: &Whole) -> Result<(), BadFile> {
        let path = self.place(&environment.environment);
        state_file::write(&path, [environment])
    }

    /// Forgets all environments but these.
    pub(crate) fn keep(&self, environments: &BTreeSet<String>) -> io::Result<()> {
        let kept: BTreeSet<PathBuf> = environments.iter().map(|id| self.place(id)).collect();
        for entry in fs::read_dir(&self.environments)? {
            let path = entry?.path();
            if !kept.contains(&path) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Ids are UUIDs; whatever an upstream may call an environment, its file lies in the folder.
    fn place(&self, id: &str) -> PathBuf {
        let name: String = id
            .bytes()
            .map(|byte| match byte {
                b'-' => '-'.to_string(),
                _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
                _ => format!("_{byte:02x}"),
            })
            .collect();
        self.environments.join(name)
    }
}
