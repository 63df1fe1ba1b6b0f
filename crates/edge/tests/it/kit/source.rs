//! The one environment that the tests of the driver change.

use std::sync::Arc;

use burgee_edge::source::{KeyKind, SdkKey};

use crate::memory::{World, flag};

pub(crate) const ENVIRONMENT: &str = "0e6cb91e-6f0c-4bdb-9d36-56a1b1bd1aa4";
pub(crate) const CLIENT_KEY: &str = "JbHZhYIsSkmJB-dG_YGsLwTVDDU4LkC5RYRBhVWlqSoA";
pub(crate) const SERVER_KEY: &str = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=";

/// What the driver's tests do to their source.
pub(crate) struct Feed {
    pub(crate) world: Arc<World>,
}

impl Feed {
    /// With keys of the form that tokens need, and no flag.
    pub(crate) fn new() -> Self {
        let world = World::with(&[ENVIRONMENT]);
        let keys = [(CLIENT_KEY, KeyKind::Client), (SERVER_KEY, KeyKind::Server)];
        world.keys(ENVIRONMENT, |all| {
            *all = keys.map(|(secret, kind)| key(secret, kind)).into();
        });
        Self { world }
    }

    /// Serves `value` for the flag to everyone. Returns the environment's new version.
    pub(crate) fn set_flag(&self, key: &str, value: &str) -> i64 {
        self.set_flags(&[(key, value)])
    }

    /// The same for several flags in one change.
    pub(crate) fn set_flags(&self, values: &[(&str, &str)]) -> i64 {
        let flags = values.iter().map(|(key, value)| flag(key, value)).collect();
        self.world.put(ENVIRONMENT, flags, Vec::new())
    }

    /// Puts back a copy of long ago, with this flag alone.
    pub(crate) fn restore(&self, key: &str, value: &str) {
        self.world.restore(ENVIRONMENT, vec![flag(key, value)]);
    }

    /// Takes a key away.
    pub(crate) fn revoke(&self, secret: &str) {
        self.world.revoke(ENVIRONMENT, secret);
    }

    /// Deletes the environment.
    pub(crate) fn remove(&self) {
        self.world.remove(ENVIRONMENT);
    }

    /// Whether questions are answered.
    pub(crate) fn set_reachable(&self, reachable: bool) {
        self.world.set_down(!reachable);
    }

    /// Adds a key that is announced to nobody: it has to be asked for.
    pub(crate) fn add_quietly(&self, secret: &str, kind: KeyKind) {
        self.world
            .keys_quietly(ENVIRONMENT, |keys| keys.push(key(secret, kind)));
    }
}

fn key(secret: &str, kind: KeyKind) -> SdkKey {
    let secret = secret.to_owned();
    SdkKey { secret, kind }
}
