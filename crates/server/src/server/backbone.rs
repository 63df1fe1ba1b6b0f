//! NATS beside a server: what is published there for relays, and what they send.

use std::sync::Arc;

use anyhow::Context;
use burgee_relay::backbone::{Backbone, Counters, Publisher, Serving};
use rand::RngExt;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{Edge, LOOK, until};
use crate::feed::LocalSource;
use crate::late::LateStore;
use crate::relays::StoreAccess;

impl Edge {
    /// Begins what feeds relays by NATS, and what takes what they send: both once the database is
    /// there, which says whose that is.
    pub(super) async fn join(
        &self,
        backbone: &Backbone,
        store: &LateStore,
        counters: Counters,
        (stop, tasks): (&CancellationToken, &TaskTracker),
    ) -> anyhow::Result<()> {
        // What was kept on the disk is not published: the database may be further.
        let source = Arc::new(LocalSource::new(store.clone(), None));
        let publisher = Publisher::new(backbone, source, counters).await;
        let publisher = publisher.context("--backbone-credentials")?;
        let (hub, sink) = (Arc::clone(&self.api.hub), Arc::clone(&self.sink) as _);
        let figures = Arc::clone(&self.figures);
        let access = Arc::new(StoreAccess::new(store.clone(), figures));
        let serving = Serving::new(backbone, hub, sink, access).await;
        let serving = serving.context("--backbone-credentials")?;
        let store = store.clone();
        tasks.spawn(until(stop.clone(), async move {
            let installation = installation(&store).await;
            tokio::join!(
                publisher.run(installation.clone()),
                serving.run(installation)
            );
        }));
        Ok(())
    }
}

/// What tells this database from others, once it can be read.
async fn installation(store: &LateStore) -> String {
    loop {
        match store.opened().await.installation().await {
            Ok(installation) => return installation,
            Err(error) => tracing::warn!(%error, "NATS has to wait for the database"),
        }
        let share = rand::rng().random_range(0.5..=1.5);
        sleep(LOOK.mul_f64(share)).await;
    }
}
