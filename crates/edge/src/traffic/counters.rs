//! What is counted of each event, found once instead of by its labels each time.

use prometheus_client::metrics::counter::Counter;

use crate::metrics::{Metrics, Traffic as Sort, What};

/// Of each sort, what was taken in and what was dropped for want of room.
pub(super) struct Counters([(Sort, Counter, Counter); 5]);

impl Counters {
    pub(super) fn new(metrics: &Metrics) -> Self {
        let sorts = [
            Sort::User,
            Sort::Evaluation,
            Sort::Exposure,
            Sort::Metric,
            Sort::Decision,
        ];
        Self(sorts.map(|what| {
            let of = What { what };
            let accepted = metrics.traffic_accepted.get_or_create(&of).clone();
            (
                what,
                accepted,
                metrics.traffic_dropped.get_or_create(&of).clone(),
            )
        }))
    }

    /// Counts one: taken in where there was room.
    pub(super) fn taken(&self, what: Sort, room: bool) {
        self.add(what, room, 1);
    }

    /// Counts what was taken in and is lost all the same.
    pub(super) fn lost(&self, what: Sort, count: u64) {
        self.add(what, false, count);
    }

    fn add(&self, what: Sort, room: bool, count: u64) {
        for (sort, accepted, dropped) in &self.0 {
            if *sort == what {
                match room {
                    true => accepted.inc_by(count),
                    false => dropped.inc_by(count),
                };
            }
        }
    }
}
