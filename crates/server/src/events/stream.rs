//! One listener: what it is told, and how long.

use std::sync::Arc;
use std::time::Duration;

use burgee_domain::access::Rights;
use burgee_store::news::Happened;
use burgee_store::requests::{Party, Waiting};
use burgee_store::{Store, StoreError};
use bytes::Bytes;
use serde::Serialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::view::{Beginning, ChangeEvent};
use super::{EventBody, Events, News, Refused, Subscription};
use crate::api::requests;
use crate::api::requests::inbox::Inbox;
use crate::app::now;
use crate::auth::watcher::{Standing, Watcher};

/// How often it is looked whether the session or token still stands.
const CHECKED: Duration = Duration::from_secs(5);

/// How many of these pass between two signs of life: proxies close what is silent for a minute.
const HEARTBEAT: u32 = 3;

/// How many messages wait for a slow reader.
const QUEUE: usize = 16;

/// How long a reader may take for one of them.
const STALL: Duration = Duration::from_secs(30);

/// How many missed change sets are told again; beyond, everything has to be asked for anew.
const RESUMED: i64 = 1_000;

/// How many of them are read at once.
const CHUNK: i64 = 100;

/// Where a stream begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With what happens from now on.
    Now,
    /// After this number of the history (`Last-Event-ID`).
    After(i64),
}

/// Begins to listen: the body of the answer.
///
/// # Errors
/// There are too many streams, or the database does not answer.
pub async fn listen(
    events: &Arc<Events>,
    watcher: Watcher,
    start: Start,
) -> Result<EventBody, Refused> {
    let Watcher { caller, standing } = watcher;
    let organization = &caller.organization;
    let subscription = events.subscribe(organization, standing.name()).await?;
    let length = events.store.history_length(organization).await;
    let length = length.map_err(Refused::Store)?;
    let (output, queue) = mpsc::channel(QUEUE);
    let stream = Stream {
        store: events.store.clone(),
        standing,
        party: requests::party(&caller),
        rights: caller.rights,
        number: length,
        counted: 0,
        inbox: None,
        output,
    };
    let stop = events.stop.clone();
    tokio::spawn(stop.run_until_cancelled_owned(stream.run(subscription, start)));
    Ok(EventBody(queue))
}

struct Stream {
    store: Store,
    standing: Standing,
    party: Party,
    rights: Rights,
    /// The last change set that was told, or passed over.
    number: i64,
    /// The last change set when what waits was counted.
    counted: i64,
    /// What waits for the caller, as it was told.
    inbox: Option<Inbox>,
    output: mpsc::Sender<Bytes>,
}

/// Why a stream ends: its reader is gone or too slow, or may not listen any more.
struct Ended;

/// Ends a stream that cannot be told what it should be.
fn sent_away(error: StoreError) -> Ended {
    tracing::debug!(%error, "a listener is sent away");
    Ended
}

impl Stream {
    async fn run(mut self, mut subscription: Subscription, start: Start) {
        // Whatever the reason, the reader comes back and says where it was.
        let _ended = self.tell(&mut subscription, start).await;
    }

    async fn tell(&mut self, subscription: &mut Subscription, start: Start) -> Result<(), Ended> {
        self.begin(start).await?;
        self.count_anew().await?;
        let mut ticks = interval(CHECKED);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut silent = 0;
        let mut looked = Instant::now();
        loop {
            let gone = self.output.clone();
            tokio::select! {
                () = gone.closed() => return Err(Ended),
                news = subscription.news.recv() => match news {
                    Ok(news) => self.pass_on(news).await?,
                    Err(RecvError::Lagged(_) | RecvError::Closed) => return Err(Ended),
                },
                _ = ticks.tick() => {
                    if looked.elapsed() >= CHECKED {
                        if self.check().await? {
                            self.count_anew().await?;
                        }
                        looked = Instant::now();
                    }
                    silent += 1;
                    if silent >= HEARTBEAT {
                        self.send(Bytes::from_static(b":\n\n")).await?;
                        silent = 0;
                    }
                }
            }
        }
    }

