//! Copying the embedded database, and putting a copy back.
//!
//! A copy is made while a server runs: SQLite writes a new file of one moment of the database
//! (`VACUUM INTO`), for which writers do not wait. The traffic is copied first, so that whatever it
//! counts is in the copy of the truth too. `backup.json` beside the two says what they are.
//!
//! A copy is put back only where nobody has the database open, and checked before anything of the
//! database is touched.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use burgee_eval::time::Millis;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sqlx::{AnyConnection, ConnectOptions, Connection, Row};

use crate::Store;
use crate::error::StoreError;
use crate::pool::{self, Location, TRAFFIC, TRUTH};

/// The name of the description.
const MANIFEST: &str = "backup.json";

/// What a backup is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Backup {
    /// When it was begun.
    pub at: Millis,
    /// The program's version.
    pub version: String,
    /// The files, in the order in which they were copied.
    pub files: Vec<BackupFile>,
}

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupFile {
    /// `burgee.db` or `traffic.db`.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// In hexadecimal.
    pub sha256: String,
}

impl Store {
    /// Copies the database into a folder that is not there yet (or is empty).
    ///
    /// # Errors
    /// [`StoreError::Invalid`] where it lies on PostgreSQL, or the folder holds something.
    pub async fn backup(&self, to: &Path, now: Millis) -> Result<Backup, StoreError> {
        if let Location::Postgres(_) = &self.shared.location {
            return Err(invalid("PostgreSQL is copied by its own tools"));
        }
        // Whole or not at all: it has its name when all of it is on the disk.
        let draft = beside(to, ".partial")?;
        prepare(to, &draft).map_err(|error| of_file(&draft, &error))?;
        let copied = self.copy_to(&draft, now).await;
        let done = copied.and_then(|backup| {
            finish(&draft, to, &backup).map_err(|error| of_file(to, &error))?;
            Ok(backup)
        });
        if done.is_err() {
            // The copy's own failure is what matters.
            let _left = fs::remove_dir_all(&draft);
        }
        done
    }

    async fn copy_to(&self, folder: &Path, now: Millis) -> Result<Backup, StoreError> {
        let mut files = Vec::new();
        for (name, pools) in [(TRAFFIC, &self.shared.traffic), (TRUTH, &self.shared.truth)] {
            let file = folder.join(name);
            private(&file).map_err(|error| of_file(&file, &error))?;
            let path = file
                .to_str()
                .ok_or_else(|| invalid("the path must be UTF-8"))?;
            sqlx::query("VACUUM INTO $1")
                .bind(path)
                .execute(&pools.write)
                .await?;
            files.push(described(name, &file).map_err(|error| of_file(&file, &error))?);
        }
        Ok(Backup {
            at: now,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files,
        })
    }
}

/// Puts a backup in the place of a folder's database. `overwrite`: where there is one.
///
/// # Errors
/// [`StoreError::Invalid`] where a server has the database open, there is one and may not be
/// overwritten, or the backup is not whole. Then nothing was changed.
pub async fn restore(from: &Path, to: &Path, overwrite: bool) -> Result<Backup, StoreError> {
    sqlx::any::install_default_drivers();
    let backup = manifest(from)?;
    for file in &backup.files {
        check(from, file).await?;
    }
    // Held to the end: no process opens the database meanwhile.
    let _opening = pool::lock_folder(to).await?;
    let found = [TRUTH, TRAFFIC].map(|name| to.join(name));
    let is_there = |file: &&PathBuf| file.metadata().is_ok_and(|it| it.len() > 0);
    let there: Vec<&PathBuf> = found.iter().filter(is_there).collect();
    if !there.is_empty() && !overwrite {
        let place = to.display();
        return Err(invalid(format!("there is a database in {place} already")));
    }
    for file in there {
        claim(file).await?;
    }
    for file in &backup.files {
        let draft = to.join(format!("{}.restoring", file.name));
        copy(&from.join(&file.name), &draft).map_err(|error| of_file(&draft, &error))?;
    }
    for file in &backup.files {
        put(to, &file.name).map_err(|error| of_file(to, &error))?;
    }
    sync(to).map_err(|error| of_file(to, &error))?;
    Ok(backup)
}

fn manifest(from: &Path) -> Result<Backup, StoreError> {
    let file = from.join(MANIFEST);
    let text = fs::read_to_string(&file).map_err(|error| of_file(&file, &error))?;
    let backup: Backup = serde_json::from_str(&text)
        .map_err(|error| invalid(format!("{} is no backup's: {error}", file.display())))?;
    let names: Vec<&str> = backup.files.iter().map(|it| it.name.as_str()).collect();
    match names == [TRAFFIC, TRUTH] {
        true => Ok(backup),
        false => Err(invalid(format!("{} names other files", file.display()))),
    }
}

