//! A source of several environments and a sink, in memory, that fail when a test wants them to.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use burgee_edge::sink::{Batch, Sink, Taken};
use burgee_edge::source::{
    BoxFuture, Changes, Delta, Head, KeyKind, Position, SdkKey, Source, State, Unavailable,
};
use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use burgee_eval::time::Millis;
use serde_json::json;
use tokio::sync::{Notify, Semaphore};

/// The stamp before the first change.
pub(crate) const EPOCH: i64 = 1_700_000_000_000;

/// A text flag that serves `value` to everyone; its stamp is given when it is put in.
pub(crate) fn flag(key: &str, value: &str) -> Flag {
    serde_json::from_value(json!({
        "id": key, "key": key, "name": key, "variationType": "string",
        "variations": [{ "id": "v", "value": value }, { "id": "other", "value": "other" }],
        "isEnabled": true, "disabledVariationId": "other",
        "fallthrough": { "variations": [{ "id": "v", "rollout": [0, 1], "exptRollout": 1 }] },
    }))
    .unwrap()
}

fn just_now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Millis(since.as_millis() as i64)
}

/// What a test gives and takes.
#[derive(Default)]
pub(crate) struct World {
    inner: Mutex<Inner>,
    changed: Notify,
    /// How often a key was looked up in the store of record.
    pub(crate) found: AtomicUsize,
    /// How often changes of an environment were fetched.
    pub(crate) fetched: AtomicUsize,
}

#[derive(Default)]
struct Inner {
    environments: BTreeMap<String, Environment>,
    down: bool,
    sick: BTreeMap<String, Illness>,
    /// Look-ups of keys wait for a permit of this.
    gate: Option<Arc<Semaphore>>,
}

/// What is wrong with one environment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Illness {
    Fails,
    Hangs,
    Panics,
    /// Its changes are fetched, but do not arrive until it is cured.
    Dawdles,
}

struct Environment {
    state: State,
    log: Vec<Entry>,
}

struct Entry {
    position: Position,
    flags: Vec<Flag>,
    segments: Vec<Segment>,
    keys: bool,
}

impl World {
    /// With these environments; each has the keys `<id>-client` and `<id>-server`.
    pub(crate) fn with(ids: &[&str]) -> Arc<Self> {
        let world = Self::default();
        for id in ids {
            world.add(id);
        }
        Arc::new(world)
    }

    pub(crate) fn add(&self, id: &str) {
        let keys = [("client", KeyKind::Client), ("server", KeyKind::Server)];
        let keys = keys.map(|(name, kind)| SdkKey {
            secret: format!("{id}-{name}"),
            kind,
        });
        let state = State {
            environment: id.into(),
            position: Position {
                version: 1,
                digest: 1,
            },
            committed_at: Millis(0),
            trace: None,
            last_stamp: Millis(EPOCH),
            flags: Vec::new(),
            segments: Vec::new(),
            keys: keys.into(),
            decision_sample: 0,
        };
        let environment = Environment {
            state,
            log: Vec::new(),
        };
        self.inner().environments.insert(id.into(), environment);
        self.changed.notify_one();
    }

    /// Puts items in, each with the next stamp. Returns the environment's new version.
    pub(crate) fn put(&self, id: &str, flags: Vec<Flag>, segments: Vec<Segment>) -> i64 {
        self.change(id, |state| {
            let mut stamp = || {
                state.last_stamp.0 += 1;
                state.last_stamp
            };
            let segments: Vec<_> = segments
                .into_iter()
                .map(|s| Segment {
                    updated_at: stamp(),
                    ..s
                })
                .collect();
            let flags: Vec<_> = flags
                .into_iter()
                .map(|f| Flag {
                    updated_at: stamp(),
                    ..f
                })
                .collect();
            state
                .flags
                .retain(|old| flags.iter().all(|new| new.key != old.key));
            state.flags.extend(flags.iter().cloned());
            state
                .segments
                .retain(|old| segments.iter().all(|new| new.id != old.id));
            state.segments.extend(segments.iter().cloned());
            (flags, segments, false)
        })
    }

    /// Changes the keys of an environment.
    pub(crate) fn keys(&self, id: &str, edit: impl FnOnce(&mut Vec<SdkKey>)) -> i64 {
        self.change(id, |state| {
            edit(&mut state.keys);
            (Vec::new(), Vec::new(), true)
        })
    }

    /// The same, but nobody is told.
    pub(crate) fn keys_quietly(&self, id: &str, edit: impl FnOnce(&mut Vec<SdkKey>)) {
        self.note(id, |state| {
            edit(&mut state.keys);
            (Vec::new(), Vec::new(), true)
        });
    }

