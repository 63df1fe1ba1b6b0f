//! The edge's sink inside the server: the store's traffic tables.
//!
//! Only translation happens here; what is kept, and that a batch counts once, the store decides.

use burgee_edge::sink::{self, Sink};
use burgee_edge::source::{BoxFuture, Unavailable};
use burgee_eval::time::Millis;
use burgee_store::{Store, traffic};

use crate::app::now;
use crate::feed::unavailable;

/// Takes the edge's batches.
pub struct LocalSink {
    store: Store,
}

impl LocalSink {
    /// A sink into `store`.
    pub fn new(store: Store) -> Self {
        Self { store }
    }
}

impl Sink for LocalSink {
    fn write<'a>(&'a self, sent: &'a sink::Batch) -> BoxFuture<'a, Result<(), Unavailable>> {
        Box::pin(async {
            let written = self
                .store
                .traffic()
                .write(&batch(sent))
                .await
                .map_err(unavailable)?;
            if written.refused > 0 {
                tracing::warn!(rows = written.refused, "traffic that no database can hold");
            }
            Ok(())
        })
    }
}

fn batch(sent: &sink::Batch) -> traffic::Batch {
    traffic::Batch {
        sender: sent.sender.clone(),
        sequence: sent.sequence,
        at: now(),
        users: sent.users.iter().cloned().map(user).collect(),
        counts: sent.counts.iter().cloned().map(count).collect(),
        exposures: sent.exposures.iter().cloned().map(exposure).collect(),
        metrics: sent.metrics.iter().cloned().map(metric).collect(),
    }
}

fn user(seen: sink::UserSeen) -> traffic::UserSeen {
    let sink::UserSeen {
        environment,
        key,
        name,
        properties,
        at,
    } = seen;
    traffic::UserSeen {
        environment,
        key,
        name,
        properties,
        at: Millis(at),
    }
}

fn count(count: sink::Count) -> traffic::Count {
    let sink::Count {
        environment,
        flag,
        flag_id,
        variation,
        minute,
        count,
    } = count;
    traffic::Count {
        environment,
        flag,
        flag_id,
        variation,
        minute: Millis(minute),
        count,
    }
}

fn exposure(exposure: sink::Exposure) -> traffic::Exposure {
    let sink::Exposure {
        environment,
        flag,
        flag_id,
        variation,
        user,
        experiment,
        first,
        last,
    } = exposure;
    let (first, last) = (Millis(first), Millis(last));
    traffic::Exposure {
        environment,
        flag,
        flag_id,
        variation,
        user,
        experiment,
        first,
        last,
    }
}

fn metric(event: sink::MetricEvent) -> traffic::MetricEvent {
    let sink::MetricEvent {
        environment,
        user,
        event,
        value,
        route,
        kind,
        app_type,
        at,
    } = event;
    traffic::MetricEvent {
        environment,
        user,
        event,
        value,
        route,
        kind,
        app_type,
        at: Millis(at),
    }
}
