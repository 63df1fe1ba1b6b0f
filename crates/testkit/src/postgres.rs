//! A temporary PostgreSQL server for tests.
//!
//! The first test of a process that asks for a database starts the server: `initdb` into a folder
//! of its own, no disk syncs, a Unix socket in that folder (so no port to collide on). A shell
//! watches over it whose standard input is a pipe that this process holds: when the process ends,
//! in whatever way, the pipe closes, and the shell stops the server and removes the folder.
//!
//! PostgreSQL refuses to run as root, so for root it runs as the user `postgres`.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, anyhow, bail};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

struct Server {
    folder: PathBuf,
    /// Holds the pipe; see the module's description.
    _watcher: Child,
}

static SERVER: OnceLock<Result<Server, String>> = OnceLock::new();

/// The URL of a new, empty database on the process's server.
///
/// # Errors
/// Where PostgreSQL is not installed or does not start.
pub async fn database() -> Result<String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let server = tokio::task::spawn_blocking(server).await??;
    let name = format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed));
    let mut connection = PgConnection::connect(&server.url("postgres")).await?;
    sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}")))
        .execute(&mut connection)
        .await?;
    connection.close().await?;
    Ok(server.url(&name))
}

fn server() -> Result<&'static Server> {
    SERVER
        .get_or_init(|| start().map_err(|error| format!("{error:#}")))
        .as_ref()
        .map_err(|error| anyhow!("no temporary PostgreSQL: {error}"))
}

impl Server {
    fn url(&self, database: &str) -> String {
        let folder = self.folder.display();
        format!("postgres://postgres@localhost/{database}?host={folder}")
    }
}

/// What the watching shell runs, in the server's folder.
const SCRIPT: &str = r#"
initdb -D data -U postgres -A trust -E UTF8 --locale=C --no-sync >initdb.log 2>&1 &&
pg_ctl -D data -w -l server.log -o "-c listen_addresses='' -c unix_socket_directories='$PWD' \
    -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=300 \
    -c shared_buffers=32MB" start >pg_ctl.log 2>&1 &&
echo ready &&
cat >/dev/null
pg_ctl -D data -m immediate stop >/dev/null 2>&1
rm -rf "$PWD"
"#;

fn start() -> Result<Server> {
    let folder = tempfile::Builder::new()
        .prefix("burgee-postgres-")
        .tempdir()?
        .keep();
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", SCRIPT])
        .current_dir(&folder)
        .env("PATH", path()?)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0);
    if is_root(&folder)? {
        let (user, group) = postgres_user()?;
        chown(&folder, Some(user), Some(group))?;
        shell.uid(user).gid(group);
    }
    let mut watcher = shell.spawn().context("starting a shell")?;
    let output = watcher.stdout.take().context("the shell has no output")?;
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    if line.trim() != "ready" {
        bail!("initdb or pg_ctl failed (are PostgreSQL's programs whole?)");
    }
    Ok(Server {
        folder,
        _watcher: watcher,
    })
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
