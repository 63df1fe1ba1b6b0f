//! Opening the databases.
//!
//! SQLite: each file has one connection that writes, so that writers queue here rather than in
//! the file's busy handler, and several that only read, which WAL lets go on meanwhile. Other
//! processes may have the same files open: they are waited for by the busy timeout.
//! PostgreSQL: a pool that writes and one that reads, for the truth and, smaller, for traffic.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{AnyPool, AssertSqlSafe, ConnectOptions, Connection};

use crate::dialect::Dialect;
use crate::error::StoreError;
use crate::row;

mod doubt;

pub(crate) use doubt::Doubt;

/// Where the data lies.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A folder with `burgee.db` and `traffic.db`; made, readable by the owner alone, where it
    /// does not exist.
    Folder(PathBuf),
    /// A PostgreSQL database, as `postgres://…`.
    Postgres(String),
}

impl Location {
    /// Whether there may be data: opening a folder without any would make it. Of a PostgreSQL
    /// database only opening it tells.
    pub fn exists(&self) -> bool {
        match self {
            Self::Folder(folder) => folder.join(TRUTH).is_file(),
            Self::Postgres(_) => true,
        }
    }
}

impl std::fmt::Debug for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder(path) => f.debug_tuple("Folder").field(path).finish(),
            // It may hold a password.
            Self::Postgres(_) => f.debug_tuple("Postgres").field(&"…").finish(),
        }
    }
}

/// The SQLite files' names.
pub(crate) const TRUTH: &str = "burgee.db";
pub(crate) const TRAFFIC: &str = "traffic.db";

/// How long a writer waits for other processes' writers on SQLite, in ms.
const BUSY_MS: u32 = 10_000;

/// How long emptying SQLite's write-ahead log waits for readers of what was before, in ms; writers
/// wait as long.
const EMPTYING_MS: u32 = 1_000;

/// Readers of a SQLite file: enough for a few slow ones beside the feed.
const READERS: u32 = 4;

/// Pages that each connection keeps, in KiB. They are never given back, and a page that is not
/// among them is a read from the kernel's cache: a microsecond. Traffic's writer, which meets
/// every user once, would fill whatever it is allowed.
const TRUTH_CACHE_KIB: u32 = 2_000;
const TRAFFIC_CACHE_KIB: u32 = 512;

/// How long a request waits for its turn to write to SQLite before it is told "unavailable".
const SQLITE_PATIENCE: Duration = Duration::from_secs(15);

/// How long a request waits for a connection to PostgreSQL before it is told "unavailable": where
/// that is down, every request waits that long.
const POSTGRES_PATIENCE: Duration = Duration::from_secs(5);

/// How long a connection to PostgreSQL that comes back may take to end what is under way on it. Where
/// somebody gave up in the middle of a statement, nobody answers if the network has lost the other end,
/// and nobody says so: such a connection is given up, or the pool would be full of them until the kernel
/// does so, after a quarter of an hour.
const POSTGRES_RETURN: Duration = Duration::from_secs(5);

/// A connection to PostgreSQL that answered so lately is taken as it is, unless one was found broken since.
/// One that was idle for longer has to answer first: what is between may have forgotten it.
const POSTGRES_TRUSTED: Duration = Duration::from_secs(1);

/// How long such a connection may take to answer, before another is made in its place: whoever waits
/// for it has [`POSTGRES_PATIENCE`] for both.
const POSTGRES_ANSWER: Duration = Duration::from_secs(2);

/// The connections to one set of tables.
#[derive(Clone, Debug)]
pub(crate) struct Pools {
    pub(crate) write: AnyPool,
    pub(crate) read: AnyPool,
}

/// Opens the truth and the traffic. Whoever notices that the database ended a connection raises the
/// doubt.
pub(crate) async fn open(
    location: &Location,
    doubt: &Doubt,
) -> Result<(Dialect, Pools, Pools), StoreError> {
    sqlx::any::install_default_drivers();
    match location {
        Location::Folder(folder) => {
            let _opening = lock_folder(folder).await?;
            let truth = sqlite(&folder.join(TRUTH), TRUTH_CACHE_KIB).await?;
            let traffic = sqlite(&folder.join(TRAFFIC), TRAFFIC_CACHE_KIB).await?;
            Ok((Dialect::Sqlite, truth, traffic))
        }
        Location::Postgres(url) => {
            let truth = postgres(url, 6, 6, doubt).await?;
            let traffic = postgres(url, 2, 2, doubt).await?;
            Ok((Dialect::Postgres, truth, traffic))
        }
    }
}

