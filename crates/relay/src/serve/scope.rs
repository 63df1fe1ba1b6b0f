//! What a relay's key opens, looked at while the relay is fed: beside what it is told, so that no
//! change waits for an answer about a key.

use std::time::Duration;

use burgee_edge::source::Unavailable;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::{Ended, Feeding};
use crate::message::{Answer, Opened};

/// How long a look may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How soon a look that failed is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// The longest text that is looked up, as in the store.
const LONGEST: usize = 128;

impl Feeding {
    /// Keeps `opened` as the store of record has it. Ends when it says that the key is no more.
    pub(super) async fn watch(&self, secret: &str, opened: &watch::Sender<Opened>) -> Ended {
        loop {
            let changed = self.access.changed();
            let late = |_| Err(Unavailable("it does not answer".into()));
            let found = timeout(PATIENCE, self.access.open(secret)).await;
            match found.unwrap_or_else(late) {
                Ok(Some(now)) => {
                    opened.send_if_modified(|before| {
                        let differs = *before != now;
                        *before = now;
                        differs
                    });
                    changed.await;
                }
                Ok(None) => return Ended::Revoked,
                // Nothing is known to be wrong with it.
                Err(unavailable) => {
                    tracing::debug!(%unavailable, "a relay key is not checked");
                    sleep(RETRY).await;
                }
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
