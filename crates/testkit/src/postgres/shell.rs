//! The shell that makes a server, watches over it, and obeys orders.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::lan::Machine;

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
pub(super) struct Made<'a> {
    /// Where it runs, if not here.
    pub(super) machine: Option<&'a Machine>,
    /// The folder of the server that it copies and follows.
    pub(super) copy_of: Option<&'a Path>,
    /// On a disk of 64 MiB.
    pub(super) small: bool,
}

/// Becomes the shell, with a filesystem in memory as `data` that only it and what it starts see: as root
/// of a namespace, who may mount, and then as somebody else again, as whom PostgreSQL runs.
const SMALL: &str = r#"mount -t tmpfs -o size=64m,mode=700 burgee /mnt && ln -s /mnt data &&
    exec unshare --user --map-user=65534 --map-group=65534 /bin/sh -c "$1""#;

/// A running shell, which stops its server and removes the folder when this is dropped.
#[derive(Debug)]
pub(super) struct Shell {
    /// The server's, with its socket.
    pub(super) folder: PathBuf,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Shell {
    /// Makes a server and starts it.
    pub(super) fn start(made: &Made<'_>) -> Result<Self> {
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
        let mut watcher = command(made, user)
            .current_dir(&folder)
            .env("PATH", path()?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .context("starting a shell")?;
        let mut shell = Self {
            folder,
            orders: watcher.stdin.take().context("the shell has no input")?,
            answers: BufReader::new(watcher.stdout.take().context("the shell has no output")?),
        };
        shell
            .done()
            .context("initdb or pg_ctl failed (are PostgreSQL's programs whole?)")?;
        Ok(shell)
    }

    /// Has it do one of its functions. Blocks until that is done.
    pub(super) fn order(&mut self, order: &str) -> Result<()> {
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
}

/// What runs the script, as a user where one is given.
fn command(made: &Made<'_>, user: Option<(u32, u32)>) -> Command {
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
    let listen = made.machine.map(|it| it.address().to_string());
    shell.env("LISTEN", listen.unwrap_or_default());
    shell
}

/// The search path, with the folder of PostgreSQL's programs (the newest where several are).
pub(super) fn path() -> Result<OsString> {
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
