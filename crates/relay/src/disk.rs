//! What a relay keeps on its disk: its environments, its name, and traffic that waits.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
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
        make_private(&disk.spool)?;
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

/// The same of a folder that is ours alone, and may be there from before with other rights.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    make(folder)?;
    let mut rights = fs::metadata(folder)?.permissions();
    if rights.mode() & 0o077 != 0 {
        rights.set_mode(0o700);
        fs::set_permissions(folder, rights)?;
    }
    Ok(())
}

/// Makes a folder for its owner alone.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    let mut maker = DirBuilder::new();
    maker.recursive(true).mode(0o700).create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_keys_in_it_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let ours = folder.path().join("environments");
        fs::create_dir(&ours).unwrap();
        fs::set_permissions(&ours, PermissionsExt::from_mode(0o755)).unwrap();
        Disk::open(folder.path()).unwrap();
        for name in ["environments", "spool"] {
            let found = fs::metadata(folder.path().join(name)).unwrap();
            assert_eq!(found.permissions().mode() & 0o777, 0o700, "{name}");
        }
    }
}
