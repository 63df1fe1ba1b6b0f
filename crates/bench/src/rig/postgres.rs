//! A PostgreSQL of the measurement's own: as its packages install it, with the settings that decide
//! what is safe (`fsync`) as they are shipped, and statements counted.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, ensure};
use rustix::process::Signal;
use tempfile::TempDir;

use super::process::Process;
use super::usage;

/// Room for twenty servers, with up to 17 connections each.
const CONNECTIONS: u32 = 500;

/// In how many parts of a second the kernel tells what ended processes have used.
const TICKS: u32 = 100;

/// A running PostgreSQL. It ends, and its data goes, when this is dropped.
#[derive(Debug)]
pub(crate) struct Postgres {
    process: Process,
    programs: PathBuf,
    folder: TempDir,
}

impl Postgres {
    /// Makes a database cluster in a temporary folder, and serves it on a core by a socket in it.
    ///
    /// # Errors
    /// PostgreSQL is not installed, or does not start; what it said comes with the error.
    pub(crate) fn start(core: Option<usize>) -> anyhow::Result<Self> {
        let programs = programs()?;
        let folder = tempfile::Builder::new()
            .prefix("burgee-bench-postgres-")
            .tempdir()?;
        let user = owner(folder.path())?;
        let command = |name: &str, arguments: &[&str]| {
            let mut command = Command::new(programs.join(name));
            command.args(arguments).current_dir(folder.path());
            if let Some((user, group)) = user {
                command.uid(user).gid(group);
            }
            command
        };
        let arguments = "-D data -U postgres -A trust -E UTF8 --locale=C --no-sync";
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let made = command("initdb", &arguments).output()?;
        ensure!(
            made.status.success(),
            "initdb: {}",
            String::from_utf8_lossy(&made.stderr)
        );
        let mut serve = command("postgres", &["-D", "data", "-c", "listen_addresses="]);
        serve.arg("-c").arg(format!(
            "unix_socket_directories={}",
            folder.path().display()
        ));
        serve
            .arg("-c")
            .arg(format!("max_connections={CONNECTIONS}"));
        serve.args(["-c", "shared_preload_libraries=pg_stat_statements"]);
        let process = Process::spawn(serve, core)?;
        process.ready()?;
        let started = Self {
            process,
            programs,
            folder,
        };
        started.ask("CREATE EXTENSION pg_stat_statements")?;
        Ok(started)
    }

    /// The URL of its database.
    pub(crate) fn url(&self) -> String {
        let folder = self.folder.path().display();
        format!("postgres://postgres@localhost/postgres?host={folder}")
    }

    /// Statements that it has carried out so far, of whatever kind: those that begin and end
    /// transactions too. It takes one itself, which is not counted.
    ///
    /// # Errors
    /// It does not answer.
    pub(crate) fn statements(&self) -> anyhow::Result<u64> {
        let answer = self.ask(
            "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements \
             WHERE query NOT LIKE '%pg_stat_statements%'",
        )?;
        answer
            .trim()
            .parse()
            .with_context(|| format!("no number: {answer}"))
    }

    /// CPU time that all of its processes have used so far.
    ///
    /// # Errors
    /// It is not there any more.
    pub(crate) fn cpu(&self) -> anyhow::Result<Duration> {
        let id = self.process.id();
        let mut sum = usage::cpu(id)? + of_ended(id)?;
        for child in children(id)? {
            // One that has ended since is counted among those the next time.
            sum += usage::cpu(child).unwrap_or_default();
        }
        Ok(sum)
    }

    fn ask(&self, statement: &str) -> anyhow::Result<String> {
        let output = Command::new(self.programs.join("psql"))
            .args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"])
            .args(["-d", &self.url(), "-c", statement])
            .output()?;
        ensure!(
            output.status.success(),
            "{statement}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(String::from_utf8(output.stdout)?)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // At once, without writing what nobody reads again; its shared memory goes with it.
        self.process.end(Signal::QUIT);
    }
}

/// The folder of PostgreSQL's programs, of the newest version where several are installed.
fn programs() -> anyhow::Result<PathBuf> {
    let has = |folder: &Path| folder.join("initdb").exists() && folder.join("psql").exists();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).find(|folder| has(folder) && folder.join("postgres").exists());
    if let Some(folder) = found {
        return Ok(folder);
    }
    let versions = fs::read_dir("/usr/lib/postgresql")
        .context("PostgreSQL is not installed (neither in PATH nor in /usr/lib/postgresql)")?;
    versions
        .flatten()
        .map(|version| version.path().join("bin"))
        .filter(|folder| has(folder))
        .max_by_key(|folder| {
            let version = folder.parent().and_then(Path::file_name);
            version.and_then(|it| it.to_str()?.parse::<u32>().ok())
        })
        .context("no PostgreSQL in /usr/lib/postgresql has initdb and psql")
}

/// Who runs it: PostgreSQL refuses to run as root, whose folder becomes the user's that its
/// packages make.
fn owner(folder: &Path) -> anyhow::Result<Option<(u32, u32)>> {
    if fs::metadata(folder)?.uid() != 0 {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd")?;
    let line = users
        .lines()
        .find_map(|line| line.strip_prefix("postgres:"));
    let mut fields = line.unwrap_or_default().split(':').skip(1);
    let mut id = || fields.next().and_then(|id| id.parse().ok());
    let ids = id().zip(id());
    let (user, group) =
        ids.context("PostgreSQL does not run as root, and there is no user `postgres`")?;
    chown(folder, Some(user), Some(group))?;
    Ok(Some((user, group)))
}

fn children(id: u32) -> anyhow::Result<Vec<u32>> {
    let text = fs::read_to_string(format!("/proc/{id}/task/{id}/children"))?;
    Ok(text.split_whitespace().flat_map(str::parse).collect())
}

/// CPU time of children that have ended.
fn of_ended(id: u32) -> anyhow::Result<Duration> {
    let text = fs::read_to_string(format!("/proc/{id}/stat"))?;
    // The program's name, in brackets, may have anything in it.
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(13).take(2);
    let ticks: u32 = ticks.flat_map(str::parse::<u32>).sum();
    Ok(Duration::from_secs(1) * ticks / TICKS)
}
