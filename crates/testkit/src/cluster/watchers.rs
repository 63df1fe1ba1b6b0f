//! SDKs that are connected all the time, come back by themselves when they are not, and write down
//! what they were told that they should not have been.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use burgee_eval::time::Millis;
use serde_json::{Value, json};

use crate::sdk::{Event, Kind, Sdk};

/// How long one waits for an upgrade, and for the answer to a ping.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often one pings; SDKs do so every 10 to 18 s, and notice a dead connection later.
const PING: Duration = Duration::from_secs(5);

/// How often one looks whether it is to end.
const LOOK: Duration = Duration::from_millis(100);

/// Who watches.
#[derive(Clone, Debug)]
pub struct Watch {
    /// The node that it connects to.
    pub address: SocketAddr,
    /// What it is.
    pub kind: Kind,
    /// Its SDK key.
    pub secret: String,
    /// It ends its connections by itself, at random moments up to so long after they began.
    pub leaves_within: Option<Duration>,
    /// How often the node was killed ([`Node::deaths`](super::node::Node::deaths)).
    pub deaths: Arc<AtomicUsize>,
}

/// What one has seen.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Flags by key, as they were sent last.
    pub flags: BTreeMap<String, Value>,
    /// How often it connected.
    pub connections: usize,
    /// What an SDK would have refused to take, and being told never to come back.
    pub faults: Vec<String>,
    /// Numbers of writers' sets that fell.
    pub went_back: Vec<String>,
    /// Those that fell in the first state that came after the node was killed.
    pub went_back_by_death: Vec<String>,
}

/// SDKs at work.
pub struct Watchers {
    watchers: Vec<(Watch, Arc<Mutex<Seen>>, JoinHandle<()>)>,
    stop: Arc<AtomicBool>,
    connected: Arc<AtomicUsize>,
}

impl Watchers {
    /// Starts them, a thread each.
    ///
    /// # Panics
    /// Where there is no room for a thread.
    pub fn start(watches: impl IntoIterator<Item = Watch>) -> Self {
        let (stop, connected): (Arc<AtomicBool>, Arc<AtomicUsize>) = Default::default();
        let start = |watch: Watch| {
            let seen: Arc<Mutex<Seen>> = Arc::default();
            let watcher = Watcher {
                watch: watch.clone(),
                seen: Arc::clone(&seen),
                stop: Arc::clone(&stop),
                connected: Arc::clone(&connected),
                survived: 0,
            };
            let builder = thread::Builder::new().stack_size(256 << 10);
            let thread = builder.spawn(move || watcher.run());
            (watch, seen, thread.expect("a thread"))
        };
        Self {
            watchers: watches.into_iter().map(start).collect(),
            stop,
            connected,
        }
    }

    /// How many are connected at this moment.
    pub fn connected(&self) -> usize {
        self.connected.load(Ordering::Relaxed)
    }

    /// All with what they have seen so far.
    pub fn seen(&self) -> Vec<(Watch, Seen)> {
        let of =
            |(watch, seen, _): &(Watch, Arc<Mutex<Seen>>, _)| (watch.clone(), lock(seen).clone());
        self.watchers.iter().map(of).collect()
    }

    /// Ends them; what they have seen.
    ///
    /// # Panics
    /// Where one failed.
    pub fn end(mut self) -> Vec<(Watch, Seen)> {
        self.stop.store(true, Ordering::Relaxed);
        let watchers = std::mem::take(&mut self.watchers).into_iter();
        let ended = watchers.map(|(watch, seen, thread)| {
            thread.join().expect("a watcher");
            let seen = lock(&seen).clone();
            (watch, seen)
        });
        ended.collect()
    }
}

impl Drop for Watchers {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

struct Watcher {
    watch: Watch,
    seen: Arc<Mutex<Seen>>,
    stop: Arc<AtomicBool>,
    connected: Arc<AtomicUsize>,
    /// After how many of the node's deaths a state has come.
    survived: usize,
}

impl Watcher {
    fn run(mut self) {
        let mut before: Option<Sdk> = None;
        while !self.stop.load(Ordering::Relaxed) {
            let Watch {
                address,
                kind,
                ref secret,
                ..
            } = self.watch;
            let Ok(sdk) = Sdk::try_connect_within(address, kind, secret, PATIENCE) else {
                self.pause();
                continue;
            };
            let mut sdk = match &before {
                Some(before) => sdk.instead_of(before),
                None => sdk,
            };
            lock(&self.seen).connections += 1;
            self.connected.fetch_add(1, Ordering::Relaxed);
            self.follow(&mut sdk);
            self.connected.fetch_sub(1, Ordering::Relaxed);
            before = Some(sdk);
            self.pause();
        }
    }