    /// Says where the stream begins, and what was missed since `start`.
    async fn begin(&mut self, start: Start) -> Result<(), Ended> {
        let last = self.number;
        match start {
            Start::After(known) if known <= last && last - known <= RESUMED => {
                self.number = known;
                self.event("hello", Some(known), &Beginning { number: known })
                    .await?;
                self.catch_up().await
            }
            Start::After(_) => {
                self.event("reset", Some(last), &Beginning { number: last })
                    .await
            }
            Start::Now => {
                self.event("hello", Some(last), &Beginning { number: last })
                    .await
            }
        }
    }

    /// Tells what the history has after the last number.
    async fn catch_up(&mut self) -> Result<(), Ended> {
        let organization = self.standing.organization().clone();
        loop {
            let missed = self.store.happened(&organization, self.number, CHUNK).await;
            let missed = missed.map_err(sent_away)?;
            if missed.is_empty() {
                return Ok(());
            }
            for set in &missed {
                self.happened(set).await?;
            }
        }
    }

    async fn pass_on(&mut self, news: News) -> Result<(), Ended> {
        match news {
            News::Happened(set) if set.number <= self.number => Ok(()),
            News::Happened(set) if set.number == self.number + 1 => self.happened(&set).await,
            News::Happened(_) => self.catch_up().await,
            News::Seen(seen) if seen.is_seen_by(&self.rights) => {
                self.event(seen.name(), None, &*seen).await
            }
            News::Moved(moved) if moved.is_seen_by(&self.rights) => {
                self.event("delivery", None, &*moved).await
            }
            News::Seen(_) | News::Moved(_) => Ok(()),
            News::Waiting(waiting) => self.count(&waiting).await,
        }
    }

    async fn happened(&mut self, set: &Happened) -> Result<(), Ended> {
        if set.is_administration() {
            // Where that gives them other rights, what waits is told next.
            let _changed = self.check().await?;
        }
        self.number = set.number;
        match ChangeEvent::seen_by(&self.rights, set) {
            Some(event) => self.event("change", Some(set.number), &event).await,
            // A number alone: the reader comes back with it, and learns nothing else.
            None => self.send(format!("id: {}\n\n", set.number).into()).await,
        }
    }

    /// Counts what waits for the caller, of what waits now.
    async fn count_anew(&mut self) -> Result<(), Ended> {
        let organization = self.standing.organization();
        let waiting = self.store.waiting(organization, now()).await;
        self.count(&waiting.map_err(sent_away)?).await
    }

    /// Counts what waits for the caller, and tells it where it is not what was told.
    async fn count(&mut self, waiting: &Waiting) -> Result<(), Ended> {
        // The first count of a stream may be newer than what its tail had read by then.
        if waiting.number < self.counted {
            return Ok(());
        }
        self.counted = waiting.number;
        let organization = self.standing.organization();
        let viewer = self.store.viewer(organization, &self.party, now()).await;
        let inbox = Inbox::of(waiting, &viewer.map_err(sent_away)?, &self.rights);
        match self.inbox.replace(inbox) == Some(inbox) {
            true => Ok(()),
            false => self.event("inbox", None, &inbox).await,
        }
    }

    /// Ends where the session or token does; else goes on with what it may now. Says whether that
    /// is something else than before.
    async fn check(&mut self) -> Result<bool, Ended> {
        let rights = match self.standing.rights(&self.store, now()).await {
            Ok(Some(rights)) => rights,
            Ok(None) => return Err(Ended),
            // It is not known; nothing happens either while the database is away.
            Err(StoreError::Unavailable(_)) => return Ok(false),
            Err(error) => {
                tracing::warn!(%error, "a listener's rights are not known");
                return Err(Ended);
            }
        };
        let changed = rights != self.rights;
        if changed {
            self.rights = rights;
            self.event("permissions", None, &serde_json::json!({}))
                .await?;
        }
        Ok(changed)
    }

    async fn event(
        &mut self,
        name: &str,
        id: Option<i64>,
        data: &impl Serialize,
    ) -> Result<(), Ended> {
        let data = serde_json::to_string(data).map_err(|_| Ended)?;
        let id = id.map_or(String::new(), |id| format!("id: {id}\n"));
        self.send(format!("{id}event: {name}\ndata: {data}\n\n").into())
            .await
    }

    async fn send(&mut self, bytes: Bytes) -> Result<(), Ended> {
        let sent = self.output.send_timeout(bytes, STALL).await;
        sent.map_err(|_| Ended)
    }
}