    pub(crate) fn revoke(&self, id: &str, secret: &str) -> i64 {
        self.keys(id, |keys| keys.retain(|key| key.secret != secret))
    }

    pub(crate) fn remove(&self, id: &str) {
        self.inner().environments.remove(id);
        self.changed.notify_one();
    }

    /// Another history: the environment as from a backup, at a lower version.
    pub(crate) fn restore(&self, id: &str, flags: Vec<Flag>) {
        let mut inner = self.inner();
        let environment = inner.environments.get_mut(id).unwrap();
        environment.log.clear();
        environment.state.position = Position {
            version: 1,
            digest: 0xb4c,
        };
        environment.state.flags = flags;
        drop(inner);
        self.changed.notify_one();
    }

    /// Whether nothing can be asked.
    pub(crate) fn set_down(&self, down: bool) {
        self.inner().down = down;
        self.changed.notify_one();
    }

    pub(crate) fn fall_ill(&self, id: &str, illness: Illness) {
        self.inner().sick.insert(id.into(), illness);
    }

    pub(crate) fn cure(&self, id: &str) {
        self.inner().sick.remove(id);
    }

    /// Look-ups of keys wait from now on; each permit lets one through.
    pub(crate) fn gate(&self) -> Arc<Semaphore> {
        let gate = Arc::new(Semaphore::new(0));
        self.inner().gate = Some(Arc::clone(&gate));
        gate
    }

    fn change(
        &self,
        id: &str,
        edit: impl FnOnce(&mut State) -> (Vec<Flag>, Vec<Segment>, bool),
    ) -> i64 {
        let version = self.note(id, edit);
        self.changed.notify_one();
        version
    }

    /// Changes without telling.
    fn note(
        &self,
        id: &str,
        edit: impl FnOnce(&mut State) -> (Vec<Flag>, Vec<Segment>, bool),
    ) -> i64 {
        let mut inner = self.inner();
        let Environment { state, log } = inner.environments.get_mut(id).unwrap();
        let (flags, segments, keys) = edit(state);
        let version = state.position.version + 1;
        state.position = Position {
            version,
            digest: state.position.digest.wrapping_mul(31),
        };
        log.push(Entry {
            position: state.position,
            flags,
            segments,
            keys,
        });
        version
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    fn ask<T>(&self, answer: impl FnOnce(&Inner) -> T) -> Result<T, Unavailable> {
        let inner = self.inner();
        match inner.down {
            true => Err(Unavailable("down".into())),
            false => Ok(answer(&inner)),
        }
    }

    async fn suffer(&self, id: &str) -> Result<(), Unavailable> {
        let illness = self.inner().sick.get(id).copied();
        match illness {
            None | Some(Illness::Dawdles) => Ok(()),
            Some(Illness::Fails) => Err(Unavailable("sick".into())),
            Some(Illness::Hangs) => std::future::pending().await,
            Some(Illness::Panics) => panic!("{id} is sick"),
        }
    }
}

impl Environment {
    fn since(&self, from: Position) -> Changes {
        let start = match self.log.iter().position(|entry| entry.position == from) {
            Some(place) => place + 1,
            None if from
                == (Position {
                    version: 1,
                    digest: 1,
                })
                && !self.log.is_empty() =>
            {
                0
            }
            None => return Changes::Reload(self.state.clone()),
        };
        let news = &self.log[start..];
        let (mut flags, mut segments) = (Vec::<Flag>::new(), Vec::<Segment>::new());
        for entry in news {
            flags.retain(|old| entry.flags.iter().all(|new| new.key != old.key));
            flags.extend(entry.flags.iter().cloned());
            segments.retain(|old| entry.segments.iter().all(|new| new.id != old.id));
            segments.extend(entry.segments.iter().cloned());
        }
        let keys = news
            .iter()
            .any(|entry| entry.keys)
            .then(|| self.state.keys.clone());
        let (position, last_stamp) = (self.state.position, self.state.last_stamp);
        Changes::Since(Delta {
            position,
            committed_at: just_now(),
            trace: None,
            last_stamp,
            flags,
            segments,
            keys,
            decision_sample: self.state.decision_sample,
        })
    }
}

impl Source for World {
    fn environments(&self) -> BoxFuture<'_, Result<Vec<Head>, Unavailable>> {
        let heads = self.ask(|inner| {
            let all = inner.environments.iter();
            let head = |(id, environment): (&String, &Environment)| Head {
                environment: id.clone(),
                position: environment.state.position,
            };
            all.map(head).collect()
        });
        Box::pin(async { heads })
    }