    /// As SDKs do before they try again: not all at once.
    #[allow(clippy::disallowed_methods, reason = "it is what SDKs do")]
    fn pause(&self) {
        let most = Duration::from_millis(500);
        thread::sleep(most.mul_f64(random()));
    }

    /// Takes what comes until the connection ends.
    fn follow(&mut self, sdk: &mut Sdk) {
        // Who upgraded this connection and was killed before now gives no state on it, as none was
        // asked for yet: so a state is of a process that lives after so many deaths.
        let deaths = self.watch.deaths.load(Ordering::Relaxed);
        let user = json!({ "keyId": "watcher", "name": "watcher", "customizedProperties": [] });
        let mut data = json!({ "timestamp": sdk.newest() });
        if self.watch.kind == Kind::Client {
            data["user"] = user;
        }
        let hello = json!({ "messageType": "data-sync", "data": data });
        let leaves = self
            .watch
            .leaves_within
            .map(|most| Instant::now() + most.mul_f64(random()));
        let mut heard = Instant::now();
        let mut alive = sdk.try_say(&hello);
        let mut pinged = false;
        while alive && !self.stop.load(Ordering::Relaxed) {
            match sdk.within(LOOK) {
                Some(Event::Data(data)) => {
                    self.note(&data, &sdk.flags, self.survived < deaths);
                    self.survived = deaths;
                }
                Some(Event::Other(_)) => {}
                Some(Event::Closed(4003)) => {
                    lock(&self.seen)
                        .faults
                        .push("was told never to come back".into());
                    return;
                }
                Some(Event::Closed(_) | Event::Lost) => return,
                None => {
                    let silent = heard.elapsed();
                    if silent > PING && !pinged {
                        alive = sdk.try_say(&json!({ "messageType": "ping", "data": {} }));
                        pinged = true;
                    }
                    alive &= silent < PING + PATIENCE;
                    alive &= leaves.is_none_or(|it| Instant::now() < it);
                    continue;
                }
            }
            (heard, pinged) = (Instant::now(), false);
        }
    }

    /// Compares what came with what was there, as SDKs do before they take it; `reborn`: it is the first
    /// since the node was killed.
    fn note(&self, data: &Value, now: &BTreeMap<String, Value>, reborn: bool) {
        let mut seen = lock(&self.seen);
        if let Some(fault) = self.refused(data, &seen.flags, now) {
            seen.faults.push(fault);
        }
        for (key, flag) in now {
            let from = seen.flags.get(key).and_then(number);
            if let (Some(from), Some(to)) = (from, number(flag))
                && to < from
            {
                let fell = match reborn {
                    true => &mut seen.went_back_by_death,
                    false => &mut seen.went_back,
                };
                fell.push(format!("{key}: {from}, then {to}"));
            }
        }
        seen.flags.clone_from(now);
    }

    /// Why an SDK would not take this, though it has news.
    fn refused(
        &self,
        data: &Value,
        before: &BTreeMap<String, Value>,
        now: &BTreeMap<String, Value>,
    ) -> Option<String> {
        let highest = |flags: &BTreeMap<String, Value>| flags.values().filter_map(stamp).max();
        let (had, has) = (highest(before), highest(now));
        let items = data["featureFlags"].as_array().into_iter().flatten();
        match (self.watch.kind, data["eventType"] == "full") {
            (Kind::Client, true) => None,
            // Some compare a whole state by its highest stamp, and each item of a patch as well.
            (Kind::Server, true) => (has <= had && before != now)
                .then(|| format!("another full state of {has:?} after {had:?}")),
            (Kind::Server, false) => items
                .filter(|it| stamp(it) <= had)
                .map(|it| format!("{}: {:?} after {had:?}", it["key"], stamp(it)))
                .next(),
            (Kind::Client, false) => items
                .filter(|it| {
                    let old = it["id"].as_str().and_then(|key| before.get(key));
                    old.is_some_and(|old| stamp(it) < stamp(old))
                })
                .map(|it| format!("{}: fell to {:?}", it["id"], stamp(it)))
                .next(),
        }
    }
}

/// A flag's stamp as its SDK knows it, in ms since 1970.
fn stamp(flag: &Value) -> Option<i64> {
    let of_server = || Some(Millis::parse(flag["updatedAt"].as_str()?)?.0);
    flag["timestamp"].as_i64().or_else(of_server)
}

/// The number of the writer's set that a flag shows.
fn number(flag: &Value) -> Option<usize> {
    let shown = [
        &flag["targetUsers"][0]["keyIds"][0],
        &flag["variations"][0]["value"],
        &flag["variation"],
    ];
    shown.iter().find_map(|it| it.as_str()?.parse().ok())
}

/// A number below 1.
fn random() -> f64 {
    f64::from(RandomState::new().hash_one(()) as u32) / f64::from(u32::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
