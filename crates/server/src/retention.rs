//! Keeps the data small: minute counts become hour and day counts, old exposures, ended sessions,
//! expired links and relays that are long gone are forgotten.

use std::time::Duration;

use burgee_store::{Store, StoreError};
use tokio::time::timeout;

use crate::app::now;

/// Hours and days end no more often than that.
const EVERY: Duration = Duration::from_secs(600);

/// Rolls up every ten minutes, from the start on. Never ends. Where several processes do it at once,
/// one may be told to come later; what is rolled up already is not there any more.
pub async fn run(store: Store) {
    loop {
        // The network to a database can fall silent: no answer, and no error.
        if timeout(EVERY, keep_small(&store)).await.is_err() {
            tracing::warn!("the database did not answer, what is old is forgotten later");
        }
        tokio::time::sleep(EVERY).await;
    }
}

async fn keep_small(store: &Store) {
    match store.traffic().roll_up(now()).await {
        Ok(done) => tracing::debug!(?done, "rolled the traffic up"),
        Err(error) => tracing::warn!(%error, "the traffic was not rolled up, trying later"),
    }
    if let Err(error) = sweep(store).await {
        tracing::warn!(%error, "what has ended was not deleted, trying later");
    }
}

async fn sweep(store: &Store) -> Result<(), StoreError> {
    store.sweep_sessions(now()).await?;
    store.sweep_links(now()).await?;
    store.forget_relay_agents(now()).await?;
    Ok(())
}
