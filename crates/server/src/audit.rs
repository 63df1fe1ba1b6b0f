//! Keeps the audit log: seals what was done within a second, and prunes what is older than an
//! organization wishes.

use std::sync::Arc;
use std::time::Duration;

use burgee_store::audit::{NoNotary, Notary};
use burgee_store::{Store, StoreError};
use tokio::time::Instant;

use crate::app::now;
use crate::auth::seal::Keyring;
use crate::due::Job;

/// Days end no more often than that.
const PRUNED_EVERY: Duration = Duration::from_secs(600);

/// Seals and prunes. Several processes may do it at once: they take turns.
pub struct Keeping {
    store: Store,
    keyring: Option<Arc<Keyring>>,
    prune_at: Instant,
}

impl Keeping {
    /// Keeps the log in `store`, whose ends the key signs where there is one.
    pub fn new(store: Store, keyring: Option<Arc<Keyring>>) -> Self {
        Self {
            store,
            keyring,
            prune_at: Instant::now(),
        }
    }
}

impl Job for Keeping {
    const NAME: &'static str = "keeping the audit log";

    /// Sealing is a transaction that syncs: many entries are sealed in one.
    const TOGETHER: Duration = Duration::from_millis(500);

    async fn look(&mut self) -> Result<Option<Duration>, StoreError> {
        let notary: &dyn Notary = match &self.keyring {
            Some(keyring) => keyring.as_ref(),
            None => &NoNotary,
        };
        said("sealed", self.store.seal_audit(notary).await?);
        if Instant::now() >= self.prune_at {
            self.prune_at = Instant::now() + PRUNED_EVERY;
            said("pruned", self.store.prune_audit(now(), notary).await?);
        }
        Ok(Some(self.prune_at - Instant::now()))
    }
}

fn said(what: &str, entries: u64) {
    if entries > 0 {
        tracing::debug!(entries, "the audit log was {what}");
    }
}
