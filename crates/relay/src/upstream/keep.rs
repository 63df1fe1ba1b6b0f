//! Keeping what the upstream told on the disk: soon after it was told, off everybody's way.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::{Upstream, lock};

/// How long changes are gathered before they are written.
const EVERY: Duration = Duration::from_secs(1);

/// How soon what could not be written is tried again, unless something else changes.
const AGAIN: Duration = Duration::from_secs(10);

impl Upstream {
    /// Writes what changed to the disk, each second in which something did. Never ends.
    pub(crate) async fn keep(self: Arc<Self>) {
        loop {
            let failed = !lock(&self.dirty).is_empty();
            tokio::select! {
                () = self.to_keep.notified() => {}
                () = sleep(AGAIN), if failed => {}
            }
            sleep(EVERY).await;
            self.keep_now().await;
        }
    }

    /// Writes what changed to the disk. What cannot be written is tried again after a while.
    pub(crate) async fn keep_now(self: &Arc<Self>) {
        let upstream = Arc::clone(self);
        let kept = tokio::task::spawn_blocking(move || upstream.write_dirty());
        if let Err(error) = kept.await {
            tracing::error!(%error, "the environments were not kept on the disk");
        }
    }

    fn write_dirty(&self) {
        // Two at once would write the same files.
        let _alone = lock(&self.keeping);
        let dirty = std::mem::take(&mut *lock(&self.dirty));
        let mut gone = false;
        for id in dirty {
            let Some(state) = self.mirror().state(&id) else {
                gone = true;
                continue;
            };
            if let Err(error) = self.disk.environments.save(&state.into()) {
                tracing::warn!(environment = id, %error, "an environment is not on the disk");
                lock(&self.dirty).insert(id);
            }
        }
        if gone {
            let heads = self.mirror().heads().into_iter();
            let there: BTreeSet<String> = heads.map(|head| head.environment).collect();
            if let Err(error) = self.disk.environments.keep(&there) {
                tracing::warn!(%error, "an environment that is gone stays on the disk");
            }
        }
    }
}
