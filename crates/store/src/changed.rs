//! Telling that something was committed: to this process by a counter, to other nodes by
//! PostgreSQL's notifications. Both only wake: whoever listens also polls, since a node can miss a
//! notification and SQLite has none between processes.

use sqlx::postgres::PgListener;
use tokio::sync::watch;

use crate::dialect::CHANNEL;
use crate::error::StoreError;
use crate::{Location, Store};

/// Counts commits.
pub(crate) struct Changed {
    commits: watch::Sender<u64>,
}

impl Changed {
    pub(crate) fn new() -> Self {
        Self {
            commits: watch::Sender::new(0),
        }
    }

    pub(crate) fn tell(&self) {
        self.commits.send_modify(|count| *count += 1);
    }
}

impl Store {
    /// A counter that rises after each commit here, and after each that [`Store::listen`] hears
    /// of. Ask it for a change before reading, so that none is missed in between.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.shared.changed.commits.subscribe()
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
        let mut listener = PgListener::connect(url).await?;
        listener.listen(CHANNEL).await?;
        // Whatever was committed before listening began.
        self.shared.changed.tell();
        loop {
            // `None`: the connection was lost and is made anew at the next call; what was
            // notified meanwhile is lost.
            let _notification = listener.try_recv().await?;
            self.shared.changed.tell();
        }
    }
}
