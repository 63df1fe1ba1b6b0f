//! A source of one environment, in memory.

use std::sync::{Arc, Mutex};

use burgee_edge::source::{
    BoxFuture, Changes, Delta, Head, KeyKind, Position, SdkKey, Source, State, Unavailable,
};
use burgee_eval::flag::Flag;
use burgee_eval::time::Millis;
use serde_json::json;
use tokio::sync::Notify;

pub(crate) const ENVIRONMENT: &str = "0e6cb91e-6f0c-4bdb-9d36-56a1b1bd1aa4";
pub(crate) const CLIENT_KEY: &str = "JbHZhYIsSkmJB-dG_YGsLwTVDDU4LkC5RYRBhVWlqSoA";
pub(crate) const SERVER_KEY: &str = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=";

/// The stamp before the first change.
const EPOCH: i64 = 1_700_000_000_000;

/// A source that tests change.
pub(crate) struct Feed {
    inner: Mutex<Inner>,
    changed: Notify,
}

struct Inner {
    state: State,
    log: Vec<Entry>,
    reachable: bool,
    /// A key that only the store knows, not the feed's heads.
    late_key: Option<SdkKey>,
}

struct Entry {
    version: i64,
    flags: Vec<Flag>,
    keys: bool,
}

impl Feed {
    pub(crate) fn new() -> Arc<Self> {
        let keys = [(CLIENT_KEY, KeyKind::Client), (SERVER_KEY, KeyKind::Server)];
        let keys = keys.map(|(secret, kind)| SdkKey {
            secret: secret.to_owned(),
            kind,
        });
        let state = State {
            environment: ENVIRONMENT.to_owned(),
            position: position(1),
            last_stamp: Millis(EPOCH),
            flags: Vec::new(),
            segments: Vec::new(),
            keys: keys.into(),
        };
        Arc::new(Self {
            inner: Mutex::new(Inner {
                state,
                log: Vec::new(),
                reachable: true,
                late_key: None,
            }),
            changed: Notify::new(),
        })
    }

    /// Serves `value` for the flag to everyone. Returns the environment's new version.
    pub(crate) fn set_flag(&self, key: &str, value: &str) -> i64 {
        self.set_flags(&[(key, value)])
    }

    /// The same for several flags in one change.
    pub(crate) fn set_flags(&self, values: &[(&str, &str)]) -> i64 {
        self.change(|state| {
            let mut flags = Vec::new();
            for (key, value) in values {
                state.last_stamp.0 += 1;
                let flag = flag(key, value, state.last_stamp);
                state.flags.retain(|known| known.key != *key);
                state.flags.push(flag.clone());
                flags.push(flag);
            }
            (flags, false)
        })
    }

    /// Takes a key away.
    pub(crate) fn revoke(&self, secret: &str) -> i64 {
        self.change(|state| {
            state.keys.retain(|key| key.secret != secret);
            (Vec::new(), true)
        })
    }

    /// Whether questions are answered.
    pub(crate) fn set_reachable(&self, reachable: bool) {
        self.inner.lock().unwrap().reachable = reachable;
        self.changed.notify_one();
    }

    /// Adds a key that is announced to nobody: it has to be asked for.
    pub(crate) fn add_quietly(&self, secret: &str, kind: KeyKind) {
        let mut inner = self.inner.lock().unwrap();
        let secret = secret.to_owned();
        inner.late_key = Some(SdkKey { secret, kind });
    }

    fn change(&self, edit: impl FnOnce(&mut State) -> (Vec<Flag>, bool)) -> i64 {
        let mut inner = self.inner.lock().unwrap();
        let (flags, keys) = edit(&mut inner.state);
        let version = inner.state.position.version + 1;
        inner.state.position = position(version);
        inner.log.push(Entry {
            version,
            flags,
            keys,
        });
        self.changed.notify_one();
        version
    }
}

impl Inner {
    fn reach(&self) -> Result<(), Unavailable> {
        match self.reachable {
            true => Ok(()),
            false => Err(Unavailable("switched off by the test".to_owned())),
        }
    }
}

impl Source for Feed {
    fn environments(&self) -> BoxFuture<'_, Result<Vec<Head>, Unavailable>> {
        let inner = self.inner.lock().unwrap();
        let heads = inner.reach().map(|()| {
            vec![Head {
                environment: ENVIRONMENT.to_owned(),
                position: inner.state.position,
            }]
        });
        Box::pin(async { heads })
    }

    fn state<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<State>, Unavailable>> {
        let inner = self.inner.lock().unwrap();
        let state = inner.reach().map(|()| Some(inner.state.clone()));
        Box::pin(async { state })
    }

    fn changes<'a>(
        &'a self,
        _: &'a str,
        from: Position,
    ) -> BoxFuture<'a, Result<Changes, Unavailable>> {
        let inner = self.inner.lock().unwrap();
        let changes = inner.reach().map(|()| {
            let news = || {
                inner
                    .log
                    .iter()
                    .filter(|entry| entry.version > from.version)
            };
            let mut flags: Vec<Flag> = Vec::new();
            for flag in news().flat_map(|entry| &entry.flags) {
                flags.retain(|known| known.key != flag.key);
                flags.push(flag.clone());
            }
            let keys = news().any(|entry| entry.keys);
            Changes::Since(Delta {
                position: inner.state.position,
                last_stamp: inner.state.last_stamp,
                flags,
                segments: Vec::new(),
                keys: keys.then(|| inner.state.keys.clone()),
            })
        });
        Box::pin(async { changes })
    }

    fn find_key<'a>(
        &'a self,
        secret: &'a str,
    ) -> BoxFuture<'a, Result<Option<(String, KeyKind)>, Unavailable>> {
        let mut inner = self.inner.lock().unwrap();
        let reached = inner.reach();
        if let Some(late) = inner.late_key.take_if(|key| key.secret == secret) {
            // From now on everybody may know it.
            inner.state.keys.push(late);
            let version = inner.state.position.version + 1;
            inner.state.position = position(version);
            inner.log.push(Entry {
                version,
                flags: Vec::new(),
                keys: true,
            });
        }
        let known = inner.state.keys.iter().find(|key| key.secret == secret);
        let answer = reached.map(|()| known.map(|key| (ENVIRONMENT.to_owned(), key.kind)));
        Box::pin(async { answer })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.changed.notified())
    }
}

fn position(version: i64) -> Position {
    Position {
        version,
        digest: version as u64 * 0x9E37_79B9,
    }
}

/// A text flag that serves `value` to everyone.
fn flag(key: &str, value: &str, stamp: Millis) -> Flag {
    serde_json::from_value(json!({
        "id": key, "key": key, "updatedAt": stamp, "envId": ENVIRONMENT, "name": key,
        "variationType": "string", "variations": [{ "id": "v", "value": value }],
        "isEnabled": true, "disabledVariationId": "v",
        "fallthrough": { "variations": [{ "id": "v", "rollout": [0, 1], "exptRollout": 1 }] },
    }))
    .unwrap()
}
