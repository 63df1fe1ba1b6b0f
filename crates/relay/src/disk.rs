//! What a relay keeps on its disk: its environments, its name, and traffic that waits.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::kept::Environments;

/// The folder of a relay.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    pub(crate) environments: Environments,
    spool: PathBuf,
    agent: PathBuf,
    /// Held for as long as this relay uses the folder.
    _lock: Arc<File>,
}

impl Disk {
    /// Opens the folder; makes it, for its owner alone, where it is not there.
    ///
    /// # Errors
    /// Those of the disk, and where another relay uses the folder.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        make(folder)?;
        let lock = File::create(folder.join("lock"))?;
        let used = |_| io::Error::other("another relay uses it: each needs a folder of its own");
        lock.try_lock().map_err(used)?;
        let disk = Self {
            _lock: Arc::new(lock),
            environments: Environments::open(&folder.join("environments"))?,
            spool: folder.join("spool"),
            agent: folder.join("agent"),
        };
        make(&disk.spool)?;
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
}

/// Makes a folder for its owner alone.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    let mut maker = DirBuilder::new();
    maker.recursive(true).mode(0o700).create(folder)
}