/// Checks that a file is the one that was written, and a whole database.
async fn check(from: &Path, file: &BackupFile) -> Result<(), StoreError> {
    let path = from.join(&file.name);
    let found = described(&file.name, &path).map_err(|error| of_file(&path, &error))?;
    if found != *file {
        let message = format!("{} is not the file that was backed up", path.display());
        return Err(invalid(message));
    }
    let mut connection = open(&path, "ro").await?;
    let found = sqlx::query("PRAGMA integrity_check(1)")
        .fetch_one(&mut connection)
        .await?;
    connection.close().await?;
    match found.try_get::<String, _>(0)?.as_str() {
        "ok" => Ok(()),
        said => Err(invalid(format!("{} is damaged: {said}", path.display()))),
    }
}

/// Makes sure that nobody else has a database open: only then can it leave its log behind, which
/// must not be played into another file.
async fn claim(file: &Path) -> Result<(), StoreError> {
    let mut connection = open(file, "rw").await?;
    sqlx::query("PRAGMA busy_timeout = 1000")
        .execute(&mut connection)
        .await?;
    let alone = sqlx::query("PRAGMA journal_mode = DELETE")
        .fetch_one(&mut connection)
        .await;
    let is_alone = alone.is_ok_and(|it| it.try_get::<String, _>(0).is_ok_and(|it| it == "delete"));
    connection.close().await?;
    match is_alone {
        true => Ok(()),
        false => Err(invalid(format!(
            "{} is open; stop the server first",
            file.display()
        ))),
    }
}

async fn open(file: &Path, mode: &str) -> Result<AnyConnection, StoreError> {
    let options = pool::sqlite_options(file, mode)?;
    Ok(options.connect().await?)
}

/// Makes the folder of a backup.
fn prepare(to: &Path, draft: &Path) -> std::io::Result<()> {
    match fs::read_dir(to).map(|mut it| it.next().is_none()) {
        Ok(true) => {}
        Ok(false) => {
            return Err(std::io::Error::new(
                ErrorKind::AlreadyExists,
                "it is not empty",
            ));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::DirBuilder::new().mode(0o700).create(draft)
}

fn finish(draft: &Path, to: &Path, backup: &Backup) -> std::io::Result<()> {
    let manifest = draft.join(MANIFEST);
    private(&manifest)?;
    fs::write(&manifest, serde_json::to_string_pretty(backup)? + "\n")?;
    for name in [TRAFFIC, TRUTH, MANIFEST] {
        File::open(draft.join(name))?.sync_all()?;
    }
    // Takes the place of an empty folder.
    fs::rename(draft, to)?;
    sync(to.parent().unwrap_or(Path::new(".")))
}

fn beside(to: &Path, more: &str) -> Result<PathBuf, StoreError> {
    let name = to.file_name().ok_or_else(|| invalid("name a folder"))?;
    let mut name = name.to_owned();
    name.push(more);
    Ok(to.with_file_name(name))
}

/// Makes an empty file that only its owner may read.
fn private(path: &Path) -> std::io::Result<()> {
    let mut new = OpenOptions::new();
    new.write(true).create(true).truncate(true).mode(0o600);
    new.open(path).map(drop)
}

fn described(name: &str, path: &Path) -> std::io::Result<BackupFile> {
    let (mut file, mut hash, mut bytes) = (File::open(path)?, Sha256::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hash.update(buffer.get(..read).unwrap_or_default());
        bytes += read as u64;
    }
    let hex = hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Ok(BackupFile {
        name: name.to_owned(),
        bytes,
        sha256: hex,
    })
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    private(to)?;
    let (mut from, mut to) = (File::open(from)?, OpenOptions::new().write(true).open(to)?);
    std::io::copy(&mut from, &mut to)?;
    to.sync_all()
}

/// Puts a copied file in its place, without a log of the one before.
fn put(folder: &Path, name: &str) -> std::io::Result<()> {
    for log in ["-wal", "-shm", "-journal"] {
        match fs::remove_file(folder.join(format!("{name}{log}"))) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::rename(folder.join(format!("{name}.restoring")), folder.join(name))
}

/// Writes a folder's names to the disk.
fn sync(folder: &Path) -> std::io::Result<()> {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    File::open(folder)?.sync_all()
}

fn invalid(message: impl Into<String>) -> StoreError {
    StoreError::Invalid {
        field: "backup",
        code: "backup".into(),
        message: message.into(),
    }
}

fn of_file(path: &Path, error: &std::io::Error) -> StoreError {
    invalid(format!("{}: {error}", path.display()))
}
