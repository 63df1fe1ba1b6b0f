//! What relays' keys open, looked at while relays are fed: beside what they are told, so that no
//! change waits for an answer about a key.
//!
//! A key is followed by one task for all that came with it, and looked at only where keys or
//! environments changed ([`Access::changed`]): the store is asked while a change is on its way to
//! everybody, by the connections that the change is read with.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use burgee_edge::source::Unavailable;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::{Access, Ended, Feeding};
use crate::message::{Answer, Opened};

/// How long a look may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How soon a look that failed is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Looks under way at once: the store has other work.
const CONCURRENT: usize = 8;

/// The longest text that is looked up, as in the store.
const LONGEST: usize = 128;

/// The keys that relays came with, by their texts.
pub(super) struct Keys {
    followed: Mutex<HashMap<String, Weak<Key>>>,
    permits: Arc<Semaphore>,
}

impl Default for Keys {
    fn default() -> Self {
        Self {
            followed: Mutex::default(),
            permits: Arc::new(Semaphore::new(CONCURRENT)),
        }
    }
}

/// A key, followed for as long as somebody has this.
struct Key {
    looks: Arc<Looks>,
    /// The newest look.
    newest: watch::Receiver<Look>,
    task: AbortHandle,
}

impl Drop for Key {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[derive(Default)]
struct Looks {
    /// How many were begun.
    begun: AtomicU64,
    /// One more is wanted.
    wanted: Notify,
}

/// What a look found.
#[derive(Clone, Default)]
struct Look {
    /// Which one it was, from 1 on.
    number: u64,
    /// What the key opens; none where there is no such key.
    found: Option<Opened>,
}

impl Keys {
    /// Has a key followed, and looked at once more; gives the number of looks before.
    fn follow(&self, secret: &str, access: &Arc<dyn Access>) -> (Arc<Key>, u64) {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = followed.get(secret).and_then(Weak::upgrade) {
            let before = key.looks.begun.load(Ordering::SeqCst);
            key.looks.wanted.notify_one();
            return (key, before);
        }
        followed.retain(|_, key| key.strong_count() > 0);
        let looks = Arc::<Looks>::default();
        let (found, newest) = watch::channel(Look::default());
        let following = Following {
            access: Arc::clone(access),
            secret: secret.to_owned(),
            permits: Arc::clone(&self.permits),
            looks: Arc::clone(&looks),
            found,
        };
        let task = tokio::spawn(following.run()).abort_handle();
        let key = Arc::new(Key {
            looks,
            newest,
            task,
        });
        followed.insert(secret.to_owned(), Arc::downgrade(&key));
        (key, 0)
    }
}

/// Follows a key.
struct Following {
    access: Arc<dyn Access>,
    secret: String,
    permits: Arc<Semaphore>,
    looks: Arc<Looks>,
    found: watch::Sender<Look>,
}

impl Following {
    /// Looks at the key whenever what it opens may have changed, and for everybody who comes.
    async fn run(self) {
        loop {
            let changed = self.access.changed();
            let number = self.looks.begun.fetch_add(1, Ordering::SeqCst) + 1;
            match self.look().await {
                Ok(found) => {
                    self.found.send_replace(Look { number, found });
                    tokio::select! {
                        () = changed => {}
                        () = self.looks.wanted.notified() => {}
                    }
                }
                // Nothing is known to be wrong with it.
                Err(unavailable) => {
                    tracing::debug!(%unavailable, "a relay key is not checked");
                    sleep(RETRY).await;
                }
            }
        }
    }

    async fn look(&self) -> Result<Option<Opened>, Unavailable> {
        let _permit = self.permits.acquire().await;
        let late = |_| Err(Unavailable("it does not answer".into()));
        let found = timeout(PATIENCE, self.access.open(&self.secret)).await;
        found.unwrap_or_else(late)
    }
}

impl Feeding {
    /// Keeps `opened` as the store of record has it. Ends when it says that the key is no more.
    pub(super) async fn watch(&self, secret: &str, opened: &watch::Sender<Opened>) -> Ended {
        let (key, before) = self.keys.follow(secret, &self.access);
        let mut newest = key.newest.clone();
        loop {
            let Look { number, found } = newest.borrow_and_update().clone();
            match found {
                // It may be older than what the relay came with.
                _ if number <= before => {}
                Some(now) => {
                    opened.send_if_modified(|before| {
                        let differs = *before != now;
                        *before = now;
                        differs
                    });
                }
                None => return Ended::Revoked,
            }
            if newest.changed().await.is_err() {
                // Who followed it panicked.
                return Ended::Unchecked;
            }
        }
    }

    /// What a relay key opens that came from outside. Anyone may send any text: so it is asked for
    /// as SDK keys are.
    pub(super) async fn open(&self, secret: &str) -> Result<Option<Opened>, Unavailable> {
        if !is_well_formed(secret) {
            return Ok(None);
        }
        self.asking.ask(secret, self.access.open(secret)).await
    }

    /// What another relay's key opens of what this relay's does.
    pub(super) async fn find_relay(&self, secret: &str, within: &Opened) -> Answer<Opened> {
        match self.open(secret).await {
            Ok(Some(mut opened)) => {
                opened.environments.retain(|id| within.opens(id));
                opened.names.retain(|id, _| within.opens(id));
                Answer::Is(opened)
            }
            Ok(None) => Answer::None,
            Err(_) => Answer::Unavailable,
        }
    }
}

/// Whether a text can be a relay key; what cannot is asked of nobody.
fn is_well_formed(secret: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    secret.starts_with("rp-") && secret.len() <= LONGEST && secret.bytes().all(allowed)
}

#[cfg(test)]
mod tests;
