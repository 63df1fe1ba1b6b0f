//! The loop that keeps the registry up to date.
//!
//! It asks the source where each environment stands, and refreshes those that stand elsewhere, each
//! in a task of its own: an environment that hangs, fails or even panics is tried again later and
//! keeps nobody waiting. What cannot be refreshed goes on being served as it was.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::Semaphore;
use tokio::task::{Id, JoinSet};
use tokio::time::{Instant, sleep_until, timeout};

use super::Hub;
use super::refresh::refresh;
use crate::source::{BoxFuture, Head, Source, Unavailable};

/// The first pause after a failure; each further one doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// The longest pause: how long after the database's return an edge may notice it.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How long the source may take to say where everything stands, which is little: past it, it is away.
const ANSWER: Duration = Duration::from_secs(10);
/// A refresh that takes longer than this is taken for failed.
const PATIENCE: Duration = Duration::from_secs(30);
/// Environments that are refreshed at once.
const CONCURRENT: usize = 8;

pub(super) struct Feed {
    hub: Arc<Hub>,
    permits: Arc<Semaphore>,
    tasks: JoinSet<Result<(), Unavailable>>,
    running: HashMap<Id, Arc<str>>,
    /// The same by name: at the start all environments are being refreshed.
    refreshing: HashSet<Arc<str>>,
    /// Environments that were seen to have moved on while they were being refreshed.
    again: HashSet<Arc<str>>,
    failing: HashMap<Arc<str>, Pause>,
    source: Option<Pause>,
}

/// When something that failed is tried again.
#[derive(Clone, Copy)]
struct Pause {
    length: Duration,
    until: Instant,
}

impl Pause {
    fn after(before: Option<Self>) -> Self {
        let length = before.map_or(FIRST_PAUSE, |pause| (pause.length * 2).min(LONGEST_PAUSE));
        // Nodes that lost the same source at one moment do not all come back to it at one moment.
        let share =
            0.5 + f64::from(RandomState::new().hash_one(()) as u32 >> 1) / f64::from(u32::MAX);
        Self {
            length,
            until: Instant::now() + length.mul_f64(share),
        }
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }
}

impl Feed {
    pub(super) fn new(hub: Arc<Hub>) -> Self {
        Self {
            hub,
            permits: Arc::new(Semaphore::new(CONCURRENT)),
            tasks: JoinSet::new(),
            running: HashMap::new(),
            refreshing: HashSet::new(),
            again: HashSet::new(),
            failing: HashMap::new(),
            source: None,
        }
    }

    pub(super) async fn run(mut self) {
        let source = Arc::clone(&self.hub.source);
        let hub = Arc::clone(&self.hub);
        let mut changed = source.changed();
        let mut look = true;
        loop {
            if look && self.source.is_none_or(|pause| pause.is_over()) {
                look = self.look(&*source, &mut changed).await;
                continue;
            }
            let (retry, reachable) = (self.next_retry(), self.source.is_none());
            tokio::select! {
                // A source that is away may say that it changed all the time: it is not asked.
                () = &mut changed, if reachable => { changed = source.changed(); look = true; }
                () = hub.wake.notified(), if reachable => look = true,
                Some(done) = self.tasks.join_next_with_id() => look |= self.finished(done),
                () = sleep_until(retry.unwrap_or_else(far_off)), if retry.is_some() => look = true,
            }
        }
    }

