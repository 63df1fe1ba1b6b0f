//! What every handler can reach.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use burgee_domain::model::Environment;
use burgee_edge::hub::Hub;
use burgee_eval::time::Millis;
use burgee_store::Store;
use burgee_store::audit::{NoNotary, Notary};
use ipnet::IpNet;

use crate::auth::oidc::Providers;
use crate::auth::seal::Keyring;
use crate::auth::throttle::Throttle;
use crate::delivery::Deliveries;
use crate::events::Events;
use crate::mail::Mailer;
use crate::problem::Problem;
use crate::rates::Limiter;

/// Cheap to clone: handles only.
#[derive(Clone)]
pub struct AppState {
    /// The database.
    pub store: Store,
    /// The environments as they are served; asked to have caught up before a change is answered.
    pub hub: Arc<Hub>,
    /// What seals secrets that must be read back, where there is a key.
    pub keyring: Option<Arc<Keyring>>,
    /// Providers of single sign-on.
    pub providers: Arc<Providers>,
    /// Mail to people, where there is a mail server.
    pub mail: Mailer,
    /// Who asked for new passwords of late.
    pub resets: Arc<Throttle>,
    /// How far versions came, here and on other nodes.
    pub deliveries: Arc<Deliveries>,
    /// Whether nobody is told where connections come from.
    pub hide_addresses: bool,
    /// Who listens to what happens.
    pub events: Arc<Events>,
    /// How often one may ask.
    pub limiter: Arc<Limiter>,
    /// Failed attempts to sign in.
    pub throttle: Arc<Throttle>,
    /// Proxies that are believed when they say whom they forward.
    pub trusted_proxies: Arc<[IpNet]>,
    /// How people reach the server, without a slash at the end.
    pub public_url: Arc<str>,
    /// Whether cookies are for HTTPS alone.
    pub secure_cookies: bool,
}

/// How long a request waits for its own change to be served here before it is answered anyway: the
/// change is stored by then, and the feed goes on trying.
const SERVED_WITHIN: Duration = Duration::from_secs(5);

impl AppState {
    /// What seals secrets.
    ///
    /// # Errors
    /// 501 where the server was started without a key.
    pub fn keyring(&self) -> Result<&Keyring, Problem> {
        self.keyring.as_deref().ok_or_else(Problem::no_instance_key)
    }

    /// Who signs the audit log.
    pub fn notary(&self) -> &dyn Notary {
        match &self.keyring {
            Some(keyring) => keyring.as_ref(),
            None => &NoNotary,
        }
    }

    /// The address of a one-time link.
    pub fn link(&self, text: &str) -> String {
        link(&self.public_url, text)
    }

    /// Waits until this server serves environments (by id) at these versions or later: whoever made
    /// a change reads it.
    pub async fn served(&self, moved: impl Iterator<Item = (&str, i64)>) {
        self.within(async {
            for (environment, version) in moved {
                self.hub.caught_up(environment, version).await;
            }
        })
        .await;
    }

    /// As [`Self::served`], for an environment as it is given.
    pub async fn served_as(&self, environment: &Environment) {
        let moved = (environment.id.as_str(), environment.position.version);
        self.served(std::iter::once(moved)).await;
    }

    /// Waits until this server lets nobody into environments that were deleted.
    pub async fn gone(&self, deleted: impl Iterator<Item = &Environment>) {
        self.within(async {
            for environment in deleted {
                self.hub.gone(environment.id.as_str()).await;
            }
        })
        .await;
    }

    async fn within(&self, served: impl Future<Output = ()>) {
        if tokio::time::timeout(SERVED_WITHIN, served).await.is_err() {
            tracing::warn!("a change is stored, but not served yet");
        }
    }
}

/// The address of a one-time link of a server. What follows `#` is sent to no server, and so is in
/// no log.
pub(crate) fn link(public_url: &str, text: &str) -> String {
    format!("{public_url}/link#{text}")
}

/// The time on this machine's clock: the one place where the server reads it.
pub fn now() -> Millis {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
