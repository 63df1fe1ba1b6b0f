//! Does what is due: applies steps of requests, and ends SDK keys whose grace is over.
//!
//! Sleeps until the next moment that is known, and looks again when something was committed. Other
//! processes can commit without a word (on SQLite), so it looks once a second all the same; looking
//! is a look-up in an index. Where several servers look at once, one does it.

use std::time::Duration;

use burgee_store::dialect::Clock;
use burgee_store::{Store, StoreError};
use tokio::time::{sleep, timeout};

use crate::app::now;

/// How long something can be due unnoticed, at most.
const EVERY: Duration = Duration::from_secs(1);

/// The shortest time between two looks: for many changes in a row, and where this machine's clock is
/// ahead of the one that counts.
const TOGETHER: Duration = Duration::from_millis(100);

/// Never ends.
pub async fn run(store: Store) {
    let mut changed = store.changed();
    loop {
        changed.mark_unchanged();
        let next = match look(&store).await {
            Ok(next) => next,
            Err(error) => {
                tracing::warn!(%error, "what is due was not done, trying later");
                EVERY
            }
        };
        // An error would mean that the store is gone, and this task with it.
        if let Ok(Ok(())) = timeout(next, changed.changed()).await {
            sleep(TOGETHER).await;
        }
    }
}

/// Does what is due. Says after what time to look again.
async fn look(store: &Store) -> Result<Duration, StoreError> {
    store.end_sdk_keys(Clock::Shared(now())).await?;
    let steps = store.apply_due_steps(Clock::Shared(now())).await?;
    if steps > 0 {
        tracing::info!(steps, "steps of requests were due");
    }
    let next = [
        store.next_sdk_key_end().await?,
        store.next_step_due().await?,
    ];
    let next = next.into_iter().flatten().min();
    let until = next.map(|moment| u64::try_from(moment.0 - now().0).unwrap_or(0));
    let until = until.map_or(EVERY, Duration::from_millis);
    Ok(until.clamp(TOGETHER, EVERY))
}
