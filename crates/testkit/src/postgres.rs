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
use std::time::{Duration, Instant};

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

/// How long a setting may take until it shows.
const CHANGING: Duration = Duration::from_secs(30);

/// What the watching shell runs, in the server's folder: it makes the data, by `initdb` or as a copy
/// of another server, and obeys orders, which are its functions.
const SCRIPT: &str = r#"
start() {
    pg_ctl -D data status >/dev/null || pg_ctl -D data -w -l server.log -o "-c listen_addresses='$LISTEN' -c unix_socket_directories='$PWD' \
        -c fsync=off -c full_page_writes=off -c max_connections=300 \
        -c shared_buffers=32MB" start >>pg_ctl.log 2>&1
}
stop() {
    pg_ctl -D data -m immediate -w stop >>pg_ctl.log 2>&1
}
promote() {
    pg_ctl -D data -w promote >>pg_ctl.log 2>&1
}
pause() {
    main=$(head -n 1 data/postmaster.pid) && kill -STOP "$main" && kill -STOP $(children "$main")
}
go_on() {
    main=$(head -n 1 data/postmaster.pid) && kill -CONT $(children "$main") "$main"
}
fill() {
    cat /dev/zero >data/ballast 2>>fill.log
    [ -s data/ballast ]
}
make_room() {
    rm data/ballast
}
children() {
    for stat in /proc/[0-9]*/stat; do
        { read -r id _ _ parent _ <"$stat"; } 2>/dev/null && [ "$parent" = "$1" ] && echo "$id"
    done
}
make() {
    if [ -n "$COPY_OF" ]; then
        pg_basebackup -h "$COPY_OF" -U postgres -D data -R -X stream -c fast --no-sync
    else
        initdb -D data -U postgres -A trust -E UTF8 --locale=C --no-sync $INITDB &&
        echo "host all all samenet trust" >>data/pg_hba.conf
    fi >initdb.log 2>&1
}
make && start &&
echo done &&
while read -r order; do
    "$order" && echo done || echo failed
done
[ -f data/postmaster.pid ] && go_on
stop
rm -rf "$PWD"
"#;

/// What a new server is to be.
#[derive(Default)]
struct Made<'a> {
    machine: Option<&'a Machine>,
    copy_of: Option<&'a Path>,
    small: bool,
}

/// Becomes the shell, with a filesystem in memory as `data` that only it and what it starts see: as root
/// of a namespace, who may mount, and then as somebody else again, as whom PostgreSQL runs.
const SMALL: &str = r#"mount -t tmpfs -o size=64m,mode=700 burgee /mnt && ln -s /mnt data &&
    exec unshare --user --map-user=65534 --map-group=65534 /bin/sh -c "$1""#;

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
            copy_of: Some(&self.folder),
            ..Made::default()
        })
    }

    fn make(made: &Made<'_>) -> Result<Self> {
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
        let address = made.machine.map(Machine::address);
        let program = if made.small { "unshare" } else { "/bin/sh" };
        let mut shell = match made.machine {
            Some(machine) => machine.command_as(program, user),
            None => Command::new(program),
        };
        if let (None, Some((user, group))) = (made.machine, user) {
            shell.uid(user).gid(group);
        }
        match made.small {
            true => shell.args(["-Urm", "/bin/sh", "-c", SMALL, "sh", SCRIPT]),
            false => shell.args(["-c", SCRIPT]),
        };
        if let Some(other) = made.copy_of {
            shell.env("COPY_OF", other);
        }
        if made.small {
            // Small pieces of the log: the disk is to be full of what was written, not of these.
            shell.env("INITDB", "--wal-segsize=1");
        }
        let listen = address.map_or_else(String::new, |it| it.to_string());
        shell
            .current_dir(&folder)
            .env("PATH", path()?)
            .env("LISTEN", listen)
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

    /// Makes it stand still (SIGSTOP): connections stand, and nobody answers. Blocks.
    ///
    /// # Errors
    /// Where it does not run.
    pub fn pause(&mut self) -> Result<()> {
        self.order("pause")
    }

    /// Lets it go on after [`Self::pause`]. Blocks.
    ///
    /// # Errors
    /// Where it does not run.
    pub fn go_on(&mut self) -> Result<()> {
        self.order("go_on")
    }

    /// Makes a replica a server of its own, which takes writes. Blocks until it does.
    ///
    /// # Errors
    /// Where it is none.
    pub fn promote(&mut self) -> Result<()> {
        self.order("promote")
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
        self.order("fill")
    }

    /// Makes room again after [`Self::fill`].
    ///
    /// # Errors
    /// Where it was not filled.
    pub fn make_room(&mut self) -> Result<()> {
        self.order("make_room")
    }

    /// A program of PostgreSQL's that is to work on this server: `pg_dump`, `pg_restore`.
    ///
    /// # Errors
    /// Where PostgreSQL is not installed.
    pub fn tool(&self, program: &str) -> Result<Command> {
        let mut command = Command::new(program);
        command.env("PATH", path()?);
        command.arg("--host").arg(&self.folder);
        command.args(["--username", "postgres"]);
        Ok(command)
    }

    /// Where its socket is.
    pub fn folder(&self) -> &Path {
        &self.folder
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
