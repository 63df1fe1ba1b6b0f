//! The way up from a relay by NATS: questions, traffic, and what is only told.

use burgee_edge::delivery::{EnvironmentReport, NodeReport};
use burgee_edge::source::BoxFuture;
use tokio::time::timeout;

use super::PATIENCE;
use super::serve::{ASK, TELL};
use super::streams::{Streams, delivery, traffic};
use super::wire::PART;
use crate::message::{Answer, Taken, ToRelay, ToUpstream, pack, unpack};
use crate::traffic::Batch;
use crate::upstream::{Line, Stored};

/// The way up, while NATS is there.
pub(super) struct NatsLine {
    pub(super) streams: Streams,
    /// The environments that the relay was told to serve; none where it serves all.
    pub(super) scope: Option<Vec<String>>,
}

impl NatsLine {
    /// An answer that this relay can use: of a key of other environments it cannot say more than that
    /// it does not know.
    fn usable(&self, answer: ToRelay) -> ToRelay {
        match (answer, &self.scope) {
            (
                ToRelay::Found {
                    question,
                    answer: Answer::Is((id, _)),
                },
                Some(scope),
            ) if !scope.contains(&id) => ToRelay::Found {
                question,
                answer: Answer::Unavailable,
            },
            (answer, _) => answer,
        }
    }

    /// Puts a batch into the queue for servers; whether NATS has all of it.
    async fn queue(&self, batch: &Batch) -> bool {
        for (environment, piece) in batch.pieces(PART) {
            let Ok(packed) = pack(&piece) else {
                return false;
            };
            let id = format!("{} {}", piece.sender, piece.sequence);
            let message = async_nats::jetstream::message::PublishMessage::build()
                .message_id(id)
                .payload(packed.into());
            let sent = self
                .streams
                .context
                .send_publish(traffic(&environment), message);
            let stored = match sent.await {
                Ok(stored) => stored.await.map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            if let Err(error) = stored {
                tracing::debug!(error, "traffic does not go up");
                return false;
            }
        }
        true
    }
}

/// A relay's figures as messages, one an environment, so that NATS can see to it that a relay speaks
/// of its own alone; and one that says that it lives, where there are none.
fn by_environment(mut report: NodeReport) -> Vec<(String, ToUpstream)> {
    let environments = std::mem::take(&mut report.environments);
    if environments.is_empty() {
        return vec![(TELL.to_owned(), ToUpstream::Delivery(report))];
    }
    let of_one = |(id, figures): (String, EnvironmentReport)| {
        let subject = delivery(&id);
        let report = NodeReport {
            environments: vec![(id, figures)],
            ..report.clone()
        };
        (subject, ToUpstream::Delivery(report))
    };
    environments.into_iter().map(of_one).collect()
}

impl Line for NatsLine {
    fn tell(&self, message: ToUpstream) -> bool {
        let messages = match message {
            ToUpstream::Delivery(report) => by_environment(report),
            message => vec![(TELL.to_owned(), message)],
        };
        let client = self.streams.context.client();
        tokio::spawn(async move {
            for (subject, message) in messages {
                if let Ok(packed) = pack(&message) {
                    let _lost = client.publish(subject, packed.into()).await;
                }
            }
        });
        true
    }

    fn ask(&self, _question: u64, message: ToUpstream) -> BoxFuture<'_, Option<ToRelay>> {
        Box::pin(async move {
            let packed = pack(&message).ok()?;
            let client = self.streams.context.client();
            let asked = timeout(PATIENCE, client.request(ASK, packed.into()));
            let answer = asked.await.ok()?.ok()?;
            Some(self.usable(unpack(&answer.payload).ok()?))
        })
    }

    fn store(&self, batch: Batch) -> BoxFuture<'_, Option<Stored>> {
        // Who was known before is not told: a queue has no answers.
        Box::pin(async move {
            self.queue(&batch)
                .await
                .then(|| Stored::Taken(Taken::default()))
        })
    }

    fn end(&self) {}
}
