//! Questions to the store of record about secrets that nobody here knows: SDK keys at the hub, relay
//! keys where relays are fed.
//!
//! Some SDKs retry a bad secret for ever, and anyone may send any text: so answers in the negative
//! are kept for some seconds, one question is asked for all who wait for it, few are under way at
//! once, and past a number that wait the answer is "cannot be asked now".

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OnceCell, Semaphore};
use tokio::time::{Instant, timeout};

use crate::source::Unavailable;

/// How long the store's "no such key" is believed.
pub const REFUSED_FOR: Duration = Duration::from_secs(5);
/// Longer texts are no secrets (they have 44 characters; imported ones too).
pub(super) const LONGEST_SECRET: usize = 256;
/// Refusals kept: with the longest secrets about 2 MiB.
const MOST_REFUSED: usize = 8_192;
/// Different secrets that may wait for an answer.
const MOST_WAITING: usize = 1_024;
/// Questions under way at once: the store has other work.
const CONCURRENT: usize = 8;
/// What takes longer than this is taken for "cannot be asked now": a look-up takes milliseconds, and
/// one that hangs keeps others from being asked.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a secret opens, as the store of record says; none where it says that there is no such key.
type Answer<T> = Result<Option<T>, Unavailable>;

/// An answer that several wait for.
type Awaited<T> = Arc<OnceCell<Answer<T>>>;

/// Whom all ask who do not know a secret.
pub struct Asking<T> {
    refused: Mutex<HashMap<Box<str>, Instant>>,
    waiting: Mutex<HashMap<Box<str>, Awaited<T>>>,
    permits: Semaphore,
}

impl<T> Default for Asking<T> {
    fn default() -> Self {
        let permits = Semaphore::new(CONCURRENT);
        Self {
            refused: Mutex::default(),
            waiting: Mutex::default(),
            permits,
        }
    }
}

impl<T: Clone> Asking<T> {
    /// Whether the store said a moment ago that there is no such key.
    pub(super) fn is_refused(&self, secret: &str) -> bool {
        lock(&self.refused)
            .get(secret)
            .is_some_and(|since| since.elapsed() < REFUSED_FOR)
    }

    /// Asks by `question`, or waits for the answer to who asked already.
    ///
    /// # Errors
    /// Where the store cannot be asked now, or too many secrets are being looked up.
    pub async fn ask(&self, secret: &str, question: impl Future<Output = Answer<T>>) -> Answer<T> {
        if self.is_refused(secret) {
            return Ok(None);
        }
        let cell = self.join(secret)?;
        let answer = cell
            .get_or_init(|| self.put(question, secret))
            .await
            .clone();
        self.leave(secret, &cell);
        answer
    }

    /// Forgets refusals of secrets that became valid.
    pub(super) fn forget<'a>(&self, secrets: impl Iterator<Item = &'a str>) {
        let mut refused = lock(&self.refused);
        for secret in secrets {
            refused.remove(secret);
        }
    }

    async fn put(&self, question: impl Future<Output = Answer<T>>, secret: &str) -> Answer<T> {
        let permit = self.permits.acquire().await;
        let late = |_| Err(Unavailable("it does not answer".into()));
        let answer = timeout(PATIENCE, question).await.unwrap_or_else(late);
        drop(permit);
        if let Ok(None) = answer {
            self.refuse(secret);
        }
        answer
    }

    fn refuse(&self, secret: &str) {
        let mut refused = lock(&self.refused);
        if refused.len() >= MOST_REFUSED {
            refused.retain(|_, since| since.elapsed() < REFUSED_FOR);
        }
        if refused.len() < MOST_REFUSED {
            refused.insert(secret.into(), Instant::now());
        }
    }

    fn join(&self, secret: &str) -> Result<Awaited<T>, Unavailable> {
        let mut waiting = lock(&self.waiting);
        if let Some(cell) = waiting.get(secret) {
            return Ok(Arc::clone(cell));
        }
        if waiting.len() >= MOST_WAITING {
            // Those whose askers went away without an answer.
            waiting.retain(|_, cell| Arc::strong_count(cell) > 1);
        }
        if waiting.len() >= MOST_WAITING {
            return Err(Unavailable("too many keys are being looked up".into()));
        }
        let cell = Arc::default();
        waiting.insert(secret.into(), Arc::clone(&cell));
        Ok(cell)
    }

    fn leave(&self, secret: &str, cell: &Awaited<T>) {
        let mut waiting = lock(&self.waiting);
        if waiting
            .get(secret)
            .is_some_and(|current| Arc::ptr_eq(current, cell))
        {
            waiting.remove(secret);
        }
    }
}

/// What is behind these locks is whole at every moment, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
