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

mod shell;

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::lan::Machine;
use shell::{Made, Shell, path};

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
    /// What watches over it; see the module's description.
    shell: Shell,
    /// Where it listens besides its socket.
    address: Option<Ipv4Addr>,
}

/// How long a setting may take until it shows.
const CHANGING: Duration = Duration::from_secs(30);

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
        Self::make(&Made {
            machine,
            ..Made::default()
        })
    }

    /// Starts a server whose disk has 64 MiB, which [`Self::fill`] fills. None where this machine does not
    /// let anybody mount.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn start_small() -> Result<Option<Self>> {
        let trial = Command::new("unshare")
            .args(["-Urm", "mount", "-t", "tmpfs", "burgee", "/mnt"])
            .output();
        if !trial.is_ok_and(|trial| trial.status.success()) {
            return Ok(None);
        }
        let small = Made {
            small: true,
            ..Made::default()
        };
        Self::make(&small).map(Some)
    }

    /// Starts a copy of this server that follows it, and takes no writes until it is promoted.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn replica(&self) -> Result<Self> {
        Self::make(&Made {
            copy_of: Some(&self.shell.folder),
            ..Made::default()
        })
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
        self.shell.folder.join(".s.PGSQL.5432")
    }

    /// Takes the server away without a word, as a crash does; its data stays. Blocks.
    ///
    /// # Errors
    /// Where it does not stop.
    pub fn crash(&mut self) -> Result<()> {
        self.shell.order("stop")
    }

    /// Brings it back after [`Self::crash`]. Blocks until it answers.
    ///
    /// # Errors
    /// Where it does not start.
    pub fn come_back(&mut self) -> Result<()> {
        self.shell.order("start")
    }

    /// Makes it stand still (SIGSTOP): connections stand, and nobody answers. Blocks.
    ///
    /// # Errors
    /// Where it does not run.
    pub fn pause(&mut self) -> Result<()> {
        self.shell.order("pause")
    }

    /// Lets it go on after [`Self::pause`]. Blocks.
    ///
    /// # Errors
    /// Where it does not run.
    pub fn go_on(&mut self) -> Result<()> {
        self.shell.order("go_on")
    }

    /// Makes a replica a server of its own, which takes writes. Blocks until it does.
    ///
    /// # Errors
    /// Where it is none.
    pub fn promote(&mut self) -> Result<()> {
        self.shell.order("promote")
    }

    /// From now on what is committed is acknowledged when a replica has it on its disk as well. Waits
    /// until one follows.
    ///
    /// # Errors
    /// Where the server does not answer.
    pub async fn wait_for_replicas(&self) -> Result<()> {
        let setting = "ALTER SYSTEM SET synchronous_standby_names = '*'";
        self.set(setting).await?;
        self.until(
            "SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync'",
            1,
        )
        .await
    }

    /// Makes a replica hear no more of what it follows.
    ///
    /// # Errors
    /// Where it does not answer.
    pub async fn follow_nobody(&self) -> Result<()> {
        self.set("ALTER SYSTEM SET primary_conninfo = ''").await?;
        self.until("SELECT COUNT(*) FROM pg_stat_wal_receiver", 0)
            .await
    }

    async fn set(&self, setting: &str) -> Result<()> {
        let url = self.by_socket("postgres");
        let mut connection = PgConnection::connect(&url).await?;
        for statement in [setting, "SELECT pg_reload_conf()"] {
            sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))
                .execute(&mut connection)
                .await?;
        }
        Ok(connection.close().await?)
    }

    /// Waits until the answer to a question is this number.
    async fn until(&self, question: &'static str, wanted: i64) -> Result<()> {
        let url = self.by_socket("postgres");
        let mut connection = PgConnection::connect(&url).await?;
        let begun = Instant::now();
        loop {
            let found: i64 = sqlx::query_scalar(question)
                .fetch_one(&mut connection)
                .await?;
            if found == wanted {
                return Ok(connection.close().await?);
            }
            if begun.elapsed() > CHANGING {
                bail!("{question}: {found}");
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Fills the disk of a server that [`Self::start_small`] started.
    ///
    /// # Errors
    /// Where it has none of its own.
    pub fn fill(&mut self) -> Result<()> {
        self.shell.order("fill")
    }

    /// Makes room again after [`Self::fill`].
    ///
    /// # Errors
    /// Where it was not filled.
    pub fn make_room(&mut self) -> Result<()> {
        self.shell.order("make_room")
    }

    /// A program of PostgreSQL's that is to work on this server: `pg_dump`, `pg_restore`.
    ///
    /// # Errors
    /// Where PostgreSQL is not installed.
    pub fn tool(&self, program: &str) -> Result<Command> {
        let mut command = Command::new(program);
        command.env("PATH", path()?);
        command.arg("--host").arg(&self.shell.folder);
        command.args(["--username", "postgres"]);
        Ok(command)
    }

    /// Where its socket is.
    pub fn folder(&self) -> &Path {
        &self.shell.folder
    }

    fn make(made: &Made<'_>) -> Result<Self> {
        Ok(Self {
            shell: Shell::start(made)?,
            address: made.machine.map(Machine::address),
        })
    }

    fn url(&self, database: &str) -> String {
        match self.address {
            Some(address) => format!("postgres://postgres@{address}/{database}"),
            None => self.by_socket(database),
        }
    }

    fn by_socket(&self, database: &str) -> String {
        let folder = self.shell.folder.display();
        format!("postgres://postgres@localhost/{database}?host={folder}")
    }
}