/// Makes the folder and holds its lock: turning a new file to WAL does not wait for others, so
/// processes that start at the same moment take turns.
pub(crate) async fn lock_folder(path: &Path) -> Result<File, StoreError> {
    let folder = path.to_owned();
    let locked = tokio::task::spawn_blocking(move || {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)?;
        let lock = folder.join("opening.lock");
        keep_private(&lock)?;
        let lock = OpenOptions::new().append(true).open(lock)?;
        lock.lock()?;
        // The folder may have been there before, open to others.
        keep_private(&folder.join(TRUTH))?;
        keep_private(&folder.join(TRAFFIC))?;
        Ok::<_, std::io::Error>(lock)
    });
    match locked.await {
        Ok(Ok(file)) => Ok(file),
        Ok(Err(error)) => {
            let place = path.display();
            Err(StoreError::Unavailable(format!(
                "the folder {place}: {error}"
            )))
        }
        Err(error) => Err(StoreError::Other(Box::new(error))),
    }
}

/// Makes a file, for the owner alone, where it is not there; takes it from others where it is.
/// SQLite gives the files beside it the same permissions.
///
/// A database that is there is not opened: when a process closes any descriptor of a file, it loses
/// all its POSIX locks on it. SQLite in this very process may hold some, and another process would
/// then take the database for unused, and clear up under its writers.
fn keep_private(path: &Path) -> std::io::Result<()> {
    let mut new = OpenOptions::new();
    match new.write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        made => return made.map(drop),
    }
    let mut permissions = path.metadata()?.permissions();
    if permissions.mode() & 0o077 != 0 {
        permissions.set_mode(0o600);
        std::fs::set_permissions(path, permissions)?;
    }
    Ok(())
}

async fn sqlite(file: &Path, cache_kib: u32) -> Result<Pools, StoreError> {
    let options = sqlite_options(file, "rwc")?;
    // `synchronous=FULL`: with NORMAL a power cut can lose acknowledged changes. WAL is set by
    // the writer, which is opened first; it stays with the file. What is deleted is overwritten:
    // otherwise who was forgotten would lie in freed pages for as long as nobody needs them. That
    // writes one percent more bytes, of users that come and go, and takes no time.
    let writer = format!(
        "PRAGMA busy_timeout={BUSY_MS}; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; \
         PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON; PRAGMA cache_size=-{cache_kib}"
    );
    let reader = format!(
        "PRAGMA busy_timeout={BUSY_MS}; PRAGMA query_only=ON; PRAGMA cache_size=-{cache_kib}"
    );
    probe(&options, &writer, SQLITE_PATIENCE).await?;
    let write = local(1, writer).connect_with(options.clone()).await?;
    let read = local(READERS, reader).connect_lazy_with(options);
    Ok(Pools { write, read })
}

/// Puts what SQLite's write-ahead log of a file has into the file and cuts the log off: what was
/// overwritten in the one still stands in the other. Whether that was done: not where somebody else
/// reads on in what was before.
pub(crate) async fn empty_wal(write: &AnyPool) -> Result<bool, StoreError> {
    let mut connection = write.acquire().await?;
    let wait = |millis| AssertSqlSafe(format!("PRAGMA busy_timeout={millis}"));
    sqlx::raw_sql(wait(EMPTYING_MS))
        .execute(&mut *connection)
        .await?;
    let emptied = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .fetch_one(&mut *connection)
        .await;
    sqlx::raw_sql(wait(BUSY_MS))
        .execute(&mut *connection)
        .await?;
    Ok(row::number(&emptied?, 0)? == 0)
}

/// A pool of connections to a file: they need no test and do not age. But where a statement finds
/// the disk full or broken, SQLite takes the whole transaction back by itself; then taking it back
/// fails for the driver, which counts it as open for ever. Such a connection is replaced.
fn local(connections: u32, pragmas: String) -> AnyPoolOptions {
    set_up(pragmas, SQLITE_PATIENCE)
        .max_connections(connections)
        .before_acquire(|connection, _| {
            Box::pin(async move {
                // Answered after what was still to be taken back.
                connection.ping().await?;
                Ok(!connection.is_in_transaction())
            })
        })
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
}

