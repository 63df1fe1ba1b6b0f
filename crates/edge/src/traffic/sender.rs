//! From the buffer to the sink: each second, or as soon as there is enough.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::Traffic;
use super::buffer::contents;
use crate::metrics::Reason;
use crate::sink::{Batch, Sink, Taken};

/// How long something waits at most before it is sent.
const EVERY: Duration = Duration::from_secs(1);
/// The first pause after a batch was not taken; each further one doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// What is not written this long after the shutdown began is lost.
pub(super) const DRAIN: Duration = Duration::from_secs(5);

impl Traffic {
    /// Sends batches until `shutdown`, and then, within some seconds, what is left. A batch that
    /// the sink does not take is sent again as it is: (sender, sequence) lets the sink see that.
    /// To be run once; cancel `shutdown` after the last request was answered.
    pub async fn run(self: Arc<Self>, sink: Arc<dyn Sink>, shutdown: CancellationToken) {
        let mut outbox = Outbox {
            traffic: &self,
            sink: &*sink,
            sequence: 0,
            batch: None,
        };
        tokio::select! {
            biased;
            () = shutdown.cancelled() => {}
            () = outbox.keep_sending() => {}
        }
        let _ = timeout(DRAIN, outbox.send(What::All)).await;
        outbox.give_up();
    }
}

/// What is to be sent.
#[derive(Clone, Copy)]
enum What {
    /// Everything: a second is over.
    All,
    /// Complete pieces: the rest may still grow.
    Complete,
}

struct Outbox<'a> {
    traffic: &'a Traffic,
    sink: &'a dyn Sink,
    sequence: i64,
    /// On its way; kept until the sink has taken it.
    batch: Option<Batch>,
}

impl Outbox<'_> {
    async fn keep_sending(&mut self) {
        loop {
            let due = tokio::select! {
                () = sleep(EVERY) => What::All,
                () = self.traffic.enough.notified() => What::Complete,
            };
            self.send(due).await;
        }
    }

    /// Sends until nothing of this waits.
    async fn send(&mut self, what: What) {
        let mut pause = FIRST_PAUSE;
        while self.load(what) {
            let Some(batch) = &self.batch else { return };
            match self.sink.write(batch).await {
                Ok(taken) => {
                    self.traffic.settle(batch, &taken);
                    self.batch = None;
                    pause = FIRST_PAUSE;
                }
                Err(unavailable) => {
                    self.traffic.metrics.traffic_retries.inc();
                    tracing::warn!(reason = %unavailable, "a batch of traffic is sent again later");
                    sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    /// Takes what waits, unless a batch is under way. False where there is nothing to send.
    fn load(&mut self, what: What) -> bool {
        if self.batch.is_none() {
            let queue = &mut self.traffic.state().queue;
            let piece = match what {
                What::All => queue.take(),
                What::Complete => queue.take_complete(),
            };
            let Some(piece) = piece else {
                return false;
            };
            self.sequence += 1;
            self.batch = Some(piece.into_batch(&self.traffic.sender, self.sequence));
        }
        true
    }

    /// Counts what is lost.
    fn give_up(mut self) {
        while self.load(What::All) {
            let lost = self.batch.take().map(|batch| contents(&batch));
            for (what, count) in lost.into_iter().flatten() {
                self.traffic.counters.lost(what, count);
            }
        }
    }
}

impl Traffic {
    /// Takes to heart what the sink says of a batch.
    fn settle(&self, batch: &Batch, taken: &Taken) {
        if taken.event_names > 0 {
            self.metrics.refuse(Reason::EventNames, taken.event_names);
        }
        let known = taken.known_users.iter();
        let known = known.filter_map(|place| batch.users.get(*place));
        let mut state = self.state();
        for user in known {
            if let Some(key) = user.new_by {
                state.users.was_known(key, user.at);
            }
        }
    }
}
