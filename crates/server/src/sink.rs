//! The edge's sink inside the server: the store's traffic tables.
//!
//! Only translation happens here; what is kept, and that a batch counts once, the store decides.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use burgee_domain::position::Position;
use burgee_edge::sink::{self, Sink, Taken};
use burgee_edge::source::{BoxFuture, Unavailable};
use burgee_eval::time::Millis;
use burgee_store::traffic;
use tokio::time::timeout;

use crate::app::now;
use crate::decision_log::Outlets;
use crate::feed::unavailable;
use crate::late::LateStore;

/// How long a batch may take: the network to a database can fall silent. It is sent again then, and
/// counts once.
const PATIENCE: Duration = Duration::from_secs(60);

/// Takes the edge's batches.
pub struct LocalSink {
    store: LateStore,
    outlets: Outlets,
    unsure: Unsure,
}

/// Batches, by sender and number, of which it was not heard whether they were stored; the last to be
/// begun. Where one turns out to have been, its decisions have not been given on.
#[derive(Default)]
struct Unsure(Mutex<VecDeque<(String, i64)>>);

/// How many batches are remembered. One that another server stored is not heard of here again.
const UNSURE: usize = 1_024;

impl LocalSink {
    /// A sink into `store`.
    pub fn new(store: LateStore) -> Self {
        Self::with(store, Outlets::default())
    }

    /// The same, which gives the decisions that were stored on.
    pub fn with(store: LateStore, outlets: Outlets) -> Self {
        Self {
            store,
            outlets,
            unsure: Unsure::default(),
        }
    }
}

impl Unsure {
    /// A batch is going to be written; whether that was begun before.
    fn begin(&self, batch: &sink::Batch) -> bool {
        let mut all = self.all();
        let begun = place(&all, batch).is_some();
        if !begun {
            all.truncate(UNSURE - 1);
            all.push_front((batch.sender.clone(), batch.sequence));
        }
        begun
    }

    /// It was stored; whether nobody else heard so meanwhile.
    fn end(&self, batch: &sink::Batch) -> bool {
        let mut all = self.all();
        let place = place(&all, batch);
        place.and_then(|place| all.remove(place)).is_some()
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<(String, i64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn place(all: &VecDeque<(String, i64)>, batch: &sink::Batch) -> Option<usize> {
    let is_it =
        |(sender, sequence): &(String, i64)| *sequence == batch.sequence && *sender == batch.sender;
    all.iter().position(is_it)
}

impl Sink for LocalSink {
    fn write<'a>(&'a self, sent: &'a sink::Batch) -> BoxFuture<'a, Result<Taken, Unavailable>> {
        Box::pin(async {
            let (store, batch) = (self.store.there()?, batch(sent));
            let begun = self.unsure.begin(sent);
            let written = timeout(PATIENCE, store.traffic().write(&batch)).await;
            let late = |_| Unavailable(format!("no answer within {} s", PATIENCE.as_secs()));
            let written = written.map_err(late)?.map_err(unavailable)?;
            if written.refused > 0 {
                tracing::warn!(rows = written.refused, "traffic that no database can hold");
            }
            let first = self.unsure.end(sent);
            if !written.repeated || (begun && first) {
                self.outlets.take(&sent.decisions);
            }
            let trimming = store.traffic();
            let _later = timeout(PATIENCE, trimming.trim_after(&batch)).await;
            Ok(Taken {
                known_users: written.known_users,
                event_names: written.event_names,
            })
        })
    }

    fn keys_used<'a>(&'a self, secrets: &'a [Box<str>]) -> BoxFuture<'a, Result<(), Unavailable>> {
        Box::pin(async {
            let secrets: Vec<&str> = secrets.iter().map(|it| &**it).collect();
            let kept = self.store.there()?.sdk_keys_used(&secrets, now()).await;
            kept.map_err(unavailable)
        })
    }
}

/// The same batch as the store knows it; the texts stay where they are.
fn batch(sent: &sink::Batch) -> traffic::Batch<'_> {
    traffic::Batch {
        sender: Cow::Borrowed(&sent.sender),
        sequence: sent.sequence,
        at: now(),
        users: sent.users.iter().map(user).collect(),
        counts: sent.counts.iter().map(count).collect(),
        exposures: sent.exposures.iter().map(exposure).collect(),
        metrics: sent.metrics.iter().map(metric).collect(),
        decisions: sent.decisions.iter().map(decision).collect(),
    }
}

fn user(seen: &sink::UserSeen) -> traffic::UserSeen<'_> {
    let user = seen.user.user();
    traffic::UserSeen {
        environment: Cow::Borrowed(&seen.environment),
        types: Cow::Owned(user.types()),
        key: user.key,
        name: user.name,
        properties: user.properties,
        at: Millis(seen.at),
    }
}

fn count(count: &sink::Count) -> traffic::Count<'_> {
    traffic::Count {
        environment: Cow::Borrowed(&count.environment),
        flag: Cow::Borrowed(&count.flag),
        flag_id: Cow::Borrowed(&count.flag_id),
        variation: Cow::Borrowed(&count.variation),
        minute: Millis(count.minute),
        count: count.count,
    }
}

fn exposure(exposure: &sink::Exposure) -> traffic::Exposure<'_> {
    let texts = exposure.texts();
    traffic::Exposure {
        environment: Cow::Borrowed(&exposure.environment),
        flag: Cow::Borrowed(texts.flag),
        flag_id: Cow::Borrowed(texts.flag_id),
        variation: Cow::Borrowed(texts.variation),
        user: Cow::Borrowed(texts.user),
        experiment: exposure.experiment,
        first: Millis(exposure.first),
        last: Millis(exposure.last),
    }
}

fn metric(event: &sink::MetricEvent) -> traffic::MetricEvent<'_> {
    let texts = event.texts();
    traffic::MetricEvent {
        environment: Cow::Borrowed(&event.environment),
        user: Cow::Borrowed(texts.user),
        event: Cow::Borrowed(texts.event),
        value: event.value,
        route: Cow::Borrowed(texts.route),
        kind: Cow::Borrowed(texts.kind),
        app_type: Cow::Borrowed(texts.app_type),
        at: Millis(event.at),
    }
}

fn decision(decision: &sink::Decision) -> traffic::Decision<'_> {
    let texts = decision.texts();
    let given = |text| Some(Cow::Borrowed(text)).filter(|text: &Cow<'_, str>| !text.is_empty());
    traffic::Decision {
        environment: Cow::Borrowed(&decision.environment),
        user: Cow::Borrowed(texts.user),
        flag: Cow::Borrowed(texts.flag),
        flag_id: Cow::Borrowed(texts.flag_id),
        variation: Cow::Borrowed(texts.variation),
        surface: Cow::Borrowed(texts.surface),
        reason: given(texts.reason),
        rule: given(texts.rule),
        position: decision.position.map(|it| Position {
            version: it.version,
            digest: it.digest,
        }),
        at: Millis(decision.at),
    }
}