    /// Asks where everything stands and starts what has to be refreshed. True where something
    /// changed in the meantime.
    async fn look<'s>(&mut self, source: &'s dyn Source, changed: &mut BoxFuture<'s, ()>) -> bool {
        let mut meanwhile = false;
        let heads = timeout(ANSWER, source.environments());
        let mut heads = std::pin::pin!(heads);
        // `changed` is polled along, so that a change that falls into this moment is not missed.
        let heads = loop {
            tokio::select! {
                biased;
                heads = &mut heads => break heads,
                () = &mut *changed, if !meanwhile => meanwhile = true,
            }
        };
        if meanwhile {
            *changed = source.changed();
        }
        match heads.unwrap_or_else(|_| Err(Unavailable("it does not answer".into()))) {
            Ok(heads) => self.heard(heads),
            Err(unavailable) => self.unheard(&unavailable),
        }
        meanwhile
    }

    fn heard(&mut self, heads: Vec<Head>) {
        if self.source.take().is_some() {
            tracing::info!("the source of environments is back");
        }
        self.hub.metrics.stale_since.set(0.0);
        let there: HashSet<&str> = heads.iter().map(|head| head.environment.as_str()).collect();
        self.hub.retain(|id| there.contains(id));
        let behind = |head: &&Head| {
            let known = self.hub.environment(&head.environment);
            known.is_none_or(|known| known.current().position() != head.position)
        };
        let behind: HashSet<&str> = heads
            .iter()
            .filter(behind)
            .map(|head| head.environment.as_str())
            .collect();
        self.failing.retain(|id, _| behind.contains(id.as_ref()));
        for id in behind {
            self.start(id);
        }
        self.settle();
    }

    fn unheard(&mut self, unavailable: &Unavailable) {
        if self.source.is_none() {
            let now = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default();
            self.hub.metrics.stale_since.set(now.as_secs_f64());
            tracing::warn!(reason = %unavailable, "serving what is here until the source is back");
        }
        self.source = Some(Pause::after(self.source));
    }

    fn start(&mut self, id: &str) {
        if let Some(id) = self.refreshing.get(id) {
            self.again.insert(Arc::clone(id));
            return;
        }
        if self.failing.get(id).is_some_and(|pause| !pause.is_over()) {
            return;
        }
        let id: Arc<str> = id.into();
        let (hub, permits, name) = (Arc::clone(&self.hub), Arc::clone(&self.permits), id.clone());
        let task = self.tasks.spawn(async move {
            let _permit = permits.acquire().await;
            let late = |_| Err(Unavailable("it does not answer".into()));
            timeout(PATIENCE, refresh(&hub, &name))
                .await
                .unwrap_or_else(late)
        });
        self.refreshing.insert(Arc::clone(&id));
        self.running.insert(task.id(), id);
    }

    /// Notes how a refresh ended. True where the environment has moved on since.
    fn finished(
        &mut self,
        done: Result<(Id, Result<(), Unavailable>), tokio::task::JoinError>,
    ) -> bool {
        let (task, result) = match done {
            Ok((task, Ok(()))) => (task, Ok(())),
            Ok((task, Err(unavailable))) => (task, Err(unavailable.to_string())),
            Err(panicked) => (panicked.id(), Err(panicked.to_string())),
        };
        let Some(id) = self.running.remove(&task) else {
            return false;
        };
        self.refreshing.remove(&id);
        let again = self.again.remove(&id);
        match result {
            Ok(()) => {
                self.failing.remove(&id);
            }
            Err(reason) => {
                tracing::warn!(environment = %id, reason, "an environment could not be refreshed");
                let pause = Pause::after(self.failing.get(&id).copied());
                self.failing.insert(id, pause);
            }
        }
        self.settle();
        again
    }

    /// Says where things stand. Ready is once the first round is through, whatever came of it.
    fn settle(&self) {
        self.hub
            .metrics
            .environments_failing
            .set(self.failing.len() as i64);
        if self.running.is_empty() && !self.hub.ready.swap(true, Ordering::AcqRel) {
            self.hub.progressed.notify_waiters();
        }
    }

    fn next_retry(&self) -> Option<Instant> {
        let failing = self.failing.iter();
        let failing = failing.filter(|(id, _)| !self.refreshing.contains(*id));
        match self.source {
            Some(pause) => Some(pause.until),
            None => failing.map(|(_, pause)| pause.until).min(),
        }
    }
}

fn far_off() -> Instant {
    Instant::now() + Duration::from_secs(86_400)
}
