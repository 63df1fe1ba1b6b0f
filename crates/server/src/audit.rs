//! Keeps the audit log: seals what was done every second, and prunes what is older than an
//! organization wishes.

use std::sync::Arc;
use std::time::Duration;

use burgee_store::audit::{NoNotary, Notary};
use burgee_store::{Store, StoreError};
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::app::now;
use crate::auth::seal::Keyring;

/// How soon an entry is sealed.
const SEALED_EVERY: Duration = Duration::from_secs(1);

/// Days end no more often than that.
const PRUNED_EVERY: Duration = Duration::from_secs(600);

/// Seals and prunes. Never ends. Several processes may do it at once: they take turns.
pub async fn run(store: Store, keyring: Option<Arc<Keyring>>) {
    let notary: &dyn Notary = match &keyring {
        Some(keyring) => keyring.as_ref(),
        None => &NoNotary,
    };
    let mut ticks = interval(SEALED_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut prune_at = Instant::now();
    loop {
        ticks.tick().await;
        said("sealed", store.seal_audit(notary).await);
        if Instant::now() >= prune_at {
            prune_at = Instant::now() + PRUNED_EVERY;
            said("pruned", store.prune_audit(now(), notary).await);
        }
    }
}

fn said(what: &str, done: Result<u64, StoreError>) {
    match done {
        Ok(0) => {}
        Ok(entries) => tracing::debug!(entries, "the audit log was {what}"),
        Err(error) => tracing::warn!(%error, "the audit log was not {what}, trying later"),
    }
}
