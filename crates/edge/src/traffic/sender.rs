//! From the buffer to the sink: each second, or as soon as there is enough.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::Traffic;
use super::buffer::contents;
use crate::metrics::What;
use crate::sink::{Batch, Sink};

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
        let _ = timeout(DRAIN, outbox.send_all()).await;
        outbox.give_up();
    }
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
            tokio::select! {
                () = sleep(EVERY) => {}
                () = self.traffic.enough.notified() => {}
            }
            self.send_all().await;
        }
    }

    /// Sends until nothing waits.
    async fn send_all(&mut self) {
        let mut pause = FIRST_PAUSE;
        while self.load() {
            let Some(batch) = &self.batch else { return };
            match self.sink.write(batch).await {
                Ok(()) => {
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
    fn load(&mut self) -> bool {
        if self.batch.is_none() {
            let buffer = std::mem::take(&mut self.traffic.state().buffer);
            if buffer.len() == 0 {
                return false;
            }
            self.sequence += 1;
            self.batch = Some(buffer.into_batch(&self.traffic.sender, self.sequence));
        }
        true
    }

    /// Counts what is lost.
    fn give_up(mut self) {
        while self.load() {
            let lost = self.batch.take().map(|batch| contents(&batch));
            for (what, count) in lost.into_iter().flatten() {
                self.traffic
                    .metrics
                    .traffic_dropped
                    .get_or_create(&What { what })
                    .inc_by(count);
            }
        }
    }
}
