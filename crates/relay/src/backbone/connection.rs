//! A connection to NATS, and what NATS refuses on it.
//!
//! Whoever publishes what it has no right to gets no answer: NATS says so beside the answers, to the
//! connection as a whole. So it is noted here, by subject, for whoever waits for that answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event, ServerError};
use rand::RngExt;
use tokio::sync::watch;

use super::{Backbone, Fault, PATIENCE, nats};
use crate::upstream::{LONGEST_PAUSE, tls};

/// How often a connection is tried, so that one that is dead is noticed.
const PING: Duration = Duration::from_secs(5);

/// How NATS begins to say that a connection may not publish to a subject; the subject follows.
const MAY_NOT: &str = "Permissions Violation for Publish to \"";

/// A connection to NATS.
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) refused: Refused,
}

/// How often NATS refused what was published on a connection, by subject.
#[derive(Clone, Default)]
pub(super) struct Refused(Arc<watch::Sender<BTreeMap<String, u64>>>);

impl Refused {
    /// Notes what NATS says; whether it was such a refusal.
    pub(super) fn hear(&self, said: &str) -> bool {
        let subject = said
            .strip_prefix(MAY_NOT)
            .and_then(|it| it.split('"').next());
        let Some(subject) = subject else { return false };
        self.0.send_modify(|times| {
            *times.entry(subject.to_owned()).or_default() += 1;
        });
        true
    }

    /// Resolves when NATS refuses a message to this subject, from the time of the call on.
    pub(super) fn next(&self, subject: &str) -> impl Future<Output = ()> + use<> {
        let mut told = self.0.subscribe();
        let before = told.borrow().get(subject).copied();
        let subject = subject.to_owned();
        async move {
            let again = told.wait_for(|times| times.get(&subject).copied() > before);
            if again.await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

impl Backbone {
    /// A connection that is made, and made again when it is lost, behind whoever uses it.
    ///
    /// # Errors
    /// Where the file of credentials cannot be read.
    pub(super) async fn connect(&self, name: &str) -> Result<Connection, Fault> {
        let refused = Refused::default();
        let heard = refused.clone();
        let mut options = ConnectOptions::new()
            .name(name)
            .retry_on_initial_connect()
            .tls_client_config((*tls()).clone())
            .ping_interval(PING)
            .request_timeout(Some(PATIENCE))
            .reconnect_delay_callback(pause)
            .event_callback(move |event| {
                told(event, &heard);
                std::future::ready(())
            });
        options = match self.servers.user() {
            Some((user, Some(password))) => options.user_and_password(user, password),
            Some((token, None)) => options.token(token),
            None => options,
        };
        if let Some(file) = &self.credentials {
            options = options.credentials_file(file).await.map_err(nats)?;
        }
        let client = options
            .connect(self.servers.0.clone())
            .await
            .map_err(nats)?;
        Ok(Connection { client, refused })
    }
}

/// What to wait before the connection is tried again: longer each time, and not the same for all.
fn pause(attempts: usize) -> Duration {
    let doubled = u32::try_from(attempts.min(6)).unwrap_or_default();
    let longest = (Duration::from_millis(100) * 2_u32.pow(doubled)).min(LONGEST_PAUSE);
    longest.mul_f64(rand::rng().random_range(0.5..=1.0))
}

fn told(event: Event, refused: &Refused) {
    match &event {
        Event::Connected => tracing::info!("NATS is there"),
        Event::Disconnected => tracing::warn!("NATS is away"),
        // Who published it says what becomes of it.
        Event::ServerError(ServerError::Other(said)) if refused.hear(said) => {
            tracing::debug!(%event, "NATS");
        }
        _ => tracing::warn!(%event, "NATS"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_nats_refuses_is_known_by_subject() {
        let refused = Refused::default();
        assert!(refused.hear("Permissions Violation for Publish to \"burgee.traffic.one\""));
        assert!(!refused.hear("Permissions Violation for Subscription to \"burgee.traffic.two\""));
        let (one, two) = (
            refused.next("burgee.traffic.one"),
            refused.next("burgee.traffic.two"),
        );
        assert!(refused.hear("Permissions Violation for Publish to \"burgee.traffic.two\""));
        // What was said before nobody waits for.
        let first = tokio::select! {
            () = one => "one",
            () = two => "two",
        };
        assert_eq!(first, "two");
    }
}