    fn state<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<State>, Unavailable>> {
        Box::pin(async move {
            self.suffer(id).await?;
            self.ask(|inner| inner.environments.get(id).map(|found| found.state.clone()))
        })
    }

    fn changes<'a>(
        &'a self,
        id: &'a str,
        from: Position,
    ) -> BoxFuture<'a, Result<Changes, Unavailable>> {
        Box::pin(async move {
            self.suffer(id).await?;
            let changes = self.ask(|inner| {
                inner
                    .environments
                    .get(id)
                    .map_or(Changes::Gone, |e| e.since(from))
            });
            self.fetched.fetch_add(1, SeqCst);
            while self.inner().sick.get(id) == Some(&Illness::Dawdles) {
                tokio::task::yield_now().await;
            }
            changes
        })
    }

    fn find_key<'a>(
        &'a self,
        secret: &'a str,
    ) -> BoxFuture<'a, Result<Option<(String, KeyKind)>, Unavailable>> {
        self.found.fetch_add(1, SeqCst);
        let gate = self.inner().gate.clone();
        Box::pin(async move {
            if let Some(gate) = gate {
                gate.acquire().await.unwrap().forget();
            }
            self.ask(|inner| {
                inner.environments.iter().find_map(|(id, environment)| {
                    let key = environment
                        .state
                        .keys
                        .iter()
                        .find(|key| key.secret == secret)?;
                    Some((id.clone(), key.kind))
                })
            })
        })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.changed.notified())
    }
}

/// Keeps batches as a store would: one that comes again is not counted again.
#[derive(Default)]
pub(crate) struct Shelf {
    batches: Mutex<BTreeMap<(String, i64), Batch>>,
    /// Takes nothing.
    pub(crate) down: AtomicBool,
    /// Takes batches, but the answer is lost on its way.
    pub(crate) mute: AtomicBool,
    /// How often it was written to.
    pub(crate) writes: AtomicUsize,
    pub(crate) written: Notify,
    /// The secrets that it was told were used.
    pub(crate) keys_used: Mutex<Vec<String>>,
    /// What it says of each batch.
    pub(crate) answer: Mutex<Taken>,
}

impl Shelf {
    /// Everything so far, as one batch (counts and exposures side by side, in order).
    pub(crate) fn all(&self) -> Batch {
        let mut all = Batch::default();
        for batch in self.batches.lock().unwrap().values().cloned() {
            all.users.extend(batch.users);
            all.counts.extend(batch.counts);
            all.exposures.extend(batch.exposures);
            all.metrics.extend(batch.metrics);
            all.decisions.extend(batch.decisions);
        }
        all
    }

    /// How many entries the largest batch had.
    pub(crate) fn largest(&self) -> usize {
        let batches = self.batches.lock().unwrap();
        let entries = |batch: &Batch| {
            batch.users.len() + batch.counts.len() + batch.exposures.len() + batch.metrics.len()
        };
        batches.values().map(entries).max().unwrap_or_default()
    }

    /// All evaluations that were counted.
    pub(crate) fn evaluations(&self) -> u64 {
        self.all().counts.iter().map(|count| count.count).sum()
    }
}

impl Sink for Shelf {
    fn write<'a>(&'a self, batch: &'a Batch) -> BoxFuture<'a, Result<Taken, Unavailable>> {
        Box::pin(async move {
            self.writes.fetch_add(1, SeqCst);
            self.written.notify_one();
            if self.down.load(SeqCst) {
                return Err(Unavailable("down".into()));
            }
            let place = (batch.sender.clone(), batch.sequence);
            let mut batches = self.batches.lock().unwrap();
            let known = batches.entry(place).or_insert_with(|| batch.clone());
            assert_eq!(known, batch, "a batch that is sent again is the same");
            match self.mute.load(SeqCst) {
                true => Err(Unavailable("the answer was lost".into())),
                false => Ok(self.answer.lock().unwrap().clone()),
            }
        })
    }

    fn keys_used<'a>(&'a self, secrets: &'a [Box<str>]) -> BoxFuture<'a, Result<(), Unavailable>> {
        Box::pin(async move {
            if self.down.load(SeqCst) {
                return Err(Unavailable("down".into()));
            }
            let mut all = self.keys_used.lock().unwrap();
            all.extend(secrets.iter().map(ToString::to_string));
            self.written.notify_one();
            Ok(())
        })
    }
}
