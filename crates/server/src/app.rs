//! What every handler can reach.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use burgee_domain::id::Id;
use burgee_domain::model::Environment;
use burgee_edge::hub::Hub;
use burgee_eval::time::Millis;
use burgee_store::Store;

/// Cheap to clone: handles only.
#[derive(Clone)]
pub struct AppState {
    /// The database.
    pub store: Store,
    /// The environments as they are served; asked to have caught up before a change is answered.
    pub hub: Arc<Hub>,
}

/// How long a request waits for its own change to be served here before it is answered anyway: the
/// change is stored by then, and the feed goes on trying.
const SERVED_WITHIN: Duration = Duration::from_secs(5);

impl AppState {
    /// Waits until this server serves an environment as it is given: whoever made a change reads it.
    pub async fn served(&self, environment: &Environment) {
        self.served_at(&environment.id, environment.position.version)
            .await;
    }

    /// Waits until this server serves an environment at a version.
    pub async fn served_at(&self, environment: &Id<Environment>, version: i64) {
        let served = self.hub.caught_up(environment.as_str(), version);
        if tokio::time::timeout(SERVED_WITHIN, served).await.is_err() {
            tracing::warn!(%environment, version, "a change is stored, but not served yet");
        }
    }
}

/// The time on this machine's clock: the one place where the server reads it.
pub fn now() -> Millis {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