/// Options for a file that is opened in a mode of SQLite's: `ro`, `rw`, `rwc`.
pub(crate) fn sqlite_options(file: &Path, mode: &str) -> Result<AnyConnectOptions, StoreError> {
    let invalid = || StoreError::Invalid {
        field: "dataDir",
        code: "path".into(),
        message: "the path of the data folder must be UTF-8 text".to_owned(),
    };
    let mut url = String::from("sqlite://");
    for byte in file.to_str().ok_or_else(invalid)?.bytes() {
        match byte {
            b'/' | b'.' | b'_' | b'-' => url.push(byte as char),
            _ if byte.is_ascii_alphanumeric() => url.push(byte as char),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url.push_str("?mode=");
    url.push_str(mode);
    options(&url)
}

/// Writers may wait for each other's locks: reading (the feed and key look-ups above all) has
/// connections of its own, which they cannot take.
async fn postgres(
    url: &str,
    writers: u32,
    readers: u32,
    doubt: &Doubt,
) -> Result<Pools, StoreError> {
    // Nothing of ours takes long; what does is stuck, and must not keep its locks.
    let settings = "SET statement_timeout = '30s'; SET lock_timeout = '10s'; \
                    SET idle_in_transaction_session_timeout = '30s'";
    let options = options(url)?;
    probe(&options, settings, POSTGRES_PATIENCE).await?;
    let pool = |connections| {
        distant(set_up(settings.to_owned(), POSTGRES_PATIENCE), doubt)
            .max_connections(connections)
            .connect_lazy_with(options.clone())
    };
    Ok(Pools {
        write: pool(writers),
        read: pool(readers),
    })
}

/// Has a pool's connections tested as rarely as will do: sqlx asks each one that comes back, so those
/// that were idle for long, or when another broke, are asked again before they are given out, and no
/// others. Each test is a round trip during which the connection is nobody else's.
fn distant(pool: AnyPoolOptions, doubt: &Doubt) -> AnyPoolOptions {
    let (taking, returned) = (doubt.clone(), doubt.clone());
    pool.test_before_acquire(false)
        .before_acquire(move |connection, lately| {
            let doubt = taking.clone();
            Box::pin(async move {
                if lately.idle_for > POSTGRES_TRUSTED || doubt.is_about(lately.idle_for) {
                    within(POSTGRES_ANSWER, connection.ping(), &doubt).await?;
                }
                Ok(true)
            })
        })
        .after_release(move |connection, _| {
            let doubt = returned.clone();
            Box::pin(async move {
                // No question, unlike sqlx's own behind it: an end to what somebody gave up.
                within(POSTGRES_RETURN, connection.flush(), &doubt).await?;
                Ok(true)
            })
        })
}

/// What a connection says in time. One that does not, or is broken, makes the others doubtful.
async fn within(
    time: Duration,
    said: impl Future<Output = Result<(), sqlx::Error>>,
    doubt: &Doubt,
) -> Result<(), sqlx::Error> {
    let said = tokio::time::timeout(time, said).await;
    let said = said.unwrap_or(Err(sqlx::Error::PoolTimedOut));
    if said.is_err() {
        doubt.raise();
    }
    said
}

/// Connects once without a pool, which would try again until its patience is over, and then say
/// no more than that.
async fn probe(
    options: &AnyConnectOptions,
    statements: &str,
    patience: Duration,
) -> Result<(), StoreError> {
    let connecting = async {
        let mut connection = options.connect().await?;
        sqlx::raw_sql(AssertSqlSafe(statements.to_owned()))
            .execute(&mut connection)
            .await?;
        connection.close().await
    };
    match tokio::time::timeout(patience, connecting).await {
        Ok(connected) => Ok(connected?),
        Err(_) => Err(StoreError::Unavailable("it does not answer".to_owned())),
    }
}

/// Pool options that run `statements` on each new connection.
fn set_up(statements: String, patience: Duration) -> AnyPoolOptions {
    AnyPoolOptions::new()
        .acquire_timeout(patience)
        .after_connect(move |connection, _| {
            let statements = statements.clone();
            Box::pin(async move {
                sqlx::raw_sql(AssertSqlSafe(statements))
                    .execute(connection)
                    .await?;
                Ok(())
            })
        })
}

fn options(url: &str) -> Result<AnyConnectOptions, StoreError> {
    let options: AnyConnectOptions = url.parse()?;
    // Statements can hold secrets in their values' places; the server logs what matters itself.
    Ok(options.disable_statement_logging())
}

#[cfg(test)]
mod tests;
