//! Temporary PostgreSQL servers for tests.
//!
//! [`database`] gives an empty database on the process's server, which the first test that asks
//! starts. A test that wants to take the server away from under a program starts one of its own:
//! [`Postgres::start`].
//!
//! A server is made by `initdb` in a folder of its own, without disk syncs (what was committed
//! outlives the server all the same, if not the machine), and listens on a Unix
//! socket in that folder (so there is no port to collide on). A shell watches over it, whose
//! standard input is a pipe that this process holds and gives it orders by: when the process ends,
//! in whatever way, the pipe closes, and the shell stops the server and removes the folder.
//!
//! PostgreSQL refuses to run as root, so for root it runs as the user `postgres`.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::net::Ipv4Addr;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::lan::Machine;
use anyhow::{Context, Result, anyhow, bail};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

/// The URL of a new, empty database on the process's server.
///
/// # Errors
/// Where PostgreSQL is not installed or does not start.
pub async fn database() -> Result<String> {
    static SERVER: OnceLock<Result<Postgres, String>> = OnceLock::new();
    let server = tokio::task::spawn_blocking(|| {
        let start = || Postgres::start().map_err(|error| format!("{error:#}"));
        SERVER.get_or_init(start).as_ref()
    });
    let server = server.await?;
    server
        .map_err(|error| anyhow!("no temporary PostgreSQL: {error}"))?
        .database()
        .await
}

/// A PostgreSQL server, which ends and is removed when this is dropped.
#[derive(Debug)]
pub struct Postgres {
    folder: PathBuf,
    /// Where it listens besides its socket.
    address: Option<Ipv4Addr>,
    /// Orders for the shell; see the module's description.
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// What the watching shell runs, in the server's folder.
const SCRIPT: &str = r#"
start() {
    pg_ctl -D data -w -l server.log -o "-c listen_addresses='$LISTEN' -c unix_socket_directories='$PWD' \
        -c fsync=off -c full_page_writes=off -c max_connections=300 \
        -c shared_buffers=32MB" start >>pg_ctl.log 2>&1
}
stop() {
    pg_ctl -D data -m immediate -w stop >>pg_ctl.log 2>&1
}
initdb -D data -U postgres -A trust -E UTF8 --locale=C --no-sync >initdb.log 2>&1 &&
echo "host all all samenet trust" >>data/pg_hba.conf && start &&
echo done &&
while read -r order; do
    "$order" && echo done || echo failed
done
stop
rm -rf "$PWD"
"#;

impl Postgres {
    /// Starts a server.
    ///
    /// # Errors
    /// Where PostgreSQL is not installed or does not start.
    pub fn start() -> Result<Self> {
        Self::start_on(None)
    }

    /// Starts a server on a machine, where programs reach it by TCP; here where it is none.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn start_on(machine: Option<&Machine>) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("burgee-postgres-")
            .tempdir()?
            .keep();
        let mut user = None;
        if is_root(&folder)? {
            let (id, group) = postgres_user()?;
            chown(&folder, Some(id), Some(group))?;
            user = Some((id, group));
        }
        let address = machine.map(Machine::address);
        let mut shell = match machine {
            Some(machine) => machine.command_as("/bin/sh", user),
            None => Command::new("/bin/sh"),
        };
        if let (None, Some((user, group))) = (machine, user) {
            shell.uid(user).gid(group);
        }
        shell
            .args(["-c", SCRIPT])
            .current_dir(&folder)
            .env("PATH", path()?)
            .env(
                "LISTEN",
                address.map_or_else(String::new, |it| it.to_string()),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0);
        let mut watcher = shell.spawn().context("starting a shell")?;
        let mut server = Self {
            folder,
            address,
            orders: watcher.stdin.take().context("the shell has no input")?,
            answers: BufReader::new(watcher.stdout.take().context("the shell has no output")?),
        };
        server
            .done()
            .context("initdb or pg_ctl failed (are PostgreSQL's programs whole?)")?;
        Ok(server)
    }

    /// The URL of a new, empty database.
    ///
    /// # Errors
    /// Where the server does not answer.
    pub async fn database(&self) -> Result<String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let socket = self.by_socket("postgres");
        let mut connection = PgConnection::connect(&socket).await?;
        sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(&mut connection)
            .await?;
        connection.close().await?;
        Ok(self.url(&name))
    }

    /// The socket that it listens on.
    pub fn socket(&self) -> PathBuf {
        self.folder.join(".s.PGSQL.5432")
    }

    /// Takes the server away without a word, as a crash does; its data stays. Blocks.
    ///
    /// # Errors
    /// Where it does not stop.
    pub fn crash(&mut self) -> Result<()> {
        self.order("stop")
    }

    /// Brings it back after [`Self::crash`]. Blocks until it answers.
    ///
    /// # Errors
    /// Where it does not start.
    pub fn come_back(&mut self) -> Result<()> {
        self.order("start")
    }

    fn order(&mut self, order: &str) -> Result<()> {
        writeln!(self.orders, "{order}")?;
        self.done().with_context(|| format!("PostgreSQL: {order}"))
    }

    fn done(&mut self) -> Result<()> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        match line.trim() {
            "done" => Ok(()),
            other => bail!("the shell answered '{other}'"),
        }
    }

    fn url(&self, database: &str) -> String {
        match self.address {
            Some(address) => format!("postgres://postgres@{address}/{database}"),
            None => self.by_socket(database),
        }
    }

    fn by_socket(&self, database: &str) -> String {
        let folder = self.folder.display();
        format!("postgres://postgres@localhost/{database}?host={folder}")
    }
}

/// The search path, with the folder of PostgreSQL's programs (the newest where several are).
fn path() -> Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if !folders.iter().any(|folder| has_programs(folder)) {
        let mut installed: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
            .context("PostgreSQL is not installed (neither in PATH nor in /usr/lib/postgresql)")?
            .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
            .filter(|folder| has_programs(folder))
            .collect();
        installed.sort();
        folders.push(installed.pop().context("no PostgreSQL programs found")?);
    }
    Ok(std::env::join_paths(folders)?)
}

fn has_programs(folder: &Path) -> bool {
    folder.join("initdb").exists() && folder.join("pg_ctl").exists()
}

/// Whether this process is root: then what it makes belongs to user 0.
fn is_root(folder: &Path) -> Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(std::fs::metadata(folder)?.uid() == 0)
}

/// The user and group ids of `postgres`, which its packages create.
fn postgres_user() -> Result<(u32, u32)> {
    let users = std::fs::read_to_string("/etc/passwd")?;
    let fields: Vec<&str> = users
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields.first() == Some(&"postgres"))
        .context("PostgreSQL does not run as root, and there is no user `postgres`")?;
    match fields.as_slice() {
        [_, _, user, group, ..] => Ok((user.parse()?, group.parse()?)),
        _ => bail!("/etc/passwd has a short line for `postgres`"),
    }
}
