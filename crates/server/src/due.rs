//! Jobs that are done when their time comes, or when something was committed that may concern them.
//!
//! A [`Job`] does what is due and says after what time it is due again. Until then it sleeps, and
//! costs nothing; what may bring its moment forward is a commit, of this process or of another one
//! on the same data, and these wake it ([`Store::changed`]: within milliseconds here or by a
//! notification, else within a second). So no job looks into the database once a second.
//!
//! Every server runs every job: a job settles with others who does a thing by the rows that it
//! writes, and does nothing where another was faster.

use std::time::Duration;

use burgee_store::dialect::Clock;
use burgee_store::{Store, StoreError};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::app::now;

/// Something that is done when it is due.
pub trait Job: Send {
    /// What is said of it in the log: "`NAME` was not done".
    const NAME: &'static str;

    /// The shortest time between two looks: for many commits in a row, which are then looked at
    /// together. What is due is done at most so much late.
    const TOGETHER: Duration = Duration::from_millis(100);

    /// Does all that is due now, and says after what time something is due again: by the clock that
    /// decides it (on PostgreSQL the database's own, [`Clock::Shared`]), so that it need not agree
    /// with this machine's. A time that is over or none at all (0) is looked at again after
    /// [`Self::TOGETHER`]. `None`: nothing is due until something is committed.
    ///
    /// It is called at the start, after each time that it said, and after commits, which can be many
    /// times with nothing to do: a look must be cheap, as one look-up in an index is. It must not
    /// tell of its own commit without need, as each wakes all jobs.
    ///
    /// # Errors
    /// Those of the store: it is logged, and tried again after a second.
    fn look(&mut self) -> impl Future<Output = Result<Option<Duration>, StoreError>> + Send;
}

/// How long a look may take. A database whose network falls silent answers nothing and refuses
/// nothing: who waits for it waits for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// After what time a job that failed is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Does a job whenever it is due, and when something was committed ([`Store::changed`]). Never ends.
pub async fn keep<J: Job>(mut changed: watch::Receiver<u64>, mut job: J) {
    loop {
        changed.mark_unchanged();
        let looked = timeout(PATIENCE, job.look()).await;
        let next = match looked.unwrap_or_else(|_| Err(late())) {
            Ok(next) => next.map(|next| next.max(J::TOGETHER)),
            Err(error) => {
                let job = J::NAME;
                tracing::warn!(job, %error, "what is due was not done, trying later");
                Some(RETRY)
            }
        };
        // An error would mean that the store is gone, and this task with it.
        let woken = match next {
            Some(next) => timeout(next, changed.changed()).await.is_ok(),
            None => changed.changed().await.is_ok(),
        };
        if woken {
            sleep(J::TOGETHER).await;
        }
    }
}

fn late() -> StoreError {
    StoreError::Unavailable(format!("no answer within {} s", PATIENCE.as_secs()))
}

/// Does what is due, if anything is. That is asked first: most commits concern nothing of it, and
/// one look-up is then all that a job costs the database.
async fn if_due<N, D>(
    next: impl Fn() -> N,
    act: impl FnOnce() -> D,
) -> Result<Option<Duration>, StoreError>
where
    N: Future<Output = Result<Option<Duration>, StoreError>>,
    D: Future<Output = Result<usize, StoreError>>,
{
    match next().await? {
        Some(Duration::ZERO) => {
            act().await?;
            next().await
        }
        later => Ok(later),
    }
}

/// Ends SDK keys whose grace is over.
pub struct EndKeys(pub Store);

impl Job for EndKeys {
    const NAME: &'static str = "ending SDK keys";

    async fn look(&mut self) -> Result<Option<Duration>, StoreError> {
        let next = || self.0.next_sdk_key_end(Clock::Shared(now()));
        if_due(next, || self.0.end_sdk_keys(Clock::Shared(now()))).await
    }
}

/// Ends the former secrets of relay keys whose grace is over.
pub struct EndRelaySecrets(pub Store);

impl Job for EndRelaySecrets {
    const NAME: &'static str = "ending secrets of relay keys";

    async fn look(&mut self) -> Result<Option<Duration>, StoreError> {
        let next = || self.0.next_relay_secret_end(Clock::Shared(now()));
        if_due(next, || self.0.end_relay_secrets(Clock::Shared(now()))).await
    }
}

/// Applies the steps of requests that are due.
pub struct ApplySteps(pub Store);

impl Job for ApplySteps {
    const NAME: &'static str = "applying steps of requests";

    async fn look(&mut self) -> Result<Option<Duration>, StoreError> {
        let next = || self.0.next_step_due(Clock::Shared(now()));
        let apply = async || {
            let steps = self.0.apply_due_steps(Clock::Shared(now())).await?;
            if steps > 0 {
                tracing::info!(steps, "steps of requests were due");
            }
            Ok(steps)
        };
        if_due(next, apply).await
    }
}

#[cfg(test)]
mod tests;
