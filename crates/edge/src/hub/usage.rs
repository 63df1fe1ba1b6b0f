//! Telling when SDK keys were last used, so that people dare to take an old one away.
//!
//! A key is used when somebody comes with it, and as long as somebody is connected with it. That is
//! a mark in the table of keys; who keeps the table looks at the marks now and then, and tells of
//! each key once a minute at most.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::Hub;
use crate::sink::Sink;

/// How often marks are looked at.
const EVERY: Duration = Duration::from_secs(1);

/// How long what was told of a key is good enough.
const KNOWN_FOR: Duration = Duration::from_secs(60);

impl Hub {
    /// The secrets of the keys that were used since this was asked last.
    pub fn used_keys(&self) -> Vec<Box<str>> {
        self.keys.take_used()
    }

    /// Tells the sink of used keys, until `shutdown`. To be run once. What the sink does not take
    /// is told when the key is used again.
    pub async fn tell_of_use(self: Arc<Self>, sink: Arc<dyn Sink>, shutdown: CancellationToken) {
        let mut told: HashMap<Box<str>, Instant> = HashMap::new();
        while shutdown.run_until_cancelled(sleep(EVERY)).await.is_some() {
            told.retain(|_, at| at.elapsed() < KNOWN_FOR);
            let mut used = self.used_keys();
            used.retain(|secret| !told.contains_key(secret));
            if used.is_empty() {
                continue;
            }
            match sink.keys_used(&used).await {
                Ok(()) => {
                    let now = Instant::now();
                    told.extend(used.into_iter().map(|secret| (secret, now)));
                }
                Err(unavailable) => {
                    tracing::debug!(reason = %unavailable, "the use of keys was not recorded");
                }
            }
        }
    }
}
