//! Telling that something was committed: to this process by a counter, to other nodes by
//! PostgreSQL's notifications. A node can miss a notification, and SQLite has none between
//! processes: so it is also looked, once a second and once for everybody who waits, whether others
//! have committed. Who waits ([`Store::changed`]) needs no clock of its own.

use std::time::Duration;

use sqlx::postgres::PgListener;
use tokio::sync::watch;
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};

use crate::dialect::{CHANNEL, Dialect};
use crate::error::StoreError;
use crate::{Location, Store, row};

/// How long a commit of another process can go unnoticed, at most.
const LOOK: Duration = Duration::from_secs(1);

/// What takes longer than this is taken for failed: nobody is told of a network that loses everything,
/// or of a database that stands still.
const PATIENCE: Duration = Duration::from_secs(5);

/// After so long without a notification it is looked whether the connection for them is there at all.
const SILENCE: Duration = Duration::from_secs(15);

/// After so many looks that found nothing it is told all the same: a connection that was replaced
/// could begin with the number that the old one ended with, and not everything is in the history.
const QUIET_LOOKS: u32 = 10;

/// Counts commits.
pub(crate) struct Changed {
    commits: watch::Sender<u64>,
    /// What may have changed what relay keys open.
    pub(crate) scopes: watch::Sender<u64>,
}

impl Changed {
    pub(crate) fn new() -> Self {
        Self {
            commits: watch::Sender::new(0),
            scopes: watch::Sender::new(0),
        }
    }

    pub(crate) fn tell(&self) {
        self.commits.send_modify(|count| *count += 1);
    }
}

impl Store {
    /// A counter that rises after each commit here, and after each of others that
    /// [`Store::listen`] or [`Store::look_for_commits`] hears of. Ask it for a change before
    /// reading, so that none is missed in between.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.shared.changed.commits.subscribe()
    }

    /// Looks once a second whether another process has committed something, and tells. Whoever
    /// missed something is told every ten seconds at the latest. Never ends; to be run once.
    pub async fn look_for_commits(&self) {
        let (mut last, mut quiet) = (None, 0);
        loop {
            sleep(LOOK).await;
            let mark = self.mark_of_commits().await;
            let same = mark.is_some() && mark == last;
            last = mark;
            quiet = if same { quiet + 1 } else { 0 };
            if quiet % QUIET_LOOKS == 0 {
                self.shared.changed.tell();
            }
        }
    }

    /// A number that is another one once another process has committed a change (on SQLite: has
    /// written anything): as long as it is the same, and nothing was committed here, nobody needs
    /// to look. `None` where that cannot be told at once: while somebody here writes to SQLite, or
    /// while the database is away. It costs the same however much data there is.
    pub async fn mark_of_commits(&self) -> Option<i64> {
        let found = match self.shared.dialect {
            // A connection's own commits do not count, and another connection has other numbers:
            // so always the one that writes.
            Dialect::Sqlite => {
                let mut writer = self.shared.truth.write.try_acquire()?;
                sqlx::query("PRAGMA data_version")
                    .fetch_one(&mut *writer)
                    .await
            }
            // Whatever is done has a number in its organization's history.
            Dialect::Postgres => {
                let text = "SELECT CAST(COALESCE(SUM(length), 0) AS BIGINT) FROM histories";
                let found = sqlx::query(text).fetch_one(&self.shared.truth.read);
                timeout(PATIENCE, found).await.ok()?
            }
        };
        row::number(&found.ok()?, 0).ok()
    }

    /// Hears of other nodes' commits, until it is dropped or the connection fails for good; on
    /// SQLite it never ends, and hears nothing.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the connection is lost; call it again.
    pub async fn listen(&self) -> Result<(), StoreError> {
        let Location::Postgres(url) = &self.shared.location else {
            return std::future::pending().await;
        };
        let connecting = async {
            let mut listener = PgListener::connect(url).await?;
            listener.listen(CHANNEL).await?;
            // A lost connection is told first, and made anew at the next call.
            listener.eager_reconnect(false);
            Ok::<_, sqlx::Error>(listener)
        };
        let mut listener = timeout(PATIENCE, connecting).await.map_err(silent)??;
        // Whatever was committed before listening began.
        self.shared.changed.tell();
        loop {
            match timeout(SILENCE, listener.try_recv()).await {
                Ok(notification) => {
                    // `None`: the connection was lost, and with it what is notified meanwhile.
                    if !matches!(notification, Ok(Some(_))) {
                        self.shared.doubt.raise();
                    }
                    let _notification = notification?;
                    self.shared.changed.tell();
                }
                Err(_) => {
                    let question = sqlx::query("SELECT 1").execute(&mut listener);
                    timeout(PATIENCE, question).await.map_err(silent)??;
                }
            }
        }
    }
}

fn silent(_: Elapsed) -> StoreError {
    StoreError::Unavailable("the connection for notifications does not answer".to_owned())
}
